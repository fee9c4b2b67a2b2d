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
pub type Output = report::Output<Format>;

/// A name that no format has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match nearest(&self.0, &Format::NAMES) {
            Some(near) => write!(f, "{} is not known; did you mean {near}?", self.0),
            None => write!(f, "{} is not known; the formats are {}", self.0, Format::NAMES.join(", ")),
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Ok(match name {
            "text" => Self::Text,
            "json" => Self::Json,
            "junit" => Self::Junit,
            "github" => Self::Github,
            _ => return Err(UnknownFormat(name.to_owned())),
        })
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
