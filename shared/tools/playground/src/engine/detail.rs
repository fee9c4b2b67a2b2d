//! The details of a cell.

use kubernetes::review::ValidationResponse;
use manifest::Step;
use scan::{Answer, Asked, Effect, Violation};
use serde_json::Value;

use super::evaluated::{Evaluated, Place};
use super::policies::Prepared;
use super::{Playground, checks, suggestions, summary};
use crate::fix;
use crate::leaves::leaves;
use crate::matrix::{
    AuditRow, AuditTable, CellAnswer, CellDetail, Outcome, PatchOperation, ViolationDetail, ViolationGroup,
};
use crate::text::{json, yaml};
use crate::types::{AuditAnnotation, ObjectDiff};

/// The status code of a denial by a rule, and of one because the request cannot be evaluated.
const FORBIDDEN: u16 = 403;
const INTERNAL_ERROR: u16 = 500;

pub(crate) fn cell(playground: &Playground, evaluated: &Evaluated, policy: usize) -> CellDetail {
    let mut detail = CellDetail::default();
    let mut lacking = None;
    // A policy that is not asked has no answer, and an object without a request has no cells.
    let _ = summary::ask_about(playground, evaluated, &mut |prepared, answer, asked| {
        if usize::try_from(prepared.index) == Ok(policy) {
            let answer = self::answer(playground, evaluated, prepared, answer, asked);
            // Suggestions for the object itself are enough.
            if detail.answers.is_empty() && answer.outcome == Outcome::NotLookedAt {
                detail.suggestions = suggestions::of(prepared.entry, &answer.checks, asked.request);
            }
            if lacking.is_none() && is_lacking(&answer) {
                lacking = suggestions::namespace(playground, asked.request);
            }
            detail.answers.push(answer);
        }
    });
    if detail.answers.iter().any(|answer| answer.outcome != Outcome::NotLookedAt) {
        detail.suggestions = lacking.into_iter().collect();
    }
    detail
}

/// Returns whether the Namespace of the object may be what the answer lacks.
fn is_lacking(answer: &CellAnswer) -> bool {
    let is_looked_up = || answer.look_ups.iter().any(|look_up| look_up.starts_with("get v1 Namespace "));
    answer.outcome == Outcome::Unknown || answer.outcome == Outcome::Fault && is_looked_up()
}

/// Writes an object without `managedFields`, as `kubectl get` does.
fn shown(object: &Value) -> String {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    yaml(&object)
}

fn answer(
    playground: &Playground,
    evaluated: &Evaluated,
    prepared: &Prepared,
    answer: &Answer,
    asked: Asked<'_>,
) -> CellAnswer {
    let reason = match &answer.verdict.effect {
        Effect::Fault(reason) | Effect::Unknown(reason) => Some(reason.clone()),
        _ => None,
    };
    let mutated = if let Effect::Mutated(object) = &answer.verdict.effect { Some(object) } else { None };
    let before = asked.request.get("object");
    CellAnswer {
        title: title(asked.request),
        concerns_pods: asked.concerns_pods(),
        outcome: summary::outcome(playground, prepared, answer, asked),
        reason,
        groups: groups(playground, evaluated, answer, asked),
        more: summary::denial(answer).map_or(0, |denial| super::number(denial.more)),
        warnings: answer.verdict.warnings.clone(),
        audit: answer.verdict.audit_annotations.iter().map(|(key, value)| audit_table(key, value)).collect(),
        patch: match (before, mutated) {
            (Some(before), Some(after)) => patch(before, after),
            _ => Vec::new(),
        },
        diff: mutated
            .map(|after| ObjectDiff { before: before.map(shown).unwrap_or_default(), after: shown(after) }),
        checks: checks::of(playground, prepared, answer, asked),
        look_ups: answer.verdict.look_ups.iter().map(ToString::to_string).collect(),
        request: json(asked.request),
        response: response(prepared, answer, asked),
    }
}

/// Returns the operation and the object, such as `CREATE Service shop/web`.
fn title(request: &Value) -> String {
    kubernetes::review::AdmissionRequest::from_value(request.clone())
        .map(|request| request.to_string())
        .unwrap_or_default()
}

