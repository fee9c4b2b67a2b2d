//! A list of objects in JSON, item by item.

use std::fmt;
use std::io::Read;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// Gives the texts of the items of a list to `add`. Returns `None` if the input is something else,
/// or if `add` refuses an item.
pub(super) fn items(input: impl Read, add: &mut dyn FnMut(&str) -> Option<()>) -> Option<()> {
    let mut input = Deserializer::from_reader(input);
    input.deserialize_map(List(add)).ok()?;
    input.end().ok()
}

struct List<'a>(&'a mut dyn FnMut(&str) -> Option<()>);

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let (mut kind, mut has_items) = (None, false);
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "items" if !has_items => {
                    fields.next_value_seed(Items(&mut *self.0))?;
                    has_items = true;
                }
                "kind" if kind.is_none() => kind = Some(fields.next_value::<String>()?),
                "items" | "kind" => return Err(A::Error::custom("a duplicate key")),
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        // The items of other kinds of lists can lack their own kind.
        if has_items && kind.as_deref() == Some("List") {
            Ok(())
        } else {
            Err(A::Error::custom("not a List"))
        }
    }
}

struct Items<'a>(&'a mut dyn FnMut(&str) -> Option<()>);

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, items: D) -> Result<(), D::Error> {
        items.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the items of a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<Box<RawValue>>()? {
            (self.0)(item.get()).ok_or_else(|| A::Error::custom("not an object"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        items(input.as_bytes(), &mut |text| {
            found.push(text.to_owned());
            Some(())
        })?;
        Some(found)
    }

    #[test]
    fn only_whole_lists_are_read_item_by_item() {
        let list = r#"{"apiVersion": "v1", "items": [{"a": 1}, {"a": 2}], "kind": "List"}"#;
        assert_eq!(texts(list).unwrap(), [r#"{"a": 1}"#, r#"{"a": 2}"#]);
        for other in [
            r#"{"items": [{"a": 1}], "kind": "PodList"}"#,
            r#"{"items": [{"a": 1}]}"#,
            r#"{"kind": "List"}"#,
            r#"{"items": [], "items": [], "kind": "List"}"#,
            r#"{"items": {}, "kind": "List"}"#,
            &format!("{list}{list}"),
            "[{}]",
            "",
        ] {
            assert_eq!(texts(other), None, "{other}");
        }
        assert!(items(list.as_bytes(), &mut |_| None).is_none());
    }
}
