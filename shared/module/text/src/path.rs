//! Paths, as messages write them.

use std::fmt;

use crate::Quoted;

/// One step of a path.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Step<'d> {
    /// A field of an object.
    Field(&'d str),
    /// An element of an array.
    Index(u32),
}

/// Steps as text: `spec.ports[0].name`; a key that is no identifier in brackets, as the API server does.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a, 'd>(pub &'a [Step<'d>]);

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
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'))
}
