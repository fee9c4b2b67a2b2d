//! Samples and cases as workspaces, in the form that a user would enter.

use kubernetes::completion::{Phase, complete};
use kubernetes::review::AdmissionRequest;
use manifest::documents;
use scan::{Cluster, Effect, Policy, Request, Verdict};
use serde_json::{Value, json};
use suite::cases::{Case, CaseOutcome};

use crate::catalog;
use crate::text::yaml;
use crate::types::{Example, Operation};
use crate::user;
use crate::workspace::{PolicyInput, RequestInput, Workspace};

/// Returns a sample as a workspace, or `None` if there is no sample with this name.
#[must_use]
pub fn sample_workspace(policy: &str, name: &str) -> Option<Workspace> {
    let sample = catalog::sample(policy, name)?;
    let review = documents(sample.request).ok()?.into_iter().next()?;
    let base = Workspace {
        cluster: whole(sample.cluster),
        policies: vec![evaluated_by(policy, sample.settings.to_owned())],
        ..Workspace::default()
    };
    let unsplit = || Workspace { objects: sample.request.to_owned(), ..base.clone() };
    Some(split(&review, &base).unwrap_or_else(unsplit))
}

/// Returns the text of a cluster of which everything is known. An empty text would know nothing.
fn whole(text: &str) -> String {
    if text.trim().is_empty() { list(&[]) } else { text.to_owned() }
}

pub(crate) fn list(objects: &[Value]) -> String {
    yaml(&json!({ "apiVersion": "v1", "kind": "List", "items": objects }))
}

/// Returns a case from the text of a case file as a workspace, or `None` if there is no case with
/// this name.
#[must_use]
pub fn case_workspace(policy: &str, file: &str, name: &str) -> Option<Workspace> {
    let case: Case = suite::cases::parse(file).ok()?.into_iter().find(|case| case.name == name)?;
    Some(workspace_of(policy, &case))
}

/// Returns a case as a workspace.
#[must_use]
pub fn workspace_of(policy: &str, case: &Case) -> Workspace {
    let objects = &case.cluster.objects;
    let settings = if case.settings.is_null() { String::new() } else { yaml(&case.settings) };
    let base = Workspace {
        cluster: list(objects),
        unreachable: case.cluster.unreachable.clone().unwrap_or_default(),
        policies: vec![evaluated_by(policy, settings)],
        ..Workspace::default()
    };
    let request = case.request_value();
    let unsplit = || Workspace { objects: yaml(&request), ..base.clone() };
    split(&request, &base).filter(|_| is_that_of_a_file(policy, case)).unwrap_or_else(unsplit)
}

/// Returns whether the objects of a case, which are as a webhook receives them, have the same
/// verdict as objects of a file.
fn is_that_of_a_file(policy: &str, case: &Case) -> bool {
    let Some(asked) = Policy::of_rules(policy, &case.settings) else { return true };
    let cluster = match &case.cluster.unreachable {
        Some(reason) => Cluster::unreachable(reason),
        None => Cluster::of_objects(case.cluster.objects.clone())
            .unwrap_or_else(|error| Cluster::unreachable(&error.to_string())),
    };
    let [received, completed] = [Request::new, Request::of_files].map(|request| {
        let mut said = Vec::new();
        scan::ask(&[&asked], &mut request(case.request_value()), &cluster, &mut |answer, _| {
            said.push(match &answer.verdict.effect {
                Effect::Mutated(object) => {
                    let mut object = object.clone();
                    complete(&mut object, Phase::Validating);
                    object.to_string()
                }
                effect => {
                    let Verdict { warnings, audit_annotations, .. } = &answer.verdict;
                    format!("{effect:?} {warnings:?} {audit_annotations:?}")
                }
            });
        });
        said
    });
    received == completed
}

fn evaluated_by(policy: &str, settings: String) -> PolicyInput {
    PolicyInput { id: policy.to_owned(), enabled: true, settings, ..PolicyInput::default() }
}

/// Splits a request into objects, an operation and a user.
///
/// Returns `None` if the request that the playground makes of these parts would differ from the
/// original in a field that policies read.
fn split(review: &Value, base: &Workspace) -> Option<Workspace> {
    let request = AdmissionRequest::from_value(review.clone()).ok()?;
    let mut fields = request.as_value().clone();
    // No policy reads managedFields, and kubectl hides them by default.
    for pointer in ["/object/metadata", "/oldObject/metadata"] {
        if let Some(Value::Object(metadata)) = fields.pointer_mut(pointer) {
            metadata.remove("managedFields");
        }
    }
    let object = |name: &str| fields.get(name).map(yaml);
    let operation: Operation = serde_json::from_value(fields.get("operation")?.clone()).ok()?;
    let (objects, old_objects) = match operation {
        Operation::Create => (object("object")?, None),
        Operation::Update => (object("object")?, Some(object("oldObject")?)),
        Operation::Delete => (object("oldObject")?, None),
    };
    let parts = Workspace {
        objects,
        old_objects: old_objects.unwrap_or_default(),
        request: RequestInput {
            operation,
            subresource: fields.get("subResource").and_then(Value::as_str).unwrap_or_default().to_owned(),
            user: user::of(fields.get("userInfo")?)?,
        },
        ..base.clone()
    };
    let rebuilt = crate::engine::only_request(&parts)?;
    (evaluated_fields(&rebuilt) == evaluated_fields(&fields)).then_some(parts)
}

pub(crate) fn cases(file: &str) -> Vec<Example> {
    let cases = suite::cases::parse(file).unwrap_or_default();
    cases
        .into_iter()
        .map(|case| Example { verdict: verdict(&case.want).to_owned(), name: case.name })
        .collect()
}

fn verdict(want: &CaseOutcome) -> &'static str {
    match want {
        CaseOutcome { settings_error: Some(_), .. } => "invalid settings",
        CaseOutcome { fault: Some(_), .. } => "fault",
        CaseOutcome { denied: Some(_), .. } => "denied",
        CaseOutcome { mutated: Some(_), .. } => "admitted, mutated",
        _ => "admitted",
    }
}

/// Returns the fields of a request that a verdict can depend on.
fn evaluated_fields(request: &Value) -> Value {
    let field = |pointer: &str| request.pointer(pointer).cloned().unwrap_or_default();
    json!([
        field("/kind/group"),
        field("/kind/kind"),
        field("/name"),
        field("/namespace"),
        field("/object"),
        field("/oldObject"),
        field("/operation"),
        field("/subResource"),
        field("/userInfo/username"),
        field("/userInfo/groups"),
        field("/userInfo/extra/authentication.kubernetes.io~1node-name"),
        field("/userInfo/extra/authentication.kubernetes.io~1node-uid"),
    ])
}
