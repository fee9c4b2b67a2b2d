//! Options for all manifests.

use crate::{Conversion, PolicyManifest, PolicyMode, controls, kyverno};

/// The notes on manifests that are in mode monitor and would be in mode protect otherwise.
const MONITORS: [&str; 2] = [controls::MONITORS, kyverno::MONITORS];

/// Options for all manifests.
#[derive(Clone, Debug, Default)]
pub struct ManifestOptions {
    /// The mode instead of that of the source.
    ///
    /// Manifests whose level is `privileged` keep mode protect, as mode monitor discards warnings.
    pub mode: Option<PolicyMode>,
    /// The registry and the path of the modules, such as `registry.example.com/policies`.
    pub registry: Option<String>,
    /// The beginning of all names.
    pub name_prefix: String,
    /// Whether some of the input cannot be read, such as an exception. Then a policy may refuse
    /// more than the input, and is in mode monitor.
    pub is_incomplete: bool,
}

/// A note on manifests in mode monitor because of [`ManifestOptions::is_incomplete`].
const INCOMPLETE: &str =
    "A document cannot be read, so that this policy may refuse more than the input. It is in mode monitor.";

impl ManifestOptions {
    /// Applies the options to the manifests of conversions.
    pub fn apply(&self, conversions: &mut [Conversion]) {
        for conversion in conversions {
            let Some(manifest) = &mut conversion.manifest else { continue };
            let before = manifest.spec.mode;
            self.apply_to(manifest);
            if manifest.spec.mode != before {
                conversion.notes.retain(|note| !MONITORS.contains(&note.as_str()));
                conversion.notes.extend(self.mode.is_none().then(|| INCOMPLETE.to_owned()));
            }
        }
    }

    fn apply_to(&self, manifest: &mut PolicyManifest) {
        let spec = &mut manifest.spec;
        // Manifests for background audits alone have no requests to refuse.
        let is_for_requests = spec.background_audit != Some(true);
        let only_warns = ["level", "profile"]
            .into_iter()
            .any(|key| spec.settings.get(key).is_some_and(|level| level == "privileged"))
            && spec.settings.contains_key("warn")
            // The labels of a Namespace can set a level that denies.
            && spec.settings.get("namespaceLabels").is_none_or(|labels| labels != "Honor");
        let mode = self.mode.or(self.is_incomplete.then_some(PolicyMode::Monitor));
        if let Some(mode) = mode.filter(|_| is_for_requests && !only_warns) {
            spec.mode = mode;
        }
        if let Some(registry) = &self.registry {
            spec.module.registry.clone_from(registry);
        }
        manifest.metadata.name.insert_str(0, &self.name_prefix);
    }
}
