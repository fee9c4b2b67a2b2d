//! Why policies looked at objects or not.

use report::ObjectRef;

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
