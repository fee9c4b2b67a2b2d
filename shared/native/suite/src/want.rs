//! The want of a case: the expected verdict of a policy.

use std::collections::BTreeMap;

use manifest::{Cursor, Mistake};
use regex::Regex;
use serde_json::Value;

use crate::cases::CaseOutcome;
use crate::paths;
use crate::policies::Policies;
use crate::scalar::{quoted, scalar};

/// The wants of a case, by policy.
#[derive(Debug, Default)]
pub(crate) struct Wants {
    pub(crate) by_policy: BTreeMap<String, Want>,
    /// The want for all other policies.
    pub(crate) others: Option<Want>,
}

impl Wants {
    /// Reads what a case wants: of the only policy, or by policy.
    pub(crate) fn read(at: &Cursor<'_>, policies: &Policies<'_>) -> Result<Self, Mistake> {
        let names = policies.names();
        let entries = at.entries()?;
        let is_name = |key: &str| key == "*" || names.contains(&key);
        if entries.is_empty() {
            return Err(at.mistake("is empty; say what the policies are to do"));
        }
        if names.is_empty() {
            return Err(at.mistake("cannot be compared, because no policy could be read"));
        }
        if !entries.iter().any(|(key, _)| is_name(key)) {
            if let [only] = names.as_slice() {
                return Ok(Self { by_policy: [((*only).to_owned(), Want::read(at)?)].into(), others: None });
            }
            let (key, one) = entries.first().ok_or_else(|| at.mistake("is empty"))?;
            let advice = if KEYS.contains(key) {
                format!("there are several policies; write want by policy: {}", names.join(", "))
            } else {
                policies.unknown(key)
            };
            return Err(one.mistake(advice));
        }
        let mut wants = Self::default();
        for (key, one) in entries {
            if !is_name(key) {
                return Err(one.mistake(policies.unknown(key)));
            }
            let want = Want::read(&one)?;
            if key == "*" {
                wants.others = Some(want);
            } else {
                wants.by_policy.insert(key.to_owned(), want);
            }
        }
        Ok(wants)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Want {
    pub(crate) verdict: Wanted,
    /// Whether lists may have more lines than the wanted ones.
    pub(crate) more: bool,
    /// Whether it says everything, so that an absent list is an empty one.
    pub(crate) says_all: bool,
    /// `None` if the case does not say.
    pub(crate) warnings: Option<Vec<Line>>,
    pub(crate) audit_annotations: Option<BTreeMap<String, Line>>,
    pub(crate) asked: Option<Vec<Line>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Admitted,
    Denied(Vec<Line>),
    Monitored(Vec<Line>),
    Mutated(Mutation),
    Fault(Line),
    SettingsError(Line),
    /// `rules`, `namespaceSelector`, `objectSelector`, the name of a condition, or that and
    /// `fails`.
    Skipped(String),
}

#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    Any,
    Object(Value),
    Values(Vec<(String, Value)>),
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The path with which the line begins.
    pub(crate) path: Option<String>,
    pub(crate) text: Pattern,
}

#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Any,
    Equals(String),
    Contains(String),
    Matches(Regex),
}

const VERDICTS: [&str; 7] =
    ["admitted", "denied", "mutated", "fault", "settingsError", "monitored", "skipped"];

pub(crate) const KEYS: [&str; 11] = [
    "admitted",
    "denied",
    "mutated",
    "fault",
    "settingsError",
    "monitored",
    "skipped",
    "warnings",
    "auditAnnotations",
    "asked",
    "more",
];

impl Want {
    /// Returns the paths of the values that the changed object must not have.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &str> {
        let values = match &self.verdict {
            Wanted::Mutated(Mutation::Values(values)) => values.as_slice(),
            _ => &[],
        };
        values.iter().filter(|(_, value)| value.is_null()).map(|(path, _)| path.as_str())
    }

    pub(crate) fn compares_object(&self) -> bool {
        matches!(self.verdict, Wanted::Mutated(Mutation::Object(_) | Mutation::Values(_)))
    }

    /// Reads what a case wants of one policy.
    pub(crate) fn read(at: &Cursor<'_>) -> Result<Self, Mistake> {
        at.check_keys(&KEYS)?;
        let given: Vec<(&str, Cursor<'_>)> =
            VERDICTS.iter().filter_map(|key| Some((*key, at.get(key)?))).collect();
        let [(key, verdict)] = given.as_slice() else {
            let problem = format!("takes exactly one of {}", VERDICTS.join(", "));
            return Err(at.mistake(problem));
        };
        let verdict = match *key {
            "admitted" if verdict.flag()? => Wanted::Admitted,
            "admitted" => return Err(verdict.mistake("expected true; write denied with its lines")),
            "denied" => Wanted::Denied(denial(verdict)?),
            "monitored" => Wanted::Monitored(denial(verdict)?),
            "mutated" => Wanted::Mutated(mutation(verdict)?),
            "fault" => Wanted::Fault(Line::read(verdict)?),
            "settingsError" => Wanted::SettingsError(Line::read(verdict)?),
            _ => Wanted::Skipped(verdict.text()?.to_owned()),
        };
        let lists = |key: &str| at.get(key).map(|list| lines(&list)).transpose();
        let annotations = at.get("auditAnnotations").map(|all| {
            let entries = all.entries()?.into_iter();
            entries.map(|(key, line)| Ok((key.to_owned(), Line::read(&line)?))).collect()
        });
        Ok(Self {
            verdict,
            more: at.get("more").map(|more| more.flag()).transpose()?.unwrap_or(false),
            says_all: false,
            warnings: lists("warnings")?,
            audit_annotations: annotations.transpose()?,
            asked: lists("asked")?,
        })
    }

    /// Returns what a case of a list wants, which says everything.
    pub(crate) fn of_outcome(outcome: CaseOutcome) -> Self {
        let CaseOutcome { denied, mutated, fault, settings_error, .. } = outcome;
        let all = |lines: Vec<String>| lines.into_iter().map(Line::equal).collect();
        let verdict = if let Some(lines) = denied {
            Wanted::Denied(all(lines))
        } else if let Some(object) = mutated {
            Wanted::Mutated(Mutation::Object(object))
        } else if let Some(message) = fault {
            Wanted::Fault(Line::equal(message))
        } else if let Some(message) = settings_error {
            Wanted::SettingsError(Line::equal(message))
        } else {
            Wanted::Admitted
        };
        let annotations = outcome.audit_annotations.into_iter();
        Self {
            verdict,
            more: false,
            says_all: true,
            warnings: Some(all(outcome.warnings)),
            audit_annotations: Some(annotations.map(|(key, text)| (key, Line::equal(text))).collect()),
            asked: Some(all(outcome.asked)),
        }
    }
}

