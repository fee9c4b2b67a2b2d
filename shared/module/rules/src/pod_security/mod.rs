//! The Pod Security Standards: what pods may ask of their node, every version, with exclusions.
//!
//! # Why
//! In-tree admission judges a namespace by one level and knows no exceptions, so that one sidecar with one
//! capability opens its whole namespace. Here a violation is let be where an entry of the settings covers exactly
//! it.
//!
//! # Denied
//! Pods, and templates of pods, that violate the level at its version: see [`standard`] for every check.
//!
//! # Order
//! Exemptions by namespace and user, then updates that change nothing that runs, then labels of the Namespace where
//! they count, then the exemption by runtime class, then the checks, each finding by itself: what the old object
//! has is tolerated where settings say so, what an entry covers is let be, the rest is reported.
//!
//! # Sources
//! - Pod Security Standards: <https://kubernetes.io/docs/concepts/security/pod-security-standards/>
//! - Pod Security Admission: k8s.io/pod-security-admission, KEP-2579
//! - `validate.podSecurity` of Kyverno, for the settings of exclusions

mod examine;
mod exclude;
mod exemptions;
mod existing;
mod finding;
mod level;
mod report;
mod settings;
mod significance;
pub mod standard;

use admission::{
    Cluster, Fault, How, Json, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict,
};

use crate::namespace_lookup::NamespaceLookup;
use crate::summary::LONGEST;
use crate::view::{Namespace, Pod};
use examine::Examined;
use exclude::{EvalContext, Exclusions};
use exemptions::Exemptions;
use existing::{Existing, new_part};
use finding::Subject;
pub use level::{Level, LevelVersion, NEWEST, Version};
use report::Report;
pub use settings::{ExistingViolations, NamespaceLabels, Templates};
use significance::is_significant;
use standard::{CHECKS, Check, Revision};

/// The policy: its settings, understood.
#[derive(Debug)]
pub struct PodSecurity {
    enforce: LevelVersion,
    audit: Option<LevelVersion>,
    warn: Option<LevelVersion>,
    exclusions: Exclusions,
    exemptions: Exemptions,
    existing_violations: ExistingViolations,
    templates: Templates,
    namespace_labels: NamespaceLabels,
}

/// What becomes of the violations of a level: any of the three.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Modes {
    enforce: bool,
    audit: bool,
    warn: bool,
}

impl Modes {
    fn names(self) -> Vec<String> {
        let modes = [(self.enforce, "enforce"), (self.audit, "audit"), (self.warn, "warn")];
        modes.into_iter().filter(|(is_one, _)| *is_one).map(|(_, name)| name.to_owned()).collect()
    }
}

/// The keys of the audit annotations, as in-tree but the last.
const ENFORCE_POLICY: &str = "enforce-policy";
const AUDIT_VIOLATIONS: &str = "audit-violations";
const EXEMPT: &str = "exempt";
const ERROR: &str = "error";
const CONTROLS: &str = "controls";

/// Subresources of pods through which nothing changes that a standard is about.
const HARMLESS: [&str; 8] =
    ["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"];

const fn rule(
    group: &'static str,
    kind: &'static str,
    resource: &'static str,
    operations: &'static [Operation],
) -> ScopeRule {
    ScopeRule { group, versions: &["v1"], kind, resource, operations, registered: true }
}

const WRITTEN: &[Operation] = &[Operation::Create, Operation::Update];

impl Policy for PodSecurity {
    const ID: &'static str = "pod-security";

    const SCOPE: Scope = Scope(&[
        rule("", "Pod", "pods", WRITTEN),
        rule("", "Pod", "pods/ephemeralcontainers", &[Operation::Update]),
        rule("", "Pod", "pods/resize", &[Operation::Update]),
        rule("", "PodTemplate", "podtemplates", WRITTEN),
        rule("", "ReplicationController", "replicationcontrollers", WRITTEN),
        rule("apps", "DaemonSet", "daemonsets", WRITTEN),
        rule("apps", "Deployment", "deployments", WRITTEN),
        rule("apps", "ReplicaSet", "replicasets", WRITTEN),
        rule("apps", "StatefulSet", "statefulsets", WRITTEN),
        rule("batch", "CronJob", "cronjobs", WRITTEN),
        rule("batch", "Job", "jobs", WRITTEN),
    ]);

