//! The run of `portcullis test`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use suite::{FileState, Format, Options, Results, Run, file_state};

use crate::failure::Failure;
use crate::outputs;
use crate::policy::Engines;
use crate::replace_file::replace_file;
use crate::stdout::print;

use super::args::TestArgs;
use super::init;
use super::modules::ToolModules;

/// The time between two looks at the files of a run. Asking for the state of some dozen files twice
/// a second is cheap, works on every file system and needs no library.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) fn test(args: &TestArgs) -> Result<ExitCode, Failure> {
    outputs::check(&args.output, None, "junit=tests.xml")?;
    let modules =
        ToolModules { engines: Engines::new(&args.engine), installation: args.installation.installation() };
    if let Some(manifest) = &args.init {
        let results = init::init(manifest, &args.paths, &modules)?;
        let status = finish(args, &results)?;
        let missed: usize = results.files.iter().map(|file| file.not_reached.len()).sum();
        if results.exit_status() == 1 && results.totals().failed == missed {
            print(|out| {
                writeln!(
                    out,
                    "the file is written, but its conditions leave out all examples: change an object so \
                     that they hold, and bless the file"
                )
            })?;
            return Ok(ExitCode::SUCCESS);
        }
        return Ok(status);
    }
    let paths = if args.paths.is_empty() { vec![".".to_owned()] } else { args.paths.clone() };
    loop {
        let run = suite::run(&paths, &options(args), &modules);
        let read: BTreeSet<PathBuf> = run.read.keys().filter_map(|path| path.canonicalize().ok()).collect();
        let is_read = |file: &str| Path::new(file).canonicalize().is_ok_and(|file| read.contains(&file));
        outputs::refuse_inputs(&args.output, &is_read)?;
        accept(&run)?;
        let status = finish(args, &run.results)?;
        if !args.watch {
            return Ok(status);
        }
        let changed = change_of(&run.read);
        modules.engines.forget();
        print(|out| writeln!(out, "\n{} has changed", changed.display()))?;
    }
}

/// Writes the files whose cases were blessed. A file that cannot be written is unchanged.
pub(super) fn accept(run: &Run) -> Result<(), Failure> {
    run.blessed.iter().try_for_each(|(file, text)| replace_file(file, text.as_bytes()))
}

fn options(args: &TestArgs) -> Options {
    Options {
        policies: args.policy.clone(),
        filter: args.filter.clone(),
        allows_commands: args.allow_commands,
        blesses: args.bless,
        measures_coverage: args.coverage.coverage,
        coverage_threshold: args.coverage.coverage_threshold,
    }
}

fn finish(args: &TestArgs, results: &Results) -> Result<ExitCode, Failure> {
    outputs::write(&args.output, &|out, format, colors| {
        suite::write(out, results, format, colors && format == Format::Text)
    })?;
    Ok(ExitCode::from(results.exit_status()))
}

/// Waits until one of the files is no longer in the state in which it was read, and returns it. The
/// names of manifests and directories count as the content of a directory.
fn change_of(files: &BTreeMap<PathBuf, FileState>) -> PathBuf {
    loop {
        if let Some((changed, _)) = files.iter().find(|(file, known)| file_state(file) != **known) {
            return changed.clone();
        }
        sleep(PAUSE);
    }
}
