//! The engine, and the clock that ends what runs too long.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use wasmtime_provider::wasmtime::{Config, Engine};

use crate::{HostError, Module};

/// The WebAssembly engine with its clock.
#[derive(Clone)]
pub struct Host(Arc<EpochEngine>);

/// Shared with the modules: the clock runs for as long as one of them is there.
pub(crate) struct EpochEngine {
    pub(crate) engine: Engine,
    /// Nothing is ever sent: the thread of the clock ends when this is dropped.
    _clock: Sender<()>,
}

/// As in the policy server: time limits are whole seconds.
const TICK: Duration = Duration::from_secs(1);

impl Host {
    /// Starts the engine and its clock, a thread that ends with the host and its modules.
    ///
    /// # Errors
    /// When the platform has no compiler or gives no thread.
    pub fn new() -> Result<Self, HostError> {
        let mut config = Config::new();
        config.epoch_interruption(true);
        let engine = Engine::new(&config).map_err(|error| HostError::Engine(format!("{error:#}")))?;
        let (clock, ended) = mpsc::channel();
        let ticking = engine.clone();
        let tick = move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticking.increment_epoch();
            }
        };
        let thread = thread::Builder::new().name("epochs".to_owned()).spawn(tick);
        thread.map_err(|error| HostError::Engine(error.to_string()))?;
        Ok(Self(Arc::new(EpochEngine { engine, _clock: clock })))
    }

    /// Compiles a module and links it with what the host offers.
    ///
    /// # Errors
    /// What is no WebAssembly, and what imports something else than waPC and WASI.
    pub fn load(&self, wasm: &[u8]) -> Result<Module, HostError> {
        Module::load(&self.0, wasm)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}
