//! The policies of a scan.

use std::path::Path;

use convert::Document;
use kubewarden::matching::{Installation, InvalidWebhook, PolicyKind, PolicyManifest};
use report::{Level, Notice, Place};
use scan::{Content, Engine, Policy, Sources, kustomization_of};
use serde_json::{Value, json};

use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::input::{self, Pieces};
use crate::policy::{Engines, NamedSettings, PolicyArgument, deployment, path_of, settings_of};
use crate::settings;
use crate::source::{InputReader, SourceName};

use super::kyverno;

/// A policy that the user names.
#[derive(Clone, Debug)]
pub(crate) struct PolicyChoice {
    /// A manifest or a folder of manifests, an id, also with settings as in
    /// `pod-security=baseline`, a module, or a reference.
    pub(super) argument: String,
    /// The settings, and the place that has them, if it is a configuration file.
    pub(super) configured: Option<NamedSettings>,
}

impl From<String> for PolicyChoice {
    fn from(argument: String) -> Self {
        Self { argument, configured: None }
    }
}

/// The policies, and problems that keep some of them from evaluating.
#[derive(Default)]
pub(super) struct PolicySet {
    pub(super) policies: Vec<Policy>,
    pub(super) notices: Vec<Notice>,
    /// Policies of Kyverno and their exceptions, until all files are read.
    kyverno: Vec<Document>,
}

/// Loads all policies that arguments name. A manifest that is not valid, and a module that cannot
/// be loaded, become a notice: the other policies evaluate.
pub(super) fn load(
    choices: &[PolicyChoice],
    settings: &SettingsArgs,
    engines: &Engines<'_>,
    installation: &Installation,
    reader: &mut InputReader,
) -> Result<PolicySet, Failure> {
    let named_settings = settings::read(settings, reader)?;
    let mut policies = PolicySet::default();
    if choices.is_empty() {
        for (id, manifest) in DEPLOYED {
            policies.policies.push(named(engines, id, &deployed_settings(id, manifest)?)?);
        }
        let message = DEFAULT.to_owned();
        policies.notices.push(Notice { level: Level::Note, place: None, message });
    }
    let mut count = 0_usize;
    for PolicyChoice { argument, configured } in choices {
        let at_place = |failure| match configured {
            Some((_, place)) => Failure::about(place, failure),
            None => failure,
        };
        if let Some((id, settings)) = inline(argument).map_err(at_place)? {
            policies.policies.push(named(engines, id, &(settings, SourceName::of_argument(argument)))?);
            continue;
        }
        let path = path_of(argument);
        if Path::new(path).is_dir() && rules::find(argument).is_none() {
            policies.add_folder(path, engines, installation, reader).map_err(at_place)?;
            refuse_settings(configured.as_ref())?;
            continue;
        }
        match engines.argument(argument).map_err(at_place)? {
            PolicyArgument::Manifest(file) => {
                policies.add_file(file, engines, installation, reader).map_err(at_place)?;
                refuse_settings(configured.as_ref())?;
            }
            named => {
                count += usize::from(configured.is_none());
                let settings = configured.as_ref().unwrap_or(&named_settings);
                policies.policies.push(bare(engines, argument, named, settings)?);
            }
        }
    }
    let (converted, notices) = kyverno::convert(std::mem::take(&mut policies.kyverno), installation);
    policies.notices.extend(notices);
    for (manifest, place) in converted {
        policies.policies.push(deployed(manifest, &place, engines));
    }
    if named_settings.0.is_some() && count != 1 {
        let problem = format!(
            "the settings are for one policy without a manifest, and {count} are given; write settings into manifests"
        );
        return Err(Failure::about(&named_settings.1, problem));
    }
    Ok(policies)
}

/// Refuses settings for policies that have their own.
fn refuse_settings(configured: Option<&NamedSettings>) -> Result<(), Failure> {
    match configured {
        Some((Some(_), name)) => Err(Failure::about(
            name,
            "manifests have their own settings; change those, or name the policy by id",
        )),
        _ => Ok(()),
    }
}

