//! A first test file for the policies of a manifest.

use std::fmt::Write;
use std::path::Path;

use kubernetes::kinds::Kinds;
use kubewarden::matching::PolicyKind;
use serde_json::{Map, Value, json};

use crate::files::Files;
use crate::scalar::scalar;

const NAME: &str = "kubernetes.io/metadata.name";

/// Returns the text of a test file for the policies of a manifest, which the file names as
/// `written`. Each case wants an admission; bless the file to make it want what happens.
///
/// There is a case for each rule, one that no rule matches, one that each selector leaves out, and
/// a comment for each condition.
///
/// # Errors
/// A manifest that cannot be read, and one without a policy.
pub fn init(manifest: &Path, written: &str) -> Result<String, String> {
    let text = Files::default().text(manifest)?;
    let documents = manifest::documents(&text).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let policies: Vec<&Value> = documents.iter().filter(|one| PolicyKind::of(one).is_some()).collect();
    if policies.is_empty() {
        return Err(format!("{}: has no policy; pass the manifest of one", manifest.display()));
    }
    let mut file = String::from(
        "# A first test file. Each case wants the result of the day on which the file was written: read\n\
         # the results, and correct those that are wrong. Then add the cases that matter to you.\n",
    );
    // Writing to a string does not fail.
    let _ = writeln!(file, "policies: [{}]\ncases:", Value::from(written));
    for policy in &policies {
        let writer = Writer { policy, is_only: policies.len() == 1 };
        writer.write(&mut file);
    }
    Ok(file)
}

struct Writer<'p> {
    policy: &'p Value,
    is_only: bool,
}

/// A case, without what it wants.
struct Case {
    comment: String,
    name: String,
    object: Value,
    operation: Option<String>,
    subresource: Option<String>,
    /// The Namespace, if its labels matter.
    namespace: Option<Value>,
}

impl Writer<'_> {
    fn write(&self, file: &mut String) {
        let rules = self.list("/spec/rules");
        for (at, rule) in rules.iter().enumerate() {
            self.case(file, &self.of_rule(at, rule));
        }
        let other = Case {
            comment: "No rule matches this kind.".to_owned(),
            name: self.named("leaves other kinds alone"),
            object: self
                .selected(json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "other" } })),
            operation: None,
            subresource: None,
            namespace: self.namespace(true),
        };
        self.case(file, &other);
        let Some(first) = rules.first().map(|rule| self.of_rule(0, rule)) else { return };
        if self.policy.pointer("/spec/namespaceSelector").is_some() {
            let mut object = first.object.clone();
            let namespace = self.namespace(false);
            let name = namespace.as_ref().and_then(|one| one.pointer("/metadata/name")).cloned();
            if let (Some(name), Some(metadata)) =
                (name, object.get_mut("metadata").and_then(Value::as_object_mut))
            {
                metadata.insert("namespace".to_owned(), name);
            }
            let comment = "The namespaceSelector leaves out this Namespace.".to_owned();
            let name = self.named("leaves a namespace alone");
            let (operation, subresource) = (first.operation.clone(), first.subresource.clone());
            self.case(file, &Case { comment, name, object, operation, subresource, namespace });
        }
        if let Some(selector) = self.policy.pointer("/spec/objectSelector") {
            let mut object = first.object.clone();
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("labels".to_owned(), Value::Object(labels(selector, false)));
            }
            let comment = "The objectSelector leaves out this object.".to_owned();
            let name = self.named("leaves an object alone");
            self.case(file, &Case { comment, name, object, ..first });
        }
        for condition in self.list("/spec/matchConditions") {
            let text = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(
                file,
                "\n  # Write a case that this condition leaves out, and want: {{skipped: {}}}",
                scalar(text("name"))
            );
            for line in text("expression").lines() {
                let _ = writeln!(file, "  #   {}", line.trim_end());
            }
        }
    }

    fn list(&self, pointer: &str) -> Vec<Value> {
        self.policy.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    fn text(&self, pointer: &str) -> &str {
        self.policy.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    fn named(&self, what: &str) -> String {
        format!("{} {what}", self.text("/metadata/name"))
    }

    fn of_rule(&self, at: usize, rule: &Value) -> Case {
        let first = |key: &str| {
            let mut items = rule.get(key).and_then(Value::as_array).into_iter().flatten();
            items.find_map(Value::as_str).unwrap_or("*").to_owned()
        };
        let (group, version, resource) = (first("apiGroups"), first("apiVersions"), first("resources"));
        let (plural, subresource) = match resource.split_once('/') {
            Some((plural, subresource)) => (plural.to_owned(), Some(subresource.to_owned())),
            None => (resource.clone(), None),
        };
        let group = if group == "*" { "" } else { group.as_str() };
        let version = if version == "*" { "v1" } else { version.as_str() };
        let plural = if plural == "*" { "pods" } else { plural.as_str() };
        let kinds = Kinds::default();
        let known = kinds.of_plural(group, version, plural);
        let kind = known.map_or_else(|| "FillInTheKind".to_owned(), |known| known.kind.to_string());
        let is_namespaced = known.is_none_or(|known| known.is_namespaced != Some(false));
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let mut object = example(&api_version, &kind);
        if is_namespaced && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            let namespace = self.namespace(true);
            let name = namespace.as_ref().and_then(|one| one.pointer("/metadata/name")).cloned();
            metadata.insert("namespace".to_owned(), name.unwrap_or_else(|| json!("shop")));
        }
        let operation = first("operations");
        let operation = if operation == "*" { "CREATE".to_owned() } else { operation };
        Case {
            comment: format!("spec.rules[{at}]: {operation} of {resource}."),
            name: self.named(&format!("evaluates {operation} of {resource} by rule {at}")),
            object: self.selected(object),
            operation: Some(operation).filter(|operation| operation != "CREATE"),
            subresource: subresource.filter(|subresource| subresource != "*"),
            namespace: self.namespace(true),
        }
    }

    fn selected(&self, mut object: Value) -> Value {
        let selected = self.policy.pointer("/spec/objectSelector").map(|selector| labels(selector, true));
        if let Some(selected) = selected.filter(|labels| !labels.is_empty())
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("labels".to_owned(), Value::Object(selected));
        }
        object
    }

    /// Returns a Namespace that the policy selects, or one that it leaves out; `None` if any is
    /// selected.
    fn namespace(&self, is_selected: bool) -> Option<Value> {
        let own = self.text("/metadata/namespace");
        if !own.is_empty() {
            let name = if is_selected { own } else { "other" };
            return Some(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }));
        }
        let selector = self.policy.pointer("/spec/namespaceSelector")?;
        let mut labels = labels(selector, is_selected);
        let name = labels.remove(NAME).and_then(|name| name.as_str().map(str::to_owned));
        let name = name.unwrap_or_else(|| unnamed(selector));
        let mut metadata = Map::from_iter([("name".to_owned(), name.into())]);
        if !labels.is_empty() {
            metadata.insert("labels".to_owned(), Value::Object(labels));
        }
        Some(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }))
    }

    fn case(&self, file: &mut String, case: &Case) {
        let Case { comment, name, object, operation, subresource, namespace } = case;
        let _ = writeln!(file, "\n  # {comment}\n  - name: {}", Value::from(name.as_str()));
        if let Some(operation) = operation {
            let _ = writeln!(file, "    operation: {operation}");
        }
        if let Some(subresource) = subresource {
            let _ = writeln!(file, "    subresource: {subresource}");
        }
        let block = |file: &mut String, key: &str, value: &Value, depth: usize| {
            let _ = writeln!(file, "{:depth$}{key}", "");
            for line in manifest::write(value).unwrap_or_default().lines() {
                let _ = writeln!(file, "{:depth$}  {line}", "");
            }
        };
        block(file, "object:", object, 4);
        if operation.as_deref() == Some("UPDATE") {
            block(file, "oldObject:", object, 4);
        }
        if let Some(namespace) = namespace {
            let _ = writeln!(file, "    cluster:");
            block(file, "objects:", &json!([namespace]), 6);
        }
        let admitted = if self.is_only {
            "want: {admitted: true}".to_owned()
        } else {
            format!("want: {{{}: {{admitted: true}}}}", scalar(self.text("/metadata/name")))
        };
        let _ = writeln!(file, "    {admitted}");
    }
}

