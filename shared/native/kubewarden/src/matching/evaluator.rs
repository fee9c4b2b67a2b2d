//! The module, or the group of modules, that evaluates the requests of a policy.

use serde_json::Value;

use crate::matching::group::Group;
use crate::rule::ContextAwareResource;

/// A module, or a group of modules, that evaluates the requests of a policy.
#[derive(Debug)]
pub enum Evaluator<M> {
    /// A module.
    Module(M),
    /// An expression about several modules.
    Group(Group<M>),
}

impl<M> Evaluator<M> {
    /// The modules, with the names of the members of a group.
    pub fn modules(&self) -> impl Iterator<Item = (Option<&str>, &M)> {
        let (alone, group) = match self {
            Self::Module(module) => (Some((None, module)), None),
            Self::Group(group) => (None, Some(group.members())),
        };
        let members = group.into_iter().flatten().map(|(name, module)| (Some(name.as_str()), module));
        alone.into_iter().chain(members)
    }
}

/// A module with its settings.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Module {
    /// The place of the module, such as `registry://ghcr.io/…`. One without a scheme is in a
    /// registry.
    pub module: String,
    /// The settings; an object.
    pub settings: Value,
    /// The resources that the module may look up. A namespaced policy has none.
    pub context_aware_resources: Vec<ContextAwareResource>,
}
