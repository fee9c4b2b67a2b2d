//! Conditions have the values of an API server, or are unknown.
//!
//! `recorded.jsonl` has the answers of Kubernetes 1.36.2: true, false or an error, and the cost. A
//! program outside of this repository recorded them. It compiles a condition with
//! `CompileCondition` of k8s.io/apiserver, with the variables of webhooks, and evaluates it with
//! `ForInput` for a request of `requests.json`; the cost is the difference of the budgets.
//!
//! The expressions are those of `written.txt`, each for the requests whose numbers it has, and
//! those of the generator. `BLESS=1` writes the questions and keeps the answers that are known; the
//! answer of a new question is null until it is recorded. `QUESTIONS=COUNT` with `SEED=NUMBER`
//! prints new questions, and the answers here, for comparisons outside of this repository.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that panics fails, and one prints questions"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use matching::{Condition, Variables};
use serde_json::{Value, json};

use crate::refused::expressions::{self, Purpose};
use crate::refused::random::Random;

const EXPRESSIONS: usize = 6000;

fn requests() -> Vec<Value> {
    serde_json::from_str(include_str!("requests.json")).unwrap()
}

fn generated(seed: u64, count: usize) -> impl Iterator<Item = (String, usize)> {
    let (mut numbers, requests) = (Random::new(seed), requests().len());
    (0..count).map(move |_| (expressions::expression(&mut numbers, Purpose::Value), numbers.below(requests)))
}

fn questions() -> BTreeMap<(String, usize), Value> {
    let written = include_str!("written.txt").lines().filter(|line| !line.is_empty());
    let written = written.flat_map(|line| {
        let (numbers, expression) = line.split_once(' ').unwrap();
        numbers.split(',').map(|number| (expression.to_owned(), number.parse().unwrap())).collect::<Vec<_>>()
    });
    written.chain(generated(29, EXPRESSIONS)).map(|question| (question, Value::Null)).collect()
}

fn recorded() -> BTreeMap<(String, usize), Value> {
    let lines = include_str!("recorded.jsonl").lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let request = usize::try_from(line["request"].as_u64().unwrap()).unwrap();
        ((line["expression"].as_str().unwrap().to_owned(), request), line)
    });
    lines.collect()
}

/// The value here: true, false, error, refused or unknown, and the message.
fn value(expression: &str, request: &Value) -> (&'static str, String) {
    match Condition::compile("c", expression) {
        Err(error) => ("refused", error.to_string()),
        Ok(condition) => match condition.holds(&Variables::of(request)) {
            Ok(true) => ("true", String::new()),
            Ok(false) => ("false", String::new()),
            Err(error) if error.is_unknown => ("unknown", error.to_string()),
            Err(error) => ("error", error.to_string()),
        },
    }
}

#[test]
fn the_recorded_questions_are_those_of_the_generator() {
    let (mut questions, recorded) = (questions(), recorded());
    if let Ok(count) = std::env::var("QUESTIONS") {
        let seed = std::env::var("SEED").unwrap().parse().unwrap();
        let requests = requests();
        for (expression, request) in generated(seed, count.parse().unwrap()) {
            let (answer, message) = value(&expression, &requests[request]);
            let question = json!({
                "expression": expression, "request": requests[request], "answer": answer, "message": message,
            });
            println!("{question}");
        }
        return;
    }
    if std::env::var_os("BLESS").is_some() {
        questions.extend(
            recorded.into_iter().filter(|(question, _)| questions.contains_key(question)).collect::<Vec<_>>(),
        );
        let lines = questions.into_iter().map(|((expression, request), line)| {
            let line = json!({
                "expression": expression, "request": request, "answer": line["answer"], "cost": line["cost"],
            });
            format!("{line}\n")
        });
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values/recorded.jsonl");
        fs::write(path, lines.collect::<String>()).unwrap();
        return;
    }
    assert!(questions.keys().eq(recorded.keys()), "write the questions with BLESS=1, and record the answers");
}

#[test]
fn conditions_have_the_values_of_an_api_server_or_are_unknown() {
    let requests = requests();
    let (mut counts, mut unknown, mut wrong) =
        (BTreeMap::<String, usize>::new(), BTreeMap::<String, usize>::new(), Vec::new());
    for ((expression, request), line) in recorded() {
        let want = line["answer"].as_str().expect("an answer that is recorded");
        *counts.entry(want.to_owned()).or_default() += 1;
        let (found, message) = value(&expression, &requests[request]);
        if found == "unknown" && want != "refused" {
            *unknown.entry(message).or_default() += 1;
        } else if found != want && found != "unknown" {
            wrong.push(format!("{request} {expression}: {want} in an API server, here {found} {message}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {counts:?}:\n{}", wrong.len(), wrong.join("\n"));
    // Evaluations that are all errors or unknown prove little.
    let (evaluated, unknown_all): (usize, usize) =
        (["true", "false", "error"].iter().map(|answer| counts[*answer]).sum(), unknown.values().sum());
    assert!(evaluated >= 3000 && counts["true"] >= 800 && counts["false"] >= 800, "{counts:?}");
    assert!(
        unknown_all.checked_mul(50).unwrap() < evaluated,
        "{unknown_all} of {evaluated} unknown: {unknown:#?}"
    );
}

/// The bounds hold, but for what an API server evaluates behind an error.
#[test]
fn the_cost_in_an_api_server_is_between_the_bounds() {
    let requests = requests();
    let (mut compared, mut beyond, mut wrong) = (0_usize, 0_usize, Vec::new());
    for ((expression, request), line) in recorded() {
        let (Some(cost), Ok(condition)) = (line["cost"].as_u64(), Condition::compile("c", &expression))
        else {
            continue;
        };
        let variables = Variables::of(&requests[request]);
        if condition.holds(&variables).is_err() {
            continue;
        }
        let bounds = condition.cost(&variables);
        compared += 1;
        beyond += usize::from(cost > bounds.most);
        if cost < bounds.least || cost > bounds.most.checked_mul(2).unwrap() {
            wrong.push(format!("{request} {expression}: {cost}, not in {bounds:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        compared >= 1000 && beyond.checked_mul(200).unwrap() < compared,
        "{beyond} of {compared} are beyond"
    );
}
