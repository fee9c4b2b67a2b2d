//! JSON and YAML documents of a source.

use std::thread;

use manifest::Problem;
use serde_json::Value;

use crate::failure::Failure;
use crate::source::Source;

/// Parses the documents of a source, without empty ones; see [`manifest::documents`]. Duplicate
/// keys are an error.
pub(crate) fn documents(source: &Source) -> Result<Vec<Value>, Failure> {
    with_large_stack(|| manifest::documents(&source.text))
        .map_err(|problem| Failure::about(&source.name, problem))
}

/// Parses the only document of a source; `None` if the source is empty.
pub(crate) fn document(source: &Source) -> Result<Option<Value>, Failure> {
    let mut documents = documents(source)?;
    if documents.len() > 1 {
        return Err(Failure::about(
            &source.name,
            format!("expected one document, found {}", documents.len()),
        ));
    }
    Ok(documents.pop())
}

/// Runs a parser that recurses as deeply as its input is nested, on a stack that is large enough
/// for the deepest input it accepts. On some systems, the stack of the main thread is small.
fn with_large_stack<T: Send>(parse: impl FnOnce() -> Result<T, Problem> + Send) -> Result<T, Problem> {
    const STACK: usize = 64 * 1024 * 1024;
    let result = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parse).ok()?;
        worker.join().ok()
    });
    result.unwrap_or_else(|| Err(Problem::new(None, "cannot be read: not enough memory")))
}
