//! The watcher of a scan.

use report::ObjectRef;

/// Watches a scan, on the thread that runs it.
pub trait Observer {
    /// Receives how much was evaluated: objects, findings and bytes.
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

impl Observer for () {}

/// Why a policy looked at an object, or did not.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Explanation {
    /// The index of the policy in [`report::Report::policies`].
    pub policy: usize,
    /// The object.
    pub object: ObjectRef,
    /// Whether this is about the pods that a workload would make.
    pub concerns_pods: bool,
    /// Whether the policy looked at the object.
    pub is_called: bool,
    /// The rule, selector or condition that decided, as a sentence without a final period.
    pub why: String,
}
