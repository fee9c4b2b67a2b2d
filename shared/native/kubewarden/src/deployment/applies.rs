//! The settings that an entry depends on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// An entry of a list, with the settings that it depends on.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Entry<T> {
    #[serde(flatten)]
    pub(crate) needed: T,
    /// The entry applies only if each of these settings has one of the values.
    #[serde(default)]
    when: Settings,
    /// The entry does not apply if one of these settings has one of the values.
    #[serde(default)]
    unless: Settings,
}

/// The values of settings, by path. The path `a.b` is the field `b` of `a` or, if `a` is a list, of
/// any of its items. The value `""` stands for an absent setting, `*` for any present one, and a
/// value that ends in `*` for all values with this beginning.
pub(crate) type Settings = BTreeMap<String, Vec<String>>;

impl<T: Clone> Entry<T> {
    pub(crate) fn of(entries: &[Self], settings: &Value) -> Vec<T> {
        entries.iter().filter(|entry| entry.applies(settings)).map(|entry| entry.needed.clone()).collect()
    }

    pub(crate) fn applies(&self, settings: &Value) -> bool {
        let has = |(path, values): (&String, &Vec<String>)| has_one_of(settings, path, values);
        self.when.iter().all(has) && !self.unless.iter().any(has)
    }

    pub(crate) fn settings(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.when.iter().chain(&self.unless).map(|(path, values)| (path.as_str(), values.as_slice()))
    }
}

pub(crate) fn has_one_of(settings: &Value, path: &str, values: &[String]) -> bool {
    let found = texts(settings, path);
    values.iter().any(|wanted| match wanted.strip_suffix('*') {
        _ if wanted.is_empty() => found.is_empty(),
        Some("") => !found.is_empty(),
        Some(beginning) => found.iter().any(|value| value.starts_with(beginning)),
        None => found.contains(wanted),
    })
}

/// Returns the values of a setting as texts, none if it is absent or empty.
pub(crate) fn texts(settings: &Value, path: &str) -> Vec<String> {
    let mut found = vec![settings];
    for name in path.split('.') {
        found = found.into_iter().flat_map(items).filter_map(|value| value.get(name)).collect();
    }
    found.into_iter().flat_map(items).filter(|value| !is_empty(value)).map(text).collect()
}

/// Returns the items of a list, or a value that is not a list.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn has(settings: &Value, path: &str, values: &[&str]) -> bool {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        has_one_of(settings, path, &values)
    }

    #[test]
    fn finds_values_through_objects_and_lists() {
        let settings = json!({
            "mode": "Warn",
            "flag": true,
            "fields": ["a[x]", "b"],
            "allow": [{ "cidrs": ["192.0.2.1"] }, { "can": { "verb": "create" } }],
            "none": null,
            "empty": {},
            "list": [],
        });
        for (path, values, want) in [
            ("mode", &["Warn"][..], true),
            ("mode", &["Enforce", "Warn"], true),
            ("mode", &["Enforce"], false),
            ("mode", &[""], false),
            ("mode", &["*"], true),
            ("mode.below", &["*"], false),
            ("flag", &["true"], true),
            ("flag", &["false"], false),
            ("fields", &["b"], true),
            ("fields", &["a*"], true),
            ("fields", &["c*"], false),
            ("allow.can", &["*"], true),
            ("allow.can.verb", &["create"], true),
            ("allow.users", &["*"], false),
            ("allow.users", &[""], true),
            ("none", &[""], true),
            ("empty", &["", "x"], true),
            ("list", &["*"], false),
            ("absent", &["", "x"], true),
            ("absent", &["x"], false),
        ] {
            assert_eq!(has(&settings, path, values), want, "{path} {values:?}");
        }
        assert!(has(&Value::Null, "mode", &[""]));
    }
}
