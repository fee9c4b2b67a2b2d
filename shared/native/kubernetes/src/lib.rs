//! Kubernetes' nouns: what a server serves, stores and sends.
//!
//! * [`kinds`]: the kinds of Kubernetes and of custom resources, with their resources and scopes.
//! * [`fields`]: the fields of the kinds, and the mistakes of an object.
//! * [`completion`]: objects of files as webhooks receive them.
//! * [`review`]: admission reviews, as the API server and Kubewarden exchange them.
//! * [`objects`]: a cluster as a set of objects, which answers look-ups.
//!
//! # What this crate does not do
//! It knows no policies (see `rules`), no webhooks (see `kubewarden`), and runs no modules (see
//! `wapc-host`).

pub mod completion;
pub mod fields;
pub mod kinds;
pub mod objects;
pub mod review;
