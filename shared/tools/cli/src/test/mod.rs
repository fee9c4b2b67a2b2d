//! `portcullis test`.

mod args;
mod command;
mod init;
mod modules;

pub(crate) use args::TestArgs;
pub(crate) use command::test;
