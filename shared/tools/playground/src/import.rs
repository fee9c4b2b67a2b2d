//! Texts from which policies are imported: manifests of Kubewarden, labels of Namespaces, and all
//! that the crate `convert` converts.

mod mapping;

use crate::workspace::Workspace;
use convert::{Conversion, Document, InputError, Source};
use kubewarden::matching::PolicyKind;
use manifest::{Places, Step, documents};
use scan::Content;
use serde_json::{Value, json};

use crate::engine::texts;
use crate::exchange::{Imported, ImportedPolicy, NotCarriedOver};
use crate::matrix::{TextMark, TextName, TextProblem};
use crate::text::yaml;

/// The prefix of the labels by which a Namespace sets its levels.
const LABELS: &str = "pod-security.kubernetes.io/";

#[derive(Clone, Debug)]
struct Origin {
    /// The index of the document, and the path of the object in it.
    document: usize,
    root: Vec<Step>,
    value: Value,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Policy,
    /// A Namespace with labels of `PodSecurity`.
    Labels,
    Converted(&'static Source),
    /// Another object, such as the `ClusterRole` beside a policy.
    Other,
}

/// A policy that a document becomes, as a manifest in JSON, or an error.
#[derive(Debug, Default)]
struct Outcome {
    manifests: Vec<Value>,
    left: Vec<(usize, String, String)>,
    notes: Vec<String>,
}

/// Returns whether a document is one that policies are imported from; a list is, if its first item
/// is.
pub(crate) fn is_source(document: &Value) -> bool {
    !matches!(kind(document.pointer("/items/0").unwrap_or(document)), Kind::Other)
}

fn kind(value: &Value) -> Kind {
    if PolicyKind::of(value).is_some() {
        return Kind::Policy;
    }
    let labels = value.pointer("/metadata/labels").and_then(Value::as_object);
    if value.get("kind").and_then(Value::as_str) == Some("Namespace")
        && labels.is_some_and(|labels| labels.keys().any(|key| key.starts_with(LABELS)))
    {
        return Kind::Labels;
    }
    let document = Document { name: String::new(), value: value.clone() };
    Source::of(&document).map_or(Kind::Other, Kind::Converted)
}

/// Imports the policies of a text, whose kind is recognised.
#[must_use]
pub fn import_source(text: &str) -> Imported {
    let failed = |problem: TextProblem| Imported { problem: Some(problem), ..Imported::default() };
    let values = match documents(text) {
        Ok(values) => values,
        Err(problem) => return failed(texts::unreadable(TextName::Source, &problem)),
    };
    let mut origins = Vec::new();
    for (document, value) in values.into_iter().enumerate() {
        collect(value, document, &mut Vec::new(), &mut origins);
    }
    let places = Places::of(text);
    let recognised = recognised(&origins);
    if recognised.is_empty() {
        let message = "no policy is recognised; paste a ClusterAdmissionPolicy, a PodSecurityConfiguration, a \
                       Namespace with labels of PodSecurity, or policies of Kyverno";
        return failed(texts::problem(TextName::Source, message, None));
    }
    let outcome = match convert(&origins) {
        Ok(outcome) => outcome,
        Err(error) => {
            let mark = of_document(&origins, &error.document)
                .and_then(|origin| mark(&places, origin, &convert::steps(&error.path)));
            let path = if error.path.is_empty() { String::new() } else { format!("{}: ", error.path) };
            let problem = texts::problem(TextName::Source, format!("{path}{}", error.problem), mark);
            return Imported { recognised, ..failed(problem) };
        }
    };
    let left = outcome.left.iter().map(|(index, path, reason)| NotCarriedOver {
        mark: origins.get(*index).and_then(|origin| mark(&places, origin, &convert::steps(path))),
        path: path.clone(),
        reason: reason.clone(),
    });
    let namespaces: Vec<&Value> =
        origins.iter().map(|origin| &origin.value).filter(|value| is_namespace(value)).collect();
    let mut notes = outcome.notes.clone();
    if !namespaces.is_empty() {
        notes.push(
            "The Namespaces of this text are added to Cluster, or to Objects if Cluster is empty.".to_owned(),
        );
    }
    Imported {
        recognised,
        namespaces: namespaces.into_iter().map(yaml).collect::<Vec<_>>().join("---\n"),
        left: left.collect(),
        mappings: mapping::of(&origins, &outcome, &places),
        policies: outcome.manifests.iter().map(policy).collect(),
        notes,
        problem: None,
    }
}

fn is_namespace(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str) == Some("Namespace")
}

