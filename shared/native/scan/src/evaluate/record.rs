//! The findings and counts that the answers about a subject make.

use admission::Policy as _;
use kubewarden::matching::Decision;
use report::{Finding, Mutation, Notice, ObjectRef, Status};
use rules::pod_security::PodSecurity;
use serde_json::Value;

use super::{Output, Walk};
use crate::ask::{Answer, Asked};
use crate::diff;
use crate::exceptions::{Exceptions, Remark};
use crate::locate::Locator;
use crate::observer::Explanation;
use crate::restricted::restricted_field;
use crate::spot::Spot;
use crate::subject::stable_path;
use crate::verdict::{Effect, Verdict, names_violations};
use crate::violation::{Denial, Violation, of_text};

/// The subject of a request: an object, or the pod that a workload would make.
pub(super) struct Subject<'e> {
    pub(super) spot: &'e Spot,
    pub(super) reference: ObjectRef,
    /// Whether the input contains the object, so that paths have places.
    pub(super) has_places: bool,
    /// Whether the object has a template of pods, and is not one of Kubernetes' own workloads.
    pub(super) has_template: bool,
    /// The exceptions of the object; for a pod, those of its workload.
    pub(super) exceptions: Exceptions,
}

/// The outcome of an object at a policy, the worst last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Outcome {
    Skipped,
    Admitted,
    Mutated,
    Monitored,
    Unknown,
    Denied,
}

pub(super) struct Record<'j> {
    walk: &'j Walk<'j>,
    subject: Subject<'j>,
    locator: &'j Locator<'j>,
    output: &'j mut Output,
    outcomes: Vec<Outcome>,
}

impl<'j> Record<'j> {
    pub(super) fn new(
        walk: &'j Walk<'j>,
        subject: Subject<'j>,
        locator: &'j Locator<'j>,
        output: &'j mut Output,
    ) -> Self {
        let outcomes = vec![Outcome::Skipped; walk.policies.len()];
        Self { walk, subject, locator, output, outcomes }
    }

    pub(super) fn add(&mut self, answer: &Answer, asked: Asked<'_>) {
        if self.walk.explains {
            self.output.explanations.push(Explanation {
                policy: answer.policy,
                object: self.subject.reference.clone(),
                concerns_pods: asked.concerns_pods(),
                is_called: answer.decision.is_called(),
                why: answer.decision.explain(),
            });
        }
        self.output.lacking.extend(answer.verdict.lacking.iter().cloned());
        let found = self.add_findings(answer, asked);
        if let Some(outcome) = self.outcomes.get_mut(answer.policy) {
            *outcome = found.max(*outcome);
        }
    }

    /// Counts the subject, and adds the remarks about its exceptions.
    pub(super) fn finish(mut self) {
        self.count();
        let Self { subject, locator, output, outcomes, .. } = self;
        let is_unknown = |policy: usize| outcomes.get(policy) == Some(&Outcome::Unknown);
        for Remark { level, path, message } in subject.exceptions.remarks(&is_unknown) {
            let place = Some(locator.place(subject.spot, Some(&path)));
            output.notices.push(Notice { level, place, message });
        }
    }

    fn add_findings(&mut self, answer: &Answer, asked: Asked<'_>) -> Outcome {
        let index = answer.policy;
        let Verdict { warnings, warned, .. } = &answer.verdict;
        for warning in warnings.iter().filter(|warning| warned.is_empty() || !names_violations(warning)) {
            self.add_finding(Status::Warned, index, &of_text(warning.clone(), None), asked);
        }
        for violation in warned {
            self.add_finding(Status::Warned, index, violation, asked);
        }
        match &answer.verdict.effect {
            // A condition is part of the policy. If the policy counted as not asked, a scan of
            // flawless objects would have evaluated nothing.
            Effect::Skipped if matches!(answer.decision, Decision::ConditionIsFalse(_)) => Outcome::Admitted,
            Effect::Skipped => Outcome::Skipped,
            Effect::Admitted => Outcome::Admitted,
            Effect::Mutated(object) => {
                if self.walk.options.reports_mutations {
                    let mutation = mutation(index, object.clone(), asked, &self.subject, self.locator);
                    self.output.mutations.push(mutation);
                }
                Outcome::Mutated
            }
            Effect::Denied(denial) => {
                self.add_denial(Status::Denied, index, denial, asked);
                Outcome::Denied
            }
            Effect::Monitored(denial) => {
                self.add_denial(Status::Monitored, index, denial, asked);
                Outcome::Monitored
            }
            Effect::Fault(reason) | Effect::Unknown(reason) => {
                // The report has one notice for a policy that evaluates nothing.
                if self.walk.policies.get(index).is_none_or(|policy| policy.unavailable().is_none()) {
                    self.add_finding(Status::Unknown, index, &of_text(reason.clone(), None), asked);
                }
                Outcome::Unknown
            }
        }
    }

