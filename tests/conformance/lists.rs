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

/// Returns a value that may be an object, a list or neither, with at most this depth of lists.
fn value(random: &mut Random, depth: usize) -> Value {
    let others = [json!("Pod"), json!("Service"), json!("IPAllowList"), json!(""), json!(7), Value::Null];
    let mut fields = Map::new();
    if random.below(6) > 0 {
        // Most have a kind that one expects.
        let kind = match random.below(if depth > 0 { 6 } else { 9 }) {
            0..3 if depth > 0 => json!(random.pick(&LISTS[..2])),
            0..4 => json!(random.pick(&LISTS)),
            _ => random.pick(&others).clone(),
        };
        fields.insert("kind".to_owned(), kind);
    }
    if random.below(6) > 0 {
        let versions =
            [json!("v1"), json!("v1"), json!("v1"), json!("apps/v1"), json!(""), json!(1), Value::Null];
        fields.insert("apiVersion".to_owned(), random.pick(&versions).clone());
    }
    let metadata = [json!({}), json!({ "name": "a" }), json!({ "name": "b" }), Value::Null];
    if random.below(2) == 0 {
        fields.insert("metadata".to_owned(), random.pick(&metadata).clone());
    }
    if depth > 0 && random.below(4) > 0 {
        let items = match random.below(12) {
            0 => Value::Null,
            1 => json!({ "kind": "Pod" }),
            2 => json!("a"),
            _ => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
        };
        fields.insert("items".to_owned(), items);
    }
    match random.below(40) {
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
                Content::Review(_) | Content::Untyped(_) | Content::Other(_) => has_problem = true,
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
    let values = any::<u64>().no_shrink().prop_map(|seed| value(&mut Random::new(seed), 3));
    Row::compare(plan, &values, |value| {
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