fn denial(at: &Cursor<'_>) -> Result<Vec<Line>, Mistake> {
    let lines = lines(at)?;
    if lines.is_empty() {
        return Err(at.mistake("expected at least one line; write one, or admitted: true"));
    }
    Ok(lines)
}

fn lines(at: &Cursor<'_>) -> Result<Vec<Line>, Mistake> {
    at.items()?.iter().map(Line::read).collect()
}

fn mutation(at: &Cursor<'_>) -> Result<Mutation, Mistake> {
    match at.value {
        Value::Bool(true) => Ok(Mutation::Any),
        Value::Object(_) => Ok(Mutation::Object(at.value.clone())),
        Value::Array(values) if values.is_empty() => {
            Err(at.mistake("is empty; write at least one {path, equals}, or true"))
        }
        Value::Array(_) => {
            let values = at.items()?.into_iter().map(|item| {
                item.check_keys(&["path", "equals"])?;
                let path = item.get("path").ok_or_else(|| item.mistake("needs the path of a value"))?;
                let value = item.value.get("equals").ok_or_else(|| {
                    item.mistake("needs equals with the value; null stands for an absent one")
                })?;
                if !paths::is_path(path.text()?) {
                    return Err(path.mistake("is not a path such as spec.containers[0].name; correct it"));
                }
                Ok((path.text()?.to_owned(), value.clone()))
            });
            values.collect::<Result<_, _>>().map(Mutation::Values)
        }
        _ => Err(at.mistake("expected true, the whole object, or a list of {path, equals}")),
    }
}

impl Line {
    pub(crate) fn equal(text: String) -> Self {
        Self { path: None, text: Pattern::Equals(text) }
    }

    fn read(at: &Cursor<'_>) -> Result<Self, Mistake> {
        if let Some(text) = at.value.as_str() {
            return Ok(Self::equal(text.to_owned()));
        }
        if !at.value.is_object() {
            return Err(
                at.mistake("expected a string, or an object with path and contains, matches or equals")
            );
        }
        at.check_keys(&["path", "contains", "matches", "equals"])?;
        let path = at.get("path").map(|path| path.text().map(str::to_owned)).transpose()?;
        let given: Vec<(&str, Cursor<'_>)> =
            ["contains", "matches", "equals"].iter().filter_map(|key| Some((*key, at.get(key)?))).collect();
        let text = match given.as_slice() {
            [] if path.is_some() => Pattern::Any,
            [("contains", text)] => Pattern::Contains(text.text()?.to_owned()),
            [("matches", text)] => {
                let expression = Regex::new(text.text()?);
                Pattern::Matches(expression.map_err(|error| {
                    let error = error.to_string().replace('\n', " ");
                    text.mistake(format!("not a regular expression: {error}"))
                })?)
            }
            [(_, text)] => Pattern::Equals(text.text()?.to_owned()),
            _ => return Err(at.mistake("takes a path, one of contains, matches and equals, or both")),
        };
        let is_empty = match &text {
            Pattern::Contains(text) => text.is_empty(),
            Pattern::Matches(expression) => expression.as_str().is_empty(),
            Pattern::Any | Pattern::Equals(_) => false,
        };
        if let (true, [(key, _)]) = (is_empty, given.as_slice()) {
            return Err(
                at.mistake(format!("{key}: an empty text is in every line; write a part of the line"))
            );
        }
        Ok(Self { path, text })
    }

    pub(crate) fn is(&self, path: Option<&str>, line: &str) -> bool {
        let at_path = self.path.as_deref().is_none_or(|wanted| {
            let behind = line.strip_prefix(wanted);
            path == Some(wanted) || behind.is_some_and(|behind| behind.starts_with(':'))
        });
        at_path
            && match &self.text {
                Pattern::Any => true,
                Pattern::Equals(text) => line == text,
                Pattern::Contains(text) => line.contains(text.as_str()),
                Pattern::Matches(expression) => expression.is_match(line),
            }
    }

    /// Returns the line as a test file writes it.
    pub(crate) fn written(&self) -> String {
        let path = self.path.as_ref().map(|path| format!("path: {}", scalar(path)));
        let text = match &self.text {
            Pattern::Equals(text) if path.is_none() => return quoted(text),
            Pattern::Any => None,
            Pattern::Equals(text) => Some(format!("equals: {}", quoted(text))),
            Pattern::Contains(text) => Some(format!("contains: {}", quoted(text))),
            Pattern::Matches(expression) => Some(format!("matches: {}", quoted(expression.as_str()))),
        };
        let parts: Vec<String> = path.into_iter().chain(text).collect();
        format!("{{{}}}", parts.join(", "))
    }
}
