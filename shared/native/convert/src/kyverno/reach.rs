//! The targets and operations that a rule evaluates.

use std::collections::BTreeSet;

use crate::Operation;
use crate::cel::{self, CelExpression};
use crate::target::Target;

#[derive(Clone, Debug)]
pub(super) struct Reach {
    pub(super) targets: BTreeSet<Target>,
    pub(super) operations: BTreeSet<Operation>,
    /// The workloads for which Kyverno derives a rule from the rule for pods.
    pub(super) derived: BTreeSet<Target>,
    /// The targets that the rule itself matches, some of which may also have a derived rule.
    pub(super) named: BTreeSet<Target>,
    /// Whether the policy is cluster-wide. A namespaced policy cannot select namespaces.
    pub(super) is_cluster: bool,
}

impl Reach {
    /// Whether Kyverno evaluates a target with a derived rule.
    pub(super) fn is_derived(&self, target: Target) -> bool {
        self.derived.contains(&target)
    }

    /// Returns expressions that narrow the reach to some of its targets and operations.
    pub(super) fn narrowed_to(
        &self,
        targets: &BTreeSet<Target>,
        operations: &BTreeSet<Operation>,
    ) -> Vec<CelExpression> {
        let mut parts = Vec::new();
        if *targets != self.targets {
            parts.push(cel::is_for_resource(targets, &self.targets));
        }
        if *operations != self.operations {
            parts.push(cel::is_operation(operations));
        }
        parts
    }
}
