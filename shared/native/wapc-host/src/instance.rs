//! One call of one instance.

use std::fmt;
use std::sync::Arc;

use wasmtime::{Error, Store, Trap, TypedFunc};

use crate::host_calls::{Answers, HostCalls, Record};
use crate::wapc::{Exchange, Guest};
use crate::wasi::Exit;
use crate::{Deployment, Module};

/// The functions that prepare an instance, in the order in which they are called where they exist.
const STARTS: [&str; 2] = ["_start", "wapc_init"];

/// The reason why a call has no answer. The texts are those of `wapc` and `wasmtime-provider`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CallFailure {
    /// The instance does not start, for this reason.
    Start(String),
    /// The module fails, with its message or that of the engine.
    Call(String),
    /// The deadline is exceeded.
    Timeout,
}

impl CallFailure {
    /// The text that waPC reports as the failure of the guest.
    pub(crate) fn reason(&self) -> &str {
        match self {
            CallFailure::Start(text) | CallFailure::Call(text) => text,
            CallFailure::Timeout => "guest code interrupted, execution deadline exceeded",
        }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context = match self {
            CallFailure::Start(_) => "cannot build Wapc host: Initialization failed",
            CallFailure::Call(_) | CallFailure::Timeout => "Guest call failure",
        };
        write!(f, "{context}: {}", self.reason())
    }
}

impl std::error::Error for CallFailure {}

/// Makes an instance, calls it and drops it, so that no call sees anything of another.
pub(crate) fn run(
    module: &Module,
    deployment: &Arc<Deployment>,
    answers: &Answers,
    operation: &str,
    payload: &[u8],
) -> (Result<Vec<u8>, CallFailure>, Record) {
    let guest = Guest::new(HostCalls::new(deployment, answers));
    let mut store = Store::new(module.engine(), guest);
    store.limiter(|guest| &mut guest.limits);
    let epochs = deployment.epochs();
    let answer = start(module, epochs, &mut store)
        .map_err(CallFailure::Start)
        .and_then(|function| call(&function, epochs, &mut store, Exchange::new(operation, payload)));
    (answer, store.into_data().into_record())
}

type GuestCall = TypedFunc<(u32, u32), u32>;

fn start(module: &Module, epochs: u64, store: &mut Store<Guest>) -> Result<GuestCall, String> {
    let instance = module.instantiate(&mut *store).map_err(|error| error.to_string())?;
    let call = instance
        .get_typed_func(&mut *store, "__guest_call")
        .map_err(|_| "Guest call function (__guest_call) not exported by wasm module.".to_owned())?;
    for name in STARTS {
        if instance.get_export(&mut *store, name).is_none() {
            continue;
        }
        let function = instance.get_typed_func(&mut *store, name).map_err(|error| error.to_string())?;
        store.set_epoch_deadline(epochs);
        match function.call(&mut *store, ()) {
            Ok(()) => {}
            // The `main` of a program for WASI ends this way.
            Err(error) if error.downcast_ref().is_some_and(Exit::is_success) => {}
            Err(error) if is_interrupt(&error) => {
                return Err(format!(
                    "Initialization failed: {name} init interrupted, execution deadline exceeded"
                ));
            }
            Err(error) => return Err(format!("Initialization failed: {error}")),
        }
    }
    Ok(call)
}

fn call(
    function: &GuestCall,
    epochs: u64,
    store: &mut Store<Guest>,
    exchange: Exchange,
) -> Result<Vec<u8>, CallFailure> {
    let lengths = exchange.lengths();
    store.data_mut().exchange = exchange;
    store.set_epoch_deadline(epochs);
    let success = match function.call(&mut *store, lengths) {
        Ok(status) => status != 0,
        Err(error) if is_interrupt(&error) => return Err(CallFailure::Timeout),
        Err(error) => return Err(CallFailure::Call(error.to_string())),
    };
    let exchange = std::mem::take(&mut store.data_mut().exchange);
    let without_text = match (success, exchange.response) {
        (true, Some(response)) => return Ok(response),
        (true, None) => "No error message OR response set for call success",
        (false, _) => "No error message set for call failure",
    };
    Err(CallFailure::Call(exchange.error.unwrap_or_else(|| without_text.to_owned())))
}

fn is_interrupt(error: &Error) -> bool {
    error.downcast_ref() == Some(&Trap::Interrupt)
}
