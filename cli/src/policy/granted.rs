//! The objects that a policy may look up.

use admission::{CanI, Cluster, Get, List, Unreachable};
use cluster_objects::Objects;
use wapc_host::Deployment;

/// The objects of a cluster, of which a policy that runs natively sees the granted kinds, as in the
/// host.
pub(super) struct GrantedObjects<'a> {
    pub(super) objects: &'a Objects,
    pub(super) deployment: &'a Deployment,
}

impl GrantedObjects<'_> {
    fn check(&self, api_version: &str, kind: &str) -> Result<(), Unreachable> {
        if self.deployment.grants_resource(api_version, kind) {
            return Ok(());
        }
        Err(cluster_objects::not_granted(api_version, kind))
    }
}

impl Cluster for GrantedObjects<'_> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        self.check(wanted.api_version, wanted.kind)?;
        Cluster::get(self.objects, wanted)
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        self.check(wanted.api_version, wanted.kind)?;
        Cluster::list(self.objects, wanted)
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        Cluster::can_i(self.objects, wanted)
    }
}
