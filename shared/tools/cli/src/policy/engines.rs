//! The engines of policies: the rules in this program, and modules in the embedded host.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use admission::PolicyEntry;
use kubewarden::ContextAwareResource;
use kubewarden::matching::Webhook;
use kubewarden::packaging::{ExecutionMode, Metadata, PolicyType};
use report::{PolicyRef, Severity};
use scan::{Engine, Evaluator, Module, Policy};
use serde_json::{Value, json};
use wapc_host::{Deployment, Host, HostError, Resource};

use super::argument::PolicyArgument;
use super::bare_module;
use super::module_file::{AnnotatedModule, built, read_file_of};
use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::source::SourceName;

/// The annotations of a policy about itself.
const OCI_URL: &str = "io.kubewarden.policy.ociUrl";
const VERSION: &str = "io.kubewarden.policy.version";
const SEVERITY: &str = "io.kubewarden.policy.severity";
const CATEGORY: &str = "io.kubewarden.policy.category";

/// The engines that the arguments choose. Modules are compiled once.
pub(crate) struct Engines<'a> {
    args: &'a EngineArgs,
    host: OnceCell<Host>,
    loaded: RefCell<BTreeMap<String, Rc<Loaded>>>,
}

/// A compiled module.
struct Loaded {
    annotated: AnnotatedModule,
    module: wapc_host::Module,
}

impl<'a> Engines<'a> {
    pub(crate) fn new(args: &'a EngineArgs) -> Self {
        Self { args, host: OnceCell::new(), loaded: RefCell::default() }
    }

    /// Forgets the modules, whose files may have changed.
    pub(crate) fn forget(&self) {
        self.loaded.borrow_mut().clear();
    }

    /// Whether this program runs the policies that it carries.
    pub(crate) fn is_native(&self) -> bool {
        self.args.engine == EngineKind::Native
    }

    /// Finds out what an argument names.
    pub(crate) fn argument<'t>(&self, text: &'t str) -> Result<PolicyArgument<'t>, Failure> {
        PolicyArgument::of(text, &self.args.modules)
    }

    /// Returns what runs a module that the manifest at a place names.
    pub(crate) fn of_manifest(&self, module: &str, place: &SourceName, deployment: Deployment) -> Engine {
        match Engine::carried(module) {
            Some(entry) if self.is_native() => Engine::Native(entry).checked(&deployment.settings),
            // As an argument, the same text can name something else.
            _ => self.engine(&format!("spec.module: {module}"), || self.named(module, place), deployment),
        }
    }

    /// Returns what runs the module in a file.
    pub(crate) fn of_file(&self, file: &Path, deployment: Deployment) -> Engine {
        self.engine(&file.display().to_string(), || read_file_of(file.to_path_buf()), deployment)
    }

    fn engine(
        &self,
        key: &str,
        read: impl FnOnce() -> Result<AnnotatedModule, Failure>,
        deployment: Deployment,
    ) -> Engine {
        match self.load(key, read) {
            Ok(loaded) => loaded.engine(deployment),
            Err(failure) => Engine::Unavailable(failure.to_string()),
        }
    }

    /// Returns what runs a module without a manifest, deployed as its metadata asks.
    pub(crate) fn of_argument(
        &self,
        text: &str,
        argument: PolicyArgument<'_>,
        settings: &Value,
    ) -> Result<(Engine, Deployment), Failure> {
        let loaded = self.load(text, || bare_module(argument, self.args))?;
        let deployment = loaded.deployment(settings);
        Ok((loaded.engine(deployment.clone()), deployment))
    }

    /// Returns a policy without a manifest, even if it rejects the settings. It is asked about what
    /// its own rules name, and protects.
    pub(crate) fn bare(
        &self,
        text: &str,
        argument: PolicyArgument<'_>,
        settings: &Value,
    ) -> Result<Policy, Failure> {
        let PolicyArgument::Own(entry) = argument else {
            let loaded = self.load(text, || bare_module(argument, self.args))?;
            let engine = loaded.engine(loaded.deployment(settings));
            return of_metadata(&loaded.annotated, settings, engine);
        };
        let mut policy = Policy::of_id(entry.id, settings)
            .ok_or_else(|| Failure::new(format!("policy {}: has no rules", entry.id)))?;
        if !self.is_native()
            && let Evaluator::Module(module) = &mut policy.evaluator
        {
            (module.engine, _) = self.of_argument(text, argument, settings)?;
        }
        Ok(policy)
    }

    /// Returns a compiled module, which `read` reads if it is not known yet.
    fn load(
        &self,
        key: &str,
        read: impl FnOnce() -> Result<AnnotatedModule, Failure>,
    ) -> Result<Rc<Loaded>, Failure> {
        if let Some(known) = self.loaded.borrow().get(key) {
            return Ok(Rc::clone(known));
        }
        let annotated = read()?;
        let about = |problem: String| Failure::about(annotated.path.display(), problem);
        check(&annotated.metadata).map_err(|problem| about(problem.to_owned()))?;
        let host = if let Some(host) = self.host.get() {
            host
        } else {
            let host = Host::new().map_err(|error| Failure::new(error.to_string()))?;
            self.host.get_or_init(|| host)
        };
        let module = host.load(&annotated.wasm).map_err(|error| about(error.to_string()))?;
        let loaded = Rc::new(Loaded { annotated, module });
        self.loaded.borrow_mut().insert(key.to_owned(), Rc::clone(&loaded));
        Ok(loaded)
    }

    /// Reads the module that a manifest names: a built one of the project, a file, or one from the
    /// registry.
    fn named(&self, name: &str, place: &SourceName) -> Result<AnnotatedModule, Failure> {
        let unbuilt = match Engine::carried(name).map(|entry| built(entry.id, &self.args.modules)) {
            Some(Ok(module)) => return Ok(module),
            Some(Err(failure)) => format!("; {failure}"),
            None => String::new(),
        };
        let read = || match self.argument(name)? {
            PolicyArgument::Own(_) | PolicyArgument::Manifest(_) => {
                Err(Failure::about(name, "expected registry://, file:// or the path of a module"))
            }
            module => bare_module(module, self.args),
        };
        read().map_err(|failure| Failure::about(place, format!("spec.module: {failure}{unbuilt}")))
    }
}

