//! Audits that evaluate all objects of a dump against a policy, as `portcullis scan` does.

use std::io::{self, Write};
use std::process::ExitCode;

use admission::PolicyEntry;
use report::{FailOn, Format, Options as FormatOptions, Report};
use scan::{Input, Operation, Options, Pods, Scan};
use serde_json::Value;

use crate::args::{DumpArgs, EngineArgs, SettingsArgs, TextOrData};
use crate::failure::Failure;
use crate::policy::{Engines, PolicyArgument};
use crate::source::InputReader;
use crate::stdout::print;
use crate::{input, settings};

use super::policies;

/// Evaluates a dump by a policy of Portcullis, as if its objects were being created. Objects that
/// cannot be read are part of the report, and the others are evaluated.
pub(crate) fn audit(
    entry: &'static PolicyEntry,
    dump: &DumpArgs,
    settings: &SettingsArgs,
    reader: &mut InputReader,
) -> Result<ExitCode, Failure> {
    let settings = settings::read(settings, reader)?;
    let engine = EngineArgs::default();
    let engines = Engines::new(&engine);
    let policy = policies::bare(&engines, entry.id, PolicyArgument::Own(entry), &settings)?;
    // The pods of stored workloads exist, and are evaluated themselves.
    let options = Options { pods: Pods::Off, ..Options::default() };
    let scan = Scan::new(vec![policy], options);
    let cluster = dump.cluster.connect()?;
    let mut input: Box<dyn Input + '_> = match &cluster {
        Some(cluster) => Box::new(cluster.objects(scan.policies(), Operation::Create, None)),
        None => Box::new(input::files(&dump.dump, reader)?),
    };
    let mut look_ups = cluster.as_ref().map(|cluster| cluster.look_ups(None));
    let look_ups = look_ups.as_mut().map(|look_ups| look_ups as &mut dyn Input);
    let report = scan.run(&mut *input, None, look_ups, &mut ());
    let options =
        FormatOptions { colors: true, version: env!("CARGO_PKG_VERSION"), ..FormatOptions::default() };
    print(|out| match dump.output {
        TextOrData::Text => report::write(out, &report, Format::Text, &options),
        TextOrData::Json => report::write(out, &report, Format::Json, &options),
        TextOrData::Yaml => write_yaml(out, &report, &options),
    })?;
    Ok(ExitCode::from(report::exit(&report, FailOn::Warn).status()))
}

/// Writes the report in JSON as YAML, in which texts are escaped.
fn write_yaml(out: &mut dyn Write, report: &Report, options: &FormatOptions<'_>) -> io::Result<()> {
    let mut json = Vec::new();
    report::write(&mut json, report, Format::Json, options)?;
    let value: Value = serde_json::from_slice(&json)?;
    let yaml = manifest::write(&value).ok_or_else(|| io::Error::other("YAML cannot express it"))?;
    out.write_all(yaml.as_bytes())
}
