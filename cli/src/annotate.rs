//! `portcullis annotate`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use packaging::Metadata;

use crate::args::AnnotateArgs;
use crate::failure::Failure;
use crate::source::{Source, file};

/// Writes metadata into a module.
///
/// # Errors
/// Files that cannot be read or written, metadata that is not valid, and what is no module. The output is
/// then as it was.
pub(crate) fn annotate(args: &AnnotateArgs) -> Result<ExitCode, Failure> {
    let metadata = Source::file(&args.metadata)?;
    let name = &metadata.name;
    let metadata = Metadata::from_yaml(&metadata.text).map_err(|error| Failure::about(name, error))?;
    let module = packaging::annotate(&file(&args.module)?, &metadata)
        .map_err(|error| Failure::about(args.module.display(), error))?;
    replace(&args.output, &module)
        .map_err(|error| Failure::about(args.output.display(), format!("cannot be written: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Puts a file into place as a whole, so that nobody ever reads half of it.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
