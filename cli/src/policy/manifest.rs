//! A policy as a manifest describes it.

use manifest::found;
use matching::{Judge, Module, PolicyKind, PolicyManifest};
use packaging::Metadata;
use serde_json::Value;
use wapc_host::{Deployment, Resource};

use super::argument::{PolicyArgument, own};
use super::deployed::Policy;
use super::module_file::{self, AnnotatedModule};
use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::parse;
use crate::registry;
use crate::source::{InputReader, SourceName};

/// Reads the only policy of a file, with its place. Other objects, such as roles, may stand beside
/// it.
///
/// # Errors
/// A file that cannot be read or does not contain exactly one policy, and a malformed policy.
pub(super) fn read(file: &str, reader: &mut InputReader) -> Result<(PolicyManifest, SourceName), Failure> {
    let source = reader.text(file)?;
    let documents = parse::documents(&source)?;
    let count = documents.len();
    let (policies, others): (Vec<_>, Vec<_>) =
        documents.iter().enumerate().partition(|(_, document)| PolicyKind::of(document).is_some());
    match policies.as_slice() {
        [(index, document)] => {
            let place = source.name.document(*index, count);
            let manifest = PolicyManifest::read(document).map_err(|error| Failure::about(&place, error))?;
            Ok((manifest, place))
        }
        [] => {
            let found = others.first().map_or_else(|| "nothing".to_owned(), |(_, other)| describe(other));
            let problem = format!(
                "expected a policy: a module, a ClusterAdmissionPolicy or an AdmissionPolicy, found {found}; pass the \
                 policy before the objects"
            );
            Err(Failure::about(source.name, problem))
        }
        several => {
            let count = several.len();
            let problem = format!("has {count} policies; pass a file with one, or use portcullis scan");
            Err(Failure::about(source.name, problem))
        }
    }
}

fn describe(document: &Value) -> String {
    match document.get("kind").and_then(Value::as_str) {
        Some(kind) => format!("a {kind}"),
        None => found(document).to_owned(),
    }
}

/// Returns the module of a manifest.
///
/// # Errors
/// A group of policies.
pub(super) fn only_module<'m>(
    manifest: &'m PolicyManifest,
    place: &SourceName,
) -> Result<&'m Module, Failure> {
    match &manifest.judge {
        Judge::Module(module) => Ok(module),
        Judge::Group(_) => {
            Err(Failure::about(place, "is a group of policies; judge with it by portcullis scan"))
        }
    }
}

/// A module as a manifest deploys it.
pub(super) struct DeployedModule<'m> {
    /// The name of the policy.
    pub(super) name: &'m str,
    pub(super) module: &'m Module,
    pub(super) settings: Value,
    pub(super) settings_name: SourceName,
    pub(super) is_mutating: bool,
    pub(super) message: Option<String>,
    /// The place of the manifest.
    pub(super) place: &'m SourceName,
}

impl DeployedModule<'_> {
    /// Loads the policy: natively if the tool carries it in the version of the manifest, and
    /// otherwise by its module.
    ///
    /// # Errors
    /// A module that cannot be loaded, and settings that it rejects.
    pub(super) fn load(&self, engine: &EngineArgs) -> Result<Policy, Failure> {
        match own(&self.module.module) {
            Some(entry) if engine.engine == EngineKind::Native => {
                Policy::native(entry, self.deployment(), &self.settings_name)
            }
            _ => {
                let module = self.module(engine)?;
                Policy::of_deployment(&module, self.granted(&module.metadata), &self.settings_name)
            }
        }
    }

    /// Returns the deployment of the policy, without capabilities of the host.
    fn deployment(&self) -> Deployment {
        let resources = self.module.context_aware_resources.iter().cloned();
        Deployment {
            settings: self.settings.clone(),
            allowed_to_mutate: self.is_mutating,
            message: self.message.clone(),
            context_aware_resources: resources
                .map(|resource| Resource { api_version: resource.api_version, kind: resource.kind })
                .collect(),
            ..Deployment::new(self.name)
        }
    }

    /// Returns the deployment with the capabilities that the module asks for. The policy server
    /// grants capabilities, not the manifest.
    fn granted(&self, metadata: &Metadata) -> Deployment {
        Deployment { host_capabilities: metadata.host_capabilities.clone(), ..self.deployment() }
    }

    /// Reads the module: a built one of the project, a file, or one from the registry.
    fn module(&self, engine: &EngineArgs) -> Result<AnnotatedModule, Failure> {
        let name = &self.module.module;
        if let Some(entry) = own(name)
            && let Ok(module) = module_file::built(entry.id, &engine.modules)
        {
            return Ok(module);
        }
        let read = || match PolicyArgument::of(name, &engine.modules)? {
            PolicyArgument::Module(path) => module_file::read_file_of(path),
            PolicyArgument::Reference(reference) => {
                module_file::of_bytes(reference.into(), registry::cached(reference, engine)?)
            }
            PolicyArgument::Own(_) | PolicyArgument::Manifest(_) => {
                Err(Failure::about(name, "expected registry://, file:// or the path of a module"))
            }
        };
        read().map_err(|failure| Failure::about(self.place, format!("spec.module: {failure}")))
    }
}
