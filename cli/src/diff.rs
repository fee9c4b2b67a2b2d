//! A patch, shown as what it changes.

use serde_json::Value;
use similar::TextDiff;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// The lines of a unified diff of the object as YAML, without and with the patch. The patch itself, one
/// operation a line, if it does not fit the object.
pub(crate) fn lines(object: Option<&Value>, patch: &Value) -> Vec<String> {
    let Some(diff) = object.and_then(|object| unified(object, patch)) else {
        return patch.as_array().into_iter().flatten().map(Value::to_string).collect();
    };
    diff.lines().map(str::to_owned).collect()
}

fn unified(object: &Value, patch: &Value) -> Option<String> {
    let mut changed = object.clone();
    let patch: json_patch::Patch = serde_json::from_value(patch.clone()).ok()?;
    json_patch::patch(&mut changed, &patch).ok()?;
    let (old, new) = (manifest::write(object)?, manifest::write(&changed)?);
    Some(TextDiff::from_lines(&old, &new).unified_diff().context_radius(CONTEXT).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_is_a_diff_of_the_object() {
        let object = json!({ "kind": "Pod", "metadata": { "labels": { "a": "yes", "b": "2" } } });
        let patch = json!([
            { "op": "remove", "path": "/metadata/labels/a" },
            { "op": "add", "path": "/metadata/labels/c", "value": "x y" },
        ]);
        assert_eq!(
            lines(Some(&object), &patch),
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
    }

    #[test]
    fn a_patch_that_does_not_fit_is_shown_itself() {
        let patch = json!([{ "op": "remove", "path": "/a" }]);
        assert_eq!(lines(Some(&json!({})), &patch), [r#"{"op":"remove","path":"/a"}"#]);
        assert_eq!(lines(None, &patch), [r#"{"op":"remove","path":"/a"}"#]);
    }
}