impl Loaded {
    /// Returns the deployment that the metadata asks for.
    fn deployment(&self, settings: &Value) -> Deployment {
        let Metadata { mutating, context_aware_resources, .. } = &self.annotated.metadata;
        deployed(&self.annotated.name(), settings, context_aware_resources, *mutating)
    }

    /// Deploys the module with the capabilities that it asks for: the policy server grants them,
    /// and not the manifest.
    fn engine(&self, deployment: Deployment) -> Engine {
        let AnnotatedModule { path, metadata, .. } = &self.annotated;
        let host_capabilities = metadata.host_capabilities.clone();
        match self.module.deploy(Deployment { host_capabilities, ..deployment }) {
            Ok(policy) => Engine::Deployed { policy: Box::new(policy), twin: twin(metadata) },
            Err(HostError::Settings(problem)) => Engine::Refused(problem),
            Err(error) => Engine::Unavailable(Failure::about(path.display(), error).to_string()),
        }
    }
}

/// Returns how a manifest deploys a module.
pub(crate) fn deployment(
    policy: &str,
    module: &kubewarden::matching::Module,
    is_mutating: bool,
) -> Deployment {
    deployed(policy, &module.settings, &module.context_aware_resources, is_mutating)
}

fn deployed(policy: &str, settings: &Value, kinds: &[ContextAwareResource], is_mutating: bool) -> Deployment {
    let kinds = kinds.iter().map(|kind| resource(&kind.api_version, &kind.kind));
    Deployment {
        settings: settings.clone(),
        allowed_to_mutate: is_mutating,
        context_aware_resources: kinds.collect(),
        ..Deployment::new(policy)
    }
}

pub(super) fn resource(api_version: &str, kind: &str) -> Resource {
    Resource { api_version: api_version.to_owned(), kind: kind.to_owned() }
}

/// Checks that a module evaluates admission requests over waPC.
fn check(metadata: &Metadata) -> Result<(), &'static str> {
    if metadata.execution_mode != ExecutionMode::KubewardenWapc {
        return Err("has an unsupported executionMode; only kubewarden-wapc can be run");
    }
    if metadata.policy_type != PolicyType::Kubernetes {
        return Err("has the policyType raw, so it does not evaluate AdmissionRequests");
    }
    Ok(())
}

/// Returns the policy that the metadata of a module describes.
fn of_metadata(module: &AnnotatedModule, settings: &Value, engine: Engine) -> Result<Policy, Failure> {
    let Metadata { rules, mutating, context_aware_resources, annotations, .. } = &module.metadata;
    let webhook = Webhook::from_spec(&json!({ "rules": rules }))
        .map_err(|error| Failure::about(module.path.display(), format!("the metadata: {error}")))?;
    let resources = context_aware_resources.iter();
    let look_ups = resources.map(|resource| (resource.api_version.clone(), resource.kind.clone()));
    Ok(Policy {
        reference: PolicyRef {
            name: module.name(),
            module: module.path.display().to_string(),
            id: engine.entry().map(|entry| entry.id.to_owned()),
            protects: true,
            category: annotations.get(CATEGORY).cloned(),
            severity: annotations.get(SEVERITY).and_then(|text| severity(text)),
            ..PolicyRef::default()
        },
        webhook,
        evaluator: Evaluator::Module(Module::new(settings, engine, look_ups.collect())),
        is_mutating: *mutating,
        fails_closed: true,
        message: None,
        warnings: Vec::new(),
    })
}

/// Reads a severity; `None` if Kubewarden does not know it either.
fn severity(text: &str) -> Option<Severity> {
    serde_json::from_value(Value::from(text)).ok()
}

/// Returns the policy that a module is, by its metadata, if the tool carries it in this version.
fn twin(Metadata { annotations, .. }: &Metadata) -> Option<&'static PolicyEntry> {
    Engine::carried(&format!("{}:v{}", annotations.get(OCI_URL)?, annotations.get(VERSION)?))
}
