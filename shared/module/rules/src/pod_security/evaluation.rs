//! The evaluation of one pod: each finding is tolerated, excluded or a violation.

use admission::{Fault, Lookup, Request};

use super::examine::ExaminedPod;
use super::exclude::{Candidates, Exclusions};
use super::existing::{ExistingViolations, new_part};
use super::finding::{Finding, Subject};
use super::report::{Hint, Report};
use super::standard::{CHECKS, Check, Revision, Unset};
use super::{LevelVersion, Modes, PodSecurity};
use crate::conditions::{Asker, EvalContext};
use crate::namespace_lookup::NamespaceLookup;
use crate::view::Pod;

pub(super) struct Evaluation<'a, 'd, 'o> {
    exclusions: &'a Exclusions,
    pod: ExaminedPod<'d>,
    context: EvalContext<'a, 'd>,
    /// The pod for any requesting user, if a controller created it and entries depend on users.
    of_controller: Option<EvalContext<'a, 'd>>,
    /// The pod before the update, or the template of the owner, if its violations are tolerated.
    old: Option<(ExaminedPod<'o>, EvalContext<'a, 'o>)>,
    lookup: NamespaceLookup<'a>,
    failures: Failures,
}

/// The faults that leave it open whether an entry excludes a finding.
#[derive(Clone, Default)]
pub(super) struct Failures {
    /// Faults that no enforced standard depends on, for the audit log.
    pub(super) errors: Vec<String>,
    /// The first fault that an enforced standard depends on.
    pub(super) undecided: Option<Fault>,
}

impl Failures {
    /// Records a fault for the audit log, once.
    pub(super) fn record(&mut self, fault: &Fault) {
        let error = fault.to_string();
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

impl<'a, 'd, 'o> Evaluation<'a, 'd, 'o> {
    /// Prepares a pod. `tolerated` is the pod before the update or the template of the owner, if
    /// its violations are tolerated.
    pub(super) fn of(
        policy: &'a PodSecurity,
        request: &'a Request<'d>,
        pod: Pod<'d>,
        tolerated: Option<Pod<'o>>,
        lookup: NamespaceLookup<'a>,
        failures: Failures,
    ) -> Result<Self, Fault> {
        let exclusions = &policy.exclusions;
        let entries = exclusions.0.len();
        let old = match tolerated {
            // Anyone may have made the old request, so conditions on the requesting user do not
            // apply.
            Some(old) => Some((ExaminedPod::of(old)?, EvalContext::of(Asker::Unknown, old, entries))),
            None => None,
        };
        let context = EvalContext::of(Asker::Of(request), pod, entries);
        let has_controller =
            request.kind == "Pod" && exclusions.depend_on_user() && pod.metadata().controller()?.is_some();
        let of_controller = has_controller.then(|| EvalContext::of(Asker::AnyUserIn(request), pod, entries));
        Ok(Self { exclusions, pod: ExaminedPod::of(pod)?, context, of_controller, old, lookup, failures })
    }

    /// Prepares a stored pod, which has no requesting user.
    pub(super) fn of_stored(
        policy: &'a PodSecurity,
        pod: Pod<'d>,
        lookup: NamespaceLookup<'a>,
    ) -> Result<Self, Fault> {
        let exclusions = &policy.exclusions;
        let context = EvalContext::of(Asker::Nobody, pod, exclusions.0.len());
        let (pod, failures) = (ExaminedPod::of(pod)?, Failures::default());
        Ok(Self { exclusions, pod, context, of_controller: None, old: None, lookup, failures })
    }

    pub(super) fn reports(&mut self, standards: &[(LevelVersion, Modes)]) -> Result<Vec<Report<'d>>, Fault> {
        let mut reports = Vec::new();
        for (standard, modes) in standards {
            let mut report = Report::new(standard.clone(), *modes);
            self.run(&mut report)?;
            reports.push(report);
        }
        Ok(reports)
    }

    /// Runs the checks of the report's standard. A superseded check runs only for findings whose
    /// stricter counterpart may be excluded.
    pub(super) fn run(&mut self, report: &mut Report<'d>) -> Result<(), Fault> {
        let (level, minor) = (report.standard.level, report.standard.version.minor());
        for check in CHECKS.iter().filter(|check| check.level <= level) {
            let Some(revision) = check.at(minor) else { continue };
            let mut stricter = None;
            if let Some((check, revision)) = check.superseded_at(level, minor) {
                let candidates = self.exclusions.candidates(check);
                if candidates.is_empty() || self.pod.is_exempt_from(revision) {
                    continue;
                }
                stricter = Some(candidates);
            }
            self.run_check(check, revision, stricter, report)?;
        }
        Ok(())
    }

    /// Returns the look-up and the failures, after all checks.
    pub(super) fn into_parts(self) -> (NamespaceLookup<'a>, Failures) {
        (self.lookup, self.failures)
    }

    fn run_check(
        &mut self,
        check: &'static Check,
        revision: &'static Revision,
        stricter: Option<Candidates>,
        report: &mut Report<'d>,
    ) -> Result<(), Fault> {
        let candidates = self.exclusions.candidates(check);
        let existing = self.existing_violations(check, revision, &candidates)?;
        let Self { exclusions, pod, context, of_controller, lookup, failures, .. } = self;
        let mut run = CheckRun {
            candidates,
            stricter,
            exclusions,
            context,
            of_controller: of_controller.as_mut(),
            lookup,
            failures,
            existing: existing.as_ref().map(ExistingViolations::lookup),
            pod_is_tolerated: false,
            pod_is_excluded: false,
            report,
        };
        pod.find(check, revision, &mut |finding| run.evaluate(finding))
    }

    /// Returns the violations of the old pod, if they are tolerated. Findings that an entry
    /// excluded are not violations: the exclusion carries its own conditions.
    fn existing_violations(
        &mut self,
        check: &'static Check,
        revision: &'static Revision,
        candidates: &[usize],
    ) -> Result<Option<ExistingViolations>, Fault> {
        let Self { exclusions, old, lookup, .. } = self;
        let Some((old, context)) = old else { return Ok(None) };
        let existing = ExistingViolations::of(old, check, revision, &mut |finding| {
            !matches!(exclusions.covering(candidates, finding, context, lookup), Ok(None))
        });
        existing.map(Some)
    }
}

struct CheckRun<'r, 'a, 'd> {
    /// The entries that name the check.
    candidates: Candidates,
    /// The entries that name the check that supersedes this one.
    stricter: Option<Candidates>,
    exclusions: &'r Exclusions,
    context: &'r mut EvalContext<'a, 'd>,
    of_controller: Option<&'r mut EvalContext<'a, 'd>>,
    lookup: &'r mut NamespaceLookup<'a>,
    failures: &'r mut Failures,
    /// The violations of the old pod, if they are tolerated.
    existing: Option<Lookup<&'r str>>,
    /// Whether the value of the pod that containers inherit is tolerated.
    pod_is_tolerated: bool,
    /// Whether an entry excludes that value.
    pod_is_excluded: bool,
    report: &'r mut Report<'d>,
}

