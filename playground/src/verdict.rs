//! From requests to verdicts.

use admission::PolicyEntry as Policy;
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
    policy: &Policy,
    settings: &Value,
    cluster: &Objects,
    Subject { request, origin }: &Subject,
    marker: &mut Marker<'_>,
) -> Verdict {
    let payload = request.payload(settings);
    let judged = (policy.evaluate)(&payload, cluster);
    let mutated: Option<Value> =
        judged.mutated_object.as_ref().and_then(|object| serde_json::from_str(object).ok());
    let response = match serde_json::from_slice::<Answer>(&judged.to_json()) {
        Ok(answer) => answer.response(request.uid(), request.object()),
        Err(error) => AdmissionResponse::internal_error(
            request.uid(),
            &format!("invalid response from policy: {error}"),
        ),
    };
    let kind = match (response.allowed, &mutated, judged.code) {
        (true, Some(_), _) => VerdictKind::Mutated,
        (true, None, _) if !(policy.matches)(&payload) => VerdictKind::NotConcerned,
        (true, None, _) => VerdictKind::Admitted,
        (false, _, Some(403)) => VerdictKind::Denied,
        (false, ..) => VerdictKind::Fault,
    };
    let message = response.status.as_ref().and_then(|status| status.message.as_deref()).unwrap_or_default();
    let mut line = |text: &str| marker.line(origin, policy.id, text.to_owned());
    let change = mutated
        .map(|after| Change { before: request.object().map(yaml).unwrap_or_default(), after: yaml(&after) });
    Verdict {
        title: request.to_string(),
        kind,
        violations: message.lines().map(&mut line).collect(),
        warnings: response.warnings.iter().flatten().map(|text| line(text)).collect(),
        audit_annotations: response
            .audit_annotations
            .iter()
            .flatten()
            .map(|(key, value)| Entry { key: key.clone(), value: value.clone() })
            .collect(),
        change,
        response: serde_json::to_value(&response).as_ref().map(json).unwrap_or_default(),
    }
}
