//! The configuration of the in-tree admission plugin `PodSecurity`.

use std::collections::BTreeSet;

use rules::name::{is_label, is_subdomain};
use rules::pod_security::{Level, PodSecurity, Version};
use serde_json::{Map, Value, json};

use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{self, PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::settings::POD_SECURITY;
use crate::target::{OPERATIONS, Target};
use crate::{Document, InputError, Operation, settings};

const PLUGIN_VERSIONS: [&str; 3] = [
    "pod-security.admission.config.k8s.io/v1",
    "pod-security.admission.config.k8s.io/v1beta1",
    "pod-security.admission.config.k8s.io/v1alpha1",
];

/// The versions of `AdmissionConfiguration`, which contains the configurations of all plugins.
///
/// Source: `pkg/apis/apiserver/install` in kubernetes/apiserver.
const API_SERVER_VERSIONS: [&str; 2] = ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"];

/// The name of the plugin in an `AdmissionConfiguration`.
const PLUGIN: &str = "PodSecurity";

const EXPECTED: &str = "expected a PodSecurityConfiguration or an AdmissionConfiguration";

const NAMESPACE_LABELS: &str =
    "The labels pod-security.kubernetes.io/* of a namespace take precedence over these levels.";

/// The level and the version of a mode that is not configured.
const DEFAULT_MODE: (&str, &str) = ("privileged", "latest");

pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    PLUGIN_VERSIONS.contains(&api_version) || API_SERVER_VERSIONS.contains(&api_version)
}

/// Converts the configuration of the admission plugin `PodSecurity` into a Kubewarden policy.
///
/// The only document is a `PodSecurityConfiguration`, or an `AdmissionConfiguration` that contains
/// one.
///
/// # Errors
/// A document that the API server would not accept, and a second document.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    if let [_, second, ..] = documents {
        return Err(
            Fields::of(second)?.document_error("expected one document; the API server reads no other")
        );
    }
    documents.iter().map(convert_document).collect()
}

fn convert_document(document: &Document) -> Result<Conversion, InputError> {
    let fields = Fields::of(document)?;
    let mut problems = Vec::new();
    let settings = convert_settings(&plugin_configuration(fields.clone())?, &mut problems)?;
    if let Some(error) = settings::problem_with::<PodSecurity>(&settings) {
        return Err(fields.document_error(format!("the module rejects the settings: {error}")));
    }
    let mut rules =
        TargetRule::for_targets(&BTreeSet::from(Target::OF_POD_SECURITY), &BTreeSet::from(OPERATIONS));
    // The plugin warns about the pods of a Namespace whose level is raised.
    rules.push(TargetRule {
        api_groups: [""],
        api_versions: ["v1"],
        resources: vec!["namespaces"],
        operations: vec![Operation::Update],
    });
    let mut spec = PolicySpec::new(POD_SECURITY, PolicyMode::Protect, rules, settings);
    spec.background_audit = Some(false);
    spec.context_aware_resources.extend(["Namespace", "Pod"].map(kubewarden::of_core));
    let listed = |problem| Difference::new(&document.name, "PodSecurityConfiguration", None, problem);
    Ok(Conversion {
        differences: problems.into_iter().map(listed).collect(),
        // The plugin evaluates requests alone, so there are no background audits to convert.
        notes: vec![NAMESPACE_LABELS.to_owned()],
        manifest: Some(ManifestNames::default().manifest(None, POD_SECURITY, spec)),
    })
}

/// Returns the configuration of the plugin, which may be part of an `AdmissionConfiguration`.
fn plugin_configuration(document: Fields<'_>) -> Result<Fields<'_>, InputError> {
    match document.text("kind")? {
        Some("PodSecurityConfiguration") => {
            check_version(&document, &PLUGIN_VERSIONS)?;
            Ok(document)
        }
        Some("AdmissionConfiguration") => embedded_configuration(&document),
        _ => Err(document.error("kind", EXPECTED)),
    }
}

fn embedded_configuration<'d>(document: &Fields<'d>) -> Result<Fields<'d>, InputError> {
    check_version(document, &API_SERVER_VERSIONS)?;
    reject_unknown(document, &["apiVersion", "kind", "plugins"])?;
    let mut plugins = Vec::new();
    for plugin in document.objects("plugins")? {
        if plugin.text("name")? == Some(PLUGIN) {
            plugins.push(plugin);
        }
    }
    let plugin = match plugins.as_slice() {
        [plugin] => plugin,
        [] => return Err(document.error("plugins", format!("does not contain {PLUGIN}"))),
        _ => return Err(document.error("plugins", format!("contains {PLUGIN} more than once"))),
    };
    reject_unknown(plugin, &["name", "path", "configuration"])?;
    // Of both fields, the API server uses the configuration (`GetAdmissionPluginConfigurationFor`
    // in `pkg/admission/config.go` of kubernetes/apiserver).
    let Some(configuration) = plugin.object("configuration")? else {
        return Err(if plugin.text("path")?.is_some_and(|path| !path.is_empty()) {
            plugin.error("path", "the configuration is in another file; convert that file instead")
        } else {
            plugin.missing("configuration")
        });
    };
    if configuration.text("kind")? != Some("PodSecurityConfiguration") {
        return Err(configuration.error("kind", "expected PodSecurityConfiguration"));
    }
    check_version(&configuration, &PLUGIN_VERSIONS)?;
    Ok(configuration)
}

