//! Audits: the findings of the restrictions in a dump of a cluster.
//!
//! A [`Dump`] holds Kubernetes objects, as `kubectl get … -o json` writes them. Each module of this
//! crate looks for the findings of one restriction in a dump and returns them as a serialisable
//! value; [`selinux::namespace_levels`] computes the SELinux levels that settings assign to
//! Namespaces.
//!
//! # Example
//! ```
//! use audit::{Dump, external_ips};
//! use cluster_objects::Objects;
//! use serde_json::json;
//!
//! let service = json!({
//!     "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web", "namespace": "shop" },
//!     "spec": { "externalIPs": ["192.0.2.1"] },
//! });
//! let dump = Dump::new(Objects::from_values(vec![service])?);
//! let found = external_ips::find(&dump)?;
//! assert_eq!(found.services[0].external_ips, ["192.0.2.1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//! It reads no files, asks no cluster and prints nothing.

mod abbreviate;
mod dump;
mod error;
pub mod external_ips;
mod kept;
pub mod mirror_labels;
pub mod node_labels;
mod remembered;
pub mod selinux;

pub use abbreviate::abbreviated;
pub use dump::{Dump, DumpObject};
pub use error::AuditError;
pub use kept::Kept;
