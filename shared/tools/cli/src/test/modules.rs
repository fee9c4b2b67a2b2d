//! The modules of the policies of test files.

use kubewarden::matching::Installation;
use scan::{Engine, Policy};
use serde_json::Value;
use suite::{Modules, Wanted};

use crate::policy::{Engines, deployment};
use crate::source::SourceName;

/// The engines and the installation that the arguments choose.
pub(super) struct ToolModules<'a> {
    pub(super) engines: Engines<'a>,
    pub(super) installation: Installation,
}

impl Modules for ToolModules<'_> {
    fn installation(&self) -> Installation {
        self.installation.clone()
    }

    fn engine(&self, wanted: &Wanted<'_>) -> Engine {
        let deployment = deployment(wanted.policy, wanted.module, wanted.is_mutating);
        if let Some(file) = wanted.file {
            return self.engines.of_file(file, deployment);
        }
        let place = SourceName::new(format!("policy {}", wanted.policy));
        self.engines.of_manifest(&wanted.module.module, &place, deployment)
    }

    fn bare(&self, argument: &str, settings: &Value) -> Result<Policy, String> {
        let named = self.engines.argument(argument);
        let policy = named.and_then(|named| self.engines.bare(argument, named, settings));
        policy.map_err(|failure| failure.to_string())
    }
}
