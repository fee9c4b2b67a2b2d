//! The scope of the policy, and the steps of a review.

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict,
};

use super::evaluation::{Evaluation, Failures};
use super::owner::Owner;
use super::report::Report;
use super::significance::is_significant;
use super::verdict::{exempt, unevaluated, verdict};
use super::{
    ExistingViolations, Modes, NamespaceLabels, PodSecurity, StandardsByMode, Templates, namespace_labels,
    settings, standard,
};
use crate::namespace_lookup::NamespaceLookup;
use crate::view::{Namespace, Pod};

/// Subresources of pods that cannot change what the standards restrict.
const HARMLESS: [&str; 8] =
    ["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"];

const fn got(api_version: &'static str, kind: &'static str) -> Read {
    Read { api_version, kind, how: How::Get }
}

const WRITTEN: &[Operation] = &[Operation::Create, Operation::Update];

impl Policy for PodSecurity {
    const ID: &'static str = "pod-security";

    const SCOPE: Scope = Scope(&[
        ScopeRule::new("", "Pod", "pods", WRITTEN),
        ScopeRule::new("", "Pod", "pods/ephemeralcontainers", &[Operation::Update]),
        ScopeRule::new("", "Pod", "pods/resize", &[Operation::Update]),
        // For warnings about existing pods, with `namespaceLabels: Honor`.
        ScopeRule::new("", "Namespace", "namespaces", &[Operation::Update]).unregistered(),
        ScopeRule::new("", "PodTemplate", "podtemplates", WRITTEN),
        ScopeRule::new("", "ReplicationController", "replicationcontrollers", WRITTEN),
        ScopeRule::new("apps", "DaemonSet", "daemonsets", WRITTEN),
        ScopeRule::new("apps", "Deployment", "deployments", WRITTEN),
        ScopeRule::new("apps", "ReplicaSet", "replicasets", WRITTEN),
        ScopeRule::new("apps", "StatefulSet", "statefulsets", WRITTEN),
        ScopeRule::new("batch", "CronJob", "cronjobs", WRITTEN),
        ScopeRule::new("batch", "Job", "jobs", WRITTEN),
    ]);

    const READS: Reads = Reads(&[
        got("apps/v1", "DaemonSet"),
        got("apps/v1", "Deployment"),
        got("apps/v1", "ReplicaSet"),
        got("apps/v1", "StatefulSet"),
        got("batch/v1", "CronJob"),
        got("batch/v1", "Job"),
        got("v1", "Namespace"),
        Read { api_version: "v1", kind: "Pod", how: How::ListIn },
        got("v1", "ReplicationController"),
    ]);

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_POD_SECURITY_IN_ANY_KIND;

    const RULES: &'static [(&'static str, &'static str)] = &standard::CONTROLS;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    /// Whether the policy evaluates a request. As in-tree, every subresource of pods that is not
    /// known to be harmless is evaluated, those of future versions included, if an operator
    /// registers it.
    fn matches(request: &Request<'_>) -> bool {
        let is_pod_subresource =
            request.kind == "Pod" && request.group.is_empty() && !request.subresource.is_empty();
        Self::SCOPE.covers(request)
            || is_pod_subresource
                && WRITTEN.contains(&request.operation)
                && !HARMLESS.contains(&request.subresource)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        if request.kind == "Namespace" {
            return self.review_namespace(request, cluster);
        }
        if is_template(request) && self.templates == Templates::Ignore {
            return Ok(Verdict::admit());
        }
        let object = request.object()?;
        let namespace = request.namespace()?.or(Pod::of(object).metadata().namespace().filled_text()?);
        if let Some(reason) = self.exemptions.of_request(request, namespace)? {
            return Ok(exempt(reason));
        }
        let target = Target::of(request, object)?;
        if target.is_insignificant_update()? {
            return Ok(Verdict::admit());
        }
        let enforcement = self.enforcement(&target);
        let mut lookup = NamespaceLookup::new(namespace, cluster, Namespace::LABELLED);
        let mut failures = Failures::default();
        let standards = match self.standards(&mut lookup, &mut failures) {
            Ok(standards) => standards,
            // As in-tree, a failed look-up does not deny a request that violations would not deny.
            Err(fault) if !enforcement.enforce => return Ok(unevaluated(fault.to_string())),
            Err(fault) => return Err(fault),
        };
        if let Some(reason) = self.exemptions.of_pod(target.pod)? {
            return Ok(exempt(reason));
        }
        let standards = standards.distinct(enforcement);
        let of_labels = failures.clone();
        let tolerated = self.tolerated(&target)?;
        let mut evaluation = Evaluation::of(self, request, target.pod, tolerated, lookup, failures)?;
        let reports = evaluation.reports(&standards)?;
        let (lookup, failures) = evaluation.into_parts();
        if self.existing_violations == ExistingViolations::TolerateOwned
            && reports.iter().any(|report| report.modes.enforce && report.has_violations())
            && let Some(owner) = Owner::look_up(request, Pod::of(object), namespace, cluster)?
        {
            let mut tolerant = None;
            let mut rest = Some((lookup, of_labels));
            owner.template(&mut |template| {
                if let Some((lookup, failures)) = rest.take() {
                    let pod = target.pod;
                    let mut evaluation =
                        Evaluation::of(self, request, pod, Some(template), lookup, failures)?;
                    let reports = evaluation.reports(&standards)?;
                    tolerant = Some((reports, evaluation.into_parts().1));
                }
                Ok(())
            })?;
            if let Some((reports, failures)) = tolerant {
                return conclude(reports, failures);
            }
        }
        conclude(reports, failures)
    }
}

