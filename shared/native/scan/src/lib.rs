//! Objects, evaluated by policies as the API server would ask them.
//!
//! A [`Scan`] reads objects from an [`Input`], makes the requests in which an API server would
//! receive them, decides which policies would be asked, evaluates natively or with modules in the
//! embedded host, and returns a [`report::Report`]. It holds a few pieces of the input at a time,
//! however long the input is; the longest line, or string of JSON, is one piece.
//!
//! ```
//! use scan::{Files, Options, Origin, Policy, Scan};
//! use serde_json::json;
//!
//! let mut files = Files::default();
//! let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true\n  containers: [{name: a}]\n";
//! files.add_text(Origin::file("pod.yaml"), pod);
//! let policy = Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap();
//! let report = Scan::new(vec![policy], Options::default()).run(&mut files, None, None, &mut ());
//! let finding = &report.findings[0];
//! assert_eq!(finding.path.as_deref(), Some("spec.hostPID"));
//! assert_eq!(finding.place.as_ref().unwrap().span.unwrap().start.line, 5);
//! ```
//!
//! # Unknown is never admitted
//! A verdict is unknown if it depends on an object that neither the input nor the cluster has, on a
//! capability that the embedded host lacks, or on a condition that cannot be evaluated. See
//! [`Scan::run`] for the objects that answer look-ups.
//!
//! # What this crate does not do
//! It does not print (see `report`), does not decide which requests reach a policy (see
//! `kubewarden`) and does not fetch modules.

mod ask;
pub mod audit;
mod checkout;
mod cluster;
mod date;
pub mod diff;
mod document;
mod entry;
mod evaluate;
mod exceptions;
mod exclusions;
mod folder;
mod git;
mod guards;
mod input;
mod kustomization;
mod labels;
mod live;
mod locate;
mod look_up;
mod observer;
mod old;
mod options;
mod paths;
mod pods;
mod policy;
mod rendered;
mod replacement;
mod request;
mod requests;
mod restricted;
mod run;
mod scan;
mod session;
mod sources;
mod spot;
mod state;
mod subject;
mod tally;
mod tracked;
mod unsettled;
mod user;
mod verdict;
mod violation;
mod workers;

pub use ask::{Answer, Asked, ask, ask_with_pods};
pub use cluster::{Cluster, Kind};
pub use date::Date;
pub use document::{Document, Placed, documents};
pub use entry::{Content, DUPLICATE, Entries, Entry};
pub use exclusions::Patterns;
pub use guards::{Suspicion, misspelt, suspicions, unsent};
pub use input::{Chunk, Files, Input, List, Origin, Unreadable, is_object_file, with_colon};
pub use kubewarden::matching::Evaluator;
pub use kustomization::file_of as kustomization_of;
pub use locate::Locator;
pub use look_up::LookUp;
pub use observer::{Explanation, Observer};
pub use old::{Old, identity_in};
pub use options::{ExceptionsOf, Operation, Options, Pods};
pub use paths::relative;
pub use policy::{Engine, Module, Policy};
pub use rendered::{Chart, NamedBy, source};
pub use request::Question;
pub use requests::EntryRequest;
pub use scan::Scan;
pub use session::{InvalidSession, Session};
pub use sources::Sources;
pub use spot::Spot;
pub use subject::Identity;
pub use verdict::{Effect, Request, Verdict};
#[cfg(feature = "modules")]
pub use verdict::{Reply, out_of_scope};
pub use violation::{Denial, Rule, Violation, leading_path};
