//! The values of the chart: their schema, their checks and their documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};
use tests::chart::lay_over;

use super::base::{instances, needs};
use super::definitions::violations;
use super::{CHART, chart_folder, data, items};
use crate::files::{compare_or_write_part, helm, parse_one};

/// Collects the places in values that the schema of the chart describes, except the settings of
/// modules.
fn places(path: &str, value: &Value, found: &mut Vec<String>) {
    if !path.is_empty() {
        found.push(path.to_owned());
    }
    match value {
        Value::Object(fields) if !path.ends_with("/settings") => {
            for (name, field) in fields {
                places(&format!("{path}/{}", name.replace('/', "~1")), field, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(&format!("{path}/{at}"), item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn rejects_values_of_a_wrong_type() {
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let values = parse_one(&chart_folder().join("values.yaml"));
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let rejected = |values: &Value| violations(&validator, values);
    assert_eq!(rejected(&values), Vec::<String>::new());
    let mut paths = Vec::new();
    places("", &values, &mut paths);
    assert!(paths.len() > 100);
    for path in paths {
        let mut wrong = values.clone();
        let value = wrong.pointer_mut(&path).unwrap();
        *value = if value.is_string() { json!(7) } else { json!("wrong") };
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(&path).unwrap());
    }
    for wrong in items(&parse_one(&data("mistyped.yaml"))) {
        let mut values = values.clone();
        lay_over(&mut values, wrong);
        assert!(!rejected(&values).is_empty(), "{wrong}");
    }
}

/// The chart refuses values that cannot protect, by schema or with one sentence.
#[test]
fn helm_refuses_values_that_cannot_protect() {
    for case in items(&parse_one(&data("refused.yaml"))) {
        let (values, message) = (&case["values"], case["refused"].as_str().unwrap());
        let rendered = helm("the refusals of the chart", CHART, &values.to_string());
        let Some(rendered) = rendered else { return };
        let error = rendered.expect_err(message);
        assert!(error.contains(message), "{values}: {error}");
    }
}

#[test]
fn the_chart_has_the_version_of_its_policies() {
    let chart = parse_one(&chart_folder().join("Chart.yaml"));
    assert_eq!(chart["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(chart["appVersion"], env!("CARGO_PKG_VERSION"));
}

/// Appends the rows for the values below a schema, with their defaults.
fn rows(schema: &Value, values: &Value, path: &str, table: &mut String) {
    let properties: BTreeMap<&String, &Value> = schema["properties"].as_object().unwrap().iter().collect();
    for (name, below) in properties {
        let path = format!("{path}{name}");
        let value = &values[name];
        if below.get("properties").is_some() {
            rows(below, value, &format!("{path}."), table);
        } else {
            let short = value.is_null() || (value.is_object() && *value != json!({}));
            let value = if short { String::new() } else { format!("`{value}`") };
            writeln!(table, "| `{path}` | {value} | {} |", below["description"].as_str().unwrap()).unwrap();
        }
    }
}

#[test]
fn the_readme_of_the_chart_describes_every_value() {
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let values = parse_one(&chart_folder().join("values.yaml"));
    let mut table = String::from("| value | default | |\n|---|---|---|\n");
    rows(&schema, &values, "", &mut table);
    for (kind, definition) in [("policies", "policy"), ("groups", "group")] {
        rows(&schema["definitions"][definition], &Value::Null, &format!("{kind}.*."), &mut table);
    }
    table.push_str(
        "\n| policy | module | evaluates by default | audits | settings |\n|---|---|---|---|---|\n",
    );
    for instance in instances() {
        let needs = needs(&instance);
        let evaluated: BTreeSet<&str> =
            needs.rules.iter().flat_map(|rule| &rule.resources).map(String::as_str).collect();
        let evaluated = Vec::from_iter(evaluated).join(", ");
        let audits = if needs.background_audit { "yes" } else { "no" };
        let (name, id, settings) = (&instance.name, &instance.id, &instance.settings);
        writeln!(table, "| `{name}` | {id} | {evaluated} | {audits} | `{settings}` |").unwrap();
    }
    compare_or_write_part(&chart_folder().join("README.md"), "values", &table);
}
