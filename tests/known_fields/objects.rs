//! Objects with awkward values, and whether an API server decodes them.
//!
//! `recorded.jsonl` has the answers of Kubernetes 1.36.2. A program outside of this repository
//! recorded them. It reads each object as kubectl does (`UnstructuredJSONScheme` of
//! k8s.io/apimachinery), and decodes its JSON with the strict serializer. The scheme of the
//! serializer has the types of client-go, `CustomResourceDefinition` and `APIService`. The answer
//! is that the object is refused, or the paths of its unknown fields, which the strict errors name.
//!
//! `BLESS=1` writes new objects and keeps the answers that are known; the answer for a new object
//! is null until it is recorded.

use std::collections::BTreeMap;
use std::fs;

use known_fields::{Fields, Problem, Type};
use serde_json::{Map, Value, json};
use tests::random::Random;
use text::Path;

/// The number of random objects of each kind.
const OBJECTS: usize = 24;

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
const VALUES: &str = include_str!("values.json");

/// Generates objects.
struct Generator {
    random: Random,
    values: Vec<Value>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), values: serde_json::from_str(VALUES).unwrap() }
    }

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
                let known: Vec<&Value> = self.values.iter().filter(|value| of.accepts(value)).collect();
                (*self.random.pick(&known)).clone()
            }
        }
    }

    fn awkward(&mut self) -> Value {
        self.random.pick(&self.values).clone()
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

/// The objects whose answers are recorded, as JSON.
fn questions() -> BTreeMap<String, Value> {
    let mut generator = Generator::new(36);
    let values = generator.values.clone();
    let placed = PLACES.iter().flat_map(|(api_version, kind, pointer)| {
        values.iter().map(|value| with(api_version, kind, pointer, value))
    });
    let generated = known_fields::kinds()
        .flat_map(|(api_version, fields)| (0..OBJECTS).map(move |_| (api_version, fields)))
        .map(|(api_version, fields)| generator.of(api_version, fields));
    placed.chain(generated).map(|object| (object.to_string(), Value::Null)).collect()
}

fn recorded() -> BTreeMap<String, Value> {
    let lines = include_str!("recorded.jsonl").lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["object"].to_string(), line)
    });
    lines.collect()
}

/// The answer here: that the object is refused, or its unknown fields.
fn answer(object: &Value) -> Value {
    let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let mistakes = known_fields::mistakes(&api_version, &kind, object);
    let is_refused = mistakes.iter().any(|mistake| matches!(mistake.problem, Problem::OtherType { .. }));
    let mut unknown: Vec<String> = mistakes.iter().map(|mistake| Path(&mistake.path).to_string()).collect();
    unknown.sort();
    if is_refused { json!({ "refused": true }) } else { json!({ "unknown": unknown }) }
}

#[test]
fn the_recorded_objects_are_those_of_the_generator() {
    let (mut questions, recorded) = (questions(), recorded());
    if tests::blesses() {
        let known = recorded.into_iter().filter(|(object, _)| questions.contains_key(object));
        questions.extend(known.collect::<Vec<_>>());
        let lines = questions
            .into_iter()
            .map(|(object, line)| format!("{{\"object\":{object},\"answer\":{}}}\n", line["answer"]));
        let path = tests::root().join("tests/known_fields/recorded.jsonl");
        fs::write(path, lines.collect::<String>()).unwrap();
        return;
    }
    assert!(questions.keys().eq(recorded.keys()), "write the objects with BLESS=1, and record the answers");
}

#[test]
fn the_mistakes_of_an_object_are_those_of_an_api_server() {
    let (mut wrong, mut refused, mut unknown) = (Vec::new(), 0, 0);
    let recorded = recorded();
    for (text, line) in &recorded {
        let (want, found) = (&line["answer"], answer(&line["object"]));
        refused += usize::from(want["refused"] == true);
        unknown += usize::from(want["unknown"].as_array().is_some_and(|paths| !paths.is_empty()));
        if *want != found {
            wrong.push(format!("{text}: {want} in an API server, here {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
    assert!(refused > 800 && unknown > 200 && recorded.len() > 2 * refused, "{refused} {unknown}");
}
