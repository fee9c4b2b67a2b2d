//! The objects of a text with lists, compared with those that kubectl applies: the items of lists,
//! also of lists in lists, with the kinds that they inherit.

use proptest::prelude::*;
use scan::{Content, Entry, Placed};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tests::kubernetes::Kubernetes;
use tests::random::Random;

use super::comparison::{Outcome, Plan, Row};

const REFUSED: &str = "texts with an error or a note here, whose objects kubectl applies";

const READ_ON: &str = "texts with more objects here than kubectl applies, with an error";

const BOTH: &str = "texts with errors on both sides, which do not read the same other objects";

/// Kinds that no server stores.
const LISTS: [&str; 3] = ["List", "PodList", "PodListList"];

#[derive(Deserialize)]
struct Answer {
    objects: Vec<Value>,
    #[serde(default)]
    error: String,
}

/// Returns a text that is mostly odd, or mostly as people write it.
fn text(seed: u64) -> Value {
    let mut random = Random::new(seed);
    let odds = if random.below(2) == 0 { 5 } else { 50 };
    value(&mut random, 3, odds)
}

/// Returns a value that may be an object, a list or neither, with at most this depth of lists. One
/// part of `odds` is odd.
fn value(random: &mut Random, depth: usize, odds: usize) -> Value {
    let mut fields = Map::new();
    // Most texts are a list, and kubectl refuses lists in lists.
    let is_list = depth > 0 && random.below(8) < if depth == 3 { 6 } else { 1 };
    let kind = if random.below(odds) == 0 {
        let list = json!(random.pick(&LISTS));
        let kinds = [
            Some(json!("IPAllowList")),
            Some(list),
            Some(json!("")),
            Some(json!(7)),
            Some(Value::Null),
            None,
        ];
        random.pick(&kinds).clone()
    } else {
        Some(json!(if is_list { random.pick(&LISTS[..2]) } else { random.pick(&["Pod", "Service"]) }))
    };
    fields.extend(kind.map(|kind| ("kind".to_owned(), kind)));
    let version = if random.below(odds) == 0 {
        let versions = [Some(json!("apps/v1")), Some(json!("")), Some(json!(1)), Some(Value::Null), None];
        random.pick(&versions).clone()
    } else {
        Some(json!("v1"))
    };
    fields.extend(version.map(|version| ("apiVersion".to_owned(), version)));
    let metadata = [json!({}), json!({ "name": "a" }), json!({ "name": "b" }), Value::Null];
    if random.below(2) == 0 {
        fields.insert("metadata".to_owned(), random.pick(&metadata).clone());
    }
    if random.below(odds) == 0 {
        let items = [Value::Null, json!({ "kind": "Pod" }), json!("a"), json!([])];
        fields.insert("items".to_owned(), random.pick(&items).clone());
    } else if is_list {
        let items = (0..random.below(4)).map(|_| value(random, depth - 1, odds)).collect();
        fields.insert("items".to_owned(), items);
    }
    match random.below(8 * odds) {
        0 => json!([fields]),
        1 => json!("a"),
        2 => Value::Null,
        _ => fields.into(),
    }
}

/// Returns the objects of a text, and whether something else is reported.
fn ours(text: &str) -> (Vec<Value>, bool) {
    let mut objects = Vec::new();
    let mut has_problem = false;
    for Placed { document, .. } in scan::documents(text, &|_| None) {
        has_problem |= document.problem.is_some();
        for Entry { content, .. } in &document.entries {
            match content {
                Content::Object(object) => objects.push(object.clone()),
                Content::Review(_) | Content::Untyped(..) | Content::Other(_) => has_problem = true,
            }
        }
    }
    (objects, has_problem)
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("lists")?;
    let values = any::<u64>().no_shrink().prop_map(text);
    Row::compare(plan, Vec::new(), &values, |value| {
        let text = value.to_string();
        let mut theirs: Answer = server.ask(&json!({ "text": text }))?;
        let (mut ours, has_problem) = ours(&text);
        for objects in [&mut theirs.objects, &mut ours] {
            objects.retain(|object| !LISTS.contains(&object["kind"].as_str().unwrap_or_default()));
        }
        let is_among = |some: &[Value], all: &[Value]| {
            let mut all = all.iter();
            some.iter().all(|one| all.any(|other| other == one))
        };
        Ok(if ours == theirs.objects && has_problem != theirs.error.is_empty() {
            Outcome::Equal
        } else if has_problem && is_among(&ours, &theirs.objects) {
            Outcome::Named(REFUSED)
        } else if !theirs.error.is_empty() && is_among(&theirs.objects, &ours) {
            Outcome::Named(READ_ON)
        } else if has_problem && !theirs.error.is_empty() {
            Outcome::Named(BOTH)
        } else {
            let (theirs, ours) = (json!([theirs.objects, theirs.error]), json!(ours));
            Outcome::Different(format!("kubectl: {theirs}; here: {ours}"))
        })
    })
}