/// The manifests whose settings the policies have if the user names none.
pub(crate) const DEPLOYED: [(&str, &str); 5] = [
    ("external-ips", include_str!("../../../../../artifacthub/deploy/external-ips.yaml")),
    ("node-labels", include_str!("../../../../../artifacthub/deploy/node-labels.yaml")),
    ("node-pods", include_str!("../../../../../artifacthub/deploy/node-pods.yaml")),
    ("pod-security", include_str!("../../../../../artifacthub/deploy/pod-security.yaml")),
    ("selinux", include_str!("../../../../../artifacthub/deploy/selinux-guard.yaml")),
];

const DEFAULT: &str = "without --policy, Portcullis' five policies evaluate, with the settings of their manifests; pod-security \
                       denies below baseline and warns below restricted";

pub(crate) fn deployed_settings(id: &str, manifest: &str) -> Result<NamedSettings, Failure> {
    let documents = manifest::documents(manifest).map_err(|problem| Failure::about(id, problem))?;
    let settings = documents.iter().find_map(|object| object.pointer("/spec/settings"));
    Ok((settings.cloned(), SourceName::new(id)))
}

/// Returns the id and the settings of an argument `ID=SETTINGS`.
fn inline(argument: &str) -> Result<Option<(&'static str, Option<Value>)>, Failure> {
    let Some((id, text)) = argument.split_once('=') else { return Ok(None) };
    let Some(entry) = rules::find(id) else { return Ok(None) };
    let documents = manifest::documents(text).map_err(|problem| Failure::about(argument, problem))?;
    match documents.as_slice() {
        [settings @ Value::Object(_)] => Ok(Some((entry.id, Some(settings.clone())))),
        [Value::String(level)] if entry.id == "pod-security" => {
            Ok(Some((entry.id, Some(json!({ "level": level })))))
        }
        _ => {
            let problem = "expected settings, as in pod-security='{level: baseline}', or a level of pod-security, as \
                           in pod-security=baseline";
            Err(Failure::about(argument, problem))
        }
    }
}

/// Loads a policy of this program.
fn named(engines: &Engines<'_>, id: &str, settings: &NamedSettings) -> Result<Policy, Failure> {
    bare(engines, id, engines.argument(id)?, settings)
}

/// Returns the manifests in a folder: those that its kustomization builds, or its files, by name.
/// Subfolders are not searched.
fn in_folder(folder: &str) -> Result<Sources, Failure> {
    if kustomization_of(Path::new(folder)).is_some() {
        return Ok(Sources { kustomizations: vec![folder.to_owned()], ..Sources::default() });
    }
    let unreadable = |error: std::io::Error| Failure::about(folder, format!("cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if scan::is_object_file(&path) && !path.is_dir() {
            files.push(path.into_os_string().into_string().map_err(|path| {
                Failure::about(path.display(), "has a name that is not valid Unicode; rename the file")
            })?);
        }
    }
    files.sort();
    Ok(Sources::of(&files))
}

