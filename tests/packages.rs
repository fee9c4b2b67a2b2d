//! The forms in Rancher have the settings that the code declares, and the packages in `artifacthub`
//! are those of the policies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use admission::{Kind, PolicyEntry, Setting};
use packaging::{Metadata, Question, Questions, artifact_hub_package};
use serde_json::{Value, json};
use tests::root;

/// The group of all questions. With several groups, Rancher shows their titles as blanks.
const GROUP: &str = "Settings";

/// The text at the top of a form. It has no default, so it never becomes a setting.
const DESCRIPTION: &str = "description";

/// Settings that are not in the form.
const NOT_IN_FORM: &[(&str, &str, &str)] = &[("pod-security", "profile", "another name of level")];

/// The required fields of an element of each sequence.
const ELEMENTS: &[(&str, &str, &str)] = &[
    ("external-ips", "allow", r#"{"cidrs": ["192.0.2.0/24"]}"#),
    ("pod-security", "exclude", r#"{"controlName": "Capabilities", "images": ["*"]}"#),
    ("selinux", "allocation.sharedGroups", r#"{"name": "tenant", "namespaces": ["team-a"]}"#),
    ("selinux", "exempt.pods", r#"{"namespaces": ["kube-system"], "lifts": ["Type"]}"#),
];

fn policy(id: &str, file: &str) -> (PathBuf, String) {
    let path = root().join("policies").join(id).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (path, text)
}

/// The expected form of each policy, by its id. With `BLESS`, it is written before it is read.
static FORMS: LazyLock<BTreeMap<&str, Questions>> = LazyLock::new(|| {
    let form = |entry: &'static PolicyEntry| {
        let (path, text) = policy(entry.id, "questions-ui.yml");
        let written =
            Questions::from_yaml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let form = Declared::form(entry, &written.questions);
        if harness::bless::is_wanted() {
            compare_or_write(&path, &form.to_yaml().unwrap());
        }
        (entry.id, form)
    };
    rules::CATALOG.iter().map(form).collect()
});

/// Compares a file with its expected content, or writes it with `BLESS`.
fn compare_or_write(path: &Path, want: &str) {
    if harness::bless::is_wanted() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, want).unwrap();
    } else {
        let found = fs::read_to_string(path).unwrap_or_default();
        assert!(found == want, "{} is not current; run ./justw bless", path.display());
    }
}

/// A form that follows from the declaration of the settings: the questions, their order, types and
/// descriptions. Labels, examples, conditions and defaults of lists and texts are written by hand.
struct Declared<'a> {
    entry: &'a PolicyEntry,
    /// The questions of the existing form.
    written: Vec<&'a Question>,
    used: BTreeSet<&'a str>,
}

impl<'a> Declared<'a> {
    fn form(entry: &'a PolicyEntry, written: &'a [Question]) -> Questions {
        let text = written.iter().find(|question| question.variable == DESCRIPTION).cloned();
        let text = Question {
            kind: "string".to_owned(),
            group: Some(GROUP.to_owned()),
            required: Some(false),
            hide_input: Some(true),
            ..text.unwrap_or_else(|| panic!("{}: the form needs a description of the policy", entry.id))
        };
        assert_eq!(text.default, None, "{}: the text would become a setting", entry.id);
        let mut questions = vec![text];
        questions.extend(Self::questions(entry, "", "", entry.settings, written));
        Questions { questions }
    }

    fn questions(
        entry: &'a PolicyEntry,
        place: &str,
        prefix: &str,
        settings: &[Setting],
        written: &'a [Question],
    ) -> Vec<Question> {
        let mut form = Self { entry, written: written.iter().collect(), used: BTreeSet::new() };
        let mut questions = Vec::new();
        form.add(place, prefix, settings, &mut questions);
        for question in &form.written {
            let is_text = place.is_empty() && question.variable == DESCRIPTION;
            let known = form.used.contains(question.variable.as_str()) || is_text;
            assert!(known, "{}: {place}{} is not a setting", entry.id, question.variable);
        }
        questions
    }

