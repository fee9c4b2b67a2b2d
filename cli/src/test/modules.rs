//! The modules of the policies of test files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use matching::Installation;
use scan::{Engine, Judge, Policy};
use serde_json::Value;
use suite::{Modules, Wanted};
use wapc_host::{Deployment, Host, HostError, Module, Resource};

use crate::args::{EngineArgs, EngineKind};
use crate::failure::Failure;
use crate::policy::{AnnotatedModule, PolicyArgument, bare_module, check, read_file_of};
use crate::scan::{DeployedModule, of_metadata, own, settings_of};
use crate::source::SourceName;

/// The engine that the arguments choose. Modules are compiled once.
pub(super) struct ToolModules<'a> {
    args: &'a EngineArgs,
    installation: Installation,
    host: Host,
    loaded: RefCell<BTreeMap<String, Rc<Loaded>>>,
}

/// A compiled module.
struct Loaded {
    annotated: AnnotatedModule,
    module: Module,
}

impl<'a> ToolModules<'a> {
    /// Starts the embedded host.
    ///
    /// # Errors
    /// A host that cannot start.
    pub(super) fn new(args: &'a EngineArgs, installation: Installation) -> Result<Self, Failure> {
        let host = Host::new().map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self { args, installation, host, loaded: RefCell::default() })
    }

    /// Forgets the modules, whose files may have changed.
    pub(super) fn forget(&self) {
        self.loaded.borrow_mut().clear();
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
        let module = self.host.load(&annotated.wasm).map_err(|error| about(error.to_string()))?;
        let loaded = Rc::new(Loaded { annotated, module });
        self.loaded.borrow_mut().insert(key.to_owned(), Rc::clone(&loaded));
        Ok(loaded)
    }
}

impl Modules for ToolModules<'_> {
    fn installation(&self) -> Installation {
        self.installation.clone()
    }

    fn engine(&self, wanted: &Wanted<'_>) -> Engine {
        let carried = own(&wanted.module.module).filter(|_| wanted.file.is_none());
        if let Some(entry) = carried.filter(|_| self.args.engine == EngineKind::Native) {
            return Engine::Native(entry);
        }
        let place = SourceName::new(format!("policy {}", wanted.policy));
        let deployed = DeployedModule {
            name: wanted.policy,
            module: wanted.module,
            settings: wanted.module.settings.clone(),
            settings_name: settings_of(&place),
            is_mutating: wanted.is_mutating,
            message: None,
            place: &place,
        };
        let loaded = match wanted.file {
            Some(file) => self.of_file(file),
            None => self.load(&wanted.module.module, || deployed.module(self.args)),
        };
        match loaded {
            Ok(loaded) => engine(&loaded.module, deployed.granted(&loaded.annotated.metadata)),
            Err(failure) => Engine::Unavailable(failure.to_string()),
        }
    }

    fn bare(&self, argument: &str, settings: &Value) -> Result<Policy, String> {
        self.find(argument, settings).map_err(|failure| failure.to_string())
    }
}

impl ToolModules<'_> {
    fn of_file(&self, file: &Path) -> Result<Rc<Loaded>, Failure> {
        self.load(&file.display().to_string(), || read_file_of(file.to_path_buf()))
    }

    fn find(&self, argument: &str, settings: &Value) -> Result<Policy, Failure> {
        let named = PolicyArgument::of(argument, &self.args.modules)?;
        let id = if let PolicyArgument::Own(entry) = &named { Some(entry.id) } else { None };
        let mut own = match id.map(|id| Policy::of_id(id, settings)) {
            Some(Some(policy)) => Some(policy),
            // Settings that are rejected may have no rules.
            Some(None) => id.and_then(|id| Policy::of_id(id, &Value::Null)),
            None => None,
        };
        if self.args.engine == EngineKind::Native
            && let Some(policy) = own.take()
        {
            return Ok(policy);
        }
        let loaded = self.load(argument, || bare_module(named, self.args))?;
        let metadata = &loaded.annotated.metadata;
        let resources = metadata.context_aware_resources.iter().cloned();
        let deployment = Deployment {
            settings: settings.clone(),
            allowed_to_mutate: metadata.mutating,
            host_capabilities: metadata.host_capabilities.clone(),
            context_aware_resources: resources
                .map(|resource| Resource { api_version: resource.api_version, kind: resource.kind })
                .collect(),
            ..Deployment::new(argument)
        };
        let engine = engine(&loaded.module, deployment);
        match own {
            Some(mut policy) => {
                if let Judge::Module(module) = &mut policy.judge {
                    module.engine = engine;
                }
                Ok(policy)
            }
            None => of_metadata(&loaded.annotated, settings, engine),
        }
    }
}

/// Deploys a module.
fn engine(module: &Module, deployment: Deployment) -> Engine {
    match module.deploy(deployment) {
        Ok(policy) => Engine::Deployed(Box::new(policy)),
        Err(HostError::Settings(problem)) => Engine::Refused(problem),
        Err(error) => Engine::Unavailable(error.to_string()),
    }
}
