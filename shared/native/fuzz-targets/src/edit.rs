//! Edits of the text of an object.

use std::collections::{BTreeMap, BTreeSet};

use admission::Edits;
use document::{Document, Fault, Node, Origin, Shape};
use serde_json::value::RawValue;
use text::Step;

const NAMES: [&str; 8] = ["a", "b", "c", "spec", "metadata", "annotations", "labels", "seLinuxOptions"];

const KEYS: [&str; 4] = ["a", "a.example/b", "quote\" and \n", ""];

type Place = Vec<Step>;

#[derive(Clone, Debug)]
enum Change {
    Set(String),
    Remove,
    TextOf,
}

/// The edited object differs from the original only at the edited places. The first line of the
/// input is a script of edits, the rest is the object.
pub(crate) fn run(input: &[u8]) -> bool {
    let Some(end) = input.iter().position(|byte| *byte == b'\n') else { return false };
    let (script, object) = (&input[..end], &input[end + 1..]);
    let Ok(object) = std::str::from_utf8(object) else { return false };
    if serde_json::from_str::<&RawValue>(object).is_err() {
        return false;
    }
    let payload = payload(object);
    // An object with duplicate keys or with strings that are not UTF-8 is never edited.
    let Ok(document) = Document::parse(payload.as_bytes(), Shape::ALL, Origin::Payload) else { return false };
    let root = document.root().at("request").at("object");
    let mut edits = Edits::default();
    let mut places: Vec<(Place, Change)> = Vec::new();
    let mut script = Script(script);
    while let Some(op) = script.next() {
        let at = script.place(root);
        let place = place(&at);
        let change = match op {
            b's' => edits.set(&at, true).map(|()| (place, Change::Set("true".to_owned()))),
            b'S' => edits.set(&at, "\"x\"\n").map(|()| (place, Change::Set("\"\\\"x\\\"\\n\"".to_owned()))),
            b'e' => {
                let key = KEYS[usize::from(script.next().unwrap_or_default()) % KEYS.len()];
                let place = [place, vec![Step::Field(key.to_owned())]].concat();
                edits.set_entry(&at, key, "v").map(|()| (place, Change::Set("\"v\"".to_owned())))
            }
            b't' => {
                let other = script.place(root);
                edits.set_to_text_of(&at, &other).map(|()| (place, Change::TextOf))
            }
            // Policies never remove the whole object.
            _ if place.is_empty() => continue,
            _ => edits.remove(&at).map(|()| (place, Change::Remove)),
        };
        places.extend(change);
        if places.len() == 8 {
            break;
        }
    }
    let Some(changed) = applied(edits, &payload) else {
        return false;
    };
    only_the_places_changed(object, &changed, &places);
    if are_apart(&places) {
        every_place_changed(&changed, &places);
        applying_again_changes_nothing(&changed, &places);
    }
    true
}

fn payload(object: &str) -> String {
    format!(r#"{{"request":{{"object":{object}}},"settings":{{}}}}"#)
}

fn applied(edits: Edits, payload: &str) -> Option<String> {
    edits.apply(payload.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {payload}"))
}

/// A script, whose bytes are decisions.
struct Script<'s>(&'s [u8]);

impl Script<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Returns a place below a value: a digit moves to the child with that number, a letter from
    /// `a` to `h` to a field with a fixed name, and any other byte ends the place.
    fn place<'d>(&mut self, root: Node<'d>) -> Node<'d> {
        let mut at = root;
        // Policies edit at fixed depths and never nest an object too deeply to be read.
        for _ in 0..16 {
            match self.next() {
                Some(step @ b'0'..=b'9') => at = child(at, usize::from(step - b'0')).unwrap_or(at),
                Some(step @ b'a'..=b'h') => at = at.at(NAMES[usize::from(step - b'a')]),
                _ => break,
            }
        }
        at
    }
}

