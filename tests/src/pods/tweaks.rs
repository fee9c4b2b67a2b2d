//! A compliant pod, and tweaks of it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

/// The lists of containers, with the name of the first container in each.
pub const LISTS: [(&str, &str); 3] =
    [("initContainers", "setup-0"), ("containers", "app-0"), ("ephemeralContainers", "debug-0")];

/// Returns a container that is compliant in the pod of [`pod`].
#[must_use]
pub fn container(name: &str) -> Value {
    json!({
        "name": name,
        "image": "registry.example/app:1",
        "securityContext": { "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] } },
    })
}

/// Returns a pod that meets every check at every version, with a container in each list.
#[must_use]
pub fn pod() -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": {
            "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
        },
    });
    for (list, name) in LISTS {
        pod["spec"][list] = json!([container(name)]);
    }
    pod
}

/// Sets a field and its missing parents; null removes the field.
///
/// # Panics
/// A pointer through a list without the item, or through a value without fields.
pub fn set(mut at: &mut Value, pointer: &str, value: &Value) {
    let names: Vec<String> =
        pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let (last, way) = names.split_last().unwrap();
    for name in way {
        at = match at {
            Value::Array(items) => &mut items[name.parse::<usize>().unwrap()],
            object => &mut object[name.as_str()],
        };
    }
    match value {
        Value::Null => {
            at.as_object_mut().and_then(|object| object.remove(last));
        }
        value => at[last.as_str()] = value.clone(),
    }
}

/// The owner of a field.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Place {
    /// The pod.
    Pod,
    /// A container of any list.
    Container,
}

/// One changed field of the compliant pod.
#[derive(Clone, Debug)]
pub struct Tweak {
    /// The owner of the field.
    pub place: Place,
    /// The JSON pointer from the pod or the container.
    pub pointer: String,
    /// The new value; null removes the field.
    pub value: Value,
    /// Further changes of the pod.
    with: Values,
}

impl Tweak {
    fn of_pod(pointer: &str, value: Value) -> Self {
        Self { place: Place::Pod, pointer: pointer.to_owned(), value, with: Values::new() }
    }

    /// Returns the tweaked pods: one, or one for each list of containers.
    #[must_use]
    pub fn applied(&self, pod: &Value) -> Vec<Value> {
        let applied = |at: String| {
            let mut pod = pod.clone();
            set(&mut pod, &format!("{at}{}", self.pointer), &self.value);
            for (pointer, value) in &self.with {
                set(&mut pod, pointer, value);
            }
            pod
        };
        match self.place {
            Place::Pod => vec![applied(String::new())],
            Place::Container => LISTS.map(|(list, _)| applied(format!("/spec/{list}/0"))).into(),
        }
    }
}

/// Values by JSON pointer.
type Values = BTreeMap<String, Value>;

/// The tweaks of fields that are changed together with others.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Fields {
    with: Values,
    pod: BTreeMap<String, Vec<Value>>,
    container: BTreeMap<String, Vec<Value>>,
    /// In the security contexts of the pod and of containers.
    both: BTreeMap<String, Vec<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Table {
    allowed_volumes: Vec<Value>,
    refused_volumes: Vec<Value>,
    sysctls: Vec<String>,
    fields: Vec<Fields>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("tweaks.yaml")).unwrap());

/// Returns a volume of each type that the restricted level allows, and one without a source.
#[must_use]
pub fn allowed_volumes() -> &'static [Value] {
    &TABLE.allowed_volumes
}

/// Returns a volume of each known type that the restricted level refuses.
#[must_use]
pub fn refused_volumes() -> &'static [Value] {
    &TABLE.refused_volumes
}

/// Returns names of sysctls, some of which are safe in some version.
#[must_use]
pub fn sysctls() -> &'static [String] {
    &TABLE.sysctls
}

/// Returns all tweaks.
#[must_use]
pub fn all() -> Vec<Tweak> {
    let volumes = allowed_volumes()
        .iter()
        .chain(refused_volumes())
        .map(|volume| Tweak::of_pod("/spec/volumes", json!([{ "name": "first", "emptyDir": {} }, volume])));
    let sysctls = sysctls().iter().map(|name| {
        let safe = "net.ipv4.tcp_syncookies";
        let value = json!([{ "name": safe, "value": "1" }, { "name": name, "value": "1" }]);
        Tweak::of_pod("/spec/securityContext/sysctls", value)
    });
    let mut tweaks: Vec<Tweak> = volumes.chain(sysctls).collect();
    for Fields { with, pod, container, both } in &TABLE.fields {
        for (place, base, fields) in [
            (Place::Pod, "", pod),
            (Place::Pod, "/spec/securityContext", both),
            (Place::Container, "", container),
            (Place::Container, "/securityContext", both),
        ] {
            for (pointer, values) in fields {
                let pointer = format!("{base}{pointer}");
                tweaks.extend(values.iter().map(|value| Tweak {
                    place,
                    pointer: pointer.clone(),
                    value: value.clone(),
                    with: with.clone(),
                }));
            }
        }
    }
    tweaks
}
