//! Requests, by the policies that may be used for them.

use super::allowance::Allowance;
use super::conditions;
use super::policy::Policy;
use super::usage::Usage;
use crate::cel::CelExpression;

/// The largest number of combinations of policies.
const MAX_COMBINATIONS: usize = 16;

/// Requests for which the policies that may be used allow the same together.
#[derive(Debug)]
pub(super) struct Selection {
    /// The policies that such requests may use, at least some of them.
    pub(super) members: Vec<usize>,
    pub(super) allowance: Allowance,
    /// The condition that requests meet. No request meets the conditions of two selections.
    pub(super) condition: CelExpression,
}

/// Returns the selections for all requests: one for each union of what policies allow, and one for
/// requests for which no policy may be used.
///
/// # Errors
/// The reason, if there are too many combinations.
pub(super) fn select(policies: &[Policy], usages: &[Usage]) -> Result<Vec<Selection>, String> {
    let mut unions: Vec<Allowance> = Vec::new();
    for policy in policies {
        let mut more = vec![policy.allowance.clone()];
        more.extend(unions.iter().map(|union| union.union(&policy.allowance)));
        for union in more {
            if !unions.contains(&union) {
                unions.push(union);
            }
        }
        if unions.len() > MAX_COMBINATIONS {
            return Err(format!(
                "the policies have more than {MAX_COMBINATIONS} combinations that allow different things, so none is converted; convert fewer at a time, with the bindings of the users in question"
            ));
        }
    }
    let may_use: Vec<CelExpression> = usages.iter().map(conditions::may_use).collect();
    let is_below = |allowance: &Allowance, union: &Allowance| union.contains(allowance);
    let mut selections = Vec::new();
    for union in &unions {
        let indexed = || policies.iter().zip(&may_use).enumerate();
        let members: Vec<usize> = indexed()
            .filter(|(_, (policy, _))| is_below(&policy.allowance, union))
            .map(|(index, _)| index)
            .collect();
        let mut parts = Vec::new();
        // At least one policy that each smaller union lacks.
        let smaller: Vec<&Allowance> =
            unions.iter().filter(|other| *other != union && is_below(other, union)).collect();
        let largest =
            smaller.iter().filter(|one| !smaller.iter().any(|other| one != &other && is_below(one, other)));
        let below: Vec<Option<&Allowance>> =
            if smaller.is_empty() { vec![None] } else { largest.map(|one| Some(*one)).collect() };
        for smaller in below {
            let adds = |policy: &Policy| {
                is_below(&policy.allowance, union)
                    && smaller.is_none_or(|smaller| !is_below(&policy.allowance, smaller))
            };
            let alternatives =
                indexed().filter(|(_, (policy, _))| adds(policy)).map(|(_, (_, may))| may.clone());
            parts.push(CelExpression::Any(alternatives.collect()));
        }
        let others: Vec<&CelExpression> = indexed()
            .filter(|(_, (policy, _))| !is_below(&policy.allowance, union))
            .map(|(_, (_, may))| may)
            .collect();
        if others.iter().any(|may| may.is_always_true()) {
            // Every request may use a policy that allows more.
            continue;
        }
        parts.retain(|part| !part.is_always_true());
        parts.extend(others.into_iter().map(|may| may.clone().negated()));
        selections.push(Selection {
            members,
            allowance: union.clone(),
            condition: CelExpression::All(parts),
        });
    }
    if !may_use.iter().any(CelExpression::is_always_true) {
        let condition = CelExpression::All(may_use.into_iter().map(CelExpression::negated).collect());
        selections.push(Selection { members: Vec::new(), allowance: Allowance::default(), condition });
    }
    Ok(selections)
}
