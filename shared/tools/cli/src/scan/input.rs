//! The objects of a scan.

use std::path::Path;

use scan::{Chart, Files, add_helm, add_kustomize, add_rendered_revision, add_revision};

use crate::failure::Failure;
use crate::input::files;
use crate::source::InputReader;

use super::args::ScanArgs;

pub(super) const DEFAULT_NAMESPACE: &str = "default";

const REVISION: &str = "git:";

/// Finds the objects to evaluate. Only one argument can be the standard input.
pub(super) fn objects(args: &ScanArgs, reader: &mut InputReader) -> Result<Files, Failure> {
    let mut files = files(&args.paths, reader)?;
    // Other code reads these.
    args.input.values.iter().chain(&args.input.helm).chain(&args.policy).for_each(|file| reader.note(file));
    for chart in charts(args) {
        add_helm(&mut files, &chart);
    }
    for folder in &args.input.kustomize {
        add_kustomize(&mut files, folder);
    }
    Ok(files)
}

fn charts(args: &ScanArgs) -> Vec<Chart> {
    let input = &args.input;
    let chart = |chart: &String| Chart {
        chart: chart.clone(),
        values: input.values.clone(),
        release: input.release.clone(),
        namespace: args.request.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE).to_owned(),
    };
    input.helm.iter().map(chart).collect()
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
    let mut files = files(&paths, reader)?;
    for revision in args.input.old.iter().filter_map(|argument| argument.strip_prefix(REVISION)) {
        let input = &args.input;
        let is_rendered = !input.helm.is_empty() || !input.kustomize.is_empty();
        if is_rendered {
            add_rendered_revision(&mut files, revision, &charts(args), &input.kustomize);
        }
        if !is_rendered || !args.paths.is_empty() {
            add_revision(&mut files, Path::new("."), revision, &args.paths);
        }
    }
    Ok(Some(files))
}

/// Finds the objects that exist in addition to the input.
pub(super) fn cluster(args: &ScanArgs, reader: &mut InputReader) -> Result<Option<Files>, Failure> {
    if args.input.cluster.is_empty() { Ok(None) } else { files(&args.input.cluster, reader).map(Some) }
}
