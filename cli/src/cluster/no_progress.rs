//! The progress of reading a dump in a build without the feature `scan`: nothing.

use std::io::Read;

pub(super) struct Progress;

impl Progress {
    pub(super) fn start(_: u64) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "with the feature, self counts")]
    pub(super) fn watch<'r>(&self, input: impl Read + 'r) -> Box<dyn Read + 'r> {
        Box::new(input)
    }
}
