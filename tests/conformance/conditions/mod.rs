//! Match conditions and webhooks, compared with those that the API server compiles, evaluates and
//! validates.

mod configurations;
mod expressions;

use std::sync::LazyLock;

use expressions::Purpose;
use kubewarden::matching::{Condition, Variables, Webhook};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::kubernetes::Kubernetes;
use tests::random::Random;

use super::comparison::{Outcome, Plan, Row};

const UNKNOWN: &str = "conditions that are unknown here";

const BEYOND: &str =
    "conditions that cost up to twice the bound, for what a server evaluates behind an error";

static REQUESTS: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("requests.json")).expect("a list of requests"));

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    refused: String,
    #[serde(default)]
    error: String,
    value: bool,
    cost: u64,
}

impl Answer {
    /// Returns the answer in a word.
    fn word(&self) -> &'static str {
        if !self.refused.is_empty() {
            "refused"
        } else if !self.error.is_empty() {
            "error"
        } else if self.value {
            "true"
        } else {
            "false"
        }
    }
}

/// Returns the conditions that are written by hand, each with its requests, and every webhook of
/// the tables.
fn written() -> Vec<Value> {
    let conditions = include_str!("written.txt").lines().filter(|line| !line.is_empty());
    let conditions = conditions.flat_map(|line| {
        let (requests, expression) = line.split_once(' ').expect("requests and an expression");
        let request = |number: &str| number.parse::<usize>().expect("the number of a request");
        requests.split(',').map(move |number| json!({ "expression": expression, "request": request(number) }))
    });
    let webhooks = configurations::by_table().into_iter().map(|webhook| json!({ "webhook": webhook }));
    conditions.chain(webhooks).collect()
}

fn generated(seed: u64) -> Value {
    let mut random = Random::new(seed);
    match random.below(8) {
        0 => json!({ "webhook": configurations::random(&mut random) }),
        kind => {
            let purpose = if kind < 3 { Purpose::Refusal } else { Purpose::Value };
            let expression = expressions::expression(&mut random, purpose);
            json!({ "expression": expression, "request": random.below(REQUESTS.len()) })
        }
    }
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("conditions")?;
    let generated = any::<u64>().no_shrink().prop_map(generated);
    Row::compare(plan, written(), &generated, |case| {
        if let Some(expression) = case["expression"].as_str() {
            let number = case["request"].as_u64().and_then(|number| usize::try_from(number).ok());
            let request = number.and_then(|number| REQUESTS.get(number)).ok_or("no such request")?;
            let theirs = server.ask(&json!({ "expression": expression, "request": request }))?;
            Ok(compare_condition(expression, request, &theirs))
        } else {
            let theirs: Answer = server.ask(case)?;
            let ours = Webhook::from_spec(&case["webhook"]).map(|_| ()).map_err(|error| error.to_string());
            Ok(if ours.is_err() == (theirs.word() == "refused") {
                Outcome::Equal
            } else {
                Outcome::Different(format!("Kubernetes: {:?}; here: {ours:?}", theirs.refused))
            })
        }
    })
}

fn compare_condition(expression: &str, request: &Value, theirs: &Answer) -> Outcome {
    let variables = Variables::of(request);
    let condition = Condition::compile("c", expression);
    let value = condition.as_ref().map(|condition| condition.holds(&variables));
    let (word, message) = match &value {
        Err(error) => ("refused", error.to_string()),
        Ok(Ok(true)) => ("true", String::new()),
        Ok(Ok(false)) => ("false", String::new()),
        Ok(Err(error)) if error.is_unknown => ("unknown", error.to_string()),
        Ok(Err(error)) => ("error", error.to_string()),
    };
    if word == "unknown" {
        return Outcome::Named(UNKNOWN);
    }
    let Answer { refused, error, cost, .. } = theirs;
    if word != theirs.word() {
        let theirs = theirs.word();
        return Outcome::Different(format!("Kubernetes: {theirs} {refused}{error}; here: {word} {message}"));
    }
    let (Ok(condition), Ok(Ok(_))) = (&condition, &value) else { return Outcome::Equal };
    let bounds = condition.cost(&variables);
    if *cost < bounds.least || *cost > bounds.most.saturating_mul(2) {
        Outcome::Different(format!("Kubernetes: a cost of {cost}; here: {bounds:?}"))
    } else if *cost > bounds.most {
        Outcome::Named(BEYOND)
    } else {
        Outcome::Equal
    }
}
