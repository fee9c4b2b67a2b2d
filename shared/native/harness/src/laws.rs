//! What holds for every policy and every case.

use admission::{Cluster, Get, List, PolicyEntry, Shape, Unreachable};
use serde_json::{Value, json};

use crate::{Case, judge};

/// A law, with the sentence that it is.
pub type Law = (&'static str, fn(&PolicyEntry, &Case) -> Result<(), String>);

/// All laws.
pub const ALL: &[Law] = &[
    ("what is not JSON is denied", closed),
    ("a value of another type never turns a denial into an admission", mistyped),
    ("null is the same as absent", null),
    ("unknown fields change nothing", unknown),
    ("the order of the cluster's objects changes nothing", order),
    ("an answer of the cluster that is none never turns a denial into an admission", answers),
    ("a changed object is changed no further", settled),
    ("a change keeps what nobody knows, to the last digit", lossless),
];

/// The laws that say the same of any request, and are cheap enough for generated ones.
pub const GENERATED: &[Law] = &[
    ("null is the same as absent", null),
    ("unknown fields change nothing", unknown),
    ("the order of the cluster's objects changes nothing", order),
];

/// Another case: one place of its objects has another value. `at` and `with` choose which and what.
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

fn closed(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    let payload = payload(case)?;
    for length in 0..payload.len() {
        let Some(cut) = payload.get(..length) else { continue };
        let response = entry.evaluate(cut, &cluster_objects::Objects::unreachable("not needed"));
        if response.accepted {
            return Err(format!("admitted when cut after {length} bytes"));
        }
    }
    Ok(())
}

fn mistyped(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    let original = judge::natively(entry, case)?.outcome;
    // What could not be judged for its type may well be fine with another.
    if original.denied.is_none() {
        return Ok(());
    }
    for (field, object) in objects_of(case) {
        for pointer in pointers(&object) {
            for other in [json!(7), json!("x"), json!(true), json!([]), json!({}), json!([[]])] {
                let mut changed = object.clone();
                let Some(value) = changed.pointer_mut(&pointer) else { continue };
                // What is absent has no type yet.
                if value.is_null() || same_type(value, &other) {
                    continue;
                }
                *value = other.clone();
                let outcome = judge::natively(entry, &with(case, field, changed))?.outcome;
                if outcome.admitted.is_some() || outcome.mutated.is_some() {
                    return Err(format!("admitted with {other} at {field}{pointer}"));
                }
            }
        }
    }
    Ok(())
}

fn null(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    same_outcome(entry, case, |object| add_nulls(object, entry.object), "null in place of absent fields")
}

fn unknown(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    let unknown = json!({ "spec": [1.5, { "externalIPs": "x" }] });
    same_outcome(entry, case, |object| add_field(object, entry.object, &unknown), "unknown fields")
}

fn order(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    let mut reversed = case.clone();
    reversed.cluster.objects.reverse();
    let (one, other) = (judge::natively(entry, case)?.outcome, judge::natively(entry, &reversed)?.outcome);
    // A fault names the first object that cannot be read, by its place in the list.
    let same = one == other || one.fault.is_some() && other.fault.is_some();
    if same { Ok(()) } else { Err(format!("{one:?} became {other:?}")) }
}

/// A cluster that answers everything alike.
struct Says<'a>(&'a [u8]);

impl Cluster for Says<'_> {
    fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        Ok(Some(self.0.to_vec()))
    }

    fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        Ok(self.0.to_vec())
    }
}

fn answers(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    // Who asks for leniency gets it.
    if case.settings.get("onLookupFailure").is_some_and(|answer| answer == "Warn") {
        return Ok(());
    }
    let original = judge::natively(entry, case)?.outcome;
    if original.denied.is_none() && original.fault.is_none() {
        return Ok(());
    }
    let payload = case.admission_request()?.payload(&judge::settings(case));
    let nonsense = ["", "null", "7", "[]", "\"x\"", "{\"metadata\":", "{\"items\":{},\"metadata\":[]}"];
    for answer in nonsense {
        if entry.evaluate(&payload, &Says(answer.as_bytes())).accepted {
            return Err(format!("admitted when the cluster answers {answer:?}"));
        }
    }
    Ok(())
}

fn settled(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    let Some(mutated) = judge::natively(entry, case)?.outcome.mutated else { return Ok(()) };
    let again = judge::natively(entry, &with(case, "object", mutated))?.outcome;
    if again.admitted.is_some() { Ok(()) } else { Err(format!("then became {again:?}")) }
}

fn lossless(entry: &PolicyEntry, case: &Case) -> Result<(), String> {
    /// More digits than any type of a programming language has.
    const NUMBER: &str = "1234567890123456789012345678901234567890.10";
    let (Some(_), Some(object)) = (judge::natively(entry, case)?.outcome.mutated, &case.object) else {
        return Ok(());
    };
    let mut object = object.clone();
    add_field(&mut object, entry.object, &json!("@number@"));
    let payload = with(case, "object", object).admission_request()?.payload(&judge::settings(case));
    // Only in the text: a value in memory would have lost the digits already.
    let payload = String::from_utf8_lossy(&payload).replace("\"@number@\"", NUMBER);
    let response = entry.evaluate(payload.as_bytes(), case.objects()?.as_ref()).to_json();
    let count = |text: &str| text.matches(NUMBER).count();
    let (before, after) = (count(&payload), count(&String::from_utf8_lossy(&response)));
    if before > 0 && before == after {
        Ok(())
    } else {
        Err(format!("of {before} unknown fields {after} are left"))
    }
}

fn same_outcome(
    entry: &PolicyEntry,
    case: &Case,
    change: impl Fn(&mut Value),
    what: &str,
) -> Result<(), String> {
    let original = judge::natively(entry, case)?.outcome;
    // A mutated object comes back with what was added to it.
    if original.mutated.is_some() {
        return Ok(());
    }
    for (field, mut object) in objects_of(case) {
        change(&mut object);
        let outcome = judge::natively(entry, &with(case, field, object))?.outcome;
        if outcome != original {
            return Err(format!("{what} in {field} made {outcome:?} of {original:?}"));
        }
    }
    Ok(())
}

/// Sets every field that the shape names and an object does not have to null.
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

/// Adds a field that nobody knows to every object on the way to what the shape keeps.
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

fn with(case: &Case, field: &str, object: Value) -> Case {
    let mut case = case.clone();
    // What the request says of the object stays what it was.
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

fn payload(case: &Case) -> Result<Vec<u8>, String> {
    Ok(case.admission_request()?.payload(&json!({})))
}

/// The JSON pointers of everything in a value, the value itself included.
fn pointers(value: &Value) -> Vec<String> {
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