/// Returns a name of a Namespace that a selector does not contain.
fn unnamed(selector: &Value) -> String {
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let by_name = expressions.filter(|one| one.get("key").is_some_and(|key| key == NAME));
    let named: Vec<&Value> = by_name
        .filter_map(|one| one.get("values")?.as_array())
        .flatten()
        .chain(selector.pointer(&["/matchLabels/", &NAME.replace('/', "~1")].concat()))
        .collect();
    let numbered = (2..).map(|number| format!("shop-{number}"));
    let mut candidates = std::iter::once("shop".to_owned()).chain(numbered);
    candidates.find(|name| !named.iter().any(|known| *known == name)).unwrap_or_default()
}

/// Returns labels that a selector selects, or some that it leaves out.
fn labels(selector: &Value, is_selected: bool) -> Map<String, Value> {
    let mut labels = Map::new();
    if is_selected {
        labels.extend(selector.get("matchLabels").and_then(Value::as_object).cloned().unwrap_or_default());
    }
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    for one in expressions.into_iter().flatten() {
        let text = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default();
        let value = one.pointer("/values/0").cloned();
        let is_met_by_value = matches!(text("operator"), "In" | "Exists");
        if is_met_by_value == is_selected {
            labels.insert(text("key").to_owned(), value.unwrap_or_else(|| json!("true")));
        }
    }
    labels
}

/// Returns a small object of a kind.
fn example(api_version: &str, kind: &str) -> Value {
    let pod = json!({ "containers": [{ "name": "app", "image": "ghcr.io/example/app:1.0.0" }] });
    let template = json!({ "metadata": { "labels": { "app": "example" } }, "spec": pod });
    let selector = json!({ "matchLabels": { "app": "example" } });
    let spec = match kind {
        "Pod" => Some(pod.clone()),
        "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" => {
            Some(json!({ "selector": selector, "template": template }))
        }
        "ReplicationController" => Some(json!({ "selector": { "app": "example" }, "template": template })),
        "Job" => Some(json!({ "template": template })),
        "CronJob" => {
            Some(json!({ "schedule": "0 0 * * *", "jobTemplate": { "spec": { "template": template } } }))
        }
        "Service" => Some(json!({ "selector": { "app": "example" }, "ports": [{ "port": 80 }] })),
        _ => None,
    };
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "example" } });
    if let Some(fields) = object.as_object_mut() {
        fields.extend(spec.map(|spec| ("spec".to_owned(), spec)));
        if kind == "PodTemplate" {
            fields.insert("template".to_owned(), template);
        }
    }
    object
}
