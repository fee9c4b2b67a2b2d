//! The evaluation of the entries of a piece by all policies.

mod kept;
mod record;
mod reduce;
mod reduced;

use std::collections::{BTreeMap, BTreeSet};

use kubernetes::kinds::Origin;
use kubernetes::review::{AdmissionRequest, Form};
use report::{Finding, Level, Mutation, Notice, ObjectRef, OwnerRef, Place, PolicyTotals, Totals};
use serde_json::Value;
use text::Step;

use crate::ask::{Answer, Asked, ask, ask_with_pods};
use crate::cluster::{Cluster, Collector, DEFINITION, Kind, owned};
use crate::entry::{Content, Entry};
use crate::exceptions::{Exceptions, was_stored};
use crate::guards::{self, Suspicion};
use crate::input::Chunk;
use crate::locate::Locator;
use crate::observer::Explanation;
use crate::old::{Seen, Stored};
use crate::options::{ExceptionsOf, Operation, Options, Pods};
use crate::pods;
use crate::policy::Policy;
use crate::replacement;
use crate::request::{Change, complete, request};
use crate::spot::Spot;
use crate::subject::{controller, identity, object_ref};
use crate::verdict::Request;
pub(crate) use kept::Kept;
use record::{Record, Subject};

const REPLACED: &str = "an API server refuses an update with this change; the object is evaluated as created, \
                        because it has to be replaced (kubectl replace --force)";

#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) findings: Vec<Finding>,
    pub(crate) mutations: Vec<Mutation>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) explanations: Vec<Explanation>,
    pub(crate) totals: Totals,
    /// The files of objects.
    pub(crate) files: BTreeSet<String>,
    /// The numbers of objects with a template of pods that no policy looks at, by kind and group.
    pub(crate) unseen_templates: BTreeMap<(String, String), u64>,
    /// The objects that are in both the input and the old side.
    pub(crate) seen: Vec<Seen>,
    /// The owners of objects that can own others: namespace, kind and name, and their owner.
    pub(crate) owners: Vec<(Owned, OwnerRef)>,
    pub(crate) bytes: u64,
    /// The objects of the kinds that are collected while the pieces are evaluated.
    pub(crate) gathered: Vec<Value>,
    /// The kinds that have to be collected before the piece can be evaluated. If there are any, the
    /// rest of the output is ignored, except for what is gathered.
    pub(crate) lacking: BTreeSet<Kind>,
}

impl Output {
    fn own(&mut self, reference: &ObjectRef) {
        if let Some(owner) = reference.owner.clone().filter(|_| reference.kind != "Pod") {
            let namespace = reference.namespace.clone().unwrap_or_default();
            self.owners.push(((namespace, reference.kind.clone(), reference.name.clone()), owner));
        }
    }

    /// Returns whether there is nothing to report: every policy skipped the objects or admitted
    /// them unchanged.
    fn is_flawless(&self) -> bool {
        let Self { findings, notices, totals, .. } = self;
        findings.is_empty()
            && notices.is_empty()
            && totals.policies.iter().all(|of| [of.mutated, of.denied, of.monitored, of.unknown] == [0; 4])
    }
}

/// Returns whether an object that is not one of Kubernetes' own workloads has a template of pods.
fn has_template(object: &Value) -> bool {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let has_containers = || object.pointer("/spec/template/spec/containers").is_some_and(Value::is_array);
    pods::pod_spec(text("apiVersion"), text("kind")).is_none() && has_containers()
}

/// Namespace, kind and name of an object that can own others.
pub(crate) type Owned = (String, String, String);

/// The values that all workers share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'s> {
    pub(crate) policies: &'s [Policy],
    pub(crate) options: &'s Options,
    pub(crate) cluster: &'s Cluster,
    pub(crate) old: Option<&'s Stored<'s>>,
    pub(crate) explains: bool,
    /// The parts of objects that policies read.
    pub(crate) kept: &'s Kept,
    /// Whether the objects are those of a running cluster.
    pub(crate) is_live: bool,
    /// The collector of the kinds whose objects are collected while the pieces are evaluated.
    pub(crate) gathering: Option<&'s Collector>,
}

