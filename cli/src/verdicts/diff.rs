//! A patch as a diff of the object.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// A line of a diff.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct DiffLine {
    pub(super) kind: LineKind,
    pub(super) text: String,
}

/// The meaning of a line in a diff.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum LineKind {
    Header,
    Unchanged,
    Removed,
    Added,
    /// An operation of a patch that does not apply to the object.
    Operation,
}

/// Returns a unified diff of the object, as YAML, before and after the patch.
///
/// If the patch does not apply to the object, the lines are the operations of the patch.
pub(super) fn lines(object: Option<&Value>, patch: &Value) -> Vec<DiffLine> {
    object.and_then(|object| unified(object, patch)).unwrap_or_else(|| {
        let operations = patch.as_array().into_iter().flatten();
        operations.map(|operation| line(LineKind::Operation, &operation.to_string())).collect()
    })
}

fn unified(object: &Value, patch: &Value) -> Option<Vec<DiffLine>> {
    let mut changed = object.clone();
    let patch: json_patch::Patch = serde_json::from_value(patch.clone()).ok()?;
    json_patch::patch(&mut changed, &patch).ok()?;
    let (old, new) = (manifest::write(object)?, manifest::write(&changed)?);
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

fn line(kind: LineKind, text: &str) -> DiffLine {
    DiffLine { kind, text: text.trim_end_matches('\n').to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(object: Option<&Value>, patch: &Value) -> Vec<String> {
        lines(object, patch).into_iter().map(|line| line.text).collect()
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
        let kinds: Vec<LineKind> = lines(Some(&object), &patch).into_iter().map(|line| line.kind).collect();
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
}
