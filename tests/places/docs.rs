//! The pages about these places: their examples name inputs and hooks that exist. The commands of
//! all documents name commands, options and files that exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::deploy::examples::{blocks, documents};
use crate::files::read;
use crate::folder::{Folder, tool};

const PAGES: [&str; 3] = ["ci.md", "kubectl.md", "editors.md"];

pub(crate) fn page(name: &str) -> String {
    read(&tests::root().join("docs").join(name))
}

fn yaml(path: &str) -> Value {
    let text = read(&tests::root().join(path));
    // The header of GitLab's template is a document of its own.
    serde_saphyr::from_str(text.split("\n---\n").next().unwrap()).unwrap()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Every object in a value.
fn objects<'a>(value: &'a Value, all: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => {
            for item in items {
                objects(item, all);
            }
        }
        Value::Object(fields) => {
            all.push(value);
            for field in fields.values() {
                objects(field, all);
            }
        }
        _ => {}
    }
}

#[test]
fn examples_pass_inputs_that_exist() {
    let action = keys(&yaml(".github/action/action.yml")["inputs"]);
    let workflow = keys(&yaml(".github/workflows/scan.yml")["on"]["workflow_call"]["inputs"]);
    let gitlab = keys(&yaml("artifacthub/gitlab/portcullis.yml")["spec"]["inputs"]);
    let hooks: BTreeSet<String> = yaml(".pre-commit-hooks.yaml")
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| hook["id"].as_str().unwrap().to_owned())
        .collect();
    let mut seen = BTreeSet::new();
    let page = page("ci.md");
    let examples: Vec<Value> = blocks(&page, "yaml")
        .iter()
        .map(|block| serde_saphyr::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
        .collect();
    let mut all = Vec::new();
    for example in &examples {
        objects(example, &mut all);
    }
    for object in all {
        let uses = object["uses"].as_str().unwrap_or_default();
        if uses.starts_with("portcullis/portcullis/.github/action@") {
            seen.insert("action");
            assert!(keys(&object["with"]).is_subset(&action), "{object}");
        } else if uses.starts_with("portcullis/portcullis/.github/workflows/scan.yml@") {
            seen.insert("workflow");
            assert!(keys(&object["with"]).is_subset(&workflow), "{object}");
        }
        if let Some(remote) = object["remote"].as_str() {
            seen.insert("gitlab");
            assert!(remote.ends_with("/artifacthub/gitlab/portcullis.yml"), "{remote}");
            assert!(keys(&object["inputs"]).is_subset(&gitlab), "{object}");
        }
        if let Some(id) = object["id"].as_str() {
            seen.insert("pre-commit");
            assert!(hooks.contains(id), "{id}");
        }
    }
    assert_eq!(seen, BTreeSet::from(["action", "gitlab", "pre-commit", "workflow"]));
}

#[test]
fn the_tables_list_every_input() {
    let page = page("ci.md");
    let listed = |heading: &str| -> BTreeSet<String> {
        let table = page.split(&format!("| {heading} | meaning |")).nth(1).unwrap();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let names = rows.map(|row| row.split('|').nth(1).unwrap());
        names
            .flat_map(|names| names.split(','))
            .map(|name| name.trim().trim_matches('`').to_owned())
            .collect()
    };
    assert_eq!(listed("input of the action"), keys(&yaml(".github/action/action.yml")["inputs"]));
    assert_eq!(
        listed("input of the workflow"),
        keys(&yaml(".github/workflows/scan.yml")["on"]["workflow_call"]["inputs"])
    );
    assert_eq!(listed("input"), keys(&yaml("artifacthub/gitlab/portcullis.yml")["spec"]["inputs"]));
}

/// The commands below a command in its help, and its options.
fn help(folder: &Folder, commands: &[&str]) -> (BTreeSet<String>, BTreeSet<String>) {
    let arguments = [commands, &["--help"]].concat();
    let help = folder.run(tool(), &arguments);
    assert_eq!(help.status, 0, "portcullis {}", arguments.join(" "));
    let listed = help.stdout.split("\nCommands:\n").nth(1).unwrap_or_default();
    let listed = listed.lines().take_while(|line| line.starts_with("  "));
    let below = listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    let options = help.stdout.split([' ', ',', '\n', '[', ']', '=']).filter(|word| word.starts_with('-'));
    (below, options.map(str::to_owned).collect())
}

/// The words after the name of the program, for each call in a line of the shell.
fn calls(line: &str) -> impl Iterator<Item = Vec<&str>> {
    let commands =
        line.split(['|', ';', '>', '&']).map(|command| command.split_whitespace().collect::<Vec<_>>());
    commands.filter_map(|words| {
        let at = words.iter().position(|word| word.rsplit('/').next() == Some("portcullis"))?;
        // Other programs have it as the name of what they install.
        let is_program = words[..at].iter().all(|word| {
            ["kubectl", "exec", "time", "/usr/bin/time", "-v"].contains(word) || word.contains('=')
        });
        is_program.then(|| words[at + 1..].to_vec())
    })
}

#[test]
fn commands_have_options_and_files_that_exist() {
    const FOLDERS: [&str; 5] = [".github/", "artifacthub/", "docs/", "policies/", "tests/"];
    let folder = Folder::new("docs-options");
    let (commands, _) = help(&folder, &[]);
    let mut known = BTreeMap::new();
    let mut help_of =
        |called: &[&str]| known.entry(called.join(" ")).or_insert_with(|| help(&folder, called)).clone();
    let mut checked = 0;
    for path in documents() {
        let text = read(&path);
        let place = path.strip_prefix(tests::root()).unwrap().display();
        for block in blocks(&text, "console") {
            let block = block.replace("\\\n", " ");
            for line in block.lines().filter_map(|line| line.trim_start().strip_prefix("$ ")) {
                let line = line.split(" # ").next().unwrap();
                let files =
                    line.split_whitespace().filter(|word| FOLDERS.iter().any(|at| word.starts_with(at)));
                for file in files {
                    assert!(tests::root().join(file).exists(), "{place}: {line}: {file}");
                }
                for words in calls(line) {
                    let Some(command) = words.first().filter(|word| !word.starts_with('-')) else { continue };
                    assert!(commands.contains(*command), "{place}: {line}: {command}");
                    let mut called = vec![*command];
                    let (below, _) = help_of(&called);
                    if let Some(word) =
                        words.get(1).filter(|word| !below.is_empty() && !word.starts_with('-'))
                    {
                        assert!(below.contains(*word), "{place}: {line}: {word}");
                        called.push(word);
                    }
                    let (_, options) = help_of(&called);
                    for option in words.iter().filter(|word| word.len() > 1 && word.starts_with('-')) {
                        let option = option.split('=').next().unwrap();
                        assert!(options.contains(option), "{place}: {line}: {option}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn versions_are_those_of_the_release() {
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    for name in PAGES {
        let page = page(name);
        for after in page.split("portcullis/portcullis").skip(1) {
            let line = after.lines().next().unwrap();
            if let Some(at) =
                line.find(['v']).filter(|at| line[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
            {
                assert!(line[at..].starts_with(&version), "{name}: {line}");
            }
        }
    }
}
