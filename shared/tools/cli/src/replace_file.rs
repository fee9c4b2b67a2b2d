//! Atomic writing of files.

use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

use crate::failure::Failure;

/// Writes a file atomically: readers see the old content or the new one, never a part of it. If
/// that fails, an existing file is unchanged.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes)
        .map_err(|error| Failure::about(path.display(), format!("cannot be written: {error}")))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A rename is atomic only within a file system.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = Builder::new();
    builder.prefix(".");
    // As other programs create files: the library keeps its own from all other users.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|failed| failed.error)
}