/// Adds the Namespaces of a text to the cluster of a workspace, or to its objects if the cluster is
/// empty: with a single Namespace in it, all other objects of the cluster would count as absent.
/// Those that the workspace has stay as they are.
#[must_use]
pub fn add_namespaces(workspace: Workspace, namespaces: &str) -> Workspace {
    let Ok(stored) = texts::stored(&workspace.cluster) else { return workspace };
    let is_given = stored.is_some();
    let mut known: Vec<String> = stored.iter().flatten().filter_map(namespace_of).collect();
    for placed in scan::documents(&workspace.objects, &|_| None) {
        known.extend(placed.document.entries.iter().filter_map(|entry| match &entry.content {
            Content::Object(object) => namespace_of(object),
            _ => None,
        }));
    }
    let mut changed = workspace;
    let text = if is_given { &mut changed.cluster } else { &mut changed.objects };
    for namespace in documents(namespaces).unwrap_or_default() {
        let Some(name) = namespace_of(&namespace).filter(|name| !known.contains(name)) else { continue };
        if !text.trim().is_empty() {
            text.push_str(if text.ends_with('\n') { "---\n" } else { "\n---\n" });
        }
        text.push_str(&yaml(&namespace));
        known.push(name);
    }
    changed
}

/// Returns the name of an object that is a Namespace.
fn namespace_of(object: &Value) -> Option<String> {
    let name = object.pointer("/metadata/name").and_then(Value::as_str)?;
    is_namespace(object).then(|| name.to_owned())
}

/// Adds an object, or the items of a list.
fn collect(value: Value, document: usize, root: &mut Vec<Step>, origins: &mut Vec<Origin>) {
    match kubernetes::objects::items(value) {
        Err(value) => {
            let kind = kind(&value);
            origins.push(Origin { document, root: root.clone(), value, kind });
        }
        Ok(items) => {
            root.push(Step::Field("items".to_owned()));
            for (index, item) in (0..).zip(items) {
                root.push(Step::Index(index));
                collect(item, document, root, origins);
                root.pop();
            }
            root.pop();
        }
    }
}

