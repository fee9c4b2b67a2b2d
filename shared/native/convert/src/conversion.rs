//! The result of a conversion.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::PolicyManifest;

/// The result of converting a rule or a document.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    /// The differences between the input and the manifests.
    pub differences: Vec<Difference>,
    /// Facts that readers of the manifest should know, even if everything was converted.
    pub notes: Vec<String>,
    /// The manifest; `None` if there is nothing to deploy.
    pub manifest: Option<PolicyManifest>,
}

/// The effect of a [`Difference`] on verdicts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The manifests admit what the source refuses.
    Weaker,
    /// The manifests refuse or report what the source admits.
    Stricter,
    /// No manifest contains the part, whatever it does.
    NotConverted,
    /// Verdicts are the same, and messages are not.
    Text,
}

impl Class {
    /// The name, as in the JSON output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weaker => "weaker",
            Self::Stricter => "stricter",
            Self::NotConverted => "not-converted",
            Self::Text => "text",
        }
    }
}

/// A difference between the input and the manifests.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The effect on verdicts.
    pub class: Class,
    /// The name of the document; see [`Document::name`](crate::Document::name).
    pub document: String,
    /// The kind and the name of the object.
    pub policy: String,
    /// The name of the rule; `None` for a whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The path of the field in the document.
    pub path: String,
    /// The reason, and the alternative.
    pub problem: String,
}

/// Displays all but the document: `weaker: POLICY, rule RULE: PATH: PROBLEM`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, policy, rule, path, problem, .. } = self;
        write!(f, "{}: {policy}", class.name())?;
        if let Some(rule) = rule {
            write!(f, ", rule {rule}")?;
        }
        write!(f, ": {path}: {problem}")
    }
}

/// Returns the number of differences of each class that has one, as in `2 weaker, 1 text`; `None`
/// without a difference.
pub fn summary<'d>(differences: impl IntoIterator<Item = &'d Difference>) -> Option<String> {
    let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
    for difference in differences {
        *counts.entry(difference.class).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.into_iter().map(|(class, count)| format!("{count} {}", class.name())).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

#[derive(Clone, Debug)]
pub(crate) struct FieldProblem {
    pub(crate) path: String,
    pub(crate) problem: String,
    pub(crate) effect: Effect,
}

/// The effect of a problem on verdicts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Effect {
    NotConverted,
    /// The policy admits more.
    Admits,
    /// The policy refuses more, and is therefore in mode monitor.
    Refuses,
    /// Audits report more, or the policy refuses more for users that cannot exist.
    Reports,
    Text,
}

impl Effect {
    const fn class(self) -> Class {
        match self {
            Self::NotConverted => Class::NotConverted,
            Self::Admits => Class::Weaker,
            Self::Refuses | Self::Reports => Class::Stricter,
            Self::Text => Class::Text,
        }
    }
}

impl FieldProblem {
    pub(crate) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into(), effect: Effect::NotConverted }
    }

    pub(crate) fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// Adds the consequence of a problem because of which the policy refuses more.
    pub(crate) fn widening(&self, consequence: &str) -> Self {
        Self::new(&self.path, format!("{}; {consequence}", self.problem)).with(Effect::Refuses)
    }

    /// Returns whether the policy refuses more than what is converted, because of the problem.
    pub(crate) fn widens(&self) -> bool {
        self.effect == Effect::Refuses
    }
}

impl Conversion {
    /// A conversion without a manifest, of the whole document or of a rule.
    pub(crate) fn none(document: &str, policy: &str, rule: Option<&str>, problem: FieldProblem) -> Self {
        Self { differences: vec![Difference::new(document, policy, rule, problem)], ..Self::default() }
    }

    /// Returns a conversion for each manifest. The first has what readers should know about all.
    pub(crate) fn with(mut self, manifests: impl IntoIterator<Item = PolicyManifest>) -> Vec<Self> {
        let mut manifests = manifests.into_iter();
        self.manifest = manifests.next();
        let others = manifests.map(|manifest| Self { manifest: Some(manifest), ..Self::default() });
        std::iter::once(self).chain(others).collect()
    }
}

impl Difference {
    pub(crate) fn new(
        document: &str,
        policy: &str,
        rule: Option<&str>,
        FieldProblem { path, problem, effect }: FieldProblem,
    ) -> Self {
        Self {
            class: effect.class(),
            document: document.to_owned(),
            policy: policy.to_owned(),
            rule: rule.map(str::to_owned),
            path,
            problem,
        }
    }
}