    const READS: Reads = Reads(&[Read { api_version: "v1", kind: "Namespace", how: How::Get }]);

    const EMITS_WARNINGS: bool = true;

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_POD_SECURITY_IN_ANY_KIND;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    /// As in-tree: every subresource of pods that is not known to be harmless is as good as the pod, those that
    /// nobody knows yet as well, where an operator registers them.
    fn matches(request: &Request<'_>) -> bool {
        let is_of_a_pod =
            request.kind == "Pod" && request.group.is_empty() && !request.subresource.is_empty();
        Self::SCOPE.covers(request)
            || is_of_a_pod && WRITTEN.contains(&request.operation) && !HARMLESS.contains(&request.subresource)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let is_template = request.kind != "Pod";
        if is_template && self.templates == Templates::Ignore {
            return Ok(Verdict::admit());
        }
        let object = request.object()?;
        let namespace = request.namespace()?.or(Pod::of(object).metadata().namespace().filled_text()?);
        if let Some(why) = self.exemptions.of_request(request, namespace)? {
            return Ok(Verdict::admit().annotate(EXEMPT, why.to_owned()));
        }
        let pod = Pod::in_object(object, request.kind);
        let old = match request.operation {
            Operation::Update => Some(Pod::in_object(request.stored_object()?, request.kind)),
            _ => None,
        };
        if let Some(old) = old
            && !is_template
            && !is_significant(old, pod)?
        {
            return Ok(Verdict::admit());
        }
        let enforcing = match self.templates {
            _ if !is_template => Modes { enforce: true, ..Modes::default() },
            Templates::Warn => Modes { warn: true, ..Modes::default() },
            // A workload that is only scaled must not be stuck with its template, such as the old ReplicaSet of a
            // Deployment that was put right.
            _ if old.is_some_and(|old| pod.is_same(old)) => Modes::default(),
            _ => Modes { enforce: true, ..Modes::default() },
        };
        let mut lookup = NamespaceLookup::new(namespace, cluster, Namespace::LABELLED);
        let mut errors = Vec::new();
        let standards = match self.standards(&mut lookup, &mut errors) {
            // As in-tree, where no template is denied.
            Err(fault) if !enforcing.enforce => {
                return Ok(Verdict::admit().annotate(ERROR, fault.to_string()));
            }
            other => other?,
        };
        if let Some(why) = self.exemptions.of_pod(pod)? {
            return Ok(Verdict::admit().annotate(EXEMPT, why.to_owned()));
        }
        // What is being deleted makes no pods any more, and has to be rid of its finalizers.
        let goes = is_template && Pod::of(object).metadata().deletion_timestamp().is_present()?;
        let tolerates = goes || self.existing_violations == ExistingViolations::Tolerate;
        let old = match old {
            Some(old) if tolerates => Some((old, Examined::of(old)?)),
            _ => None,
        };
        let examined = Examined::of(pod)?;
        let entries = self.exclusions.0.len();
        let mut judgement = Judgement {
            policy: self,
            examined: &examined,
            old: old.as_ref().map(|(pod, old)| (old, EvalContext::of(None, *pod, entries))),
            context: EvalContext::of(Some(request), pod, entries),
            lookup,
            errors,
            undecided: None,
        };
        let mut reports = Vec::new();
        for (standard, modes) in standards.by_standard(enforcing) {
            let mut report = Report::new(standard, modes);
            judgement.judge(&mut report)?;
            reports.push(report);
        }
        let Judgement { mut errors, undecided, .. } = judgement;
        if let Some(fault) = undecided {
            // What is refused whatever the cluster would have answered, is refused with its reason.
            if !reports.iter().any(|report| report.modes.enforce && report.refuses()) {
                return Err(fault);
            }
            note(&mut errors, &fault);
        }
        Ok(verdict(reports, &errors))
    }
}

/// What a pod is held against, by mode.
struct ByMode {
    enforce: LevelVersion,
    audit: Option<LevelVersion>,
    warn: Option<LevelVersion>,
}

