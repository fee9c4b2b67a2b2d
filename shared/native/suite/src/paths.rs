//! Paths in objects, such as `spec.containers[0].name`.

use serde_json::{Value, json};

/// A step of a path: a name, or a key or an index in brackets.
#[derive(Clone, Copy)]
enum Step<'p> {
    Name(&'p str),
    Bracket(&'p str),
}

/// Returns the steps of a path such as `spec.containers[0].name` or `metadata.labels[a.b/c]`;
/// `None` for another text.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (key, behind) = inside.split_once(']')?;
            steps.push(Step::Bracket(key));
            rest = behind;
        } else {
            let name = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at_checked(end)?;
            if name.is_empty() || name.contains(']') || name.starts_with('/') {
                return None;
            }
            steps.push(Step::Name(name));
            rest = behind;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// Whether a text is a path.
pub(crate) fn is_path(text: &str) -> bool {
    steps(text).is_some()
}

/// Returns why an object of the same kind cannot have a value at a path.
pub(crate) fn misspelt(path: &str, object: &Value) -> Option<String> {
    let mut wanted = object_with(path);
    if let Value::Object(fields) = &mut wanted {
        let of_type = ["apiVersion", "kind"].map(|key| (key.to_owned(), object[key].clone()));
        fields.extend(of_type);
    }
    scan::misspelt(&wanted).into_iter().next().map(|problem| problem.message)
}

/// Returns an object that has nothing but a null at a path.
fn object_with(path: &str) -> Value {
    steps(path).unwrap_or_default().into_iter().rev().fold(Value::Null, |inside, step| match step {
        Step::Bracket(index) if index.parse::<usize>().is_ok() => json!([inside]),
        Step::Bracket(key) => json!({ key.trim_matches('"'): inside }),
        Step::Name(name) => json!({ name: inside }),
    })
}

/// Returns the value at a path.
pub(crate) fn value_at<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    steps(path)?.into_iter().try_fold(object, |value, step| match step {
        Step::Bracket(index) if value.is_array() => value.get(index.parse::<usize>().ok()?),
        Step::Bracket(key) => value.get(key.trim_matches('"')),
        Step::Name(name) => value.get(name),
    })
}
