//! `PolicyException`s of `policies.kyverno.io`, for policies in CEL.
//!
//! Source: `evaluateWithData` in `pkg/cel/policies/vpol/compiler/policy.go` and `ListExceptions` in
//! `pkg/cel/engine/exception.go` of kyverno/kyverno at 111e07b. An exception whose conditions are
//! all met skips the policy, unless it names images or values: these are variables for expressions,
//! which no check of the library reads.

use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;

#[derive(Debug)]
pub(super) struct ValidatingException<'d> {
    pub(super) document: &'d str,
    /// The kind and the name, for messages.
    pub(super) title: String,
    pub(super) path: String,
    /// The kinds and the names of policies.
    references: Vec<(&'d str, &'d str)>,
    /// The expressions that a request has to meet, with their paths.
    pub(super) conditions: Vec<(String, String)>,
    pub(super) is_whole: bool,
    pub(super) problems: Vec<FieldProblem>,
    pub(super) is_used: bool,
}

impl<'d> ValidatingException<'d> {
    pub(super) fn read(title: String, document: &Fields<'d>) -> Result<Self, InputError> {
        let spec = document.required_object("spec")?;
        let mut references = Vec::new();
        for reference in spec.objects("policyRefs")? {
            references.push((reference.required_text("kind")?, reference.required_text("name")?));
        }
        let mut conditions = Vec::new();
        for condition in spec.objects("matchConditions")? {
            let expression = condition.required_text("expression")?;
            conditions.push((condition.path("expression"), expression.to_owned()));
        }
        let mut problems = Vec::new();
        let mut is_whole = true;
        for key in ["images", "allowedValues"] {
            if !spec.list(key)?.is_empty() {
                is_whole = false;
                let problem = "excludes nothing, because no expression of the policy reads it";
                problems.push(FieldProblem::new(spec.path(key), problem));
            }
        }
        // Another field, such as an expiry, may narrow the exception.
        for (key, _) in
            spec.others(&["policyRefs", "matchConditions", "images", "allowedValues", "reportResult"])
        {
            is_whole = false;
            let problem = FieldProblem::new(spec.path(key), "has no equivalent");
            problems.push(problem.widening("the exception is not applied"));
        }
        let path = spec.path("policyRefs");
        let document = document.document();
        Ok(Self { document, title, path, references, conditions, is_whole, problems, is_used: false })
    }

    pub(super) fn applies_to(&self, kind: &str, name: &str) -> bool {
        self.references.contains(&(kind, name))
    }
}
