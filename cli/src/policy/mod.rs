//! The policy that judges: an id, a module, a manifest or a reference to a registry.

mod argument;
mod deployed;
mod granted;
mod manifest;
mod module_file;

use serde_json::Value;
use wapc_host::{Deployment, Resource};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::registry;
use crate::source::{InputReader, SourceName};
use argument::{PolicyArgument, own};
pub(crate) use deployed::Policy;
use manifest::PolicyManifest;
#[cfg(feature = "registry")]
pub(crate) use module_file::{AnnotatedModule, read};

/// Settings and the name of their source; the value is `None` if the user gave none.
pub(crate) type NamedSettings = (Option<Value>, SourceName);

/// Loads the policy that an argument names, with the look-ups and the permission to change objects
/// that its manifest or its metadata declares.
///
/// Settings on the command line replace those of a manifest.
///
/// # Errors
/// A policy that does not exist or cannot run, and settings that it rejects.
pub(crate) fn load(
    text: &str,
    engine: &EngineArgs,
    (settings, settings_name): NamedSettings,
    reader: &mut InputReader,
) -> Result<Policy, Failure> {
    match PolicyArgument::of(text, &engine.modules)? {
        PolicyArgument::Own(entry) if engine.engine == EngineKind::Native => {
            let mut deployment = Deployment::new(entry.id);
            deployment.settings = settings.unwrap_or_default();
            deployment.allowed_to_mutate = entry.mutates;
            let reads = entry.reads.0.iter().filter(|read| read.how.reads_objects());
            deployment.context_aware_resources = reads
                .map(|read| Resource { api_version: read.api_version.to_owned(), kind: read.kind.to_owned() })
                .collect();
            Policy::native(entry, deployment, &settings_name)
        }
        PolicyArgument::Own(entry) => {
            let module = module_file::built(entry.id, &engine.modules)?;
            Policy::of_module(&module, settings, &settings_name)
        }
        PolicyArgument::Module(path) => {
            Policy::of_module(&module_file::read_file_of(path)?, settings, &settings_name)
        }
        PolicyArgument::Reference(reference) => {
            let module = module_file::of_bytes(reference.into(), registry::cached(reference, engine)?)?;
            Policy::of_module(&module, settings, &settings_name)
        }
        PolicyArgument::Manifest(file) => {
            let mut manifest = PolicyManifest::read(file, reader)?;
            let settings_name = if let Some(settings) = settings {
                manifest.settings = settings;
                settings_name
            } else {
                SourceName::new(format!("{}: spec.settings", manifest.place))
            };
            match own(&manifest.module) {
                Some(entry) if engine.engine == EngineKind::Native => {
                    Policy::native(entry, manifest.deployment(), &settings_name)
                }
                _ => {
                    let module = manifest.module(engine)?;
                    Policy::of_deployment(&module, manifest.granted(&module.metadata), &settings_name)
                }
            }
        }
    }
}
