//! The waPC protocol: the functions that a module imports from `wapc`, and what it exchanges
//! through them.
//!
//! Follows the crates `wapc` 2.2 and `wasmtime-provider` 2.25, on which Kubewarden's policy
//! evaluator is built, with two exceptions: an address outside the guest's memory ends the call
//! with a trap instead of a panic of the host, and text for the console is kept with the logs of
//! the policy.

use wasmtime::{Caller, Linker, Result, StoreLimits, StoreLimitsBuilder};

use crate::host_calls::{HostCalls, Record};
use crate::memory::GuestMemory;
use crate::wasi::Wasi;

/// The name of the module that guests import the protocol from.
const WAPC: &str = "wapc";

/// The most bytes that one memory of an instance can have.
const MEMORY_LIMIT: usize = 64 * 1024 * 1024;

/// The host's side of one instance.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) exchange: Exchange,
    wasi: Wasi,
    pub(crate) limits: StoreLimits,
    host_calls: HostCalls,
}

/// One call of a guest: what it was asked, what it answered, and the host's answer to its latest
/// question.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    operation: String,
    payload: Vec<u8>,
    pub(crate) response: Option<Vec<u8>>,
    pub(crate) error: Option<String>,
    host_answer: Option<Result<Vec<u8>, String>>,
}

impl Guest {
    pub(crate) fn new(host_calls: HostCalls) -> Self {
        Self {
            exchange: Exchange::default(),
            wasi: Wasi::default(),
            limits: StoreLimitsBuilder::new().memory_size(MEMORY_LIMIT).build(),
            host_calls,
        }
    }

    /// Returns the host calls and log entries of the guest; lines that it printed come last.
    pub(crate) fn into_record(self) -> Record {
        let mut record = self.host_calls.into_record();
        record.logs.extend(self.wasi.printed().map(Into::into));
        record
    }
}

impl AsMut<Wasi> for Guest {
    fn as_mut(&mut self) -> &mut Wasi {
        &mut self.wasi
    }
}

impl Exchange {
    pub(crate) fn new(operation: &str, payload: &[u8]) -> Self {
        Self { operation: operation.to_owned(), payload: payload.to_vec(), ..Self::default() }
    }

    /// The lengths of operation and payload, which are the arguments of `__guest_call`.
    pub(crate) fn lengths(&self) -> (u32, u32) {
        (len(self.operation.as_bytes()), len(&self.payload))
    }

    fn host_response(&self) -> &[u8] {
        self.host_answer.as_ref().and_then(|answer| answer.as_deref().ok()).unwrap_or_default()
    }

    fn host_error(&self) -> &[u8] {
        let error = self.host_answer.as_ref().and_then(|answer| answer.as_ref().err());
        error.map(String::as_bytes).unwrap_or_default()
    }
}

/// A length as guests know it. More than they can address does not fit into their memory, which
/// ends the call.
fn len(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Defines the functions of the protocol.
pub(crate) fn add_to_linker(linker: &mut Linker<Guest>) -> Result<()> {
    type Host<'h> = Caller<'h, Guest>;
    linker.func_wrap(WAPC, "__guest_request", |mut host: Host, operation: u32, payload: u32| {
        let (mut memory, Guest { exchange, .. }) = GuestMemory::of(&mut host)?;
        memory.write(payload, &exchange.payload)?;
        memory.write(operation, exchange.operation.as_bytes())
    })?;
    linker.func_wrap(WAPC, "__guest_response", |mut host: Host, address: u32, len: u32| {
        let (memory, Guest { exchange, .. }) = GuestMemory::of(&mut host)?;
        exchange.response = Some(memory.read(address, len)?.to_vec());
        Ok(())
    })?;
    linker.func_wrap(WAPC, "__guest_error", |mut host: Host, address: u32, len: u32| {
        let (memory, Guest { exchange, .. }) = GuestMemory::of(&mut host)?;
        exchange.error = Some(memory.read_text("guest_error_func", address, len)?.to_owned());
        Ok(())
    })?;
    linker.func_wrap(WAPC, "__host_call", host_call)?;
    linker.func_wrap(WAPC, "__host_response", |mut host: Host, address: u32| {
        let (mut memory, Guest { exchange, .. }) = GuestMemory::of(&mut host)?;
        memory.write(address, exchange.host_response())
    })?;
    linker.func_wrap(WAPC, "__host_response_len", |host: Host| len(host.data().exchange.host_response()))?;
    linker.func_wrap(WAPC, "__host_error", |mut host: Host, address: u32| {
        let (mut memory, Guest { exchange, .. }) = GuestMemory::of(&mut host)?;
        memory.write(address, exchange.host_error())
    })?;
    linker.func_wrap(WAPC, "__host_error_len", |host: Host| len(host.data().exchange.host_error()))?;
    linker.func_wrap(WAPC, "__console_log", |mut host: Host, address: u32, len: u32| {
        let (memory, Guest { host_calls, .. }) = GuestMemory::of(&mut host)?;
        host_calls.log(memory.read_text("console_log", address, len)?.into());
        Ok(())
    })?;
    Ok(())
}

/// Answers a question of the guest; returns 1 for a response and 0 for an error.
#[expect(clippy::too_many_arguments, reason = "the signature is the protocol's")]
fn host_call(
    mut host: Caller<'_, Guest>,
    binding: u32,
    binding_len: u32,
    namespace: u32,
    namespace_len: u32,
    operation: u32,
    operation_len: u32,
    payload: u32,
    payload_len: u32,
) -> Result<u32> {
    let (memory, Guest { exchange, host_calls, .. }) = GuestMemory::of(&mut host)?;
    let answer = host_calls.answer(
        memory.read_text("host_call: binding", binding, binding_len)?,
        memory.read_text("host_call: namespace", namespace, namespace_len)?,
        memory.read_text("host_call: operation", operation, operation_len)?,
        memory.read(payload, payload_len)?,
    );
    let answered = answer.is_ok();
    exchange.host_answer = Some(answer);
    Ok(answered.into())
}
