//! The parts of policies that test cases cover.

use kubewarden::matching::Observation;
use serde::Serialize;

use crate::got::Verdict;

/// The coverage of all policies.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// The policies, in the order in which tests name them.
    pub policies: Vec<PolicyCoverage>,
    /// The percentage that fails a run if it is not reached.
    pub threshold: Option<u8>,
}

/// The coverage of a policy.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCoverage {
    /// The name.
    pub name: String,
    /// The manifest, module or id, so that policies with one name are told apart.
    pub origin: String,
    /// The rules, selectors, conditions and verdicts.
    pub parts: Vec<Part>,
}

/// A part of a policy that a request can see in two ways.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// The name: `spec.rules[0]`, `the condition is-named`.
    pub name: String,
    /// The two ways, in words, and whether a case shows them.
    pub ways: [(&'static str, bool); 2],
}

/// The verdicts that the cases of a policy have to show.
const VERDICTS: [&str; 2] = ["admits a request", "denies a request"];

impl Coverage {
    /// Returns how many ways are seen, and how many there are.
    #[must_use]
    pub fn seen(&self) -> (usize, usize) {
        let ways = || self.policies.iter().flat_map(|policy| &policy.parts).flat_map(|part| &part.ways);
        (ways().filter(|(_, is_seen)| *is_seen).count(), ways().count())
    }

    /// Returns the percentage of the ways that are seen, rounded down; 0 if there are no ways.
    #[must_use]
    pub fn percent(&self) -> usize {
        let (seen, all) = self.seen();
        seen.saturating_mul(100).checked_div(all).unwrap_or(0)
    }

    /// Returns whether less is seen than the threshold asks for.
    #[must_use]
    pub fn is_too_low(&self) -> bool {
        self.threshold.is_some_and(|threshold| self.percent() < usize::from(threshold))
    }

    /// Notes a policy of a file, which counts also if no case reaches it. Of the observation, only
    /// the names of the parts count.
    pub(crate) fn register(&mut self, name: &str, origin: &str, observation: Option<Observation>) {
        if let Some(mut parts) = observation {
            parts.rules.fill(None);
            parts.namespace_selector = parts.namespace_selector.map(|_| None);
            parts.object_selector = parts.object_selector.map(|_| None);
            parts.conditions.iter_mut().for_each(|(_, holds)| *holds = None);
            self.observe(name, origin, &parts);
        }
        self.of_policy(name, origin, |policy| policy.see("the policy".to_owned(), VERDICTS, None));
    }

    /// Notes what a request shows of a policy.
    pub(crate) fn observe(&mut self, name: &str, origin: &str, observation: &Observation) {
        self.of_policy(name, origin, |policy| {
            for (at, matches) in observation.rules.iter().enumerate() {
                policy.see(format!("spec.rules[{at}]"), ["matches", "fails to match"], *matches);
            }
            let selectors = [
                ("spec.namespaceSelector", observation.namespace_selector),
                ("spec.objectSelector", observation.object_selector),
            ];
            for (part, selects) in selectors {
                if let Some(selects) = selects {
                    policy.see(part.to_owned(), ["selects an object", "leaves out an object"], selects);
                }
            }
            for (condition, holds) in &observation.conditions {
                policy.see(format!("the condition {condition}"), ["is true", "is false"], *holds);
            }
        });
    }

    pub(crate) fn evaluated(&mut self, name: &str, origin: &str, verdict: &Verdict) {
        let (admits, denies) = match verdict {
            Verdict::Admitted | Verdict::Mutated(_) => (true, false),
            Verdict::Denied(_) | Verdict::Monitored(_) => (false, true),
            Verdict::Fault(_) | Verdict::Skipped(..) | Verdict::Unknown(_) | Verdict::SettingsError(_) => {
                (false, false)
            }
        };
        self.of_policy(name, origin, |policy| {
            policy.see("the policy".to_owned(), VERDICTS, admits.then_some(true));
            policy.see("the policy".to_owned(), VERDICTS, denies.then_some(false));
        });
    }

    fn of_policy(&mut self, name: &str, origin: &str, note: impl FnOnce(&mut PolicyCoverage)) {
        let known = self.policies.iter_mut().find(|policy| policy.name == name && policy.origin == origin);
        if let Some(policy) = known {
            note(policy);
        } else {
            let (name, origin) = (name.to_owned(), origin.to_owned());
            let mut policy = PolicyCoverage { name, origin, parts: Vec::new() };
            note(&mut policy);
            self.policies.push(policy);
        }
    }
}

impl PolicyCoverage {
    /// Notes a part, and which of its ways is seen.
    fn see(&mut self, name: String, ways: [&'static str; 2], holds: Option<bool>) {
        let known = self.parts.iter_mut().find(|part| part.name == name);
        let see = |part: &mut Part| {
            let [yes, no] = &mut part.ways;
            match holds {
                Some(true) => yes.1 = true,
                Some(false) => no.1 = true,
                None => {}
            }
        };
        if let Some(part) = known {
            see(part);
        } else {
            let mut part = Part { name, ways: ways.map(|way| (way, false)) };
            see(&mut part);
            self.parts.push(part);
        }
    }

    /// Returns what no case shows, in words: `no case in which spec.rules[1] matches`.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let missing = |part: &Part| {
            let ways = part.ways.into_iter().filter(|(_, is_seen)| !is_seen);
            ways.map(|(way, _)| format!("no case in which {} {way}", part.name)).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(missing).collect()
    }
}
