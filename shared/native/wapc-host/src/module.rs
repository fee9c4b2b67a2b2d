//! A module: compiled once, instantiated for each call.

use std::fmt;
use std::sync::Arc;

use kubernetes::objects::Objects;
use sha2::{Digest, Sha256};
use wasmtime::{Engine, Instance, InstancePre, Store};

use crate::engine::EpochEngine;
use crate::host_calls::Answers;
use crate::instance::CallFailure;
use crate::wapc::Guest;
use crate::{DeployedPolicy, Deployment, HostError, instance, wasi};

/// A compiled module.
#[derive(Clone)]
pub struct Module {
    linked: InstancePre<Guest>,
    /// Keeps the clock running, without which nothing would end an endless loop.
    engine: Arc<EpochEngine>,
    digest: Arc<str>,
}

impl Module {
    pub(crate) fn load(engine: &Arc<EpochEngine>, wasm: &[u8]) -> Result<Self, HostError> {
        let module = wasmtime::Module::from_binary(&engine.engine, wasm)
            .map_err(|error| HostError::Module(format!("{error:#}")))?;
        let mut linker = engine.linker.clone();
        wasi::add_rest_to_linker(&mut linker, &module)
            .and_then(|()| linker.instantiate_pre(&module))
            .map(|linked| Self {
                linked,
                engine: Arc::clone(engine),
                digest: format!("sha256:{:x}", Sha256::digest(wasm)).into(),
            })
            .map_err(|error| HostError::Module(error.to_string()))
    }

    /// Returns the SHA-256 of the module, as registries write it: `sha256:` and hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Deploys the module as a `ClusterAdmissionPolicy` does: asks a new instance whether it
    /// accepts the settings.
    ///
    /// # Errors
    /// Settings that are not an object or that the module refuses, and capabilities that the host
    /// does not have.
    pub fn deploy(&self, deployment: Deployment) -> Result<DeployedPolicy, HostError> {
        DeployedPolicy::new(self.clone(), deployment)
    }

    /// Calls a function of a new instance that is granted no host call, and returns its answer.
    ///
    /// # Errors
    /// A call without an answer, in the policy server's words.
    pub fn call(&self, operation: &str, payload: &[u8]) -> Result<Vec<u8>, CallFailure> {
        let deployment = Arc::new(Deployment::new("call"));
        let cluster = Answers::Objects(Arc::new(Objects::unreachable("this call has no cluster")));
        instance::run(self, &deployment, &cluster, operation, payload).0
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine.engine
    }

    pub(crate) fn instantiate(&self, store: &mut Store<Guest>) -> wasmtime::Result<Instance> {
        self.linked.instantiate(store)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}
