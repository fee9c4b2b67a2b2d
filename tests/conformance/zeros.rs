//! How servers write zero values: the table of `completion`, compared with Kubernetes' types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::json;
use tests::kubernetes::Kubernetes;

use super::comparison::{Outcome, Plan, Row};

/// The names of fields, with how the zero value of each is written.
type Fields = BTreeMap<String, String>;

/// Compares every type, whatever the plan. `BLESS=1` writes the table.
///
/// # Errors
/// A side that does not answer.
pub fn compare(_: Plan) -> Result<Row, String> {
    let known = read("fields/fields.txt");
    let known: BTreeSet<&str> = known.lines().filter_map(|line| line.split(' ').next()).collect();
    let written = theirs(&known)?;
    let path = directory().join("completion/zeros.txt");
    let table = read("completion/zeros.txt");
    let (head, lines): (Vec<&str>, Vec<&str>) = table.lines().partition(|line| line.starts_with('#'));
    if tests::blesses() {
        let text: Vec<&str> = head.into_iter().chain(written.values().map(String::as_str)).collect();
        std::fs::write(path, format!("{}\n", text.join("\n"))).map_err(|error| error.to_string())?;
        return Ok(Row::default());
    }
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let ours: BTreeMap<String, &str> = lines.into_iter().map(|line| (name(line), line)).collect();
    let mut row = Row::default();
    for id in ours.keys().chain(written.keys()).collect::<BTreeSet<_>>() {
        let [our, their] = [ours.get(id).copied(), written.get(id).map(String::as_str)];
        let outcome = if our == their {
            Outcome::Equal
        } else {
            Outcome::Different(format!("{their:?}, here {our:?}; run BLESS=1 ./justw conformance zeros"))
        };
        if let Some(how) = row.count(outcome) {
            row.show(id, &how);
        }
    }
    Ok(row)
}

/// Returns the lines of the table by the names of the types.
fn theirs(known: &BTreeSet<&str>) -> Result<BTreeMap<String, String>, String> {
    let mut server = Kubernetes::start("zeros")?;
    let mut types: BTreeMap<String, Fields> = BTreeMap::new();
    for (api_version, of) in kubernetes::fields::kinds() {
        types.extend(
            server.ask::<BTreeMap<String, Fields>>(&json!({ "apiVersion": api_version, "kind": of.name }))?,
        );
    }
    let mut lines = BTreeMap::new();
    for (name, fields) in &types {
        let short = name.rsplit('.').next().unwrap_or(name);
        // The table has one line for types of several versions with the same fields.
        let id = [name.as_str(), short].into_iter().find(|id| known.contains(id));
        let Some(id) = id.filter(|_| !fields.is_empty()) else { continue };
        let mark = |how: &String| if how == "written" { '!' } else { '?' };
        let fields: Vec<String> = fields.iter().map(|(name, how)| format!("{name}{}", mark(how))).collect();
        lines.entry(id.to_owned()).or_insert_with(|| format!("{id} {}", fields.join(" ")));
    }
    Ok(lines)
}

fn directory() -> PathBuf {
    tests::root().join("shared/native/kubernetes/src")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(directory().join(path)).expect("a table of the crate")
}
