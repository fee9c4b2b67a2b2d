//! Conversions as data: the files in `cases`.
//!
//! A file names its source, and documents that its cases change. In `input`, `old` and `new`, a
//! name stands for such a document, and `name: change` for the document with a change: null removes
//! a field, lists whose items have names are merged by these names, and other lists are replaced.
//! Several documents are the items of a `List`.
//!
//! A case gives what matters of the result. `manifests` has an entry for each manifest, with the
//! values at paths in its `spec`; null stands for a field that is absent, and [`view`] adds some
//! fields. The lines of `differences` are `class: path: problem`, or all have the policy and the
//! rule behind the class; without the field, everything is converted. For Gatekeeper, those are
//! left out that say that a template is not in the input. `…` at an end of a text stands for more
//! text, and alone at the end of a list for more lines.
//!
//! `requests` are evaluated against the manifests. A request is denied if one of them refuses it,
//! whatever its mode is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use convert::{Difference, Document, InputError, KyvernoConfiguration, SOURCES};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::generated::printed;
use super::requests::{Request, answer};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    /// The name of a source.
    pub(super) source: String,
    /// The configuration of Kyverno in cases without one of their own.
    configuration: Option<Value>,
    documents: BTreeMap<String, Value>,
    cases: Vec<ConversionCase>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConversionCase {
    /// The behaviour, as a sentence.
    name: String,
    /// The data of Kyverno's `ConfigMap`; the defaults of its chart apply without one.
    configuration: Option<Value>,
    input: Vec<Value>,
    #[serde(default)]
    differences: Vec<String>,
    manifests: Option<Vec<Map<String, Value>>>,
    notes: Option<Vec<String>>,
    /// Why the source would not accept the input.
    error: Option<String>,
    #[serde(default)]
    requests: Vec<ExpectedAnswer>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectedAnswer {
    verdict: Verdict,
    old: Option<Value>,
    new: Value,
    #[serde(default)]
    namespace_labels: Value,
    /// The groups of the requesting user, if they matter.
    groups: Option<Value>,
    #[serde(default)]
    warnings: Vec<String>,
    /// Whether a manifest has to change the object.
    #[serde(default)]
    changes: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
enum Verdict {
    Admitted,
    Denied,
}

/// The result of a conversion.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) manifests: Vec<Value>,
    pub(super) differences: Vec<Difference>,
    pub(super) notes: Vec<String>,
}

/// Converts a document of a source, with the data of Kyverno's `ConfigMap` or without one. A second
/// conversion must be the same, and so must the manifests after they were printed as YAML.
pub(super) fn convert(
    source: &str,
    configuration: Option<&Value>,
    input: &Value,
) -> Result<Converted, InputError> {
    let documents: Vec<Document> = objects(input.clone())
        .into_iter()
        .map(|value| Document { name: "input".to_owned(), value })
        .collect();
    let conversions = || match configuration {
        Some(data) => {
            let metadata = json!({ "name": "kyverno" });
            let value =
                json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data });
            let configuration = Document { name: "configuration".to_owned(), value };
            KyvernoConfiguration::read(&configuration)
                .and_then(|configuration| convert::kyverno_with(&documents, &configuration))
        }
        None => SOURCES.iter().find(|known| known.name == source).unwrap().convert(&documents),
    };
    let all = conversions()?;
    assert_eq!(printed(&all), printed(&conversions()?));
    let mut manifests = Vec::new();
    for manifest in all.iter().filter_map(|conversion| conversion.manifest.as_ref()) {
        let value = serde_json::to_value(manifest).unwrap();
        let yaml = serde_saphyr::to_string(manifest).unwrap();
        let read: Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(read, value, "{yaml}");
        manifests.push(value);
    }
    let (mut differences, mut notes) = (Vec::new(), BTreeSet::new());
    for conversion in all {
        differences.extend(conversion.differences);
        notes.extend(conversion.notes);
    }
    differences.retain(|difference| !difference.problem.starts_with(NO_TEMPLATE));
    Ok(Converted { manifests, differences, notes: notes.into_iter().collect() })
}

