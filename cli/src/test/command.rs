//! The run of `portcullis test`.

use std::path::Path;
use std::process::ExitCode;

use suite::{Format, Options, Output, Results};

use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::stdout::print;

use super::args::TestArgs;
use super::modules::ToolModules;

/// Runs test files and writes the results.
///
/// # Errors
/// Results that cannot be written.
pub(crate) fn test(args: &TestArgs) -> Result<ExitCode, Failure> {
    check(&args.output)?;
    let modules = ToolModules::new(&args.engine)?;
    let options = Options {
        policies: args.policy.clone(),
        filter: args.filter.clone(),
        allows_commands: args.allow_commands,
    };
    let results = suite::run(&args.paths, &options, &modules).results;
    write(&args.output, &results)?;
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