impl ByMode {
    /// The same by level and version, as none is judged twice; `enforcing` is what becomes of what is enforced.
    fn by_standard(self, enforcing: Modes) -> Vec<(LevelVersion, Modes)> {
        // What is warned of anyway is not warned of twice.
        let is_warned_of = |warn: &LevelVersion| {
            !enforcing.enforce && warn.level >= self.enforce.level && warn.version == self.enforce.version
        };
        let enforcing =
            if self.warn.as_ref().is_some_and(is_warned_of) { Modes::default() } else { enforcing };
        let all = [
            (Some(self.enforce), enforcing),
            (self.audit, Modes { audit: true, ..Modes::default() }),
            (self.warn, Modes { warn: true, ..Modes::default() }),
        ];
        let mut standards: Vec<(LevelVersion, Modes)> = Vec::new();
        for (standard, mode) in all {
            let Some(standard) = standard else { continue };
            match standards.iter_mut().find(|(known, _)| *known == standard) {
                Some((_, modes)) => {
                    modes.audit |= mode.audit;
                    modes.warn |= mode.warn;
                }
                None if mode == Modes::default() => {}
                None => standards.push((standard, mode)),
            }
        }
        standards
    }
}

impl PodSecurity {
    /// What pods are held against here: the settings, or what the labels of the Namespace say.
    fn standards(&self, lookup: &mut NamespaceLookup<'_>, errors: &mut Vec<String>) -> Result<ByMode, Fault> {
        let Self { enforce, audit, warn, namespace_labels, .. } = self;
        if *namespace_labels == NamespaceLabels::Ignore {
            return Ok(ByMode { enforce: enforce.clone(), audit: audit.clone(), warn: warn.clone() });
        }
        let (standards, mut wrong) = lookup.namespace(&|namespace| {
            let labels = namespace.metadata().labels();
            let mut wrong = Vec::new();
            let mut of = |level, version, default: &Option<LevelVersion>, otherwise| {
                let (level, version) = (labels.at(level), labels.at(version));
                let none = LevelVersion { level: Level::Privileged, ..LevelVersion::default() };
                let default = default.as_ref().unwrap_or(&none);
                LevelVersion::of_labels(level, version, default, otherwise, &mut wrong)
            };
            let enforced = of(
                "pod-security.kubernetes.io/enforce",
                "pod-security.kubernetes.io/enforce-version",
                &Some(enforce.clone()),
                Level::Restricted,
            )?;
            let audited = of(
                "pod-security.kubernetes.io/audit",
                "pod-security.kubernetes.io/audit-version",
                audit,
                Level::Privileged,
            )?;
            let mut warned = of(
                "pod-security.kubernetes.io/warn",
                "pod-security.kubernetes.io/warn-version",
                warn,
                Level::Privileged,
            )?;
            // As in-tree: who enforces more than is warned of and names no level to warn of, is warned of it, too.
            let wanted = labels.at("pod-security.kubernetes.io/enforce").text()?.and_then(Level::named);
            let warns = labels.at("pod-security.kubernetes.io/warn").is_present()?;
            if !warns && wanted.is_some_and(|level| level > warned.level) {
                warned.level = enforced.level;
                if !labels.at("pod-security.kubernetes.io/warn-version").is_present()? {
                    warned.version = enforced.version.clone();
                }
            }
            Ok((ByMode { enforce: enforced, audit: Some(audited), warn: Some(warned) }, wrong))
        })?;
        errors.append(&mut wrong);
        Ok(standards)
    }
}

/// A pod that is judged.
struct Judgement<'a, 'd> {
    policy: &'a PodSecurity,
    examined: &'a Examined<'d>,
    /// What was there before, where it is tolerated.
    old: Option<(&'a Examined<'d>, EvalContext<'a, 'd>)>,
    context: EvalContext<'a, 'd>,
    lookup: NamespaceLookup<'a>,
    errors: Vec<String>,
    /// Why it is not known of some violation whether an entry lets it be.
    undecided: Option<Fault>,
}