    /// Adds questions for settings. `place` is the path of the settings, and `prefix` the part of
    /// it that the names of questions contain.
    fn add(&mut self, place: &str, prefix: &str, settings: &[Setting], questions: &mut Vec<Question>) {
        let id = self.entry.id;
        for setting in settings.iter().filter(|setting| !matches!(setting.kind, Kind::Former(_))) {
            let (path, variable) = (format!("{place}{}", setting.name), format!("{prefix}{}", setting.name));
            if NOT_IN_FORM.iter().any(|(policy, known, _)| *policy == id && *known == path) {
                continue;
            }
            let written = self.written.iter().copied().find(|question| question.variable == variable);
            let written = written.unwrap_or_else(|| {
                panic!("{id}: the form has no question for {path}; add one with variable and label, and run ./justw bless")
            });
            assert!(self.used.insert(&written.variable), "{id}: duplicate question for {path}");
            let (doc, is_required) = meaning(self.entry, &path);
            let in_sequence = place != prefix;
            let mut question = Question {
                kind: kind(setting.kind).to_owned(),
                group: (!in_sequence).then(|| GROUP.to_owned()),
                required: Some(in_sequence && is_required),
                description: doc.or_else(|| written.description.clone()),
                hide_input: None,
                options: Vec::new(),
                subquestions: Vec::new(),
                sequence_questions: Vec::new(),
                ..written.clone()
            };
            match setting.kind {
                Kind::Choice(names) => {
                    question.options = names.iter().map(|name| (*name).to_owned()).collect();
                    if !is_required {
                        question.default = Some(json!(names[0]));
                    }
                }
                Kind::Flag => question.default = Some(json!(false)),
                Kind::List(Kind::Object(fields)) => {
                    let below = &written.sequence_questions;
                    let place = format!("{path}.");
                    question.sequence_questions = Self::questions(self.entry, &place, "", fields, below);
                }
                Kind::Object(fields) if in_sequence => {
                    let (place, prefix) = (format!("{path}."), format!("{variable}."));
                    question.hide_input = Some(true);
                    question.subquestions =
                        Self::questions(self.entry, &place, &prefix, fields, &written.subquestions);
                }
                Kind::Object(fields) => {
                    // A heading. With subquestions, Rancher drops all of them once a question with
                    // options is answered.
                    question.hide_input = Some(true);
                    assert_eq!(question.default, None, "{id}: {path} is a heading and cannot have a default");
                    questions.push(question);
                    self.add(&format!("{path}."), &format!("{variable}."), fields, questions);
                    continue;
                }
                Kind::Text | Kind::Integer | Kind::List(_) | Kind::Texts | Kind::Former(_) => {}
            }
            questions.push(question);
        }
    }
}

/// Returns the description of a setting without markup, if it says more than "Required.", and
/// whether the setting is required.
fn meaning(entry: &PolicyEntry, path: &str) -> (Option<String>, bool) {
    let (_, doc) = entry.docs.iter().find(|(known, _)| *known == path).unwrap();
    let rest = doc.strip_prefix("Required.").map(str::trim_start);
    let text = rest.unwrap_or(doc).replace('`', "");
    ((!text.is_empty()).then_some(text), rest.is_some())
}

/// Returns the type of the question for a setting.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "string",
        Kind::Flag => "boolean",
        Kind::Integer => "int",
        Kind::Choice(_) => "enum",
        Kind::List(Kind::Object(_)) => "sequence[",
        Kind::List(_) => "array[",
        Kind::Object(_) | Kind::Texts | Kind::Former(_) => "map[",
    }
}

#[test]
fn every_form_has_the_declared_settings() {
    for (id, form) in &*FORMS {
        compare_or_write(&policy(id, "questions-ui.yml").0, &form.to_yaml().unwrap());
    }
}

/// Writes a value into settings as the form does.
fn write(settings: &mut Value, variable: &str, value: Value) {
    let place = variable.split('.').fold(settings, |place, step| &mut place[step]);
    *place = value;
}

fn defaults(questions: &[Question]) -> Value {
    let mut settings = json!({});
    for question in questions {
        if let Some(value) = &question.default {
            write(&mut settings, &question.variable, value.clone());
        }
    }
    settings
}

/// Returns settings as Rancher stores them: without empty values, except in lists.
fn without_empty(settings: &Value) -> Value {
    let Value::Object(fields) = settings else { return settings.clone() };
    let fields = fields.iter().map(|(key, value)| (key.clone(), without_empty(value)));
    let is_empty = |value: &Value| [json!(null), json!(""), json!([]), json!({})].contains(value);
    Value::Object(fields.filter(|(_, value)| !is_empty(value)).collect())
}

fn assert_valid(entry: &PolicyEntry, settings: &Value) {
    for settings in [settings.clone(), without_empty(settings)] {
        if let Err(error) = (entry.check_settings)(settings.to_string().as_bytes()) {
            panic!("{}: {error}\n{settings:#}", entry.id);
        }
    }
}

