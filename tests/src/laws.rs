//! Laws that hold for every policy and every case.

use admission::{CanI, Cluster, Get, List, PolicyEntry, Shape, Unreachable, bounds};
use serde_json::{Value, json};
use suite::cases::{Case, CaseOutcome};

use crate::evaluate;

/// A law.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The law as a sentence, for messages.
    pub sentence: &'static str,
    /// Returns whether the law applies to a policy.
    pub applies: fn(&PolicyEntry) -> bool,
    /// Checks the law for a case and returns the number of changed requests that it compared.
    pub check: fn(&Original) -> Result<usize, String>,
}

/// A case, and its outcome before it is changed.
#[derive(Debug)]
pub struct Original {
    case: Case,
    entry: &'static PolicyEntry,
    policy: evaluate::Native,
    outcome: CaseOutcome,
}

impl Original {
    /// Evaluates a case.
    ///
    /// # Errors
    /// Returns an error if the case is not a valid request, or if the policy makes a look-up that
    /// it does not declare.
    pub fn new(entry: &'static PolicyEntry, case: Case) -> Result<Self, String> {
        let policy = evaluate::Native::new(entry, &case)?;
        let outcome = policy.evaluate(&case)?.outcome;
        Ok(Self { case, entry, policy, outcome })
    }

    /// The case.
    #[must_use]
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Evaluates the case with another object in a field of the request.
    fn evaluate_with(&self, field: &str, object: Value) -> Result<CaseOutcome, String> {
        Ok(self.policy.evaluate(&with(&self.case, field, object))?.outcome)
    }
}

const CLOSED: Law = Law {
    sentence: "input that ends behind a token is denied",
    applies: to_every_policy,
    check: |original| closed(original, ends_a_token),
};
const MISTYPED: Law = Law {
    sentence: "a value of another type never turns a denial into an admission",
    applies: to_every_policy,
    check: mistyped,
};
const NULL: Law = Law { sentence: "null equals absent", applies: to_every_policy, check: null };
const UNKNOWN: Law =
    Law { sentence: "unknown fields change nothing", applies: to_every_policy, check: unknown };
const ORDER: Law = Law {
    sentence: "the order of the cluster's objects changes nothing",
    applies: |entry| !entry.reads.0.is_empty(),
    check: order,
};
const ANSWERS: Law = Law {
    sentence: "a malformed answer of the cluster never turns a denial into an admission",
    applies: |entry| !entry.reads.0.is_empty(),
    check: answers,
};
const SETTLED: Law = Law {
    sentence: "a mutated object is admitted without another mutation",
    applies: |entry| entry.mutates,
    check: settled,
};
const LOSSLESS: Law = Law {
    sentence: "a mutation preserves unknown fields and every digit of numbers",
    applies: |entry| entry.mutates,
    check: lossless,
};

const BOUNDED: Law = Law {
    sentence: "messages, warnings and annotations stay within their bounds, however large the object is",
    applies: to_every_policy,
    check: bounded,
};

/// Takes too long for every case. That no text is read of which the end is missing, wherever it is
/// cut, is tested by `document`.
pub const CLOSED_EVERYWHERE: Law = Law {
    sentence: "input that ends anywhere is denied",
    applies: to_every_policy,
    check: |original| closed(original, |_| true),
};

/// All laws that are cheap enough for every case.
pub const ALL: &[Law] = &[CLOSED, MISTYPED, NULL, UNKNOWN, ORDER, ANSWERS, SETTLED, LOSSLESS, BOUNDED];

/// The laws that hold for any request and are cheap enough for generated ones.
pub const GENERATED: &[Law] = &[NULL, UNKNOWN, ORDER];

fn to_every_policy(_: &PolicyEntry) -> bool {
    true
}

/// Returns the case with another value at one place of its objects, which `at` selects.
#[must_use]
pub fn changed(case: &Case, at: usize, value: &Value) -> Case {
    let objects = objects_of(case);
    let places: Vec<(&str, &Value, String)> = objects
        .iter()
        .flat_map(|(field, object)| pointers(object).into_iter().map(move |at| (*field, object, at)))
        .collect();
    let Some((field, object, pointer)) = places.get(at.checked_rem(places.len()).unwrap_or_default()) else {
        return case.clone();
    };
    let mut object = (*object).clone();
    if let Some(place) = object.pointer_mut(pointer) {
        *place = value.clone();
    }
    with(case, field, object)
}

/// Returns whether a byte of JSON ends a token, or begins a string.
fn ends_a_token(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"')
}

