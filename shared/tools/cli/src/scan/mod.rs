//! `portcullis scan` and `portcullis report`, and the audits that evaluate whole dumps.

mod args;
mod audit;
mod baseline;
mod command;
mod compare;
mod config;
mod init;
mod input;
mod kyverno;
#[cfg_attr(not(feature = "live"), path = "live/disabled.rs")]
mod live;
mod policies;
mod progress;
mod report;
mod reports;

pub(crate) use args::{InstallationArgs, ScanArgs};
pub(crate) use audit::audit;
pub(crate) use command::scan;
pub(crate) use init::{InitArgs, init};
pub(crate) use live::Cluster;
pub(crate) use report::{ReportArgs, report};
