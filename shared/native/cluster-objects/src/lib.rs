//! A cluster as a set of Kubernetes objects, for tests, tools and the playground.
//!
//! [`Objects`] answers the questions that a policy may ask, in the words and shapes of the real host: lists
//! are `<Kind>List`s without `managedFields`, field masks cut as there, and what is missing is told in the
//! same text. A policy that runs natively asks through [`admission::Cluster`]; the embedded host asks through
//! [`Objects::fetch`] and [`Objects::list`] on behalf of a module.
//!
//! # Example
//! ```
//! use objects::{Fetch, Objects};
//! use serde_json::json;
//!
//! let team = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "team-a" } });
//! let cluster = Objects::from_values(vec![team.clone()])?;
//! let wanted =
//!     Fetch { api_version: "v1", kind: "Namespace", namespace: None, name: "team-a", field_masks: &[] };
//! assert_eq!(cluster.fetch(&wanted)?, team);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//! It does not know the kinds of Kubernetes: whether a kind is namespaced is read off the objects there are,
//! and a kind without objects has empty lists, where an API server may not know it. It grants nothing and
//! denies nothing; `host` does.

mod cluster;
mod error;
mod fields;
mod intake;
mod labels;
mod mask;
mod objects;

pub use error::{LookupFailure, ObjectError, ObjectPlace, ObjectProblem};
pub use intake::items;
pub use objects::{Fetch, Listing, Objects};
