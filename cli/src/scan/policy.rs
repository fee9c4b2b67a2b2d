//! Policies for a scan.

use matching::{PolicyManifest, Webhook};
use packaging::Metadata;
use report::{PolicyRef, Severity};
use scan::{Engine, Judge, Module, Policy as ScanPolicy};
use serde_json::{Value, json};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::policy::{AnnotatedModule, NamedSettings, Policy, PolicyArgument, bare_module};
use crate::source::SourceName;

use super::manifest::{DeployedModule, settings_of};

/// The annotations of a policy about itself.
const SEVERITY: &str = "io.kubewarden.policy.severity";
const CATEGORY: &str = "io.kubewarden.policy.category";

/// Loads a policy without a manifest. It is asked about what its own rules name, and protects.
///
/// # Errors
/// A policy that cannot be loaded, and settings that it rejects.
pub(crate) fn bare(
    argument: PolicyArgument<'_>,
    engine: &EngineArgs,
    (settings, settings_name): &NamedSettings,
) -> Result<ScanPolicy, Failure> {
    let settings = settings.clone().filter(|settings| !settings.is_null()).unwrap_or_else(|| json!({}));
    if let PolicyArgument::Own(entry) = argument {
        (entry.check_settings)(settings.to_string().as_bytes())
            .map_err(|error| Failure::about(settings_name, error))?;
        let mut policy = ScanPolicy::of_id(entry.id, &settings)
            .ok_or_else(|| Failure::new(format!("policy {}: has no rules", entry.id)))?;
        if engine.engine == EngineKind::Wasm
            && let Judge::Module(judge) = &mut policy.judge
        {
            let module = bare_module(PolicyArgument::Own(entry), engine)?;
            judge.engine = loaded(Policy::of_module(&module, Some(settings), settings_name)?);
        }
        return Ok(policy);
    }
    let module = bare_module(argument, engine)?;
    let policy = Policy::of_module(&module, Some(settings.clone()), settings_name)?;
    of_metadata(&module, &settings, loaded(policy))
}

/// Returns the policy that the metadata of a module describes.
///
/// # Errors
/// Rules that are not valid.
pub(crate) fn of_metadata(
    module: &AnnotatedModule,
    settings: &Value,
    engine: Engine,
) -> Result<ScanPolicy, Failure> {
    let Metadata { rules, mutating, context_aware_resources, annotations, .. } = &module.metadata;
    let webhook = Webhook::from_spec(&json!({ "rules": rules }))
        .map_err(|error| Failure::about(module.path.display(), format!("the metadata: {error}")))?;
    let resources = context_aware_resources.iter();
    let look_ups = resources.map(|resource| (resource.api_version.clone(), resource.kind.clone()));
    let name = module.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(ScanPolicy {
        reference: PolicyRef {
            name,
            module: module.path.display().to_string(),
            protects: true,
            category: annotations.get(CATEGORY).cloned(),
            severity: annotations.get(SEVERITY).and_then(|text| severity(text)),
            ..PolicyRef::default()
        },
        webhook,
        judge: Judge::Module(Module::new(settings, engine, look_ups.collect())),
        is_mutating: *mutating,
        fails_closed: true,
        message: None,
        warnings: Vec::new(),
    })
}

/// Loads a policy as its manifest deploys it. A module that cannot be loaded makes its verdicts
/// unknown, and the other policies judge.
pub(crate) fn deployed(manifest: PolicyManifest, place: &SourceName, engine: &EngineArgs) -> ScanPolicy {
    let name = manifest.name.clone();
    ScanPolicy::of_manifest(manifest, &mut |module, is_mutating| {
        let deployed = DeployedModule {
            name: &name,
            module,
            settings: module.settings.clone(),
            settings_name: settings_of(place),
            is_mutating,
            // The scan replaces the message itself: it shows the original.
            message: None,
            place,
        };
        deployed.load(engine).map_or_else(|failure| Engine::Unavailable(failure.to_string()), loaded)
    })
}

fn loaded(policy: Policy) -> Engine {
    match policy {
        Policy::Native(entry, _) => Engine::Native(entry),
        Policy::Module(module) => Engine::Deployed(Box::new(module)),
    }
}

/// Reads a severity; `None` if Kubewarden does not know it either.
fn severity(text: &str) -> Option<Severity> {
    serde_json::from_value(Value::from(text)).ok()
}
