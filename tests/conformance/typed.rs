//! The mistakes of objects of built-in kinds, compared with the strict decoding of the API server,
//! which `kubectl apply` asks for.

use kubernetes::fields::Problem;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::kubernetes::Kubernetes;
use text::Path;

use super::comparison::{Outcome, Plan, Row};
use super::objects;

const SCHEMAS: &str = "schemas of a CustomResourceDefinition, which are not checked below items, additionalProperties \
                       and dependencies";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    is_known: bool,
    #[serde(default)]
    strict: Vec<String>,
    #[serde(default)]
    error: String,
}

/// The mistakes of an object.
#[derive(Debug, Eq, PartialEq)]
enum Mistakes {
    /// The object is not decoded.
    Refused,
    /// The paths of fields that do not exist, in order.
    Unknown(Vec<String>),
}

fn ours(object: &Value) -> Mistakes {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let mistakes = kubernetes::fields::mistakes(text("apiVersion"), text("kind"), object);
    if mistakes.iter().any(|mistake| matches!(mistake.problem, Problem::OtherType { .. })) {
        return Mistakes::Refused;
    }
    let mut unknown: Vec<String> = mistakes.iter().map(|mistake| Path(&mistake.path).to_string()).collect();
    unknown.sort();
    Mistakes::Unknown(unknown)
}

fn theirs(answer: &Answer) -> Result<Mistakes, String> {
    if !answer.error.is_empty() {
        return Ok(Mistakes::Refused);
    }
    let path = |message: &String| {
        let quoted = message.strip_prefix("unknown field ").ok_or_else(|| message.clone())?;
        serde_json::from_str(quoted).map_err(|_| message.clone())
    };
    let mut unknown = answer.strict.iter().map(path).collect::<Result<Vec<String>, _>>()?;
    unknown.sort();
    Ok(Mistakes::Unknown(unknown))
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("typed")?;
    let objects = any::<u64>().no_shrink().prop_map(objects::generate);
    Row::compare(plan, Vec::new(), &objects, |object| {
        let answer: Answer = server.ask(&json!({ "object": object }))?;
        if !answer.is_known {
            return Ok(Outcome::Different("Kubernetes does not know the kind".to_owned()));
        }
        let is_schema = ["JSONSchemaProps", "JSON schema"].iter().any(|words| answer.error.contains(words));
        let (theirs, ours) = (theirs(&answer)?, ours(object));
        Ok(if theirs == ours {
            Outcome::Equal
        } else if is_schema {
            Outcome::Named(SCHEMAS)
        } else {
            Outcome::Different(format!("Kubernetes: {theirs:?} {}; here: {ours:?}", answer.error))
        })
    })
}
