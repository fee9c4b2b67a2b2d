//! Rules of Kyverno's library, which evaluate pods as a control of the Pod Security Standards does,
//! or the external IPs of Services.
//!
//! A rule is recognised by its pattern or its expressions and by nothing else. The manifest
//! has the level of the control, without everything else at that level. Manifests that differ
//! in nothing but the controls become one.

mod coverage;
mod fingerprint;
mod form;
mod merge;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::evaluator::Evaluator;
use crate::InputError;
use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;
pub(super) use coverage::{Coverage, Covered};
use form::Comparison;
pub(super) use merge::{Draft, LibraryPart, merged};

/// The keys of a check in `validate`. A rule has one of them.
pub(super) const CONTENT: [&str; 5] = ["pattern", "anyPattern", "deny", "foreach", "cel"];

/// A table of this crate: one that cannot be read would recognise nothing.
static LIBRARY: LazyLock<Vec<LibraryRule>> =
    LazyLock::new(|| read().expect("library.yaml is a list of rules"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LibraryRule {
    name: String,
    #[serde(default)]
    policy: Evaluator,
    #[serde(default)]
    covers: Vec<Covered>,
    forms: Vec<Form>,
}

/// A form of a rule: the check in `validate` with its key.
#[derive(Debug, Deserialize)]
struct Form {
    #[serde(default)]
    differs: Vec<KnownDifference>,
    #[serde(flatten)]
    content: Map<String, Value>,
}

/// A difference between a rule and the checks that it covers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct KnownDifference {
    /// Whether the rule refuses more or less than the checks.
    refuses: Refuses,
    problem: String,
    /// The fields of a check that remove the difference if another rule covers them.
    #[serde(default)]
    unless_covered: Option<Covered>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
enum Refuses {
    More,
    Less,
}

#[derive(Debug)]
pub(super) enum Recognition {
    Known(Known),
    /// It resembles one of the library. The problem is about the first difference.
    Changed(FieldProblem),
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) evaluator: Evaluator,
    pub(super) coverage: Coverage,
    differences: Vec<KnownDifference>,
    pub(super) key: &'static str,
    pub(super) path: String,
}

fn read() -> Option<Vec<LibraryRule>> {
    let documents = manifest::own_documents(include_str!("library.yaml")).ok()?;
    serde_json::from_value(documents.into_iter().next()?).ok()
}

pub(super) fn recognise(validate: &Fields<'_>) -> Result<Recognition, InputError> {
    let present: Vec<&'static str> = CONTENT.into_iter().filter(|key| validate.get(key).is_some()).collect();
    let [key] = present.as_slice() else { return Ok(Recognition::Unknown) };
    if *key == "cel" {
        let cel = validate.required_object("cel")?;
        let mut expressions = Expressions::read(&cel, "expressions")?;
        // Whether Kyverno also generates a policy of Kubernetes makes no difference.
        let other = cel.others(&["variables", "expressions", "generate"]).next();
        expressions.other = expressions.other.or(other.map(|(other, _)| cel.path(other)));
        return Ok(expressions.recognise());
    }
    let Some(value) = validate.get(key) else { return Ok(Recognition::Unknown) };
    let path = validate.path(key);
    Ok(best(key, &path, |comparison, expected| {
        comparison.compare_field(key, &form::written_out(key, expected), value, &path);
    }))
}

/// The variables and the expressions of a check in CEL.
pub(super) struct Expressions<'d> {
    path: String,
    variables: Vec<(&'d str, &'d str, String)>,
    all: Vec<(&'d str, String)>,
    /// The path of the first field without a counterpart in the library.
    other: Option<String>,
}

impl<'d> Expressions<'d> {
    /// Reads a check, whose expressions are below `key`.
    pub(super) fn read(fields: &Fields<'d>, key: &str) -> Result<Self, InputError> {
        let mut read = Self { path: fields.path(key), variables: Vec::new(), all: Vec::new(), other: None };
        for variable in fields.objects("variables")? {
            let (name, expression) = (variable.required_text("name")?, variable.required_text("expression")?);
            read.variables.push((name, expression, variable.path("expression")));
        }
        for expression in fields.objects(key)? {
            read.all.push((expression.required_text("expression")?, expression.path("expression")));
            let known = ["expression", "message", "messageExpression", "reason"];
            let other = expression.others(&known).next().map(|(other, _)| expression.path(other));
            read.other = read.other.or(other);
        }
        Ok(read)
    }

    pub(super) fn recognise(&self) -> Recognition {
        best("cel", &self.path, |comparison, expected| self.compare(comparison, expected))
    }

    fn compare(&self, comparison: &mut Comparison, expected: &Value) {
        let variables = expected.get("variables").and_then(Value::as_object);
        for (name, expression, path) in &self.variables {
            if let Some(expected) = variables.and_then(|variables| variables.get(*name)) {
                comparison.compare(expected, &Value::from(*expression), path);
            } else {
                comparison.differs(path.clone(), "has no counterpart there");
            }
        }
        for (name, _) in variables.into_iter().flatten() {
            if !self.variables.iter().any(|(known, ..)| known == name) {
                comparison.all += 1;
                comparison.differs(self.path.clone(), &format!("has no variable {name}"));
            }
        }
        let mut found = self.all.iter();
        for expected in expected.get("expressions").and_then(Value::as_array).into_iter().flatten() {
            if let Some((expression, path)) = found.next() {
                comparison.compare(expected, &Value::from(*expression), path);
            } else {
                comparison.all += 1;
                comparison.differs(self.path.clone(), "has fewer expressions");
            }
        }
        if let Some((_, path)) = found.next() {
            comparison.differs(path.clone(), "has no counterpart there");
        }
        if let Some(path) = &self.other {
            comparison.differs(path.clone(), "has no counterpart there");
        }
    }
}

fn best(key: &'static str, path: &str, compare: impl Fn(&mut Comparison, &Value)) -> Recognition {
    let mut nearest: Option<(Comparison, &LibraryRule)> = None;
    for rule in LIBRARY.iter() {
        for form in &rule.forms {
            let Some(expected) = form.content.get(key) else { continue };
            let mut comparison = Comparison::default();
            compare(&mut comparison, expected);
            if comparison.first.is_none() {
                return Recognition::Known(Known {
                    evaluator: rule.policy,
                    coverage: Coverage::of(&rule.covers),
                    differences: form.differs.clone(),
                    key,
                    path: path.to_owned(),
                });
            }
            // The one with the largest share of equal values.
            let is_nearer = |known: &Comparison| {
                comparison.same.saturating_mul(known.all) > known.same.saturating_mul(comparison.all)
            };
            if nearest.as_ref().is_none_or(|(known, _)| is_nearer(known)) {
                nearest = Some((comparison, rule));
            }
        }
    }
    match nearest {
        Some((Comparison { same, all, first: Some(FieldProblem { path, problem, .. }), .. }, rule))
            if same > 0 && same.saturating_mul(2) >= all =>
        {
            let problem = format!(
                "{problem}: the check resembles {} of Kyverno's library, and only unchanged checks of the library are \
                 converted",
                rule.name
            );
            Recognition::Changed(FieldProblem::new(path, problem))
        }
        _ => Recognition::Unknown,
    }
}

impl Known {
    /// The settings that run what the check covers, with those for its action.
    pub(super) fn settings(&self, mut settings: Map<String, Value>) -> Map<String, Value> {
        match self.evaluator {
            Evaluator::PodSecurity => self.coverage.write(&mut settings),
            Evaluator::ExternalIps => settings.clear(),
        }
        settings
    }

    /// The problems with what the rule refuses and the checks allow.
    pub(super) fn refused_by_rule(&self) -> Vec<FieldProblem> {
        let more = self.differences.iter().filter(|difference| difference.refuses == Refuses::More);
        more.map(|difference| FieldProblem::new(&self.path, &difference.problem).with(Effect::Admits))
            .collect()
    }

    /// The problems with what the checks refuse and the rule allows, each with the fields that
    /// remove it.
    pub(super) fn refused_by_checks(&self) -> Vec<(FieldProblem, Option<Covered>)> {
        let less = self.differences.iter().filter(|difference| difference.refuses == Refuses::Less);
        let problem = |difference: &KnownDifference| {
            FieldProblem::new(&self.path, &difference.problem).with(Effect::Refuses)
        };
        less.map(|difference| (problem(difference), difference.unless_covered.clone())).collect()
    }
}

/// Whether `preconditions` leave out deletions alone, as those in the library do.
pub(super) fn leave_out_deletions(preconditions: &Value) -> bool {
    const OPERATION: [&str; 2] = ["{{ request.operation || 'BACKGROUND' }}", "{{ request.operation }}"];
    let conditions = preconditions.get("all").and_then(Value::as_array);
    let is_about_deletions = |condition: &Value| {
        let text = |key| condition.get(key).and_then(Value::as_str).unwrap_or_default();
        OPERATION.contains(&text("key")) && text("operator") == "NotEquals" && text("value") == "DELETE"
    };
    let has_no_other = preconditions.as_object().is_some_and(|fields| fields.len() == 1);
    has_no_other && conditions.is_some_and(|conditions| conditions.iter().all(is_about_deletions))
}
