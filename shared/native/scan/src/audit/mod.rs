//! Audits: the findings of the restrictions in a dump of a cluster.
//!
//! A [`Dump`] holds Kubernetes objects, as `kubectl get … -o json` writes them. Each module looks
//! for the findings of one restriction in a dump and returns them as a serialisable value;
//! [`selinux::namespace_levels`] computes the SELinux levels that settings assign to Namespaces.
//!
//! # Example
//! ```
//! use scan::audit::{Dump, mirror_labels};
//! use kubernetes::objects::Objects;
//! use serde_json::json;
//!
//! let pod = json!({
//!     "apiVersion": "v1", "kind": "Pod",
//!     "metadata": {
//!         "name": "etcd-cp-1", "namespace": "kube-system", "labels": { "tier": "control-plane" },
//!         "annotations": { "kubernetes.io/config.mirror": "" },
//!     },
//! });
//! let dump = Dump::new(Objects::from_values(vec![pod])?);
//! let found = mirror_labels::find(&dump)?;
//! assert_eq!(found.namespaces[0].missing, ["tier"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this module does not do
//! It reads no files, asks no cluster and prints nothing.

mod abbreviate;
mod dump;
mod error;
mod kept;
pub mod mirror_labels;
mod remembered;
pub mod selinux;

pub use abbreviate::abbreviated;
pub use dump::{Dump, DumpObject};
pub use error::AuditError;
pub use kept::Kept;
