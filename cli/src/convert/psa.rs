//! The configuration of the admission plugin `PodSecurity`.

use std::collections::BTreeSet;

use rules::name::{is_label, is_subdomain};
use rules::pod_security::{Level, Version};
use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::manifest::{Converted, Manifest, Metadata, Mode, POLICY, Resource, Spec, refusal};
use super::target::{self, Operation, Target};
use crate::failure::Failure;
use crate::parse;
use crate::source::Reader;

/// The group of the plugin's own configuration.
const GROUP: &str = "pod-security.admission.config.k8s.io";

/// The group of a configuration that holds those of all plugins.
const PLUGINS: &str = "apiserver.config.k8s.io";

/// The name of the plugin there.
const PLUGIN: &str = "PodSecurity";

const EXPECTED: &str = "expected a PodSecurityConfiguration or an AdmissionConfiguration";

/// What a reader of the manifest should know.
const LABELS: &str = "The labels pod-security.kubernetes.io/* of a namespace count before these levels.";

/// Converts the configuration in a file.
///
/// # Errors
/// A file that cannot be read, and what the API server would refuse.
pub(super) fn convert(file: &str) -> Result<Converted, Failure> {
    let source = Reader::default().text(file)?;
    let document = parse::document(&source)?
        .ok_or_else(|| Failure::about(&source.name, format!("is empty; {EXPECTED}")))?;
    let document = Fields::of(&source.name, String::new(), &document)?;
    let settings = settings(&configuration(document)?)?;
    if let Some(problem) = refusal(&settings)? {
        let problem = format!("{}: {}", problem.path, problem.problem);
        return Err(Failure::about(&source.name, format!("the module refuses the settings: {problem}")));
    }
    let rules = target::rules(&BTreeSet::from(Target::ALL), &BTreeSet::from(Operation::ALL));
    let mut spec = Spec::new(Mode::Protect, rules, settings);
    spec.background_audit = Some(false);
    spec.context_aware_resources.push(Resource::NAMESPACE);
    let metadata = Metadata { name: POLICY.to_owned(), namespace: None };
    let manifest =
        Manifest { api_version: "policies.kubewarden.io/v1", kind: "ClusterAdmissionPolicy", metadata, spec };
    let notes = vec![LABELS.to_owned(), super::NO_AUDIT.to_owned()];
    Ok(Converted { notes, manifest: Some(manifest), ..Converted::default() })
}

