//! The resources that `pod-security` and `external-ips` evaluate.

use kubewarden::Operation;

/// A resource that is a pod, contains a pod template, or is a Service.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Target {
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
    Service,
}

/// The operations that create or change something to evaluate.
pub(crate) const OPERATIONS: [Operation; 2] = [Operation::Create, Operation::Update];

impl Target {
    pub(crate) const OF_EXTERNAL_IPS: [Self; 1] = [Self::Service];

    pub(crate) const OF_POD_SECURITY: [Self; 11] = [
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

    /// The workloads for which Kyverno derives a rule from a rule for pods.
    pub(crate) const CONTROLLERS: [Self; 7] = [
        Self::ReplicationController,
        Self::DaemonSet,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::CronJob,
        Self::Job,
    ];

    const fn names(self) -> Names {
        match self {
            Self::Pod => Names::of("", "Pod", "pods"),
            Self::EphemeralContainers => Names::of_pod("ephemeralcontainers", "pods/ephemeralcontainers"),
            Self::Resize => Names::of_pod("resize", "pods/resize"),
            Self::ReplicationController => Names::of("", "ReplicationController", "replicationcontrollers"),
            Self::PodTemplate => Names::of("", "PodTemplate", "podtemplates"),
            Self::DaemonSet => Names::of("apps", "DaemonSet", "daemonsets"),
            Self::Deployment => Names::of("apps", "Deployment", "deployments"),
            Self::ReplicaSet => Names::of("apps", "ReplicaSet", "replicasets"),
            Self::StatefulSet => Names::of("apps", "StatefulSet", "statefulsets"),
            Self::CronJob => Names::of("batch", "CronJob", "cronjobs"),
            Self::Job => Names::of("batch", "Job", "jobs"),
            Self::Service => Names::of("", "Service", "services"),
        }
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::OF_POD_SECURITY.into_iter().chain(Self::OF_EXTERNAL_IPS)
    }

    /// Whether the target is a pod, and not a workload with a pod template.
    pub(crate) fn is_pod(self) -> bool {
        self.kind() == "Pod"
    }

    /// The API group, empty for the core group.
    pub(crate) fn group(self) -> &'static str {
        self.names().group
    }

    /// The kind; for a subresource, that of its resource.
    pub(crate) fn kind(self) -> &'static str {
        self.names().kind
    }

    /// The resource, without the subresource.
    pub(crate) fn resource(self) -> &'static str {
        self.names().resource
    }

    pub(crate) fn subresource(self) -> Option<&'static str> {
        self.names().subresource
    }

    /// The resource and the subresource: `pods`, `pods/resize`.
    pub(crate) fn path(self) -> &'static str {
        self.names().path
    }
}

struct Names {
    group: &'static str,
    kind: &'static str,
    resource: &'static str,
    subresource: Option<&'static str>,
    path: &'static str,
}

impl Names {
    const fn of(group: &'static str, kind: &'static str, resource: &'static str) -> Self {
        Self { group, kind, resource, subresource: None, path: resource }
    }

    const fn of_pod(subresource: &'static str, path: &'static str) -> Self {
        Self { group: "", kind: "Pod", resource: "pods", subresource: Some(subresource), path }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::external_ips::EXTERNAL_IPS;
    use crate::settings::POD_SECURITY;

    #[test]
    fn targets_are_the_resources_that_the_policies_evaluate() {
        let policies: [(&str, &[Target]); 2] =
            [(POD_SECURITY, &Target::OF_POD_SECURITY), (EXTERNAL_IPS, &Target::OF_EXTERNAL_IPS)];
        for (policy, targets) in policies {
            let scope = rules::find(policy).unwrap().scope.0.iter().filter(|rule| rule.registered);
            let scope: BTreeSet<_> = scope.map(|rule| (rule.group, rule.kind, rule.resource)).collect();
            let targets = targets.iter();
            let targets: BTreeSet<_> =
                targets.map(|target| (target.group(), target.kind(), target.path())).collect();
            assert_eq!(targets, scope);
        }
    }

    #[test]
    fn paths_join_resources_and_subresources() {
        for target in Target::all() {
            let path = match target.subresource() {
                Some(subresource) => format!("{}/{subresource}", target.resource()),
                None => target.resource().to_owned(),
            };
            assert_eq!(target.path(), path);
        }
    }
}
