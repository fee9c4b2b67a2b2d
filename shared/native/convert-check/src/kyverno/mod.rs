//! Kyverno's policies, as Kyverno evaluates them.
//!
//! Source: `pkg/engine`, `pkg/pss/evaluate.go` and `pkg/autogen/v1/autogen.go` of kyverno/kyverno
//! at 111e07b. A field that the model does not evaluate makes the verdict unknown.

mod condition;
mod exemption;
mod expression;
mod matching;
mod pattern;

use serde_json::{Value, json};
use standards_model::{Level, Version};

use self::matching::{Resource, is_matched};
use crate::object::{POD, SERVICE, workloads};
use crate::{Kind, Model, Namespaces, Object, Verdict};

/// The filters of Kyverno's chart that concern pods and workloads.
const DEFAULT_FILTERS: &str =
    "[*/*,kyverno,*][*/*,kube-system,*][*/*,kube-public,*][*/*,kube-node-lease,*][ReplicaSet,*,*]";

/// The workloads for which rules are derived.
const CONTROLLERS: [&str; 7] =
    ["DaemonSet", "Deployment", "Job", "StatefulSet", "ReplicaSet", "ReplicationController", "CronJob"];

/// A model of Kyverno with policies, exceptions and its own configuration.
#[derive(Debug)]
pub struct KyvernoModel {
    policies: Vec<Value>,
    exceptions: Vec<Value>,
    exceptions_in_cel: Vec<Value>,
    filters: String,
}

/// Whether a verdict is known and what it is.
type Known<T> = Result<T, String>;

impl KyvernoModel {
    /// Reads documents and lists of them; those of other kinds judge nothing. Without a
    /// configuration, Kyverno has that of its chart.
    ///
    /// # Errors
    /// A configuration with more than resource filters and excluded groups.
    pub fn read(documents: &[Value], configuration: Option<&Value>) -> Result<Self, String> {
        let mut model = Self {
            policies: Vec::new(),
            exceptions: Vec::new(),
            exceptions_in_cel: Vec::new(),
            filters: DEFAULT_FILTERS.to_owned(),
        };
        for document in documents {
            model.add(document);
        }
        if let Some(configuration) = configuration {
            let data = configuration.get("data").and_then(Value::as_object);
            for (key, value) in data.into_iter().flatten() {
                let is_empty = value.as_str().is_some_and(|text| text.trim().is_empty());
                // Ordinary users are in none of the groups of Kyverno's chart.
                if !is_empty && !["resourceFilters", "excludeGroups"].contains(&key.as_str()) {
                    return Err(format!(
                        "Kyverno's configuration sets {key}, which --check does not support"
                    ));
                }
            }
            let filters = configuration.pointer("/data/resourceFilters").and_then(Value::as_str);
            filters.unwrap_or_default().clone_into(&mut model.filters);
        }
        Ok(model)
    }

    fn add(&mut self, document: &Value) {
        let items = document.get("items").and_then(Value::as_array);
        if let Some(items) = items {
            for item in items {
                self.add(item);
            }
            return;
        }
        let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_older = text("apiVersion").starts_with("kyverno.io/");
        match text("kind") {
            "PolicyException" if is_older => self.exceptions.push(document.clone()),
            "PolicyException" => self.exceptions_in_cel.push(document.clone()),
            "ClusterPolicy" | "Policy" if is_older => self.policies.push(document.clone()),
            "ValidatingPolicy" | "NamespacedValidatingPolicy" => self.policies.push(document.clone()),
            _ => {}
        }
    }

    /// Whether the configuration of Kyverno leaves an object out.
    fn is_filtered(&self, object: &Object) -> bool {
        let filters = self.filters.split('[').skip(1).filter_map(|part| part.split_once(']'));
        filters.map(|(inside, _)| inside).any(|filter| {
            let mut parts = filter.split(',');
            let mut next = || parts.next().unwrap_or_default();
            let (kind, namespace, name) = (next(), next(), next());
            matching::is_kind(object, kind)
                && matching::wild(namespace, object.namespace())
                && matching::wild(name, object.name())
        })
    }

