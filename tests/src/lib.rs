//! The files that the tests need, cases evaluated natively and by modules, the laws that hold for
//! all of them, and the report of tests that cannot run.

#[cfg(feature = "modules")]
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
#[cfg(feature = "modules")]
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use proptest::test_runner::{Config, FileFailurePersistence};
#[cfg(feature = "modules")]
use wapc_host::{Host, HostError, Module};

pub mod api_server;
pub mod chart;
pub mod evaluate;
pub mod kubernetes;
pub mod laws;
pub mod pods;
pub mod process;
pub mod random;
pub mod services;
pub mod webhooks;

/// The time that a module has for a huge request. Other tests bound its instructions; how long they
/// take depends on the machine.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Returns the root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    tests.parent().map(PathBuf::from).unwrap_or(tests)
}

/// Reads a built and annotated module.
///
/// # Errors
/// A module that is not built; the message says how to build it.
pub fn module(id: &str) -> Result<Vec<u8>, String> {
    let path = root().join("target/policies").join(format!("{id}.wasm"));
    std::fs::read(&path)
        .map_err(|error| format!("{}: {error}; build it with ./justw modules", path.display()))
}

/// Returns a module of the project. A program compiles each once.
///
/// # Errors
/// A module that is not built or is not a module.
#[cfg(feature = "modules")]
pub fn compiled(id: &str) -> Result<Module, String> {
    static HOST: LazyLock<Result<Host, HostError>> = LazyLock::new(Host::new);
    static COMPILED: LazyLock<BTreeMap<&str, OnceLock<Result<Module, String>>>> =
        LazyLock::new(|| rules::CATALOG.iter().map(|entry| (entry.id, OnceLock::new())).collect());
    let compile = || {
        let host = HOST.as_ref().map_err(ToString::to_string)?;
        host.load(&module(id)?).map_err(|error| format!("{id}: {error}"))
    };
    COMPILED
        .get(id)
        .map_or_else(|| Err(format!("{id}: is not a policy")), |of_id| of_id.get_or_init(compile).clone())
}

/// Returns whether expectations are to be rewritten, for review: `BLESS=1`.
#[must_use]
pub fn blesses() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Reports on standard error that tests cannot run on this machine: `what` did not run, because
/// `why`.
///
/// The report comes from `scripts/not-run`, as for everything else here that cannot run, and is
/// visible even if all tests pass.
///
/// # Errors
/// `PORTCULLIS_REQUIRE_` with the name is set, or the script does not run.
pub fn not_run(name: &str, what: &str, why: &str) -> Result<(), String> {
    let script = root().join("scripts/not-run");
    match Command::new(&script).args([name, what, why]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{what} did not run, because {why}")),
        Err(error) => Err(format!("{}: {error}", script.display())),
    }
}

/// Returns the configuration of properties: the number of generated inputs that suits a gate, which
/// `PROPTEST_CASES` replaces. Failures are kept next to the source file and tried first the next
/// time.
#[must_use]
pub fn bounded(cases: u32) -> Config {
    let default = Config::default();
    let is_replaced = std::env::var_os("PROPTEST_CASES").is_some();
    let failures = Box::new(FileFailurePersistence::WithSource("proptest-regressions"));
    Config {
        cases: if is_replaced { default.cases } else { cases },
        failure_persistence: Some(failures),
        ..default
    }
}

/// Returns whether a message lists as many of `all` violations as fit, and counts the others.
#[must_use]
pub fn counts_the_rest(message: &str, all: usize) -> bool {
    /// The longest message: 32 KiB.
    const LONGEST: usize = 32 << 10;
    let others = all.saturating_sub(message.lines().count().saturating_sub(1));
    (LONGEST - 500..=LONGEST).contains(&message.len())
        && message.ends_with(&format!("\n… and {others} more violations"))
}
