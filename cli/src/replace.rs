//! Writing a file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Puts a file into place as a whole, so that nobody ever reads half of it.
///
/// # Errors
/// When it cannot be written; what was there is then as it was.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    written(path, bytes)
        .map_err(|error| Failure::about(path.display(), format!("cannot be written: {error}")))
}

fn written(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = draft(path)?;
    let written = fs::File::create_new(&draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // What the first error says is more than what a second one could.
        drop(fs::remove_file(&draft));
    }
    written
}

/// A name beside the file, as only within one file system a file can be moved as a whole.
fn draft(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no name of a file"))?;
    let mut draft = std::ffi::OsString::from(".");
    draft.push(name);
    draft.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(draft))
}
