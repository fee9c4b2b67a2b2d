//! Views: the names and types of the fields that rules read, and nothing else.
//!
//! Each field name occurs once. Tests look every path up in the types of `k8s-openapi`.

mod service;

pub use service::Service;
