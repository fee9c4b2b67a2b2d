//! `portcullis test`.

mod args;
mod command;
mod init;
mod modules;
mod watch;

pub(crate) use args::TestArgs;
pub(crate) use command::test;