    fn add_denial(&mut self, status: Status, index: usize, denial: &Denial, asked: Asked<'_>) {
        for violation in &denial.violations {
            self.add_finding(status, index, violation, asked);
        }
        if denial.more > 0 {
            let more = format!("and {} further violations", denial.more);
            let more = Violation { reason: "further violations".to_owned(), ..of_text(more, None) };
            self.add_finding(status, index, &more, asked);
        }
    }

    fn add_finding(&mut self, status: Status, index: usize, violation: &Violation, asked: Asked<'_>) {
        let subject = &self.subject;
        let (steps, message) = asked.locate(violation);
        let message = match self.walk.policies.get(index).and_then(|policy| policy.message.as_ref()) {
            Some(instead) if matches!(status, Status::Denied | Status::Monitored) => {
                format!("{instead}: {message}")
            }
            _ => message,
        };
        let path = steps.as_deref().filter(|_| subject.has_places);
        let general = match status {
            Status::Denied | Status::Monitored => report::DENIED,
            Status::Unknown => report::FAULT,
            Status::Warned => report::WARNING,
        };
        self.output.findings.push(Finding {
            status,
            policy: index,
            rule: violation.rule.map_or(general, |rule| rule.id).to_owned(),
            rule_name: violation.rule.map(|rule| rule.name.to_owned()),
            object: subject.reference.clone(),
            restricted_field: violation
                .rule
                .filter(|rule| rule.policy == PodSecurity::ID)
                .and_then(|rule| restricted_field(rule.id, steps.as_deref()?)),
            path: steps.as_deref().map(manifest::path),
            // A value outside of the object, such as one of the old object, has a place, too.
            stable_path: match (steps.as_deref(), violation.payload_steps()) {
                (Some(steps), _) => Some(stable_path(asked.object(), steps)),
                (None, steps) => steps.and_then(<[_]>::split_first).map(|(_, rest)| manifest::path(rest)),
            },
            value_digest: violation.refused(asked.request).map(|value| report::digest(&value)),
            message,
            reason: violation.reason.clone(),
            remedy: violation.remedy.as_ref().map(ToString::to_string),
            place: Some(self.locator.place(subject.spot, path)),
            concerns_pods: asked.concerns_pods(),
            others: Vec::new(),
            excepted: subject.exceptions.covering(status, index, violation.rule.map(|rule| rule.id)),
            is_known: false,
        });
    }

    fn count(&mut self) {
        let all = &mut self.output.totals;
        all.objects += 1;
        let mut is_evaluated = false;
        for (index, (outcome, totals)) in self.outcomes.iter().zip(&mut all.policies).enumerate() {
            if *outcome > Outcome::Skipped {
                is_evaluated = true;
                all.evaluations += 1;
            }
            if matches!(outcome, Outcome::Mutated | Outcome::Admitted) {
                totals.admitted += 1;
            }
            let count = match outcome {
                Outcome::Skipped => &mut totals.skipped,
                Outcome::Admitted => continue,
                Outcome::Mutated => &mut totals.mutated,
                Outcome::Monitored => &mut totals.monitored,
                Outcome::Unknown => &mut totals.unknown,
                Outcome::Denied => &mut totals.denied,
            };
            *count += 1;
            if *outcome > Outcome::Mutated {
                let namespace = self.subject.reference.namespace.clone().unwrap_or_default();
                let of_namespace = all.by_namespace.entry(namespace).or_default().entry(index).or_default();
                *of_namespace += 1;
            }
        }
        if !is_evaluated {
            all.not_evaluated += 1;
            if self.subject.has_template {
                let reference = &self.subject.reference;
                let kind = (reference.kind.clone(), reference.group().to_owned());
                *self.output.unseen_templates.entry(kind).or_default() += 1;
            }
        }
    }
}

fn mutation(
    policy: usize,
    mut new: Value,
    asked: Asked<'_>,
    subject: &Subject<'_>,
    locator: &Locator<'_>,
) -> Mutation {
    let mut old = asked.request.get("object").cloned().unwrap_or_default();
    diff::conceal(&mut old, &mut new);
    let lines = diff::lines(&old, &new).unwrap_or_default();
    Mutation {
        policy,
        object: subject.reference.clone(),
        place: Some(locator.place(subject.spot, None)),
        concerns_pods: asked.concerns_pods(),
        patch: diff::patch(&old, &new),
        diff: lines.into_iter().map(|line| line.text).collect(),
    }
}