/// Returns what a text is, such as `Kyverno ClusterPolicy`.
fn recognised(origins: &[Origin]) -> String {
    let mut names: Vec<String> = Vec::new();
    for origin in origins {
        let of = |value: &Value| value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = match origin.kind {
            Kind::Policy => format!("Kubewarden {}", of(&origin.value)),
            Kind::Labels => "labels of a Namespace".to_owned(),
            Kind::Converted(source) if source.name == "kyverno" => format!("Kyverno {}", of(&origin.value)),
            Kind::Converted(_) => of(&origin.value),
            Kind::Other => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Converts documents. The name of a document is its index.
fn convert(origins: &[Origin]) -> Result<Outcome, InputError> {
    let mut outcome = Outcome::default();
    let mut by_source: Vec<(&'static Source, Vec<Document>)> = Vec::new();
    for (index, origin) in origins.iter().enumerate() {
        let document = |value: Value| Document { name: index.to_string(), value };
        match origin.kind {
            Kind::Policy => outcome.manifests.push(origin.value.clone()),
            Kind::Other => {}
            Kind::Labels => {
                let configuration = document(configuration(&origin.value));
                let namespace = origin.value.pointer("/metadata/name").and_then(Value::as_str);
                let mut converted = Outcome::default();
                converted.add(convert::pod_security_admission(&[configuration])?);
                for manifest in &mut converted.manifests {
                    restrict(manifest, namespace.unwrap_or_default());
                }
                outcome.manifests.extend(converted.manifests);
                outcome.notes.push(format!(
                    "The labels apply to pods in {} alone, and so does the policy by its namespaceSelector.",
                    namespace.unwrap_or_default()
                ));
            }
            Kind::Converted(source) => {
                match by_source.iter_mut().find(|(known, _)| known.name == source.name) {
                    Some((_, documents)) => documents.push(document(origin.value.clone())),
                    None => by_source.push((source, vec![document(origin.value.clone())])),
                }
            }
        }
    }
    for (source, documents) in by_source {
        outcome.add(source.convert(&documents)?);
    }
    Ok(outcome)
}

impl Outcome {
    fn add(&mut self, conversions: Vec<Conversion>) {
        for conversion in conversions {
            for left in conversion.differences {
                let reason = format!("{}: {}", left.class.name(), left.problem);
                self.left.push((left.document.parse().unwrap_or_default(), left.path, reason));
            }
            for note in conversion.notes {
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            // A manifest consists of texts, numbers and lists, which are JSON.
            self.manifests
                .extend(conversion.manifest.and_then(|manifest| serde_json::to_value(manifest).ok()));
        }
    }
}

/// Returns the configuration of `PodSecurity` with the levels of the labels as its defaults.
fn configuration(namespace: &Value) -> Value {
    let labels = namespace.pointer("/metadata/labels").and_then(Value::as_object);
    let defaults: serde_json::Map<String, Value> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.strip_prefix(LABELS)?.to_owned(), value.clone())))
        .collect();
    json!({
        "apiVersion": "pod-security.admission.config.k8s.io/v1",
        "kind": "PodSecurityConfiguration",
        "defaults": defaults,
    })
}

fn restrict(manifest: &mut Value, namespace: &str) {
    if let Some(spec) = manifest.get_mut("spec").and_then(Value::as_object_mut) {
        // Kubewarden ignores matchLabels.
        let name = json!({ "key": "kubernetes.io/metadata.name", "operator": "In", "values": [namespace] });
        spec.insert("namespaceSelector".to_owned(), json!({ "matchExpressions": [name] }));
    }
}

fn policy(manifest: &Value) -> ImportedPolicy {
    let module = manifest.pointer("/spec/module").and_then(Value::as_str).unwrap_or_default();
    let last = module.rsplit('/').next().unwrap_or_default();
    let id = last.split([':', '@']).next().unwrap_or_default();
    let settings = manifest.pointer("/spec/settings").filter(|settings| !settings.is_null());
    ImportedPolicy {
        id: rules::find(id).map(|entry| entry.id.to_owned()),
        settings: settings.map(yaml).unwrap_or_default(),
        manifest: yaml(manifest),
    }
}

fn of_document<'o>(origins: &'o [Origin], name: &str) -> Option<&'o Origin> {
    origins.get(name.parse::<usize>().ok()?)
}

fn mark(places: &Places, origin: &Origin, path: &[Step]) -> Option<TextMark> {
    let path: Vec<Step> = match (origin.kind, path) {
        // Its defaults are the labels.
        (Kind::Labels, [_, Step::Field(name)]) => {
            let labels = ["metadata".to_owned(), "labels".to_owned(), format!("{LABELS}{name}")];
            labels.into_iter().map(Step::Field).collect()
        }
        _ => path.to_vec(),
    };
    let path: Vec<Step> = origin.root.iter().cloned().chain(path).collect();
    let exact = places.find_exactly(origin.document, &path);
    let kind: Vec<Step> = origin.root.iter().cloned().chain([Step::Field("kind".to_owned())]).collect();
    let place = exact
        .or_else(|| places.find(origin.document, &path))
        .or_else(|| places.find(origin.document, &kind))?;
    texts::mark(TextName::Source, (place, exact.is_some()))
}
