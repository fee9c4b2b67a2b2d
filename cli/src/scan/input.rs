//! The objects of a scan.

use scan::{Files, add_helm, add_kustomize, add_revision};

use crate::failure::Failure;
use crate::source::InputReader;

use super::args::ScanArgs;

/// The namespace of objects that name none.
pub(super) const DEFAULT_NAMESPACE: &str = "default";

/// The prefix of revisions.
const REVISION: &str = "git:";

/// Finds the objects to judge.
///
/// # Errors
/// The standard input, if something else reads it too.
pub(super) fn objects(args: &ScanArgs, reader: &mut InputReader) -> Result<Files, Failure> {
    let mut files = files(&args.paths, reader)?;
    for chart in &args.input.helm {
        let namespace = Some(args.request.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE));
        add_helm(&mut files, chart, &args.input.values, &args.input.release, namespace);
    }
    for folder in &args.input.kustomize {
        add_kustomize(&mut files, folder);
    }
    Ok(files)
}

/// Finds the objects before the change. A revision has the files of the paths that are judged.
///
/// # Errors
/// The standard input, if something else reads it too.
pub(super) fn old(args: &ScanArgs, reader: &mut InputReader) -> Result<Option<Files>, Failure> {
    if args.input.old.is_empty() {
        return Ok(None);
    }
    let is_revision = |argument: &&String| argument.starts_with(REVISION);
    let paths: Vec<String> =
        args.input.old.iter().filter(|argument| !is_revision(argument)).cloned().collect();
    let mut files = files(&paths, reader)?;
    for revision in args.input.old.iter().filter_map(|argument| argument.strip_prefix(REVISION)) {
        add_revision(&mut files, revision, &args.paths);
    }
    Ok(Some(files))
}

/// Finds the objects that exist in addition to the input.
///
/// # Errors
/// The standard input, if something else reads it too.
pub(super) fn cluster(args: &ScanArgs, reader: &mut InputReader) -> Result<Option<Files>, Failure> {
    if args.input.cluster.is_empty() { Ok(None) } else { files(&args.input.cluster, reader).map(Some) }
}

fn files(arguments: &[String], reader: &mut InputReader) -> Result<Files, Failure> {
    for argument in arguments {
        reader.claim(argument)?;
    }
    Ok(Files::of_arguments(arguments))
}
