//! Samples and cases, as a person would have written them.

use admission_review::AdmissionRequest;
use case_format::{Case, CaseOutcome};
use manifest::documents;
use serde_json::{Value, json};

use crate::catalog;
use crate::input::{self, CONTROLLERS, NODES, user_info};
use crate::text::yaml;
use crate::types::{Example, Input, Operation, User};

/// A sample of a restriction.
pub(crate) fn of_sample(restriction: &str, name: &str) -> Option<Input> {
    let sample = catalog::sample(restriction, name)?;
    let review = documents(sample.request).ok()?.into_iter().next()?;
    let surroundings = Input {
        restriction: restriction.to_owned(),
        settings: sample.settings.to_owned(),
        cluster: sample.cluster.to_owned(),
        ..Input::default()
    };
    let whole = || Input { manifest: sample.request.to_owned(), ..surroundings.clone() };
    Some(taken_apart(&review, &surroundings).unwrap_or_else(whole))
}

/// The names of the cases in a file.
pub(crate) fn cases(file: &str) -> Vec<Example> {
    let cases = case_format::parse(file).unwrap_or_default();
    cases
        .into_iter()
        .map(|case| Example { verdict: verdict(&case.want).to_owned(), name: case.name })
        .collect()
}

/// A case in a file.
pub(crate) fn of_case(restriction: &str, file: &str, name: &str) -> Option<Input> {
    let case: Case = case_format::parse(file).ok()?.into_iter().find(|case| case.name == name)?;
    let objects = &case.cluster.objects;
    let list = || yaml(&json!({ "apiVersion": "v1", "kind": "List", "items": objects }));
    let surroundings = Input {
        restriction: restriction.to_owned(),
        settings: if case.settings.is_null() { String::new() } else { yaml(&case.settings) },
        cluster: if objects.is_empty() { String::new() } else { list() },
        unreachable: case.cluster.unreachable.clone().unwrap_or_default(),
        ..Input::default()
    };
    let request = case.request_value();
    let whole = || Input { manifest: yaml(&request), ..surroundings.clone() };
    Some(taken_apart(&request, &surroundings).unwrap_or_else(whole))
}

fn verdict(want: &CaseOutcome) -> &'static str {
    match want {
        CaseOutcome { settings_error: Some(_), .. } => "settings refused",
        CaseOutcome { fault: Some(_), .. } => "a fault",
        CaseOutcome { denied: Some(_), .. } => "denied",
        CaseOutcome { mutated: Some(_), .. } => "admitted, mutated",
        _ => "admitted",
    }
}

/// A request as a manifest and a user, if that makes the same request again as far as policies read it.
fn taken_apart(review: &Value, surroundings: &Input) -> Option<Input> {
    let request = AdmissionRequest::from_value(review.clone()).ok()?;
    let mut fields = request.as_value().clone();
    // What no policy reads and kubectl does not show.
    for pointer in ["/object/metadata", "/oldObject/metadata"] {
        if let Some(Value::Object(metadata)) = fields.pointer_mut(pointer) {
            metadata.remove("managedFields");
        }
    }
    let object = |name: &str| fields.get(name).map(yaml);
    let operation: Operation = serde_json::from_value(fields.get("operation")?.clone()).ok()?;
    let (manifest, old_object) = match operation {
        Operation::Delete => (object("oldObject")?, None),
        _ => (object("object")?, object("oldObject")),
    };
    let apart = Input {
        manifest,
        old_object: old_object.unwrap_or_default(),
        operation,
        subresource: fields.get("subResource").and_then(Value::as_str).unwrap_or_default().to_owned(),
        user: user(fields.get("userInfo")?)?,
        ..surroundings.clone()
    };
    let again = input::read(&apart).ok()?;
    let [again] = again.as_slice() else { return None };
    (read_by_policies(again.request.as_value()) == read_by_policies(&fields)).then_some(apart)
}

/// What a verdict may depend on.
fn read_by_policies(request: &Value) -> Value {
    let text = |pointer: &str| request.pointer(pointer).cloned().unwrap_or_default();
    json!([
        text("/kind/group"),
        text("/kind/kind"),
        text("/name"),
        text("/namespace"),
        text("/object"),
        text("/oldObject"),
        text("/operation"),
        text("/subResource"),
        text("/userInfo/username"),
        text("/userInfo/groups"),
    ])
}

/// The user of a request, in the simplest form that says all of it.
fn user(info: &Value) -> Option<User> {
    let username = info.get("username")?.as_str()?;
    let groups = serde_json::from_value(info.get("groups")?.clone()).ok()?;
    let named = User::Named { username: username.to_owned(), groups };
    let after = |prefix| username.strip_prefix(prefix).map(str::to_owned);
    let simpler = [
        Some(User::Ordinary),
        after(NODES).map(|node| User::Kubelet { node }),
        after(CONTROLLERS).map(|account| User::Controller { account }),
    ];
    let same = |user: &User| user_info(user) == user_info(&named);
    Some(simpler.into_iter().flatten().find(same).unwrap_or(named))
}
