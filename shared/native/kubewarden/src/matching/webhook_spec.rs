//! The fields of a policy that configure its webhook, and what is invalid in them.

use std::fmt;

use rules::name::is_label_key;
use serde::Deserialize;
use serde_path_to_error::Segment;

use crate::matching::condition::Condition;
use crate::matching::fields::takes;
use crate::matching::selector::SelectorSpec;
use crate::rule::RuleWithOperations;

/// The reason why a manifest is not one of a policy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidWebhook(pub(crate) String);

impl InvalidWebhook {
    pub(crate) fn at(path: &str, problem: &str) -> Self {
        Self(format!("{path}: {problem}"))
    }
}

impl fmt::Display for InvalidWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidWebhook {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSpec {
    pub(crate) rules: Vec<RuleWithOperations>,
    #[serde(default)]
    pub(crate) match_policy: Option<MatchPolicy>,
    #[serde(default)]
    pub(crate) namespace_selector: Option<SelectorSpec>,
    #[serde(default)]
    pub(crate) object_selector: Option<SelectorSpec>,
    #[serde(default)]
    pub(crate) match_conditions: Option<Vec<NamedExpression>>,
}

/// How rules are compared with the resource of a request.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
pub(crate) enum MatchPolicy {
    Exact,
    #[default]
    Equivalent,
}

#[derive(Deserialize)]
pub(crate) struct NamedExpression {
    pub(crate) name: String,
    pub(crate) expression: String,
}

const MAX_CONDITIONS: usize = 64;

/// Compiles match conditions. The error is about the first that an API server refuses.
pub(crate) fn compiled(conditions: &[NamedExpression]) -> Result<Vec<Condition>, InvalidWebhook> {
    if conditions.len() > MAX_CONDITIONS {
        return Err(InvalidWebhook(format!(
            "spec.matchConditions: Invalid value: {} conditions: a policy has at most {MAX_CONDITIONS}; combine \
             some with &&",
            conditions.len()
        )));
    }
    let compiled = conditions.iter().enumerate().map(|(at, one)| {
        if !is_label_key(&one.name) {
            return Err(InvalidWebhook(format!(
                "spec.matchConditions[{at}].name: Invalid value: {:?}: the name of a condition is a qualified name; \
                 write one such as only-pods or example.com/only-pods",
                one.name
            )));
        }
        if conditions.iter().take(at).any(|other| other.name == one.name) {
            return Err(InvalidWebhook(format!(
                "spec.matchConditions[{at}].name: Duplicate value: {:?}: names of conditions differ; choose \
                 another name",
                one.name
            )));
        }
        let mut condition = Condition::compile(&one.name, &one.expression).map_err(|error| {
            InvalidWebhook(format!(
                "spec.matchConditions[{at}].expression: Invalid value: {error}; correct the expression"
            ))
        })?;
        condition.share(conditions.len());
        Ok(condition)
    });
    compiled.collect()
}

pub(crate) fn invalid(root: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> InvalidWebhook {
    let problem = error.inner().to_string();
    let path = match error.path().to_string().as_str() {
        "." => root.to_owned(),
        path => format!("{root}.{path}"),
    };
    let missing = problem.strip_prefix("missing field `").and_then(|name| name.strip_suffix('`'));
    let field = missing.or_else(|| read_field(error.path())).unwrap_or(root);
    let takes = takes(field).map(|takes| format!("write {takes}")).unwrap_or_default();
    if let Some(name) = missing {
        return InvalidWebhook(format!("{path}.{name}: Required value: the field is missing; {takes}"));
    }
    // The rest of the error names types of Rust.
    let found = problem.split_once(", expected").map_or(problem.as_str(), |(found, _)| found);
    let kinds = ["invalid type: ", "invalid value: ", "unknown variant "];
    let found = kinds.iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(found);
    InvalidWebhook(format!("{path}: Invalid value: {found}; {takes}"))
}

/// Returns the known field in which an error of types is. Names of labels, and of members of a
/// group, are not fields.
fn read_field(path: &serde_path_to_error::Path) -> Option<&str> {
    let mut field = None;
    let mut is_name = false;
    for segment in path {
        let Segment::Map { key } = segment else { continue };
        if std::mem::take(&mut is_name) {
            continue;
        }
        if takes(key).is_some() {
            field = Some(key.as_str());
        }
        is_name = key == "policies";
        if key == "matchLabels" {
            break;
        }
    }
    field
}
