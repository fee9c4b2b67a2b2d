//! Conditions of entries in settings, all of which have to hold: on the pod and its request,
//! evaluated once for each pod, and on a container, evaluated for each container.
//!
//! A policy lists the keys that its entries take, from the constants below, and reads them with
//! [`PodConditions::read`] and [`ContainerConditions::read`]. A key that is absent, or an empty
//! list, is not a condition.

mod container;
mod pod;
mod settings;
mod workload;

pub(crate) use container::ContainerConditions;
pub(crate) use pod::{Asker, EvalContext, PodConditions};
pub(crate) use settings::{
    CONTAINER_KINDS, CONTAINERS, IMAGES, NAMESPACE_SELECTOR, NAMESPACES, POD_SELECTOR, RUNTIME_CLASSES,
    SERVICE_ACCOUNTS, WORKLOADS, is_pattern_of_label, selector,
};
pub(crate) use workload::{Creator, creator};

pub(crate) use crate::subject::{GROUPS, USERS};
