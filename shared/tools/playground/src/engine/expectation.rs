//! Expected outcomes of a workspace.

use super::Playground;
use super::policies::Prepared;
use crate::exchange::{ExpectedOutcome, OutcomeChange};
use crate::matrix::Outcome;

impl Playground {
    pub(super) fn outcome(&self, index: usize, prepared: &Prepared) -> Option<Outcome> {
        let evaluated = self.evaluated.get(index)?;
        let cells = &self.verdicts.get(&evaluated.key)?.cells;
        cells.get(usize::try_from(prepared.index).ok()?)?.outcome
    }

    /// Returns the outcomes of the last workspace that are not the expected ones.
    #[must_use]
    pub fn compare(&self, expected: &[ExpectedOutcome]) -> Vec<OutcomeChange> {
        let changes = expected.iter().filter_map(|one| {
            let policy = self.policies.iter().find(|prepared| prepared.state.name == one.policy);
            let index = usize::try_from(one.object).ok()?;
            let now = policy.and_then(|policy| self.outcome(index, policy));
            // An object that a policy does not look at passes as well.
            let passes = |outcome| matches!(outcome, Outcome::Passed | Outcome::NotLookedAt);
            if now.is_some_and(|now| now == one.outcome || passes(now) && passes(one.outcome)) {
                return None;
            }
            let now_words = now.map_or("without a verdict", words);
            Some(OutcomeChange {
                object: one.object,
                policy: one.policy.clone(),
                expected: one.outcome,
                now,
                message: format!("expected {}, now {now_words}", words(one.outcome)),
            })
        });
        changes.collect()
    }
}

pub(super) fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Denied => "denied",
        Outcome::Fault => "denied, because it could not be evaluated",
        Outcome::Unknown => "unknown",
        Outcome::Monitored => "admitted in monitor mode",
        Outcome::Changed => "changed",
        Outcome::Warned => "warned",
        Outcome::Passed => "admitted",
        Outcome::NotLookedAt => "not looked at",
    }
}
