//! Where the tests find what they test.

use std::path::PathBuf;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    tests.parent().map(PathBuf::from).unwrap_or(tests)
}

/// A built and annotated module.
///
/// # Errors
/// When it is not built; the sentence says how to.
pub fn module(id: &str) -> Result<Vec<u8>, String> {
    let path = root().join("target/policies").join(format!("{id}.wasm"));
    std::fs::read(&path)
        .map_err(|error| format!("{}: {error}; build it with ./justw modules", path.display()))
}