fn child(at: Node<'_>, number: usize) -> Option<Node<'_>> {
    if let Ok(mut fields) = at.fields() {
        return fields.nth(number).map(|(_, node)| node);
    }
    at.items().ok()?.nth(number)
}

fn place(at: &Node<'_>) -> Place {
    at.steps().iter().skip(2).map(Step::owned).collect()
}

/// Checks that every value outside the edited places, except their ancestors, has the same text as
/// before, and that every key is written as before, in the same order.
fn only_the_places_changed(before: &str, after: &str, places: &[(Place, Change)]) {
    // The elements after a removed one move.
    let region = |(edited, change): &(Place, Change)| match (change, edited.split_last()) {
        (Change::Remove, Some((Step::Index(_), array))) => array.to_vec(),
        _ => edited.clone(),
    };
    let regions: Vec<Place> = places.iter().map(region).collect();
    let is_edited = |place: &Place| regions.iter().any(|region| place.starts_with(region));
    let holds_edits = |place: &Place| regions.iter().any(|region| region.starts_with(place));
    let [before, mut after] = [before, after].map(|text| {
        let kept = collected(text).into_iter().filter(|(place, ..)| !is_edited(place));
        let text_of = kept.map(|(place, key, text)| {
            let text = if holds_edits(&place) { "" } else { text };
            (place, key, text)
        });
        text_of.collect::<Vec<_>>()
    });
    // Missing objects are created on the way to a place.
    let known: BTreeSet<&Place> = before.iter().map(|(place, ..)| place).collect();
    after.retain(|(place, ..)| !holds_edits(place) || known.contains(place));
    assert_eq!(before, after, "{places:?}");
}

/// A place, its key as it is written, and the text of its value.
type Found<'t> = (Place, &'t str, &'t str);

/// Collects all places, in the order of the text.
fn collected(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    collect(text.trim(), "", &mut Vec::new(), &mut found);
    found
}

fn collect<'t>(text: &'t str, key: &'t str, place: &mut Place, found: &mut Vec<Found<'t>>) {
    found.push((place.clone(), key, text));
    let mut below: Vec<(Step, &RawValue)> = match text.as_bytes().first() {
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap();
            fields.into_iter().map(|(name, value)| (Step::Field(name), value)).collect()
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).unwrap();
            (0..).zip(items).map(|(index, value)| (Step::Index(index), value)).collect()
        }
        _ => {
            serde_json::from_str::<&RawValue>(text).unwrap();
            return;
        }
    };
    below.sort_by_key(|(_, value)| value.get().as_ptr().addr());
    let mut end = 0;
    for (step, value) in below {
        let value = value.get();
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        let key = text[end..start].trim_matches(|c: char| "{[,".contains(c) || c.is_whitespace());
        end = start + value.len();
        place.push(step);
        collect(value, key, place, found);
        place.pop();
    }
}

/// Returns whether no edit is at, above or below another, and none moves elements or copies from
/// other places.
fn are_apart(places: &[(Place, Change)]) -> bool {
    places.iter().enumerate().all(|(index, (place, change))| {
        let others = places[..index].iter().chain(&places[index + 1..]);
        let is_apart = |(other, _): &(Place, Change)| !place.starts_with(other) && !other.starts_with(place);
        let moves = matches!(change, Change::Remove) && matches!(place.last(), Some(Step::Index(_)));
        !moves && !matches!(change, Change::TextOf) && others.into_iter().all(is_apart)
    })
}

fn every_place_changed(after: &str, places: &[(Place, Change)]) {
    let found = collected(after);
    for (place, change) in places {
        let text = found.iter().find(|(other, ..)| other == place).map(|(.., text)| *text);
        match change {
            Change::Set(value) => assert_eq!(text, Some(value.as_str()), "{place:?}"),
            Change::Remove | Change::TextOf => assert_eq!(text, None, "{place:?}"),
        }
    }
}

fn applying_again_changes_nothing(changed: &str, places: &[(Place, Change)]) {
    let payload = payload(changed);
    let document = Document::parse(payload.as_bytes(), Shape::ALL, Origin::Payload).unwrap();
    let root = document.root().at("request").at("object");
    let mut edits = Edits::default();
    for (place, change) in places {
        let Change::Set(value) = change else { continue };
        let at = find(root, place).unwrap().unwrap();
        let value: serde_json::Value = serde_json::from_str(value).unwrap();
        match value.as_str() {
            Some(text) => edits.set(&at, text).unwrap(),
            None => edits.set(&at, true).unwrap(),
        }
    }
    assert_eq!(applied(edits, &payload), None, "{changed}");
}

fn find<'d>(root: Node<'d>, place: &Place) -> Result<Option<Node<'d>>, Fault> {
    let mut at = root;
    for name in place {
        let next = match name {
            Step::Field(name) => at.entry(name)?,
            Step::Index(index) => at.items()?.nth(usize::try_from(*index).unwrap_or(usize::MAX)),
        };
        let Some(next) = next else { return Ok(None) };
        at = next;
    }
    Ok(Some(at))
}