/// Returns the violations by rule, in the order in which they appear.
fn groups(
    playground: &Playground,
    evaluated: &Evaluated,
    answer: &Answer,
    asked: Asked<'_>,
) -> Vec<ViolationGroup> {
    let mut groups: Vec<ViolationGroup> = Vec::new();
    for violation in summary::denial(answer).iter().flat_map(|denial| &denial.violations) {
        let control = violation.rule.map_or(violation.reason.as_str(), |rule| rule.name);
        let learn = violation.rule.map(|rule| report::catalogue::address(rule.policy, rule.id));
        let violation = detail(playground, evaluated, violation, asked);
        match groups.iter_mut().find(|group| group.control == control) {
            Some(group) => group.violations.push(violation),
            None => groups.push(ViolationGroup {
                control: control.to_owned(),
                learn,
                violations: vec![violation],
            }),
        }
    }
    groups
}

fn detail(
    playground: &Playground,
    evaluated: &Evaluated,
    violation: &Violation,
    asked: Asked<'_>,
) -> ViolationDetail {
    let (place, message) = summary::locate(evaluated, violation, asked);
    let (steps, _) = asked.locate(violation);
    ViolationDetail {
        path: steps.as_deref().map(manifest::path).unwrap_or_default(),
        message,
        mark: place.as_ref().and_then(|place| playground.mark(evaluated, place)),
        fix: match &place {
            Some(Place::Object(_)) => {
                violation.remedy.as_ref().and_then(|remedy| remedy.change.as_ref()).map(fix::label)
            }
            _ => None,
        },
    }
}

/// Returns an annotation as a table of its values, if it is JSON.
fn audit_table(key: &str, value: &str) -> AuditTable {
    let mut rows = Vec::new();
    if let Ok(parsed @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(value) {
        let row = |(path, value): (Vec<Step>, String)| AuditRow { path: manifest::path(&path), value };
        rows.extend(leaves(&parsed).into_iter().map(row));
    }
    AuditTable { annotation: AuditAnnotation { key: key.to_owned(), value: value.to_owned() }, rows }
}

fn patch(before: &Value, after: &Value) -> Vec<PatchOperation> {
    let patch = scan::diff::patch(before, after);
    let operations = patch.as_array().into_iter().flatten();
    operations
        .map(|operation| {
            let text = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
            PatchOperation {
                op: text("op").to_owned(),
                path: manifest::path(&pointer_steps(before, text("path"))),
                value: operation.get("value").map(|value| yaml(value).trim_end().to_owned()),
            }
        })
        .collect()
}

/// Returns the steps of a JSON pointer. A number is an index where the object has a list.
fn pointer_steps(object: &Value, pointer: &str) -> Vec<Step> {
    let mut value = Some(object);
    let tokens = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    tokens
        .map(|token| {
            let is_list = value.is_some_and(Value::is_array);
            value = value.and_then(|value| match value {
                Value::Array(items) => items.get(token.parse::<usize>().ok()?),
                value => value.get(&token),
            });
            match token.parse() {
                Ok(index) if is_list => Step::Index(index),
                _ => Step::Field(token),
            }
        })
        .collect()
}

fn response(prepared: &Prepared, answer: &Answer, asked: Asked<'_>) -> String {
    let mut response = ValidationResponse {
        accepted: true,
        message: None,
        code: None,
        mutated_object: None,
        audit_annotations: Some(answer.verdict.audit_annotations.clone()).filter(|known| !known.is_empty()),
        warnings: Some(answer.verdict.warnings.clone()).filter(|known| !known.is_empty()),
    };
    match &answer.verdict.effect {
        Effect::Skipped | Effect::Unknown(_) => return String::new(),
        // In monitor mode, the policy server admits what the policy denies, and logs it.
        Effect::Admitted | Effect::Monitored(_) => {}
        Effect::Fault(_) if !prepared.state.protects => {}
        Effect::Mutated(object) => response.mutated_object = Some(object.clone()),
        Effect::Denied(denial) => {
            response.accepted = false;
            response.message = Some(denial.lines().join("\n"));
            response.code = Some(FORBIDDEN);
        }
        Effect::Fault(reason) => {
            response.accepted = false;
            response.message = Some(reason.clone());
            response.code = Some(INTERNAL_ERROR);
        }
    }
    let uid = asked.request.get("uid").and_then(Value::as_str).unwrap_or_default();
    let response = response.response(uid, asked.request.get("object"));
    serde_json::to_value(&response).as_ref().map(json).unwrap_or_default()
}
