//! The fields of a kind, as a tree.

use std::fmt;
use std::sync::OnceLock;

use crate::fields::{format, table};

/// The fields of a type of object, such as `PodSpec`.
pub struct Fields {
    /// The name of the type in the Kubernetes API.
    pub name: &'static str,
    /// The name in the table, behind a group and a version if several types have the name.
    pub(crate) id: &'static str,
    /// The number of the type in the table.
    pub(crate) number: usize,
    text: &'static str,
    entries: OnceLock<Vec<(&'static str, Type)>>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// An object with known fields.
    Object(&'static Fields),
    /// An array of elements of a type.
    List(&'static Type),
    /// An object with any keys and values of a type, such as labels.
    Map(&'static Type),
    /// A string.
    Text,
    /// `Time`: a string such as `2026-01-31T12:00:00Z`.
    Time,
    /// `MicroTime`: a string such as `2026-01-31T12:00:00.000000Z`.
    MicroTime,
    /// Bytes: a string in base64, or an array of numbers.
    Bytes,
    /// A boolean.
    Boolean,
    /// An integer with 32 bits.
    Int32,
    /// An integer with 64 bits.
    Int64,
    /// A number.
    Number,
    /// `IntOrString`: a string or an integer with 32 bits.
    IntOrText,
    /// `Quantity`: a string such as `500m`, or a number.
    Quantity,
    /// Arbitrary JSON.
    Any,
}

impl Fields {
    pub(crate) fn new(number: usize, id: &'static str, text: &'static str) -> Self {
        Self { name: id.rsplit('.').next().unwrap_or(id), id, number, text, entries: OnceLock::new() }
    }

    /// Returns each field with its type, in alphabetical order.
    #[must_use]
    pub fn entries(&self) -> &[(&'static str, Type)] {
        self.entries.get_or_init(|| self.text.split_ascii_whitespace().map(table::field).collect())
    }

    /// Returns the type of a field; `None` if the object does not have the field.
    #[must_use]
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<Type> {
        self.find(name.as_ref()).map(|(_, of)| of)
    }

    /// Returns the type of a field as [`get`](Self::get) does. `next` is the index behind the field
    /// that was found last: in a text with sorted keys, the next field is near.
    #[must_use]
    pub fn get_next(&self, name: &[u8], next: &mut usize) -> Option<Type> {
        self.find_next(name, next).map(|(_, of)| of)
    }

    /// Returns the index of a field, too.
    pub(crate) fn find_next(&self, name: &[u8], next: &mut usize) -> Option<(usize, Type)> {
        const NEAR: usize = 8;
        let mut near = self.entries().iter().enumerate().skip(*next).take(NEAR);
        let found = near.find(|(_, (known, _))| known.as_bytes() == name).map(|(at, (_, of))| (at, *of));
        if let Some((at, _)) = found {
            *next = at + 1;
        }
        found.or_else(|| self.find(name))
    }

    fn find(&self, name: &[u8]) -> Option<(usize, Type)> {
        let entries = self.entries();
        let at = entries.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
        entries.get(at).map(|(_, of)| (at, *of))
    }

    /// Returns the names of the fields, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries().iter().map(|(name, _)| *name)
    }

    /// Returns whether a dotted path leads to a field. Arrays have no step in the path, as in field
    /// masks.
    ///
    /// # Example
    /// ```
    /// let pod = kubernetes::fields::fields_of("v1", "Pod").unwrap();
    /// assert!(pod.has("spec.containers.ports.hostPort"));
    /// assert!(pod.has("metadata.labels.app"));
    /// assert!(!pod.has("spec.containers.ports.hostport"));
    /// ```
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        self.get(name).is_some_and(|of| rest.is_none_or(|rest| of.has(rest)))
    }
}

impl Type {
    /// Returns whether a string has the type.
    #[must_use]
    pub fn accepts_text(self, text: &str) -> bool {
        match self {
            Self::Any | Self::Text | Self::IntOrText => true,
            Self::Quantity => format::is_quantity(text),
            Self::Time => format::is_time(text),
            Self::MicroTime => format::is_micro_time(text),
            Self::Bytes => format::is_base64(text),
            Self::Object(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Boolean
            | Self::Int32
            | Self::Int64
            | Self::Number => false,
        }
    }

    fn has(self, path: &str) -> bool {
        match self {
            Type::Object(fields) => fields.has(path),
            Type::List(of) => of.has(path),
            Type::Map(of) => path.split_once('.').is_none_or(|(_, rest)| of.has(rest)),
            _ => false,
        }
    }
}

impl PartialEq for Fields {
    /// Compares types by their place, because they may contain themselves.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Fields {
    /// Writes only the name, because types may contain themselves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
