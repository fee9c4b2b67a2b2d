//! A module: compiled once, instantiated for each call.

use std::fmt;
use std::sync::Arc;

use cluster_objects::Objects;
use wasmtime_provider::wasmtime;
use wasmtime_provider::{ResourceLimits, WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

use crate::engine::EpochEngine;
use crate::{DeployedPolicy, Deployment, HostError, instance};

/// The most memory that an instance may have.
const MEMORY: usize = 64 * 1024 * 1024;

/// A compiled module.
#[derive(Clone)]
pub struct Module {
    pub(crate) prepared: WasmtimeEngineProviderPre,
    /// Without the clock, nothing would end an endless loop.
    _machine: Arc<EpochEngine>,
}

impl Module {
    pub(crate) fn load(engine: &Arc<EpochEngine>, wasm: &[u8]) -> Result<Self, HostError> {
        let module = wasmtime::Module::from_binary(&engine.engine, wasm)
            .map_err(|error| HostError::Module(format!("{error:#}")))?;
        let limits = ResourceLimits { max_memory_size: Some(MEMORY), max_table_elements: None };
        let prepared = WasmtimeEngineProviderBuilder::new()
            .engine(engine.engine.clone())
            .module(module)
            .enable_resource_limits(limits)
            .build_pre()
            .map_err(|error| HostError::Module(error.to_string()))?;
        Ok(Self { prepared, _machine: Arc::clone(engine) })
    }

    /// Makes the module a policy, as a `ClusterAdmissionPolicy` does: asks an instance whether it accepts the
    /// settings.
    ///
    /// # Errors
    /// Settings that are no object or that the module refuses, and capabilities that the host does not have.
    pub fn deploy(&self, deployment: Deployment) -> Result<DeployedPolicy, HostError> {
        DeployedPolicy::new(self.clone(), deployment)
    }

    /// Calls a function of a new instance that is granted nothing, with any bytes.
    ///
    /// # Errors
    /// The host's words for what went wrong.
    pub fn call(&self, operation: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        let nobody = Arc::new(Deployment::new("call"));
        let nothing = Arc::new(Objects::unreachable("this call has no cluster"));
        let (answer, _) = instance::run(self, &nobody, &nothing, operation, payload);
        answer.map_err(|failure| failure.to_string())
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}