impl<'d> Judgement<'_, 'd> {
    /// Holds the pod against a level and version.
    fn judge(&mut self, report: &mut Report<'d>) -> Result<(), Fault> {
        let LevelVersion { level, version } = &report.standard;
        let (level, minor) = (*level, version.minor());
        for check in CHECKS.iter().filter(|check| check.level <= level) {
            let Some(revision) = check.at(minor) else { continue };
            let stricter = check.replaced_at(level, minor);
            if let Some((stricter, demands)) = stricter
                && (!self.policy.exclusions.name(stricter) || self.examined.is_exempt_from(demands))
            {
                continue;
            }
            self.check(check, revision, stricter.map(|(check, _)| check), report)?;
        }
        Ok(())
    }

    /// Holds the pod against a check. Of one that a stricter check is reported in place of, only that counts which
    /// the settings let be there.
    fn check(
        &mut self,
        check: &'static Check,
        revision: &'static Revision,
        stricter: Option<&'static Check>,
        report: &mut Report<'d>,
    ) -> Result<(), Fault> {
        let exclusions = &self.policy.exclusions;
        let enforces = report.modes.enforce;
        let Self { context, lookup, errors, undecided, .. } = self;
        let existing = match &mut self.old {
            // What an entry let be is for what the entry is about, and no right of the object.
            Some((old, context)) => Some(Existing::of(old, check, revision, &mut |finding| {
                !matches!(exclusions.covering(check, finding, context, lookup), Ok(None))
            })?),
            None => None,
        };
        let existing = existing.as_ref().map(Existing::lookup);
        let mut pod_is_tolerated = false;
        self.examined.find(check, revision, &mut |finding| {
            let is_of_pod = matches!(finding.subject, Subject::Pod);
            let inherits = finding.inherits;
            let finding = match &existing {
                None => Some(finding),
                Some(existing) => new_part(finding, existing)?,
            };
            pod_is_tolerated |= is_of_pod && finding.is_none();
            // What a container has from its pod is the pod's, unless the pod may have it for the containers that it had.
            let Some(mut finding) = finding.filter(|_| !inherits || pod_is_tolerated) else { return Ok(()) };
            let mut covering = |check| match exclusions.covering(check, &finding, context, lookup) {
                Ok(entry) => Some(entry),
                // Where nothing is denied, what cannot be looked up denies nothing either.
                Err(fault) if !enforces => {
                    note(errors, &fault);
                    Some(None)
                }
                Err(fault) => {
                    undecided.get_or_insert(fault);
                    None
                }
            };
            if let Some(stricter) = stricter {
                match covering(stricter) {
                    Some(Some(_)) => {}
                    Some(None) | None => return Ok(()),
                }
            }
            let Some(entry) = covering(check) else { return Ok(()) };
            if entry.is_none() {
                exclusions.narrow(&mut finding, context, lookup)?;
            }
            report.add(&finding, entry)
        })
    }
}

/// Keeps a fault for the audit log, once.
fn note(errors: &mut Vec<String>, fault: &Fault) {
    let error = fault.to_string();
    if !errors.contains(&error) {
        errors.push(error);
    }
}

/// What becomes of a pod after all reports, and what is said besides.
fn verdict<'d>(reports: Vec<Report<'d>>, errors: &[String]) -> Verdict<'d> {
    let mut warnings = Vec::new();
    let mut annotations = Vec::new();
    let mut controls = Vec::new();
    let mut verdict = Verdict::admit();
    let mut denied = false;
    for report in reports {
        report.controls(&mut controls);
        if report.modes.enforce {
            annotations.push((ENFORCE_POLICY, report.standard.to_string()));
        }
        if report.modes.audit && report.refuses() {
            let mut violations = report.start();
            for (index, line) in report.lines("", usize::MAX).into_iter().enumerate() {
                violations.push_str(if index == 0 { "" } else { "; " });
                violations.push_str(&line);
            }
            annotations.push((AUDIT_VIOLATIONS, violations));
        }
        if report.modes.warn {
            warnings.append(&mut report.lines(&report.start(), LONGEST));
        }
        if report.modes.enforce {
            denied = report.refuses();
            verdict = report.violations.into();
        }
    }
    if !errors.is_empty() {
        annotations.push((ERROR, errors.join("; ")));
    }
    if !controls.is_empty() {
        annotations.push((CONTROLS, Json::array(&controls).into_text()));
    }
    // As in-tree: who is denied is told why, and not warned of it.
    if !denied {
        for warning in warnings {
            verdict = verdict.warn(warning);
        }
    }
    for (key, annotation) in annotations {
        verdict = verdict.annotate(key, annotation);
    }
    verdict
}
