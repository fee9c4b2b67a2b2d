//! What the policy judges: the resources, and the kinds with which a policy of Kyverno matches them.

use std::collections::BTreeSet;

use rules::pattern::Pattern;
use serde::Serialize;

/// A resource that has a pod or the template of one.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Target {
    Pod,
    EphemeralContainers,
    Resize,
    ReplicationController,
    PodTemplate,
    DaemonSet,
    Deployment,
    ReplicaSet,
    StatefulSet,
    CronJob,
    Job,
}

/// An operation that brings something to judge.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Operation {
    Create,
    Update,
}

/// Which requests reach the policy.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    api_groups: [&'static str; 1],
    api_versions: [&'static str; 1],
    resources: Vec<&'static str>,
    operations: Vec<Operation>,
}

impl Operation {
    /// Both of them.
    pub(super) const ALL: [Self; 2] = [Self::Create, Self::Update];

    /// What a request calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
        }
    }
}

impl Target {
    /// All of them.
    pub(super) const ALL: [Self; 11] = [
        Self::Pod,
        Self::EphemeralContainers,
        Self::Resize,
        Self::ReplicationController,
        Self::PodTemplate,
        Self::DaemonSet,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::CronJob,
        Self::Job,
    ];

    /// Those for which Kyverno derives a rule from one for pods.
    pub(super) const CONTROLLERS: [Self; 7] = [
        Self::ReplicationController,
        Self::DaemonSet,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::CronJob,
        Self::Job,
    ];

    /// Whether it is a pod and no template of one.
    pub(super) fn is_pod(self) -> bool {
        matches!(self, Self::Pod | Self::EphemeralContainers | Self::Resize)
    }

    /// The kind; that of the resource for a subresource.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Pod | Self::EphemeralContainers | Self::Resize => "Pod",
            Self::ReplicationController => "ReplicationController",
            Self::PodTemplate => "PodTemplate",
            Self::DaemonSet => "DaemonSet",
            Self::Deployment => "Deployment",
            Self::ReplicaSet => "ReplicaSet",
            Self::StatefulSet => "StatefulSet",
            Self::CronJob => "CronJob",
            Self::Job => "Job",
        }
    }

    /// The resource, with the subresource.
    pub(super) fn resource(self) -> &'static str {
        match self {
            Self::Pod => "pods",
            Self::EphemeralContainers => "pods/ephemeralcontainers",
            Self::Resize => "pods/resize",
            Self::ReplicationController => "replicationcontrollers",
            Self::PodTemplate => "podtemplates",
            Self::DaemonSet => "daemonsets",
            Self::Deployment => "deployments",
            Self::ReplicaSet => "replicasets",
            Self::StatefulSet => "statefulsets",
            Self::CronJob => "cronjobs",
            Self::Job => "jobs",
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Pod
            | Self::EphemeralContainers
            | Self::Resize
            | Self::ReplicationController
            | Self::PodTemplate => "",
            Self::DaemonSet | Self::Deployment | Self::ReplicaSet | Self::StatefulSet => "apps",
            Self::CronJob | Self::Job => "batch",
        }
    }

    fn is_subresource(self) -> bool {
        matches!(self, Self::EphemeralContainers | Self::Resize)
    }
}

/// The rules for some resources and operations. What there is below a pod is only ever updated.
pub(super) fn rules(targets: &BTreeSet<Target>, operations: &BTreeSet<Operation>) -> Vec<Rule> {
    let updates: BTreeSet<Operation> =
        operations.iter().copied().filter(|operation| *operation == Operation::Update).collect();
    let mut rules = Vec::new();
    for (group, subresources, operations) in [
        ("", false, operations),
        ("", true, &updates),
        ("apps", false, operations),
        ("batch", false, operations),
    ] {
        let wanted = |target: &&Target| target.group() == group && target.is_subresource() == subresources;
        let resources: Vec<&'static str> =
            targets.iter().filter(wanted).map(|target| target.resource()).collect();
        if !resources.is_empty() && !operations.is_empty() {
            rules.push(Rule {
                api_groups: [group],
                api_versions: ["v1"],
                resources,
                operations: operations.iter().copied().collect(),
            });
        }
    }
    rules
}

