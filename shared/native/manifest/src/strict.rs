//! JSON values, with and without duplicate keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

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

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Parsed(item)) = list.next_element::<Parsed<UNIQUE>>()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if UNIQUE && fields.contains_key(&key) {
                return Err(A::Error::custom(duplicate_key(&key)));
            }
            fields.insert(key, object.next_value::<Parsed<UNIQUE>>()?.0);
        }
        Ok(Value::Object(fields))
    }
}