#[test]
fn the_defaults_of_every_form_are_valid_settings() {
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        let settings = defaults(questions);
        assert_valid(entry, &settings);

        // A cleared field can arrive as null.
        for question in questions.iter().filter(|question| question.default.is_some()) {
            let (_, is_required) = meaning(entry, &question.variable);
            let mut settings = settings.clone();
            write(&mut settings, &question.variable, Value::Null);
            if !is_required {
                assert_valid(entry, &settings);
            }
        }

        let sequences = questions.iter().filter(|question| question.kind == "sequence[");
        for question in sequences {
            let (.., filled) = ELEMENTS
                .iter()
                .find(|(id, path, _)| *id == entry.id && *path == question.variable)
                .unwrap_or_else(|| panic!("{}: add an element of {}", entry.id, question.variable));
            let mut element = defaults(&question.sequence_questions);
            let filled: Value = serde_json::from_str(filled).unwrap();
            for (key, value) in filled.as_object().unwrap() {
                write(&mut element, key, value.clone());
            }
            let mut settings = settings.clone();
            write(&mut settings, &question.variable, json!([element]));
            assert_valid(entry, &settings);
        }
    }
}

#[test]
fn every_condition_of_a_form_can_be_met() {
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        for (index, question) in questions.iter().enumerate() {
            let Some(condition) = &question.show_if else { continue };
            for part in condition.split("||").flat_map(|part| part.split("&&")) {
                // Rancher does not support `!=`.
                let (variable, value) = part.split_once('=').unwrap();
                let asked = questions[..index].iter().find(|question| question.variable == variable);
                let can_be = match asked.map(|asked| asked.kind.as_str()) {
                    Some("boolean") => ["false", "true"].contains(&value),
                    Some("enum") => asked.unwrap().options.iter().any(|option| option == value),
                    _ => false,
                };
                assert!(can_be, "{}: {}: {condition}", entry.id, question.variable);
            }
        }
    }
}

/// Returns the releases in the changelog, newest first: the version, and the date if it is
/// released.
fn releases() -> Vec<(String, Option<String>)> {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## ["));
    headings
        .map(|heading| {
            let (version, day) = heading.split_once("] - ").unwrap();
            (version.to_owned(), (day != "Unreleased").then(|| day.to_owned()))
        })
        .collect()
}

/// Returns the time of a release, to the day. An unreleased version has the first second of Unix
/// time, which cannot be mistaken for a release date. Its packages can be tested, and are rewritten
/// once the changelog has the date.
fn created_at(day: Option<&str>) -> String {
    format!("{}T00:00:00Z", day.unwrap_or("1970-01-01"))
}

#[test]
fn the_newest_release_is_the_version_of_everything() {
    let (version, _) = &releases()[0];
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    for entry in rules::CATALOG {
        let metadata = Metadata::from_yaml(&policy(entry.id, "metadata.yml").1).unwrap();
        assert_eq!(&metadata.annotations["io.kubewarden.policy.version"], version, "{}", entry.id);
        let tag = format!("{}/v{version}", entry.id);
        assert_eq!(metadata.annotations["com.github.release.tag"], tag, "{}", entry.id);
    }
}

#[test]
fn the_packages_match_the_policies() {
    let releases = releases();
    let (newest, day) = &releases[0];
    let packages = root().join("artifacthub/policies");
    let repository = fs::read_to_string(root().join("artifacthub/artifacthub-repo.yml")).unwrap();
    let repository: Value = serde_saphyr::from_str(&repository).unwrap();
    for entry in rules::CATALOG {
        let metadata = Metadata::from_yaml(&policy(entry.id, "metadata.yml").1).unwrap();
        let questions = FORMS[entry.id].to_yaml().unwrap();
        let package = artifact_hub_package(&metadata, &questions, &created_at(day.as_deref())).unwrap();
        let folder = packages.join(entry.id);
        compare_or_write(&folder.join(newest).join("artifacthub-pkg.yml"), &package);
        // A catalogue shows only the README, so links to other files lead to the repository at the
        // release.
        let (source, tag) = (
            &metadata.annotations["io.kubewarden.policy.source"],
            &metadata.annotations["com.github.release.tag"],
        );
        let readme = policy(entry.id, "README.md").1.replace("](../../", &format!("]({source}/blob/{tag}/"));
        assert!(!readme.contains("](../"), "{}: a relative link in the README would be broken", entry.id);
        compare_or_write(&folder.join(newest).join("README.md"), &readme);

        // Older packages stay unchanged.
        for version in names(&folder) {
            let release = releases.iter().find(|(known, _)| *known == version);
            let (_, day) = release.unwrap_or_else(|| panic!("{}: there is no release {version}", entry.id));
            let file = folder.join(&version).join("artifacthub-pkg.yml");
            let package: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            assert_eq!(package["maintainers"], repository["owners"], "{}", entry.id);
            assert_eq!(package["version"], json!(version), "{}", entry.id);
            assert_eq!(package["createdAt"], json!(created_at(day.as_deref())), "{} {version}", entry.id);
            assert!(folder.join(&version).join("README.md").exists(), "{} {version}", entry.id);
            assert!(day.is_some() || &version == newest, "{} {version} was never released", entry.id);
        }
    }
    let ids: BTreeSet<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    assert_eq!(names(&packages), ids);
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
