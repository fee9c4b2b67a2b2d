//! Runs one call of a module and counts instructions.
//!
//! The embedded host cannot count instructions because its provider does not expose the store. This
//! is a second, minimal implementation of waPC: one call, with look-ups answered from a set. It
//! counts the instructions of the guest, not of the host.

use std::sync::Arc;

use kubernetes::objects::{Fetch, Listing, Objects};
use serde_json::Value;
use wasmtime::{
    AsContextMut, Caller, Config, Engine, Error, Extern, Instance, Linker, Memory, Module, OptLevel,
    RegallocAlgorithm, Result, Store,
};

use crate::profile::COUNTER;

/// The cost of a call.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Instructions as Wasmtime counts fuel, from instantiation to the answer.
    pub fuel: u64,
    /// Linear memory at the end, in bytes.
    pub memory: usize,
}

/// A compiled module to measure.
pub struct Meter {
    engine: Engine,
    module: Module,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}

struct Call {
    operation: &'static str,
    payload: Vec<u8>,
    cluster: Arc<Objects>,
    found: Vec<u8>,
    answer: Option<Vec<u8>>,
    error: Option<Vec<u8>>,
}

impl Meter {
    /// Compiles a module.
    ///
    /// # Errors
    /// Bytes that are not a WebAssembly module.
    pub fn new(wasm: &[u8]) -> Result<Self> {
        let mut config = Config::new();
        config.consume_fuel(true);
        // Instructions are those of the module, however it is compiled.
        config.cranelift_opt_level(OptLevel::None);
        config.cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
        let engine = Engine::new(&config)?;
        let module = Module::new(&engine, wasm)?;
        Ok(Self { engine, module })
    }

    /// Calls `validate` on a fresh instance.
    ///
    /// # Errors
    /// A module that traps, fails to look up an object, or answers with an error.
    pub fn validate(&self, payload: Vec<u8>, cluster: &Arc<Objects>) -> Result<(Usage, Vec<u8>)> {
        let (mut store, instance) = self.call(payload, cluster)?;
        let fuel = u64::MAX.saturating_sub(store.get_fuel()?);
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(no_memory)?.data_size(&store);
        match store.into_data() {
            Call { error: Some(error), .. } => Err(Error::msg(String::from_utf8_lossy(&error).into_owned())),
            Call { answer: Some(answer), .. } => Ok((Usage { fuel, memory }, answer)),
            _ => Err(Error::msg("the module did not answer")),
        }
    }

    /// Calls `validate` on a fresh instance and returns its exported counters.
    pub(crate) fn counters(&self, payload: Vec<u8>, cluster: &Arc<Objects>) -> Result<Vec<u64>> {
        let (mut store, instance) = self.call(payload, cluster)?;
        let mut counters = Vec::new();
        while let Some(counter) = instance.get_global(&mut store, &format!("{COUNTER}{}", counters.len())) {
            counters.push(counter.get(&mut store).i64().unwrap_or_default().cast_unsigned());
        }
        Ok(counters)
    }

    fn call(&self, payload: Vec<u8>, cluster: &Arc<Objects>) -> Result<(Store<Call>, Instance)> {
        let operation = "validate";
        let lengths = (i32::try_from(operation.len())?, i32::try_from(payload.len())?);
        let cluster = Arc::clone(cluster);
        let call = Call { operation, payload, cluster, found: Vec::new(), answer: None, error: None };
        let mut store = Store::new(&self.engine, call);
        store.set_fuel(u64::MAX)?;
        let instance = linker(&self.engine)?.instantiate(&mut store, &self.module)?;
        instance.get_typed_func::<(), ()>(&mut store, "wapc_init")?.call(&mut store, ())?;
        let guest_call = instance.get_typed_func::<(i32, i32), i32>(&mut store, "__guest_call")?;
        guest_call.call(&mut store, lengths)?;
        Ok((store, instance))
    }
}

