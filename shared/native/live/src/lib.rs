//! A running cluster, read with the credentials that kubectl would use.
//!
//! A [`Connection`] sends requests to an API server and blocks until the answer arrives.
//!
//! # What this crate does not do
//! It stores nothing and watches nothing. It prints no secret: its errors name files, contexts and
//! addresses, and never a token, a key or what a credential plugin printed on standard output.

mod connection;
mod error;
mod kubeconfig;

pub use connection::{Connection, Method, Request};
pub use error::Error;
pub use kubeconfig::Target;
