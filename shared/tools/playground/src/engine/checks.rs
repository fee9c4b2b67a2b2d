//! The checks that decide whether a policy looks at a request.

use std::collections::HashMap;

use admission::{Operation, PolicyEntry, ScopeRule};
use kubewarden::matching::CheckSubject;
use scan::{Answer, Asked};
use serde_json::{Value, json};

use super::Playground;
use super::policies::Prepared;
use crate::matrix::{Check, CheckResult};

pub(crate) fn of(
    playground: &Playground,
    prepared: &Prepared,
    answer: &Answer,
    asked: Asked<'_>,
) -> Vec<Check> {
    match prepared.entry {
        Some(entry) => of_scope(prepared, entry, answer, asked.request),
        None => of_deployment(playground, prepared, asked),
    }
}

/// Returns the check because of which a policy without a deployment does not look at a request that
/// it admits, or may not.
pub(crate) fn deciding(
    playground: &Playground,
    prepared: &Prepared,
    answer: &Answer,
    asked: Asked<'_>,
) -> Option<CheckResult> {
    prepared.entry?;
    let checks = of(playground, prepared, answer, asked);
    let results = checks.into_iter().map(|check| check.result);
    results.into_iter().find(|result| matches!(result, CheckResult::NotMet | CheckResult::Unknown))
}

fn of_deployment(playground: &Playground, prepared: &Prepared, asked: Asked<'_>) -> Vec<Check> {
    let Some(policy) = &prepared.policy else { return Vec::new() };
    let (cluster, request) = (playground.cluster(), asked.request);
    let namespace = request.get("namespace").and_then(Value::as_str).unwrap_or_default();
    let namespace = cluster.namespace(namespace);
    let checks = policy.webhook.checks(cluster.kinds(), request, namespace, asked.is_completed);
    checks
        .into_iter()
        .map(|check| Check {
            name: match check.subject {
                CheckSubject::Resource => "Kind".to_owned(),
                CheckSubject::Operation => "Operation".to_owned(),
                CheckSubject::Namespace => "Namespace".to_owned(),
                CheckSubject::Object => "Labels".to_owned(),
                CheckSubject::Condition(name) => format!("Condition {name}"),
            },
            result: match check.result {
                kubewarden::matching::CheckResult::Met => CheckResult::Met,
                kubewarden::matching::CheckResult::NotMet => CheckResult::NotMet,
                kubewarden::matching::CheckResult::Failed => CheckResult::Failed,
                kubewarden::matching::CheckResult::Unknown => CheckResult::Unknown,
                kubewarden::matching::CheckResult::NotReached => CheckResult::NotReached,
            },
            message: check.message,
        })
        .collect()
}

/// Returns the checks of the rules alone: the scope of the policy, and the users that it looks at.
fn of_scope(prepared: &Prepared, entry: &PolicyEntry, answer: &Answer, request: &Value) -> Vec<Check> {
    let text = |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, kind, subresource) = (text("/kind/group"), text("/kind/kind"), text("/subResource"));
    let operation = text("/operation");
    let of_kind = |rule: &&ScopeRule| rule.kind == kind && rule.group == group;
    let rules: Vec<&ScopeRule> = entry.scope.0.iter().filter(of_kind).collect();
    let mut checks = Vec::new();
    let mut is_decided = false;
    let met = |is_met| if is_met { CheckResult::Met } else { CheckResult::NotMet };
    let mut add = |name: &str, result: CheckResult, message: String| {
        let result = if is_decided { CheckResult::NotReached } else { result };
        let message = if is_decided { String::new() } else { message };
        is_decided |= result == CheckResult::NotMet;
        checks.push(Check { name: name.to_owned(), result, message });
    };
    let id = entry.id;
    add("Kind", met(!rules.is_empty()), format!("{id} looks at {}; this is a {kind}", kinds(entry)));
    let rules: Vec<&&ScopeRule> = rules.iter().filter(|rule| rule.subresource() == subresource).collect();
    if !subresource.is_empty() || rules.is_empty() {
        let shown =
            if subresource.is_empty() { "the object itself".to_owned() } else { format!("/{subresource}") };
        let is_met = !rules.is_empty();
        let looks = if is_met { "looks" } else { "does not look" };
        add("Subresource", met(is_met), format!("{id} {looks} at {shown} of a {kind}"));
    }
    let operations: Vec<&str> = rules
        .iter()
        .flat_map(|rule| rule.operations.iter().filter_map(|operation| name(*operation)))
        .collect();
    let message = format!("{id} looks at {}; this is a {operation}", listed(&operations));
    add("Operation", met(operations.contains(&operation)), message);
    if let Some((result, message)) = user(prepared, entry, request) {
        add("User", result, message);
    }
    if answer.verdict.is_out_of_scope && checks.iter().all(|check| check.result == CheckResult::Met) {
        add_rest(&mut checks, id);
    }
    checks
}

fn name(operation: Operation) -> Option<&'static str> {
    Operation::ALL.iter().find(|(_, known)| *known == operation).map(|(name, _)| *name)
}

/// A policy can leave out more than its scope tells.
fn add_rest(checks: &mut Vec<Check>, id: &str) {
    checks.push(Check {
        name: "Request".to_owned(),
        result: CheckResult::NotMet,
        message: format!("{id} does not evaluate such requests"),
    });
}

/// Returns whether a policy without a deployment looks at the user of a request, and why; `None` if
/// it looks at all users.
fn user(prepared: &Prepared, entry: &PolicyEntry, request: &Value) -> Option<(CheckResult, String)> {
    let fields = ["kind", "operation", "subResource", "userInfo"].map(|name| (name, request.get(name)));
    let payload = json!({ "request": HashMap::from(fields), "settings": prepared.settings }).to_string();
    let looks = (entry.evaluates_user)(payload.as_bytes());
    let username = request.pointer("/userInfo/username").and_then(Value::as_str).unwrap_or_default();
    let id = entry.id;
    match looks {
        Ok(None) => None,
        Ok(Some(true)) => {
            Some((CheckResult::Met, format!("{id} looks at requests of nodes; {username} is a node")))
        }
        Ok(Some(false)) => {
            Some((CheckResult::NotMet, format!("{id} looks at requests of nodes; {username} is not a node")))
        }
        Err(fault) => Some((CheckResult::Failed, fault.to_string())),
    }
}

/// Returns the kinds that a policy looks at, in the plural.
pub(crate) fn kinds(entry: &PolicyEntry) -> String {
    let mut kinds: Vec<&str> = entry.scope.0.iter().map(|rule| rule.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let plural = |kind: &str| if kind.ends_with('s') { kind.to_owned() } else { format!("{kind}s") };
    let plurals: Vec<String> = kinds.into_iter().map(plural).collect();
    listed(&plurals.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns words with commas and `and`.
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
