//! Resources that a `CustomResourceDefinition` defines.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::kinds::resource::{Origin, Resource};

pub(crate) type GroupKind = (String, String);

/// A field of a `CustomResourceDefinition` that is missing or malformed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DefinitionError {
    path: &'static str,
    expected: &'static str,
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: Required value: expected {}", self.path, self.expected)
    }
}

impl std::error::Error for DefinitionError {}

/// Reads a definition: the versions that are served. Returns `None` for another object.
pub(crate) fn read(definition: &Value) -> Result<Option<(GroupKind, Vec<Resource>)>, DefinitionError> {
    let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str);
    let is_definition = text("/kind") == Some("CustomResourceDefinition")
        && text("/apiVersion").is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
    if !is_definition {
        return Ok(None);
    }
    let required = |path| {
        let pointer = format!("/{}", str::replace(path, ".", "/"));
        text(&pointer).map(str::to_owned).ok_or(DefinitionError { path, expected: "a string" })
    };
    let (group, kind, plural) =
        (required("spec.group")?, required("spec.names.kind")?, required("spec.names.plural")?);
    let scope = required("spec.scope")?;
    let origin = match text("/spec/conversion/strategy") {
        Some("Webhook") => Origin::CustomConverted,
        _ => Origin::Custom,
    };
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
    let named = |version: &Value| {
        let is_served = version.get("served").and_then(Value::as_bool).unwrap_or(true);
        let name = version.get("name").and_then(Value::as_str)?.to_owned();
        is_served.then(|| (name, subresources(version.get("subresources"))))
    };
    // apiextensions.k8s.io/v1beta1 also knew one version alone, and subresources of all.
    let alone = || {
        let name = text("/spec/version")?.to_owned();
        Some(vec![(name, subresources(definition.pointer("/spec/subresources")))])
    };
    let found: Option<Vec<_>> =
        versions.map(|versions| versions.iter().filter_map(named).collect()).or_else(alone);
    let found = found.ok_or(DefinitionError { path: "spec.versions", expected: "an array" })?;
    let resources = found.into_iter().map(|(version, subresources)| Resource {
        group: group.clone().into(),
        version: version.into(),
        kind: kind.clone().into(),
        plural: plural.clone().into(),
        is_namespaced: Some(scope == "Namespaced"),
        subresources,
        origin,
    });
    let resources = resources.collect();
    Ok(Some(((group, kind), resources)))
}

fn subresources(declared: Option<&Value>) -> Vec<Cow<'static, str>> {
    let has = |name: &str| declared.is_some_and(|all| all.get(name).is_some());
    ["scale", "status"].into_iter().filter(|name| has(name)).map(Cow::Borrowed).collect()
}
