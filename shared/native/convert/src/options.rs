//! Options for all manifests.

use crate::{Conversion, PolicyManifest, PolicyMode};

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
}

impl ManifestOptions {
    /// Applies the options to the manifests of conversions.
    pub fn apply(&self, conversions: &mut [Conversion]) {
        for manifest in conversions.iter_mut().filter_map(|conversion| conversion.manifest.as_mut()) {
            self.apply_to(manifest);
        }
    }

    fn apply_to(&self, manifest: &mut PolicyManifest) {
        let spec = &mut manifest.spec;
        // Manifests for background audits alone have no requests to refuse.
        let is_for_requests = spec.background_audit != Some(true);
        let only_warns = ["level", "profile"]
            .into_iter()
            .any(|key| spec.settings.get(key).is_some_and(|level| level == "privileged"))
            && spec.settings.contains_key("warn");
        if let Some(mode) = self.mode.filter(|_| is_for_requests && !only_warns) {
            spec.mode = mode;
        }
        if let Some(registry) = &self.registry {
            spec.module.registry.clone_from(registry);
        }
        manifest.metadata.name.insert_str(0, &self.name_prefix);
    }
}
