//! Tests as data: the files of `shared/tools/cli/tests/cases` have commands, and what they print
//! and write.
//!
//! The cases of a file insert its `texts` by `<name>`; `<version>` is the version of the tool. A
//! case has a name, the fields of a [`Step`], and
//! * `steps`: commands one after another in the same folder. The case has the fields that a step
//!   lacks; its files are written once.
//! * `each`: further texts. The case is run with each of them, in a folder of its own.

use std::collections::BTreeMap;
use std::fs;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::folder::Folder;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    texts: Map<String, Value>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    files: Map<String, Value>,
    #[serde(default = "once")]
    each: Vec<Map<String, Value>>,
    #[serde(default = "once")]
    steps: Vec<Map<String, Value>>,
    #[serde(flatten)]
    all: Map<String, Value>,
}

fn once() -> Vec<Map<String, Value>> {
    vec![Map::new()]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    files: BTreeMap<String, Content>,
    /// Arguments that are separated by spaces, or quoted.
    run: String,
    #[serde(default)]
    stdin: String,
    /// 0 if it is absent, or `any`.
    #[serde(default)]
    status: Value,
    /// The only line of output, which is on standard error; the status is 2.
    refused: Option<String>,
    stdout: Option<Text>,
    stderr: Option<Text>,
    /// Values of standard output by JSON pointer, in which `*` stands for each element of a list.
    #[serde(default)]
    json: BTreeMap<String, Value>,
    /// Files after the command; null for a file that does not exist.
    #[serde(default)]
    written: BTreeMap<String, Option<Text>>,
}

/// The content of a file, or of none if its name ends with a slash: then it is a folder.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Edited { text: String, edit: BTreeMap<String, String> },
}

/// A whole, or parts in any order. In a whole, `[..]` stands for a part of a line, and the line
/// `...` for any lines.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Text {
    Whole(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Part {
    Present(String),
    Absent { not: String },
}

macro_rules! files {
    ($($(#[$condition:meta])? $name:ident)+) => {$(
        $(#[$condition])?
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )+};
}

files! {
    arguments audit compare config explain run scan selinux test
    #[cfg(feature = "live")] live
    #[cfg(feature = "registry")] registry
}

fn check(file: &str) {
    let yaml = fs::read_to_string(format!("{}/tests/cases/{file}.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let yaml = yaml.replace("<version>", env!("CARGO_PKG_VERSION"));
    let values: Value = serde_saphyr::from_str(&yaml).unwrap();
    let File { texts, cases } = serde_json::from_value(values).unwrap();
    let mut problems = Vec::new();
    for case in &cases {
        for own in &case.each {
            let texts: Map<String, Value> = texts.clone().into_iter().chain(own.clone()).collect();
            let with_texts = |fields: &Map<String, Value>| filled(fields.clone().into(), &texts);
            let folder = Folder::new();
            write(&folder, serde_json::from_value(with_texts(&case.files)).unwrap());
            for step in &case.steps {
                let all: Map<String, Value> = case.all.clone().into_iter().chain(step.clone()).collect();
                let found = match serde_json::from_value::<Step>(with_texts(&all)) {
                    Ok(step) => step.problem(&folder),
                    Err(error) => Some(error.to_string()),
                };
                problems.extend(found.map(|problem| format!("{file}.yaml: {}\n{problem}", case.name)));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n\n"));
}

/// Inserts texts. A string that is only a name becomes what the name stands for, of any type.
fn filled(value: Value, texts: &Map<String, Value>) -> Value {
    match value {
        Value::String(mut text) => {
            for (name, value) in texts {
                let name = format!("<{name}>");
                if text == name {
                    return filled(value.clone(), texts);
                }
                if text.contains(&name) {
                    let value = filled(value.clone(), texts);
                    text = text.replace(&name, value.as_str().unwrap_or(&value.to_string()));
                }
            }
            text.into()
        }
        Value::Array(list) => list.into_iter().map(|one| filled(one, texts)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, one)| (name, filled(one, texts))).collect(),
        other => other,
    }
}

fn write(folder: &Folder, files: BTreeMap<String, Content>) {
    for (name, content) in files {
        match content {
            Content::Text(_) if name.ends_with('/') => fs::create_dir_all(folder.path(&name)).unwrap(),
            Content::Text(text) => folder.file(&name, text),
            Content::Edited { mut text, edit } => {
                for (old, new) in edit {
                    assert!(text.contains(&old), "{name}: has no {old}");
                    text = text.replace(&old, &new);
                }
                folder.file(&name, text);
            }
        }
    }
}

impl Step {
    /// Runs the command; returns what differs.
    fn problem(mut self, folder: &Folder) -> Option<String> {
        write(folder, self.files);
        let parts = self.run.split('\'').enumerate();
        let arguments = parts.flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let (status, stdout, stderr) = folder.run(&arguments.collect::<Vec<_>>(), &self.stdin);
        if let Some(line) = self.refused {
            self.status = 2.into();
            self.stdout = Some(Text::Whole(String::new()));
            self.stderr = Some(Text::Whole(format!("portcullis: {line}\n")));
        }
        let mut problems = Vec::new();
        if self.status != "any" && self.status.as_i64().unwrap_or_default() != i64::from(status) {
            problems.push(format!("expected the status {}", self.status));
        }
        problems.extend(self.stdout.and_then(|text| text.problem(&stdout, "standard output")));
        problems.extend(self.stderr.and_then(|text| text.problem(&stderr, "standard error")));
        for (pointer, wanted) in self.json {
            let found =
                serde_json::from_str(&stdout).map_or("no JSON".into(), |json: Value| at(&json, &pointer));
            if found != wanted {
                problems.push(format!("expected {pointer} to be {wanted}, found {found}"));
            }
        }
        for (name, wanted) in self.written {
            let found = fs::read_to_string(folder.path(&name)).ok();
            problems.extend(match (wanted, found) {
                (Some(wanted), Some(found)) => wanted.problem(&found, &name),
                (Some(_), None) => Some(format!("expected a file {name}")),
                (None, found) => found.map(|_| format!("expected no file {name}")),
            });
        }
        (!problems.is_empty()).then(|| {
            let problems = problems.join("\n");
            format!("$ portcullis {}\n{problems}\nfound the status {status}\n{stdout}{stderr}", self.run)
        })
    }
}

impl Text {
    pub(crate) fn problem(&self, found: &str, name: &str) -> Option<String> {
        let expected = match self {
            Self::Whole(whole) => {
                let lines = whole.split_inclusive('\n').map(|line| match line {
                    "...\n" => r"(?s:.*\n)?".to_owned(),
                    _ => regex::escape(line).replace(r"\[\.\.\]", ".*"),
                });
                let pattern = Regex::new(&format!(r"\A{}\z", lines.collect::<String>())).unwrap();
                (!pattern.is_match(found)).then(|| format!("be:\n{whole}"))
            }
            Self::Parts(parts) => parts.iter().find_map(|part| match part {
                Part::Present(part) => (!found.contains(part)).then(|| format!("have {part}")),
                Part::Absent { not } => found.contains(not).then(|| format!("lack {not}")),
            }),
        };
        expected.map(|expected| format!("expected {name} to {expected}"))
    }
}

fn at(value: &Value, pointer: &str) -> Value {
    match pointer.split_once("/*") {
        Some((list, rest)) => {
            let list = value.pointer(list).and_then(Value::as_array);
            list.map_or(Value::Null, |list| list.iter().map(|one| at(one, rest)).collect())
        }
        None => value.pointer(pointer).cloned().unwrap_or_default(),
    }
}