struct Target<'d> {
    object: Node<'d>,
    pod: Pod<'d>,
    /// The pod before an update.
    old: Option<Pod<'d>>,
    is_template: bool,
}

fn is_template(request: &Request<'_>) -> bool {
    request.kind != "Pod"
}

impl<'d> Target<'d> {
    fn of(request: &Request<'d>, object: Node<'d>) -> Result<Self, Fault> {
        let old = match request.operation {
            Operation::Update => Some(Pod::in_object(request.stored_object()?, request.kind)),
            _ => None,
        };
        let pod = Pod::in_object(object, request.kind);
        Ok(Self { object, pod, old, is_template: is_template(request) })
    }

    fn is_insignificant_update(&self) -> Result<bool, Fault> {
        match self.old {
            Some(old) if !self.is_template => Ok(!is_significant(old, self.pod)?),
            _ => Ok(false),
        }
    }

    /// Whether an update leaves the pod or the template as it was.
    fn is_unchanged(&self) -> bool {
        self.old.is_some_and(|old| self.pod.is_same(old))
    }

    fn is_workload_being_deleted(&self) -> Result<bool, Fault> {
        Ok(self.is_template && Pod::of(self.object).metadata().deletion_timestamp().is_present()?)
    }
}

impl PodSecurity {
    fn enforcement(&self, target: &Target<'_>) -> Modes {
        match self.templates {
            _ if !target.is_template => Modes::ENFORCE,
            Templates::Warn => Modes::WARN,
            // An unchanged template must not block a workload: the old ReplicaSet of a corrected
            // Deployment, for example, has to be scaled down.
            _ if target.is_unchanged() => Modes::NONE,
            _ => Modes::ENFORCE,
        }
    }

    /// Returns the standards for the pod: those of the settings or those of the Namespace's labels.
    /// Invalid labels are recorded as errors.
    fn standards(
        &self,
        lookup: &mut NamespaceLookup<'_>,
        failures: &mut Failures,
    ) -> Result<StandardsByMode, Fault> {
        if self.namespace_labels == NamespaceLabels::Ignore {
            return Ok(self.standards.clone());
        }
        let (standards, mut invalid) = lookup.namespace(&|namespace| {
            namespace_labels::standards(namespace.metadata().labels(), &self.standards)
        })?;
        failures.errors.append(&mut invalid);
        Ok(standards)
    }

    /// Returns the pod before the update, if its violations are tolerated.
    fn tolerated<'d>(&self, target: &Target<'d>) -> Result<Option<Pod<'d>>, Fault> {
        // A workload that is being deleted makes no more pods, and its finalizers must be
        // removable.
        let tolerates =
            target.is_workload_being_deleted()? || self.existing_violations != ExistingViolations::Recheck;
        Ok(target.old.filter(|_| tolerates))
    }
}

/// Returns the verdict of all reports, or the fault if a failed look-up leaves it open.
fn conclude(reports: Vec<Report<'_>>, mut failures: Failures) -> Result<Verdict<'_>, Fault> {
    if let Some(fault) = failures.undecided.take() {
        // A violation that does not depend on the look-up denies the request in any case.
        if !reports.iter().any(|report| report.modes.enforce && report.has_violations()) {
            return Err(fault);
        }
        failures.record(&fault);
    }
    Ok(verdict(reports, &failures.errors))
}
