//! The policy `node-pods`: which mirror pods a node may create, and what it may write through
//! `pods/status`.
//!
//! # Why
//! Controllers and Services find pods by labels and owners. An attacker who controls a node can
//! give a pod the labels of a Service and receive its traffic, or the labels of a `ReplicaSet`,
//! which then deletes one of its other pods. Therefore a node must not choose the labels and owners
//! of its pods.
//!
//! # Denied
//! The policy reviews only the requests of node users and, by a setting, of users with a token that
//! is bound to a node. On CREATE, it denies all pods except mirror pods of the node, labels that
//! the Namespace does not list, references to API objects, and owners other than the Node. On
//! UPDATE of `pods/status`, it denies every change of labels, owners or resource claims. It denies
//! deletions and evictions of other nodes' pods. Users with a bound token are kept away from the
//! pods of other nodes. The settings can also restrict annotations and namespaces, allow further
//! labels, or admit violations with a warning or a correction.
//!
//! # Order
//! The node of the pod is checked first, in every mode and without look-ups. Then annotations,
//! labels, references, namespaces and owners are checked. Each check looks up objects only if its
//! result depends on them. Messages show first the violations whose number a node cannot choose.
//!
//! # Sources
//! - KEP-1314:
//!   <https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/1314-node-restriction-pods>
//! - `NodeRestriction`: k8s.io/kubernetes/plugin/pkg/admission/noderestriction

mod annotations;
mod claims;
mod labels;
mod lookups;
mod munge;
mod owners;
mod ownership;
mod policy;
mod ranked;
mod references;
mod rule;
mod settings;

pub use labels::{DENIED_BY_DEFAULT, LabelMode};
pub use lookups::{ALLOWED_LABEL_KEYS, COPIED};
pub use policy::{MIRROR, NodePods};
pub use settings::Mode;
