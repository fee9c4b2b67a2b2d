//! Kubewarden's policy-server on loopback, for benchmarks.

mod client;
mod server;

pub use client::{Call, Client};
pub use server::{Module, Server, check_interrupt, interrupt};
