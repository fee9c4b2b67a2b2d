//! The conditions that depend on values that are made up.

use std::cell::LazyCell;

use kubernetes::completion::{Literals, by_literals, created_anew, otherwise};
use serde_json::Value;

type Lazy<'r> = LazyCell<Option<Value>, Box<dyn FnOnce() -> Option<Value> + 'r>>;

/// A request whose objects have values that are made up, and its variants.
pub(crate) struct Variants<'r> {
    request: &'r Value,
    /// The request with other values.
    other: Lazy<'r>,
    /// The request about a new object.
    anew: Lazy<'r>,
}

impl<'r> Variants<'r> {
    pub(crate) fn of(request: &'r Value) -> Self {
        let other = LazyCell::new(Box::new(|| otherwise(request)) as Box<_>);
        Self { request, other, anew: LazyCell::new(Box::new(|| created_anew(request))) }
    }

    /// Returns the dotted path of a field whose value is made up and decides a property of the
    /// request; `None` if there is no such field. Items of lists have no step. `literals` are those
    /// that the property compares with. With `ignores_new`, a new object in
    /// the place of one with a UID does not count.
    pub(crate) fn deciding(
        &self,
        literals: &Literals,
        ignores_new: bool,
        is_same: impl Fn(&Value) -> bool,
    ) -> Option<String> {
        let anew = if ignores_new { None } else { self.anew.as_ref() };
        let by_literals = match self.other.as_ref() {
            Some(_) => by_literals(self.request, literals),
            None => Some(Vec::new()),
        };
        let Some(by_literals) = by_literals else { return Some(SEVERAL.to_owned()) };
        let mut others = anew.into_iter().chain(self.other.as_ref()).chain(&by_literals);
        let other = others.find(|other| !is_same(other))?;
        let mut paths = Vec::new();
        for name in ["object", "oldObject", "name"] {
            differing(&self.request[name], &other[name], &format!("/{name}"), &mut paths);
        }
        let decides = |path: &String| {
            let mut changed = self.request.clone();
            copy(&mut changed, other, path);
            !is_same(&changed)
        };
        let path = paths.into_iter().find(decides);
        Some(path.map_or_else(|| SEVERAL.to_owned(), |path| dotted(&path)))
    }
}

const SEVERAL: &str = "several fields";

/// Adds the JSON pointers of the values that differ.
fn differing(value: &Value, other: &Value, path: &str, paths: &mut Vec<String>) {
    match (value, other) {
        (Value::Object(fields), Value::Object(others)) => {
            for (name, other) in others {
                let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                differing(fields.get(name).unwrap_or(&Value::Null), other, &path, paths);
            }
        }
        (Value::Array(items), Value::Array(others)) => {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                differing(item, other, &format!("{path}/{at}"), paths);
            }
        }
        _ if value == other => {}
        _ => paths.push(path.to_owned()),
    }
}

fn copy(request: &mut Value, other: &Value, path: &str) {
    let (Some(value), Some((parent, name))) = (other.pointer(path), path.rsplit_once('/')) else { return };
    match request.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(name.replace("~1", "/").replace("~0", "~"), value.clone());
        }
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                *item = value.clone();
            }
        }
        _ => {}
    }
}

/// Writes a JSON pointer as the path of a field of an object.
fn dotted(pointer: &str) -> String {
    let steps = pointer.split('/').filter(|step| !["", "object", "oldObject"].contains(step));
    let steps = steps.map(|step| if step.parse::<usize>().is_ok() { "*" } else { step });
    steps.collect::<Vec<_>>().join(".").replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use kubernetes::completion::{Phase, complete};
    use serde_json::json;

    use super::*;
    use crate::matching::table::rows;
    use crate::matching::{Decision, Webhook};

    fn decide(condition: &str, object: &Value) -> String {
        let webhook = Webhook::from_spec(&json!({
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
            "matchConditions": [{ "name": "c", "expression": condition }],
        }));
        let request = json!({
            "operation": "CREATE",
            "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "namespace": "shop",
            "object": object,
        });
        match webhook.unwrap().decide_unstored(&kubernetes::kinds::Kinds::default(), &request, None) {
            Decision::Called(_) => "true".to_owned(),
            Decision::ConditionIsFalse(_) => "false".to_owned(),
            Decision::ConditionFailed(_) => "error".to_owned(),
            Decision::Unknown(reason) => reason.to_string(),
            other => other.explain(),
        }
    }

    #[test]
    fn a_condition_about_a_value_that_is_made_up_is_unknown_by_its_field() {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "generateName": "web-", "namespace": "shop" },
            "spec": { "containers": [{ "name": "a", "image": "a", "ports": [{ "containerPort": 80 }] }] },
        });
        complete(&mut pod, Phase::Validating);
        for (condition, want) in rows(include_str!("made_up.txt")) {
            let found = decide(condition, &pod);
            match want {
                "true" | "false" | "error" => assert_eq!(found, want, "{condition}"),
                field => assert!(found.contains(field), "{condition}: {found}"),
            }
        }
    }
}
