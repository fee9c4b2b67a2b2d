//! The forms in Rancher have the settings that the code declares, and write settings that the
//! policies accept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use admission::{Kind, PolicyEntry, Setting};
use kubewarden::packaging::{Question, Questions};
use serde_json::{Value, json};

use super::policy;
use crate::files::compare_or_write;

/// The text at the top of a form. It has no default, so it never becomes a setting.
const DESCRIPTION: &str = "description";

/// The first word of the variable of a group's heading. Rancher shows the questions of a group
/// together, but not its name, so a question without input shows it. The blank keeps the variable
/// from being a part of another one: Rancher then takes the heading for the object of that setting.
const HEADING: &str = "heading ";

/// Settings that are not in the form.
const NOT_IN_FORM: &[(&str, &str, &str)] = &[("pod-security", "profile", "another name of level")];

/// The required fields of an element of each sequence.
const ELEMENTS: &[(&str, &str, &str)] = &[
    ("external-ips", "allow", r#"{"cidrs": ["192.0.2.0/24"]}"#),
    ("pod-security", "exclude", r#"{"controlName": "Capabilities", "images": ["*"]}"#),
    ("selinux", "allocation.sharedGroups", r#"{"name": "tenant", "namespaces": ["team-a"]}"#),
    ("selinux", "exempt.pods", r#"{"namespaces": ["kube-system"], "lifts": ["Type"]}"#),
];

/// The expected form of each policy, by its id. With `BLESS`, it is written before it is read.
pub(crate) static FORMS: LazyLock<BTreeMap<&str, Questions>> = LazyLock::new(|| {
    let expected = |entry: &'static PolicyEntry| {
        let (path, text) = policy(entry.id, "questions-ui.yml");
        let written =
            Questions::from_yaml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let form = Questions { questions: form(entry, &written.questions) };
        if tests::blesses() {
            compare_or_write(&path, &form.to_yaml().unwrap());
        }
        (entry.id, form)
    };
    rules::CATALOG.iter().map(expected).collect()
});

/// Returns the form that follows from the written questions and the declaration of the settings:
/// each group has a heading, and its questions in the order of the declaration.
fn form(entry: &PolicyEntry, written: &[Question]) -> Vec<Question> {
    let text = named(written, DESCRIPTION);
    let text = text.unwrap_or_else(|| panic!("{}: the form needs a description of the policy", entry.id));
    let settings = written
        .iter()
        .filter(|question| question.variable != DESCRIPTION && !question.variable.starts_with(HEADING));
    let mut groups: Vec<&str> = Vec::new();
    for group in settings.filter_map(|question| question.group.as_deref()) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let mut questions = vec![Question {
        kind: "string".to_owned(),
        group: groups.first().map(|group| (*group).to_owned()),
        required: Some(false),
        hide_input: Some(true),
        default: None,
        ..text.clone()
    }];
    let declared = declared(entry, "", "", entry.settings, written);
    for name in groups {
        let group: Vec<&Question> =
            declared.iter().filter(|question| question.group.as_deref() == Some(name)).collect();
        // Otherwise the heading of an object has the name of its group.
        if group.first().is_some_and(|first| first.hide_input.is_none() || first.label != name) {
            questions.push(Question {
                variable: format!("{HEADING}{name}"),
                label: name.to_owned(),
                kind: "map[".to_owned(),
                group: Some(name.to_owned()),
                required: Some(false),
                hide_input: Some(true),
                ..Question::default()
            });
        }
        questions.extend(group.into_iter().cloned());
    }
    questions
}

/// Returns the questions for settings: types, options, descriptions and the defaults of choices and
/// flags follow from the declaration, all else is written by hand. `place` is the path of the
/// settings, and `prefix` the part of it that the names of questions contain.
fn declared(
    entry: &PolicyEntry,
    place: &str,
    prefix: &str,
    settings: &[Setting],
    written: &[Question],
) -> Vec<Question> {
    let id = entry.id;
    let in_sequence = place != prefix;
    let mut questions = Vec::new();
    for Setting { name, kind } in settings {
        let (path, variable) = (format!("{place}{name}"), format!("{prefix}{name}"));
        let is_left_out = NOT_IN_FORM.iter().any(|(policy, known, _)| *policy == id && *known == path);
        if is_left_out || matches!(kind, Kind::Former(_)) {
            continue;
        }
        let written_one = named(written, &variable).unwrap_or_else(|| {
            panic!("{id}: the form has no question for {path}; add one with variable, label and group, and run ./justw bless")
        });
        let (doc, is_required) = meaning(entry, &path);
        let below = format!("{path}.");
        let mut question = Question {
            kind: type_of(*kind).to_owned(),
            group: written_one.group.clone().filter(|_| !in_sequence),
            required: Some(in_sequence && is_required),
            description: doc.or_else(|| written_one.description.clone()),
            hide_input: None,
            options: Vec::new(),
            subquestions: Vec::new(),
            sequence_questions: Vec::new(),
            ..written_one.clone()
        };
        let mut fields_of_heading = Vec::new();
        match kind {
            Kind::Choice(names) => {
                question.options = names.iter().map(|name| (*name).to_owned()).collect();
                if !is_required {
                    question.default = Some(json!(names[0]));
                }
            }
            Kind::Flag => question.default = Some(json!(false)),
            Kind::List(Kind::Object(fields)) => {
                question.sequence_questions =
                    declared(entry, &below, "", fields, &written_one.sequence_questions);
            }
            Kind::Object(fields) => {
                question.hide_input = Some(true);
                question.default = None;
                let prefix = format!("{variable}.");
                if in_sequence {
                    question.subquestions =
                        declared(entry, &below, &prefix, fields, &written_one.subquestions);
                } else {
                    // With subquestions, Rancher drops all of them once a question with options is
                    // answered.
                    fields_of_heading = declared(entry, &below, &prefix, fields, written);
                }
            }
            Kind::Text | Kind::Integer | Kind::List(_) | Kind::Texts | Kind::Former(_) => {}
        }
        for field in &mut fields_of_heading {
            field.group.clone_from(&question.group);
        }
        questions.push(question);
        questions.append(&mut fields_of_heading);
    }
    questions
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
fn type_of(kind: Kind) -> &'static str {
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

/// Returns the settings that a form writes if nobody changes anything but these answers. Questions
/// that are not shown write nothing. Conditions depend on earlier answers.
fn settings_of(questions: &[Question], answers: &BTreeMap<&str, Value>) -> Value {
    let mut settings = json!({});
    for question in questions {
        let is_shown = alternatives(question).any(|parts| {
            parts.iter().all(|(variable, value)| {
                variable.split('.').fold(&settings, |place, step| &place[step]) == value
            })
        });
        let answer = answers.get(question.variable.as_str()).or(question.default.as_ref());
        if let Some(value) = answer.filter(|_| is_shown) {
            write(&mut settings, &question.variable, value.clone());
        }
    }
    settings
}

/// Returns the alternatives of a question's condition: variables, and the values that they must
/// have. A question without a condition has one alternative without variables.
fn alternatives(question: &Question) -> impl Iterator<Item = Vec<(&str, Value)>> {
    let condition = question.show_if.as_deref().unwrap_or_default();
    condition.split("||").map(|parts| {
        let parts = parts.split("&&").filter(|part| !part.is_empty());
        // Rancher does not support `!=`.
        parts
            .map(|part| part.trim().split_once('=').unwrap())
            .map(|(variable, value)| (variable, answer(value)))
            .collect()
    })
}

/// Reads a value of a condition or an option as Rancher does.
fn answer(text: &str) -> Value {
    match text {
        "true" => json!(true),
        "false" => json!(false),
        _ => json!(text),
    }
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
        let settings = settings_of(questions, &BTreeMap::new());
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
            let mut element = settings_of(&question.sequence_questions, &BTreeMap::new());
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

/// Answers after which the form needs a further one, and a part of the message that says so.
const INCOMPLETE: &[(&str, &str, &str, &str)] = &[
    ("external-ips", "existingValues", "Recheck", "add allow rules"),
    ("selinux", "allocation.source", "Fixed", "allocation.fixed: is empty"),
    ("selinux", "allocation.scope", "NamespaceLabel", "allocation.namespaceLabel: is missing"),
    ("selinux", "allocation.protectNamespaceLabel", "false", "allocation.namespaceLabel: is missing"),
    ("selinux", "allocation.protectNamespaceLabel", "true", "allocation.namespaceLabel: is missing"),
];

#[test]
fn every_answer_gives_valid_settings() {
    let mut incomplete = BTreeSet::new();
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        for question in questions {
            let options = match question.kind.as_str() {
                "boolean" => ["false", "true"].map(str::to_owned).to_vec(),
                _ => question.options.clone(),
            };
            for option in &options {
                let mut answers = BTreeMap::from([(question.variable.as_str(), answer(option))]);
                show(questions, question, &mut answers);
                let settings = settings_of(questions, &answers);
                let error = (entry.check_settings)(settings.to_string().as_bytes()).err();
                let found = settings.pointer(&format!("/{}", question.variable.replace('.', "/")));
                assert_eq!(found, Some(&answer(option)), "{}: {settings:#}", entry.id);
                let known = INCOMPLETE.iter().find(|(id, variable, value, _)| {
                    (*id, *variable, *value) == (entry.id, question.variable.as_str(), option)
                });
                match (known, error) {
                    (None, None) => {}
                    (Some(known), Some(error)) if error.to_string().contains(known.3) => {
                        incomplete.insert(known);
                    }
                    (_, error) => panic!("{}: {}={option}: {error:?}", entry.id, question.variable),
                }
            }
        }
    }
    assert_eq!(incomplete.len(), INCOMPLETE.len(), "a line of INCOMPLETE is not needed");
}

/// Adds the answers after which a question is shown.
fn show<'a>(questions: &'a [Question], question: &'a Question, answers: &mut BTreeMap<&'a str, Value>) {
    for (variable, value) in alternatives(question).next().unwrap() {
        answers.entry(variable).or_insert(value);
        show(questions, named(questions, variable).unwrap(), answers);
    }
}

fn named<'a>(questions: &'a [Question], variable: &str) -> Option<&'a Question> {
    questions.iter().find(|question| question.variable == variable)
}

#[test]
fn every_condition_of_a_form_can_be_met() {
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        for (index, question) in questions.iter().enumerate() {
            for (variable, value) in alternatives(question).flatten() {
                let asked = named(&questions[..index], variable);
                let can_be = match asked.map(|asked| asked.kind.as_str()) {
                    Some("boolean") => value.is_boolean(),
                    Some("enum") => asked.unwrap().options.iter().any(|option| answer(option) == value),
                    _ => false,
                };
                assert!(can_be, "{}: {}: {variable}={value}", entry.id, question.variable);
            }
        }
    }
}

