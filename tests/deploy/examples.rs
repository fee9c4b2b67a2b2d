//! The chart renders every example of the documents: values in YAML, and the options of Helm's
//! commands.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::chart::lay_over;
use tests::root;

use super::{CHART, chart_folder};
use crate::files::{helm, names, parse_one, read};

/// An example: the values that a document gives to the chart.
struct Example {
    /// The document, for messages.
    place: String,
    values: Value,
}

/// Returns the Markdown files of the repository, without generated copies.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut files = vec![
        root().join("README.md"),
        root().join("artifacthub/deploy/README.md"),
        chart_folder().join("README.md"),
    ];
    files.extend(rules::CATALOG.iter().map(|entry| root().join("policies").join(entry.id).join("README.md")));
    let docs = root().join("docs");
    let docs = names(&docs).into_iter().map(|name| docs.join(name));
    files.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    files
}

/// Returns the fenced code blocks in a language.
pub(crate) fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let start = format!("```{language}\n");
    let after = text.split(start.as_str()).skip(1);
    after.filter_map(|rest| rest.split_once("```").map(|(block, _)| block)).collect()
}

/// Returns the values that options `--set` and `--values` of a command give.
fn options(command: &str) -> Value {
    let mut values = json!({});
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        let Some(argument) = ["--set", "--values", "-f"].contains(&word).then(|| words.next()).flatten()
        else {
            continue;
        };
        if word == "--set" {
            let (path, text) = argument.split_once('=').unwrap_or_else(|| panic!("{command}"));
            let value = match text {
                "null" => Value::Null,
                text => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
            };
            let nested = path.rsplit('.').fold(value, |value, name| json!({ name: value }));
            lay_over(&mut values, &nested);
        } else if argument.contains('/') {
            // A file with only a name is one that the reader writes.
            lay_over(&mut values, &parse_one(&root().join(argument)));
        }
    }
    values
}

fn examples(path: &Path) -> Vec<Example> {
    let text = read(path);
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let known = schema["properties"].as_object().unwrap();
    let place = path.strip_prefix(root()).unwrap().display().to_string();
    let mut examples = Vec::new();
    for block in blocks(&text, "yaml") {
        // A document shows only the beginning of a digest.
        let block = block.replace("sha256:…", &format!("sha256:{}", "0".repeat(64)));
        let Ok(values) = serde_saphyr::from_str::<Value>(&block) else { continue };
        // A block is values of the chart if it has nothing else, and a key that settings lack.
        let Some(fields) = values.as_object() else { continue };
        let is_values = ["module", "policies", "settings", "skippedNamespaces"]
            .iter()
            .any(|key| fields.contains_key(*key))
            && fields.keys().all(|key| known.contains_key(key));
        if is_values {
            examples.push(Example { place: place.clone(), values });
        }
    }
    for block in blocks(&text, "console") {
        let commands = block.replace("\\\n", " ");
        for line in commands
            .lines()
            .filter(|line| line.contains("helm ") && line.contains("artifacthub/charts/portcullis"))
        {
            examples.push(Example { place: format!("{place}: {line}"), values: options(line) });
        }
    }
    examples
}

#[test]
fn the_chart_renders_every_example_of_the_documents() {
    let examples: Vec<Example> = documents().iter().flat_map(|path| examples(path)).collect();
    assert!(examples.len() > 8, "{}", examples.len());
    for Example { place, values } in &examples {
        let rendered = helm("the examples of the documents", CHART, &values.to_string());
        let Some(rendered) = rendered else { return };
        rendered.unwrap_or_else(|error| panic!("{place}: {values}: {error}"));
    }
}
