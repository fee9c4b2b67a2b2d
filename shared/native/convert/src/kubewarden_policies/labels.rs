//! The policy `psa-label-enforcer`, which writes labels of the admission plugin `PodSecurity` on
//! Namespaces.

use std::collections::BTreeSet;

use rules::pod_security::{Level, PodSecurity, Version};
use serde_json::{Map, json};

use crate::InputError;
use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::settings::{self, POD_SECURITY};
use crate::target::{OPERATIONS, Target};

/// The last part of the name of its image.
pub(super) const ID: &str = "psa-label-enforcer";

/// The modes, with the settings of `pod-security` for them.
const MODES: [(&str, &str); 3] = [("enforce", ""), ("audit", "audit"), ("warn", "warn")];

const REFUSES: &str = "the labels reach Namespaces when they are created and updated, and the manifest evaluates pods in \
                       all of them; it also evaluates pods that the plugin exempts by its configuration, so that it is in \
                       mode monitor";
const LABELS: &str = "the manifest evaluates pods with these settings and writes no labels, so that the plugin no longer \
                      enforces the levels in new Namespaces";
const UNSET: &str = "is not set, so that the label of a Namespace counts; the manifest has no such level: set it here, \
                     or namespaceLabels: Honor in the manifest";

/// Converts the policy into `pod-security` with the levels that the labels name.
pub(super) fn convert(
    object: &Fields<'_>,
    title: &str,
    labels: &Fields<'_>,
    scope: PolicySpec,
    mut problems: Vec<FieldProblem>,
    names: &mut ManifestNames,
) -> Result<Conversion, InputError> {
    let modes = labels.optional("modes")?;
    problems.extend(labels.unknown(&["modes"]));
    let mut settings = Map::new();
    settings.insert("level".to_owned(), "privileged".into());
    let mut is_set = false;
    for (mode, setting) in MODES {
        let version_key = format!("{mode}-version");
        let (level, version) = (modes.text(mode)?, modes.text(&version_key)?);
        let Some(level) = level else {
            if version.is_some() {
                return Err(modes.error(&version_key, format!("requires {mode}")));
            }
            problems.push(FieldProblem::new(modes.path(mode), UNSET).with(Effect::Admits));
            continue;
        };
        is_set = true;
        if Level::named(level).is_none() {
            return Err(modes.error(mode, "expected privileged, baseline or restricted"));
        }
        if version.is_some_and(|version| Version::parse(version).is_none()) {
            return Err(modes.error(&version_key, "expected latest or a minor version such as v1.30"));
        }
        let version = version.unwrap_or("latest");
        if setting.is_empty() {
            settings.insert("level".to_owned(), level.into());
            settings.insert("version".to_owned(), version.into());
        } else {
            settings.insert(setting.to_owned(), json!({ "level": level, "version": version }));
        }
    }
    if !is_set {
        return Err(labels.error("modes", "expected enforce, audit or warn"));
    }
    settings.insert("templates".to_owned(), "Warn".into());
    if let Some(error) = settings::problem_with::<PodSecurity>(&settings) {
        return Err(labels.error("modes", format!("the module rejects the settings: {error}")));
    }
    problems.push(FieldProblem::new(labels.path("modes"), LABELS).with(Effect::Admits));
    problems.push(FieldProblem::new(labels.path("modes"), REFUSES).with(Effect::Refuses));
    let rules =
        TargetRule::for_targets(&BTreeSet::from(Target::OF_POD_SECURITY), &BTreeSet::from(OPERATIONS));
    // Mode monitor discards warnings, and the level privileged denies nothing.
    let only_warns = settings.get("level").is_some_and(|level| level == "privileged");
    let mode = if only_warns { PolicyMode::Protect } else { PolicyMode::Monitor };
    let mut spec = PolicySpec { mode, rules, settings, ..scope };
    spec.background_audit = Some(false);
    // The policy selects Namespaces by their own labels in both ways.
    if let Some(selector) = spec.object_selector.take() {
        let mut both = spec.namespace_selector.take().unwrap_or_default();
        both.narrow(selector);
        spec.namespace_selector = Some(both.into_expressions());
    }
    if !spec.match_conditions.is_empty() {
        spec.match_conditions.clear();
        let problem = "are about requests for Namespaces; write them as a namespaceSelector";
        problems.push(FieldProblem::new("spec.matchConditions", problem).with(Effect::Refuses));
    }
    let listed = |problem| Difference::new(object.document(), title, None, problem);
    Ok(Conversion {
        differences: problems.into_iter().map(listed).collect(),
        notes: Vec::new(),
        manifest: Some(names.manifest(None, POD_SECURITY, spec)),
    })
}
