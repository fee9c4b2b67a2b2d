//! Changes to the object under review.
//!
//! A crate of its own so that it is compiled for size: only a request that is changed goes through it.

use document::{Below, Fault, Key, Node, Walk};
use text::{Json, Step};

/// Changes at places of the object.
///
/// Applied to the text of the object, not to a typed copy of it: only the objects and arrays on the way to
/// a changed place are written anew, everything else is copied byte by byte. So fields that nobody here
/// knows, and numbers of any size and precision, survive.
#[derive(Debug, Default)]
pub struct Edits(Vec<Edit>);

#[derive(Debug)]
struct Edit {
    steps: Vec<Step>,
    new: New,
}

/// What a place gets.
#[derive(Debug)]
enum New {
    Value(Json),
    /// As a string, the JSON text of another place.
    TextOf(Vec<Step>),
    /// The field or element goes.
    Nothing,
}

impl Edits {
    /// Gives a place of the object a value, with the objects on the way to it where they are missing.
    ///
    /// # Errors
    /// A place that is not in the object under review.
    pub fn set(&mut self, at: &Node<'_>, value: impl Into<Json>) -> Result<(), Fault> {
        self.push(at, New::Value(value.into()))
    }

    /// Gives a field whose name is data, such as an annotation, a value.
    ///
    /// # Errors
    /// A place that is not in the object under review.
    pub fn set_entry(&mut self, of: &Node<'_>, key: &str, value: impl Into<Json>) -> Result<(), Fault> {
        of.object()?;
        let mut steps = steps_of(of)?;
        steps.push(Step::Field(key.to_owned()));
        self.0.push(Edit { steps, new: New::Value(value.into()) });
        Ok(())
    }

    /// Gives a place of the object a string: the JSON that another place has, byte by byte.
    ///
    /// # Errors
    /// A place that is not in the object under review.
    pub fn set_to_text_of(&mut self, at: &Node<'_>, other: &Node<'_>) -> Result<(), Fault> {
        let other = steps_of(other)?;
        self.push(at, New::TextOf(other))
    }

    /// Takes the value of a place away.
    ///
    /// # Errors
    /// A place that is not in the object under review.
    pub fn remove(&mut self, at: &Node<'_>) -> Result<(), Fault> {
        self.push(at, New::Nothing)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, at: &Node<'_>, new: New) -> Result<(), Fault> {
        // A value of another type on the way must not be written over.
        at.is_present()?;
        self.0.push(Edit { steps: steps_of(at)?, new });
        Ok(())
    }

    /// The object of a payload with the changes; `None` if they change nothing. White space between a value and
    /// what follows it is not kept on the way to a change; hosts send none.
    ///
    /// # Errors
    /// A payload that is no JSON or no UTF-8.
    pub fn apply(self, payload: &[u8]) -> Result<Option<String>, Fault> {
        // What was judged before is JSON, but text that was skipped may be no UTF-8.
        let payload = std::str::from_utf8(payload)
            .map_err(|_| Fault::in_payload(&["request", "object"], "cannot be changed: it is not UTF-8"))?;
        let object = ["request", "object"].map(|name| Step::Field(name.to_owned()));
        let mut walk = Walk::of(payload);
        if !seek(&mut walk, &object)? {
            walk = Walk::of("null");
        }
        let start = walk.position();
        let mut places = Vec::with_capacity(self.0.len());
        for Edit { steps, new } in self.0 {
            let value = match new {
                New::Value(value) => Some(value),
                New::TextOf(other) => {
                    let mut walk = Walk::of(payload);
                    let is_there = seek(&mut walk, &object)? && seek(&mut walk, &other)?;
                    Some(Json::from(if is_there { walk.skip()? } else { "null" }))
                }
                New::Nothing => None,
            };
            places.push((steps, value));
        }
        let edits: Vec<Change<'_>> =
            places.iter().map(|(steps, value)| (steps.as_slice(), value.as_ref())).collect();
        let mut changed = String::with_capacity(payload.len());
        write(&mut changed, &mut walk, &edits)?;
        Ok((changed != walk.since(start)).then_some(changed))
    }
}

/// The steps from the object under review to a place of it.
fn steps_of(at: &Node<'_>) -> Result<Vec<Step>, Fault> {
    let steps = at.steps();
    let [Step::Field("request"), Step::Field("object"), steps @ ..] = steps.as_slice() else {
        return Err(at.fault("is not a part of the object and cannot be changed"));
    };
    Ok(steps.iter().map(Step::owned).collect())
}

