//! Objects, evaluated by policies as the API server would ask them.
//!
//! A [`Scan`] reads objects from an [`Input`], makes the requests in which an API server would
//! receive them, decides which policies would be asked, evaluates natively or with modules in the
//! embedded host, and returns a [`report::Report`]. It holds a few pieces of the input at a time,
//! however long the input is.
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
mod guards;
mod input;
mod kustomization;
mod live;
mod locate;
mod look_up;
mod observer;
mod old;
mod options;
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
mod state;
mod subject;
mod tally;
mod tracked;
mod unsettled;
mod verdict;
mod violation;
mod workers;

pub use ask::{Answer, Asked, ask, ask_with_pods};
pub use cluster::{Cluster, Kind};
pub use date::Date;
pub use document::{Document, Placed, documents};
pub use entry::{Content, Entries, Entry, Spot};
pub use evaluate::DUPLICATE;
pub use exclusions::Patterns;
pub use guards::{Suspicion, suspicions, unsent};
pub use input::{Chunk, Files, Input, List, Origin, Unreadable};
pub use kubewarden::matching::Evaluator;
pub use kustomization::file_of as kustomization_of;
pub use locate::Locator;
pub use look_up::LookUp;
pub use observer::{Explanation, Observer};
pub use old::{Old, identity_in};
pub use options::{ExceptionsOf, Operation, Options, Pods};
pub use policy::{Engine, Module, Policy};
pub use rendered::{Chart, NamedBy, source};
pub use request::Question;
pub use requests::EntryRequest;
pub use scan::Scan;
pub use session::Session;
pub use sources::Sources;
pub use state::relative;
pub use subject::Identity;
pub use verdict::{Effect, Request, Verdict};
#[cfg(feature = "modules")]
pub use verdict::{Reply, out_of_scope};
pub use violation::{Denial, Rule, Violation, leading_path};

use input::may_be_object;
use manifest::{Position, Problem};
use report::{Level, Notice, Place, Span};

const START: Position = Position { line: 1, column: 1 };

fn unreadable(chunk: &Chunk, problem: &Problem) -> Notice {
    let is_template = chunk.text.contains("{{") && !chunk.origin.is_rendered;
    let (level, advice) = match chunk.origin.of_templates {
        None if is_template => (Level::Error, "; if it is a template of Helm, scan what it renders"),
        None => (Level::Error, ""),
        Some(_) if chunk.list.is_none() && !may_be_object(chunk.text.as_bytes()) => {
            (Level::Note, "; it is skipped, because it has neither apiVersion nor kind")
        }
        Some(level) if problem.is_template() => {
            (level, "; it is skipped as a template: scan what it renders, or exclude it")
        }
        Some(_) => (Level::Error, "; correct it, or exclude it"),
    };
    Notice {
        level,
        place: Some(place_of(chunk, problem.at)),
        message: message_at(&chunk.origin, problem.at, &format!("{}{advice}", problem.message())),
    }
}

fn unreadable_input(Unreadable { origin, problem, level }: &Unreadable, is_live: bool) -> Notice {
    let place = place(origin, problem.at, problem.at.is_some());
    Notice {
        level: *level,
        place: Some(place).filter(|_| !is_live),
        message: message_at(origin, problem.at, &problem.message()),
    }
}

/// Returns a place in a piece, whose position is that in the file.
fn place_of(chunk: &Chunk, at: Option<Position>) -> Place {
    place(&chunk.origin, Some(at.unwrap_or(chunk.at)), at.is_some())
}

/// Returns a place in a file. The lines of what a program rendered are in no file.
fn place(origin: &Origin, at: Option<Position>, is_exact: bool) -> Place {
    let at = at.filter(|_| !origin.is_rendered).map(locate::position);
    Place {
        file: origin.name.clone(),
        span: at.map(|at| Span { start: at, end: at }),
        is_exact: at.is_some() && is_exact,
    }
}

/// Returns a message about a position. If a program rendered the text, the message names the
/// position in what it rendered.
fn message_at(origin: &Origin, at: Option<Position>, message: &str) -> String {
    match at.filter(|_| origin.is_rendered) {
        Some(Position { line, column }) => {
            format!("line {line}, column {column} of what is rendered: {message}")
        }
        None => message.to_owned(),
    }
}
