//! A scan by two sets of policies.

use kubewarden::matching::Installation;
use report::{Comparison, Format, Output};

use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::policy::Engines;
use crate::source::InputReader;

use super::args::ScanArgs;
use super::policies::{self, PolicySet};

/// Checks that a comparison has all formats that are asked for.
pub(super) fn check_formats(outputs: &[Output], what: &str) -> Result<(), Failure> {
    let formats = Comparison::FORMATS.map(|name| name.parse::<Format>().ok());
    if outputs.iter().any(|output| !formats.contains(&Some(output.format))) {
        let names = Comparison::FORMATS.join(", ");
        return Err(Failure::about("--output", format!("{what} can be written only as {names}")));
    }
    Ok(())
}

pub(super) fn load(
    args: &ScanArgs,
    engines: &Engines<'_>,
    installation: &Installation,
    reader: &mut InputReader,
) -> Result<Option<PolicySet>, Failure> {
    if args.compare.is_empty() {
        return Ok(None);
    }
    let settings = SettingsArgs { settings: args.compare_settings.clone(), settings_json: None };
    policies::load(&args.compare, &settings, engines, installation, reader).map(Some)
}
