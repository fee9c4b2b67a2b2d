//! A policy with settings, ready to judge.

use std::sync::Arc;

use admission::PolicyEntry;
use admission_review::{AdmissionRequest, AdmissionResponse, ValidationResponse};
use cluster_objects::Objects;
use packaging::{ExecutionMode, Metadata, PolicyType};
use serde_json::{Map, Value};
use wapc_host::{DeployedPolicy, Deployment, Host, HostError, Resource};

use super::granted::GrantedObjects;
use super::module_file::AnnotatedModule;
use crate::failure::Failure;
use crate::source::SourceName;

/// A policy with settings that it has accepted.
#[derive(Debug)]
pub(crate) enum Policy {
    /// A policy that the tool carries.
    Native(&'static PolicyEntry, Deployment),
    /// A module in the embedded host.
    Module(DeployedPolicy),
}

impl Policy {
    /// Deploys a policy that the tool carries.
    ///
    /// # Errors
    /// Settings that the policy rejects.
    pub(crate) fn native(
        entry: &'static PolicyEntry,
        mut deployment: Deployment,
        settings_name: &SourceName,
    ) -> Result<Self, Failure> {
        if deployment.settings.is_null() {
            deployment.settings = Value::Object(Map::new());
        }
        match (entry.check_settings)(deployment.settings.to_string().as_bytes()) {
            Ok(()) => Ok(Self::Native(entry, deployment)),
            Err(error) => Err(Failure::about(settings_name, error)),
        }
    }

    /// Deploys a module as its metadata asks.
    ///
    /// # Errors
    /// A module that cannot run, and settings that it rejects.
    pub(crate) fn of_module(
        module: &AnnotatedModule,
        settings: Option<Value>,
        settings_name: &SourceName,
    ) -> Result<Self, Failure> {
        let id = module.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let resources = module.metadata.context_aware_resources.iter().cloned();
        let deployment = Deployment {
            settings: settings.unwrap_or_default(),
            allowed_to_mutate: module.metadata.mutating,
            host_capabilities: module.metadata.host_capabilities.clone(),
            context_aware_resources: resources
                .map(|resource| Resource { api_version: resource.api_version, kind: resource.kind })
                .collect(),
            ..Deployment::new(id)
        };
        Self::of_deployment(module, deployment, settings_name)
    }

    /// Deploys a module.
    ///
    /// # Errors
    /// A module that cannot run, and settings that it rejects.
    pub(crate) fn of_deployment(
        module: &AnnotatedModule,
        deployment: Deployment,
        settings_name: &SourceName,
    ) -> Result<Self, Failure> {
        let about = |problem: String| Failure::about(module.path.display(), problem);
        check(&module.metadata).map_err(|problem| about(problem.to_owned()))?;
        let host = Host::new().map_err(|error| Failure::new(error.to_string()))?;
        let loaded = host.load(&module.wasm).map_err(|error| about(error.to_string()))?;
        let deployed = loaded.deploy(deployment).map_err(|error| match error {
            HostError::Settings(problem) => Failure::about(settings_name, problem),
            error => about(error.to_string()),
        })?;
        Ok(Self::Module(deployed))
    }

    /// Judges a request.
    pub(crate) fn judge(&self, request: &AdmissionRequest, cluster: &Arc<Objects>) -> AdmissionResponse {
        match self {
            Self::Module(policy) => policy.validate(request, cluster).response,
            Self::Native(entry, deployment) => {
                let objects = GrantedObjects { objects: cluster, deployment };
                let payload = request.payload(&deployment.settings);
                let answer = entry.evaluate(&payload, &objects).to_json();
                let response = match serde_json::from_slice::<ValidationResponse>(&answer) {
                    Ok(answer) => answer.response(request.uid(), request.object()),
                    Err(error) => {
                        let problem = format!("invalid response from policy: {error}");
                        AdmissionResponse::internal_error(request.uid(), &problem)
                    }
                };
                deployment.constrain(response)
            }
        }
    }
}

/// Checks that a module judges admission requests over waPC.
///
/// # Errors
/// Another kind of module.
pub(crate) fn check(metadata: &Metadata) -> Result<(), &'static str> {
    if metadata.execution_mode != ExecutionMode::KubewardenWapc {
        return Err("has an unsupported executionMode; only kubewarden-wapc can be run");
    }
    if metadata.policy_type != PolicyType::Kubernetes {
        return Err("has the policyType raw, so it does not judge AdmissionRequests");
    }
    Ok(())
}
