//! Policies for a scan.

use matching::{FailurePolicy, Judge, Mode, PolicyManifest, Webhook};
use packaging::Metadata;
use report::{PolicyRef, Severity};
use scan::{Engine, Policy as ScanPolicy};
use serde_json::{Map, Value, json};

use super::argument::PolicyArgument;
use super::deployed::Policy;
use super::manifest::DeployedModule;
use super::{NamedSettings, bare_module, settings_of};
use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::source::SourceName;

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
    let settings = settings.clone().unwrap_or_default();
    if let PolicyArgument::Own(entry) = argument {
        let object = if settings.is_null() { json!({}) } else { settings.clone() };
        (entry.check_settings)(object.to_string().as_bytes())
            .map_err(|error| Failure::about(settings_name, error))?;
        let mut policy = ScanPolicy::of_id(entry.id, &object)
            .ok_or_else(|| Failure::new(format!("policy {}: has no rules", entry.id)))?;
        if engine.engine == EngineKind::Wasm {
            let module = bare_module(PolicyArgument::Own(entry), engine)?;
            policy.engine = loaded(Policy::of_module(&module, Some(settings), settings_name)?);
        }
        return Ok(policy);
    }
    let module = bare_module(argument, engine)?;
    let Metadata { rules, mutating, context_aware_resources, annotations, .. } = &module.metadata;
    let webhook = Webhook::from_spec(&json!({ "rules": rules }))
        .map_err(|error| Failure::about(module.path.display(), format!("the metadata: {error}")))?;
    let policy = Policy::of_module(&module, Some(settings.clone()), settings_name)?;
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
        settings: object(settings),
        engine: loaded(policy),
        is_mutating: *mutating,
        fails_closed: true,
        message: None,
        look_ups: context_aware_resources
            .iter()
            .map(|resource| (resource.api_version.clone(), resource.kind.clone()))
            .collect(),
        selects_namespaces: false,
    })
}

/// Loads a policy as its manifest deploys it. A module that cannot be loaded makes the policy
/// unavailable, so that its verdicts are unknown and the other policies judge.
pub(crate) fn deployed(manifest: PolicyManifest, place: &SourceName, engine: &EngineArgs) -> ScanPolicy {
    let (module, settings, look_ups, judge) = match &manifest.judge {
        Judge::Module(module) => {
            let deployed = DeployedModule {
                name: &manifest.name,
                module,
                settings: module.settings.clone(),
                settings_name: settings_of(place),
                is_mutating: manifest.is_mutating,
                // The scan replaces the message itself: it shows the original.
                message: None,
                place,
            };
            let judge = match deployed.load(engine) {
                Ok(policy) => loaded(policy),
                Err(failure) => Engine::Unavailable(failure.to_string()),
            };
            let resources = module.context_aware_resources.iter();
            let look_ups = resources.map(|one| (one.api_version.clone(), one.kind.clone())).collect();
            (module.module.clone(), module.settings.clone(), look_ups, judge)
        }
        Judge::Group(group) => {
            let reason = "groups of policies are not judged; scan with their members";
            (group.expression().to_owned(), Value::Null, Vec::new(), Engine::Unavailable(reason.to_owned()))
        }
    };
    ScanPolicy {
        reference: PolicyRef {
            name: manifest.name,
            kind: manifest.kind.to_string(),
            namespace: manifest.namespace,
            module,
            protects: manifest.mode == Mode::Protect,
            category: manifest.annotations.category,
            severity: manifest.annotations.severity.as_deref().and_then(severity),
        },
        webhook: manifest.webhook,
        settings: object(settings),
        engine: judge,
        is_mutating: manifest.is_mutating,
        fails_closed: manifest.failure_policy == FailurePolicy::Fail,
        message: manifest.message,
        look_ups,
        selects_namespaces: true,
    }
}

fn loaded(policy: Policy) -> Engine {
    match policy {
        Policy::Native(entry, _) => Engine::Native(entry),
        Policy::Module(module) => Engine::Module(Box::new(module)),
    }
}

fn object(settings: Value) -> Value {
    if settings.is_null() { Value::Object(Map::new()) } else { settings }
}

/// Reads a severity; `None` if Kubewarden does not know it either.
fn severity(text: &str) -> Option<Severity> {
    serde_json::from_value(Value::from(text)).ok()
}
