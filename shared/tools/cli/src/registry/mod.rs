//! `portcullis push` and `portcullis pull`: policies in a registry, in the format of Kubewarden,
//! kwctl and oras.

mod args;
mod cache;
mod connection;
mod credentials;
mod pull;
mod push;
mod reference;

pub(crate) use args::{PullArgs, PushArgs, RegistryArgs};
pub(crate) use cache::cached;
pub(crate) use pull::pull;
pub(crate) use push::push;
