//! The objects of a dump as the cluster of a policy that evaluates many of them.

use std::any::TypeId;

use admission::{CanI, Cluster, Get, KeptItems, List, Unreachable};
use kubernetes::objects::{Memo, Objects};

/// Objects, with what a policy read from their lists. All requests have the same settings.
pub(crate) struct Remembered<'o> {
    objects: &'o Objects,
    memo: Memo,
}

impl<'o> Remembered<'o> {
    pub(crate) fn new(objects: &'o Objects) -> Self {
        Self { objects, memo: Memo::default() }
    }
}

impl Cluster for Remembered<'_> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        self.objects.get(wanted)
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        Cluster::list(self.objects, wanted)
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        Cluster::can_i(self.objects, wanted)
    }

    fn kept(&self, list: &List<'_>, items: TypeId) -> Option<KeptItems> {
        self.memo.get("", list, items)
    }

    fn keep(&self, list: &List<'_>, items: &dyn Fn() -> KeptItems) {
        self.memo.insert("", list, items());
    }
}
