//! The run of `portcullis test`.

use std::path::Path;
use std::process::ExitCode;

use suite::{Format, Options, Output, Results, Run};

use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::stdout::print;

use super::args::TestArgs;
use super::modules::ToolModules;
use super::{init, watch};

/// Runs test files and writes the results.
///
/// # Errors
/// Results that cannot be written, and a first test file that cannot be written.
pub(crate) fn test(args: &TestArgs) -> Result<ExitCode, Failure> {
    check(&args.output)?;
    let modules = ToolModules::new(&args.engine, args.installation.installation())?;
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
        accept(&run)?;
        let status = finish(args, &run.results)?;
        if !args.watch {
            return Ok(status);
        }
        let changed = watch::change_of(&run.read);
        modules.forget();
        print(|out| writeln!(out, "\n{} has changed", changed.display()))?;
    }
}

/// Writes the files whose cases were blessed.
///
/// # Errors
/// A file that cannot be written, which is then unchanged.
pub(super) fn accept(run: &Run) -> Result<(), Failure> {
    run.blessed.iter().try_for_each(|(file, text)| {
        // A link stays one.
        let file = file.canonicalize().unwrap_or_else(|_| file.clone());
        replace_file(&file, text.as_bytes())
    })
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

/// Writes the results and returns the exit status.
fn finish(args: &TestArgs, results: &Results) -> Result<ExitCode, Failure> {
    write(&args.output, results)?;
    Ok(ExitCode::from(results.exit_status()))
}

/// Checks that each format has a place of its own.
fn check(outputs: &[Output]) -> Result<(), Failure> {
    for (index, output) in outputs.iter().enumerate() {
        if outputs.iter().skip(index.saturating_add(1)).any(|other| other.file == output.file) {
            let file = output.file.as_deref().unwrap_or("standard output");
            return Err(Failure::about(
                file,
                "is the place of two formats; name two, as in -o junit=tests.xml",
            ));
        }
    }
    Ok(())
}

/// Writes the results: the files first.
fn write(outputs: &[Output], results: &Results) -> Result<(), Failure> {
    for output in outputs {
        let Some(file) = &output.file else { continue };
        let mut bytes = Vec::new();
        suite::write(&mut bytes, results, output.format, false)
            .map_err(|error| Failure::about(file, format!("cannot be written: {error}")))?;
        replace_file(Path::new(file), &bytes)?;
    }
    let to_stdout = outputs.iter().find(|output| output.file.is_none());
    if to_stdout.is_none() && !outputs.is_empty() {
        return Ok(());
    }
    let format = to_stdout.map(|output| output.format).unwrap_or_default();
    // Colours are removed again where the output does not show them.
    print(|out| suite::write(out, results, format, format == Format::Text))
}
