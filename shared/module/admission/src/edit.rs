//! Edits of the object under review.

use document::{Fault, Key, Members, Node, Walk};
use text::{Json, Step};

/// Edits at places of the object under review.
///
/// Edits apply to the text of the object, not to a typed copy: only the objects and arrays that
/// contain an edited place are rewritten; everything else is copied byte by byte. Unknown fields
/// and numbers of any size and precision are therefore preserved.
#[derive(Debug, Default)]
pub struct Edits(Vec<Edit>);

#[derive(Debug)]
struct Edit {
    steps: Vec<Step>,
    new: New,
}

#[derive(Debug)]
enum New {
    Value(Json),
    /// The JSON text of another place, as a string.
    TextOf(Vec<Step>),
    /// No value: the field or element is removed.
    Nothing,
}

impl Edits {
    /// Sets the value of a place and creates missing objects on the way to it.
    ///
    /// # Errors
    /// Returns a fault if the place is not in the object under review, or if the value of an
    /// ancestor is not an object.
    pub fn set(&mut self, at: &Node<'_>, value: impl Into<Json>) -> Result<(), Fault> {
        self.push(at, New::Value(value.into()))
    }

    /// Sets a field of `of` whose name is data, such as an annotation.
    ///
    /// # Errors
    /// Returns a fault if the place is not in the object under review, or if the value of an
    /// ancestor is not an object.
    pub fn set_entry(&mut self, of: &Node<'_>, key: &str, value: impl Into<Json>) -> Result<(), Fault> {
        of.object()?;
        let mut steps = steps_of(of)?;
        steps.push(Step::Field(key.to_owned()));
        self.0.push(Edit { steps, new: New::Value(value.into()) });
        Ok(())
    }

    /// Sets a place to a string: the JSON text of another place, byte by byte, or `null` if that
    /// place has no value.
    ///
    /// # Errors
    /// Returns a fault if the place is not in the object under review, or if the value of an
    /// ancestor is not an object.
    pub fn set_to_text_of(&mut self, at: &Node<'_>, other: &Node<'_>) -> Result<(), Fault> {
        let other = steps_of(other)?;
        self.push(at, New::TextOf(other))
    }

    /// Removes the value of a place.
    ///
    /// # Errors
    /// Returns a fault if the place is not in the object under review, or if the value of an
    /// ancestor is not an object.
    pub fn remove(&mut self, at: &Node<'_>) -> Result<(), Fault> {
        self.push(at, New::Nothing)
    }

    /// Returns whether there are no edits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, at: &Node<'_>, new: New) -> Result<(), Fault> {
        // An ancestor of another type must not be overwritten.
        at.is_present()?;
        self.0.push(Edit { steps: steps_of(at)?, new });
        Ok(())
    }

    /// Applies the edits and returns the text of the new object, or `None` if they change nothing.
    /// Objects and arrays that are rewritten lose the white space around their values; hosts send
    /// none.
    ///
    /// # Errors
    /// Returns a fault if the payload is not JSON or not UTF-8.
    pub fn apply(self, payload: &[u8]) -> Result<Option<String>, Fault> {
        // A payload that was evaluated is JSON, but the text that was skipped may not be UTF-8.
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

/// Returns the steps from the object under review to a place in it.
fn steps_of(at: &Node<'_>) -> Result<Vec<Step>, Fault> {
    let steps = at.steps();
    let [Step::Field("request"), Step::Field("object"), steps @ ..] = steps.as_slice() else {
        return Err(at.fault("is not part of the object and cannot be changed"));
    };
    Ok(steps.iter().map(Step::owned).collect())
}

/// The remaining steps to a place, and its new value; `None` removes the value.
type Change<'e> = (&'e [Step], Option<&'e Json>);

/// Moves to the value that is some steps below the next one; returns whether it exists.
fn seek(walk: &mut Walk<'_>, steps: &[Step]) -> Result<bool, Fault> {
    'steps: for step in steps {
        let members = walk.members()?;
        if members == Members::None {
            return Ok(false);
        }
        walk.enter()?;
        let mut index = 0_u32;
        while let Some(key) = walk.next(members, index == 0)? {
            if fits(step, members, &key, index) {
                continue 'steps;
            }
            walk.skip()?;
            index = index.saturating_add(1);
        }
        return Ok(false);
    }
    Ok(true)
}

/// Returns whether a step leads to a member of an object or array.
fn fits(step: &Step, members: Members, key: &Key<'_>, index: u32) -> bool {
    match step {
        Step::Field(field) => members == Members::Fields && key.is(field),
        Step::Index(wanted) => members == Members::Elements && *wanted == index,
    }
}

