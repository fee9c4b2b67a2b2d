//! A request, asked of policies as the API server asks them.

use std::borrow::Borrow;

use kubernetes::completion::Phase;
use kubewarden::matching::Decision;
use serde_json::Value;
use text::Step;

use crate::cluster::Cluster;
use crate::options::Pods;
use crate::pods::PodOfWorkload;
use crate::policy::Policy;
use crate::request::{Change, request};
use crate::verdict::{Effect, Request, Verdict, evaluate};
use crate::violation::{Denial, Violation};

/// The answer of a policy to a request.
#[derive(Debug)]
pub struct Answer {
    /// The index of the policy.
    pub policy: usize,
    /// Whether the policy is asked, and the rule, selector or condition that decides.
    pub decision: Decision,
    /// The effect on the request, as the policy is deployed, and what it says with it.
    pub verdict: Verdict,
}

/// The request that a policy was asked about.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The `AdmissionRequest` before the policy changes its object.
    pub request: &'a Value,
    /// Whether the objects are those of files, with values that are made up.
    pub is_completed: bool,
    /// The pod that a workload would make, and the workload, if the request is about the pod.
    pub(crate) pod: Option<(&'a PodOfWorkload, &'a Value)>,
}

impl Asked<'_> {
    /// Returns whether the request is about the pod that a workload would make.
    #[must_use]
    pub fn concerns_pods(&self) -> bool {
        self.pod.is_some()
    }

    /// Returns the object that violations are about: the one of the request, or the workload of the
    /// pod.
    pub(crate) fn object(&self) -> &Value {
        let object = self.pod.map(|(_, workload)| workload);
        object.or_else(|| self.request.get("object")).unwrap_or(&Value::Null)
    }

    /// Returns the steps of a violation in the object, and its whole message. A violation in a pod
    /// is one in the template of its workload.
    #[must_use]
    pub fn locate(&self, violation: &Violation) -> (Option<Vec<Step>>, String) {
        let steps = match (&violation.steps, self.pod) {
            (Some(steps), Some((made, _))) => made.path(steps),
            (steps, _) => steps.clone(),
        };
        let message = violation.message.with_path(steps.as_deref().filter(|_| self.concerns_pods()));
        (steps, message)
    }
}

