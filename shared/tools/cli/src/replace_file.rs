//! Atomic writing of files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use crate::failure::Failure;

/// Writes a file atomically: readers see the old content or the new one, never a part of it. If
/// that fails, an existing file is unchanged. A link stays, and the file that it names is written;
/// so are devices and pipes, which nothing replaces.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace_with(path, &|out| out.write_all(bytes))
}

/// Writes a file as [`replace_file`] does, with what `write` writes.
pub(crate) fn replace_with(path: &Path, write: &WriteFile<'_>) -> Result<(), Failure> {
    replace(path, write)
        .map_err(|error| Failure::about(path.display(), format!("cannot be written: {error}")))
}

type WriteFile<'w> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'w;

fn buffered(file: &mut File, write: &WriteFile<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

fn replace(path: &Path, write: &WriteFile<'_>) -> io::Result<()> {
    let Some(path) = regular_file(path)? else {
        return buffered(&mut OpenOptions::new().append(true).create(true).open(path)?, write);
    };
    // A rename is atomic only within a file system.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = Builder::new();
    builder.prefix(".");
    // As other programs create files: the library keeps its own from all other users.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
    buffered(file.as_file_mut(), write)?;
    file.persist(path).map(drop).map_err(|failed| failed.error)
}

/// Returns the file that a path names, once links are resolved; `None` if it is not a regular file,
/// and for a stream of the tool, such as `/dev/stdout`, whatever it is connected to.
fn regular_file(path: &Path) -> io::Result<Option<PathBuf>> {
    const STREAMS: [&str; 4] = ["/dev/fd", "/dev/stderr", "/dev/stdout", "/proc"];
    if STREAMS.iter().any(|stream| path.starts_with(stream)) {
        return Ok(None);
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => path.canonicalize().map(Some),
        Ok(_) => Ok(None),
        // A link to a file that does not exist creates it.
        Err(_) => Ok(path.symlink_metadata().is_err().then(|| path.to_owned())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        symlink("file", &link).unwrap();
        for text in ["first", "second"] {
            replace_file(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(link.symlink_metadata().unwrap().is_symlink());
        }
    }

    #[test]
    fn a_device_is_written_and_a_directory_refused() {
        replace_file(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let folder = tempfile::tempdir().unwrap();
        assert!(replace_file(folder.path(), b"x").is_err());
        assert!(folder.path().is_dir());
    }
}
