//! The engine, and the clock that interrupts calls that run too long.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine, Linker, OptLevel, RegallocAlgorithm};

use crate::wapc::{self, Guest};
use crate::{HostError, Module, wasi};

/// The WebAssembly engine with its clock.
#[derive(Clone)]
pub struct Host(Arc<EpochEngine>);

/// Shared with the modules, so that the clock runs for as long as one of them exists.
pub(crate) struct EpochEngine {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<Guest>,
    /// Nothing is ever sent: the thread of the clock ends when this is dropped.
    _clock: Sender<()>,
}

/// The length of an epoch. Like the policy server's, time limits are whole seconds.
const TICK: Duration = Duration::from_secs(1);

impl Host {
    /// Starts the engine and its clock, a thread that ends with the host and its modules.
    ///
    /// # Errors
    /// A platform for which there is no compiler or that starts no thread.
    pub fn new() -> Result<Self, HostError> {
        let mut config = Config::new();
        config.epoch_interruption(true);
        // Without optimisation of its own, the compiler takes longer than most requests.
        if cfg!(debug_assertions) {
            config.cranelift_opt_level(OptLevel::None);
            config.cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
        }
        let engine = Engine::new(&config).map_err(|error| HostError::Engine(format!("{error:#}")))?;
        let linker = linker(&engine).map_err(|error| HostError::Engine(format!("{error:#}")))?;
        let (clock, ended) = mpsc::channel();
        let ticking = engine.clone();
        let tick = move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticking.increment_epoch();
            }
        };
        let thread = thread::Builder::new().name("epochs".to_owned()).spawn(tick);
        thread.map_err(|error| HostError::Engine(error.to_string()))?;
        Ok(Self(Arc::new(EpochEngine { engine, linker, _clock: clock })))
    }

    /// Compiles a module and links it with the functions of the host.
    ///
    /// # Errors
    /// Bytes that are not WebAssembly, and a module that imports anything other than waPC and WASI
    /// preview 1.
    pub fn load(&self, wasm: &[u8]) -> Result<Module, HostError> {
        Module::load(&self.0, wasm)
    }
}

fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wapc::add_to_linker(&mut linker)?;
    wasi::add_to_linker(&mut linker)?;
    Ok(linker)
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}
