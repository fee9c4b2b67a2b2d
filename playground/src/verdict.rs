//! From requests to verdicts.

use admission::{Decision, Finding, PolicyEntry};
use admission_review::{AdmissionResponse, Answer};
use cluster_objects::Objects;
use serde_json::Value;

use crate::input::{self, Subject};
use crate::place::{Marker, Origin};
use crate::text::{json, yaml};
use crate::types::{Change, Entry, Input, Outcome, Verdict, VerdictKind};

/// Judges what an input asks.
pub(crate) fn judge(input: &Input) -> Outcome {
    let settings = input::settings(&input.restriction, &input.settings);
    let cluster = input::cluster(input);
    let subjects = input::read(input);
    let policy = rules::find(&input.restriction);
    let (Some(policy), Ok(settings), Ok(cluster), Ok(subjects)) = (policy, &settings, &cluster, &subjects)
    else {
        let problems = subjects.err().into_iter().flatten().chain(settings.err()).chain(cluster.err());
        return Outcome { problems: problems.collect(), ..Outcome::default() };
    };
    let mut marker = Marker::new(input);
    let verdicts = subjects.iter().map(|subject| verdict(policy, settings, cluster, subject, &mut marker));
    Outcome {
        problems: Vec::new(),
        verdicts: verdicts.collect(),
        holds_requests: subjects.iter().any(|subject| matches!(subject.origin, Origin::Request(_))),
    }
}

fn verdict(
    policy: &PolicyEntry,
    settings: &Value,
    cluster: &Objects,
    Subject { request, origin }: &Subject,
    marker: &mut Marker<'_>,
) -> Verdict {
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
    let mut change = None;
    let kind = match &outcome.decision {
        Decision::NotMatched => VerdictKind::NotConcerned,
        Decision::Admitted => VerdictKind::Admitted,
        Decision::Mutated(object) => {
            let after: Value = serde_json::from_str(object).unwrap_or_default();
            let before = request.object().map(yaml).unwrap_or_default();
            change = Some(Change { before, after: yaml(&after) });
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
    let annotations = outcome.audit_annotations().iter();
    Verdict {
        title: request.to_string(),
        kind,
        violations,
        warnings: outcome.warnings().iter().map(|text| unmarked(text)).collect(),
        audit_annotations: annotations
            .map(|(key, value)| Entry { key: (*key).to_owned(), value: value.clone() })
            .collect(),
        change,
        response: serde_json::to_value(&response).as_ref().map(json).unwrap_or_default(),
    }
}
