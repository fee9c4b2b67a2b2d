//! The policy that judges: an id, a module, a manifest or a reference to a registry.

mod argument;
mod deployed;
mod granted;
mod module_file;

use serde_json::Value;
use wapc_host::{Deployment, Resource};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::registry;
use crate::scan;
use crate::source::{InputReader, SourceName};
pub(crate) use argument::{PolicyArgument, REGISTRY};
pub(crate) use deployed::{Policy, check};
#[cfg(feature = "registry")]
pub(crate) use module_file::read;
pub(crate) use module_file::{AnnotatedModule, built, read_file_of};

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
            scan::load_manifest(file, engine, (settings, settings_name), reader)
        }
        module => Policy::of_module(&bare_module(module, engine)?, settings, &settings_name),
    }
}

/// Reads the module that an argument names.
///
/// # Errors
/// A module that cannot be read, and a manifest.
pub(crate) fn bare_module(
    argument: PolicyArgument<'_>,
    engine: &EngineArgs,
) -> Result<AnnotatedModule, Failure> {
    match argument {
        PolicyArgument::Own(entry) => built(entry.id, &engine.modules),
        PolicyArgument::Module(path) => read_file_of(path),
        PolicyArgument::Reference(reference) => {
            module_file::of_bytes(reference.into(), registry::cached(reference, engine)?)
        }
        PolicyArgument::Manifest(file) => Err(Failure::about(file, "expected a module")),
    }
}
