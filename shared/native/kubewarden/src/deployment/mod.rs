//! The needs of a deployment of a policy: rules, match conditions, look-ups and permissions.
//!
//! The needs follow from the settings. `policies/<id>/deployment.yml` lists them as data, each with
//! the settings that it depends on. The Helm charts contain copies of these files and evaluate them
//! in their templates, so the manifests of this repository, those of the charts and those that the
//! tool writes cannot differ.
//!
//! ```
//! let policy = kubewarden::deployment::find("external-ips").unwrap();
//! let needs = policy.needs(&serde_json::json!({ "existingValues": "Recheck" }));
//! let names: Vec<&str> = needs.match_conditions.iter().map(|condition| condition.name.as_str()).collect();
//! assert_eq!(names, ["claims-addresses"]);
//! ```
//!
//! # What this module does not do
//! It does not check settings (see `rules`) and does not evaluate conditions (see `matching`).

mod applies;
mod file;
mod manifest;
mod needs;

pub use file::{Deployment, FILES, FOR_AUDITS_ALONE, find};
pub use manifest::Instance;
pub use needs::{MatchCondition, Needs, PolicyRule};
