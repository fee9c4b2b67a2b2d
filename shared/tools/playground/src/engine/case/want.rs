//! The want of a case for a policy, in a test file.

use scan::{Answer, Asked, Effect};
use serde_json::{Map, Value, json};

use crate::engine::summary;
use crate::exchange::ExpectedOutcome;
use crate::matrix::Outcome;

#[derive(Debug, Default)]
pub(super) struct Want {
    /// The verdict, by its key, and its rank among those of several requests.
    verdict: Option<(u8, &'static str, Vec<String>)>,
    warnings: Vec<String>,
}

impl Want {
    pub(super) fn add(&mut self, answer: &Answer, asked: Asked<'_>) {
        self.warnings.extend(answer.verdict.warnings.iter().cloned());
        let lines = || {
            let denial = summary::denial(answer);
            let lines = denial.map(scan::Denial::lines).unwrap_or_default();
            let violations = denial.map(|denial| denial.violations.as_slice()).unwrap_or_default();
            let located = |(index, line): (usize, String)| match violations.get(index) {
                Some(violation) if asked.concerns_pods() => asked.locate(violation).1,
                _ => line,
            };
            lines.into_iter().enumerate().map(located).collect()
        };
        let (rank, key, lines): (u8, _, Vec<String>) = match &answer.verdict.effect {
            Effect::Skipped | Effect::Unknown(_) => return,
            Effect::Admitted => (1, "admitted", Vec::new()),
            Effect::Mutated(_) => (2, "mutated", Vec::new()),
            Effect::Monitored(_) => (3, "monitored", lines()),
            Effect::Denied(_) => (4, "denied", lines()),
            Effect::Fault(reason) => (5, "fault", vec![reason.clone()]),
        };
        match &mut self.verdict {
            // The worst verdict counts, with the lines of all.
            Some((known, _, all)) if *known == rank => all.extend(lines),
            Some((known, ..)) if *known > rank => {}
            verdict => *verdict = Some((rank, key, lines)),
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.verdict.as_ref().map_or("", |(_, key, _)| *key) {
            "denied" => Outcome::Denied,
            "fault" => Outcome::Fault,
            "monitored" => Outcome::Monitored,
            "mutated" => Outcome::Changed,
            "admitted" if !self.warnings.is_empty() => Outcome::Warned,
            "admitted" => Outcome::Passed,
            _ => Outcome::NotLookedAt,
        }
    }

    /// Returns the want as a test file has it; `None` if `*` says as much.
    pub(super) fn value(&self) -> Option<Value> {
        let (_, key, lines) = self.verdict.as_ref()?;
        let verdict = match *key {
            "admitted" if self.warnings.is_empty() => return None,
            "admitted" | "mutated" => Value::Bool(true),
            "fault" => lines.concat().into(),
            _ => json!(lines),
        };
        let mut want = Map::from_iter([((*key).to_owned(), verdict)]);
        if !self.warnings.is_empty() {
            want.insert("warnings".to_owned(), json!(self.warnings));
        }
        Some(want.into())
    }
}

/// Returns what a case wants for an outcome that is not the present one; `None` if `*` says it.
pub(super) fn expected(expected: &ExpectedOutcome) -> Result<Option<(String, Value)>, String> {
    let any = || json!([{ "matches": "." }]);
    let want = match expected.outcome {
        Outcome::Denied => json!({ "denied": any(), "more": true }),
        Outcome::Monitored => json!({ "monitored": any(), "more": true }),
        Outcome::Fault => json!({ "fault": { "matches": "." } }),
        Outcome::Changed => json!({ "mutated": true }),
        Outcome::Warned => json!({ "admitted": true, "warnings": any(), "more": true }),
        Outcome::Passed | Outcome::NotLookedAt => return Ok(None),
        Outcome::Unknown => {
            return Err(format!("{}: a test cannot expect that nothing is known", expected.policy));
        }
    };
    Ok(Some((expected.policy.clone(), want)))
}