impl PolicySet {
    fn add_folder(
        &mut self,
        folder: &str,
        engines: &Engines<'_>,
        installation: &Installation,
        reader: &mut InputReader,
    ) -> Result<(), Failure> {
        let sources = in_folder(folder)?;
        self.notices.extend(sources.kustomizations.iter().map(|folder| Notice {
            level: Level::Note,
            place: None,
            message: format!("the policies of {folder} are those that its kustomization builds"),
        }));
        let notices = self.notices.len();
        if self.add(&sources, engines, installation, reader)? == 0 && self.notices.len() == notices {
            let problem = if Path::new(folder).join("Chart.yaml").is_file() {
                "is a chart; render it, as in helm template . | portcullis scan objects.yaml --policy -"
            } else {
                "has no manifest of a policy in *.yaml, *.yml or *.json; its subdirectories are not searched"
            };
            return Err(Failure::about(folder, problem));
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        file: &str,
        engines: &Engines<'_>,
        installation: &Installation,
        reader: &mut InputReader,
    ) -> Result<(), Failure> {
        let sources = Sources::of(&[file.to_owned()]);
        let notices = self.notices.len();
        if self.add(&sources, engines, installation, reader)? == 0 && self.notices.len() == notices {
            let problem = "has no manifest of a policy; pass the objects to evaluate without --policy";
            return Err(Failure::about(SourceName::of_argument(file), problem));
        }
        Ok(())
    }

    /// Adds the policies of files, and returns how many there are. Other objects, such as roles,
    /// are skipped.
    fn add(
        &mut self,
        sources: &Sources,
        engines: &Engines<'_>,
        installation: &Installation,
        reader: &mut InputReader,
    ) -> Result<usize, Failure> {
        let mut found = 0_usize;
        let mut files = input::find(sources, reader)?;
        let mut pieces = Pieces::of(&mut files);
        while let Some((chunk, entries)) = pieces.next()? {
            let places = chunk.places(&entries);
            for (entry, place) in entries.into_iter().zip(&places) {
                let name = SourceName::new(input::named(place));
                let (Content::Object(object) | Content::Untyped(object, _)) = entry.content else { continue };
                if PolicyKind::of(&object).is_some() {
                    found += 1;
                    match PolicyManifest::read_for(&object, installation) {
                        Ok(manifest) => self.policies.push(deployed(manifest, &name, engines)),
                        Err(problem) => self.notices.push(error(place, unusable(&problem))),
                    }
                } else if kyverno::is_kyverno(&object) {
                    found += 1;
                    self.kyverno.push(Document { name: name.to_string(), value: object });
                } else {
                    self.notices.extend(PolicyKind::misspelt(&object).map(|problem| error(place, problem)));
                }
            }
        }
        Ok(found)
    }

    /// Adds a policy of a running cluster.
    pub(super) fn add_object(
        &mut self,
        object: &Value,
        name: &SourceName,
        engines: &Engines<'_>,
        installation: &Installation,
    ) {
        match PolicyManifest::read_for(object, installation) {
            Ok(manifest) => self.policies.push(deployed(manifest, name, engines)),
            Err(problem) => {
                let message = format!("{name}: {}", unusable(&problem));
                self.notices.push(Notice { level: Level::Error, place: None, message });
            }
        }
    }
}

fn unusable(problem: &InvalidWebhook) -> String {
    format!("{problem}; the policy evaluates nothing")
}

fn error(place: &Place, message: String) -> Notice {
    Notice { level: Level::Error, place: Some(place.clone()), message }
}

/// Loads a policy without a manifest.
pub(super) fn bare(
    engines: &Engines<'_>,
    text: &str,
    argument: PolicyArgument<'_>,
    (settings, settings_name): &NamedSettings,
) -> Result<Policy, Failure> {
    let settings = settings.clone().filter(|settings| !settings.is_null()).unwrap_or_else(|| json!({}));
    let policy = engines.bare(text, argument, &settings)?;
    if let Some(problem) = policy.settings_error() {
        return Err(Failure::about(settings_name, problem));
    }
    match policy.problem() {
        Some(reason) => Err(Failure::new(reason)),
        None => Ok(policy),
    }
}

/// Loads a policy as its manifest deploys it. A module that cannot be loaded makes its verdicts
/// unknown, and the other policies evaluate.
fn deployed(manifest: PolicyManifest, place: &SourceName, engines: &Engines<'_>) -> Policy {
    let name = manifest.name.clone();
    Policy::of_manifest(manifest, &mut |module, is_mutating| {
        // The deployment has no message: the scan replaces it itself, and shows the original.
        match engines.of_manifest(&module.module, place, deployment(&name, module, is_mutating)) {
            Engine::Refused(problem) => {
                Engine::Unavailable(Failure::about(settings_of(place), problem).to_string())
            }
            engine => engine,
        }
    })
}
