//! A policy as a manifest describes it.

use admission::PolicyEntry;
use manifest::found;
use matching::{Judge, Module, PolicyKind, PolicyManifest};
use packaging::Metadata;
use serde_json::Value;
use wapc_host::{Deployment, Resource};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::parse;
use crate::policy::{AnnotatedModule, NamedSettings, Policy, PolicyArgument, REGISTRY, bare_module, built};
use crate::source::{InputReader, SourceName};

/// The repositories of the policies that the tool carries; an id follows.
const OWN_REPOSITORIES: &str = "ghcr.io/portcullis/policies/";

/// Loads the only policy of a manifest. Settings on the command line replace those of the manifest.
///
/// # Errors
/// A file that does not contain exactly one policy, a policy that cannot run, and settings that it
/// rejects.
pub(crate) fn load(
    file: &str,
    engine: &EngineArgs,
    (settings, settings_name): NamedSettings,
    reader: &mut InputReader,
) -> Result<Policy, Failure> {
    let (manifest, place) = read(file, reader)?;
    let Judge::Module(module) = &manifest.judge else { return Err(group(&place)) };
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

/// The name of the settings of a manifest.
pub(crate) fn settings_of(place: &SourceName) -> SourceName {
    SourceName::new(format!("{place}: spec.settings"))
}

/// Reads the only policy of a file, with its place. Other objects, such as roles, are skipped.
///
/// # Errors
/// A file that cannot be read or does not contain exactly one policy, and a malformed policy.
fn read(file: &str, reader: &mut InputReader) -> Result<(PolicyManifest, SourceName), Failure> {
    let source = reader.text(file)?;
    let documents = parse::documents(&source)?;
    let count = documents.len();
    for (index, document) in documents.iter().enumerate() {
        cluster_objects::check_items(document)
            .map_err(|problem| Failure::about(source.name.document(index, count), problem))?;
    }
    let (policies, others): (Vec<_>, Vec<_>) =
        documents.iter().enumerate().partition(|(_, document)| PolicyKind::of(document).is_some());
    match policies.as_slice() {
        [(index, document)] => {
            let place = source.name.document(*index, count);
            if let Some(PolicyKind::ClusterAdmissionPolicyGroup | PolicyKind::AdmissionPolicyGroup) =
                PolicyKind::of(document)
            {
                return Err(group(&place));
            }
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

fn group(place: &SourceName) -> Failure {
    Failure::about(place, "is a group of policies; judge with it by portcullis scan")
}

/// A module as a manifest deploys it.
pub(crate) struct DeployedModule<'m> {
    /// The name of the policy.
    pub(crate) name: &'m str,
    pub(crate) module: &'m Module,
    pub(crate) settings: Value,
    pub(crate) settings_name: SourceName,
    pub(crate) is_mutating: bool,
    pub(crate) message: Option<String>,
    /// The place of the manifest.
    pub(crate) place: &'m SourceName,
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
    pub(crate) fn granted(&self, metadata: &Metadata) -> Deployment {
        Deployment { host_capabilities: metadata.host_capabilities.clone(), ..self.deployment() }
    }

    /// Reads the module: a built one of the project, a file, or one from the registry.
    ///
    /// # Errors
    /// A module that cannot be read.
    pub(crate) fn module(&self, engine: &EngineArgs) -> Result<AnnotatedModule, Failure> {
        let name = &self.module.module;
        if let Some(entry) = own(name)
            && let Ok(module) = built(entry.id, &engine.modules)
        {
            return Ok(module);
        }
        let read = || match PolicyArgument::of(name, &engine.modules)? {
            PolicyArgument::Own(_) | PolicyArgument::Manifest(_) => {
                Err(Failure::about(name, "expected registry://, file:// or the path of a module"))
            }
            module => bare_module(module, engine),
        };
        read().map_err(|failure| Failure::about(self.place, format!("spec.module: {failure}")))
    }
}

/// Returns the policy that a reference names, if the tool carries it in this version.
pub(crate) fn own(reference: &str) -> Option<&'static PolicyEntry> {
    let reference = reference.strip_prefix(REGISTRY).unwrap_or(reference);
    let (id, tag) = reference.strip_prefix(OWN_REPOSITORIES)?.split_once(':')?;
    let this_version = tag.strip_prefix('v') == Some(env!("CARGO_PKG_VERSION"));
    rules::find(id).filter(|_| this_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_version_of_an_own_policy_is_carried() {
        let version = env!("CARGO_PKG_VERSION");
        for (reference, id) in [
            (format!("registry://ghcr.io/portcullis/policies/selinux:v{version}"), Some("selinux")),
            (format!("ghcr.io/portcullis/policies/node-pods:v{version}"), Some("node-pods")),
            ("registry://ghcr.io/portcullis/policies/selinux:v0.0.1".to_owned(), None),
            (format!("registry://ghcr.io/portcullis/policies/selinux:{version}"), None),
            (format!("registry://ghcr.io/portcullis/policies/other:v{version}"), None),
            (format!("registry://ghcr.io/other/policies/selinux:v{version}"), None),
            ("ghcr.io/portcullis/policies/selinux".to_owned(), None),
        ] {
            assert_eq!(own(&reference).map(|entry| entry.id), id, "{reference}");
        }
    }
}
