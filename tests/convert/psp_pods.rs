//! The policies and pods of `psp-cases.yaml`.

use serde_json::{Map, Value, json};

/// The number of pods with several features.
const MIXES: usize = 24;

/// A user, the groups of the user, and the pods that the user creates, by name.
pub(crate) type Requests = (String, Vec<String>, Vec<(String, Value)>);

/// The policies and parts of pods.
pub(crate) struct Cases(Value);

impl Cases {
    pub(crate) fn read() -> Self {
        Self(serde_saphyr::from_str(include_str!("psp-cases.yaml")).unwrap())
    }

    /// The policies, by name.
    pub(crate) fn policies(&self) -> Vec<(String, Value)> {
        let of = |(name, content): (&String, &Value)| (name.clone(), policy(name, content));
        self.0["policies"].as_object().unwrap().iter().map(of).collect()
    }

    /// The pods, by name: one without features, one with each feature, each of them hardened as
    /// well, and some with several features.
    pub(crate) fn pods(&self) -> Vec<(String, Value)> {
        let features: Vec<(&String, &Value)> = self.0["features"].as_object().unwrap().iter().collect();
        let mut pods = vec![
            ("plain".to_owned(), Self::pod(&[])),
            ("hardened".to_owned(), Self::pod(&[&self.0["hardened"]])),
        ];
        for (name, feature) in &features {
            pods.push(((*name).clone(), Self::pod(&[feature])));
            pods.push((format!("hardened-{name}"), Self::pod(&[&self.0["hardened"], feature])));
        }
        // A fixed sequence that looks random, so that the recorded verdicts stay those of the pods.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            features[usize::try_from(state >> 33).unwrap() % features.len()].1
        };
        for index in 0..MIXES {
            let mut parts: Vec<&Value> = (0..2 + index % 3).map(|_| next()).collect();
            if index % 2 == 0 {
                parts.insert(0, &self.0["hardened"]);
            }
            pods.push((format!("mix-{index}"), Self::pod(&parts)));
        }
        pods
    }

    /// The policies, roles and bindings of `usage`.
    pub(crate) fn usage_documents(&self) -> Vec<Value> {
        const GROUP: &str = "rbac.authorization.k8s.io";
        let subject = |text: &Value| {
            let parts: Vec<&str> = text.as_str().unwrap().split('/').collect();
            match parts[..] {
                ["ServiceAccount", namespace, name] => {
                    json!({ "kind": "ServiceAccount", "namespace": namespace, "name": name })
                }
                [kind, name] => json!({ "apiGroup": GROUP, "kind": kind, "name": name }),
                _ => panic!("{text}"),
            }
        };
        let document = |document: &Value| {
            let kind = document["kind"].as_str().unwrap();
            if kind == "PodSecurityPolicy" {
                return policy(document["name"].as_str().unwrap(), document);
            }
            let mut metadata = json!({ "name": document["name"] });
            if let Some(namespace) = document.get("namespace") {
                metadata["namespace"] = namespace.clone();
            }
            let mut object =
                json!({ "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": metadata });
            if let Some(rules) = document.get("rules") {
                object["rules"] = rules.clone();
            } else {
                let (kind, name) = document["role"].as_str().unwrap().split_once('/').unwrap();
                object["roleRef"] = json!({ "apiGroup": GROUP, "kind": kind, "name": name });
                object["subjects"] = document["subjects"].as_array().unwrap().iter().map(subject).collect();
            }
            object
        };
        self.0["usage"]["documents"].as_array().unwrap().iter().map(document).collect()
    }

    /// The requests of `usage`: the users with their groups, and their pods by name.
    pub(crate) fn usage_requests(&self) -> Vec<Requests> {
        let usage = &self.0["usage"];
        let texts = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
        let mut pods = Vec::new();
        for namespace in texts(&usage["namespaces"]) {
            for account in texts(&usage["accounts"]) {
                for name in texts(&usage["pods"]) {
                    let features = &self.0["features"];
                    let both = [&features["host-network"], &features["host-pid"]];
                    let mut pod = match name.as_str() {
                        "plain" => Self::pod(&[]),
                        "host-both" => Self::pod(&both),
                        feature => Self::pod(&[&features[feature]]),
                    };
                    pod["metadata"]["namespace"] = namespace.as_str().into();
                    pod["spec"]["serviceAccountName"] = account.as_str().into();
                    pods.push((format!("{namespace}-{account}-{name}"), pod));
                }
            }
        }
        let users = usage["users"].as_object().unwrap();
        users.iter().map(|(user, groups)| (user.clone(), texts(groups), pods.clone())).collect()
    }

    fn pod(parts: &[&Value]) -> Value {
        let mut pod =
            json!({ "metadata": {}, "spec": {}, "container": { "name": "c", "image": "example.com/c:1" } });
        for part in parts {
            add(&mut pod, part);
        }
        let container = pod.as_object_mut().unwrap().remove("container").unwrap();
        pod["spec"]["containers"] = json!([container]);
        pod["apiVersion"] = "v1".into();
        pod["kind"] = "Pod".into();
        pod["metadata"]["namespace"] = "shop".into();
        pod["spec"]["serviceAccountName"] = "till".into();
        pod
    }
}

