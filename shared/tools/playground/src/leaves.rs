//! The scalars of a value.

use manifest::Step;
use serde_json::Value;

/// Returns the scalars of a value, and its empty lists and objects, with their paths.
pub(crate) fn leaves(value: &Value) -> Vec<(Vec<Step>, String)> {
    let mut found = Vec::new();
    collect(value, &mut Vec::new(), &mut found);
    found
}

fn collect(value: &Value, path: &mut Vec<Step>, found: &mut Vec<(Vec<Step>, String)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                path.push(Step::Field(name.clone()));
                collect(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in (0..).zip(items) {
                path.push(Step::Index(index));
                collect(value, path, found);
                path.pop();
            }
        }
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            found.push((path.clone(), text));
        }
    }
}
