//! The kernel of Portcullis: what every restriction is built on.
//!
//! One idea: settings become a [`Policy`] once, and `policy × request × cluster → verdict` is a pure
//! function from bytes to bytes, [`evaluate`]. A WebAssembly module, a native test, the command-line tool
//! and a browser run the same code and differ in the [`Cluster`] they pass.
//!
//! # What this crate does not do
//! It knows no kind of Kubernetes object and no rule about one (the crate `rules` does), no WebAssembly host
//! (`guest` does), no clock, no randomness, no hash order, no file and no network.

mod cluster;
mod entry;
mod finding;
mod outcome;
mod policy;
mod request;
mod response;
mod scope;
mod settings;
mod verdict;
mod violation;

pub use cluster::{Cluster, Get, List, LookupAnswer, Unreachable};
pub use document::{Document, Fault, Node, Origin, Place, Shape};
pub use edit::Edits;
pub use entry::PolicyEntry;
pub use finding::{Finding, FindingKind, Findings};
pub use outcome::{Decision, Outcome};
pub use policy::{Policy, check_settings, configure, judge};
pub use request::{Operation, Request};
pub use response::{Response, render};
pub use scope::{How, Read, Reads, Scope, ScopeRule};
pub use settings::{Choice, Kind, Setting, SettingsError, advice, by_path};
pub use text::{Json, Lookup, ObjectWriter, Quoted, Step, nearest, sorted};
pub use verdict::Verdict;
pub use violation::{Violation, Violations};
