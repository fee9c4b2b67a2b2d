//! Atomic writing of files.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file atomically: readers see the old content or the new one, never a part of it.
///
/// # Errors
/// The file cannot be written. An existing file is then unchanged.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes)
        .map_err(|error| Failure::about(path.display(), format!("cannot be written: {error}")))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path)?;
    let result = fs::File::create_new(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error says more than an error of the clean-up would.
        drop(fs::remove_file(&temporary));
    }
    result
}

/// Returns a path in the same directory, because a rename is atomic only within a file system.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::other("the path has no file name"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(temporary))
}
