//! Decoding into types and encoding: dropping, writing and defaulting of fields.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{defaults, quantity};
use crate::fields::{Fields, Type};

/// The treatment of the fields of a type.
#[derive(Debug, Default)]
struct Encoding {
    /// The fields whose zero values a client can write.
    kept: Vec<&'static str>,
    /// The fields that are always written.
    written: Vec<&'static str>,
    /// The values of fields that are absent.
    defaults: Vec<(&'static str, Value)>,
}

static ENCODINGS: LazyLock<BTreeMap<&str, Encoding>> = LazyLock::new(|| {
    let mut encodings: BTreeMap<&str, Encoding> = BTreeMap::new();
    for line in lines(include_str!("zeros.txt")) {
        let mut columns = line.split(' ');
        let Encoding { kept, written, .. } = encodings.entry(columns.next().unwrap_or_default()).or_default();
        for column in columns {
            kept.extend(column.strip_suffix('?'));
            written.extend(column.strip_suffix('!'));
        }
    }
    for line in lines(include_str!("defaults.txt")) {
        let mut columns = line.splitn(3, ' ');
        let (Some(of), Some(name), Some(value)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        if let Ok(value) = serde_json::from_str(value) {
            encodings.entry(of).or_default().defaults.push((name, value));
        }
    }
    encodings
});

static NONE: Encoding = Encoding { kept: Vec::new(), written: Vec::new(), defaults: Vec::new() };

/// The lines of a table, without comments.
fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// Completes the object of a type, and the objects in it. Values of another type stay, which
/// servers refuse, and fields that the type does not have, which later servers may know.
pub(super) fn complete(fields: &mut Map<String, Value>, of: &'static Fields) {
    let Encoding { kept, written, defaults } = ENCODINGS.get(of.id).unwrap_or(&NONE);
    fields.retain(|_, value| !value.is_null());
    for name in written {
        if of.get(name).is_some_and(|of| matches!(of, Type::Object(_))) {
            fields.entry(*name).or_insert_with(|| Value::Object(Map::new()));
        }
    }
    for (name, value) in fields.iter_mut() {
        if let Some(of) = of.get(name) {
            complete_value(value, of);
        }
    }
    fields.retain(|name, value| {
        let name = name.as_str();
        let is_omitted = || !kept.contains(&name) && !written.contains(&name);
        !(of.get(name).is_some_and(|of| is_zero(value, of)) && is_omitted())
    });
    for (name, value) in defaults {
        if !fields.contains_key(*name) {
            fields.insert((*name).to_owned(), value.clone());
            if let (Some(of), Some(value)) = (of.get(name), fields.get_mut(*name)) {
                complete_value(value, of);
            }
        }
    }
    defaults::complete(fields, of);
    for name in written {
        if let Some(zero) = of.get(name).and_then(zero) {
            fields.entry(*name).or_insert(zero);
        }
    }
}

fn complete_value(value: &mut Value, of: Type) {
    match (value, of) {
        (Value::Object(fields), Type::Object(of)) => complete(fields, of),
        (Value::Array(items), Type::List(of)) => items.iter_mut().for_each(|item| complete_value(item, *of)),
        (value @ (Value::String(_) | Value::Number(_)), Type::Quantity) => {
            if let Some(canonical) = quantity::canonical(value) {
                *value = canonical.into();
            }
        }
        (Value::Object(fields), Type::Map(of)) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(|value| complete_value(value, *of));
        }
        _ => {}
    }
}

/// Returns whether a value is the zero value of a type that servers can omit. An empty object
/// with fields of its own is not omitted.
fn is_zero(value: &Value, of: Type) -> bool {
    match (value, of) {
        (Value::Bool(value), Type::Boolean) => !value,
        (Value::Number(number), Type::Int32 | Type::Int64 | Type::Number) => number.as_f64() == Some(0.0),
        (Value::String(text), Type::Text | Type::Bytes) => text.is_empty(),
        (Value::Array(items), Type::List(_) | Type::Bytes) => items.is_empty(),
        (Value::Object(fields), Type::Map(_)) => fields.is_empty(),
        _ => false,
    }
}

/// Returns what a server writes for an absent field that it does not omit; `None` for the type of
/// an object, which is created before its fields.
fn zero(of: Type) -> Option<Value> {
    match of {
        Type::Text => Some("".into()),
        Type::Boolean => Some(false.into()),
        Type::Int32 | Type::Int64 | Type::Number | Type::IntOrText => Some(0.into()),
        Type::Quantity => Some("0".into()),
        Type::List(_) | Type::Map(_) | Type::Time | Type::MicroTime | Type::Bytes | Type::Any => {
            Some(Value::Null)
        }
        Type::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::kinds;

    fn collect(of: Type, found: &mut BTreeMap<&'static str, &'static Fields>) {
        match of {
            Type::Object(of) if found.insert(of.id, of).is_none() => {
                of.entries().iter().for_each(|(_, of)| collect(*of, found));
            }
            Type::List(of) | Type::Map(of) => collect(*of, found),
            _ => {}
        }
    }

    #[test]
    fn every_line_is_about_fields_of_a_type() {
        let mut types = BTreeMap::new();
        kinds().for_each(|(_, of)| collect(Type::Object(of), &mut types));
        for (id, Encoding { kept, written, defaults }) in ENCODINGS.iter() {
            let of = types.get(id).unwrap_or_else(|| panic!("unknown type {id}"));
            let names = kept.iter().chain(written).chain(defaults.iter().map(|(name, _)| name));
            names.for_each(|name| assert!(of.get(name).is_some(), "{id} has no field {name}"));
        }
        let number = ENCODINGS.values().map(|encoding| encoding.defaults.len()).sum::<usize>();
        assert_eq!(number, lines(include_str!("defaults.txt")).count());
    }
}
