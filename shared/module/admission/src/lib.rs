//! The kernel of Portcullis, on which every policy is built.
//!
//! Settings become a [`Policy`]; [`evaluate`] is a pure function from a request and the cluster's
//! answers to an [`Outcome`], which [`render`] turns into a response. A WebAssembly module, a
//! native test, the command-line tool and a browser run the same code and differ only in the
//! [`Cluster`] that they pass.
//!
//! # What this crate does not do
//! It does not know kinds of Kubernetes objects or rules about them (see the crate `rules`), nor
//! WebAssembly hosts (see `guest`). It does not use clocks, randomness, hash order, files or the
//! network.

// A module that panics cannot report why.
#![deny(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

pub mod bounds;
mod cluster;
mod edit;
mod entry;
mod finding;
mod outcome;
mod policy;
mod remedy;
mod request;
mod response;
mod scope;
mod settings;
mod verdict;
mod violation;

pub use cluster::{CanI, Cluster, Get, KeptItems, List, LookupAnswer, Unreachable};
pub use document::{Document, Fault, Node, Origin, Place, Shape};
pub use edit::Edits;
pub use entry::PolicyEntry;
pub use finding::{Finding, FindingKind, Findings};
pub use outcome::{Decision, Outcome};
pub use policy::{Policy, check_settings, configure, evaluate, evaluates_user};
pub use remedy::{Change, Remedy};
pub use request::{Operation, Request};
pub use response::{Response, render};
pub use scope::{How, Read, Reads, Scope, ScopeRule};
pub use settings::{Choice, Kind, Setting, SettingsError, advice, by_path};
pub use text::{Json, Lookup, ObjectWriter, Quoted, Step, contains, nearest, sorted};
pub use verdict::{RULES, Verdict};
pub use violation::{Violation, Violations};
