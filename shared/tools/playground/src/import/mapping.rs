//! The fields that come from the lines of a source.
//!
//! The source is converted again with one value less, or with another value in its place. The
//! fields of the manifests that are then different come from this value, whatever the conversion
//! is.

use std::collections::BTreeMap;

use kubewarden::matching::PolicyKind;
use manifest::{Places, Step};
use serde_json::Value;

use super::{Kind, Origin, Outcome, convert, mark};
use crate::exchange::Mapping;

/// The most values of a source that are mapped: each costs some conversions.
const MAX_VALUES: usize = 300;

/// The most fields that come from a value: a value on which more depends is about the manifest as a
/// whole.
const MAX_FIELDS: usize = 6;

/// Values that conversions accept in the place of others.
const OTHERS: [&str; 9] =
    ["privileged", "baseline", "restricted", "latest", "v1.24", "Audit", "Enforce", "Pod", "Deployment"];

/// The fields of manifests, by the index of the manifest and the path.
type Leaves = BTreeMap<(usize, String), String>;

pub(super) fn of(origins: &[Origin], outcome: &Outcome, places: &Places) -> Vec<Mapping> {
    let before = leaves_of(&outcome.manifests);
    let mut mappings = Vec::new();
    let mut policy = 0_usize;
    for (index, origin) in origins.iter().enumerate() {
        let mut values = Vec::new();
        collect(&origin.value, &mut Vec::new(), &mut values);
        if PolicyKind::of(&origin.value).is_some() {
            mappings.extend(same(origin, policy, values, places));
            policy += 1;
            continue;
        }
        if matches!(origin.kind, Kind::Other) {
            continue;
        }
        for (path, value) in values.into_iter().take(MAX_VALUES) {
            let Some(changed) = changed(origins, index, &path, &before) else { continue };
            let Some(mark) = mark(places, origin, &path) else { continue };
            mappings.extend(changed.into_iter().map(|((policy, target), text)| Mapping {
                mark,
                source: format!("{}: {value}", shown(&path)),
                policy: number(policy),
                target: format!("{target}: {text}"),
            }));
        }
    }
    mappings.sort_by_key(|mapping| (mapping.mark.line, mapping.mark.column));
    mappings
}

/// A manifest of Kubewarden is what it is.
fn same(origin: &Origin, policy: usize, values: Vec<(Vec<Step>, String)>, places: &Places) -> Vec<Mapping> {
    let of_spec = |path: &[Step]| matches!(path.first(), Some(Step::Field(name)) if name == "spec");
    let values = values.into_iter().filter(|(path, _)| of_spec(path));
    values
        .filter_map(|(path, value)| {
            let text = format!("{}: {value}", shown(&path));
            Some(Mapping {
                mark: mark(places, origin, &path)?,
                target: text.strip_prefix("spec.").unwrap_or(&text).to_owned(),
                source: text,
                policy: number(policy),
            })
        })
        .collect()
}

/// Returns the fields that come from a value; `None` if there are none or too many.
fn changed(
    origins: &[Origin],
    index: usize,
    path: &[Step],
    before: &Leaves,
) -> Option<Vec<((usize, String), String)>> {
    let value = at(&origins.get(index)?.value, path)?.clone();
    let others: Vec<Option<Value>> = match &value {
        Value::Bool(flag) => vec![None, Some(Value::Bool(!flag))],
        Value::String(text) => {
            let others = OTHERS.iter().filter(|other| **other != text).map(|other| Some(Value::from(*other)));
            [None].into_iter().chain(others).chain([Some(Value::from(format!("{text}-x")))]).collect()
        }
        _ => vec![None],
    };
    others.into_iter().find_map(|other| {
        let mut origins = origins.to_vec();
        replace(&mut origins.get_mut(index)?.value, path, other)?;
        let after = leaves_of(&convert(&origins).ok()?.manifests);
        // Without a manifest, nothing can be compared.
        if after.is_empty() {
            return None;
        }
        let gone: Vec<((usize, String), String)> = before
            .iter()
            .filter(|(key, text)| after.get(*key) != Some(text))
            .map(|(key, text)| (key.clone(), text.clone()))
            .collect();
        ((1..=MAX_FIELDS).contains(&gone.len())).then_some(gone)
    })
}

fn replace(value: &mut Value, path: &[Step], other: Option<Value>) -> Option<()> {
    let (last, parents) = path.split_last()?;
    let parent = parents.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(usize::try_from(*index).ok()?),
    })?;
    match (last, other) {
        (Step::Field(name), Some(other)) => *parent.get_mut(name)? = other,
        (Step::Field(name), None) => {
            parent.as_object_mut()?.remove(name)?;
        }
        (Step::Index(index), Some(other)) => *parent.get_mut(usize::try_from(*index).ok()?)? = other,
        (Step::Index(index), None) => {
            let (items, index) = (parent.as_array_mut()?, usize::try_from(*index).ok()?);
            if items.len() <= index {
                return None;
            }
            items.remove(index);
        }
    }
    Some(())
}

fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Index(index) => value.get(usize::try_from(*index).ok()?),
    })
}

/// Returns the fields of manifests that matter: those of the settings and of what selects requests.
fn leaves_of(manifests: &[Value]) -> Leaves {
    let mut leaves = Leaves::new();
    for (index, manifest) in manifests.iter().enumerate() {
        let Some(spec) = manifest.get("spec") else { continue };
        let mut values = Vec::new();
        collect(spec, &mut Vec::new(), &mut values);
        leaves.extend(values.into_iter().map(|(path, text)| ((index, shown(&path)), text)));
    }
    leaves
}

/// Collects the scalars of a value, and its empty lists and objects.
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

fn shown(path: &[Step]) -> String {
    text::Path(&path.iter().map(Step::borrowed).collect::<Vec<_>>()).to_string()
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
