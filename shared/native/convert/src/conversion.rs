//! The result of a conversion.

use serde::Serialize;

use crate::PolicyManifest;

/// The result of converting a rule or a document.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    /// The parts that were not converted.
    pub not_converted: Vec<NotConverted>,
    /// Facts that readers of the manifest should know, even if everything was converted.
    pub notes: Vec<String>,
    /// The manifest; `None` if there is nothing to deploy.
    pub manifest: Option<PolicyManifest>,
}

/// A part of the input that no manifest contains.
#[derive(Clone, Debug, Serialize)]
pub struct NotConverted {
    /// The name of the document; see [`Document::name`](crate::Document::name).
    pub document: String,
    /// The kind and the name of the object.
    pub policy: String,
    /// The name of the rule; `None` for a whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The path of the field in the document.
    pub path: String,
    /// The reason why the field is not converted, and the alternative.
    pub problem: String,
}

#[derive(Clone, Debug)]
pub(crate) struct FieldProblem {
    pub(crate) path: String,
    pub(crate) problem: String,
    /// Whether the policy refuses more than what is converted, because of the problem.
    pub(crate) widens: bool,
}

impl FieldProblem {
    pub(crate) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into(), widens: false }
    }

    /// Adds the consequence of a problem because of which the policy refuses more.
    pub(crate) fn widening(&self, consequence: &str) -> Self {
        Self { widens: true, ..Self::new(&self.path, format!("{}; {consequence}", self.problem)) }
    }
}

impl Conversion {
    /// A conversion without a manifest, of the whole document or of a rule.
    pub(crate) fn none(document: &str, policy: &str, rule: Option<&str>, problem: FieldProblem) -> Self {
        Self { not_converted: vec![NotConverted::new(document, policy, rule, problem)], ..Self::default() }
    }

    /// Returns a conversion for each manifest. The first has what readers should know about all.
    pub(crate) fn with(mut self, manifests: impl IntoIterator<Item = PolicyManifest>) -> Vec<Self> {
        let mut manifests = manifests.into_iter();
        self.manifest = manifests.next();
        let others = manifests.map(|manifest| Self { manifest: Some(manifest), ..Self::default() });
        std::iter::once(self).chain(others).collect()
    }
}

impl NotConverted {
    pub(crate) fn new(
        document: &str,
        policy: &str,
        rule: Option<&str>,
        FieldProblem { path, problem, .. }: FieldProblem,
    ) -> Self {
        Self {
            document: document.to_owned(),
            policy: policy.to_owned(),
            rule: rule.map(str::to_owned),
            path,
            problem,
        }
    }
}
