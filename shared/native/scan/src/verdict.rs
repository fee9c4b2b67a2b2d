//! The verdict of one policy on one request.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use admission::{Decision, Findings, PolicyEntry};
use kubernetes::kinds::Kinds;
use kubewarden::matching::{GroupVerdict, Match, MemberVerdict, Webhook};
use serde_json::Value;

use crate::cluster::{Cluster, Kind, LookUps};
use crate::look_up::LookUp;
use crate::policy::{Engine, Evaluator, Module, Policy};
use crate::violation::{Denial, Violation, of_text, typed};

/// An `AdmissionRequest`, and its JSON once it is needed.
#[derive(Debug)]
pub struct Request {
    value: Value,
    json: OnceCell<String>,
    lacks: Lacks,
}

/// The fields that the objects of a request lack.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Lacks {
    Nothing,
    /// Those that an API server sets.
    OfServer,
    /// All but those that the policies of this program read.
    Unread,
}

impl Request {
    /// Creates a request of the value that an API server sends.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self { value, json: OnceCell::new(), lacks: Lacks::Nothing }
    }

    /// Creates a request about objects of files, which lack what an API server sets.
    #[must_use]
    pub fn of_files(value: Value) -> Self {
        Self { lacks: Lacks::OfServer, ..Self::new(value) }
    }

    /// Creates a request whose object has only the fields that the policies of this program read.
    pub(crate) fn reduced(value: Value) -> Self {
        Self { lacks: Lacks::Unread, ..Self::new(value) }
    }

    pub(crate) fn derived(&self, value: Value) -> Self {
        Self { lacks: self.lacks, ..Self::new(value) }
    }

    /// Decides whether a webhook is called. That depends on fields that a reduced object may lack.
    pub(crate) fn decide(
        &self,
        webhook: &Webhook,
        kinds: &Kinds,
        namespace: Option<&Value>,
    ) -> kubewarden::matching::Decision {
        match self.lacks {
            Lacks::Nothing => webhook.decide_with(kinds, &self.value, namespace),
            Lacks::OfServer => webhook.decide_unstored(kinds, &self.value, namespace),
            Lacks::Unread => webhook.decide_without_objects(kinds, &self.value, namespace),
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

/// The verdict of a module, whatever the mode of its policy.
#[derive(Debug)]
pub struct Verdict {
    /// The verdict itself.
    pub result: Evaluated,
    /// The warnings for the client.
    pub warnings: Vec<String>,
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
    pub(crate) fn new(result: Evaluated) -> Self {
        Self {
            result,
            warnings: Vec::new(),
            audit_annotations: BTreeMap::new(),
            look_ups: Vec::new(),
            answer: None,
            is_out_of_scope: false,
            lacking: BTreeSet::new(),
        }
    }
}

/// The decision of a module about a request.
#[derive(Debug)]
pub enum Evaluated {
    /// Admitted without changes.
    Admitted,
    /// Admitted with changes; holds the whole object.
    Mutated(Value),
    /// Denied.
    Denied(Denial),
    /// Denied because the request cannot be evaluated, with the message.
    Fault(String),
    /// Not evaluated, with the reason.
    Unknown(String),
}

/// Evaluates a request by a policy that receives it, as the webhook matches it.
pub(crate) fn evaluate(policy: &Policy, found: &Match, request: &Request, cluster: &Cluster) -> Verdict {
    match found.sent(request.value()) {
        Cow::Borrowed(_) => by_evaluate(&policy.evaluator, request, cluster),
        Cow::Owned(sent) => by_evaluate(&policy.evaluator, &request.derived(sent), cluster),
    }
}

fn by_evaluate(evaluator: &Evaluator, request: &Request, cluster: &Cluster) -> Verdict {
    match evaluator {
        Evaluator::Module(module) => module.evaluate(request, cluster),
        Evaluator::Group(group, members) => {
            let mut lacking = BTreeSet::new();
            let mut look_ups = Vec::new();
            let mut ask = |name: &str| match members.get(name) {
                Some(module) => {
                    let mut verdict = module.evaluate(request, cluster);
                    lacking.extend(verdict.lacking.iter().cloned());
                    look_ups.append(&mut verdict.look_ups);
                    member(verdict)
                }
                None => MemberVerdict::Unknown("the group has no such member".to_owned()),
            };
            let result = match group.evaluate(&mut ask) {
                GroupVerdict::Admitted => Evaluated::Admitted,
                GroupVerdict::Denied(members) => {
                    let line =
                        |(name, message): (String, String)| of_text(format!("{name}: {message}"), None);
                    let mut violations: Vec<Violation> = members.into_iter().map(line).collect();
                    if violations.is_empty() {
                        violations.push(of_text(format!("{} is false", group.expression()), None));
                    }
                    Evaluated::Denied(Denial { violations, more: 0 })
                }
                GroupVerdict::Unknown(reason) => Evaluated::Unknown(reason),
            };
            // The policy server drops the warnings and audit annotations of members.
            Verdict { look_ups, lacking, ..Verdict::new(result) }
        }
    }
}

fn member(verdict: Verdict) -> MemberVerdict {
    match verdict.result {
        Evaluated::Admitted => MemberVerdict::Admitted,
        Evaluated::Mutated(_) => {
            MemberVerdict::Denied("mutation is not allowed inside of policy group".to_owned())
        }
        Evaluated::Denied(denial) => MemberVerdict::Denied(denial.lines().join("; ")),
        Evaluated::Fault(reason) | Evaluated::Unknown(reason) => MemberVerdict::Unknown(reason),
    }
}

impl Module {
    /// Evaluates a request, whatever the rules, selectors and conditions of a policy are.
    #[must_use]
    pub fn evaluate(&self, request: &Request, cluster: &Cluster) -> Verdict {
        match &self.engine {
            Engine::Native(entry) => natively(entry, self, request, cluster),
            #[cfg(feature = "modules")]
            Engine::Deployed(_) if request.lacks == Lacks::Unread => {
                unknown("a module may read every field".to_owned())
            }
            #[cfg(feature = "modules")]
            Engine::Deployed(deployed) => in_host::evaluate(deployed, request, cluster),
            Engine::Refused(_) | Engine::Unavailable(_) => {
                unknown(self.engine.unavailable().unwrap_or_default())
            }
        }
    }
}

fn unknown(reason: String) -> Verdict {
    Verdict::new(Evaluated::Unknown(reason))
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
    let annotations = outcome.audit_annotations().iter();
    let audit_annotations = annotations.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let is_out_of_scope = outcome.decision == Decision::NotMatched;
    let result = match outcome.decision {
        Decision::NotMatched | Decision::Admitted => Evaluated::Admitted,
        Decision::Mutated(object) => match serde_json::from_str(&object) {
            Ok(object) => Evaluated::Mutated(object),
            Err(error) => {
                Evaluated::Unknown(format!("{}: the changed object is not JSON: {error}", entry.id))
            }
        },
        Decision::Denied(Findings { listed, more }) => Evaluated::Denied(Denial {
            violations: listed.into_iter().map(|finding| typed(entry, finding)).collect(),
            more,
        }),
        Decision::Fault(_) => Evaluated::Fault((entry.render)(outcome).message.unwrap_or_default()),
    };
    Verdict { warnings, audit_annotations, look_ups, is_out_of_scope, ..Verdict::new(result) }
}

#[cfg(feature = "modules")]
mod in_host {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use kubernetes::review::{AdmissionRequest, AdmissionResponse};
    use serde_json::Value;
    use wapc_host::{CallOutcome, DeployedPolicy, Deployment, HostCall, Replay};

    use super::{Denial, Engine, Evaluated, Module, Request, Verdict, of_text, unknown};
    use crate::cluster::{Cluster, Kind, LookUps, rbac_kinds};
    use crate::look_up::LookUp;
    use crate::session::{NoAnswer, Question, Session};

    const INTERNAL_ERROR: u16 = 500;

    /// A recording as the host asks it.
    #[derive(Debug)]
    struct Replayed(Arc<Session>);

    impl Replay for Replayed {
        fn answer(&self, call: &str, payload: &Value) -> Result<Vec<u8>, String> {
            let Some(question) = Question::of_call(call, payload) else {
                let problem = format!("{call} cannot be replayed; run this policy in a policy server");
                return Err(self.0.refuse(problem));
            };
            self.0.answer(&question).map_err(|no_answer| match no_answer {
                NoAnswer::Recorded(message) | NoAnswer::Unexpected(message) => message,
            })
        }
    }

    impl Module {
        /// Answers a request as a policy server with this deployment does, whatever the rules,
        /// selectors and conditions of a policy are.
        #[must_use]
        pub fn respond(
            &self,
            request: &AdmissionRequest,
            deployment: &Deployment,
            cluster: &Cluster,
        ) -> AdmissionResponse {
            match &self.engine {
                Engine::Native(entry) => {
                    let look_ups = LookUps::new(cluster, &self.look_ups, self.settings());
                    let answer = entry.respond(&request.payload(&deployment.settings), &look_ups);
                    deployment.response(request, &answer.to_json())
                }
                Engine::Deployed(deployed) => deployed.validate(request, &cluster.objects).response,
                Engine::Refused(problem) | Engine::Unavailable(problem) => {
                    AdmissionResponse::internal_error(request.uid(), problem)
                }
            }
        }
    }

    pub(super) fn evaluate(module: &DeployedPolicy, request: &Request, cluster: &Cluster) -> Verdict {
        let admission_request = match AdmissionRequest::from_value(request.value().clone()) {
            Ok(request) => request,
            Err(error) => return unknown(error.to_string()),
        };
        let evaluation = match &cluster.session {
            None => module.validate(&admission_request, &cluster.objects),
            Some(session) => {
                let replay: Arc<dyn Replay> = Arc::new(Replayed(Arc::clone(session)));
                let evaluation = module.replay(&admission_request, &replay);
                if let Some(problem) = session.problem() {
                    let look_ups = evaluation.calls.iter().map(LookUp::of_call).collect();
                    return Verdict { look_ups, ..unknown(problem) };
                }
                evaluation
            }
        };
        let lacking: BTreeSet<Kind> =
            evaluation.calls.iter().flat_map(kinds_of).filter(|kind| cluster.lacks(kind)).collect();
        if !lacking.is_empty() {
            return Verdict { lacking, ..unknown(String::new()) };
        }
        let look_ups: Vec<LookUp> = evaluation.calls.iter().map(LookUp::of_call).collect();
        if let Some(why) = evaluation.calls.iter().find_map(|call| unanswered(call, cluster)) {
            return Verdict { look_ups, ..unknown(why) };
        }
        let response = evaluation.response;
        let status = response.status.unwrap_or_default();
        let message = status.message.unwrap_or_default();
        let result = if response.allowed {
            match evaluation.raw.as_deref().filter(|_| response.patch.is_some()).map(mutated) {
                None => Evaluated::Admitted,
                Some(Some(object)) => Evaluated::Mutated(object),
                Some(None) => Evaluated::Unknown("the module's change cannot be read".to_owned()),
            }
        } else if status.code == Some(INTERNAL_ERROR) {
            Evaluated::Fault(message)
        } else if message.is_empty() {
            Evaluated::Denied(Denial::of_text("denied without a message".to_owned()))
        } else {
            let object = request.value().get("object");
            let violations = message.lines().map(|line| of_text(line.to_owned(), object)).collect();
            Evaluated::Denied(Denial { violations, more: 0 })
        };
        Verdict {
            warnings: response.warnings.unwrap_or_default(),
            audit_annotations: response.audit_annotations.unwrap_or_default(),
            look_ups,
            answer: evaluation.raw,
            ..Verdict::new(result)
        }
    }

    /// Returns the kinds that a question of the module is about.
    fn kinds_of(call: &HostCall) -> Vec<Kind> {
        let text = |name: &str| call.payload.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match (call.namespace.as_str(), &call.outcome) {
            (_, CallOutcome::Denied(_)) => Vec::new(),
            ("kubernetes", _) if call.operation == "can_i" => rbac_kinds().collect(),
            ("kubernetes", _) if !text("kind").is_empty() => vec![(text("api_version"), text("kind"))],
            _ => Vec::new(),
        }
    }

    fn mutated(raw: &[u8]) -> Option<Value> {
        let mut answer: Value = serde_json::from_slice(raw).ok()?;
        answer.get_mut("mutated_object").map(Value::take)
    }

    /// Returns why a question of the module has no answer, if so: the module then evaluated without
    /// an object that it needs.
    fn unanswered(call: &HostCall, cluster: &Cluster) -> Option<String> {
        let text = |name: &str| call.payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("api_version"), text("kind"));
        let field = |name: &str| call.payload.get(name).and_then(Value::as_str);
        let is_answered = cluster.session.is_none() && !matches!(call.outcome, CallOutcome::Denied(_));
        if is_answered
            && call.namespace == "kubernetes"
            && let Some(why) = cluster.ambiguity(api_version, kind, field("namespace"), field("name"))
        {
            return Some(why);
        }
        match (call.namespace.as_str(), call.operation.as_str(), &call.outcome) {
            (_, _, CallOutcome::Denied(_)) => None,
            ("kubernetes", "get_resource", CallOutcome::Failed(_)) => {
                cluster.misses(api_version, kind, text("name"))
            }
            ("kubernetes", "list_resources_all" | "list_resources_by_namespace", _) => {
                cluster.misses_kind(api_version, kind)
            }
            ("kubernetes", "can_i", _) => cluster.misses_permissions(),
            // A recording has failures, too.
            (_, _, CallOutcome::Failed(_)) if cluster.session.is_some() => None,
            (_, _, CallOutcome::Failed(problem)) => Some(problem.clone()),
            (_, _, CallOutcome::Answered(_)) => None,
        }
    }
}