enum Exclusion {
    /// The entry with this number covers it.
    By(usize),
    None,
    /// A look-up failed that an entry depends on.
    Undecided,
}

impl<'d> CheckRun<'_, '_, 'd> {
    /// Evaluates a finding, and adds it to the report unless it is tolerated.
    fn evaluate(&mut self, finding: Finding<'d>) -> Result<(), Fault> {
        let Some(mut finding) = self.without_existing(finding)? else { return Ok(()) };
        // For a superseded check, report only findings whose stricter counterpart is excluded.
        if let Some(stricter) = &self.stricter {
            let covering = self.exclusions.covering(stricter, &finding, self.context, self.lookup);
            if !matches!(self.exclusion(covering), Exclusion::By(_)) {
                return Ok(());
            }
        }
        let covering = self.exclusions.covering(&self.candidates, &finding, self.context, self.lookup);
        match self.exclusion(covering) {
            Exclusion::By(entry) => {
                self.pod_is_excluded |= matches!(finding.subject, Subject::Pod);
                self.report.add_excluded(&finding, entry)
            }
            Exclusion::None => {
                self.exclusions.narrow(&self.candidates, &mut finding, self.context, self.lookup)?;
                let hint = self.hint(&finding)?;
                self.report.add_violation(&finding, hint)
            }
            Exclusion::Undecided => Ok(()),
        }
    }

    /// Removes from a finding what is tolerated, and returns `None` if nothing is left.
    fn without_existing(&mut self, finding: Finding<'d>) -> Result<Option<Finding<'d>>, Fault> {
        let is_of_pod = matches!(finding.subject, Subject::Pod);
        let (inherits, unset) = (finding.inherits, finding.rule.unset);
        let new = match &self.existing {
            None => Some(finding),
            Some(existing) => new_part(finding, existing)?,
        };
        self.pod_is_tolerated |= is_of_pod && new.is_none();
        // A container that inherits a refused value repeats the finding of the pod. It counts only
        // if the pod's value does not: if that is tolerated, which it is for the containers that
        // the pod had before, or excluded by an entry that may not cover containers.
        let counts = self.pod_is_tolerated || unset == Unset::LeftToPod && self.pod_is_excluded;
        Ok(new.filter(|_| !inherits || counts))
    }

    /// Returns what a violation needs to be covered by an entry: a pod that another user creates,
    /// or read-only mounts. Only the message depends on it, so nothing is looked up for it.
    fn hint(&mut self, finding: &Finding<'d>) -> Result<Hint, Fault> {
        let Self { exclusions, candidates, context, lookup, .. } = self;
        if !self.report.modes.enforce {
            return Ok(Hint::None);
        }
        if exclusions.cover_read_only(candidates, finding, context, lookup)? {
            return Ok(Hint::ReadOnly);
        }
        let Some(context) = self.of_controller.as_mut() else { return Ok(Hint::None) };
        let candidates = self.candidates.iter().copied();
        let without_lookup = candidates.filter(|entry| !self.exclusions.need_lookup(*entry));
        let without_lookup: Candidates = without_lookup.collect();
        let entry = self.exclusions.covering(&without_lookup, finding, context, self.lookup)?;
        Ok(entry.map_or(Hint::None, Hint::OtherUsers))
    }

    /// Returns the entry that covers a finding, and keeps a fault.
    fn exclusion(&mut self, covering: Result<Option<usize>, Fault>) -> Exclusion {
        match covering {
            Ok(Some(entry)) => Exclusion::By(entry),
            Ok(None) => Exclusion::None,
            // A look-up that fails must not deny a request where violations do not.
            Err(fault) if !self.report.modes.enforce => {
                self.failures.record(&fault);
                Exclusion::None
            }
            Err(fault) => {
                self.failures.undecided.get_or_insert(fault);
                Exclusion::Undecided
            }
        }
    }
}