/// How the problem of a constraint begins whose template is not in the input.
pub(super) const NO_TEMPLATE: &str = "its template is not in the input";

impl Converted {
    /// The differences as `path: problem`.
    pub(super) fn problems(&self) -> Vec<String> {
        let line = |difference: &Difference| format!("{}: {}", difference.path, difference.problem);
        self.differences.iter().map(line).collect()
    }
}

/// Converts a document for Kyverno with a configuration that leaves out nothing.
pub(super) fn convert_kyverno(input: &Value) -> Converted {
    convert("kyverno", Some(&json!({})), input).unwrap()
}

/// The objects in a document, with the items of lists.
fn objects(document: Value) -> Vec<Value> {
    match kubernetes::objects::items(document) {
        Ok(items) => items.into_iter().flat_map(objects).collect(),
        Err(object) => vec![object],
    }
}

/// A `List` of objects.
pub(super) fn list(items: &[Value]) -> Value {
    json!({ "apiVersion": "v1", "kind": "List", "items": items })
}

impl CaseFile {
    /// All files, with their names.
    pub(super) fn all() -> Vec<(String, Self)> {
        let files = fs::read_dir(tests::root().join("tests/convert/cases")).unwrap();
        let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        let read = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let file = serde_saphyr::from_str(&fs::read_to_string(&path).unwrap());
            (name, file.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        };
        paths.into_iter().map(read).collect()
    }

    /// The input of all cases that the source accepts, as one document.
    pub(super) fn whole_input(&self) -> Value {
        let accepted = self.cases.iter().filter(|case| case.error.is_none());
        let documents = accepted.flat_map(|case| case.input.iter().map(|written| self.document(written)));
        list(&documents.collect::<Vec<_>>())
    }

    /// The document that is written in a case.
    fn document(&self, written: &Value) -> Value {
        let named = |name: &String| {
            let document = self.documents.get(name)?;
            Some(self.document(document))
        };
        if let Value::String(name) = written {
            return named(name).unwrap_or_else(|| panic!("{name} is not a document"));
        }
        if let Some(fields) = written.as_object().filter(|fields| fields.len() == 1)
            && let Some((name, change)) = fields.iter().next()
            && let Some(mut document) = named(name)
        {
            merge(&mut document, change);
            return document;
        }
        written.clone()
    }

    /// The parts of the result that a case does not expect.
    fn differences(&self, case: &ConversionCase) -> Vec<String> {
        let documents: Vec<Value> = case.input.iter().map(|written| self.document(written)).collect();
        let input = if let [only] = documents.as_slice() { only.clone() } else { list(&documents) };
        let configuration = case.configuration.as_ref().or(self.configuration.as_ref());
        let found = match convert(&self.source, configuration, &input) {
            Ok(found) => found,
            Err(InputError { path, problem, .. }) => {
                let error = if path.is_empty() { problem } else { format!("{path}: {problem}") };
                let is_expected = case.error.as_ref().is_some_and(|expected| is_expected(&error, expected));
                return if is_expected { Vec::new() } else { vec![format!("the error {error}")] };
            }
        };
        let mut differences = Vec::new();
        if case.error.is_some() {
            differences.push("no error".to_owned());
        }
        let titled: Vec<String> = found.differences.iter().map(Difference::to_string).collect();
        let untitled = found.differences.iter().zip(found.problems());
        let untitled: Vec<String> =
            untitled.map(|(difference, line)| format!("{}: {line}", difference.class.name())).collect();
        if ![&untitled, &titled].iter().any(|lines| are_expected(lines, &case.differences)) {
            differences.push(format!("differences: {titled:#?}"));
        }
        if case.notes.as_ref().is_some_and(|notes| !are_expected(&found.notes, notes)) {
            differences.push(format!("the notes {:#?}", found.notes));
        }
        if let Some(expected) = &case.manifests {
            if expected.len() != found.manifests.len() {
                differences.push(format!("{} manifests", found.manifests.len()));
            }
            for (manifest, expected) in found.manifests.iter().map(view).zip(expected) {
                for (path, expected) in expected {
                    let value = manifest.pointer(&format!("/{}", path.replace('.', "/")));
                    let value = value.unwrap_or(&Value::Null);
                    let is_equal = match (value, expected) {
                        (Value::String(value), Value::String(expected)) => is_expected(value, expected),
                        _ => value == expected,
                    };
                    if !is_equal {
                        differences.push(format!("{}: {path}: {value}", manifest["name"]));
                    }
                }
            }
        }
        let requests = case.requests.iter();
        differences.extend(requests.filter_map(|request| self.difference(&found.manifests, request)));
        differences
    }