/// The steps that are left to a place, and its new value; `None` takes it away.
type Change<'e> = (&'e [Step], Option<&'e Json>);

/// Goes to the value that is some steps below the next one, if it is there.
fn seek(walk: &mut Walk<'_>, steps: &[Step]) -> Result<bool, Fault> {
    'steps: for step in steps {
        let below = walk.below()?;
        if below == Below::Nothing {
            return Ok(false);
        }
        walk.enter()?;
        let mut index = 0_u32;
        while let Some(key) = walk.next(below, index == 0)? {
            if fits(step, below, &key, index) {
                continue 'steps;
            }
            walk.skip()?;
            index = index.saturating_add(1);
        }
        return Ok(false);
    }
    Ok(true)
}

/// Whether a member of an object or array is where a step leads.
fn fits(step: &Step, below: Below, key: &Key<'_>, index: u32) -> bool {
    match step {
        Step::Field(field) => below == Below::Fields && key.is(field),
        Step::Index(wanted) => below == Below::Elements && *wanted == index,
    }
}

/// Writes the value that is next with the edits at and below it.
fn write(out: &mut String, walk: &mut Walk<'_>, edits: &[Change<'_>]) -> Result<(), Fault> {
    // The last edit of the very place wins over what comes before it and over everything below.
    if let Some((_, Some(value))) = of_place(edits) {
        out.push_str(value.as_str());
        return walk.skip().map(drop);
    }
    let below = walk.below()?;
    // Nothing is taken from what has nothing.
    if edits.is_empty() || below == Below::Nothing && edits.iter().all(|(_, value)| value.is_none()) {
        out.push_str(walk.skip()?);
        return Ok(());
    }
    let (open, close) = if below == Below::Elements { ('[', ']') } else { ('{', '}') };
    out.push(open);
    let start = out.len();
    // The edits whose field is not there.
    let mut rest = edits.to_vec();
    if below == Below::Nothing {
        walk.skip()?;
    } else {
        walk.enter()?;
        let mut index = 0_u32;
        while let Some(key) = walk.next(below, index == 0)? {
            let edits = take(&mut rest, &|step| fits(step, below, &key, index));
            write_member(out, start, key.text(), walk, &edits)?;
            index = index.saturating_add(1);
        }
    }
    while let Some((Some(step), _)) = rest.first().map(|(steps, value)| (steps.first(), value)) {
        let edits = take(&mut rest, &|other| other == step);
        // An object is made only for something in it.
        if let Step::Field(name) = step
            && edits.iter().any(|(_, value)| value.is_some())
        {
            let mut key = Json::from(name.as_str()).into_text();
            key.push(':');
            write_member(out, start, &key, &mut Walk::of("null"), &edits)?;
        }
    }
    out.push(close);
    Ok(())
}

/// Writes a field or element after others, unless it is taken away.
fn write_member(
    out: &mut String,
    start: usize,
    key: &str,
    walk: &mut Walk<'_>,
    edits: &[Change<'_>],
) -> Result<(), Fault> {
    if let Some((_, None)) = of_place(edits) {
        return walk.skip().map(drop);
    }
    if out.len() > start {
        out.push(',');
    }
    out.push_str(key);
    write(out, walk, edits)
}

/// The last edit of the very place.
fn of_place<'a, 'e>(edits: &'a [Change<'e>]) -> Option<&'a Change<'e>> {
    edits.iter().rev().find(|(steps, _)| steps.is_empty())
}

