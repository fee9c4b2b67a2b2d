//! The objects of a scan.

use std::path::{Path, PathBuf};

use report::Level;
use scan::{Chart, Files, NamedBy, Patterns, Sources};

use crate::failure::Failure;
use crate::input::find;
use crate::source::InputReader;

use super::args::ScanArgs;

pub(super) const DEFAULT_NAMESPACE: &str = "default";

const REVISION: &str = "git:";

/// Finds the objects to evaluate. Only one argument can be the standard input.
pub(super) fn objects(args: &ScanArgs, reader: &mut InputReader) -> Result<Files, Failure> {
    // Other code reads these.
    let policies = args.policy.iter().map(|choice| &choice.argument);
    let values = args.input.charts.iter().flat_map(|chart| &chart.values);
    let others = args.input.values.iter().chain(&args.input.helm).chain(policies).chain(values);
    others.for_each(|file| reader.note(file));
    args.config.config.iter().for_each(|file| reader.note(&file.to_string_lossy()));
    find(&sources(args), reader)
}

/// Returns the input that the arguments name.
fn sources(args: &ScanArgs) -> Sources {
    Sources {
        paths: args.paths.clone(),
        charts: charts(args),
        kustomizations: args.input.kustomize.clone(),
        exclude: excluded(args),
        other: args.input.other.clone(),
        namespace: namespace(args),
        of_templates: Some(if args.input.strict { Level::Error } else { Level::Warning }),
    }
}

/// Returns other files, with the options of the input.
fn other_files(args: &ScanArgs, paths: Vec<String>) -> Sources {
    Sources { paths, charts: Vec::new(), kustomizations: Vec::new(), ..sources(args) }
}

fn namespace(args: &ScanArgs) -> String {
    args.request.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE).to_owned()
}

fn charts(args: &ScanArgs) -> Vec<Chart> {
    let input = &args.input;
    let chart = |chart: &String| Chart {
        chart: chart.clone(),
        values: input.values.clone(),
        release: input.release.clone(),
        namespace: namespace(args),
        named_by: NamedBy::Argument,
    };
    input.helm.iter().map(chart).chain(input.charts.iter().cloned()).collect()
}

fn excluded(args: &ScanArgs) -> Vec<Patterns> {
    let of_arguments = Patterns {
        source: "--exclude".to_owned(),
        folder: PathBuf::new(),
        applies_outside: true,
        patterns: args.input.exclude.clone(),
    };
    [of_arguments].into_iter().chain(args.input.excluded.clone()).collect()
}

/// Returns the files and folders that are evaluated, as far as they exist, without links.
pub(super) fn folders(args: &ScanArgs) -> Vec<PathBuf> {
    let input = &args.input;
    let charts = input.charts.iter().map(|chart| &chart.chart);
    let all = args.paths.iter().chain(&input.helm).chain(&input.kustomize).chain(charts);
    all.filter_map(|path| Path::new(path).canonicalize().ok()).collect()
}

/// Finds the objects before the change. A revision has the files of the paths that are evaluated,
/// and the charts and folders that are rendered.
pub(super) fn old(args: &ScanArgs, reader: &mut InputReader) -> Result<Option<Files>, Failure> {
    if args.input.old.is_empty() {
        return Ok(None);
    }
    let is_revision = |argument: &&String| argument.starts_with(REVISION);
    let paths: Vec<String> =
        args.input.old.iter().filter(|argument| !is_revision(argument)).cloned().collect();
    let mut files = find(&other_files(args, paths), reader)?;
    for revision in args.input.old.iter().filter_map(|argument| argument.strip_prefix(REVISION)) {
        sources(args).add_revision(&mut files, Path::new("."), revision);
    }
    Ok(Some(files))
}

/// Finds the objects that exist in addition to the input.
pub(super) fn cluster(args: &ScanArgs, reader: &mut InputReader) -> Result<Option<Files>, Failure> {
    if args.input.cluster.is_empty() {
        return Ok(None);
    }
    // The absence of an object can lead to a pass.
    let others = other_files(args, args.input.cluster.clone());
    let all = Sources { of_templates: None, exclude: Vec::new(), ..others };
    find(&all, reader).map(Some)
}