/// Cuts the input behind the bytes that `ends` selects.
fn closed(original: &Original, ends: impl Fn(u8) -> bool) -> Result<usize, String> {
    let payload = original.case.admission_request()?.payload(&json!({}));
    let cluster = kubernetes::objects::Objects::unreachable("not needed");
    let mut evaluated = 0_usize;
    for (at, byte) in payload.iter().enumerate() {
        let Some((cut, [_, ..])) = payload.split_at_checked(at + 1) else { continue };
        if !ends(*byte) {
            continue;
        }
        if original.entry.respond(cut, &cluster).accepted {
            return Err(format!("admitted when cut after {} bytes", cut.len()));
        }
        evaluated += 1;
    }
    Ok(evaluated)
}

fn mistyped(original: &Original) -> Result<usize, String> {
    let mut evaluated = 0_usize;
    // A fault that is due to the type of a value may disappear with another type.
    if original.outcome.denied.is_none() {
        return Ok(evaluated);
    }
    for (field, object) in objects_of(&original.case) {
        for pointer in pointers(&object) {
            for other in [json!(7), json!("x"), json!(true), json!([]), json!({}), json!([[]])] {
                let mut changed = object.clone();
                let Some(value) = changed.pointer_mut(&pointer) else { continue };
                // An absent value has no type yet.
                if value.is_null() || same_type(value, &other) {
                    continue;
                }
                *value = other.clone();
                let outcome = original.evaluate_with(field, changed)?;
                if outcome.admitted.is_some() || outcome.mutated.is_some() {
                    return Err(format!("admitted with {other} at {field}{pointer}"));
                }
                evaluated += 1;
            }
        }
    }
    Ok(evaluated)
}

fn null(original: &Original) -> Result<usize, String> {
    let shape = original.entry.object;
    same_outcome(original, |object| add_nulls(object, shape), "null instead of absent fields")
}

fn unknown(original: &Original) -> Result<usize, String> {
    let unknown = json!({ "spec": [1.5, { "externalIPs": "x" }] });
    let shape = original.entry.object;
    same_outcome(original, |object| add_field(object, shape, &unknown), "unknown fields")
}

fn order(original: &Original) -> Result<usize, String> {
    if original.case.cluster.objects.len() < 2 {
        return Ok(0);
    }
    let mut reversed = original.case.clone();
    reversed.cluster.objects.reverse();
    let (one, other) = (&original.outcome, evaluate::natively(original.entry, &reversed)?.outcome);
    // A fault names the first object that cannot be read, by its place in the list.
    let same = *one == other || one.fault.is_some() && other.fault.is_some();
    if same { Ok(1) } else { Err(format!("{other:?} instead of {one:?}")) }
}

/// A cluster that gives the same answer to every question.
struct Says<'a>(&'a [u8]);

impl Cluster for Says<'_> {
    fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        Ok(Some(self.0.to_vec()))
    }

    fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        Ok(self.0.to_vec())
    }

    fn can_i(&self, _: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        Ok(self.0.to_vec())
    }
}

fn answers(original: &Original) -> Result<usize, String> {
    let Original { case, entry, outcome, .. } = original;
    // With this setting, a request is admitted if a look-up fails.
    if case.settings.get("onLookupFailure").is_some_and(|answer| answer == "Warn") {
        return Ok(0);
    }
    if outcome.denied.is_none() && outcome.fault.is_none() || outcome.asked.is_empty() {
        return Ok(0);
    }
    let payload = case.admission_request()?.payload(&evaluate::settings(case));
    let nonsense = [
        "",
        "null",
        "7",
        "[]",
        "\"x\"",
        "{\"metadata\":",
        "{\"items\":{},\"metadata\":[]}",
        "{\"allowed\":\"true\",\"metadata\":7}",
    ];
    for answer in nonsense {
        if entry.respond(&payload, &Says(answer.as_bytes())).accepted {
            return Err(format!("admitted when the cluster answers {answer:?}"));
        }
    }
    Ok(nonsense.len())
}

fn settled(original: &Original) -> Result<usize, String> {
    let Some(mutated) = &original.outcome.mutated else { return Ok(0) };
    let again = original.evaluate_with("object", mutated.clone())?;
    if again.admitted.is_some() { Ok(1) } else { Err(format!("the mutated object: {again:?}")) }
}

fn lossless(original: &Original) -> Result<usize, String> {
    /// Numbers that no numeric type holds, or that a type writes in another way.
    const NUMBERS: &str = "[1234567890123456789012345678901234567890.10,-0.0,1E+400]";
    let Original { case, entry, outcome, .. } = original;
    let (Some(_), Some(object)) = (&outcome.mutated, &case.object) else { return Ok(0) };
    let mut object = object.clone();
    add_field(&mut object, entry.object, &json!("@numbers@"));
    let payload = with(case, "object", object).admission_request()?.payload(&evaluate::settings(case));
    // Replaced in the text only: a parsed value would lose digits.
    let payload = String::from_utf8_lossy(&payload).replace("\"@numbers@\"", NUMBERS);
    let response = entry.respond(payload.as_bytes(), case.objects()?.as_ref()).to_json();
    let count = |text: &str| text.matches(NUMBERS).count();
    let (before, after) = (count(&payload), count(&String::from_utf8_lossy(&response)));
    if before > 0 && before == after {
        Ok(1)
    } else {
        Err(format!("{after} of {before} unknown fields are preserved"))
    }
}