impl Walk<'_> {
    pub(crate) fn piece(&self, chunk: &Chunk) -> Output {
        self.evaluate_reduced(chunk).unwrap_or_else(|| self.evaluate_whole(chunk))
    }

    /// Builds the entries of a piece and evaluates them.
    fn evaluate_whole(&self, chunk: &Chunk) -> Output {
        let mut output = self.empty_output();
        output.bytes = u64::try_from(chunk.text.len()).unwrap_or(u64::MAX);
        // A line about the chart stands for its templates.
        if chunk.origin.is_of_chart && chunk.text.contains("{{") {
            return output;
        }
        match crate::entry::read(chunk) {
            Ok(read) => {
                let locator = Locator::new(chunk);
                if let Some(Notice { place: Some(place), message, .. }) = read.warning(chunk) {
                    output.notices.push(self.suspicion(place, message));
                }
                for entry in read.entries {
                    self.entry(entry, chunk, &locator, &mut output);
                }
            }
            Err(problem) => output.notices.push(chunk.unreadable(&problem)),
        }
        output
    }

    fn empty_output(&self) -> Output {
        let policies = vec![PolicyTotals::default(); self.policies.len()];
        Output { totals: Totals { policies, ..Totals::default() }, ..Output::default() }
    }

    fn suspicion(&self, place: Place, message: String) -> Notice {
        let level = if self.options.is_strict { Level::Error } else { Level::Warning };
        Notice { level, place: Some(place), message }
    }

    fn note(&self, found: Vec<Suspicion>, spot: &Spot, locator: &Locator<'_>, output: &mut Output) {
        for Suspicion { path, message } in found {
            output.notices.push(self.suspicion(locator.place(spot, Some(&path)), message));
        }
    }

    fn entry(&self, entry: Entry, chunk: &Chunk, locator: &Locator<'_>, output: &mut Output) {
        let (content, spot) = entry.take(chunk);
        if let Some((level, message)) = content.problem(chunk, &spot.steps) {
            let place = locator.place(&spot, None);
            output.notices.push(match level {
                Level::Warning => self.suspicion(place, message),
                level => Notice { level, place: Some(place), message },
            });
        }
        match content {
            Content::Untyped(..) | Content::Other(_) => {}
            Content::Review(review) => {
                self.note(guards::suspicions_of_review(&review), &spot, locator, output);
                self.review(spot, review, locator, output);
            }
            Content::Object(mut object) => {
                if self.gathering.is_some_and(|gathering| gathering.wants(&object)) {
                    output.gathered.push(object.clone());
                }
                let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
                if self.lacks_definition(text("apiVersion"), text("kind"), output) {
                    return;
                }
                let suspicions = guards::suspicions(&object);
                complete(&mut object, self.options, &self.cluster.resources);
                output.files.insert(locator.file(&spot));
                let reference = object_ref(&object);
                self.note(suspicions, &spot, locator, output);
                output.own(&reference);
                let exceptions = self.exceptions(&object, output);
                let has_template = has_template(&object);
                let change = self.change(object, &spot, locator, output);
                let subject = Subject { spot: &spot, reference, has_places: true, has_template, exceptions };
                // Objects of a running cluster are those that a webhook would receive.
                let asked = if self.is_live { Request::new } else { Request::of_files };
                self.evaluate_change(change, asked, subject, locator, output);
            }
        }
    }

    /// Returns whether an object is of a kind whose definition may still be collected on the way;
    /// then it is evaluated later.
    fn lacks_definition(&self, api_version: &str, kind: &str, output: &mut Output) -> bool {
        let is_unknown = || self.cluster.resources.resource(api_version, kind).origin == Origin::Guessed;
        let is_lacking = self.gathering.is_some() && is_unknown();
        output.lacking.extend(is_lacking.then(|| owned(DEFINITION)));
        is_lacking
    }

    /// Returns the change that the input makes to an object. An update that an API server refuses
    /// counts as a creation, because the object has to be replaced.
    fn change(&self, object: Value, spot: &Spot, locator: &Locator<'_>, output: &mut Output) -> Change {
        let stored = self.old.zip(identity(&object)).and_then(|(old, identity)| {
            let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
            let (seen, stored, elsewhere) = old.get(identity, locator.path(), version)?;
            output.seen.push(seen);
            if let Some(elsewhere) = elsewhere {
                let message = format!("evaluated as a change of the object in {elsewhere}");
                let place = Some(locator.place(spot, None));
                output.notices.push(Notice { level: Level::Note, place, message });
            }
            Some(stored)
        });
        match (self.options.operation, stored) {
            (Operation::Delete, _) => Change::Delete(object),
            (_, Some(old)) => match replacement::refused(&old, &object) {
                None => Change::Update { old, new: object },
                Some(path) => {
                    let message = format!("{}: {REPLACED}", manifest::path(&path));
                    let place = Some(locator.place(spot, Some(&path)));
                    output.notices.push(Notice { level: Level::Note, place, message });
                    Change::Create(object)
                }
            },
            (Operation::Update, None) if self.old.is_none() => {
                Change::Update { old: object.clone(), new: object }
            }
            _ => Change::Create(object),
        }
    }

    pub(crate) fn deletion(&self, object: Value, place: &Place) -> Output {
        let mut output = self.empty_output();
        let reference = object_ref(&object);
        let chunk = Chunk::empty(&place.file);
        let spot = Spot::default();
        let subject = Subject {
            spot: &spot,
            reference,
            has_places: false,
            has_template: false,
            // Nobody writes exceptions into an object that is gone.
            exceptions: Exceptions::default(),
        };
        let (gone, locator) = (Change::Delete(object), Locator::new(&chunk));
        self.evaluate_change(gone, Request::of_files, subject, &locator, &mut output);
        for finding in &mut output.findings {
            finding.place = Some(place.clone());
        }
        output
    }

    /// Returns the exceptions that an object of the input has, before any policy changes it. Those
    /// that are not honoured are counted.
    fn exceptions(&self, object: &Value, output: &mut Output) -> Exceptions {
        let count = match self.options.exceptions_on {
            None => &mut output.totals.exceptions_ignored,
            Some(_) if self.options.exceptions_of == ExceptionsOf::Manifests && was_stored(object) => {
                &mut output.totals.exceptions_stored
            }
            Some(today) => return Exceptions::of(object, self.policies, today),
        };
        *count += Exceptions::count(object);
        Exceptions::default()
    }

    /// Evaluates the request in which the user of the scan makes a change.
    fn evaluate_change(
        &self,
        change: Change,
        asked: fn(Value) -> Request,
        subject: Subject<'_>,
        locator: &Locator<'_>,
        output: &mut Output,
    ) {
        let user = self.options.user();
        let mut asked = asked(request(change, &user, &self.cluster.resources));
        let record = Record::new(self, subject, locator, output);
        self.with_pods(&mut asked, self.options.pods, &user, record);
    }

    fn with_pods(&self, asked: &mut Request, pods: Pods, user: &Value, mut record: Record<'_>) {
        let receive = &mut |answer: &Answer, asked: Asked<'_>| record.add(answer, asked);
        ask_with_pods(self.policies, asked, pods, user, self.cluster, receive);
        record.finish();
    }

    /// Evaluates a request that the caller made about an object at a spot.
    pub(crate) fn request(
        &self,
        mut asked: Request,
        pods: Pods,
        spot: &Spot,
        locator: &Locator<'_>,
    ) -> Output {
        let mut output = self.empty_output();
        let fields = asked.value();
        let object =
            fields.get("object").filter(|object| object.is_object()).or_else(|| fields.get("oldObject"));
        let object = object.unwrap_or(&Value::Null);
        self.note(guards::suspicions(object), spot, locator, &mut output);
        let exceptions = self.exceptions(object, &mut output);
        let reference = object_ref(object);
        let subject = Subject { spot, reference, has_places: true, has_template: false, exceptions };
        let user = fields.get("userInfo").cloned().unwrap_or_default();
        self.with_pods(&mut asked, pods, &user, Record::new(self, subject, locator, &mut output));
        output
    }

    fn review(&self, mut spot: Spot, review: Value, locator: &Locator<'_>, output: &mut Output) {
        // The kind of a review can be unknown in several fields.
        if self.lacks_definition("", "", output) {
            return;
        }
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
        output.files.insert(locator.file(&spot));
        spot.steps.extend(is_review.then(|| Step::Field("request".to_owned())));
        let field = if asked.get("object").is_some_and(Value::is_object) { "object" } else { "oldObject" };
        spot.steps.push(Step::Field(field.to_owned()));
        let object = asked.get(field).unwrap_or(&Value::Null);
        let mut reference = object_ref(object);
        reference.owner = object.get("metadata").and_then(controller);
        let text = |pointer: &str| asked.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        if reference.kind.is_empty() {
            reference.kind = text("/kind/kind").unwrap_or_default();
            reference.name = text("/name").unwrap_or_default();
        }
        if reference.namespace.is_none() && reference.kind != "Namespace" {
            reference.namespace = text("/namespace").filter(|namespace| !namespace.is_empty());
        }
        let exceptions = self.exceptions(asked.get("object").unwrap_or(&Value::Null), output);
        let subject = Subject { spot: &spot, reference, has_places: true, has_template: false, exceptions };
        let mut record = Record::new(self, subject, locator, output);
        ask(self.policies, &mut Request::new(asked), self.cluster, &mut |answer, asked| {
            record.add(answer, asked);
        });
        record.finish();
    }
}
