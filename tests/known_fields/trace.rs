//! The fields of types, found by letting them read from a deserializer that has every field they
//! ask for.
//!
//! The types of `k8s-openapi` read each object with `deserialize_struct`, which passes the names of
//! the fields, and take a default for a required field that is absent. Several groups have a type
//! of the same name, such as `Event`, so the path of the Rust type tells them apart.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::Resource;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Expected, IntoDeserializer as _, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

/// The types of objects that were found, and the kinds among them.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The type of each kind, by API version and kind.
    pub(crate) kinds: BTreeMap<(&'static str, &'static str), Path>,
    /// The types that are being read.
    open: Vec<Path>,
    /// Each type.
    pub(crate) objects: BTreeMap<Path, Object>,
}

/// The path of a Rust type, such as `k8s_openapi::v1_37::api::events::v1::event::Event`, with what
/// the compiler adds for its visitor.
pub(crate) type Path = &'static str;

/// A type of objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Object {
    /// The name of the type in the Kubernetes API.
    pub(crate) name: &'static str,
    pub(crate) fields: BTreeMap<&'static str, Type>,
}

/// The type of a field.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Type {
    /// An object, by the path of its type.
    Object(Path),
    /// An array.
    List(Box<Type>),
    /// An object with any keys.
    Map(Box<Type>),
    /// A value without fields, by the name of its type in the table.
    Leaf(&'static str),
}

const ANY: Type = Type::Leaf("any");

/// The type of a field whose type the table does not say.
pub(crate) const TEXT: Type = Type::Leaf("text");

impl Trace {
    /// Adds a kind and every type below it.
    pub(crate) fn add<T: Resource + for<'de> Deserialize<'de>>(&mut self) {
        let mut found = ANY;
        T::deserialize(Tracer { trace: &mut *self, found: &mut found }).unwrap();
        let Type::Object(path) = found else { panic!("{} is not an object", T::KIND) };
        let twice = self.kinds.insert((T::API_VERSION, T::KIND), path);
        assert_eq!(twice, None, "{} {}", T::API_VERSION, T::KIND);
    }

    /// Returns the first of the types that have the same name and the same fields as each type.
    /// Versions of a kind mostly differ in few of their types.
    pub(crate) fn shared(&self) -> BTreeMap<Path, Path> {
        let mut shared: BTreeMap<Path, Path> = BTreeMap::new();
        let mut count = 0;
        // Types are the same until their fields differ, or the types of the fields.
        loop {
            let mut first = BTreeMap::new();
            let mut next = BTreeMap::new();
            for (path, Object { name, fields }) in &self.objects {
                let fields: Vec<(&str, Type)> =
                    fields.iter().map(|(field, of)| (*field, of.with(&shared))).collect();
                let same = shared.get(path).copied().unwrap_or_default();
                next.insert(*path, *first.entry((*name, same, fields)).or_insert(*path));
            }
            shared = next;
            let found = shared.values().collect::<BTreeSet<_>>().len();
            if found == count {
                return shared;
            }
            count = found;
        }
    }
}

impl Type {
    /// Returns the type with the shared paths of its objects.
    fn with(&self, shared: &BTreeMap<Path, Path>) -> Self {
        match self {
            Self::Object(path) => Self::Object(shared.get(path).copied().unwrap_or_default()),
            Self::List(of) => Self::List(Box::new(of.with(shared))),
            Self::Map(of) => Self::Map(Box::new(of.with(shared))),
            Self::Leaf(name) => Self::Leaf(name),
        }
    }
}

/// Deserializes a value of any type and notes which type it was.
struct Tracer<'t> {
    trace: &'t mut Trace,
    found: &'t mut Type,
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    /// Values that may have several types: `IntOrString`, arbitrary JSON, schemas in schemas.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let expected = (&visitor as &dyn Expected).to_string();
        if expected.contains("IntOrString") {
            *self.found = Type::Leaf("intOrText");
        }
        if expected.starts_with("JSONSchemaPropsOr") {
            // The API server ignores unknown fields in such a value.
            return visitor.visit_map(One(None));
        }
        visitor.visit_str("x")
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let is_bytes = (&visitor as &dyn Expected).to_string().contains("base64");
        *self.found = Type::Leaf(if is_bytes { "bytes" } else { "text" });
        // A string that also is a time.
        visitor.visit_str(if is_bytes { "AAAA" } else { "2026-01-31T12:00:00Z" })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Leaf("boolean");
        visitor.visit_bool(true)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Leaf("int32");
        visitor.visit_i32(1)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Leaf("int64");
        visitor.visit_i64(1)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Leaf("number");
        visitor.visit_f64(1.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Self { trace, found } = self;
        let path = type_name::<V>();
        let value = visitor.visit_newtype_struct(Tracer { trace: &mut *trace, found: &mut *found })?;
        *found = match name {
            "Quantity" => Type::Leaf("quantity"),
            "Time" => Type::Leaf("time"),
            "MicroTime" => Type::Leaf("microTime"),
            "FieldsV1" | "JSON" | "RawExtension" => ANY,
            // An object that has no fields.
            _ => {
                trace.objects.insert(path, Object { name, fields: BTreeMap::new() });
                Type::Object(path)
            }
        };
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut item = ANY;
        let value = visitor.visit_seq(One(Some(Tracer { trace: self.trace, found: &mut item })))?;
        *self.found = Type::List(Box::new(item));
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut item = ANY;
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
        let path = type_name::<V>();
        *self.found = Type::Object(path);
        // Fields of a type that contains itself are not read again.
        let rest = if self.trace.open.contains(&path) { &[] } else { fields };
        let leaves = fields.iter().map(|field| (*field, TEXT)).collect();
        self.trace.objects.entry(path).or_insert(Object { name, fields: leaves });
        self.trace.open.push(path);
        let value = visitor.visit_map(Members { trace: &mut *self.trace, path, rest, field: "" })?;
        self.trace.open.pop();
        Ok(value)
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
    path: Path,
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
        let mut found = ANY;
        let value = seed.deserialize(Tracer { trace: self.trace, found: &mut found })?;
        self.trace.objects.get_mut(self.path).unwrap().fields.insert(self.field, found);
        Ok(value)
    }
}

fn key(name: &'static str) -> StrDeserializer<'static, Error> {
    name.into_deserializer()
}