fn bounded(original: &Original) -> Result<usize, String> {
    /// The number of copies of each element and of each label.
    const COPIES: usize = 300;
    let mut evaluated = 0_usize;
    let CaseOutcome { denied, warnings, audit_annotations, .. } = &original.outcome;
    if denied.is_none() && warnings.is_empty() && audit_annotations.is_empty() {
        return Ok(evaluated);
    }
    for (field, object) in objects_of(&original.case) {
        let mut larger = object;
        multiply(&mut larger, COPIES);
        let outcome = original.evaluate_with(field, larger)?;
        let message = outcome.denied.map(|lines| lines.join("\n")).or(outcome.fault).unwrap_or_default();
        let annotations = outcome.audit_annotations.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        bounds::check(&message, &outcome.warnings, &mut annotations.into_iter())?;
        evaluated += 1;
    }
    Ok(evaluated)
}

/// Repeats the elements of every array, and adds copies of every string field of objects whose keys
/// are data, such as labels.
fn multiply(value: &mut Value, copies: usize) {
    match value {
        Value::Array(items) => {
            let original = items.clone();
            // Nested arrays are multiplied once.
            for item in items.iter_mut() {
                multiply(item, if original.len() > 1 { 1 } else { copies });
            }
            for _ in 1..copies {
                items.extend(original.iter().cloned());
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::Object(entries) if matches!(name.as_str(), "labels" | "annotations") => {
                        let added: Vec<_> = entries
                            .iter()
                            .flat_map(|(key, value)| {
                                (1..copies).map(move |n| (format!("{key}-{n}"), value.clone()))
                            })
                            .collect();
                        entries.extend(added);
                    }
                    other => multiply(other, copies),
                }
            }
        }
        _ => {}
    }
}

fn same_outcome(original: &Original, change: impl Fn(&mut Value), what: &str) -> Result<usize, String> {
    let mut evaluated = 0_usize;
    // A mutated object comes back with the added fields.
    if original.outcome.mutated.is_some() {
        return Ok(evaluated);
    }
    for (field, object) in objects_of(&original.case) {
        let mut changed = object.clone();
        change(&mut changed);
        if changed == object {
            continue;
        }
        let outcome = original.evaluate_with(field, changed)?;
        if outcome != original.outcome {
            return Err(format!("{what} in {field}: {outcome:?} instead of {:?}", original.outcome));
        }
        evaluated += 1;
    }
    Ok(evaluated)
}

/// Sets every field that the shape names and the object lacks to null.
fn add_nulls(value: &mut Value, shape: Shape<'_>) {
    match (value, shape) {
        (Value::Object(fields), Shape::Fields(known)) => {
            for (name, shape) in known {
                add_nulls(fields.entry((*name).to_owned()).or_insert(Value::Null), *shape);
            }
        }
        (Value::Array(items), shape) => items.iter_mut().for_each(|item| add_nulls(item, shape)),
        _ => {}
    }
}

/// Adds an unknown field to every object that contains fields of the shape.
fn add_field(value: &mut Value, shape: Shape<'_>, field: &Value) {
    match (value, shape) {
        (Value::Object(fields), Shape::Fields(known)) => {
            for (name, shape) in known {
                if let Some(value) = fields.get_mut(*name) {
                    add_field(value, *shape, field);
                }
            }
            fields.insert("futureField".to_owned(), field.clone());
        }
        (Value::Array(items), shape) => items.iter_mut().for_each(|item| add_field(item, shape, field)),
        _ => {}
    }
}

fn objects_of(case: &Case) -> Vec<(&'static str, Value)> {
    let both = [("object", &case.object), ("oldObject", &case.old_object)];
    both.into_iter().filter_map(|(field, object)| Some((field, object.clone()?))).collect()
}

/// A case with another `object` or `oldObject`.
#[must_use]
pub fn with(case: &Case, field: &str, object: Value) -> Case {
    let mut case = case.clone();
    // The fields of the request that are derived from the object stay as they were.
    let request = case.request_value();
    for name in ["kind", "resource", "name", "namespace", "operation"] {
        if let Some(value) = request.get(name) {
            case.request.insert(name.to_owned(), value.clone());
        }
    }
    let place = if field == "object" { &mut case.object } else { &mut case.old_object };
    *place = Some(object);
    case
}

/// Returns the JSON pointers (RFC 6901) of a value and of everything below it.
#[must_use]
pub fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let below: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (step, value) in below {
        found.extend(pointers(value).into_iter().map(|rest| format!("/{step}{rest}")));
    }
    found
}

fn same_type(one: &Value, other: &Value) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}
