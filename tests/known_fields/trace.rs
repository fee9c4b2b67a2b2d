//! The fields of types, found by letting them read from a deserializer that has every field they
//! ask for.
//!
//! The types of `k8s-openapi` read each object with `deserialize_struct`, which passes the names of
//! the fields, and take a default for a required field that is absent.

use std::collections::BTreeMap;

use k8s_openapi::Resource;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// The types of objects that were found, and the kinds among them.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The API version of each kind, and the kind.
    pub(crate) kinds: Vec<(&'static str, &'static str)>,
    /// The fields of each type.
    pub(crate) objects: BTreeMap<&'static str, BTreeMap<&'static str, Type>>,
}

/// The type of a field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Type {
    /// An object, by the name of its type.
    Object(&'static str),
    /// An array.
    List(Box<Type>),
    /// An object with any keys.
    Map(Box<Type>),
    /// A value without known fields.
    Leaf,
}

impl Trace {
    /// Adds a kind and every type below it.
    pub(crate) fn add<T: Resource + for<'de> Deserialize<'de>>(&mut self) {
        assert_eq!(self.read::<T>(), Type::Object(T::KIND));
        self.kinds.push((T::API_VERSION, T::KIND));
    }

    /// Adds a type and every type below it.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(&mut self) -> Type {
        let mut found = Type::Leaf;
        T::deserialize(Tracer { trace: self, found: &mut found }).unwrap();
        found
    }
}

/// Deserializes a value of any type and notes which type it was.
struct Tracer<'t> {
    trace: &'t mut Trace,
    found: &'t mut Type,
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    /// Values that may have several types: `IntOrString`, arbitrary JSON.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str("x")
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // A string that also is a time.
        visitor.visit_str("2026-01-01T00:00:00Z")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(true)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i32(1)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(1)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(1.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut item = Type::Leaf;
        let value = visitor.visit_seq(One(Some(Tracer { trace: self.trace, found: &mut item })))?;
        *self.found = Type::List(Box::new(item));
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut item = Type::Leaf;
        let value = visitor.visit_map(One(Some(Tracer { trace: self.trace, found: &mut item })))?;
        *self.found = Type::Map(Box::new(item));
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.found = Type::Object(name);
        let known = self.trace.objects.get(name);
        if let Some(known) = known {
            // Types of different API groups with the same name would have to be told apart.
            assert!(
                fields.len() == known.len() && fields.iter().all(|field| known.contains_key(field)),
                "{name}"
            );
        }
        // Fields of a type that is known, or that contains itself, are not read again.
        let rest = if known.is_some() { &[] } else { fields };
        let leaves = fields.iter().map(|field| (*field, Type::Leaf)).collect();
        self.trace.objects.entry(name).or_insert(leaves);
        visitor.visit_map(Members { trace: self.trace, name, rest, field: "" })
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

/// One element of an array, or one member of a map.
struct One<'t>(Option<Tracer<'t>>);

impl<'de> SeqAccess<'de> for One<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.0.take().map(|tracer| seed.deserialize(tracer)).transpose()
    }
}

impl<'de> MapAccess<'de> for One<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.0.as_ref().map(|_| seed.deserialize(key("x"))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.0.take().unwrap())
    }
}

/// The fields of an object.
struct Members<'t> {
    trace: &'t mut Trace,
    name: &'static str,
    rest: &'static [&'static str],
    field: &'static str,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        while let Some((field, rest)) = self.rest.split_first() {
            (self.field, self.rest) = (field, rest);
            // A kind accepts only its own, and both are strings.
            if !["apiVersion", "kind"].contains(field) {
                return seed.deserialize(key(field)).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let mut found = Type::Leaf;
        let value = seed.deserialize(Tracer { trace: self.trace, found: &mut found })?;
        self.trace.objects.get_mut(self.name).unwrap().insert(self.field, found);
        Ok(value)
    }
}

fn key(name: &'static str) -> StrDeserializer<'static, Error> {
    name.into_deserializer()
}
