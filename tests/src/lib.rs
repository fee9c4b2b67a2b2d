//! The location of the files under test.

use std::path::PathBuf;

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
