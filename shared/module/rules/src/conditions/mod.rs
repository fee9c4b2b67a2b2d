//! Conditions of entries in settings, all of which have to hold: on the pod and its request, judged
//! once for each pod, and on a container, judged for each container.
//!
//! A policy lists the keys that its entries take, from the constants below, and reads them with
//! [`PodConditions::read`] and [`ContainerConditions::read`]. A key that is absent, or an empty
//! list, is not a condition.
//!
//! ```
//! use admission::Setting;
//! use rules::conditions;
//!
//! const ENTRY: &[Setting] = &[conditions::NAMESPACES, conditions::SERVICE_ACCOUNTS, conditions::IMAGES];
//! ```

mod container;
mod pod;
mod settings;
mod workload;

pub use container::{ContainerConditions, Kinds};
pub use pod::{Asker, EvalContext, PodConditions};
pub use settings::{
    CONTAINER_KINDS, CONTAINERS, IMAGES, NAMESPACE_SELECTOR, NAMESPACES, POD_SELECTOR, RUNTIME_CLASSES,
    SERVICE_ACCOUNTS, WORKLOADS, is_pattern_of_label, is_pattern_of_subdomain,
};
pub use workload::{Creator, creator};

pub use crate::subject::{GROUPS, USERS};
