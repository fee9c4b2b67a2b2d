//! Texts as values, and what is wrong with a text as a failure of the tool.

use std::thread;

use manifest::Problem;
use serde_json::Value;

use crate::failure::Failure;
use crate::source::Source;

/// The documents of a source, without empty ones: [`manifest::documents`].
///
/// # Errors
/// Text that is neither JSON nor YAML, and keys that are there twice, with line and column.
pub(crate) fn documents(source: &Source) -> Result<Vec<Value>, Failure> {
    with_room(|| manifest::documents(&source.text)).map_err(|problem| Failure::about(&source.name, problem))
}

/// The only document of a source; `None` if it is empty.
///
/// # Errors
/// As [`documents`], and several documents.
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

/// Does work that is nested as deeply as its input, on a stack that is large enough for the deepest that is
/// read; that of the main thread is small on some systems.
fn with_room<T: Send>(work: impl FnOnce() -> Result<T, Problem> + Send) -> Result<T, Problem> {
    const STACK: usize = 64 * 1024 * 1024;
    let done = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        worker.join().ok()
    });
    let message = || "cannot be read: there is not enough memory".to_owned();
    done.unwrap_or_else(|| Err(Problem { at: None, message: message() }))
}
