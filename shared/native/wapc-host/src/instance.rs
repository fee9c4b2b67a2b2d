//! One call of one instance.

use std::fmt;
use std::sync::Arc;

use cluster_objects::Objects;
use wapc::WapcHost;
use wasmtime_provider::EpochDeadlines;

use crate::host_calls::{HostCalls, Record};
use crate::{Deployment, Module};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no instance.
    Start(String),
    /// The instance did not answer.
    Call(wapc::errors::Error),
}

impl Failure {
    /// Whether the time was over. The engine tells it from other ends of a call by its text only.
    pub(crate) fn is_timeout(&self) -> bool {
        self.to_string().contains("guest code interrupted, execution deadline exceeded")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start(problem) => f.write_str(problem),
            Failure::Call(error) => error.fmt(f),
        }
    }
}

/// Makes an instance, calls it and drops it: no call sees anything of another.
pub(crate) fn run(
    module: &Module,
    deployment: &Arc<Deployment>,
    cluster: &Arc<Objects>,
    operation: &str,
    payload: &[u8],
) -> (Result<Vec<u8>, Failure>, Record) {
    let host_calls = Arc::new(HostCalls::new(deployment, cluster));
    let answer = start(module, deployment.epochs(), &host_calls)
        .and_then(|instance| instance.call(operation, payload).map_err(Failure::Call));
    (answer, host_calls.take_record())
}

fn start(module: &Module, epochs: u64, host_calls: &Arc<HostCalls>) -> Result<WapcHost, Failure> {
    let deadlines = EpochDeadlines { wapc_init: epochs, wapc_func: epochs };
    let engine = module
        .prepared
        .rehydrate(Some(deadlines))
        .map_err(|error| Failure::Start(format!("cannot build Wasmtime engine: {error}")))?;
    let host_calls = Arc::clone(host_calls);
    let calls = move |_: u64, binding: &str, namespace: &str, operation: &str, payload: &[u8]| {
        host_calls.answer(binding, namespace, operation, payload).map_err(Into::into)
    };
    WapcHost::new(Box::new(engine), Some(Box::new(calls)))
        .map_err(|error| Failure::Start(format!("cannot build Wapc host: {error}")))
}
