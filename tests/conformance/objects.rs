//! Objects of built-in kinds with awkward values.

use std::sync::LazyLock;

use kubernetes::fields::{Fields, Type};
use serde_json::{Map, Value, json};
use tests::random::Random;

/// A field of each type, to which each value is given: the API version, the kind and a pointer.
const PLACES: [(&str, &str, &str); 14] = [
    ("v1", "Pod", "/metadata"),
    ("v1", "Pod", "/metadata/name"),
    ("v1", "Pod", "/metadata/labels"),
    ("v1", "Pod", "/metadata/creationTimestamp"),
    ("v1", "Pod", "/spec/activeDeadlineSeconds"),
    ("v1", "Pod", "/spec/containers"),
    ("v1", "Pod", "/spec/hostPID"),
    ("v1", "Pod", "/spec/overhead/cpu"),
    ("v1", "Pod", "/spec/priority"),
    ("v1", "ConfigMap", "/data"),
    ("v1", "Secret", "/data/a"),
    ("coordination.k8s.io/v1", "Lease", "/spec/renewTime"),
    ("policy/v1", "PodDisruptionBudget", "/spec/maxUnavailable"),
    ("scheduling.k8s.io/v1", "PriorityClass", "/value"),
];

/// Values that most types refuse in some form.
static VALUES: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("values.json")).unwrap());

static KINDS: LazyLock<Vec<(&str, &Fields)>> = LazyLock::new(|| kubernetes::fields::kinds().collect());

/// Generates objects.
struct Generator {
    random: Random,
}

impl Generator {
    /// Returns an object of a kind.
    fn of(&mut self, api_version: &str, fields: &Fields) -> Value {
        let mut object = self.object(fields, 0);
        object.insert("apiVersion".to_owned(), json!(api_version));
        object.insert("kind".to_owned(), json!(fields.name));
        Value::Object(object)
    }

    fn object(&mut self, fields: &Fields, depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        let known = fields.entries();
        if known.is_empty() {
            return object;
        }
        // At the top, most fields have an object.
        for _ in 0..=self.random.below(if depth == 0 { 2 } else { 3 }) {
            let (name, of) = known[self.random.below(known.len())];
            let value = self.value(of, depth + 1);
            object.insert(name.to_owned(), value);
        }
        if self.random.below(12) == 0 {
            let name = misspelt(known[self.random.below(known.len())].0, self.random.below(3));
            // The server ignores the case of these.
            if !["APIVERSION", "KIND"].contains(&&*name) {
                let value = self.awkward();
                object.insert(name, value);
            }
        }
        object
    }

    fn value(&mut self, of: Type, depth: usize) -> Value {
        if self.random.below(16) == 0 {
            return self.awkward();
        }
        match of {
            Type::Object(_) | Type::List(_) | Type::Map(_) if depth > 12 => Value::Null,
            Type::Object(fields) => Value::Object(self.object(fields, depth)),
            Type::List(of) => (0..self.random.below(3)).map(|_| self.value(*of, depth)).collect(),
            Type::Map(of) => {
                (0..self.random.below(3)).map(|key| (format!("k{key}"), self.value(*of, depth))).collect()
            }
            // Values of other types are rare above.
            of => {
                let known: Vec<&Value> = VALUES.iter().filter(|value| of.accepts(value)).collect();
                (*self.random.pick(&known)).clone()
            }
        }
    }

    fn awkward(&mut self) -> Value {
        self.random.pick(&VALUES).clone()
    }
}

/// A name that is not that of a field, or rarely is.
fn misspelt(name: &str, how: usize) -> String {
    match how {
        0 => name.to_ascii_uppercase(),
        1 => format!("{name}s"),
        _ => name.chars().skip(1).collect(),
    }
}

/// Returns an object with a value at a pointer.
fn with(api_version: &str, kind: &str, pointer: &str, value: &Value) -> Value {
    let inner = pointer.rsplit('/').filter(|key| !key.is_empty());
    let mut object = inner.fold(value.clone(), |value, key| json!({ key: value }));
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    object
}

/// Returns an object of a built-in kind.
pub fn generate(seed: u64) -> Value {
    let mut generator = Generator { random: Random::new(seed) };
    // One object of ten has one field, which most of the others do not have.
    if generator.random.below(10) == 0 {
        let (api_version, kind, pointer) = *generator.random.pick(&PLACES);
        with(api_version, kind, pointer, generator.random.pick(&VALUES))
    } else {
        let (api_version, fields) = *generator.random.pick(&KINDS);
        generator.of(api_version, fields)
    }
}
