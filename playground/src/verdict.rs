//! Judges the requests of an input.

use admission::{Decision, Finding, PolicyEntry};
use admission_review::{AdmissionResponse, Answer};
use cluster_objects::Objects;
use serde_json::Value;

use crate::input::{self, LocatedRequest};
use crate::place::{Marker, Origin};
use crate::text::{json, yaml};
use crate::types::{AuditAnnotation, Input, JudgeResult, Line, ObjectDiff, RequestVerdict, VerdictKind};

/// Judges every request of an input.
pub(crate) fn judge(input: &Input) -> JudgeResult {
    let settings = input::settings(&input.policy, &input.settings);
    let cluster = input::cluster(input);
    let requests = input::read(input);
    let policy = rules::find(&input.policy);
    let (Some(policy), Ok(settings), Ok(cluster), Ok(requests)) = (policy, &settings, &cluster, &requests)
    else {
        let problems = requests.err().into_iter().flatten().chain(settings.err()).chain(cluster.err());
        return JudgeResult { problems: problems.collect(), ..JudgeResult::default() };
    };
    let mut marker = Marker::new(input);
    let verdicts = requests.iter().map(|request| verdict(policy, settings, cluster, request, &mut marker));
    JudgeResult {
        problems: Vec::new(),
        verdicts: verdicts.collect(),
        holds_requests: requests.iter().any(|request| matches!(request.origin, Origin::Request(_))),
    }
}

fn verdict(
    policy: &PolicyEntry,
    settings: &Value,
    cluster: &Objects,
    LocatedRequest { request, origin }: &LocatedRequest,
    marker: &mut Marker<'_>,
) -> RequestVerdict {
    let outcome = (policy.judge)(&request.payload(settings), cluster);
    let rendered = (policy.render)(outcome.clone());
    let response = match serde_json::from_slice::<Answer>(&rendered.to_json()) {
        Ok(answer) => answer.response(request.uid(), request.object()),
        Err(error) => AdmissionResponse::internal_error(
            request.uid(),
            &format!("invalid response from policy: {error}"),
        ),
    };
    let unmarked = |message: &str| Line { message: message.to_owned(), mark: None };
    let mut violations = Vec::new();
    let mut diff = None;
    let kind = match &outcome.decision {
        Decision::NotMatched => VerdictKind::NotMatched,
        Decision::Admitted => VerdictKind::Admitted,
        Decision::Mutated(object) => {
            let after: Value = serde_json::from_str(object).unwrap_or_default();
            let before = request.object().map(yaml).unwrap_or_default();
            diff = Some(ObjectDiff { before, after: yaml(&after) });
            VerdictKind::Mutated
        }
        Decision::Denied(findings) => {
            // A line for each finding, and one that counts those that are not listed.
            let mut places = findings.listed.iter().map(Finding::place);
            violations.extend(findings.lines().into_iter().map(|message| {
                let mark = places.next().and_then(|place| marker.mark(origin, &place));
                Line { message, mark }
            }));
            VerdictKind::Denied
        }
        Decision::Fault(fault) => {
            let message = rendered.message.clone().unwrap_or_default();
            violations.push(Line { message, mark: marker.mark(origin, fault.place()) });
            VerdictKind::Fault
        }
    };
    let mut annotations = outcome.audit_annotations().to_vec();
    // As the API server receives them: the response holds a map.
    annotations.sort();
    RequestVerdict {
        title: request.to_string(),
        kind,
        violations,
        warnings: outcome.warnings().iter().map(|text| unmarked(text)).collect(),
        audit_annotations: annotations
            .into_iter()
            .map(|(key, value)| AuditAnnotation { key: key.to_owned(), value })
            .collect(),
        diff,
        response: serde_json::to_value(&response).as_ref().map(json).unwrap_or_default(),
    }
}
