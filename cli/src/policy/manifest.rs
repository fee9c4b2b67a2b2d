//! A policy as a manifest describes it.

use manifest::found;
use packaging::{ContextAwareResource, Metadata};
use serde::Deserialize;
use serde_json::Value;
use wapc_host::{Deployment, Resource};

use super::argument::{PolicyArgument, own};
use super::module_file::{self, AnnotatedModule};
use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::parse;
use crate::registry;
use crate::source::{InputReader, SourceName};

/// The API group of Kubewarden's policies.
const GROUP: &str = "policies.kubewarden.io/";

/// What a manifest says about judging. Rules, selectors and conditions choose the requests, and
/// `mode` what happens to a denial; neither changes a verdict.
#[derive(Debug)]
pub(super) struct PolicyManifest {
    /// The file and the document.
    pub(super) place: SourceName,
    pub(super) name: String,
    pub(super) module: String,
    pub(super) settings: Value,
    mutating: bool,
    message: Option<String>,
    context_aware_resources: Vec<ContextAwareResource>,
}

#[derive(Deserialize)]
struct Fields {
    metadata: Named,
    spec: Spec,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The part of the specification that matters here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    module: String,
    #[serde(default)]
    settings: Value,
    #[serde(default)]
    mutating: bool,
    message: Option<String>,
    #[serde(default)]
    context_aware_resources: Option<Vec<ContextAwareResource>>,
}

impl PolicyManifest {
    /// Reads the only policy of a file. Other objects, such as roles, may stand beside it.
    ///
    /// # Errors
    /// A file that cannot be read or does not contain exactly one policy, and a malformed policy.
    pub(super) fn read(file: &str, reader: &mut InputReader) -> Result<Self, Failure> {
        let source = reader.text(file)?;
        let documents = parse::documents(&source)?;
        let count = documents.len();
        let mut policies = Vec::new();
        let mut others = Vec::new();
        for (index, document) in documents.into_iter().enumerate() {
            let of_kubewarden = document.get("apiVersion").and_then(Value::as_str);
            let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default();
            if of_kubewarden.is_some_and(|version| version.starts_with(GROUP)) {
                match kind {
                    "ClusterAdmissionPolicy" | "AdmissionPolicy" => {
                        policies.push((source.name.document(index, count), document));
                    }
                    "ClusterAdmissionPolicyGroup" | "AdmissionPolicyGroup" => {
                        let problem = "is a group of policies; judge with it by portcullis scan";
                        return Err(Failure::about(source.name.document(index, count), problem));
                    }
                    _ => others.push(kind.to_owned()),
                }
            } else if kind.is_empty() {
                others.push(found(&document).to_owned());
            } else {
                others.push(format!("a {kind}"));
            }
        }
        let mut policies = policies.into_iter();
        match (policies.next(), policies.len()) {
            (Some((place, document)), 0) => Self::of_document(place, document),
            (Some(_), more) => {
                let count = more.saturating_add(1);
                let problem = format!("has {count} policies; pass a file with one, or use portcullis scan");
                Err(Failure::about(source.name, problem))
            }
            (None, _) => {
                let found = others.first().map_or("nothing", String::as_str);
                let problem = format!(
                    "expected a policy: a module, a ClusterAdmissionPolicy or an AdmissionPolicy, found {found}; pass \
                     the policy before the objects"
                );
                Err(Failure::about(source.name, problem))
            }
        }
    }

    fn of_document(place: SourceName, document: Value) -> Result<Self, Failure> {
        let Fields { metadata, spec } = serde_path_to_error::deserialize(document)
            .map_err(|error| Failure::about(&place, format!("{}: {}", error.path(), error.inner())))?;
        if !matches!(spec.settings, Value::Object(_) | Value::Null) {
            let problem =
                format!("spec.settings: expected an object with settings, found {}", found(&spec.settings));
            return Err(Failure::about(place, problem));
        }
        Ok(Self {
            place,
            name: metadata.name,
            module: spec.module,
            settings: spec.settings,
            mutating: spec.mutating,
            message: spec.message,
            context_aware_resources: spec.context_aware_resources.unwrap_or_default(),
        })
    }

    /// Returns the deployment of the policy, without capabilities of the host.
    pub(super) fn deployment(&self) -> Deployment {
        let resources = self.context_aware_resources.iter().cloned();
        Deployment {
            settings: self.settings.clone(),
            allowed_to_mutate: self.mutating,
            message: self.message.clone(),
            context_aware_resources: resources
                .map(|resource| Resource { api_version: resource.api_version, kind: resource.kind })
                .collect(),
            ..Deployment::new(self.name.clone())
        }
    }

    /// Returns the deployment with the capabilities that the module asks for. The policy server
    /// grants capabilities, not the manifest.
    pub(super) fn granted(&self, metadata: &Metadata) -> Deployment {
        Deployment { host_capabilities: metadata.host_capabilities.clone(), ..self.deployment() }
    }

    /// Reads the module: a built one of the project, a file, or one from the registry.
    ///
    /// # Errors
    /// A module that cannot be read.
    pub(super) fn module(&self, engine: &EngineArgs) -> Result<AnnotatedModule, Failure> {
        if let Some(entry) = own(&self.module)
            && let Ok(module) = module_file::built(entry.id, &engine.modules)
        {
            return Ok(module);
        }
        let about = |problem: String| Failure::about(&self.place, format!("spec.module: {problem}"));
        let argument = PolicyArgument::of(&self.module, &engine.modules);
        match argument.map_err(|failure| about(failure.to_string()))? {
            PolicyArgument::Module(path) => module_file::read_file_of(path),
            PolicyArgument::Reference(reference) => registry::cached(reference, engine)
                .and_then(|wasm| module_file::of_bytes(reference.into(), wasm)),
            PolicyArgument::Own(_) | PolicyArgument::Manifest(_) => {
                Err(Failure::new("expected registry://, file:// or the path of a module"))
            }
        }
        .map_err(|failure| about(failure.to_string()))
    }
}
