//! The watcher of a scan.

use crate::explanation::Explanation;

/// Watches a scan, on the thread that runs it.
pub trait Observer {
    /// Receives how much was judged: objects, findings and bytes.
    fn progress(&mut self, _objects: u64, _findings: u64, _bytes: u64) {}

    /// Returns whether to stop: the report then says that it is not all.
    fn stop(&self) -> bool {
        false
    }

    /// Returns whether to explain why policies look at objects.
    fn wants_explanations(&self) -> bool {
        false
    }

    /// Receives why a policy looked at an object or did not, in the order of the input.
    fn explain(&mut self, _: &Explanation) {}
}

/// An observer that does nothing.
impl Observer for () {}
