//! The progress of reading and judging a dump in a build without the feature `scan`: nothing.

use std::io::Read;

pub(crate) struct Progress;

impl Progress {
    pub(super) fn start(_: u64) -> Self {
        Self
    }

    pub(crate) fn of_objects() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "with the feature, self counts")]
    pub(crate) fn count(&self) {}

    #[expect(clippy::unused_self, reason = "with the feature, self counts")]
    pub(super) fn watch<'r>(&self, input: impl Read + 'r) -> Box<dyn Read + 'r> {
        Box::new(input)
    }
}
