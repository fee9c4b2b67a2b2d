//! The arguments of `portcullis report`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use report::{FailOn, Output};

use crate::scan::args::{WriteArgs, output};

/// Convert and compare the reports of scans.
///
/// The commands read reports that `portcullis scan` wrote with -o json.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    #[command(subcommand)]
    pub(super) command: ReportCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ReportCommand {
    Convert(ConvertArgs),
    Diff(DiffArgs),
}

/// Write a report in other formats.
///
/// Exits with status 0 whatever the report says. --fail-on decides which result the report names.
#[derive(Args, Debug)]
pub(super) struct ConvertArgs {
    /// Report of a scan; `-` reads standard input.
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(super) report: String,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// Print the findings that appeared and went between two scans.
///
/// Findings are compared by their fingerprints, which survive changes of lines and names of pods.
/// Exits with status 0 if none is new, 1 if some are new (--fail-on), and 2 if a report cannot be
/// read, is not all, or has new verdicts that are unknown.
#[derive(Args, Debug)]
pub(super) struct DiffArgs {
    /// Report of the earlier scan; `-` reads standard input.
    #[arg(value_name = "OLD")]
    pub(super) old: String,

    /// Report of the later scan.
    #[arg(value_name = "NEW")]
    pub(super) new: String,

    /// Output format, and the file that it is written to. Repeat the option for several; only one
    /// can be without a file. The formats are text, json and markdown. [default: text]
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = output)]
    pub(super) output: Vec<Output>,

    /// New findings that fail the comparison.
    #[arg(
        long,
        value_name = "FINDINGS",
        default_value = "warn",
        value_parser = PossibleValuesParser::new(FailOn::NAMES).try_map(|name| name.parse::<FailOn>()),
    )]
    pub(super) fail_on: FailOn,
}