/// Writes the next value, with the edits at and below it.
fn write(out: &mut String, walk: &mut Walk<'_>, edits: &[Change<'_>]) -> Result<(), Fault> {
    // The last edit of this place overrides earlier ones and all edits below it.
    if let Some((_, Some(value))) = of_place(edits) {
        out.push_str(value.as_str());
        return walk.skip().map(drop);
    }
    let members = walk.members()?;
    // A scalar has no members to remove.
    if edits.is_empty() || members == Members::None && edits.iter().all(|(_, value)| value.is_none()) {
        out.push_str(walk.skip()?);
        return Ok(());
    }
    let (open, close) = if members == Members::Elements { ('[', ']') } else { ('{', '}') };
    out.push(open);
    let start = out.len();
    // The edits of fields that do not exist.
    let mut rest = edits.to_vec();
    if members == Members::None {
        walk.skip()?;
    } else {
        walk.enter()?;
        let mut index = 0_u32;
        while let Some(key) = walk.next(members, index == 0)? {
            let edits = take(&mut rest, &|step| fits(step, members, &key, index));
            write_member(out, start, key.text(), walk, &edits)?;
            index = index.saturating_add(1);
        }
    }
    while let Some((Some(step), _)) = rest.first().map(|(steps, value)| (steps.first(), value)) {
        let edits = take(&mut rest, &|other| other == step);
        // Missing objects are created for new values only, not for removals.
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

/// Writes a field or element after the previous ones, unless it is removed.
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

/// Returns the last edit of the place itself.
fn of_place<'a, 'e>(edits: &'a [Change<'e>]) -> Option<&'a Change<'e>> {
    edits.iter().rev().find(|(steps, _)| steps.is_empty())
}

/// Takes the edits whose first step matches, and strips that step.
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

    fn edited(object: &str, edit: impl Fn(Node<'_>, &mut Edits) -> Result<(), Fault>) -> Option<String> {
        let payload = format!(r#"{{"request":{{"uid":"1","object":{object}}},"settings":{{}}}}"#);
        let document = Document::parse(payload.as_bytes(), Shape::ALL, Origin::Payload).unwrap();
        let mut edits = Edits::default();
        edit(document.root().at("request").at("object"), &mut edits).unwrap();
        edits.apply(payload.as_bytes()).unwrap()
    }

    #[test]
    fn changes_no_byte_outside_the_edited_place() {
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
    fn returns_none_if_the_edits_change_nothing() {
        assert_eq!(
            edited(r#"{"a":{"b" :true}}"#, |root, edits| edits.set(&root.at("a").at("b"), true)),
            None
        );
        assert_eq!(edited(r#"{"a":1}"#, |root, edits| edits.remove(&root.at("b").at("c"))), None);
        assert_eq!(edited(r#"{"a":1}"#, |_, _| Ok(())), None);
    }

    #[test]
    fn creates_missing_and_null_objects() {
        let set = |root: Node<'_>, edits: &mut Edits| edits.set(&root.at("a").at("b").at("c"), "x");
        for object in ["{}", r#"{"a":null}"#, r#"{"a":{"b":null}}"#] {
            assert_eq!(edited(object, set).as_deref(), Some(r#"{"a":{"b":{"c":"x"}}}"#), "{object}");
        }
    }

    #[test]
    fn removes_fields_and_elements() {
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
    fn sets_entries_with_any_name() {
        let set = |root: Node<'_>, edits: &mut Edits| edits.set_entry(&root.at("a"), "b/c \"d\"", "x");
        for object in ["{}", r#"{"a":null}"#, r#"{"a":{"b/c \"d\"":1}}"#] {
            assert_eq!(edited(object, set).as_deref(), Some(r#"{"a":{"b/c \"d\"":"x"}}"#), "{object}");
        }
        let payload = br#"{"request":{"object":{"a":[]}}}"#;
        let document = Document::parse(payload, Shape::ALL, Origin::Payload).unwrap();
        let fault = set(document.root().at("request").at("object"), &mut Edits::default()).unwrap_err();
        assert_eq!(fault.to_string(), "a: expected an object, found an array");
    }

    #[test]
    fn is_empty_without_edits() {
        let document = Document::parse(br#"{"request":{"object":{}}}"#, Shape::ALL, Origin::Payload).unwrap();
        let mut edits = Edits::default();
        assert!(edits.is_empty());
        edits.set(&document.root().at("request").at("object").at("a"), true).unwrap();
        assert!(!edits.is_empty());
    }

    #[test]
    fn sets_a_place_to_the_text_of_another() {
        let new = edited(r#"{"a":[{"n":1.50, "t":"\""}],"b":{}}"#, |root, edits| {
            edits.set_to_text_of(&root.at("b").at("a"), &root.at("a"))?;
            edits.set_to_text_of(&root.at("c"), &root.at("d"))?;
            edits.remove(&root.at("a"))
        });
        assert_eq!(new.as_deref(), Some(r#"{"b":{"a":"[{\"n\":1.50, \"t\":\"\\\"\"}]"},"c":"null"}"#));
    }

    #[test]
    fn does_not_overwrite_a_value_of_another_type() {
        let payload = br#"{"request":{"object":{"a":"x"}}}"#;
        let document = Document::parse(payload, Shape::ALL, Origin::Payload).unwrap();
        let below = document.root().at("request").at("object").at("a").at("b");
        assert_eq!(
            Edits::default().set(&below, true).unwrap_err().to_string(),
            "a: expected an object, found a string",
        );
    }

    #[test]
    fn rejects_edits_outside_the_object_under_review() {
        let payload = br#"{"request":{"object":{},"oldObject":{}}}"#;
        let document = Document::parse(payload, Shape::ALL, Origin::Payload).unwrap();
        let old = document.root().at("request").at("oldObject").at("spec");
        assert_eq!(
            Edits::default().set(&old, true).unwrap_err().to_string(),
            "oldObject.spec: is not part of the object and cannot be changed",
        );
    }

    proptest! {
        #[test]
        fn edits_of_the_text_equal_assignments_to_the_value(
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
