//! `portcullis annotate`.

use std::process::ExitCode;

use packaging::Metadata;

use crate::args::AnnotateArgs;
use crate::failure::Failure;
use crate::replace::replace;
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
    replace(&args.output, &module)?;
    Ok(ExitCode::SUCCESS)
}
