//! Suggestions with which a policy looks at an object.

use admission::PolicyEntry;
use serde_json::{Value, json};

use super::Playground;
use crate::matrix::{Check, CheckResult, SuggestedAction, Suggestion};
use crate::text::yaml;
use crate::types::{Operation, User};

/// The name of a node, where the object names none.
const NODE: &str = "node-1";

/// Returns the suggestions for the checks of a policy: one for the check that is not met.
pub(crate) fn of(entry: Option<&PolicyEntry>, checks: &[Check], request: &Value) -> Vec<Suggestion> {
    let Some(check) = checks.iter().find(|check| check.result == CheckResult::NotMet) else {
        return Vec::new();
    };
    let Some(entry) = entry else {
        let message = "Evaluate by the rules alone".to_owned();
        return vec![Suggestion { message, action: SuggestedAction::RulesOnly }];
    };
    match check.name.as_str() {
        "Kind" => others(entry, request),
        "Operation" => operations(entry, request),
        "User" => vec![kubelet(request)],
        _ => Vec::new(),
    }
}

/// The Namespace of a request, if neither the cluster nor the input has it.
pub(crate) fn namespace(playground: &Playground, request: &Value) -> Option<Suggestion> {
    let name = Some(text(request, "/namespace")).filter(|name| !name.is_empty())?;
    let is_absent = playground.cluster().namespace(name).is_none();
    (is_absent && playground.workspace().unreachable.is_empty()).then(|| Suggestion {
        message: format!("Add Namespace {name}"),
        action: SuggestedAction::Namespace {
            manifest: yaml(&json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })),
        },
    })
}

fn text<'r>(request: &'r Value, pointer: &str) -> &'r str {
    request.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The policies that look at objects of this kind.
fn others(entry: &PolicyEntry, request: &Value) -> Vec<Suggestion> {
    let (group, kind) = (text(request, "/kind/group"), text(request, "/kind/kind"));
    let looks = |other: &&PolicyEntry| {
        other.id != entry.id && other.scope.0.iter().any(|rule| rule.kind == kind && rule.group == group)
    };
    let others = rules::CATALOG.iter().filter(looks).map(|other| Suggestion {
        message: format!("{} evaluates {kind}s", other.id),
        action: SuggestedAction::Policy { policy: other.id.to_owned() },
    });
    others.collect()
}

fn operations(entry: &PolicyEntry, request: &Value) -> Vec<Suggestion> {
    let (group, kind) = (text(request, "/kind/group"), text(request, "/kind/kind"));
    let rules = entry.scope.0.iter().filter(|rule| rule.kind == kind && rule.group == group);
    let operations: Vec<admission::Operation> =
        rules.flat_map(|rule| rule.operations.iter().copied()).collect();
    let known = [
        (admission::Operation::Create, Operation::Create),
        (admission::Operation::Update, Operation::Update),
        (admission::Operation::Delete, Operation::Delete),
    ];
    let known = known.into_iter().filter(|(operation, _)| operations.contains(operation));
    known
        .map(|(_, operation)| Suggestion {
            message: format!("Try {}", operation.name()),
            action: SuggestedAction::Operation { operation },
        })
        .collect()
}

/// The kubelet of the node that the object is, or is bound to.
fn kubelet(request: &Value) -> Suggestion {
    let named = match text(request, "/kind/kind") {
        "Node" => text(request, "/name"),
        _ => ["/object/spec/nodeName", "/oldObject/spec/nodeName"]
            .into_iter()
            .map(|pointer| text(request, pointer))
            .find(|name| !name.is_empty())
            .unwrap_or_default(),
    };
    let node = if named.is_empty() { NODE } else { named };
    Suggestion {
        message: format!("Try as the kubelet of {node}"),
        action: SuggestedAction::User { user: User::Kubelet { node: node.to_owned() } },
    }
}
