//! The difference between two states of an object, as a diff of YAML and as a JSON patch.

use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// A line of a diff.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DiffLine {
    /// The meaning.
    pub kind: LineKind,
    /// The line, with the sign of its meaning.
    pub text: String,
}

/// The meaning of a line in a diff.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LineKind {
    /// The numbers of the lines that follow.
    Header,
    /// A line of both states.
    Unchanged,
    /// A line of the old state.
    Removed,
    /// A line of the new state.
    Added,
    /// An operation of a patch that does not apply to the object.
    Operation,
}

/// Returns a unified diff of the object, as YAML, before and after the patch.
///
/// If the patch does not apply to the object, the lines are the operations of the patch.
#[must_use]
pub fn of_patch(object: Option<&Value>, patch: &Value) -> Vec<DiffLine> {
    object.and_then(|object| lines(object, &patched(object, patch)?)).unwrap_or_else(|| {
        let operations = patch.as_array().into_iter().flatten();
        operations.map(|operation| line(LineKind::Operation, &operation.to_string())).collect()
    })
}

fn patched(object: &Value, patch: &Value) -> Option<Value> {
    let mut changed = object.clone();
    let patch: json_patch::Patch = serde_json::from_value(patch.clone()).ok()?;
    json_patch::patch(&mut changed, &patch).ok()?;
    Some(changed)
}

/// Returns a unified diff of two states as YAML; `None` for values that YAML cannot express.
#[must_use]
pub fn lines(old: &Value, new: &Value) -> Option<Vec<DiffLine>> {
    let (old, new) = (manifest::write(old)?, manifest::write(new)?);
    let mut lines = Vec::new();
    for hunk in TextDiff::from_lines(&old, &new).unified_diff().context_radius(CONTEXT).iter_hunks() {
        lines.push(line(LineKind::Header, &hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let (kind, sign) = match change.tag() {
                ChangeTag::Equal => (LineKind::Unchanged, ' '),
                ChangeTag::Delete => (LineKind::Removed, '-'),
                ChangeTag::Insert => (LineKind::Added, '+'),
            };
            lines.push(line(kind, &format!("{sign}{}", change.value())));
        }
    }
    Some(lines)
}

/// Returns the JSON patch (RFC 6902) from one state to the other.
#[must_use]
pub fn patch(old: &Value, new: &Value) -> Value {
    serde_json::to_value(json_patch::diff(old, new)).unwrap_or_default()
}

/// Replaces the values of a Secret in both states, so that they still differ if they differed.
///
/// The annotation of `kubectl apply` repeats the values, and is replaced, too.
pub fn conceal(old: &mut Value, new: &mut Value) {
    if old.get("kind").and_then(Value::as_str) != Some("Secret") {
        return;
    }
    for path in ["/data", "/stringData"] {
        let before = old.pointer_mut(path).and_then(Value::as_object_mut);
        let after = new.pointer_mut(path).and_then(Value::as_object_mut);
        conceal_values(before, after, |_| true);
    }
    let before = old.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    let after = new.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    conceal_values(before, after, |name| name == "kubectl.kubernetes.io/last-applied-configuration");
}

fn conceal_values(
    before: Option<&mut Map<String, Value>>,
    after: Option<&mut Map<String, Value>>,
    is_secret: impl Fn(&str) -> bool,
) {
    let known = before.as_deref().cloned().unwrap_or_default();
    for (name, value) in after.into_iter().flatten().filter(|(name, _)| is_secret(name)) {
        let is_same = known.get(name).is_none_or(|old| old == value);
        *value = Value::from(if is_same { "(hidden)" } else { "(hidden, changed)" });
    }
    for (_, value) in before.into_iter().flatten().filter(|(name, _)| is_secret(name)) {
        *value = Value::from("(hidden)");
    }
}

fn line(kind: LineKind, text: &str) -> DiffLine {
    DiffLine { kind, text: text.trim_end_matches('\n').to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(object: Option<&Value>, patch: &Value) -> Vec<String> {
        of_patch(object, patch).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_patch_is_shown_as_a_diff_of_the_object() {
        let object = json!({ "kind": "Pod", "metadata": { "labels": { "a": "yes", "b": "2" } } });
        let patch = json!([
            { "op": "remove", "path": "/metadata/labels/a" },
            { "op": "add", "path": "/metadata/labels/c", "value": "x y" },
        ]);
        assert_eq!(
            texts(Some(&object), &patch),
            [
                "@@ -1,5 +1,5 @@",
                " kind: Pod",
                " metadata:",
                "   labels:",
                r#"-    a: "yes""#,
                r#"     b: "2""#,
                "+    c: x y",
            ]
        );
        let kinds: Vec<LineKind> =
            of_patch(Some(&object), &patch).into_iter().map(|line| line.kind).collect();
        let unchanged = LineKind::Unchanged;
        assert_eq!(
            kinds,
            [
                LineKind::Header,
                unchanged,
                unchanged,
                unchanged,
                LineKind::Removed,
                unchanged,
                LineKind::Added
            ]
        );
    }

    #[test]
    fn a_patch_that_does_not_apply_is_shown_as_its_operations() {
        let patch = json!([{ "op": "remove", "path": "/a" }]);
        for object in [Some(json!({})), None] {
            assert_eq!(texts(object.as_ref(), &patch), [r#"{"op":"remove","path":"/a"}"#]);
        }
    }

    #[test]
    fn values_of_secrets_are_hidden() {
        let applied = "kubectl.kubernetes.io/last-applied-configuration";
        let mut old = json!({
            "kind": "Secret",
            "metadata": { "annotations": { applied: "aHVudGVyMg==", "a": "b" } },
            "data": { "same": "aHVudGVyMg==", "other": "aHVudGVyMg==" },
        });
        let mut new = json!({
            "kind": "Secret",
            "metadata": { "annotations": { applied: "aHVudGVyMg==", "a": "c" } },
            "data": { "same": "aHVudGVyMg==", "other": "aHVudGVyMw==", "new": "aHVudGVyMg==" },
        });
        conceal(&mut old, &mut new);
        let want = json!([
            { "op": "add", "path": "/data/new", "value": "(hidden)" },
            { "op": "replace", "path": "/data/other", "value": "(hidden, changed)" },
            { "op": "replace", "path": "/metadata/annotations/a", "value": "c" },
        ]);
        let mut found = patch(&old, &new);
        found.as_array_mut().unwrap().sort_by_key(|operation| operation["path"].to_string());
        assert_eq!(found, want);
        let text: String = lines(&old, &new).unwrap().into_iter().map(|line| line.text).collect();
        assert!(!text.contains("aHVudGVy"), "{text}");
        let (mut plain, mut same) = (json!({ "kind": "ConfigMap", "data": { "a": "b" } }), json!({}));
        conceal(&mut plain, &mut same);
        assert_eq!(plain["data"]["a"], "b");
    }
}