    fn difference(&self, manifests: &[Value], expected: &ExpectedAnswer) -> Option<String> {
        let old = expected.old.as_ref().map(|written| self.document(written));
        let new = self.document(&expected.new);
        let groups = expected.groups.clone().unwrap_or_else(|| json!(["system:authenticated"]));
        let request =
            Request { old: old.as_ref(), new: &new, labels: &expected.namespace_labels, groups: &groups };
        let found = answer(manifests, request);
        let verdict = if found.refusals.is_empty() { Verdict::Admitted } else { Verdict::Denied };
        let is_expected = verdict == expected.verdict
            && are_expected(&found.warnings, &expected.warnings)
            && (found.changes || !expected.changes);
        (!is_expected).then(|| format!("{expected:?}: {found:?}"))
    }
}

/// Changes a document, as the documentation of this module describes.
fn merge(document: &mut Value, change: &Value) {
    let has_name = |item: &Value| item.get("name").is_some();
    match (document, change) {
        (Value::Object(fields), Value::Object(changes)) => {
            for (key, change) in changes {
                if change.is_null() {
                    fields.remove(key);
                } else {
                    merge(fields.entry(key.clone()).or_insert(Value::Null), change);
                }
            }
        }
        (Value::Array(items), Value::Array(changes)) if items.iter().chain(changes).all(has_name) => {
            for change in changes {
                match items.iter_mut().find(|item| item["name"] == change["name"]) {
                    Some(item) => merge(item, change),
                    None => items.push(change.clone()),
                }
            }
        }
        (document, change) => *document = change.clone(),
    }
}

/// The `spec` of a manifest, with its kind, metadata and name, and all resources of its rules.
fn view(manifest: &Value) -> Value {
    let mut view = manifest["spec"].clone();
    let rules = view["rules"].as_array().unwrap().iter();
    let resources = rules.flat_map(|rule| rule["resources"].as_array().unwrap());
    let resources: Vec<&str> = resources.map(|resource| resource.as_str().unwrap()).collect();
    let resources = resources.join(" ");
    view["resources"] = resources.into();
    view["kind"] = manifest["kind"].clone();
    view["metadata"] = manifest["metadata"].clone();
    view["name"] = manifest["metadata"]["name"].clone();
    view
}

fn are_expected(found: &[String], expected: &[String]) -> bool {
    let (expected, has_more) = match expected.split_last() {
        Some((last, others)) if last == "…" => (others, true),
        _ => (expected, false),
    };
    let mut rest = found.iter();
    (has_more || found.len() == expected.len())
        && expected.iter().all(|text| rest.any(|found| is_expected(found, text)))
}

fn is_expected(found: &str, expected: &str) -> bool {
    let text = expected.trim_matches('…');
    match (expected.starts_with('…'), expected.ends_with('…')) {
        (false, false) => found == text,
        (false, true) => found.starts_with(text),
        (true, false) => found.ends_with(text),
        (true, true) => found.contains(text),
    }
}

#[test]
fn conversions_are_those_of_the_cases() {
    let mut differences = Vec::new();
    for (name, file) in CaseFile::all() {
        assert!(!file.cases.is_empty(), "{name}");
        for case in &file.cases {
            let found = file.differences(case).into_iter();
            differences.extend(found.map(|difference| format!("{name}: {}: found {difference}", case.name)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
