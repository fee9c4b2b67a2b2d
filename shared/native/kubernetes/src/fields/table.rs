//! The table of kinds and types.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::fields::{Fields, Type};

/// The kinds with their API versions, in the order of both.
pub(crate) static KINDS: LazyLock<Vec<(&str, &Fields)>> = LazyLock::new(|| {
    let of_version = |(api_version, ids): (&'static str, &'static str)| {
        ids.split(' ').filter_map(move |id| Some((api_version, TYPES.get(id)?)))
    };
    lines().filter_map(|line| line.split_once(": ")).flat_map(of_version).collect()
});

/// The types of objects by what the table calls them: the name, behind a group and a version if
/// several types have the name.
static TYPES: LazyLock<BTreeMap<&str, Fields>> = LazyLock::new(|| {
    let of_line = |(number, line): (usize, &'static str)| {
        let (id, fields) = line.split_once(' ').unwrap_or((line, ""));
        (id, Fields::new(number, id, fields))
    };
    lines().filter(|line| !line.contains(": ")).enumerate().map(of_line).collect()
});

/// The lines of the table, without comments.
fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("fields.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

pub(crate) fn field(text: &'static str) -> (&'static str, Type) {
    let (name, of) = text.split_once(':').unwrap_or((text, "text"));
    (name, read(of))
}

/// Returns the type of a name in the table.
pub(crate) fn type_of(id: &str) -> Option<&'static Fields> {
    TYPES.get(id)
}

/// Reads a type. A test checks that each type in the table is known.
fn read(text: &'static str) -> Type {
    // As the table, the type of elements is never dropped.
    if let Some(of) = text.strip_prefix("[]") {
        return Type::List(Box::leak(Box::new(read(of))));
    }
    if let Some(of) = text.strip_prefix("{}") {
        return Type::Map(Box::leak(Box::new(read(of))));
    }
    match text {
        "text" => Type::Text,
        "time" => Type::Time,
        "microTime" => Type::MicroTime,
        "bytes" => Type::Bytes,
        "boolean" => Type::Boolean,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "number" => Type::Number,
        "intOrText" => Type::IntOrText,
        "quantity" => Type::Quantity,
        "any" => Type::Any,
        id => TYPES.get(id).map_or(Type::Any, Type::Object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(of: Type) -> String {
        match of {
            Type::List(of) => format!("[]{}", written(*of)),
            Type::Map(of) => format!("{{}}{}", written(*of)),
            Type::Object(fields) => {
                let (id, _) = TYPES.iter().find(|(_, known)| *known == fields).unwrap();
                (*id).to_owned()
            }
            leaf => {
                let name = format!("{leaf:?}");
                let (first, rest) = name.split_at(1);
                format!("{}{rest}", first.to_ascii_lowercase())
            }
        }
    }

    #[test]
    fn every_line_is_read() {
        let (kinds, types): (Vec<&str>, Vec<&str>) = lines().partition(|line| line.contains(": "));
        let line = |(id, fields): (&&str, &Fields)| {
            let mut line = (*id).to_owned();
            for (name, of) in fields.entries() {
                line.push(' ');
                line.push_str(name);
                if *of != Type::Text {
                    line.push(':');
                    line.push_str(&written(*of));
                }
            }
            line
        };
        assert_eq!(TYPES.iter().map(line).collect::<Vec<String>>(), types);
        assert_eq!(KINDS.len(), kinds.iter().map(|line| line.matches(' ').count()).sum::<usize>());
    }

    #[test]
    fn every_field_is_found() {
        for fields in TYPES.values() {
            for (name, of) in fields.entries() {
                assert_eq!(fields.get(name), Some(*of), "{} {name}", fields.name);
            }
        }
    }
}
