//! A cluster as a set of Kubernetes objects, for tests, tools and the playground.
//!
//! [`Objects`] answers the look-ups of policies with the messages and formats of the real host:
//! lists are `<Kind>List`s without `managedFields`, field masks have the same effect, and absent
//! objects are reported in the same words. A policy that runs natively uses [`admission::Cluster`].
//! The embedded host uses [`Objects::fetch`], [`Objects::list`] and [`Objects::can_i`] on behalf of
//! a module.
//!
//! # Example
//! ```
//! use kubernetes::objects::{Fetch, Objects};
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
//! # What this module does not do
//! It does not know the kinds of Kubernetes: a kind is namespaced if any of its objects has a
//! namespace, and a kind without objects has empty lists, where an API server might not know the
//! kind. It answers questions about permissions by RBAC, but does not check those of a policy; see
//! `wapc-host`.

mod cluster;
mod error;
mod fields;
mod grants;
mod intake;
mod labels;
mod lookup;
mod mask;
mod memo;
mod rbac;

pub use admission::CanI;
pub use error::{ItemsError, LookupFailure, ObjectError, ObjectPlace, ObjectProblem};
pub use grants::not_granted;
pub use intake::{check_items, inherit, items};
pub use lookup::{Fetch, Listing, Objects, ObjectsBuilder};
pub use memo::Memo;
