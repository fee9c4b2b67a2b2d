//! The documents of a text, compared with those that kubectl reads. A text that means something
//! else here would hide a field; a text that is refused here has an error with its place.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::kubernetes::Kubernetes;
use tests::random::Random;

use super::comparison::{Outcome, Plan, Row};
use super::mutants::change;

const REFUSED: &str = "texts that kubectl reads and that are refused here";

const READ_ON: &str = "texts that are read here and that kubectl refuses behind the same documents";

#[derive(Deserialize)]
struct Answer {
    documents: Vec<Value>,
    #[serde(default)]
    error: String,
}

static CORNERS: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("corners.json")).expect("a list of texts"));

/// The words of YAML 1.1 that are booleans and null in some cases of letters.
const WORDS: [&str; 9] = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"];

/// Returns a text for each word in each case of its letters.
fn words() -> impl Iterator<Item = String> {
    WORDS.into_iter().flat_map(|word| {
        (0..1_u32 << word.len()).map(move |upper| {
            let letter = |(at, letter): (usize, char)| {
                if upper >> at & 1 == 1 { letter.to_ascii_uppercase() } else { letter }
            };
            format!("a: {}\n", word.chars().enumerate().map(letter).collect::<String>())
        })
    })
}

/// Returns a changed copy of a text that is written by hand.
fn mutant(seed: u64) -> String {
    let mut random = Random::new(seed);
    let text = random.pick(&CORNERS).clone();
    (0..=random.below(3)).fold(text, |text, _| change(&text, &CORNERS, &mut random))
}

/// Returns the value with whole numbers as integers: JSON has one type of numbers.
fn whole(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Number(number) if number.is_f64() => {
            let digits = number.as_f64().unwrap_or_default().to_string();
            let signed = digits.parse::<i64>().ok().map(Value::from);
            signed.or_else(|| digits.parse::<u64>().ok().map(Value::from)).unwrap_or(Value::Number(number))
        }
        other => other,
    }
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("reader")?;
    let mutants = any::<u64>().no_shrink().prop_map(mutant);
    Row::compare(plan, CORNERS.iter().cloned().chain(words()).collect(), &mutants, |text| {
        let theirs: Answer = server.ask(&json!({ "text": text }))?;
        let is_read = theirs.error.is_empty();
        let ours = match manifest::documents(text) {
            Ok(ours) => ours,
            // A scan of a folder leaves out templates with a warning.
            Err(problem) if is_read && problem.is_template() => {
                return Ok(Outcome::Different(format!(
                    "kubectl: {}; here: {problem}",
                    json!(theirs.documents)
                )));
            }
            Err(_) if is_read => return Ok(Outcome::Named(REFUSED)),
            Err(_) => return Ok(Outcome::Equal),
        };
        let ours: Vec<Value> = ours.into_iter().map(whole).collect();
        let documents: Vec<Value> = theirs.documents.into_iter().map(whole).collect();
        Ok(if ours == documents {
            if is_read { Outcome::Equal } else { Outcome::Named(READ_ON) }
        } else if !is_read && ours.starts_with(&documents) {
            Outcome::Named(READ_ON)
        } else {
            Outcome::Different(format!(
                "kubectl: {} {}; here: {}",
                json!(documents),
                theirs.error,
                json!(ours)
            ))
        })
    })
}
