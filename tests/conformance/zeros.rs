//! The fields of every type and how servers write their zero values: the tables of `fields` and
//! `completion`, compared with Kubernetes' types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::json;
use tests::kubernetes::Kubernetes;

use super::comparison::{Outcome, Plan, Row};

/// The names of fields, with how the zero value of each is written.
type Fields = BTreeMap<String, String>;

/// The types of the table, by their names in it.
type Types = BTreeMap<String, Fields>;

/// Compares every type, whatever the plan. `BLESS=1` writes the table.
///
/// # Errors
/// A side that does not answer.
pub fn compare(_: Plan) -> Result<Row, String> {
    let fields_table = read("fields/fields.txt");
    let known: BTreeSet<&str> = fields_table.lines().filter_map(|line| line.split(' ').next()).collect();
    let types = theirs(&known)?;
    let written: BTreeMap<&String, String> =
        types.iter().filter_map(|(id, fields)| Some((id, line(id, fields)?))).collect();
    let path = directory().join("completion/zeros.txt");
    if tests::blesses() {
        let table = read("completion/zeros.txt");
        let head = table.lines().filter(|line| line.starts_with('#'));
        let text: Vec<&str> = head.chain(written.values().map(String::as_str)).collect();
        std::fs::write(path, format!("{}\n", text.join("\n"))).map_err(|error| error.to_string())?;
    }
    let table = read("completion/zeros.txt");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let ours: BTreeMap<String, &str> = lines.map(|line| (name(line), line)).collect();
    let fields: BTreeMap<&str, BTreeSet<&str>> = fields_table.lines().filter_map(names).collect();
    let mut row = Row::default();
    for id in ours.keys().chain(types.keys()).collect::<BTreeSet<_>>() {
        let [our, their] = [ours.get(id).copied(), written.get(id).map(String::as_str)];
        let differs = |known: &&BTreeSet<&str>| {
            let of_type = types.get(id).map(|fields| fields.keys().map(String::as_str));
            of_type.is_some_and(|of_type| of_type.filter(is_own).collect::<BTreeSet<_>>() != **known)
        };
        let outcome = if our != their {
            Outcome::Different(format!("{their:?}, here {our:?}; run BLESS=1 ./justw conformance zeros"))
        } else if let Some(known) = fields.get(id.as_str()).filter(differs) {
            Outcome::Different(format!("{:?}, here {known:?}", types.get(id)))
        } else {
            Outcome::Equal
        };
        if let Some(how) = row.count(outcome) {
            row.show(id, &how);
        }
    }
    Ok(row)
}

/// Returns the type and the names of its fields in a line of the table of fields; `None` for the
/// kinds of a version.
fn names(line: &str) -> Option<(&str, BTreeSet<&str>)> {
    let mut columns = line.split(' ');
    let id = columns.next().filter(|id| !id.ends_with(':') && !id.starts_with('#'))?;
    let names = columns.map(|column| column.split(':').next().unwrap_or_default());
    Some((id, names.filter(is_own).collect()))
}

/// Returns whether a field is none of those that every kind has.
fn is_own(name: &&str) -> bool {
    !["apiVersion", "kind"].contains(name)
}

/// Returns the line of a type; `None` if its zero values are omitted.
fn line(id: &str, fields: &Fields) -> Option<String> {
    let mut line = id.to_owned();
    for (name, how) in fields {
        let mark = match how.as_str() {
            "omitted" => continue,
            "written" => '!',
            _ => '?',
        };
        line.extend([" ", name]);
        line.push(mark);
    }
    (line != id).then_some(line)
}

/// Returns the types of the table.
fn theirs(known: &BTreeSet<&str>) -> Result<Types, String> {
    let mut server = Kubernetes::start("zeros")?;
    let mut answers = Types::new();
    for (api_version, of) in kubernetes::fields::kinds() {
        answers.extend(server.ask::<Types>(&json!({ "apiVersion": api_version, "kind": of.name }))?);
    }
    let mut types = Types::new();
    for (name, fields) in answers {
        let short = name.rsplit('.').next().unwrap_or(&name);
        // The table has one line for types of several versions with the same fields.
        let id = [name.as_str(), short].into_iter().find(|id| known.contains(id)).map(str::to_owned);
        let Some(id) = id else { continue };
        let known = types.entry(id).or_insert_with(|| fields.clone());
        if !known.keys().eq(fields.keys()) {
            return Err(format!("types with the name {short} have other fields"));
        }
    }
    Ok(types)
}

fn directory() -> PathBuf {
    tests::root().join("shared/native/kubernetes/src")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(directory().join(path)).expect("a table of the crate")
}
