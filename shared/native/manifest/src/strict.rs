//! JSON values, with and without duplicate keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::{Entry, Map};
use serde_json::{Number, Value};

use crate::compose::duplicate_key;

/// A JSON value. If `UNIQUE`, a duplicate key is an error; otherwise the last one counts.
///
/// Readers differ in which of two values they use: the API server warns, and a policy that reads
/// the other value is deceived.
#[derive(Debug)]
pub(crate) struct Parsed<const UNIQUE: bool>(pub(crate) Value);

impl<'de, const UNIQUE: bool> Deserialize<'de> for Parsed<UNIQUE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParsedVisitor::<UNIQUE>).map(Parsed)
    }
}

struct ParsedVisitor<const UNIQUE: bool>;

impl<'de, const UNIQUE: bool> Visitor<'de> for ParsedVisitor<UNIQUE> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("a number that JSON does not have"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Parsed(item)) = list.next_element::<Parsed<UNIQUE>>()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(Key(key)) = object.next_key::<Key>()? {
            match fields.entry(key) {
                Entry::Occupied(known) if UNIQUE => {
                    return Err(A::Error::custom(duplicate_key(known.key())));
                }
                Entry::Occupied(mut known) => {
                    known.insert(object.next_value::<Parsed<UNIQUE>>()?.0);
                }
                Entry::Vacant(new) => {
                    new.insert(object.next_value::<Parsed<UNIQUE>>()?.0);
                }
            }
        }
        Ok(Value::Object(fields))
    }
}

/// The key of an object. In YAML, a key that is not a string becomes the text of its value, as in
/// `keyToString` of sigs.k8s.io/yaml: `on` is `true`, and `0x1F` is `31`.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeyVisitor).map(Key)
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that is a string, a number or a boolean")
    }

    fn visit_bool<E>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E>(self, value: f64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }

    fn visit_string<E>(self, value: String) -> Result<String, E> {
        Ok(value)
    }
}
