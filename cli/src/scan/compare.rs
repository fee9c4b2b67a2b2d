//! A scan by two sets of policies.

use matching::Installation;
use report::{Comparison, Format, Output};

use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::source::InputReader;

use super::args::ScanArgs;
use super::policies::{self, PolicySet};

/// Checks the formats of a scan that compares.
///
/// # Errors
/// As those of [`check_formats`].
pub(super) fn check(args: &ScanArgs) -> Result<(), Failure> {
    if args.compare.is_empty() { Ok(()) } else { check_formats(&args.output.write.output, "--compare") }
}

/// Checks that a comparison has all formats that are asked for.
///
/// # Errors
/// A format that is made for the findings of one scan.
pub(super) fn check_formats(outputs: &[Output], what: &str) -> Result<(), Failure> {
    let formats = Comparison::FORMATS.map(|name| name.parse::<Format>().ok());
    if outputs.iter().any(|output| !formats.contains(&Some(output.format))) {
        let names = Comparison::FORMATS.join(", ");
        return Err(Failure::about("--output", format!("{what} can be written only as {names}")));
    }
    Ok(())
}

/// Loads the policies to compare with, if there are any.
///
/// # Errors
/// As those of [`policies::load`].
pub(super) fn load(
    args: &ScanArgs,
    installation: &Installation,
    reader: &mut InputReader,
) -> Result<Option<PolicySet>, Failure> {
    if args.compare.is_empty() {
        return Ok(None);
    }
    let settings = SettingsArgs { settings: args.compare_settings.clone(), settings_json: None };
    policies::load(&args.compare, &settings, &args.engine, installation, reader).map(Some)
}
