//! Expansions: the workloads whose templates Gatekeeper evaluates as pods.
//!
//! Source: `pkg/expansion` and `createReviewForResultant` in `pkg/webhook/policy.go` of
//! open-policy-agent/gatekeeper at dd8507e.

use std::collections::BTreeSet;

use super::action::ACTIONS;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::target::Target;

/// Workloads whose templates are evaluated.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    pub(super) targets: BTreeSet<Target>,
    /// The action instead of that of the constraint.
    pub(super) action: Option<String>,
}

const OTHER: &str = "makes something else of objects than pods of workloads of Kubernetes, and is not converted; the \
     manifests evaluate the pods that result";

impl Expansion {
    pub(super) fn read(object: &Fields<'_>) -> Result<Result<Self, FieldProblem>, InputError> {
        let spec = object.required_object("spec")?;
        let generated = spec.required_object("generatedGVK")?;
        let is_pod = generated.text("kind")? == Some("Pod")
            && generated.text("version")? == Some("v1")
            && generated.text("group")?.unwrap_or_default().is_empty();
        let source = spec.text("templateSource")?.unwrap_or_default();
        let mut targets = BTreeSet::new();
        let mut is_known = is_pod;
        for applied in spec.objects("applyTo")? {
            let (groups, versions) = (applied.texts("groups")?, applied.texts("versions")?);
            for kind in applied.texts("kinds")? {
                let found = Target::OF_POD_SECURITY.into_iter().find(|target| {
                    !target.is_pod() && target.kind() == kind && groups.contains(&target.group())
                });
                let found = found.filter(|target| place(*target) == source && versions.contains(&"v1"));
                is_known &= found.is_some();
                targets.extend(found);
            }
        }
        if !is_known || targets.is_empty() {
            return Ok(Err(FieldProblem::new(object.path("spec"), OTHER)));
        }
        let action = spec.text("enforcementAction")?.filter(|action| !action.is_empty());
        if action.is_some_and(|action| !ACTIONS.contains(&action)) {
            return Err(spec.error("enforcementAction", "expected deny, dryrun or warn"));
        }
        let action = action.map(str::to_owned);
        Ok(Ok(Self { targets, action }))
    }
}

pub(super) fn place(target: Target) -> &'static str {
    match target {
        Target::CronJob => "spec.jobTemplate.spec.template",
        Target::PodTemplate => "template",
        _ => "spec.template",
    }
}
