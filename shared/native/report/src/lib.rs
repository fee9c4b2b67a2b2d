//! The results of evaluating objects against policies, and their formats.
//!
//! A [`Report`] is what a scan found: findings, notices about the input, and totals. It is data: a
//! program can make one without the scanner, and every [`Format`] is a function of it. [`exit`]
//! says whether it fails a scan, a [`Baseline`] marks the findings that are known, and a
//! [`Comparison`] is what differs in another report about the same objects.
//!
//! # Example
//! ```
//! use report::{Exit, FailOn, Options, Output, Report};
//!
//! let output: Output = "markdown=summary.md".parse()?;
//! let report = Report::default();
//! let mut text = Vec::new();
//! report::write(&mut text, &report, output.format, &Options::default())?;
//! // Nothing was evaluated.
//! assert_eq!(report::exit(&report, FailOn::Deny), Exit::NotEvaluated);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//! It evaluates nothing (see `scan`), and reads and writes no files.

mod baseline;
pub mod catalogue;
mod comparison;
mod escape;
mod exit;
mod fingerprint;
mod format;
pub mod junit;
mod model;
mod moves;
mod names;
mod notices;
mod policy_reports;
mod read;
#[cfg(test)]
mod sample;

pub use baseline::{Applied, Baseline, BaselineError, Entry};
pub use comparison::{Change, Comparison, ComparisonTotals, Pair, Verdict};
pub use escape::{markup, one_line};
pub use exit::{Exit, FailOn, UnknownName, exit};
pub use fingerprint::{digest, fingerprint};
pub use format::{Format, FormatError, Options, Output, Sources, github_command, write};
pub use model::{
    DENIED, FAULT, Finding, Level, Mutation, Notice, ObjectRef, OwnerRef, Place, PolicyRef, PolicyTotals,
    Position, Report, Severity, Span, Status, Totals, WARNING,
};
pub use policy_reports::AnyReport;
pub use read::{ReadError, VERSION, read};
