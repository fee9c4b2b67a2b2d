//! `portcullis scan` and `portcullis report`, and what else honours the manifests of policies:
//! `portcullis run` on one of them, and the audits that judge whole dumps.

mod args;
mod audit;
mod baseline;
mod command;
mod compare;
mod input;
mod kyverno;
#[cfg_attr(not(feature = "live"), path = "live/disabled.rs")]
mod live;
mod manifest;
mod policies;
mod policy;
mod progress;
mod report;
mod reports;

pub(crate) use args::{InstallationArgs, ScanArgs};
pub(crate) use audit::audit;
pub(crate) use command::scan;
pub(crate) use manifest::{DeployedModule, load as load_manifest, own, settings_of};
pub(crate) use policy::of_metadata;
pub(crate) use report::{ReportArgs, report};
