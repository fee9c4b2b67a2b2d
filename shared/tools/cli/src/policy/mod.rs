//! The policy that evaluates: an id, a module, a manifest or a reference to a registry.

mod argument;
mod engines;
mod manifest;
mod module_file;

use kubewarden::matching::Evaluator;
use scan::{Engine, Module};
use serde_json::{Value, json};
use wapc_host::Deployment;

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::registry;
use crate::source::{InputReader, SourceName};
pub(crate) use argument::{PolicyArgument, path_of};
pub(crate) use engines::{Engines, deployment};
pub(crate) use manifest::settings_of;
pub(crate) use module_file::AnnotatedModule;
#[cfg(feature = "registry")]
pub(crate) use module_file::read;

/// Settings and the name of their source; the value is `None` if the user gave none.
pub(crate) type NamedSettings = (Option<Value>, SourceName);

/// Loads the policy that an argument names, with the look-ups and the permission to change objects
/// that its manifest or its metadata declares.
///
/// Settings on the command line replace those of a manifest.
pub(crate) fn load(
    text: &str,
    engines: &Engines<'_>,
    (settings, mut settings_name): NamedSettings,
    reader: &mut InputReader,
) -> Result<(Module, Deployment), Failure> {
    let settings = settings.map(|settings| if settings.is_null() { json!({}) } else { settings });
    let (engine, deployment) = match engines.argument(text)? {
        PolicyArgument::Own(entry) if engines.is_native() => {
            let reads = entry.reads.0.iter().filter(|read| read.how.reads_objects());
            let reads = reads.map(|read| engines::resource(read.api_version, read.kind));
            let deployment = Deployment {
                settings: settings.unwrap_or_else(|| json!({})),
                allowed_to_mutate: entry.mutates,
                context_aware_resources: reads.collect(),
                ..Deployment::new(entry.id)
            };
            (Engine::Native(entry), deployment)
        }
        PolicyArgument::Manifest(file) => {
            let (manifest, place) = manifest::read(file, reader)?;
            let Evaluator::Module(module) = &manifest.evaluator else { return Err(manifest::group(&place)) };
            let mut deployment = deployment(&manifest.name, module, manifest.is_mutating);
            deployment.message.clone_from(&manifest.message);
            match settings {
                Some(settings) => deployment.settings = settings,
                None => settings_name = settings_of(&place),
            }
            (engines.of_manifest(&module.module, &place, deployment.clone()), deployment)
        }
        argument => engines.of_argument(text, argument, &settings.unwrap_or_else(|| json!({})))?,
    };
    let kinds = deployment.context_aware_resources.iter();
    let look_ups = kinds.map(|kind| (kind.api_version.clone(), kind.kind.clone())).collect();
    let module = Module::new(&deployment.settings, engine, look_ups);
    match &module.engine {
        Engine::Refused(problem) => Err(Failure::about(settings_name, problem)),
        Engine::Unavailable(reason) => Err(Failure::new(reason.as_str())),
        Engine::Native(_) | Engine::Deployed { .. } => Ok((module, deployment)),
    }
}

/// Reads the module that an argument names.
fn bare_module(argument: PolicyArgument<'_>, engine: &EngineArgs) -> Result<AnnotatedModule, Failure> {
    match argument {
        PolicyArgument::Own(entry) => module_file::built(entry.id, &engine.modules),
        PolicyArgument::Module(path) => module_file::read_file_of(path),
        PolicyArgument::Reference(reference) => {
            module_file::of_bytes(reference.into(), registry::cached(reference, engine)?)
        }
        PolicyArgument::Manifest(file) => Err(Failure::about(file, "expected a module")),
    }
}
