//! The policy that judges: a module, deployed as its metadata asks.

use std::path::{Path, PathBuf};

use packaging::{ExecutionMode, Metadata, PolicyType};
use serde_json::Value;
use text::nearest;
use wapc_host::{DeployedPolicy, Deployment, Host, HostError, Resource};

use crate::failure::Failure;
use crate::source::{SourceName, read_file};

/// A module with metadata.
#[derive(Debug)]
pub(crate) struct AnnotatedModule {
    pub(crate) path: PathBuf,
    pub(crate) wasm: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// How to build the modules.
const BUILD: &str = "build the modules with ./justw modules";

/// Loads a module and deploys it with the look-ups and the permission to mutate that its metadata
/// declares.
///
/// # Errors
/// A policy that does not exist, a module that cannot run, and settings that it rejects.
pub(crate) fn load(
    policy: &str,
    modules: &Path,
    settings: Value,
    settings_name: &SourceName,
) -> Result<DeployedPolicy, Failure> {
    let AnnotatedModule { path, wasm, metadata } = read(policy, modules)?;
    let about = |problem: String| Failure::about(path.display(), problem);
    check(&metadata).map_err(|problem| about(problem.to_owned()))?;
    let host = Host::new().map_err(|error| Failure::new(error.to_string()))?;
    let module = host.load(&wasm).map_err(|error| about(error.to_string()))?;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    module.deploy(deployment(id, metadata, settings)).map_err(|error| match error {
        HostError::Settings(problem) => Failure::about(settings_name, problem),
        error => about(error.to_string()),
    })
}

/// Reads a module and its metadata.
///
/// # Errors
/// A policy that does not exist, a file that is not a module, and a module without metadata.
pub(crate) fn read(policy: &str, modules: &Path) -> Result<AnnotatedModule, Failure> {
    let path = find(policy, modules)?;
    let wasm = read_file(&path)?;
    let metadata = Metadata::read(&wasm).map_err(|error| Failure::about(path.display(), error))?;
    let Some(metadata) = metadata else {
        let problem = "has no metadata, which every host requires; add it with portcullis annotate";
        return Err(Failure::about(path.display(), problem));
    };
    Ok(AnnotatedModule { path, wasm, metadata })
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

/// Checks that the module judges admission requests over waPC.
fn check(metadata: &Metadata) -> Result<(), &'static str> {
    if metadata.execution_mode != ExecutionMode::KubewardenWapc {
        return Err("has an unsupported executionMode; only kubewarden-wapc can be run");
    }
    if metadata.policy_type != PolicyType::Kubernetes {
        return Err("has the policyType raw, so it does not judge AdmissionRequests");
    }
    Ok(())
}

/// Returns the file of a policy: the argument itself, or the built module with that id.
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
    let subject = format!("policy {policy}");
    if rules::find(policy).is_some() {
        let problem = format!("is not built: {} does not exist; {BUILD}", built.display());
        return Err(Failure::about(subject, problem));
    }
    let ids = ids(modules);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let advice = match nearest(policy, &ids) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("known policies are {}", ids.join(", ")),
    };
    Err(Failure::about(subject, format!("does not exist; {advice}")))
}

/// Returns the ids of all policies of the project and of all other built modules.
fn ids(modules: &Path) -> Vec<String> {
    let mut ids: Vec<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    // A directory that does not exist contains no modules.
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
