//! `portcullis selinux`: what settings of the policy mean, before there is any pod.

use std::collections::BTreeMap;
use std::process::ExitCode;

use admission::Fault;
use rules::name::is_label;
use rules::selinux::level::Level;
use rules::selinux::{Origin, Owned, Ownership};
use rules::view;
use serde::Serialize;

use crate::args::{AuditOutput, LevelArgs, Selinux, SettingsArgs};
use crate::audit::Dump;
use crate::failure::Failure;
use crate::report::to_stdout;
use crate::settings;
use crate::source::Reader;
use crate::text::one_line;

/// The settings of the policy, as they came and as they are understood.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) json: String,
    pub(crate) ownership: Ownership,
}

impl Settings {
    /// The settings that arguments name.
    ///
    /// # Errors
    /// Settings that cannot be read or are not understood.
    pub(crate) fn read(args: &SettingsArgs, reader: &mut Reader) -> Result<Self, Failure> {
        let (settings, name) = settings::read(args, reader)?;
        let json = settings.to_string();
        let ownership = Ownership::configure(json.as_bytes()).map_err(|error| Failure::about(name, error))?;
        Ok(Self { json, ownership })
    }
}

/// A Namespace with its level, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct NamespaceLevel {
    pub(crate) namespace: String,
    pub(crate) level: Option<String>,
    origin: &'static str,
    /// What is hashed, or the key of the annotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The origin for people.
    pub(crate) explanation: String,
}

impl NamespaceLevel {
    /// A Namespace with what it owns.
    pub(crate) fn new(namespace: &str, owned: &Owned) -> Self {
        let (origin, key) = match &owned.origin {
            Origin::Hash(key) => ("Hash", Some(key)),
            Origin::Annotation(key) => ("Annotation", Some(key)),
            Origin::Missing(key) => ("MissingAnnotation", Some(key)),
            Origin::Fixed => ("Fixed", None),
            Origin::Runtime => ("Runtime", None),
            Origin::Exempt => ("Exempt", None),
            Origin::Below(_) => ("BelowNamespace", None),
            Origin::Unknown(_) => ("Unknown", None),
        };
        Self {
            namespace: namespace.to_owned(),
            level: owned.level.as_ref().map(Level::text),
            origin,
            key: key.cloned(),
            explanation: owned.origin.to_string(),
        }
    }
}

/// Tells what is asked for.
///
/// # Errors
/// Whatever cannot be read, and what cannot be told; nothing is printed then.
pub(crate) fn selinux(what: &Selinux) -> Result<ExitCode, Failure> {
    match what {
        Selinux::Level(args) => level(args),
    }
}

#[derive(Serialize)]
struct Levels {
    namespaces: Vec<NamespaceLevel>,
}

fn level(args: &LevelArgs) -> Result<ExitCode, Failure> {
    for name in &args.namespaces {
        if !is_label(name) {
            let problem =
                "is no name of a Namespace; it has at most 63 of a-z, 0-9 and -, the last not at the ends";
            return Err(Failure::about(format!("{name:?}"), problem));
        }
    }
    let mut reader = Reader::default();
    let Settings { ownership, .. } = Settings::read(&args.settings, &mut reader)?;
    let known = known(args, &ownership, &Dump::of(&args.cluster, &mut reader)?)?;
    let mut namespaces = Vec::new();
    for name in &args.namespaces {
        namespaces.push(match known.get(name) {
            Some(owned) => NamespaceLevel::new(name, owned),
            None => unknown(name, &ownership).map_err(|problem| Failure::about(name, problem))?,
        });
    }
    to_stdout(|out| match args.output {
        AuditOutput::Text => {
            for NamespaceLevel { namespace, level, explanation, .. } in &namespaces {
                let level = level.as_deref().unwrap_or("no level of its own");
                writeln!(out, "{}", one_line(&format!("{namespace}: {level} ({explanation})")))?;
            }
            Ok(())
        }
        AuditOutput::Json => {
            serde_json::to_writer(&mut *out, &Levels { namespaces })?;
            writeln!(out)
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The Namespaces that are asked for and among the objects of the cluster.
fn known(
    args: &LevelArgs,
    ownership: &Ownership,
    cluster: &Dump,
) -> Result<BTreeMap<String, Owned>, Failure> {
    let mut known = BTreeMap::new();
    cluster.each("Namespace", |_, name, object| {
        if args.namespaces.iter().any(|wanted| wanted == name) {
            known.insert(name.to_owned(), ownership.of(name, Some(view::Namespace::of(object)))?);
        }
        Ok(())
    })?;
    Ok(known)
}

/// A Namespace of which nothing but the name is known; often that is enough.
fn unknown(name: &str, ownership: &Ownership) -> Result<NamespaceLevel, String> {
    const GIVE: &str = "give its Namespace with --cluster";
    let owned = ownership.of(name, None).map_err(|fault: Fault| fault.to_string())?;
    let mut namespace = NamespaceLevel::new(name, &owned);
    match owned.origin {
        Origin::Unknown(what) => return Err(format!("{what} on its level; {GIVE}")),
        Origin::Hash(_) if ownership.reads_namespaces() => {
            namespace.explanation.push_str("; an annotation would count first: ");
            namespace.explanation.push_str(GIVE);
        }
        _ => {}
    }
    Ok(namespace)
}
