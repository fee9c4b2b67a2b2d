//! Regular expressions, with the meaning that they have in an API server.
//!
//! API servers use the package `regexp` of Go. Its syntax resembles the one of the crate `regex`,
//! but many patterns mean something else: `\w`, `\d`, `\s` and `\b` are ASCII, `&&` and `--` have
//! no meaning in a class, and `a**` is refused. [`compile`] reads a pattern as Go does and writes
//! it in a form that has only one reading: every class is a list of ranges.
//!
//! Both engines prefer the leftmost match and, of these, the one that a backtracking search finds
//! first, so the same tree gives the same matches.
//!
//! Source: `regexp/syntax/parse.go` of Go 1.26. Its tables are those of Unicode 15.

use regex::{Regex, RegexBuilder};

mod class;
mod parser;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod tests;

/// The longest pattern, in bytes. Patterns that Go refuses because their tree is too high or too
/// large, and that the crate `regex` compiles, are longer.
const LONGEST: usize = 10_000;

/// The most memory of a compiled pattern, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reason {
    /// An API server refuses it.
    Refused(&'static str),
    /// An API server may accept it.
    Unknown(&'static str),
}

pub(crate) fn compile(pattern: &str) -> Result<Regex, Reason> {
    if pattern.len() > LONGEST {
        return Err(Reason::Unknown("the pattern has more than 10,000 bytes"));
    }
    let translated = parser::translate(pattern)?;
    let compiled = RegexBuilder::new(&translated).size_limit(LARGEST).build();
    compiled.map_err(|_| Reason::Unknown("the pattern is too large"))
}