/// A policy with annotations and fields, in addition to the required ones.
fn policy(name: &str, content: &Value) -> Value {
    let mut spec = json!({
        "seLinux": { "rule": "RunAsAny" },
        "runAsUser": { "rule": "RunAsAny" },
        "supplementalGroups": { "rule": "RunAsAny" },
        "fsGroup": { "rule": "RunAsAny" },
    });
    spec.as_object_mut().unwrap().extend(content["spec"].as_object().unwrap().clone());
    json!({
        "apiVersion": "policy/v1beta1",
        "kind": "PodSecurityPolicy",
        "metadata": { "name": name, "annotations": content.get("annotations").cloned().unwrap_or_default() },
        "spec": spec,
    })
}

/// Adds the fields of a value to another one, and the elements of its lists.
fn add(to: &mut Value, value: &Value) {
    match (to, value) {
        (Value::Object(fields), Value::Object(more)) => {
            for (key, value) in more {
                add(fields.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        // A volume that two features have is the same.
        (Value::Array(items), Value::Array(more)) => {
            items.retain(|item| {
                !more.iter().any(|other| item["name"].is_string() && other["name"] == item["name"])
            });
            items.extend(more.iter().cloned());
        }
        (to, value) => *to = value.clone(),
    }
}

/// The parts of a pod that the plugin may set: of its containers, by list and index, the context.
fn parts(pod: &Value) -> Value {
    let mut parts = json!({
        "annotations": pod["metadata"]["annotations"],
        "securityContext": pod["spec"]["securityContext"],
        "runtimeClassName": pod["spec"]["runtimeClassName"],
    });
    for list in LISTS {
        for (index, container) in pod["spec"][list].as_array().into_iter().flatten().enumerate() {
            parts[format!("{list}/{index}")] = container["securityContext"].clone();
        }
    }
    without_empty(parts)
}

/// The lists of containers.
const LISTS: [&str; 2] = ["initContainers", "containers"];

/// The fields that the plugin has set in a stored pod, as a merge patch of its [`parts`].
pub(crate) fn set(pod: &Value, stored: &Value) -> Value {
    without_empty(difference(&parts(pod), &parts(stored)))
}

fn difference(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let of = |(key, value): (&String, &Value)| {
                (key.clone(), old.get(key).map_or_else(|| value.clone(), |old| difference(old, value)))
            };
            Value::Object(new.iter().map(of).collect())
        }
        (old, new) if old == new => Value::Null,
        (_, new) => new.clone(),
    }
}

/// A pod as it is stored, with what the plugin has set.
pub(crate) fn stored(pod: &Value, set: &Value) -> Value {
    let mut pod = pod.clone();
    for (part, value) in set.as_object().into_iter().flatten() {
        let place = match part.split_once('/') {
            Some((list, index)) => &mut pod["spec"][list][index.parse::<usize>().unwrap()]["securityContext"],
            None if part == "annotations" => &mut pod["metadata"]["annotations"],
            None => &mut pod["spec"][part],
        };
        replace(place, value);
    }
    pod
}

fn replace(place: &mut Value, value: &Value) {
    match (place, value) {
        (Value::Object(fields), Value::Object(more)) => {
            for (key, value) in more {
                replace(fields.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (place, value) => *place = value.clone(),
    }
}

fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (key, without_empty(value)));
            let fields: Map<String, Value> = fields.filter(|(_, value)| !value.is_null()).collect();
            if fields.is_empty() { Value::Null } else { Value::Object(fields) }
        }
        other => other,
    }
}