fn check_version(fields: &Fields<'_>, versions: &[&str]) -> Result<(), InputError> {
    let text = fields.text("apiVersion")?.unwrap_or_default();
    if versions.contains(&text) {
        Ok(())
    } else {
        Err(fields.error("apiVersion", format!("expected {}", versions.join(" or "))))
    }
}

fn reject_unknown(fields: &Fields<'_>, known: &[&str]) -> Result<(), InputError> {
    match fields.others(known).next() {
        Some((key, _)) => {
            Err(fields.error(key, format!("unknown field; known fields are {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

fn convert_settings(
    configuration: &Fields<'_>,
    problems: &mut Vec<FieldProblem>,
) -> Result<Map<String, Value>, InputError> {
    reject_unknown(configuration, &["apiVersion", "kind", "defaults", "exemptions"])?;
    let defaults = configuration.object("defaults")?;
    let mut settings = Map::new();
    let (level, version) = convert_mode(defaults.as_ref(), "enforce", "enforce-version")?;
    settings.insert("level".to_owned(), level.into());
    settings.insert("version".to_owned(), version.into());
    for (mode, version_key) in [("audit", "audit-version"), ("warn", "warn-version")] {
        let (level, version) = convert_mode(defaults.as_ref(), mode, version_key)?;
        // A namespace label may set the level alone; the version then comes from here.
        if (level, version) != DEFAULT_MODE {
            settings.insert(mode.to_owned(), json!({ "level": level, "version": version }));
        }
    }
    if let Some(defaults) = &defaults {
        let keys = ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"];
        reject_unknown(defaults, &keys)?;
    }
    if let Some(exemptions) = configuration.object("exemptions")? {
        let exemptions = convert_exemptions(&exemptions, problems)?;
        if !exemptions.is_empty() {
            settings.insert("exemptions".to_owned(), Value::Object(exemptions));
        }
    }
    settings.insert("namespaceLabels".to_owned(), "Honor".into());
    settings.insert("templates".to_owned(), "Warn".into());
    Ok(settings)
}

fn convert_mode<'d>(
    defaults: Option<&Fields<'d>>,
    level_key: &str,
    version_key: &str,
) -> Result<(&'d str, &'d str), InputError> {
    let Some(defaults) = defaults else { return Ok(DEFAULT_MODE) };
    let text = |key: &str| Ok::<_, InputError>(defaults.text(key)?.filter(|text| !text.is_empty()));
    let level = text(level_key)?.unwrap_or(DEFAULT_MODE.0);
    if Level::named(level).is_none() {
        return Err(defaults.error(level_key, "expected privileged, baseline or restricted"));
    }
    let version = text(version_key)?.unwrap_or(DEFAULT_MODE.1);
    if Version::parse(version).is_none() {
        return Err(defaults.error(version_key, "expected latest or a minor version such as v1.30"));
    }
    Ok((level, version))
}

fn convert_exemptions(
    exemptions: &Fields<'_>,
    problems: &mut Vec<FieldProblem>,
) -> Result<Map<String, Value>, InputError> {
    reject_unknown(exemptions, &["usernames", "namespaces", "runtimeClasses"])?;
    let mut settings = Map::new();
    for (key, is_valid, expected) in [
        ("usernames", (|name| !name.is_empty()) as fn(&str) -> bool, "user name"),
        ("namespaces", is_label, "namespace name"),
        ("runtimeClasses", is_subdomain, "RuntimeClass name"),
    ] {
        let names = exemptions.texts(key)?;
        let mut seen = BTreeSet::new();
        for (index, name) in names.iter().enumerate() {
            let problem = if !is_valid(name) {
                format!("is not a valid {expected}")
            } else if !seen.insert(name) {
                "is a duplicate; remove it".to_owned()
            } else {
                continue;
            };
            return Err(exemptions.element_error(key, index, format!("{} {problem}", Value::from(*name))));
        }
        // The plugin compares user names as they are, so a wildcard exempts nobody else.
        let (literal, wild): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| !(key == "usernames" && name.contains('*')));
        problems.extend(wild.into_iter().map(|name| {
            let problem = format!(
                "{} is not a pattern for the plugin, which exempts only a user of exactly this name; the module \
                 refuses wildcards here",
                Value::from(name)
            );
            FieldProblem::new(exemptions.path(key), problem).with(Effect::Reports)
        }));
        if !literal.is_empty() {
            settings.insert(key.to_owned(), json!(literal));
        }
    }
    Ok(settings)
}
