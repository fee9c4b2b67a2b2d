//! The Secrets in a workspace.

use scan::Content;
use serde_json::Value;

use super::Playground;
use crate::workspace::Workspace;

/// Returns a warning if the texts of a workspace have Secrets.
pub(super) fn secrets(playground: &Playground) -> Option<String> {
    let Workspace { objects, old_objects, cluster, .. } = &playground.workspace;
    let count = [objects, old_objects, cluster]
        .into_iter()
        .flat_map(|text| scan::documents(text, &|_| None))
        .flat_map(|placed| {
            let contents = placed.document.entries.iter().map(|entry| match &entry.content {
                Content::Object(value) | Content::Review(value) | Content::Untyped(value, _) => {
                    secrets_in(value)
                }
                Content::Other(_) => 0,
            });
            contents.collect::<Vec<_>>()
        })
        .fold(0_usize, usize::saturating_add);
    (count > 0).then(|| {
        let noun = if count == 1 { "Secret" } else { "Secrets" };
        format!("The case has the data of {count} {noun}: remove it before you share the case.")
    })
}

fn secrets_in(value: &Value) -> usize {
    match value {
        Value::Object(fields) if fields.get("kind").and_then(Value::as_str) == Some("Secret") => 1,
        Value::Object(fields) => fields.values().map(secrets_in).fold(0, usize::saturating_add),
        Value::Array(items) => items.iter().map(secrets_in).fold(0, usize::saturating_add),
        _ => 0,
    }
}