/// Asks policies about a request, in their order: a policy evaluates what the ones before it have
/// changed. `receive` gets every answer. Sort the policies by [`Policy::order`] for the order of
/// the API server.
pub fn ask<P: Borrow<Policy>>(
    policies: &[P],
    request: &mut Request,
    cluster: &Cluster,
    receive: &mut dyn FnMut(&Answer, Asked<'_>),
) {
    ask_some(policies, request, None, cluster, &|_| true, &mut |answer, asked| receive(answer, asked));
}

/// Asks policies as [`ask`] does about a request of `user`, and then about the pods that a workload
/// would make, by the account of its controller.
pub fn ask_with_pods<P: Borrow<Policy>>(
    policies: &[P],
    asked: &mut Request,
    pods: Pods,
    user: &Value,
    cluster: &Cluster,
    receive: &mut dyn FnMut(&Answer, Asked<'_>),
) {
    let makes_pods = pods != Pods::Off && makes_pods(asked.value());
    let mut has_warned = vec![false; policies.len()];
    let may_evaluate_pods = ask_some(policies, asked, None, cluster, &|_| true, &mut |answer, asked| {
        if let Some(has_warned) = has_warned.get_mut(answer.policy) {
            *has_warned = !answer.verdict.warnings.is_empty();
        }
        receive(answer, asked);
    });
    // The pods come from the workload as it would be stored, with the changes of the policies.
    asked.enter(Phase::Validating);
    let Some(workload) = asked.value().get("object").filter(|_| makes_pods) else { return };
    let Some(made) = PodOfWorkload::of(workload) else { return };
    let user = made.user().unwrap_or_else(|| user.clone());
    let mut request = asked.about_pod(request(Change::Create(made.pod.clone()), &user, &cluster.resources));
    let evaluates =
        |policy: usize| pods == Pods::On || may_evaluate_pods.get(policy).copied().unwrap_or_default();
    ask_some(policies, &mut request, Some((&made, workload)), cluster, &evaluates, &mut |answer, asked| {
        // The policy has warned of the template.
        if pods == Pods::Auto && has_warned.get(answer.policy).copied().unwrap_or_default() {
            answer.verdict.warnings.clear();
            answer.verdict.warned.clear();
        }
        receive(answer, asked);
    });
}

/// Returns whether a request makes a workload start pods. A UID does not show that the workload is
/// stored: exported manifests have one, too.
fn makes_pods(request: &Value) -> bool {
    let field = |name| request.get(name).unwrap_or(&Value::Null);
    if field("subResource").as_str().is_some_and(|subresource| !subresource.is_empty()) {
        return false;
    }
    match field("operation").as_str() {
        Some("CREATE") => true,
        Some("UPDATE") => PodOfWorkload::of(field("object"))
            .is_some_and(|new| PodOfWorkload::of(field("oldObject")).is_none_or(|old| old.pod != new.pod)),
        _ => false,
    }
}

/// Asks some policies. Returns for each policy whether it may evaluate the pods of a workload: it
/// was not asked because of the object, or did not object to it. A policy can let workloads be that
/// it is asked about, and an objection to the template would be one to the pods again.
fn ask_some<P: Borrow<Policy>>(
    policies: &[P],
    asked: &mut Request,
    pod: Option<(&PodOfWorkload, &Value)>,
    cluster: &Cluster,
    takes_part: &dyn Fn(usize) -> bool,
    receive: &mut dyn FnMut(&mut Answer, Asked<'_>),
) -> Vec<bool> {
    let mut may_evaluate_pods = vec![false; policies.len()];
    let namespace = asked.value().get("namespace").and_then(Value::as_str).unwrap_or_default().to_owned();
    let labels = cluster.namespace(&namespace);
    for ((index, policy), may_evaluate_pods) in policies.iter().enumerate().zip(&mut may_evaluate_pods) {
        if !takes_part(index) {
            continue;
        }
        let policy = policy.borrow();
        asked.enter(if policy.is_mutating { Phase::Mutating } else { Phase::Validating });
        let decision = asked.decide(&policy.webhook, &cluster.resources, labels);
        *may_evaluate_pods = match &decision {
            Decision::NeverSent
            | Decision::NoRuleMatches
            | Decision::ConditionIsFalse(_)
            | Decision::ObjectIsNotSelected(_) => true,
            // An error about a workload says nothing about its pods.
            Decision::ConditionFailed(_) => !policy.fails_closed,
            // The namespace is that of the pods as well, and the effect of a call tells the rest.
            Decision::NamespaceIsNotSelected(_)
            | Decision::AdmittedByServer
            | Decision::Called(_)
            | Decision::Unknown(_) => false,
        };
        let mut answer = answer(index, policy, decision, asked, cluster);
        *may_evaluate_pods |= matches!(answer.verdict.effect, Effect::Admitted | Effect::Mutated(_));
        let is_completed = asked.is_completed();
        receive(&mut answer, Asked { request: asked.value(), is_completed, pod });
        if let Effect::Mutated(object) = answer.verdict.effect {
            asked.set_object(object);
        }
    }
    may_evaluate_pods
}

pub(crate) fn answer(
    index: usize,
    policy: &Policy,
    decision: Decision,
    asked: &Request,
    cluster: &Cluster,
) -> Answer {
    let verdict = match &decision {
        // The API server rejects the request without asking the policy, whatever its mode is.
        Decision::ConditionFailed(error) if policy.fails_closed => {
            denied(format!("the API server rejects the request, because the {error}"))
        }
        Decision::Called(found) => deployed(policy, evaluate(policy, found, asked, cluster)),
        Decision::Unknown(_) => Verdict::new(Effect::Unknown(decision.explain())),
        Decision::NeverSent
        | Decision::NoRuleMatches
        | Decision::NamespaceIsNotSelected(_)
        | Decision::ObjectIsNotSelected(_)
        | Decision::ConditionIsFalse(_)
        | Decision::ConditionFailed(_)
        | Decision::AdmittedByServer => Verdict::new(Effect::Skipped),
    };
    Answer { policy: index, decision, verdict }
}

fn denied(reason: String) -> Verdict {
    Verdict::new(Effect::Denied(Denial::of_text(reason)))
}

/// Returns what the verdict of a module means for the request, as the policy is deployed.
fn deployed(policy: &Policy, verdict: Verdict) -> Verdict {
    let protects = policy.reference.protects;
    let effect = match verdict.effect {
        // In monitor mode, the policy server drops the changes.
        Effect::Mutated(_) if !protects => Effect::Admitted,
        Effect::Mutated(_) if !policy.is_mutating => {
            let problem = "the policy changes the object, but it is not deployed with mutating: true";
            Effect::Denied(Denial::of_text(problem.to_owned()))
        }
        Effect::Denied(denial) if !protects => Effect::Monitored(denial),
        effect => effect,
    };
    Verdict { effect, ..verdict }
}
