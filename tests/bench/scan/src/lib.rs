//! Kubewarden's policy-server on loopback, for benchmarks.

mod client;
mod interrupt;
mod server;

pub use client::{Call, Client};
pub use interrupt::{check_interrupt, interrupt};
pub use server::{Module, Server};
