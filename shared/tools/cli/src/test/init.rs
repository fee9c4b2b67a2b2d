//! A first test file.

use std::path::{Component, Path, PathBuf};

use suite::{Modules, Options, Results};

use crate::failure::Failure;

use super::command::accept;

/// Writes a first test file and makes its cases want what happens.
pub(super) fn init(manifest: &str, paths: &[String], modules: &dyn Modules) -> Result<Results, Failure> {
    let path = match paths {
        [] => {
            let stem = Path::new(manifest).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            PathBuf::from(format!("{stem}.test.yaml"))
        }
        [one] if !Path::new(one).is_dir() => PathBuf::from(one),
        _ => return Err(Failure::about("--init", "pass one file to write, or none")),
    };
    if path.exists() {
        return Err(Failure::about(path.display(), "exists already; remove it, or name another file"));
    }
    let text = suite::init(Path::new(manifest), &from(&path, Path::new(manifest))).map_err(Failure::new)?;
    std::fs::write(&path, text)
        .map_err(|error| Failure::about(path.display(), format!("cannot be written: {error}")))?;
    let options = Options { blesses: true, measures_coverage: true, ..Options::default() };
    let run = suite::run(&[path.display().to_string()], &options, modules);
    if run.results.exit_status() == 2 {
        // A file that cannot run is of no use, and would be in the way of the next one.
        std::fs::remove_file(&path)
            .map_err(|error| Failure::about(path.display(), format!("cannot be removed: {error}")))?;
        return Ok(run.results);
    }
    accept(&run)?;
    Ok(run.results)
}

/// Returns the path of a manifest as a test file names it.
fn from(test: &Path, manifest: &Path) -> String {
    let dir = test.parent().unwrap_or(Path::new(""));
    let is_plain =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let ups = dir.components().filter(|part| matches!(part, Component::Normal(_))).count();
    if manifest.is_absolute() || !is_plain(dir) {
        let path = manifest.canonicalize().unwrap_or_else(|_| manifest.to_path_buf());
        return path.display().to_string();
    }
    if let Ok(below) = manifest.strip_prefix(dir) {
        return below.display().to_string();
    }
    let up: PathBuf = std::iter::repeat_n("..", ups).collect();
    up.join(manifest).display().to_string()
}
