//! `portcullis push` and `portcullis pull`: policies in a registry, as Kubewarden, kwctl and oras have them there.

mod connection;
mod credentials;
mod pull;
mod push;
mod reference;

pub(crate) use pull::pull;
pub(crate) use push::push;
