//! The policy `external-ips`: which external IP addresses a Service may claim.
//!
//! # Why
//! Anyone who may write a Service can claim any address in `spec.externalIPs`. Every node then
//! sends the traffic for that address to the pods of the Service, even if it is unencrypted traffic
//! of other users (CVE-2020-8554).
//!
//! # Denied
//! By default, the policy denies what the in-tree plugin `DenyServiceExternalIPs` denies: every
//! value that is not stored already. Each stored value is tolerated and may be removed. The
//! settings allow ranges for namespaces, users and groups, and extend the policy to further fields
//! and to conflicts.
//!
//! # Order
//! A request without new values is admitted before any address is parsed or looked up. The checks
//! then run in this order: exempt subjects, ambiguous notations, rejected ranges, allow rules,
//! conflicts with other Services.
//!
//! # Sources
//! - KEP-2200:
//!   <https://github.com/kubernetes/enhancements/tree/master/keps/sig-network/2200-block-external-ips>
//! - `DenyServiceExternalIPs`:
//!   k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips

mod allow;
mod claim;
mod conflict;
mod policy;
mod rule;
mod settings;

pub use claim::Comparison;
pub use policy::ExternalIps;
pub use settings::{Conflicts, ExistingValues, LoadBalancerIngress};
