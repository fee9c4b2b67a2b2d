//! Tests of policies as data: what policies, as they are deployed, do with requests.
//!
//! A test file has either policies and cases, or is a list of cases for one policy (see
//! [`cases`]). [`run`] asks the policies through the engine of `scan`, which also runs
//! `portcullis scan`, compares with what the cases want, and returns [`Results`].
//!
//! # Nothing passes by accident
//! A mistake in a case, a file without cases, a policy that no case reaches and a verdict that is
//! not known are never a pass. A policy that a case does not name has to let the request pass.
//!
//! # What this crate does not do
//! It does not fetch modules (see [`Modules`]) and prints nothing.

mod bless;
mod case;
pub mod cases;
mod compare;
mod coverage;
mod discover;
mod files;
mod format;
mod got;
mod init;
mod lines;
mod paths;
mod policies;
mod results;
mod run;
mod scalar;
mod want;
mod written;

pub use compare::Difference;
pub use coverage::{Coverage, Part, PolicyCoverage};
pub use files::{FileState, file_state};
pub use format::{Format, Output, write};
pub use init::init;
pub use manifest::Mistake;
pub use policies::{Modules, Native, Wanted};
pub use results::{CaseResult, FileResult, Results, Status, Totals};
pub use run::{Options, Run, run};
