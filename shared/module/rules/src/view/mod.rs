//! Views of Kubernetes objects: the names of the fields that policies read.
//!
//! A view wraps a place in a document and returns the places of its fields. A [`Shape`] lists the
//! fields that the parser keeps. In debug builds, and so in every test, reading a field that the
//! shape does not keep panics; in modules such a field would read as absent. Tests check every path
//! of every shape against the types of the crate `k8s-openapi`.
//!
//! [`Shape`]: admission::Shape

pub mod address_annotation;
mod container;
mod metadata;
mod namespace;
mod node;
mod pod;
mod service;

pub use container::{Container, ContainerKind, ContainerPart};
pub use metadata::{Metadata, OwnerReference};
pub use namespace::Namespace;
pub use node::{ClusterNode, Taint};
pub use pod::Pod;
pub use service::Service;
