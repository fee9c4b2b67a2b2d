//! Programs that run as long as a test needs them.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time in which something has to happen, even on a busy machine.
const LIMIT: Duration = Duration::from_mins(3);

/// A program that runs in the background. It ends with the value, even if the test fails.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program. Its output goes to the end of a file.
    ///
    /// # Panics
    /// It cannot be started.
    #[must_use]
    pub fn start(command: &mut Command, log: PathBuf) -> Self {
        let name = command.get_program().to_string_lossy().into_owned();
        let file = File::options().create(true).append(true).open(&log).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, child, log }
    }

    /// Waits until the program is ready.
    ///
    /// # Panics
    /// It ends before, or is not ready in three minutes; the message is its log.
    pub fn wait(&mut self, mut is_ready: impl FnMut() -> bool) {
        let since = Instant::now();
        while !is_ready() {
            let has_ended = self.child.try_wait().unwrap().is_some();
            assert!(!has_ended && since.elapsed() < LIMIT, "{} does not start:\n{}", self.name, self.log());
            sleep(Duration::from_millis(100));
        }
    }

    /// Returns what the program has written so far.
    ///
    /// # Panics
    /// Its output is not UTF-8.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits until something is the case.
///
/// # Panics
/// It is not the case in three minutes; the message says `what` is awaited.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < LIMIT, "{what}: did not happen");
        sleep(Duration::from_millis(100));
    }
}

/// Returns free ports of the loopback address, each once in a process. They are below those that
/// systems give to connections, one of which could take a port before a server listens to it.
///
/// # Panics
/// All ports are in use.
#[must_use]
pub fn free_ports<const N: usize>() -> [u16; N] {
    const FIRST: u32 = 10_000;
    const NUMBER: u32 = 20_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Other processes begin elsewhere.
    let start = std::process::id().wrapping_mul(997);
    [(); N].map(|()| {
        let mut ports = (0..NUMBER).map(|_| {
            let next = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
            u16::try_from(FIRST + next % NUMBER).unwrap()
        });
        ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
    })
}
