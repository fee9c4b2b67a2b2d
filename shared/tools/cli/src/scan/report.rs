//! `portcullis report`: other formats of the reports of scans, and comparisons.

use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use report::{AnyReport, FailOn, Output, Report};

use super::args::{OUTPUT, WriteArgs};
use super::reports::Shown;
use super::{compare, reports};
use crate::failure::Failure;
use crate::outputs;
use crate::source::InputReader;

/// Convert and compare the reports of scans.
///
/// The commands read reports that `portcullis scan` wrote with -o json.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    #[command(subcommand)]
    command: ReportCommand,
}

#[derive(Debug, Subcommand)]
enum ReportCommand {
    Convert(ConvertArgs),
    Diff(DiffArgs),
}

/// Write a report in other formats.
///
/// Exits with status 0 whatever the report says. --fail-on decides which result the report names.
#[derive(Args, Debug)]
struct ConvertArgs {
    /// Report of a scan; `-` reads standard input.
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    report: String,

    #[command(flatten)]
    write: WriteArgs,
}

/// Print the findings that appeared and went between two scans.
///
/// Findings are compared by their fingerprints, which survive changes of lines and names of pods.
/// If a file has policy reports of another program in JSON (openreports.io, wgpolicyk8s.io), the
/// objects that each refuses are compared. Exits with status 0 if none is new, 1 if some are new
/// (--fail-on), and 2 if a report cannot be read, is not all, or has new verdicts that are unknown;
/// with policy reports, any that are unknown.
#[derive(Args, Debug)]
struct DiffArgs {
    /// Report of the earlier scan, or of another program; `-` reads standard input.
    #[arg(value_name = "OLD")]
    old: String,

    /// Report of the later scan, or of another program.
    #[arg(value_name = "NEW")]
    new: String,

    /// Output format, and the file that it is written to. Repeat the option for several; only one
    /// can be without a file. The formats are text, json and markdown. [default: text]
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    output: Vec<Output>,

    /// New findings that fail the comparison.
    #[arg(
        long,
        value_name = "FINDINGS",
        default_value = "warn",
        value_parser = PossibleValuesParser::new(FailOn::NAMES).try_map(|name| name.parse::<FailOn>()),
    )]
    fail_on: FailOn,
}

/// Reads reports and does what the command says.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ReportCommand::Convert(args) => convert(args),
        ReportCommand::Diff(args) => diff(args),
    }
}

/// Reads a report.
fn read(file: &str, reader: &mut InputReader) -> Result<Report, Failure> {
    let source = reader.text(file)?;
    report::read(&source.text).map_err(|error| Failure::about(source.name, error))
}

fn convert(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    outputs::check(&args.write.output, None, OUTPUT)?;
    let mut reader = InputReader::default();
    let report = read(&args.report, &mut reader)?;
    outputs::refuse_inputs(&args.write.output, &|file| reader.has_read(file))?;
    reports::write(&args.write, Shown::Below, &|out, format, options| {
        report::write(out, &report, format, options)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn diff(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let write = WriteArgs { output: args.output.clone(), fail_on: Some(args.fail_on), category: None };
    outputs::check(&write.output, None, OUTPUT)?;
    compare::check_formats(&write.output, "a comparison")?;
    let mut reader = InputReader::default();
    let mut read = |file: &str| {
        let source = reader.text(file)?;
        AnyReport::read(&source.text).map_err(|error| Failure::about(source.name, error))
    };
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    outputs::refuse_inputs(&write.output, &|file| reader.has_read(file))?;
    let comparison = AnyReport::compare(&old, &new);
    reports::write(&write, Shown::Below, &|out, format, options| {
        // Other formats are refused above.
        comparison.write(out, format, options).map(drop)
    })?;
    Ok(ExitCode::from(comparison.exit(args.fail_on).status()))
}