    /// The verdict of a rule, as a rule of its own and as a derived one.
    fn judge_rule(
        &self,
        policy: &Value,
        rule: &Value,
        object: &Object,
        namespaces: &Namespaces,
    ) -> Known<Option<String>> {
        let name = text(rule, "/name");
        let derived = matching::derives(policy, rule).iter().any(|kind| *kind == object.kind());
        let prefix = if object.kind() == "CronJob" { "autogen-cronjob-" } else { "autogen-" };
        for (name, is_derived) in [(name.to_owned(), false), (format!("{prefix}{name}"), true)] {
            if is_derived && !derived {
                continue;
            }
            let resource = Resource { object, namespaces, is_derived };
            if !is_matched(&resource, rule.get("match"))? || is_matched(&resource, rule.get("exclude"))? {
                continue;
            }
            for key in ["celPreconditions", "context"] {
                if rule.get(key).is_some_and(stated) {
                    return Err(format!("rule {name} sets {key}, which --check does not support"));
                }
            }
            let Some(of_exceptions) = self.entries_of_exceptions(policy, &name, object, namespaces)? else {
                continue;
            };
            let violation = match rule.pointer("/validate/podSecurity") {
                Some(check) if !rule.get("preconditions").is_some_and(stated) => {
                    let entries: Vec<&Value> = list(check, "/exclude").chain(of_exceptions).collect();
                    violation(check, &entries, object)
                }
                Some(_) => Err("preconditions of podSecurity, which --check does not support".to_owned()),
                // An exception from any other check is one from the whole rule.
                None if of_exceptions.is_empty() => violation_of_fields(rule, object, is_derived),
                None => Ok(None),
            };
            let prefix = |text: String| format!("rule {name}: {text}");
            if let Some(violation) = violation.map_err(prefix)? {
                return Ok(Some(prefix(violation)));
            }
        }
        Ok(None)
    }

    /// The entries of the exceptions from a rule that match an object; `None` if one of them
    /// excepts the whole rule.
    fn entries_of_exceptions<'m>(
        &'m self,
        policy: &Value,
        rule: &str,
        object: &Object,
        namespaces: &Namespaces,
    ) -> Known<Option<Vec<&'m Value>>> {
        let (name, namespace) = (text(policy, "/metadata/name"), text(policy, "/metadata/namespace"));
        let name =
            if text(policy, "/kind") == "Policy" { format!("{namespace}/{name}") } else { name.to_owned() };
        let mut entries = Vec::new();
        for exception in &self.exceptions {
            let is_named = list(exception, "/spec/exceptions").any(|reference| {
                let rules = list(reference, "/ruleNames").filter_map(Value::as_str);
                text(reference, "/policyName") == name
                    && rules.into_iter().any(|pattern| matching::wild(pattern, rule))
            });
            let resource = Resource { object, namespaces, is_derived: false };
            if !is_named || !is_matched(&resource, exception.pointer("/spec/match"))? {
                continue;
            }
            if exception.pointer("/spec/conditions").is_some() {
                return Err("an exception sets conditions, which --check does not support".to_owned());
            }
            let mut own = list(exception, "/spec/podSecurity").peekable();
            if own.peek().is_none() {
                return Ok(None);
            }
            entries.extend(own);
        }
        Ok(Some(entries))
    }
}

impl Model for KyvernoModel {
    fn kinds(&self) -> Vec<Kind> {
        let names_services = |policy: &Value| {
            let of_rules = list(policy, "/spec/rules").flat_map(matching::kinds);
            let of_resources = list(policy, "/spec/matchConstraints/resourceRules");
            let of_resources = of_resources.flat_map(|rule| list(rule, "/resources"));
            let mut names = of_rules.chain(of_resources).filter_map(Value::as_str);
            names.any(|name| name == "services" || name.rsplit('/').next() == Some("Service"))
        };
        let services = self.policies.iter().any(names_services).then_some(SERVICE);
        workloads().chain([POD]).chain(services).collect()
    }

    fn judge(&self, object: &Object, namespaces: &Namespaces) -> Verdict {
        if self.is_filtered(object) {
            return Verdict::Passes;
        }
        let mut unknown = None;
        for policy in &self.policies {
            let title = format!("{} {}", text(policy, "/kind"), text(policy, "/metadata/name"));
            let is_elsewhere = ["Policy", "NamespacedValidatingPolicy"].contains(&text(policy, "/kind"))
                && text(policy, "/metadata/namespace") != object.namespace();
            if is_elsewhere || policy.pointer("/spec/admission") == Some(&Value::Bool(false)) {
                continue;
            }
            if text(policy, "/kind").ends_with("ValidatingPolicy") {
                match expression::judge(policy, &self.exceptions_in_cel, object, namespaces) {
                    Ok(None) => {}
                    Ok(Some(violation)) => return Verdict::Violates(format!("{title}: {violation}")),
                    Err(problem) => unknown = Some(format!("{title}: {problem}")),
                }
                continue;
            }
            for rule in list(policy, "/spec/rules").filter(|rule| rule.get("validate").is_some()) {
                match self.judge_rule(policy, rule, object, namespaces) {
                    Ok(None) => {}
                    Ok(Some(violation)) => return Verdict::Violates(format!("{title}, {violation}")),
                    Err(problem) => unknown = Some(format!("{title}: {problem}")),
                }
            }
        }
        unknown.map_or(Verdict::Passes, Verdict::Unknown)
    }
}

