//! Conditions and configurations are refused if an API server refuses them.
//!
//! `recorded.jsonl` has the answers of Kubernetes 1.36.2. A program outside of this repository
//! recorded them. It compiles an expression with `CompileCELExpression` of k8s.io/apiserver, with
//! the variables of webhooks and the environment for new expressions. It makes a webhook of a
//! configuration, with the defaults of the API, and validates it with
//! `ValidateValidatingWebhookConfiguration` of Kubernetes.
//!
//! `BLESS=1` writes the questions that the generators ask and keeps the answers that are known; the
//! answer of a new question is null until it is recorded. An API server that panics while it
//! compiles an expression refuses it.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics fails")]

mod configurations;
pub(crate) mod expressions;
pub(crate) mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use matching::{Condition, Webhook};
use serde_json::{Value, json};

use self::expressions::Purpose;
use self::random::Random;

const EXPRESSIONS: usize = 1500;
const CONFIGURATIONS: usize = 300;

/// The questions of the generators as JSON.
fn questions() -> BTreeSet<String> {
    let mut numbers = Random::new(1);
    let expressions = (0..EXPRESSIONS)
        .map(|_| json!({ "expression": expressions::expression(&mut numbers, Purpose::Refusal) }));
    let mut found: BTreeSet<String> = expressions.map(|question| question.to_string()).collect();
    let configurations = configurations::by_table().into_iter();
    let mut numbers = Random::new(2);
    let random = (0..CONFIGURATIONS).map(|_| configurations::random(&mut numbers));
    found.extend(configurations.chain(random).map(|webhook| json!({ "webhook": webhook }).to_string()));
    found
}

fn recorded() -> BTreeMap<String, Option<bool>> {
    include_str!("recorded.jsonl")
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let refused = line.as_object_mut().unwrap().remove("refused").unwrap();
            (line.to_string(), refused.as_bool())
        })
        .collect()
}

#[test]
fn the_recorded_questions_are_those_of_the_generators() {
    let (questions, recorded) = (questions(), recorded());
    if std::env::var_os("BLESS").is_some() {
        let lines = questions.iter().map(|question| {
            let mut line: Value = serde_json::from_str(question).unwrap();
            line["refused"] = json!(recorded.get(question).copied().flatten());
            format!("{line}\n")
        });
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused/recorded.jsonl");
        fs::write(path, lines.collect::<String>()).unwrap();
        return;
    }
    assert!(questions.iter().eq(recorded.keys()), "write the questions with BLESS=1, and record the answers");
}

#[test]
fn conditions_and_configurations_are_refused_if_an_api_server_refuses_them() {
    let (mut counts, mut wrong) = (BTreeMap::<_, usize>::new(), Vec::new());
    for (question, refused) in recorded() {
        let refused = refused.expect("an answer that is recorded");
        let parsed: Value = serde_json::from_str(&question).unwrap();
        let (kind, result) = match parsed["expression"].as_str() {
            Some(expression) => (
                "expression",
                Condition::compile("c", expression).map(|_| ()).map_err(|error| error.to_string()),
            ),
            None => (
                "webhook",
                Webhook::from_spec(&parsed["webhook"]).map(|_| ()).map_err(|error| error.to_string()),
            ),
        };
        *counts.entry((kind, refused)).or_default() += 1;
        if result.is_err() != refused {
            wrong.push(format!("{question}: refused by an API server: {refused}, here: {result:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {counts:?}:\n{}", wrong.len(), wrong.join("\n"));
    // A check that refuses or accepts everything fails.
    for kind in ["expression", "webhook"] {
        for refused in [true, false] {
            assert!(counts.get(&(kind, refused)).is_some_and(|count| *count >= 150), "{counts:?}");
        }
    }
}
