//! The formats of results.

mod github;
mod junit;
mod text;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use ::text::nearest;

use crate::Results;

/// A format of results.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    /// Text for people: the cases that failed, and a summary.
    #[default]
    Text,
    /// The [`Results`] as JSON.
    Json,
    /// `JUnit` XML, in the form that Jenkins and GitLab read.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
}

impl Format {
    /// The names of all formats.
    pub const NAMES: [&'static str; 4] = ["text", "json", "junit", "github"];
}

/// A format and the file that it is written to: `FORMAT[=FILE]`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// The file; `None` for the standard output.
    pub file: Option<String>,
}

/// The reason why a text is not a format with a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FormatError(String);

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormatError {}

impl FromStr for Output {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => {
                return Err(FormatError(
                    "the name of the file is missing after =; write FORMAT=FILE".to_owned(),
                ));
            }
            Some((name, file)) => (name, Some(file.to_owned())),
            None => (text, None),
        };
        let format = match name {
            "text" => Format::Text,
            "json" => Format::Json,
            "junit" => Format::Junit,
            "github" => Format::Github,
            _ => {
                let advice = match nearest(name, &Format::NAMES) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("the formats are {}", Format::NAMES.join(", ")),
                };
                return Err(FormatError(format!("the format {name} is not known; {advice}")));
            }
        };
        Ok(Self { format, file })
    }
}

/// Writes results. `colors` are for text alone.
///
/// # Errors
/// The output cannot be written.
pub fn write(out: &mut dyn Write, results: &Results, format: Format, colors: bool) -> io::Result<()> {
    match format {
        Format::Text => text::write(out, results, colors),
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, results)?;
            writeln!(out)
        }
        Format::Junit => junit::write(out, results),
        Format::Github => github::write(out, results),
    }
}
