//! The actions of a rule on violations.
//!
//! Source: `failureActionForRule` and `matchOverride` in `pkg/engine/api/engineresponse.go` of
//! kyverno/kyverno at 111e07b. The first override that matches decides; those of the rule and its
//! `failureAction` come before those of the policy.

use rules::name::is_label;
use rules::pattern::Pattern;

use super::condition::{Condition, has_wildcards, namespaces_by_name};
use super::exclusion::only_other_namespaces;
use super::selector;
use crate::cel::{self, CelExpression};
use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;
use crate::{InputError, LabelSelector};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ViolationAction {
    Deny,
    Report,
    /// Admits the request, reports the violation and warns the requesting user.
    Warn,
}

#[derive(Clone, Debug)]
pub(super) struct LocalAction {
    pub(super) action: ViolationAction,
    pub(super) selectors: Vec<LabelSelector>,
    pub(super) conditions: Vec<CelExpression>,
}

#[derive(Debug)]
pub(super) struct RuleActions {
    /// The actions, each for other namespaces.
    pub(super) local: Vec<LocalAction>,
    /// Whether the rule tolerates existing violations. Kyverno does so only if the rule denies
    /// without regard to overrides.
    pub(super) tolerates: bool,
}

/// Namespaces, as fields of a policy can select them.
enum Namespaces {
    All,
    None,
    Selected(LabelSelector),
    Matching(CelExpression),
}

impl RuleActions {
    /// Reads the actions of a rule from `validate` and from the `spec` of its policy. `namespace`
    /// is that of a namespaced policy.
    pub(super) fn read(
        spec: &Fields<'_>,
        validate: &Fields<'_>,
        namespace: Option<&str>,
        problems: &mut Vec<FieldProblem>,
    ) -> Result<Self, InputError> {
        let warns = spec.boolean("emitWarning")? == Some(true);
        let (fields, key) = match validate.get("failureAction") {
            Some(_) => (validate, "failureAction"),
            None => (spec, "validationFailureAction"),
        };
        let base = action(fields, key, warns)?;
        let mut overrides = validate.objects("failureActionOverrides")?;
        if validate.get("failureAction").is_none() {
            overrides.extend(spec.objects("validationFailureActionOverrides")?);
        }
        let tolerates =
            base == ViolationAction::Deny && validate.boolean("allowExistingViolations")?.unwrap_or(true);
        let mut local = Vec::new();
        let mut rest = LocalAction { action: base, selectors: Vec::new(), conditions: Vec::new() };
        for over in &overrides {
            let action = action(over, "action", warns)?;
            problems.extend(over.unknown(&["action", "namespaces", "namespaceSelector"]));
            let Some((inside, outside)) = split(over, namespace, problems)? else {
                let problem = "the other namespaces cannot be selected, because names and labels, or several \
                               requirements on labels, cannot be inverted";
                let problem = FieldProblem::new(over.path("namespaceSelector"), problem)
                    .widening("the action of the policy is used in all namespaces");
                let is_lost_denial = action == ViolationAction::Deny && base != ViolationAction::Deny;
                problems.push(if is_lost_denial { problem.with(Effect::Admits) } else { problem });
                continue;
            };
            local.extend(rest.within(inside).map(|local| LocalAction { action, ..local }));
            match rest.within(outside) {
                Some(others) => rest = others,
                None => return Ok(Self { local, tolerates }),
            }
        }
        local.insert(0, rest);
        Ok(Self { local, tolerates })
    }
}

impl LocalAction {
    /// The same action in fewer namespaces; `None` if there are none.
    fn within(&self, namespaces: Namespaces) -> Option<Self> {
        let mut local = self.clone();
        match namespaces {
            Namespaces::All => {}
            Namespaces::None => return None,
            Namespaces::Selected(selector) => local.selectors.push(selector),
            Namespaces::Matching(expression) => local.conditions.push(expression),
        }
        Some(local)
    }
}

fn action(fields: &Fields<'_>, key: &str, warns: bool) -> Result<ViolationAction, InputError> {
    match fields.text(key)? {
        Some(action) if action.eq_ignore_ascii_case("enforce") => Ok(ViolationAction::Deny),
        Some(action) if !action.eq_ignore_ascii_case("audit") => {
            Err(fields.error(key, "expected Enforce or Audit"))
        }
        _ if warns => Ok(ViolationAction::Warn),
        _ => Ok(ViolationAction::Report),
    }
}

/// Returns the namespaces of an override and all others; `None` if the others cannot be selected.
fn split(
    over: &Fields<'_>,
    namespace: Option<&str>,
    problems: &mut Vec<FieldProblem>,
) -> Result<Option<(Namespaces, Namespaces)>, InputError> {
    let names: Vec<String> = over.texts("namespaces")?.into_iter().map(str::to_owned).collect();
    let labels = over.object("namespaceSelector")?;
    let labels = labels.map(|labels| selector::read(&labels, problems)).transpose()?;
    // A pattern is not a value of a label, so an API server refuses the selector.
    if labels.as_ref().is_some_and(has_wildcards) {
        return Ok(None);
    }
    Ok(match (labels, namespace) {
        (None, _) if names.is_empty() => Some((Namespaces::None, Namespaces::All)),
        (None, Some(namespace)) => Some(if names.iter().any(|name| Pattern::of(name).matches(namespace)) {
            (Namespaces::All, Namespaces::None)
        } else {
            (Namespaces::None, Namespaces::All)
        }),
        (None, None) if names.iter().all(|name| is_label(name)) => Some((
            Namespaces::Selected(namespaces_by_name("In", &names)),
            Namespaces::Selected(namespaces_by_name("NotIn", &names)),
        )),
        (None, None) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let is_named = cel::matches_any("request.namespace", &names);
            Some((Namespaces::Matching(is_named.clone()), Namespaces::Matching(is_named.negated())))
        }
        (Some(labels), None) if names.is_empty() => {
            let others = only_other_namespaces(&Condition::NamespaceSelector(labels.clone()));
            others.map(|others| (Namespaces::Selected(labels), Namespaces::Selected(others)))
        }
        (Some(_), _) => None,
    })
}