#[test]
fn no_heading_is_shown_without_its_questions() {
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        for heading in questions.iter().filter(|question| question.hide_input.is_some()) {
            // A heading is shown only together with a question below it.
            let prefix = format!("{}.", heading.variable);
            let below: Vec<&Question> =
                questions.iter().filter(|question| question.variable.starts_with(&prefix)).collect();
            if let Some(condition) = below.first().and_then(|first| first.show_if.as_ref())
                && below.iter().all(|question| question.show_if.as_ref() == Some(condition))
            {
                let (id, variable) = (entry.id, &heading.variable);
                assert_eq!(heading.show_if.as_ref(), Some(condition), "{id}: {variable}");
            }
        }
    }
}

/// If the answer to an `enum` changes, Rancher takes the last question whose variable is a part of
/// its variable, and fails if that is an object without subquestions.
#[test]
fn the_object_of_a_setting_comes_before_the_setting() {
    for entry in rules::CATALOG {
        let questions = &FORMS[entry.id].questions;
        for question in questions.iter().filter(|question| question.kind == "enum") {
            let last = questions.iter().rfind(|other| question.variable.contains(&other.variable)).unwrap();
            assert!(!last.kind.starts_with("map["), "{}: {}, {}", entry.id, question.variable, last.variable);
        }
    }
}