/// The plugin's configuration, which may be part of a larger one.
fn configuration(document: Fields<'_>) -> Result<Fields<'_>, Failure> {
    match document.text("kind")? {
        Some("PodSecurityConfiguration") => {
            version(&document, GROUP)?;
            Ok(document)
        }
        Some("AdmissionConfiguration") => {
            version(&document, PLUGINS)?;
            known(&document, &["apiVersion", "kind", "plugins"])?;
            let plugins = document.objects("plugins")?;
            let mut wanted = Vec::new();
            for plugin in plugins {
                if plugin.text("name")? == Some(PLUGIN) {
                    wanted.push(plugin);
                }
            }
            let plugin = match wanted.as_slice() {
                [plugin] => plugin,
                [] => return Err(document.failure("plugins", &format!("has no {PLUGIN}"))),
                _ => return Err(document.failure("plugins", &format!("has {PLUGIN} more than once"))),
            };
            known(plugin, &["name", "path", "configuration"])?;
            if plugin.text("path")?.is_some_and(|path| !path.is_empty()) {
                let problem = "the configuration is in another file; convert that one";
                return Err(plugin.failure("path", problem));
            }
            let inside = plugin.object("configuration")?;
            let inside = inside.ok_or_else(|| plugin.failure("configuration", "is missing"))?;
            if inside.text("kind")? != Some("PodSecurityConfiguration") {
                return Err(inside.failure("kind", "expected PodSecurityConfiguration"));
            }
            version(&inside, GROUP)?;
            Ok(inside)
        }
        _ => Err(document.failure("kind", EXPECTED)),
    }
}

fn version(fields: &Fields<'_>, group: &str) -> Result<(), Failure> {
    let text = fields.text("apiVersion")?.unwrap_or_default();
    match text.split_once('/') {
        Some((found, "v1" | "v1beta1" | "v1alpha1")) if found == group => Ok(()),
        _ => Err(fields.failure("apiVersion", &format!("expected {group}/v1, v1beta1 or v1alpha1"))),
    }
}

fn known(fields: &Fields<'_>, known: &[&str]) -> Result<(), Failure> {
    match fields.others(known).next() {
        Some((key, _)) => Err(fields.failure(key, &format!("unknown field; known are {}", known.join(", ")))),
        None => Ok(()),
    }
}

fn settings(configuration: &Fields<'_>) -> Result<Map<String, Value>, Failure> {
    known(configuration, &["apiVersion", "kind", "defaults", "exemptions"])?;
    let defaults = configuration.object("defaults")?;
    let mut settings = Map::new();
    let (enforced, version) = mode(defaults.as_ref(), "enforce", "enforce-version")?;
    settings.insert("level".to_owned(), enforced.into());
    settings.insert("version".to_owned(), version.into());
    for (name, pinned) in [("audit", "audit-version"), ("warn", "warn-version")] {
        let (level, version) = mode(defaults.as_ref(), name, pinned)?;
        // A namespace may have a label for the level alone: the version is the one from here.
        if (level, version) != NOTHING {
            settings.insert(name.to_owned(), json!({ "level": level, "version": version }));
        }
    }
    if let Some(defaults) = &defaults {
        let keys = ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"];
        known(defaults, &keys)?;
    }
    if let Some(exemptions) = configuration.object("exemptions")? {
        let exemptions = exempt(&exemptions)?;
        if !exemptions.is_empty() {
            settings.insert("exemptions".to_owned(), Value::Object(exemptions));
        }
    }
    settings.insert("namespaceLabels".to_owned(), "Honor".into());
    settings.insert("templates".to_owned(), "Warn".into());
    Ok(settings)
}

/// The level and the version of a mode of which nothing is written.
const NOTHING: (&str, &str) = ("privileged", "latest");

/// The level and the version of a mode.
fn mode<'d>(
    defaults: Option<&Fields<'d>>,
    level: &str,
    version: &str,
) -> Result<(&'d str, &'d str), Failure> {
    let Some(defaults) = defaults else { return Ok(NOTHING) };
    let text = |key: &str| Ok::<_, Failure>(defaults.text(key)?.filter(|text| !text.is_empty()));
    let name = text(level)?.unwrap_or(NOTHING.0);
    if Level::named(name).is_none() {
        return Err(defaults.failure(level, "expected privileged, baseline or restricted"));
    }
    let pinned = text(version)?.unwrap_or(NOTHING.1);
    if Version::parse(pinned).is_none() {
        return Err(defaults.failure(version, "expected latest or a minor version such as v1.30"));
    }
    Ok((name, pinned))
}

fn exempt(exemptions: &Fields<'_>) -> Result<Map<String, Value>, Failure> {
    known(exemptions, &["usernames", "namespaces", "runtimeClasses"])?;
    let mut settings = Map::new();
    for (key, is_valid, expected) in [
        ("usernames", (|name| !name.is_empty()) as fn(&str) -> bool, "the name of a user"),
        ("namespaces", is_label, "the name of a namespace"),
        ("runtimeClasses", is_subdomain, "the name of a RuntimeClass"),
    ] {
        let names = exemptions.texts(key)?;
        let mut seen = BTreeSet::new();
        for (index, name) in names.iter().enumerate() {
            if !is_valid(name) {
                return Err(exemptions.failure_in(key, index, &format!("{name:?} is not {expected}")));
            }
            if !seen.insert(name) {
                return Err(exemptions.failure_in(
                    key,
                    index,
                    &format!("{name:?} is there already; remove one"),
                ));
            }
        }
        if !names.is_empty() {
            settings.insert(key.to_owned(), json!(names));
        }
    }
    Ok(settings)
}
