//! The judgement of the entries of a piece by all policies.

use std::collections::BTreeSet;

use admission_review::{AdmissionRequest, Form};
use report::{Finding, Level, Notice, ObjectRef, OwnerRef, Place, PolicyTotals, Status, Totals};
use serde_json::Value;
use text::Step;

use crate::cluster::{Cluster, Kind};
use crate::consult::{Consulted, Skip, consult};
use crate::entry::{Content, Entry, Spot};
use crate::exceptions::{Exceptions, Remark};
use crate::explanation::Explanation;
use crate::guards;
use crate::input::Chunk;
use crate::locate::Locator;
use crate::old::Stored;
use crate::options::{Operation, Options, Pods};
use crate::pods::PodOfWorkload;
use crate::policy::Policy;
use crate::request::{Change, complete, request};
use crate::subject::{Identity, identity, object_ref, stable_path};
use crate::verdict::{Judged, Request, Verdict, Violation, judge, unknown};

/// The results of judging a piece.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) findings: Vec<Finding>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) explanations: Vec<Explanation>,
    pub(crate) totals: Totals,
    /// The objects that are in both the input and the old side.
    pub(crate) seen: Vec<Identity>,
    /// The owners of objects that can own others: namespace, kind and name, and their owner.
    pub(crate) owners: Vec<(Owned, OwnerRef)>,
    pub(crate) bytes: u64,
    /// The kinds that have to be collected before the piece can be judged. The rest of the output
    /// is then worth nothing.
    pub(crate) lacking: BTreeSet<Kind>,
}

/// Namespace, kind and name of an object that can own others.
pub(crate) type Owned = (String, String, String);

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

/// The values that all workers share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'s> {
    pub(crate) policies: &'s [Policy],
    pub(crate) options: &'s Options,
    pub(crate) cluster: &'s Cluster,
    pub(crate) old: Option<&'s Stored<'s>>,
    pub(crate) explains: bool,
}

/// The subject of a request: an object, or the pod that a workload would make.
struct Subject<'e> {
    spot: &'e Spot,
    reference: ObjectRef,
    /// The pod, and the workload.
    pod: Option<(&'e PodOfWorkload, &'e Value)>,
    /// Whether the input contains the object, so that paths have places.
    has_places: bool,
    /// The exceptions of the object; for a pod, those of its workload.
    exceptions: &'e Exceptions,
}

