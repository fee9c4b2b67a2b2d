//! The results of judging objects by policies, and their formats.
//!
//! A [`Report`] is what a scan found: findings, notices about the input, and totals. It is data: a
//! program can make one without the scanner, and every format is a function of it.
//!
//! # What this crate does not do
//! It judges nothing (see `scan`), and reads and writes no files.

mod model;

pub use model::{
    Finding, Level, Notice, ObjectRef, OwnerRef, Place, PolicyRef, PolicyTotals, Position, Report, Severity,
    Status, Totals,
};
