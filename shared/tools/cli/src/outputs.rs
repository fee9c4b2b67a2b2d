//! The outputs of a command, each a format and the file that it is written to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use report::Output;

use crate::failure::Failure;
use crate::replace_file::replace_with;
use crate::stdout::print;

/// Checks that each output has a place of its own, beside another file that is written. `example`
/// is one with a file.
pub(crate) fn check<F>(outputs: &[Output<F>], other: Option<&str>, example: &str) -> Result<(), Failure> {
    let is_other = |file: &&String| other.is_some_and(|other| whole(other) == whole(file));
    if let Some(file) = outputs.iter().filter_map(|output| output.file.as_ref()).find(is_other) {
        return Err(Failure::about(file, "is written twice; name two files"));
    }
    for (index, output) in outputs.iter().enumerate() {
        let same = outputs.iter().skip(index + 1).any(|other| match (&other.file, &output.file) {
            (Some(other), Some(file)) => whole(other) == whole(file),
            (other, file) => other == file,
        });
        match &output.file {
            Some(file) if same => {
                return Err(Failure::about(file, "is the file of two formats; name two files"));
            }
            None if same => {
                let problem =
                    format!("two formats are for standard output; name a file for one, as in -o {example}");
                return Err(Failure::about("--output", problem));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that no output replaces a file that is an input.
pub(crate) fn refuse_inputs<F>(
    outputs: &[Output<F>],
    is_input: &dyn Fn(&str) -> bool,
) -> Result<(), Failure> {
    outputs
        .iter()
        .filter_map(|output| output.file.as_deref())
        .try_for_each(|file| refuse_input(file, is_input))
}

pub(crate) fn refuse_input(file: &str, is_input: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    if is_input(file) {
        return Err(Failure::about(file, "is an input, which the output would replace; name another file"));
    }
    Ok(())
}

/// Returns the path of a file without links, as far as it exists.
pub(crate) fn whole(file: &str) -> PathBuf {
    let path = Path::new(file);
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// Writes all outputs: those with a file first. Without outputs, the default format goes to
/// standard output. `write` gets the format, and whether it is for standard output, where colours
/// are removed again if it does not show them.
pub(crate) fn write<F: Copy + Default>(
    outputs: &[Output<F>],
    write: &dyn Fn(&mut dyn Write, F, bool) -> io::Result<()>,
) -> Result<(), Failure> {
    for output in outputs {
        let Some(file) = &output.file else { continue };
        replace_with(Path::new(file), &|out| write(out, output.format, false))?;
    }
    let to_stdout = outputs.iter().find(|output| output.file.is_none());
    if to_stdout.is_none() && !outputs.is_empty() {
        return Ok(());
    }
    let format = to_stdout.map(|output| output.format).unwrap_or_default();
    print(|out| write(out, format, true))
}
