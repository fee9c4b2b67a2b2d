//! `portcullis annotate`.

use std::process::ExitCode;

use packaging::Metadata;

use crate::args::AnnotateArgs;
use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::source::{Source, read_file};

/// Writes metadata into a module.
///
/// # Errors
/// A file that cannot be read or written, invalid metadata, and a file that is not a module. The
/// output file is then unchanged.
pub(crate) fn annotate(args: &AnnotateArgs) -> Result<ExitCode, Failure> {
    let Source { name, text } = Source::file(&args.metadata)?;
    let metadata = Metadata::from_yaml(&text).map_err(|error| Failure::about(name, error))?;
    let module = packaging::annotate(&read_file(&args.module)?, &metadata)
        .map_err(|error| Failure::about(args.module.display(), error))?;
    replace_file(&args.output, &module)?;
    Ok(ExitCode::SUCCESS)
}
