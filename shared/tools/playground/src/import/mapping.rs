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
use crate::leaves::leaves;
use crate::types::number;

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
        let values = leaves(&origin.value);
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
                source: format!("{}: {value}", manifest::path(&path)),
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
            let text = format!("{}: {value}", manifest::path(&path));
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
    match other {
        Some(other) => *manifest::value_at_mut(value, path)? = other,
        None => drop(manifest::remove(value, path)?),
    }
    Some(())
}

fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, manifest::child)
}

/// Returns the fields of manifests that matter: those of the settings and of what selects requests.
fn leaves_of(manifests: &[Value]) -> Leaves {
    let mut all = Leaves::new();
    for (index, manifest) in manifests.iter().enumerate() {
        let Some(spec) = manifest.get("spec") else { continue };
        let found = leaves(spec).into_iter();
        all.extend(found.map(|(path, text)| ((index, manifest::path(&path)), text)));
    }
    all
}