impl Judge<'_> {
    /// Judges the entries of a piece.
    pub(crate) fn piece(&self, chunk: &Chunk) -> Output {
        let mut output = self.output();
        output.bytes = u64::try_from(chunk.text.len()).unwrap_or(u64::MAX);
        match crate::entry::read(chunk) {
            Ok(read) => {
                let locator = Locator::new(chunk);
                if let Some(problem) = read.duplicate {
                    let message = format!("{}: the last value counts; remove the others", problem.message);
                    output.notices.push(self.suspicion(crate::place_of(chunk, problem.at), message));
                }
                for entry in read.entries {
                    self.entry(entry, chunk, &locator, &mut output);
                }
            }
            Err(problem) => output.notices.push(crate::unreadable(chunk, &problem)),
        }
        output
    }

    fn output(&self) -> Output {
        let policies = vec![PolicyTotals::default(); self.policies.len()];
        Output { totals: Totals { policies, ..Totals::default() }, ..Output::default() }
    }

    fn suspicion(&self, place: Place, message: String) -> Notice {
        let level = if self.options.is_strict { Level::Error } else { Level::Warning };
        Notice { level, place: Some(place), message }
    }

    fn entry(&self, entry: Entry, chunk: &Chunk, locator: &Locator<'_>, output: &mut Output) {
        let (content, spot) = entry.take(chunk);
        match content {
            Content::Other(problem) => {
                // An item of a list without a kind is an object whose kind the list names too late.
                let is_item = chunk.list.is_some() || !spot.steps.is_empty();
                let (level, message) = if is_item {
                    let remedy = "give each item its apiVersion and kind, as kubectl get does";
                    (Level::Error, format!("{problem}; {remedy}"))
                } else {
                    (Level::Note, format!("{problem}; it is skipped"))
                };
                let place = Some(locator.place(&spot, None));
                output.notices.push(Notice { level, place, message });
            }
            Content::Review(review) => self.review(spot, review, locator, output),
            Content::Object(mut object) => {
                let suspicions = guards::suspicions(&object);
                complete(&mut object, self.options, &self.cluster.resources);
                let reference = object_ref(&object);
                if !self.options.judges(reference.namespace.as_deref()) {
                    return;
                }
                for guards::Suspicion { path, message } in suspicions {
                    output.notices.push(self.suspicion(locator.place(&spot, Some(&path)), message));
                }
                if let Some(owner) = reference.owner.clone().filter(|_| reference.kind != "Pod") {
                    let namespace = reference.namespace.clone().unwrap_or_default();
                    output.owners.push(((namespace, reference.kind.clone(), reference.name.clone()), owner));
                }
                let exceptions = self.exceptions(&object);
                let change = self.change(object, output);
                let subject =
                    Subject { spot: &spot, reference, pod: None, has_places: true, exceptions: &exceptions };
                let outcomes = self.object(change, &subject, locator, output);
                Self::remark(exceptions, &outcomes, &spot, locator, output);
            }
        }
    }

    /// Returns the change that an object of the input is.
    fn change(&self, object: Value, output: &mut Output) -> Change {
        let stored = self.old.zip(identity(&object)).and_then(|(old, identity)| {
            let stored = old.get(&identity)?;
            output.seen.push(identity);
            Some(stored)
        });
        match (self.options.operation, stored) {
            (Operation::Delete, _) => Change::Delete(object),
            (_, Some(old)) => Change::Update { old, new: object },
            (Operation::Update, None) if self.old.is_none() => {
                Change::Update { old: object.clone(), new: object }
            }
            _ => Change::Create(object),
        }
    }

    /// Judges the deletion of an object of the old side.
    pub(crate) fn deletion(&self, object: Value, place: &Place) -> Output {
        let mut output = self.output();
        let reference = object_ref(&object);
        if !self.options.judges(reference.namespace.as_deref()) {
            return output;
        }
        let chunk = Chunk::empty(&place.file);
        let spot = Spot::default();
        let subject = Subject {
            spot: &spot,
            reference,
            pod: None,
            has_places: false,
            // Nobody writes exceptions into an object that is gone.
            exceptions: &Exceptions::default(),
        };
        self.object(Change::Delete(object), &subject, &Locator::new(&chunk), &mut output);
        for finding in &mut output.findings {
            finding.place = Some(place.clone());
        }
        output
    }

    /// Returns the exceptions that an object of the input has, before any policy changes it.
    fn exceptions(&self, object: &Value) -> Exceptions {
        let today = self.options.exceptions_on;
        today.map_or_else(Exceptions::default, |today| Exceptions::of(object, self.policies, today))
    }

    /// Adds the remarks about the exceptions of an object that was judged.
    fn remark(
        exceptions: Exceptions,
        outcomes: &[Outcome],
        spot: &Spot,
        locator: &Locator<'_>,
        output: &mut Output,
    ) {
        let is_unknown = |policy: usize| outcomes.get(policy) == Some(&Outcome::Unknown);
        for Remark { level, path, message } in exceptions.remarks(&is_unknown) {
            let place = Some(locator.place(spot, Some(&path)));
            output.notices.push(Notice { level, place, message });
        }
    }

    /// Judges an object. Returns the outcome at each policy.
    fn object(
        &self,
        change: Change,
        subject: &Subject<'_>,
        locator: &Locator<'_>,
        output: &mut Output,
    ) -> Vec<Outcome> {
        // A UID does not show that the workload is stored: exported manifests have one, too.
        let makes_pods = self.options.pods != Pods::Off
            && match &change {
                Change::Create(_) => true,
                Change::Update { old, new } => PodOfWorkload::of(new)
                    .is_some_and(|new| PodOfWorkload::of(old).is_none_or(|old| old.pod != new.pod)),
                Change::Delete(_) => false,
            };
        let mut asked = Request::new(request(change, &self.options.user(), &self.cluster.resources));
        let mut outcomes = vec![Outcome::Skipped; self.policies.len()];
        let other_kind = self.ask(&mut asked, subject, locator, output, &mut outcomes, &|_| true);
        // The pods come from the workload as it would be stored, with the changes of the policies.
        let stored = asked.value().get("object").filter(|_| makes_pods);
        if let Some((made, workload)) = stored.and_then(|stored| Some((PodOfWorkload::of(stored)?, stored))) {
            let user = made.user().unwrap_or_else(|| self.options.user());
            let change = Change::Create(made.pod.clone());
            let mut asked = Request::new(request(change, &user, &self.cluster.resources));
            let reference = subject.reference.clone();
            let pod = Subject { pod: Some((&made, workload)), reference, ..*subject };
            let judges = |policy: usize| {
                self.options.pods == Pods::On || other_kind.get(policy).copied().unwrap_or_default()
            };
            self.ask(&mut asked, &pod, locator, output, &mut outcomes, &judges);
        }
        Self::count(subject, &outcomes, output);
        outcomes
    }

    /// Asks the policies about a request, in order. Returns for each policy whether the object is
    /// the reason that it was not asked, so that it may still judge the pods of a workload.
    fn ask(
        &self,
        asked: &mut Request,
        subject: &Subject<'_>,
        locator: &Locator<'_>,
        output: &mut Output,
        outcomes: &mut [Outcome],
        takes_part: &dyn Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut other_kind = vec![false; self.policies.len()];
        let namespace = asked.value().get("namespace").and_then(Value::as_str).unwrap_or_default().to_owned();
        let labels = self.cluster.namespace(&namespace);
        for ((index, policy), (outcome, is_of_other_kind)) in
            self.policies.iter().enumerate().zip(outcomes.iter_mut().zip(&mut other_kind))
        {
            if !takes_part(index) {
                continue;
            }
            let (consulted, decision) = consult(policy, &self.cluster.resources, asked.value(), labels);
            let is_called = decision.is_called();
            if self.explains {
                let why = decision.explain();
                let concerns_pods = subject.pod.is_some();
                let object = subject.reference.clone();
                output.explanations.push(Explanation {
                    policy: index,
                    object,
                    concerns_pods,
                    is_called,
                    why,
                });
            }
            *is_of_other_kind =
                matches!(consulted, Consulted::Skipped { about: Skip::Object } | Consulted::Admitted);
            let verdict = match consulted {
                Consulted::Skipped { .. } => continue,
                // A condition is part of the policy. If the policy counted as not asked, a scan of
                // flawless objects would have judged nothing.
                Consulted::Admitted => Verdict { result: Judged::Admitted, ..unknown(String::new()) },
                Consulted::Unknown(reason) => unknown(reason),
                Consulted::Rejected(reason) => {
                    let result = Judged::Denied(vec![Violation::of_text(reason)]);
                    Verdict { result, ..unknown(String::new()) }
                }
                Consulted::Called(found) => judge(policy, &found, asked, self.cluster),
            };
            output.lacking.extend(verdict.lacking.iter().cloned());
            let found = self.verdict(index, verdict, subject, locator, output, asked);
            *outcome = found.max(*outcome);
        }
        other_kind
    }

    /// Records the verdict of a policy.
    fn verdict(
        &self,
        index: usize,
        verdict: Verdict,
        subject: &Subject<'_>,
        locator: &Locator<'_>,
        output: &mut Output,
        asked: &mut Request,
    ) -> Outcome {
        let Some(policy) = self.policies.get(index) else { return Outcome::Skipped };
        let add = |output: &mut Output, status, asked: &Request, violation: &Violation| {
            output.findings.push(self.finding(status, index, violation, subject, locator, asked.value()));
        };
        for warning in &verdict.warnings {
            add(output, Status::Warned, asked, &Violation::of_text(warning.clone()));
        }
        let protects = policy.reference.protects;
        match verdict.result {
            Judged::Admitted => Outcome::Admitted,
            // In monitor mode, the policy server drops the changes.
            Judged::Mutated(_) if !protects => Outcome::Admitted,
            Judged::Mutated(_) if !policy.is_mutating => {
                let problem = "the policy changes the object, but it is not deployed with mutating: true";
                add(output, Status::Denied, asked, &Violation::of_text(problem.to_owned()));
                Outcome::Denied
            }
            Judged::Mutated(object) => {
                asked.set_object(object);
                Outcome::Mutated
            }
            Judged::Denied(violations) => {
                let (status, outcome) = if protects {
                    (Status::Denied, Outcome::Denied)
                } else {
                    (Status::Monitored, Outcome::Monitored)
                };
                for violation in &violations {
                    add(output, status, asked, violation);
                }
                outcome
            }
            Judged::Unknown(reason) => {
                // The report has one notice for a policy that judges nothing.
                if policy.unavailable().is_none() {
                    add(output, Status::Unknown, asked, &Violation::of_text(reason));
                }
                Outcome::Unknown
            }
        }
    }

    fn finding(
        &self,
        status: Status,
        index: usize,
        violation: &Violation,
        subject: &Subject<'_>,
        locator: &Locator<'_>,
        asked: &Value,
    ) -> Finding {
        let steps = match (&violation.steps, subject.pod) {
            (Some(steps), Some((made, _))) => made.path(steps),
            (steps, _) => steps.clone(),
        };
        let object = subject.pod.map(|(_, workload)| workload);
        let object = object.or_else(|| asked.get("object")).unwrap_or(&Value::Null);
        let message = violation.message.with_path(steps.as_deref().filter(|_| subject.pod.is_some()));
        let message = match self.policies.get(index).and_then(|policy| policy.message.as_ref()) {
            Some(instead) if matches!(status, Status::Denied | Status::Monitored) => {
                format!("{instead}: {message}")
            }
            _ => message,
        };
        let path = steps.as_deref().filter(|_| subject.has_places);
        Finding {
            status,
            policy: index,
            control: violation.control.clone(),
            object: subject.reference.clone(),
            path: steps.as_deref().map(crate::subject::path),
            stable_path: steps.as_deref().map(|steps| stable_path(object, steps)),
            message,
            rule: violation.rule.clone(),
            remedy: violation.remedy.clone(),
            place: Some(locator.place(subject.spot, path)),
            concerns_pods: subject.pod.is_some(),
            others: 0,
            excepted: subject.exceptions.covering(status, index, violation.check),
            is_known: false,
        }
    }

    fn count(subject: &Subject<'_>, outcomes: &[Outcome], output: &mut Output) {
        let all = &mut output.totals;
        all.objects = all.objects.saturating_add(1);
        let mut is_judged = false;
        for (index, (outcome, totals)) in outcomes.iter().zip(&mut all.policies).enumerate() {
            if *outcome > Outcome::Skipped {
                is_judged = true;
                all.evaluations = all.evaluations.saturating_add(1);
            }
            if matches!(outcome, Outcome::Mutated | Outcome::Admitted) {
                totals.admitted = totals.admitted.saturating_add(1);
            }
            let count = match outcome {
                Outcome::Skipped => &mut totals.skipped,
                Outcome::Admitted => continue,
                Outcome::Mutated => &mut totals.mutated,
                Outcome::Monitored => &mut totals.monitored,
                Outcome::Unknown => &mut totals.unknown,
                Outcome::Denied => &mut totals.denied,
            };
            *count = count.saturating_add(1);
            if *outcome > Outcome::Mutated {
                let namespace = subject.reference.namespace.clone().unwrap_or_default();
                let of_namespace = all.by_namespace.entry(namespace).or_default().entry(index).or_default();
                *of_namespace = of_namespace.saturating_add(1);
            }
        }
        if !is_judged {
            all.not_judged = all.not_judged.saturating_add(1);
        }
    }

    /// Judges a request of the input as it is.
    fn review(&self, mut spot: Spot, review: Value, locator: &Locator<'_>, output: &mut Output) {
        let is_review = Form::of(&review) == Some(Form::Review);
        let place = locator.place(&spot, None);
        let asked = match AdmissionRequest::from_value(review) {
            Ok(request) => request.as_value().clone(),
            Err(error) => {
                let notice = Notice { level: Level::Error, place: Some(place), message: error.to_string() };
                output.notices.push(notice);
                return;
            }
        };
        spot.steps.extend(is_review.then(|| Step::Field("request".to_owned())));
        let field = if asked.get("object").is_some_and(Value::is_object) { "object" } else { "oldObject" };
        spot.steps.push(Step::Field(field.to_owned()));
        let mut reference = object_ref(asked.get(field).unwrap_or(&Value::Null));
        let text = |pointer: &str| asked.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        if reference.kind.is_empty() {
            reference.kind = text("/kind/kind").unwrap_or_default();
            reference.name = text("/name").unwrap_or_default();
        }
        if reference.namespace.is_none() && reference.kind != "Namespace" {
            reference.namespace = text("/namespace").filter(|namespace| !namespace.is_empty());
        }
        if !self.options.judges(reference.namespace.as_deref()) {
            return;
        }
        let exceptions = self.exceptions(asked.get("object").unwrap_or(&Value::Null));
        let subject =
            Subject { spot: &spot, reference, pod: None, has_places: true, exceptions: &exceptions };
        let mut outcomes = vec![Outcome::Skipped; self.policies.len()];
        self.ask(&mut Request::new(asked), &subject, locator, output, &mut outcomes, &|_| true);
        Self::count(&subject, &outcomes, output);
        Self::remark(exceptions, &outcomes, &spot, locator, output);
    }
}

impl Violation {
    /// Creates a violation that is about the object as a whole.
    fn of_text(text: String) -> Self {
        let message = crate::verdict::Message::Text(text.clone());
        Self { steps: None, message, rule: text, remedy: None, check: None, control: None }
    }
}
