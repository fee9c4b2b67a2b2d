//! The policy that judges: an id, a module, a manifest or a reference to a registry.

mod argument;
mod deployed;
mod granted;
mod manifest;
mod module_file;
pub(crate) mod scan;

use serde_json::Value;
use wapc_host::{Deployment, Resource};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::registry;
use crate::source::{InputReader, SourceName};
pub(crate) use argument::PolicyArgument;
pub(crate) use deployed::Policy;
use manifest::DeployedModule;
use module_file::AnnotatedModule as Annotated;
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
        PolicyArgument::Manifest(file) => {
            let (manifest, place) = manifest::read(file, reader)?;
            let module = manifest::only_module(&manifest, &place)?;
            let (settings, settings_name) = match settings {
                Some(settings) => (settings, settings_name),
                None => (module.settings.clone(), settings_of(&place)),
            };
            let deployed = DeployedModule {
                name: &manifest.name,
                module,
                settings,
                settings_name,
                is_mutating: manifest.is_mutating,
                message: manifest.message.clone(),
                place: &place,
            };
            deployed.load(engine)
        }
        module => Policy::of_module(&bare_module(module, engine)?, settings, &settings_name),
    }
}

/// The name of the settings of a manifest.
fn settings_of(place: &SourceName) -> SourceName {
    SourceName::new(format!("{place}: spec.settings"))
}

/// Reads the module that an argument names.
///
/// # Errors
/// A module that cannot be read, and a manifest.
fn bare_module(argument: PolicyArgument<'_>, engine: &EngineArgs) -> Result<Annotated, Failure> {
    match argument {
        PolicyArgument::Own(entry) => module_file::built(entry.id, &engine.modules),
        PolicyArgument::Module(path) => module_file::read_file_of(path),
        PolicyArgument::Reference(reference) => {
            module_file::of_bytes(reference.into(), registry::cached(reference, engine)?)
        }
        PolicyArgument::Manifest(file) => Err(Failure::about(file, "expected a module")),
    }
}
