//! Paths in JSON documents, as messages show them.

use std::fmt;

use crate::Quoted;

/// One step of a path; `S` is `&str` where the name is borrowed from a document.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Step<S = String> {
    /// A field of an object.
    Field(S),
    /// An element of an array.
    Index(u32),
}

impl<S: AsRef<str>> Step<S> {
    /// Returns the step with a borrowed name.
    pub fn borrowed(&self) -> Step<&str> {
        match self {
            Step::Field(name) => Step::Field(name.as_ref()),
            Step::Index(index) => Step::Index(*index),
        }
    }
}

impl Step<&str> {
    /// Returns the step with an owned name.
    #[must_use]
    pub fn owned(&self) -> Step {
        match self {
            Step::Field(name) => Step::Field((*name).to_owned()),
            Step::Index(index) => Step::Index(*index),
        }
    }
}

/// Displays steps as the API server does (`field.Path` in apimachinery): `spec.ports[0].name`, with
/// keys that are not identifiers in brackets, as in `metadata.labels[example.com/team]`.
///
/// # Example
/// ```
/// use text::{Path, Step};
///
/// let steps = [Step::Field("spec"), Step::Field("ports"), Step::Index(0)];
/// assert_eq!(Path(&steps).to_string(), "spec.ports[0]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Path<'a, 'd>(pub &'a [Step<&'d str>]);

impl fmt::Display for Path<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Field(name) if !is_identifier(name) => {
                    if name.bytes().all(|b| b.is_ascii_graphic() && b != b']')
                        && matches!(name.len(), 1..=256)
                    {
                        write!(f, "[{name}]")?;
                    } else {
                        write!(f, "[{}]", Quoted(name))?;
                    }
                }
                Step::Field(name) if position == 0 => f.write_str(name)?,
                Step::Field(name) => {
                    f.write_str(".")?;
                    f.write_str(name)?;
                }
            }
        }
        Ok(())
    }
}

fn is_identifier(name: &str) -> bool {
    matches!(name.len(), 1..=256)
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'))
}
