//! Judges the requests of an input.

use admission::PolicyEntry as Policy;
use admission_review::{AdmissionResponse, Answer};
use cluster_objects::Objects;
use serde_json::Value;

use crate::input::{self, LocatedRequest};
use crate::place::{Marker, Origin};
use crate::text::{json, yaml};
use crate::types::{AuditAnnotation, Input, JudgeResult, ObjectDiff, RequestVerdict, VerdictKind};

/// Judges each request of an input.
pub(crate) fn judge(input: &Input) -> JudgeResult {
    let settings = input::settings(&input.restriction, &input.settings);
    let cluster = input::cluster(input);
    let requests = input::read(input);
    let policy = rules::find(&input.restriction);
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
    policy: &Policy,
    settings: &Value,
    cluster: &Objects,
    LocatedRequest { request, origin }: &LocatedRequest,
    marker: &mut Marker<'_>,
) -> RequestVerdict {
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
        (true, None, _) if !(policy.matches)(&payload) => VerdictKind::NotMatched,
        (true, None, _) => VerdictKind::Admitted,
        (false, _, Some(403)) => VerdictKind::Denied,
        (false, ..) => VerdictKind::Fault,
    };
    let message = response.status.as_ref().and_then(|status| status.message.as_deref()).unwrap_or_default();
    let mut line = |text: &str| marker.line(origin, policy.id, text.to_owned());
    let diff = mutated.map(|after| ObjectDiff {
        before: request.object().map(yaml).unwrap_or_default(),
        after: yaml(&after),
    });
    RequestVerdict {
        title: request.to_string(),
        kind,
        violations: message.lines().map(&mut line).collect(),
        warnings: response.warnings.iter().flatten().map(|text| line(text)).collect(),
        audit_annotations: response
            .audit_annotations
            .iter()
            .flatten()
            .map(|(key, value)| AuditAnnotation { key: key.clone(), value: value.clone() })
            .collect(),
        diff,
        response: serde_json::to_value(&response).as_ref().map(json).unwrap_or_default(),
    }
}