/// Whether some rules are about what is below a resource.
pub(super) fn have_subresources(rules: &[Rule]) -> bool {
    rules.iter().flat_map(|rule| &rule.resources).any(|resource| resource.contains('/'))
}

/// A kind as Kyverno writes it: `Pod`, `v1/Pod`, `apps/v1/Deployment`, `Pod/ephemeralcontainers`.
#[derive(Debug)]
pub(super) struct Kind<'k> {
    group: &'k str,
    version: &'k str,
    name: &'k str,
    subresource: Option<&'k str>,
}

impl<'k> Kind<'k> {
    /// Tells the parts apart; `None` if there are too many.
    pub(super) fn parse(text: &'k str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, name, subresource) = match parts.as_slice() {
            [kind] => ("*", "*", *kind, None),
            [version, kind] if is_version(version) => ("*", *version, *kind, None),
            [kind, subresource] => ("*", "*", *kind, Some(*subresource)),
            [group, version, kind] if is_version(version) => (*group, *version, *kind, None),
            [version, kind, subresource] => ("*", *version, *kind, Some(*subresource)),
            [group, version, kind, subresource] => (*group, *version, *kind, Some(*subresource)),
            _ => return None,
        };
        Some(Self { group, version, name, subresource })
    }

    /// What is matched.
    pub(super) fn targets(&self) -> BTreeSet<Target> {
        let fits = |target: &Target| {
            let subresource = target.resource().split_once('/').map(|(_, subresource)| subresource);
            Pattern::of(self.name).matches(target.kind())
                && Pattern::of(self.group).matches(target.group())
                && match (self.subresource, subresource) {
                    // A pod stands for what is below it, too.
                    (None, _) => true,
                    (Some(pattern), Some(subresource)) => Pattern::of(pattern).matches(subresource),
                    (Some(_), None) => false,
                }
        };
        Target::ALL.into_iter().filter(fits).collect()
    }

    /// Whether it is the kind Pod.
    pub(super) fn is_pod(&self) -> bool {
        self.name == "Pod" && self.subresource.is_none()
    }

    /// Whether it is about what is below a resource.
    pub(super) fn names_a_subresource(&self) -> bool {
        self.subresource.is_some()
    }

    /// The version, if it is one that no API server serves any more.
    pub(super) fn old_version(&self) -> Option<&'k str> {
        Some(self.version).filter(|version| !Pattern::of(version).matches("v1"))
    }
}

fn is_version(text: &str) -> bool {
    let mut chars = text.chars();
    text == "*" || chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit() || c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::manifest::POLICY;

    #[test]
    fn the_targets_are_what_the_policy_judges() {
        let scope = rules::find(POLICY).unwrap().scope.0.iter();
        let scope: BTreeSet<_> = scope.map(|rule| (rule.group, rule.kind, rule.resource)).collect();
        let targets = Target::ALL.into_iter();
        let targets: BTreeSet<_> =
            targets.map(|target| (target.group(), target.kind(), target.resource())).collect();
        assert_eq!(targets, scope);
    }

    #[test]
    fn the_rules_for_all_targets_are_those_that_the_policy_registers() {
        let wanted = rules::find(POLICY).unwrap().scope.0.iter().flat_map(|rule| {
            rule.operations.iter().map(|operation| (rule.group, rule.resource, format!("{operation:?}")))
        });
        let written = rules(&BTreeSet::from(Target::ALL), &BTreeSet::from(Operation::ALL));
        let written =
            written.iter().flat_map(|Rule { api_groups: [group], resources, operations, .. }| {
                resources.iter().flat_map(move |resource| {
                    operations.iter().map(move |operation| (*group, *resource, format!("{operation:?}")))
                })
            });
        assert_eq!(written.collect::<BTreeSet<_>>(), wanted.collect::<BTreeSet<_>>());
    }
}