/// Takes the edits whose first step is one, without that step.
fn take<'e>(edits: &mut Vec<Change<'e>>, is_it: &dyn Fn(&Step) -> bool) -> Vec<Change<'e>> {
    let mut taken = Vec::new();
    edits.retain(|(steps, value)| match steps.split_first() {
        Some((first, rest)) if is_it(first) => {
            taken.push((rest, *value));
            false
        }
        _ => true,
    });
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use document::{Document, Origin, Shape};

    /// A payload with an object, and what edits make of the object.
    fn edited(object: &str, edit: impl Fn(Node<'_>, &mut Edits) -> Result<(), Fault>) -> Option<String> {
        let payload = format!(r#"{{"request":{{"uid":"1","object":{object}}},"settings":{{}}}}"#);
        let document = Document::parse(payload.as_bytes(), Shape::ALL, Origin::Payload).unwrap();
        let mut edits = Edits::default();
        edit(document.root().at("request").at("object"), &mut edits).unwrap();
        edits.apply(payload.as_bytes()).unwrap()
    }

    #[test]
    fn an_edit_changes_its_place_and_no_other_byte() {
        let object =
            r#"{"a": {"x":1.50, "n":123456789012345678901234567890}, "b":[{"c":true},{"c" :true}] ,"d":0}"#;
        let new = edited(object, |root, edits| {
            for item in root.at("b").items()?.skip(1) {
                edits.set(&item.at("c"), false)?;
            }
            Ok(())
        });
        assert_eq!(
            new.as_deref(),
            Some(
                r#"{"a":{"x":1.50, "n":123456789012345678901234567890},"b":[{"c":true},{"c" :false}],"d":0}"#
            ),
        );
    }

    #[test]
    fn what_is_set_already_is_no_change() {
        assert_eq!(
            edited(r#"{"a":{"b" :true}}"#, |root, edits| edits.set(&root.at("a").at("b"), true)),
            None
        );
        assert_eq!(edited(r#"{"a":1}"#, |root, edits| edits.remove(&root.at("b").at("c"))), None);
        assert_eq!(edited(r#"{"a":1}"#, |_, _| Ok(())), None);
    }

    #[test]
    fn missing_and_null_objects_on_the_way_are_made() {
        let set = |root: Node<'_>, edits: &mut Edits| edits.set(&root.at("a").at("b").at("c"), "x");
        for object in ["{}", r#"{"a":null}"#, r#"{"a":{"b":null}}"#] {
            assert_eq!(edited(object, set).as_deref(), Some(r#"{"a":{"b":{"c":"x"}}}"#), "{object}");
        }
    }

    #[test]
    fn fields_and_elements_are_taken_away() {
        let new = edited(r#"{"a":1,"b":[1,2,3]}"#, |root, edits| {
            edits.remove(&root.at("a"))?;
            for item in root.at("b").items()?.take(2) {
                edits.remove(&item)?;
            }
            Ok(())
        });
        assert_eq!(new.as_deref(), Some(r#"{"b":[3]}"#));
    }

    #[test]
    fn a_place_gets_the_text_of_another() {
        let new = edited(r#"{"a":[{"n":1.50, "t":"\""}],"b":{}}"#, |root, edits| {
            edits.set_to_text_of(&root.at("b").at("a"), &root.at("a"))?;
            edits.set_to_text_of(&root.at("c"), &root.at("d"))?;
            edits.remove(&root.at("a"))
        });
        assert_eq!(new.as_deref(), Some(r#"{"b":{"a":"[{\"n\":1.50, \"t\":\"\\\"\"}]"},"c":"null"}"#));
    }

    #[test]
    fn a_value_of_another_type_is_not_written_over() {
        let payload = br#"{"request":{"object":{"a":"x"}}}"#;
        let document = Document::parse(payload, Shape::ALL, Origin::Payload).unwrap();
        let below = document.root().at("request").at("object").at("a").at("b");
        assert_eq!(
            Edits::default().set(&below, true).unwrap_err().to_string(),
            "a: expected an object, found a string",
        );
    }

    #[test]
    fn only_the_object_under_review_can_be_changed() {
        let payload = br#"{"request":{"object":{},"oldObject":{}}}"#;
        let document = Document::parse(payload, Shape::ALL, Origin::Payload).unwrap();
        let old = document.root().at("request").at("oldObject").at("spec");
        assert_eq!(
            Edits::default().set(&old, true).unwrap_err().to_string(),
            "oldObject.spec: is not a part of the object and cannot be changed",
        );
    }

    proptest! {
        #[test]
        fn edits_do_to_the_text_what_assignments_do_to_the_value(
            before in prop::collection::btree_map("[a-c]", prop::collection::btree_map("[x-z]", any::<i32>(), 0..3), 0..3),
            value: String,
        ) {
            let mut object = json!(before);
            let new = edited(&object.to_string(), |root, edits| edits.set(&root.at("b").at("y"), value.as_str()));
            let old = object.clone();
            object["b"]["y"] = json!(value);
            if let Some(new) = new {
                prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&new).unwrap(), object);
            } else {
                prop_assert_eq!(old, object);
            }
        }
    }
}
