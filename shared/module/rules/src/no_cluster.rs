//! A cluster for tests of policies that look nothing up.

use admission::{Cluster, Get, List, Unreachable};

pub(crate) struct NoCluster;

impl Cluster for NoCluster {
    fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        Err(Unreachable(String::new()))
    }

    fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        Err(Unreachable(String::new()))
    }
}
