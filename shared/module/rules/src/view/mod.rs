//! Views: the names and types of the fields that rules read, and nothing else.
//!
//! A shape names the fields that are kept, an accessor the field that it reads. In debug builds, and so in
//! every test, an accessor of a field that the shape does not keep panics (see
//! [`Node::at`](admission::Node::at)). Tests look up every path of a shape in the types of `k8s-openapi`.

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
