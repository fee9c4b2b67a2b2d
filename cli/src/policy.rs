//! The policy that judges: a module and what its metadata grants it.

use std::path::{Path, PathBuf};

use packaging::{ExecutionMode, Metadata, PolicyType};
use serde_json::Value;
use text::nearest;
use wapc_host::{DeployedPolicy, Deployment, Host, Resource};

use crate::failure::Failure;
use crate::source::{Name, file};

/// A module that can be deployed: it says how.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) path: PathBuf,
    pub(crate) wasm: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// How the modules are built.
const BUILD: &str = "build the modules with ./justw modules";

/// Loads a module and configures it as its metadata wants to be deployed: with the look-ups that it declares,
/// and with changes if it declares that it makes some.
///
/// # Errors
/// A policy that does not exist, a module that cannot be run, and settings that it does not accept.
pub(crate) fn load(
    policy: &str,
    modules: &Path,
    settings: Value,
    settings_name: &Name,
) -> Result<DeployedPolicy, Failure> {
    let Module { path, wasm, metadata } = read(policy, modules)?;
    let about = |problem: String| Failure::about(path.display(), problem);
    check(&metadata).map_err(|problem| about(problem.to_owned()))?;
    let host = Host::new().map_err(|error| Failure::new(error.to_string()))?;
    let module = host.load(&wasm).map_err(|error| about(error.to_string()))?;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    module.deploy(deployment(id, metadata, settings)).map_err(|error| match error {
        wapc_host::HostError::Settings(problem) => Failure::about(settings_name, problem),
        error => about(error.to_string()),
    })
}

/// Reads a module and what it says about itself.
///
/// # Errors
/// A policy that does not exist, what is no module, and a module without metadata.
pub(crate) fn read(policy: &str, modules: &Path) -> Result<Module, Failure> {
    let path = find(policy, modules)?;
    let wasm = file(&path)?;
    let metadata = Metadata::read(&wasm).map_err(|error| Failure::about(path.display(), error))?;
    let Some(metadata) = metadata else {
        let problem = "carries no metadata, without which no host runs it; add it with portcullis annotate";
        return Err(Failure::about(path.display(), problem));
    };
    Ok(Module { path, wasm, metadata })
}

fn deployment(id: String, metadata: Metadata, settings: Value) -> Deployment {
    let resources = metadata.context_aware_resources.into_iter();
    Deployment {
        settings,
        allowed_to_mutate: metadata.mutating,
        host_capabilities: metadata.host_capabilities,
        context_aware_resources: resources
            .map(|resource| Resource { api_version: resource.api_version, kind: resource.kind })
            .collect(),
        ..Deployment::new(id)
    }
}

fn check(metadata: &Metadata) -> Result<(), &'static str> {
    if metadata.execution_mode != ExecutionMode::KubewardenWapc {
        return Err("its executionMode is not kubewarden-wapc, the only one that can be run here");
    }
    if metadata.policy_type != PolicyType::Kubernetes {
        return Err("its policyType is raw, so it judges no AdmissionRequests");
    }
    Ok(())
}

/// The file of a policy: the argument itself, or a built module with that id.
fn find(policy: &str, modules: &Path) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(policy);
    let extension = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wasm"));
    if extension || path.metadata().is_ok_and(|metadata| !metadata.is_dir()) {
        return Ok(path);
    }
    let built = modules.join(format!("{policy}.wasm"));
    if built.is_file() {
        return Ok(built);
    }
    if rules::find(policy).is_some() {
        let problem = format!("is not built: {} does not exist; {BUILD}", built.display());
        return Err(Failure::about(format!("policy {policy}"), problem));
    }
    let ids = ids(modules);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let advice = match nearest(policy, &ids) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("known are {}", ids.join(", ")),
    };
    let problem = format!("there is no such policy; {advice} (to have all of them, {BUILD})");
    Err(Failure::about(format!("policy {policy}"), problem))
}

/// The ids of all policies of the project, and of whatever else is among the built modules.
fn ids(modules: &Path) -> Vec<String> {
    let mut ids: Vec<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    // A directory that is not there has no modules.
    for entry in std::fs::read_dir(modules).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            ids.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    ids.sort();
    ids.dedup();
    ids
}
