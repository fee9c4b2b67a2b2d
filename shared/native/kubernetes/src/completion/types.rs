//! Decoding into types and encoding: dropping, writing and defaulting of fields.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{defaults, quantity};
use crate::fields::{Fields, Type, type_of};

/// The treatment of the fields of a type.
#[derive(Debug, Default)]
struct Encoding {
    /// The fields whose zero values are not omitted, by their indices in the type.
    encoded: Vec<usize>,
    /// The fields that are always written.
    written: Vec<(&'static str, Type)>,
    /// The values of fields that are absent.
    defaults: Vec<(&'static str, Type, Value)>,
}

/// The treatments of types, by their numbers.
static ENCODINGS: LazyLock<Vec<Encoding>> = LazyLock::new(|| {
    let mut encodings = Vec::new();
    for line in lines(include_str!("zeros.txt")) {
        let mut columns = line.split(' ');
        let Some((of, encoding)) = columns.next().and_then(|id| encoding_of(id, &mut encodings)) else {
            continue;
        };
        for column in columns {
            let name = column.trim_end_matches(['?', '!']);
            let Some((at, of)) = of.find_next(name.as_bytes(), &mut 0) else { continue };
            encoding.encoded.push(at);
            if column.ends_with('!') {
                encoding.written.push((name, of));
            }
        }
    }
    for line in lines(include_str!("defaults.txt")) {
        let mut columns = line.splitn(3, ' ');
        let (Some(id), Some(name), Some(value)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        if let Some((of, encoding)) = encoding_of(id, &mut encodings)
            && let (Some(of), Ok(value)) = (of.get(name), serde_json::from_str(value))
        {
            encoding.defaults.push((name, of, value));
        }
    }
    encodings
});
static NONE: Encoding = Encoding { encoded: Vec::new(), written: Vec::new(), defaults: Vec::new() };

/// The lines of a table, without comments.
fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

fn encoding_of<'e>(
    id: &str,
    encodings: &'e mut Vec<Encoding>,
) -> Option<(&'static Fields, &'e mut Encoding)> {
    let of = type_of(id)?;
    encodings.resize_with(encodings.len().max(of.number + 1), Encoding::default);
    Some((of, encodings.get_mut(of.number)?))
}

/// Completes the object of a type, and the objects in it. Values of another type stay, which
/// servers refuse, and fields that the type does not have, which later servers may know.
pub(super) fn complete(fields: &mut Map<String, Value>, of: &'static Fields) {
    let Encoding { encoded, written, defaults } = ENCODINGS.get(of.number).unwrap_or(&NONE);
    for (name, of) in written {
        if let Type::Object(_) = of {
            let value = fields.entry(*name).or_insert(Value::Null);
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
        }
    }
    let mut next = 0;
    fields.retain(|name, value| {
        if value.is_null() {
            return false;
        }
        let Some((at, of)) = of.find_next(name.as_bytes(), &mut next) else { return true };
        complete_value(value, of);
        encoded.contains(&at) || !is_zero(value, of)
    });
    for (name, of, value) in defaults {
        fields.entry(*name).or_insert_with(|| {
            let mut value = value.clone();
            complete_value(&mut value, *of);
            value
        });
    }
    if let Some(name) = defaults::complete(fields, of.id)
        && let (Some(value), Some(of)) = (fields.get_mut(name), of.get(name))
    {
        complete_value(value, of);
    }
    for (name, of) in written {
        if let Some(zero) = zero(*of) {
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

    #[test]
    fn every_line_is_about_fields_of_a_type() {
        let zeros = lines(include_str!("zeros.txt")).flat_map(|line| {
            let (id, columns) = line.split_once(' ').unwrap();
            columns.split(' ').map(move |column| (id, column.trim_end_matches(['?', '!'])))
        });
        let defaults = lines(include_str!("defaults.txt")).map(|line| {
            let mut columns = line.splitn(3, ' ');
            let names = (columns.next().unwrap(), columns.next().unwrap());
            serde_json::from_str::<Value>(columns.next().unwrap()).unwrap();
            names
        });
        for (id, name) in zeros.chain(defaults) {
            assert!(type_of(id).unwrap().get(name).is_some(), "{id} has no field {name}");
        }
    }
}
