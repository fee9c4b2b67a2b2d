//! `portcullis annotate`.

use std::process::ExitCode;

use kubewarden::packaging::Metadata;

use crate::args::AnnotateArgs;
use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::source::{Source, read_file};

/// The annotation with the documentation of a policy, which `kwctl annotate --usage-path` sets too.
const USAGE: &str = "io.kubewarden.policy.usage";

/// Writes metadata into a module. If that fails, the output file is unchanged.
pub(crate) fn annotate(args: &AnnotateArgs) -> Result<ExitCode, Failure> {
    let Source { name, text } = Source::file(&args.metadata)?;
    let mut metadata = Metadata::from_yaml(&text).map_err(|error| Failure::about(name, error))?;
    if let Some(usage) = &args.usage {
        let Source { name, text } = Source::file(usage)?;
        if text.trim().is_empty() {
            return Err(Failure::about(name, "is empty; expected the documentation of the policy"));
        }
        metadata.annotations.insert(USAGE.to_owned(), text);
    }
    let module = kubewarden::packaging::annotate(&read_file(&args.module)?, &metadata)
        .map_err(|error| Failure::about(args.module.display(), error))?;
    replace_file(&args.output, &module)?;
    Ok(ExitCode::SUCCESS)
}
