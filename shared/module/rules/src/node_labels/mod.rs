//! The policy `node-labels`: which labels a kubelet may set on its own Node.
//!
//! # Why
//! Workloads are scheduled to nodes by labels, and a kubelet writes the labels of its own Node. An
//! attacker who controls a node can give it the label of a dedicated node, and so receive the
//! workload and its secrets.
//!
//! # Denied
//! The policy reviews only the requests of node users. It denies writes of any Node other than the
//! user's own; labels of `node-restriction.kubernetes.io`, which are reserved for administrators;
//! labels of `kubernetes.io` and `k8s.io` that are not listed; and labels that the settings
//! protect. Only labels that the request adds, changes or removes count.
//!
//! # Sources
//! - KEP-279:
//!   <https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/279-limit-node-access>
//! - `NodeRestriction`: k8s.io/kubernetes/plugin/pkg/admission/noderestriction

mod keys;
mod policy;
mod settings;

pub use keys::{LabelProfile, Objection};
pub use policy::NodeLabels;
pub use settings::{CreateEnforcement, Mode, SelfRegistration};
