//! Scans of running clusters in a build without the feature `live`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kubewarden::matching::Installation;
use report::Notice;
use scan::{Files, Operation, Policy};

use super::args::InstallationArgs;
use super::policies::PolicySet;
use crate::failure::Failure;
use crate::policy::Engines;

/// A running cluster, which does not exist.
pub(crate) enum Cluster {}

impl Cluster {
    pub(crate) fn connect(_: Option<&Path>, _: Option<&str>) -> Result<Self, Failure> {
        let problem = "is not part of this build; run `cargo build --package portcullis` to build it in";
        Err(Failure::about("--live", problem))
    }

    pub(super) fn interrupted(&self) -> Arc<AtomicBool> {
        match *self {}
    }

    pub(super) fn installation(&self, _: &InstallationArgs) -> (Installation, Option<Notice>) {
        match *self {}
    }

    pub(super) fn policies(
        &self,
        _: &Engines<'_>,
        _: &Installation,
        _: Option<&str>,
    ) -> Result<PolicySet, Failure> {
        match *self {}
    }

    pub(super) fn objects(&self, _: &[Policy], _: Operation, _: Option<&str>) -> Files {
        match *self {}
    }

    pub(crate) fn look_ups(&self, _: Option<&str>) -> Files {
        match *self {}
    }
}
