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
//! A node could also shed such labels by deleting its Node and registering again. The policy
//! therefore denies changes of owner references and taints, and the deletion of a Node with labels
//! or taints that the node may not remove.
//!
//! # Sources
//! - KEP-279:
//!   <https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/279-limit-node-access>
//! - `NodeRestriction`: k8s.io/kubernetes/plugin/pkg/admission/noderestriction

mod fields;
mod keys;
mod policy;
mod report;
mod rule;
mod settings;

pub use keys::{LabelProfile, Objection};
pub use policy::NodeLabels;
pub use settings::{
    CreateEnforcement, Mode, OwnerReferenceChanges, SelfDeletion, SelfRegistration, TaintChanges,
};
