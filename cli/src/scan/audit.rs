//! Audits that judge all objects of a dump by a policy, as `portcullis scan` does.

use std::process::ExitCode;

use admission::PolicyEntry;
use report::{FailOn, Format, Options as FormatOptions};
use scan::{Files, Options, Pods, Scan};

use crate::args::{DumpArgs, EngineArgs, SettingsArgs, TextOrData};
use crate::failure::Failure;
use crate::policy::PolicyArgument;
use crate::settings;
use crate::source::InputReader;
use crate::stdout::print;

use super::policy;

/// Judges a dump by a policy of Portcullis, as if its objects were being created.
///
/// # Errors
/// Settings that cannot be read or are not valid. Objects that cannot be read are part of the
/// report, and the others are judged.
pub(crate) fn audit(
    entry: &'static PolicyEntry,
    dump: &DumpArgs,
    settings: &SettingsArgs,
    reader: &mut InputReader,
) -> Result<ExitCode, Failure> {
    let settings = settings::read(settings, reader)?;
    let engine = EngineArgs::default();
    let policy = policy::bare(PolicyArgument::Own(entry), &engine, &settings)?;
    for argument in &dump.dump {
        reader.claim(argument)?;
    }
    let mut files = Files::of_arguments(&dump.dump);
    // The pods of stored workloads exist, and are judged themselves.
    let options = Options { pods: Pods::Off, ..Options::default() };
    let report = Scan::new(vec![policy], options).run(&mut files, None, None, &mut ());
    let format = match dump.output {
        TextOrData::Text => Format::Text,
        TextOrData::Json => Format::Json,
        TextOrData::Yaml => Format::Yaml,
    };
    let options =
        FormatOptions { colors: true, version: env!("CARGO_PKG_VERSION"), ..FormatOptions::default() };
    print(|out| report::write(out, &report, format, &options))?;
    Ok(ExitCode::from(report::exit(&report, FailOn::Deny).status()))
}
