//! SELinux contexts of pods: every pod runs with the level of its owner and with no other.
//!
//! # Purpose
//! On a node, the categories of their SELinux level separate containers from each other. Any pod
//! may set any level, because the Pod Security Standards do not restrict it. Runtimes give a pod a
//! random level that changes at every restart, and nothing binds levels to tenants.
//!
//! # Modes
//! `mode: Mutate` completes the options of a pod; `mode: Validate` denies a pod with incomplete
//! options. Both modes apply the same rules to options that are set, and a pod that the first mode
//! has completed is admitted by the second.
//!
//! # Denied requests
//! - levels of other owners, and levels that give access to the files of others
//! - types, users and roles that are not allowed
//! - unconfined types without a reason
//! - containers of one pod at different levels
//! - local PersistentVolumes of system paths
//! - changes to the level of a Namespace by users who are not editors
//! - new Namespaces with the level of another one
//!
//! # Sources
//! - Kubernetes design proposal "SELinux enhancements", as far as admission control can implement
//!   it
//! - KEP-1710, speed up recursive SELinux label change
//! - go-selinux and OpenShift's `pkg/security/mcs`, for levels

mod holders;
pub mod level;
mod local_volume;
mod mounts;
mod namespace;
mod namespace_hash;
mod namespace_level;
mod ownership;
mod pod;
mod policy;
pub mod pool;
mod rule;
mod settings;
mod text;

pub use mounts::Mounts;
pub use ownership::{Origin, Owned, Ownership, levels_set_by};
pub use pod::PROFILE_KINDS;
pub use policy::Selinux;
pub use settings::{
    Caution, ChangePolicy, Collisions, HostNamespace, HostNamespaceAction, HostNamespaceLevel, IntraPod,
    LevelMatch, LocalVolumes, MissingLevel, Mode, OnLookupFailure, OnMissingAnnotation, OwnerScope,
    SharedClaims, Source,
};
