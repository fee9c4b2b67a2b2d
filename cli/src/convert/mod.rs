//! `portcullis convert`: manifests for Kubewarden from what others restrict pods with.

mod cel;
mod exception;
mod fields;
mod filter;
mod kyverno;
mod manifest;
mod psa;
mod reach;
mod target;

use std::process::ExitCode;

use crate::args::Convert;
use crate::failure::Failure;

/// The exit status when something is not converted.
const NOT_CONVERTED: u8 = 1;

/// What a reader of a manifest with rules for subresources should know.
const NO_AUDIT: &str = "The audit scanner does not audit what has rules for subresources; add a second policy \
                        without them for background audits.";

/// Converts files and prints the manifests.
///
/// # Errors
/// Whatever cannot be read; nothing is printed then.
pub(crate) fn convert(what: &Convert) -> Result<ExitCode, Failure> {
    let (converted, output) = match what {
        Convert::Kyverno { files, output } => (kyverno::convert(files)?, *output),
        Convert::Psa { file, output } => (vec![psa::convert(file)?], *output),
    };
    manifest::print(&converted, output)?;
    let is_all = converted.iter().all(|converted| converted.missing.is_empty());
    Ok(if is_all { ExitCode::SUCCESS } else { ExitCode::from(NOT_CONVERTED) })
}
