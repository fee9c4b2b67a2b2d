//! The verdicts of policies on the requests of a case.

use std::collections::BTreeMap;

use kubewarden::matching::Decision;
use manifest::path;
use scan::{Answer, Asked, Denial, Effect};
use serde_json::Value;

/// The verdict of a policy on all requests of a case.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) verdict: Verdict,
    pub(crate) warnings: Vec<String>,
    pub(crate) audit_annotations: BTreeMap<String, String>,
    pub(crate) asked: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// `rules`, `namespaceSelector`, `objectSelector`, the name of a condition, or that and
    /// `fails`; and a sentence.
    Skipped(String, String),
    Admitted,
    Mutated(Value),
    Monitored(Vec<Line>),
    Denied(Vec<Line>),
    Fault(String),
    Unknown(String),
    SettingsError(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) path: Option<String>,
    pub(crate) text: String,
}

impl Got {
    pub(crate) fn new(verdict: Verdict) -> Self {
        Self { verdict, warnings: Vec::new(), audit_annotations: BTreeMap::new(), asked: Vec::new() }
    }

    pub(crate) fn of(answer: &Answer, asked: Asked<'_>) -> Self {
        let verdict = match &answer.verdict.effect {
            Effect::Skipped => skipped(&answer.decision),
            effect => verdict(effect, |denial| lines(denial, asked)),
        };
        Self::with(verdict, &answer.verdict)
    }

    /// The verdict of a module that is asked whatever its policy is.
    pub(crate) fn of_module(found: &scan::Verdict) -> Self {
        let line = |text| Line { path: None, text };
        Self::with(verdict(&found.effect, |denial| denial.lines().into_iter().map(line).collect()), found)
    }

    fn with(verdict: Verdict, found: &scan::Verdict) -> Self {
        Self {
            verdict,
            warnings: found.warnings.clone(),
            audit_annotations: found.audit_annotations.clone(),
            asked: found.look_ups.iter().map(ToString::to_string).collect(),
        }
    }

    /// Adds what the policy does with a further request of the case. The worst verdict counts, with
    /// the lines of all.
    pub(crate) fn add(&mut self, mut other: Self) {
        self.warnings.append(&mut other.warnings);
        self.asked.append(&mut other.asked);
        self.audit_annotations.append(&mut other.audit_annotations);
        match (&mut self.verdict, other.verdict) {
            (Verdict::Denied(lines), Verdict::Denied(more))
            | (Verdict::Monitored(lines), Verdict::Monitored(more)) => lines.extend(more),
            (known, new) if new.rank() > known.rank() => *known = new,
            _ => {}
        }
    }
}

impl Verdict {
    fn rank(&self) -> u8 {
        match self {
            Self::Skipped(..) => 0,
            Self::Admitted => 1,
            Self::Mutated(_) => 2,
            Self::Monitored(_) => 3,
            Self::Denied(_) => 4,
            Self::Fault(_) => 5,
            Self::Unknown(_) => 6,
            Self::SettingsError(_) => 7,
        }
    }

    /// Returns whether the policy lets all requests pass, and is known to.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Skipped(..) | Self::Admitted | Self::Mutated(_))
    }
}

fn skipped(decision: &Decision) -> Verdict {
    let why = match decision {
        Decision::NamespaceIsNotSelected(_) => "namespaceSelector".to_owned(),
        Decision::ObjectIsNotSelected(_) => "objectSelector".to_owned(),
        Decision::ConditionIsFalse(name) => name.clone(),
        Decision::AdmittedByServer => "policyServer".to_owned(),
        // An error under failurePolicy Ignore. No name has a space.
        Decision::ConditionFailed(error) => format!("{} fails", error.condition),
        Decision::NeverSent | Decision::NoRuleMatches | Decision::Called(_) | Decision::Unknown(_) => {
            "rules".to_owned()
        }
    };
    Verdict::Skipped(why, decision.explain())
}

fn verdict(effect: &Effect, lines: impl Fn(&Denial) -> Vec<Line>) -> Verdict {
    match effect {
        Effect::Skipped | Effect::Admitted => Verdict::Admitted,
        Effect::Mutated(object) => Verdict::Mutated(object.clone()),
        Effect::Denied(denial) => Verdict::Denied(lines(denial)),
        Effect::Monitored(denial) => Verdict::Monitored(lines(denial)),
        Effect::Fault(message) => Verdict::Fault(message.clone()),
        Effect::Unknown(reason) => Verdict::Unknown(reason.clone()),
    }
}

fn lines(denial: &Denial, asked: Asked<'_>) -> Vec<Line> {
    let of_module = denial.lines();
    let located: Vec<_> = denial.violations.iter().map(|violation| asked.locate(violation)).collect();
    let line = |(index, text): (usize, String)| match located.get(index) {
        Some((steps, message)) => {
            let text = if asked.concerns_pods() { message.clone() } else { text };
            Line { path: steps.as_deref().map(path), text }
        }
        // The last line counts what does not fit into the message.
        None => Line { path: None, text },
    };
    of_module.into_iter().enumerate().map(line).collect()
}
