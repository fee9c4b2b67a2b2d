//! Views: the names and types of the fields that rules read, and nothing else.
//!
//! Each field name occurs once. Tests look every path up in the types of `k8s-openapi`.

mod container;
mod metadata;
mod namespace;
mod node;
mod pod;
mod service;

pub use container::{Container, ContainerKind, ContainerPart};
pub use metadata::{Metadata, OwnerReference};
pub use namespace::Namespace;
pub use node::ClusterNode;
pub use pod::Pod;
pub use service::Service;
