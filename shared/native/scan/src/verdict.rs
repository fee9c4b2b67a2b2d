//! The verdict of one policy on one request.

#[cfg(feature = "modules")]
mod in_host;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use admission::{Decision, Findings, PolicyEntry};
use kubernetes::completion::{Phase, complete, complete_own, complete_stored, has_own_uid, store};
use kubernetes::kinds::Kinds;
use kubewarden::matching::{Evaluator, GroupVerdict, Match, MemberVerdict, Webhook};
use serde_json::{Map, Value};

use crate::cluster::{Cluster, Kind, LookUps};
use crate::look_up::LookUp;
use crate::policy::{Engine, Module, Policy};
use crate::violation::{Denial, Violation, of_text, typed};
#[cfg(feature = "modules")]
pub use in_host::{Reply, out_of_scope};

/// An `AdmissionRequest`, and its JSON once it is needed.
#[derive(Debug)]
pub struct Request {
    value: Value,
    json: OnceCell<String>,
    /// The phase for whose webhooks objects of files are completed; `None` for objects as a webhook
    /// receives them.
    completed: Option<Phase>,
    /// Whether the object has only the fields that the policies of this program read.
    is_reduced: bool,
}

impl Request {
    /// Creates a request of the value that an API server sends.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self { value, json: OnceCell::new(), completed: None, is_reduced: false }
    }

    /// Creates a request about objects of files, which it completes as an API server does before
    /// admission ([`kubernetes::completion`]).
    #[must_use]
    pub fn of_files(value: Value) -> Self {
        Self::new(value).completed()
    }

    /// Creates a request about an object of which only the fields are known that the policies of
    /// this program read. None of them depends on what servers add to every object.
    pub(crate) fn reduced(value: Value) -> Self {
        Self { is_reduced: true, ..Self::new(value) }
    }

    /// Creates a request about a reduced object of a file.
    pub(crate) fn reduced_of_files(value: Value) -> Self {
        Self::reduced(value).completed()
    }

    fn completed(self) -> Self {
        let mut request = Self { completed: Some(Phase::Mutating), ..self };
        request.complete(Phase::Mutating);
        request
    }

    /// Creates a request about a pod that is made of the object of this one.
    pub(crate) fn about_pod(&self, value: Value) -> Self {
        if self.is_reduced { Self::reduced_of_files(value) } else { Self::of_files(value) }
    }

    /// Turns the request into the one that the webhooks of a phase receive.
    pub fn enter(&mut self, phase: Phase) {
        if self.completed.is_some_and(|completed| completed < phase) {
            self.store();
            self.completed = Some(phase);
            self.json = OnceCell::new();
        }
    }

    pub(crate) fn is_completed(&self) -> bool {
        self.completed.is_some()
    }

    fn complete(&mut self, phase: Phase) {
        let Value::Object(fields) = &mut self.value else { return };
        let text = |name| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_subresource = !text("subResource").is_empty();
        match text("operation") {
            "CREATE" => {
                let Some(object) = fields.get_mut("object") else { return };
                if self.is_reduced {
                    complete_own(object);
                } else {
                    complete(object, Phase::Mutating);
                }
                take_name(fields);
            }
            "UPDATE" | "DELETE" => {
                let mut status = None;
                if let Some(old) = fields.get_mut("oldObject") {
                    complete_stored(old);
                    status = old.get("status").cloned();
                }
                let Some(object) = fields.get_mut("object") else { return };
                let has_own_uid = has_own_uid(object);
                complete_stored(object);
                if let (Some(status), Value::Object(object), false) =
                    (status, object, has_own_uid || is_subresource)
                {
                    object.insert("status".to_owned(), status);
                }
            }
            _ => {}
        }
        if phase == Phase::Validating {
            self.store();
        }
    }

    /// Completes the request for validating webhooks after it is completed for mutating ones.
    fn store(&mut self) {
        let Value::Object(fields) = &mut self.value else { return };
        let text = |name| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        // The object of a subresource is stored only as a part of another one.
        if text("operation") == "CREATE" && text("subResource").is_empty() {
            let Some(object) = fields.get_mut("object") else { return };
            store(object);
            take_name(fields);
        }
    }

    /// Decides whether a webhook is called. That depends on fields that a reduced object may lack.
    pub(crate) fn decide(
        &self,
        webhook: &Webhook,
        kinds: &Kinds,
        namespace: Option<&Value>,
    ) -> kubewarden::matching::Decision {
        if self.is_reduced {
            webhook.decide_without_objects(kinds, &self.value, namespace)
        } else if self.completed.is_some() {
            webhook.decide_unstored(kinds, &self.value, namespace)
        } else {
            webhook.decide_with(kinds, &self.value, namespace)
        }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    pub(crate) fn set_object(&mut self, object: Value) {
        if let Value::Object(fields) = &mut self.value {
            fields.insert("object".to_owned(), object);
        }
        if let Some(phase) = self.completed {
            self.complete(phase);
        }
        self.json = OnceCell::new();
    }

    /// Returns the payload of a `validate` call, of settings in JSON.
    fn payload(&self, settings: &str) -> Vec<u8> {
        // Values have no keys but strings, so that writing them cannot fail; it is faster than
        // `to_string` of the value itself.
        let request = self.json.get_or_init(|| serde_json::to_string(&self.value).unwrap_or_default());
        [r#"{"request":"#, request, r#","settings":"#, settings, "}"].concat().into_bytes()
    }
}

/// Gives a request without a name that of its object.
fn take_name(request: &mut Map<String, Value>) {
    let name = request.get("object").and_then(|object| object.pointer("/metadata/name"));
    if let Some(name) = name.filter(|name| name.is_string()).cloned() {
        request.entry("name").or_insert(name);
    }
}

/// The verdict of a module, or of a policy as it is deployed.
#[derive(Debug)]
pub struct Verdict {
    /// The effect on the request.
    pub effect: Effect,
    /// The warnings for the client.
    pub warnings: Vec<String>,
    /// The violations that some of the warnings only name, if this program evaluates the policy.
    pub warned: Vec<Violation>,
    /// The annotations for the audit log.
    pub audit_annotations: BTreeMap<String, String>,
    /// The look-ups, in order.
    pub look_ups: Vec<LookUp>,
    /// The answer of a module in the embedded host, byte by byte.
    pub answer: Option<Vec<u8>>,
    /// Whether a policy of this program admits the request without evaluating it, because the
    /// request is not in its scope. That of a module in the embedded host is not known.
    pub is_out_of_scope: bool,
    pub(crate) lacking: BTreeSet<Kind>,
}

impl Verdict {
    pub(crate) fn new(effect: Effect) -> Self {
        Self {
            effect,
            warnings: Vec::new(),
            warned: Vec::new(),
            audit_annotations: BTreeMap::new(),
            look_ups: Vec::new(),
            answer: None,
            is_out_of_scope: false,
            lacking: BTreeSet::new(),
        }
    }
}

/// The effect of a policy on a request.
#[derive(Debug)]
pub enum Effect {
    /// The policy is not asked, because of its rules, selectors or conditions.
    Skipped,
    /// Admitted without changes.
    Admitted,
    /// Admitted with changes; holds the whole object, which the policies after it evaluate.
    Mutated(Value),
    /// Denied.
    Denied(Denial),
    /// Would be denied, but the policy is in monitor mode.
    Monitored(Denial),
    /// Cannot be evaluated by the policy, with the message. It is denied, except in monitor mode.
    Fault(String),
    /// It is not known what happens, for this reason.
    Unknown(String),
}

/// Evaluates a request by a policy that receives it, as the webhook matches it.
pub(crate) fn evaluate(policy: &Policy, found: &Match, request: &Request, cluster: &Cluster) -> Verdict {
    match found.sent(request.value()) {
        Cow::Borrowed(_) => by_evaluator(&policy.evaluator, request, cluster),
        Cow::Owned(sent) => {
            let sent = Request { is_reduced: request.is_reduced, ..Request::new(sent) };
            by_evaluator(&policy.evaluator, &sent, cluster)
        }
    }
}

fn by_evaluator(evaluator: &Evaluator<Module>, request: &Request, cluster: &Cluster) -> Verdict {
    match evaluator {
        Evaluator::Module(module) => module.explain(module.evaluate(request, cluster), request, cluster),
        Evaluator::Group(group) => {
            let mut lacking = BTreeSet::new();
            let mut look_ups = Vec::new();
            let effect = group.evaluate(|module| {
                let mut verdict = module.evaluate(request, cluster);
                lacking.extend(verdict.lacking.iter().cloned());
                look_ups.append(&mut verdict.look_ups);
                member(verdict)
            });
            let effect = match effect {
                GroupVerdict::Admitted => Effect::Admitted,
                GroupVerdict::Denied(members) => {
                    let line =
                        |(name, message): (String, String)| of_text(format!("{name}: {message}"), None);
                    let mut violations: Vec<Violation> = members.into_iter().map(line).collect();
                    if violations.is_empty() {
                        violations.push(of_text(format!("{} is false", group.expression()), None));
                    }
                    Effect::Denied(Denial { violations, more: 0 })
                }
                GroupVerdict::Unknown(reason) => Effect::Unknown(reason),
            };
            // The policy server drops the warnings and audit annotations of members.
            Verdict { look_ups, lacking, ..Verdict::new(effect) }
        }
    }
}

fn member(verdict: Verdict) -> MemberVerdict {
    match verdict.effect {
        Effect::Skipped | Effect::Admitted => MemberVerdict::Admitted,
        Effect::Mutated(_) => {
            MemberVerdict::Denied("mutation is not allowed inside of policy group".to_owned())
        }
        Effect::Denied(denial) | Effect::Monitored(denial) => {
            MemberVerdict::Denied(denial.lines().join("; "))
        }
        Effect::Fault(reason) | Effect::Unknown(reason) => MemberVerdict::Unknown(reason),
    }
}

impl Module {
    /// Evaluates a request, whatever the rules, selectors and conditions of a policy are.
    #[must_use]
    pub fn evaluate(&self, request: &Request, cluster: &Cluster) -> Verdict {
        match &self.engine {
            Engine::Native(entry) => natively(entry, self, request, cluster),
            #[cfg(feature = "modules")]
            Engine::Deployed { .. } if request.is_reduced => {
                unknown("a module may read every field".to_owned())
            }
            #[cfg(feature = "modules")]
            Engine::Deployed { policy, .. } => in_host::evaluate(policy, request, cluster),
            Engine::Refused(_) | Engine::Unavailable(_) => {
                unknown(self.engine.unavailable().unwrap_or_default())
            }
        }
    }

    /// Gives a verdict of the embedded host the rules of its violations, if the policy of this
    /// program gives the same reasons in the same words.
    #[cfg(feature = "modules")]
    fn explain(&self, mut verdict: Verdict, request: &Request, cluster: &Cluster) -> Verdict {
        let Engine::Deployed { twin: Some(twin), .. } = &self.engine else { return verdict };
        let is_denied = matches!(verdict.effect, Effect::Denied(_));
        let warns = self.strict().is_some() && !verdict.warnings.is_empty();
        // A recording has the answers of one evaluation.
        if !(is_denied || warns) || cluster.session.is_some() {
            return verdict;
        }
        let own = natively(twin, self, request, cluster);
        match (&verdict.effect, own.effect) {
            (Effect::Denied(denial), Effect::Denied(own)) if own.lines() == denial.lines() => {
                verdict.effect = Effect::Denied(own);
            }
            (Effect::Admitted, Effect::Admitted) => {}
            _ => return verdict,
        }
        if own.warnings == verdict.warnings {
            verdict.warned = own.warned;
        }
        verdict
    }

    #[cfg(not(feature = "modules"))]
    #[expect(clippy::unused_self, reason = "without the embedded host, every verdict has its rules")]
    fn explain(&self, verdict: Verdict, _: &Request, _: &Cluster) -> Verdict {
        verdict
    }
}

/// Returns whether a warning is one of `pod-security` that names violations of a standard.
pub(crate) fn names_violations(warning: &str) -> bool {
    warning.starts_with(rules::pod_security::WOULD_VIOLATE)
}

/// Returns the violations for which a policy with other settings denies a request; none if they are
/// too many to be listed.
fn violations(
    entry: &PolicyEntry,
    module: &Module,
    settings: &str,
    request: &Request,
    cluster: &Cluster,
) -> Vec<Violation> {
    let look_ups = LookUps::new(cluster, &module.look_ups, settings);
    match (entry.evaluate)(&request.payload(settings), &look_ups).decision {
        Decision::Denied(Findings { listed, more: 0 }) => {
            listed.into_iter().map(|finding| typed(entry, finding)).collect()
        }
        _ => Vec::new(),
    }
}

fn unknown(reason: String) -> Verdict {
    Verdict::new(Effect::Unknown(reason))
}

fn natively(entry: &PolicyEntry, module: &Module, request: &Request, cluster: &Cluster) -> Verdict {
    let look_ups = LookUps::new(cluster, &module.look_ups, module.settings());
    let outcome = (entry.evaluate)(&request.payload(module.settings()), &look_ups);
    let LookUps { unanswered, lacking, asked, .. } = look_ups;
    let (lacking, look_ups) = (lacking.into_inner(), asked.into_inner());
    if let Some(why) = unanswered.into_inner() {
        return Verdict { look_ups, ..unknown(format!("{}: {why}", entry.id)) };
    }
    if !lacking.is_empty() {
        return Verdict { lacking, ..unknown(String::new()) };
    }
    let warnings = outcome.warnings().to_vec();
    let named = warnings.iter().filter(|warning| names_violations(warning)).count();
    let strict = module.strict().filter(|_| named > 0);
    let warned = strict.map(|strict| violations(entry, module, strict, request, cluster)).unwrap_or_default();
    // There is a warning for each rule.
    let rules: BTreeSet<&str> = warned.iter().filter_map(|one| Some(one.rule?.id)).collect();
    let warned = if rules.len() == named { warned } else { Vec::new() };
    let annotations = outcome.audit_annotations().iter();
    let audit_annotations = annotations.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let is_out_of_scope = outcome.decision == Decision::NotMatched;
    let effect = match outcome.decision {
        Decision::NotMatched | Decision::Admitted => Effect::Admitted,
        Decision::Mutated(object) => match serde_json::from_str(&object) {
            Ok(object) => Effect::Mutated(object),
            Err(error) => Effect::Unknown(format!("{}: the changed object is not JSON: {error}", entry.id)),
        },
        Decision::Denied(Findings { listed, more }) => Effect::Denied(Denial {
            violations: listed.into_iter().map(|finding| typed(entry, finding)).collect(),
            more,
        }),
        Decision::Fault(_) => Effect::Fault((entry.render)(outcome).message.unwrap_or_default()),
    };
    Verdict { warnings, warned, audit_annotations, look_ups, is_out_of_scope, ..Verdict::new(effect) }
}
