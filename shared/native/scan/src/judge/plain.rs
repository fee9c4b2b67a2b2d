//! A check of the text of an object: whether a scan has to say something about its fields.

use std::borrow::Cow;
use std::fmt;

use known_fields::{Type, fields_of};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::exceptions::KEY as EXCEPTION;

/// Returns whether a scan has nothing to say about the text of an object:
///
/// * The text is a JSON object without unknown fields and duplicate keys.
/// * No key is that of an exception, and no value outside of the status is null.
/// * A Pod has containers. Any other object has no owner references.
///
/// The check builds nothing. Any error returns `false`; the caller then builds the object, which
/// reports the error with its place.
pub(super) fn is_plain(text: &str, api_version: &str, kind: &str) -> bool {
    let of = fields_of(api_version, kind).map_or(Type::Leaf, Type::Object);
    let is_pod = (api_version, kind) == ("v1", "Pod");
    let mut state = State { keys: Vec::new(), is_pod, allows_null: false, has_containers: false };
    let mut reader = serde_json::Deserializer::from_str(text);
    let is_read = reader.deserialize_map(ValueCheck { state: &mut state, of, depth: 0 }).is_ok();
    is_read && reader.end().is_ok() && (state.has_containers || !is_pod)
}

/// The state of a check.
struct State<'t> {
    /// The keys of the objects that are being read, the outermost first.
    keys: Vec<Cow<'t, str>>,
    is_pod: bool,
    /// Whether null is accepted, which is the case within the status. The API server removes null
    /// fields, and policies read null as absent.
    allows_null: bool,
    /// Whether a pod has containers.
    has_containers: bool,
}

/// The check of a value of a type. It returns whether the value is a list with items.
struct ValueCheck<'c, 't> {
    state: &'c mut State<'t>,
    of: Type,
    /// The number of objects and lists around it.
    depth: usize,
}

impl<'t> DeserializeSeed<'t> for ValueCheck<'_, 't> {
    type Value = bool;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for ValueCheck<'_, 't> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        if self.state.allows_null { Ok(false) } else { Err(E::custom("null")) }
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<bool, E> {
        // To policies, `-0` is an integer, which a value that is built is not.
        if value == 0.0 && value.is_sign_negative() { Err(E::custom("negative zero")) } else { Ok(false) }
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<bool, A::Error> {
        let Self { state, of, depth } = self;
        let of = if let Type::List(of) = of { *of } else { Type::Leaf };
        let depth = depth.saturating_add(1);
        let mut has_items = false;
        while list.next_element_seed(ValueCheck { state, of, depth })?.is_some() {
            has_items = true;
        }
        Ok(has_items)
    }

    fn visit_map<A: MapAccess<'t>>(self, mut object: A) -> Result<bool, A::Error> {
        let Self { state, of, depth } = self;
        let first = state.keys.len();
        let mut is_ascending = true;
        while let Some(key) = object.next_key_seed(Key)? {
            let of_value = match of {
                Type::Object(fields) => fields.get(&key).ok_or_else(|| A::Error::custom("unknown field"))?,
                Type::Map(of) => *of,
                Type::List(_) | Type::Leaf => Type::Leaf,
            };
            // The report groups findings by the owners of the owners of pods.
            let has_owners = depth == 1 && key == "ownerReferences" && !state.is_pod;
            if has_owners || key.starts_with(EXCEPTION) {
                return Err(A::Error::custom("an owner or an exception"));
            }
            let is_containers = depth == 1 && key == "containers";
            if depth == 0 {
                state.allows_null = key == "status";
            }
            is_ascending &= state.keys.get(first..).and_then(<[_]>::last).is_none_or(|last| *last < key);
            state.keys.push(key);
            let depth = depth.saturating_add(1);
            let has_items = object.next_value_seed(ValueCheck { state, of: of_value, depth })?;
            state.has_containers |= is_containers && has_items;
        }
        let keys = state.keys.get_mut(first..).unwrap_or_default();
        if !is_ascending {
            keys.sort_unstable();
            if !keys.is_sorted_by(|one, other| one < other) {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        state.keys.truncate(first);
        Ok(false)
    }
}

/// A key, which is a part of the text unless it has escapes.
struct Key;

impl<'t> DeserializeSeed<'t> for Key {
    type Value = Cow<'t, str>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Cow<'t, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for Key {
    type Value = Cow<'t, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'t str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_plain_pod(fields: &str) -> bool {
        is_plain(&format!(r#"{{"apiVersion":"v1","kind":"Pod",{fields}}}"#), "v1", "Pod")
    }

    const SPEC: &str = r#""spec":{"containers":[{"name":"a"}]}"#;

    #[test]
    fn ordinary_objects_are_plain() {
        let managed = r#""metadata":{"name":"a","labels":{"b":"c","a":"c"},"managedFields":[{"fieldsV1":{"k:{\"a\"}":{}}}]}"#;
        assert!(is_plain_pod(&format!("{managed},{SPEC}")));
        assert!(is_plain_pod(&format!(r#""metadata":{{"ownerReferences":[{{"name":"a"}}]}},{SPEC}"#)));
        assert!(is_plain_pod(&format!(r#"{SPEC},"status":{{"conditions":[{{"lastProbeTime":null}}]}}"#)));
        assert!(is_plain(r#"{"data":{"a":"","b":1.5e3},"kind":"ConfigMap"}"#, "v1", "ConfigMap"));
    }

    #[test]
    fn objects_that_need_a_remark_or_a_change_are_not_plain() {
        for fields in [
            r#""spec":{"containers":[]}"#,
            r#""spec":{"containers":{"name":"a"}}"#,
            r#""spec":{"initContainers":[{"name":"a"}]}"#,
            r#""metadata":{"labels":{"containers":["a"]}},"spec":{}"#,
            r#""spec":{"containers":[{"name":"a","nam":"b"}]}"#,
            r#""spec":{"containers":[{"name":"a","image":"b","name":"a"}]}"#,
            r#""spec":{"containers":[{"name":"a","name":"a"}]}"#,
            r#""spec":{"containers":[{"name":"a","\u006eame":"a"}]}"#,
            r#""metadata":{"labels":{"a":"b","b":"c","a":"b"}},"spec":{"containers":[{"name":"a"}]}"#,
            r#""spec":{"containers":[{"name":"a"}],"hostPID":null}"#,
            r#""status":{"message":null},"spec":{"containers":[{"name":"a"}],"hostPID":null}"#,
            r#""metadata":{"labels":{"status":null}},"spec":{"containers":[{"name":"a"}]}"#,
            r#""spec":{"containers":[{"name":"a"}]},"spec":{"containers":[{"name":"a"}]}"#,
            r#""spec":{"containers":[{"name":"a"}],"priority":1e400}"#,
            r#""spec":{"containers":[{"name":"a"}],}"#,
            r#""metadata":{"annotations":{"portcullis.dev\/except":"x"}},"spec":{"containers":[{"name":"a"}]}"#,
        ] {
            assert!(!is_plain_pod(fields), "{fields}");
        }
        let owned = r#"{"metadata":{"owner\u0052eferences":[]}}"#;
        assert!(!is_plain(owned, "v1", "ConfigMap"));
        assert!(!is_plain(r#"{"kind":"ConfigMap"} {}"#, "v1", "ConfigMap"));
        assert!(!is_plain("[]", "v1", "ConfigMap"));
        let deep = format!(r#"{{"data":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        assert!(!is_plain(&deep, "v1", "ConfigMap"));
    }
}