/// The checks that an object violates after the exemptions of entries.
fn violation(check: &Value, entries: &[&Value], object: &Object) -> Known<Option<String>> {
    let (level, version) = (text(check, "/level"), text(check, "/version"));
    let level = if level.is_empty() { text(check, "/profile") } else { level };
    let level = if level.is_empty() { "restricted" } else { level };
    let version = if version.is_empty() { "latest" } else { version };
    let level = Level::named(level).ok_or_else(|| format!("there is no level {level}"))?;
    let version = Version::parse(version).ok_or_else(|| format!("there is no version {version}"))?;
    let mut value = object.value.clone();
    let pod = value.pointer_mut(object.place_of_pod()).ok_or("the object has no pod template")?;
    for entry in entries {
        exemption::apply(pod, entry);
    }
    let pod = object.pod(&value)?;
    let violated = standards_model::violated_in_kyverno(&pod.metadata, &pod.spec, level, version);
    let checks: Vec<&str> = violated.into_iter().collect();
    Ok((!checks.is_empty()).then(|| format!("PodSecurity {level}:{version}: {}", checks.join(", "))))
}

/// The first part of an object that a check of fields refuses.
fn violation_of_fields(rule: &Value, object: &Object, is_derived: bool) -> Known<Option<String>> {
    let target = requested(object, is_derived);
    let variables = json!({ "request": { "operation": "CREATE", "object": target } });
    let conditions = rule.get("preconditions").filter(|value| stated(value));
    if let Some(conditions) = conditions
        && !condition::hold(conditions, &variables)?
    {
        return Ok(None);
    }
    let validate = rule.get("validate").unwrap_or(&Value::Null);
    if let Some(pattern) = validate.get("pattern") {
        let path = pattern::mismatch(pattern, Some(&target), "")?;
        return Ok(path.map(|path| format!("{path} does not match the pattern")));
    }
    if validate.get("anyPattern").is_some() {
        for pattern in list(validate, "/anyPattern") {
            if pattern::mismatch(pattern, Some(&target), "")?.is_none() {
                return Ok(None);
            }
        }
        return Ok(Some("no pattern matches".to_owned()));
    }
    if let Some(deny) = validate.get("deny") {
        return Ok(is_denied(deny, &variables)?.then(|| "the conditions of deny hold".to_owned()));
    }
    if validate.get("foreach").is_some() {
        return violation_of_an_element(validate, variables);
    }
    if let Some(cel) = validate.get("cel") {
        if cel.get("paramKind").is_some_and(stated) {
            return Err("parameters in CEL, which --check does not support".to_owned());
        }
        let of = |key: &str| cel.get(key).cloned().unwrap_or_default();
        return expression::violated(&of("variables"), &of("expressions"), &target, is_derived);
    }
    Err("the check is of a kind that --check does not support".to_owned())
}

/// The first element of a list that `foreach` denies.
fn violation_of_an_element(validate: &Value, mut variables: Value) -> Known<Option<String>> {
    for each in list(validate, "/foreach") {
        let (Some(deny), 2) = (each.get("deny"), each.as_object().map_or(0, serde_json::Map::len)) else {
            return Err("foreach with more than list and deny, which --check does not support".to_owned());
        };
        let elements = condition::search(text(each, "/list"), &variables)?;
        for (index, element) in list(&elements, "").enumerate() {
            if let Value::Object(fields) = &mut variables {
                fields.insert("element".to_owned(), element.clone());
            }
            if is_denied(deny, &variables)? {
                return Ok(Some(format!("the conditions of deny hold for element {index}")));
            }
        }
    }
    Ok(None)
}

fn is_denied(deny: &Value, variables: &Value) -> Known<bool> {
    let conditions = deny.get("conditions").ok_or("deny has no conditions")?;
    condition::hold(conditions, variables)
}

/// The object in a request. A derived rule is the rule for the pod that the template describes.
fn requested(object: &Object, is_derived: bool) -> Value {
    let mut value = if is_derived { object.pod_value() } else { object.value.clone() };
    remove_unset(&mut value);
    value
}

/// Removes the fields that API servers leave out of requests: those that are null or an empty
/// list, and a host port of zero.
fn remove_unset(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let is_unset = |key: &str, value: &Value| match value {
                Value::Null => true,
                Value::Array(items) => items.is_empty(),
                Value::Number(_) => key == "hostPort" && *value == 0,
                _ => false,
            };
            fields.retain(|key, value| !is_unset(key, value));
            fields.values_mut().for_each(remove_unset);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_unset),
        _ => {}
    }
}

/// Whether a field has a value, and is not an empty list or map.
fn stated(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

/// The text at a pointer; empty without one.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The items of the list at a pointer.
fn list<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_lack_what_api_servers_leave_out() {
        let spec =
            json!({ "a": null, "b": [], "c": [{ "d": [], "hostPort": 0 }], "e": {}, "f": 0, "g": false });
        let mut object = json!({ "spec": spec });
        remove_unset(&mut object);
        assert_eq!(object, json!({ "spec": { "c": [{}], "e": {}, "f": 0, "g": false } }));
    }
}
