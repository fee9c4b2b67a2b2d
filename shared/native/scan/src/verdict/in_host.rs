//! The verdicts of modules in the embedded host.

use std::collections::BTreeSet;
use std::sync::Arc;

use admission::{Decision, Operation, PolicyEntry, ScopeRule, Shape};
use kubernetes::review::{AdmissionRequest, AdmissionResponse};
use serde_json::Value;
use wapc_host::{CallOutcome, DeployedPolicy, Deployment, HostCall, Replay};

use super::{Effect, Request, Verdict, unknown};
use crate::cluster::{Cluster, Kind, LookUps, rbac_kinds};
use crate::look_up::LookUp;
use crate::policy::{Engine, Module};
use crate::session::{NoAnswer, Question, Session};
use crate::violation::{Denial, of_text};

const INTERNAL_ERROR: u16 = 500;

impl Replay for Session {
    fn answer(&self, call: &str, payload: &Value) -> Result<Vec<u8>, String> {
        let Some(question) = Question::of_call(call, payload) else {
            let problem = format!("{call} cannot be replayed; run this policy in a policy server");
            return Err(self.refuse(problem));
        };
        Self::answer(self, &question).map_err(|no_answer| match no_answer {
            NoAnswer::Recorded(message) | NoAnswer::Unexpected(message) => message,
        })
    }
}

/// The answer of a policy server to a request.
#[derive(Debug)]
pub struct Reply {
    /// The response.
    pub response: AdmissionResponse,
    /// Why a policy of this program admits the request without evaluating it. That of a module in
    /// the embedded host is not known.
    pub not_evaluated: Option<String>,
}

impl From<AdmissionResponse> for Reply {
    fn from(response: AdmissionResponse) -> Self {
        Self { response, not_evaluated: None }
    }
}

impl Module {
    /// Answers a request as a policy server with this deployment does, whatever the rules,
    /// selectors and conditions of a policy are.
    #[must_use]
    pub fn respond(&self, request: &AdmissionRequest, deployment: &Deployment, cluster: &Cluster) -> Reply {
        match &self.engine {
            Engine::Native(entry) => {
                let look_ups = LookUps::new(cluster, &self.look_ups, self.settings());
                let outcome = (entry.evaluate)(&request.payload(&deployment.settings), &look_ups);
                let is_evaluated = outcome.decision != Decision::NotMatched;
                let answer = (entry.render)(outcome);
                Reply {
                    response: deployment.response(request, &answer.to_json()),
                    not_evaluated: (!is_evaluated).then(|| {
                        let left_out =
                            || format!("{} leaves out this request, by its user or its settings", entry.id);
                        out_of_scope(entry, request).unwrap_or_else(left_out)
                    }),
                }
            }
            Engine::Deployed { policy, .. } => policy.validate(request, &cluster.objects).response.into(),
            Engine::Refused(problem) | Engine::Unavailable(problem) => {
                AdmissionResponse::internal_error(request.uid(), problem).into()
            }
        }
    }
}

/// Returns why a request is not in the scope of a policy; `None` if it is, so that the policy may
/// still leave it out, by its user for example.
#[must_use]
pub fn out_of_scope(entry: &PolicyEntry, request: &AdmissionRequest) -> Option<String> {
    let request = request.as_value();
    let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
    let (group, kind) = (text(&request["kind"]["group"]), text(&request["kind"]["kind"]));
    let (operation, subresource) = (text(&request["operation"]), text(&request["subResource"]));
    let is_of_kind = |rule: &&ScopeRule| (rule.group, rule.kind) == (&group, &kind);
    let is_of_part = |rule: &&ScopeRule| is_of_kind(rule) && rule.subresource() == subresource;
    let has_operation = |rule: &&ScopeRule| {
        let mut known = Operation::ALL.iter().filter(|(_, known)| rule.operations.contains(known));
        is_of_part(rule) && known.any(|(name, _)| *name == operation)
    };
    let rules = entry.scope.0;
    let kind = if group.is_empty() { kind.clone() } else { format!("{kind}.{group}") };
    let what = if !rules.iter().any(|rule| is_of_kind(&rule)) {
        format!("objects of the kind {kind}")
    } else if !rules.iter().any(|rule| is_of_part(&rule)) {
        format!("the subresource {subresource:?} of the kind {kind}")
    } else if !rules.iter().any(|rule| has_operation(&rule)) {
        format!("{operation} of the kind {kind}")
    } else {
        return None;
    };
    Some(format!("{} does not evaluate {what}", entry.id))
}

pub(super) fn evaluate(module: &DeployedPolicy, request: &Request, cluster: &Cluster) -> Verdict {
    let admission_request = match AdmissionRequest::from_value(request.value().clone()) {
        Ok(request) => request,
        Err(error) => return unknown(error.to_string()),
    };
    let evaluation = match &cluster.session {
        None => module.validate(&admission_request, &cluster.objects),
        Some(session) => {
            let replay: Arc<dyn Replay> = Arc::<Session>::clone(session);
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
    let effect = if response.allowed {
        match evaluation.raw.as_deref().filter(|_| response.patch.is_some()).map(mutated) {
            None => Effect::Admitted,
            Some(Some(object)) => Effect::Mutated(object),
            Some(None) => Effect::Unknown("the module's change cannot be read".to_owned()),
        }
    } else if status.code == Some(INTERNAL_ERROR) {
        Effect::Fault(message)
    } else if message.is_empty() {
        Effect::Denied(Denial::of_text("denied without a message".to_owned()))
    } else {
        let object = request.value().get("object");
        let violations = message.lines().map(|line| of_text(line.to_owned(), object)).collect();
        Effect::Denied(Denial { violations, more: 0 })
    };
    Verdict {
        warnings: response.warnings.unwrap_or_default(),
        audit_annotations: response.audit_annotations.unwrap_or_default(),
        look_ups,
        answer: evaluation.raw,
        ..Verdict::new(effect)
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
        && let Some(why) = cluster.ambiguity(api_version, kind, field("namespace"), field("name"), Shape::ALL)
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