fn linker(engine: &Engine) -> Result<Linker<Call>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("wapc", "__guest_request", |mut caller: Caller<'_, Call>, op: u32, message: u32| {
        let memory = memory(&mut caller)?;
        let (bytes, call) = memory.data_and_store_mut(&mut caller);
        write(bytes, op, call.operation.as_bytes())?;
        write(bytes, message, &call.payload)
    })?;
    linker.func_wrap("wapc", "__guest_response", |mut caller: Caller<'_, Call>, at: u32, length: u32| {
        let answer = read(&mut caller, at, length)?;
        caller.data_mut().answer = Some(answer);
        Ok(())
    })?;
    linker.func_wrap("wapc", "__guest_error", |mut caller: Caller<'_, Call>, at: u32, length: u32| {
        let error = read(&mut caller, at, length)?;
        caller.data_mut().error = Some(error);
        Ok(())
    })?;
    linker.func_wrap(
        "wapc",
        "__host_call",
        |mut caller: Caller<'_, Call>,
         _: u32,
         _: u32,
         _: u32,
         _: u32,
         _: u32,
         _: u32,
         at: u32,
         length: u32| {
            let question = read(&mut caller, at, length)?;
            let call = caller.data_mut();
            call.found = answer(&question, &call.cluster)?;
            Ok(1_u32)
        },
    )?;
    linker.func_wrap("wapc", "__host_response_len", |caller: Caller<'_, Call>| {
        Ok(u32::try_from(caller.data().found.len())?)
    })?;
    linker.func_wrap("wapc", "__host_response", |mut caller: Caller<'_, Call>, at: u32| {
        let memory = memory(&mut caller)?;
        let (bytes, call) = memory.data_and_store_mut(&mut caller);
        write(bytes, at, &call.found)
    })?;
    linker.func_wrap("wapc", "__host_error_len", || 0_u32)?;
    linker.func_wrap("wapc", "__host_error", |_: u32| {})?;
    linker.func_wrap("wapc", "__console_log", |_: u32, _: u32| {})?;
    Ok(linker)
}

/// Answers `get_resource`, or `list_resources_all` if there is no name.
fn answer(question: &[u8], cluster: &Objects) -> Result<Vec<u8>> {
    let question: Value = serde_json::from_slice(question)?;
    let text = |name: &str| question.get(name).and_then(Value::as_str);
    let masks = question.get("field_masks").and_then(Value::as_array).into_iter().flatten();
    let masks: Vec<String> = masks.filter_map(|mask| mask.as_str().map(str::to_owned)).collect();
    let api_version = text("api_version").unwrap_or_default();
    let kind = text("kind").unwrap_or_default();
    let (namespace, field_masks) = (text("namespace"), masks.as_slice());
    let found = match text("name") {
        Some(name) => cluster.fetch(&Fetch { api_version, kind, namespace, name, field_masks }),
        None => cluster.list(&Listing {
            api_version,
            kind,
            namespace,
            label_selector: None,
            field_selector: None,
            field_masks,
        }),
    };
    Ok(found.map_err(|failure| Error::msg(failure.to_string()))?.to_string().into_bytes())
}

fn memory(caller: &mut Caller<'_, Call>) -> Result<Memory> {
    caller.get_export("memory").and_then(Extern::into_memory).ok_or_else(no_memory)
}

fn no_memory() -> Error {
    Error::msg("the module exports no memory")
}

fn read(caller: &mut Caller<'_, Call>, at: u32, length: u32) -> Result<Vec<u8>> {
    let memory = memory(caller)?;
    let mut bytes = vec![0; usize::try_from(length)?];
    memory.read(caller.as_context_mut(), usize::try_from(at)?, &mut bytes)?;
    Ok(bytes)
}

fn write(memory: &mut [u8], at: u32, bytes: &[u8]) -> Result<()> {
    let at = usize::try_from(at)?;
    let end = at.checked_add(bytes.len());
    let place = end.and_then(|end| memory.get_mut(at..end));
    place.ok_or_else(|| Error::msg("the module's buffer is outside its memory"))?.copy_from_slice(bytes);
    Ok(())
}
