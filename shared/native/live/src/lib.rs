//! A running cluster, read with the credentials that kubectl would use.
//!
//! A [`Connection`] sends requests to an API server and blocks until the answer arrives.
//!
//! # What this crate does not do
//! It stores nothing and watches nothing: only a caller of [`Connection::send`] can write. It
//! prints no secret: its errors name files, contexts and addresses, and never a token, a key or
//! what a credential plugin printed on standard output.

mod connection;
mod discovery;
mod error;
mod installation;
mod kubeconfig;
mod objects;
mod pages;
mod plan;
mod policies;
mod proxy;
#[cfg(test)]
mod tests;

pub use connection::{Connection, Method, Request};
pub use discovery::{Discovery, Served};
pub use error::Error;
pub use installation::kubewarden_namespace;
pub use kubeconfig::Target;
pub use objects::{LookUps, Objects};
pub use policies::Deployed;
