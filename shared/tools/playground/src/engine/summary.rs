//! The verdicts of all policies on an object, as the matrix shows them.

use std::rc::Rc;

use scan::{Answer, Asked, Denial, Effect, Pods, Policy, Violation, ask, ask_with_pods};

use super::Playground;
use super::checks;
use super::evaluated::{Evaluated, Place};
use super::policies::Prepared;
use crate::matrix::{CellState, CheckResult, Outcome, RequestOrigin};

#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts {
    /// In the order of the policies.
    pub(crate) cells: Vec<CellState>,
    pub(crate) violations: Vec<Found>,
    /// Whether they can depend on what policies look up.
    pub(crate) reads_cluster: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) policy: u32,
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

/// Asks the policies of a playground about an object, as the API server does. `receive` gets each
/// answer with its policy. Returns `None` if the object makes no request.
pub(crate) fn ask_about(
    playground: &Playground,
    evaluated: &Evaluated,
    receive: &mut dyn FnMut(&Prepared, &Answer, Asked<'_>),
) -> Option<()> {
    ask_with(playground, evaluated, &Prepared::evaluating, receive)
}

/// Asks as [`ask_about`] does; `form` returns a policy in the form that is asked.
pub(crate) fn ask_with(
    playground: &Playground,
    evaluated: &Evaluated,
    form: &dyn Fn(&Prepared) -> Option<Rc<Policy>>,
    receive: &mut dyn FnMut(&Prepared, &Answer, Asked<'_>),
) -> Option<()> {
    let mut request = evaluated.request(&playground.stored, playground.cluster().kinds())?;
    let enabled = playground.policies.iter().filter(|prepared| prepared.state.enabled);
    let mut asked: Vec<(&Prepared, Rc<Policy>)> =
        enabled.filter_map(|prepared| Some((&**prepared, form(prepared)?))).collect();
    asked.sort_by_key(|(_, policy)| policy.order());
    let policies: Vec<Rc<Policy>> = asked.iter().map(|(_, policy)| Rc::clone(policy)).collect();
    let mut receive = |answer: &Answer, about: Asked<'_>| {
        if let Some((prepared, _)) = asked.get(answer.policy) {
            receive(prepared, answer, about);
        }
    };
    let user = request.value().get("userInfo").cloned().unwrap_or_default();
    let is_review = evaluated.origin() == Some(RequestOrigin::Review);
    if playground.workspace.evaluates_pods && !is_review {
        ask_with_pods(&policies, &mut request, Pods::Auto, &user, playground.cluster(), &mut receive);
    } else {
        ask(&policies, &mut request, playground.cluster(), &mut receive);
    }
    Some(())
}

/// Evaluates an object by all policies; `None` if it makes no request.
pub(crate) fn evaluate(playground: &Playground, evaluated: &Evaluated) -> Option<Verdicts> {
    let mut verdicts = Verdicts {
        cells: playground.policies.iter().map(|prepared| unasked(prepared)).collect(),
        violations: Vec::new(),
        reads_cluster: false,
    };
    ask_about(playground, evaluated, &mut |prepared, answer, asked| {
        let outcome = outcome(playground, prepared, answer, asked);
        let Verdicts { cells, violations, reads_cluster } = &mut verdicts;
        // Selectors of a deployment read the labels of Namespaces.
        *reads_cluster |= prepared.entry.is_none() || !answer.verdict.look_ups.is_empty();
        let Some(cell) = usize::try_from(prepared.index).ok().and_then(|index| cells.get_mut(index)) else {
            return;
        };
        add(cell, outcome, answer, || headline(playground, prepared, answer, asked));
        for violation in violations_of(answer) {
            let (place, message) = locate(evaluated, violation, asked);
            violations.push(Found { policy: prepared.index, outcome, message, place });
        }
    })?;
    Some(verdicts)
}

/// Returns the cell of a policy that is not asked: it is not enabled, or not valid.
fn unasked(prepared: &Prepared) -> CellState {
    let reason = match prepared.state.problems.first() {
        _ if !prepared.state.enabled => None,
        Some(problem) => Some(problem.message.clone()),
        None => prepared.is_partial.then(|| "the engine that evaluates deployments is not loaded".to_owned()),
    };
    CellState {
        outcome: reason.as_ref().map(|_| Outcome::Unknown),
        violations: 0,
        warnings: 0,
        headline: reason.unwrap_or_default(),
        decided_by: None,
    }
}

/// Adds an answer to a cell. The worst one decides.
fn add(
    cell: &mut CellState,
    outcome: Outcome,
    answer: &Answer,
    headline: impl FnOnce() -> (String, Option<String>),
) {
    let more = denial(answer).map_or(0, |denial| denial.violations.len().saturating_add(denial.more));
    cell.violations += super::number(more);
    cell.warnings += super::number(answer.verdict.warnings.len());
    if cell.outcome.is_none_or(|known| outcome < known) {
        cell.outcome = Some(outcome);
        (cell.headline, cell.decided_by) = headline();
    }
}

pub(crate) fn outcome(
    playground: &Playground,
    prepared: &Prepared,
    answer: &Answer,
    asked: Asked<'_>,
) -> Outcome {
    match &answer.verdict.effect {
        Effect::Skipped => Outcome::NotLookedAt,
        Effect::Denied(_) => Outcome::Denied,
        // In monitor mode, the request is admitted whatever the answer is.
        Effect::Fault(_) if prepared.state.protects => Outcome::Fault,
        Effect::Monitored(_) | Effect::Fault(_) => Outcome::Monitored,
        Effect::Unknown(_) => Outcome::Unknown,
        Effect::Mutated(_) => Outcome::Changed,
        Effect::Admitted if answer.verdict.is_out_of_scope => Outcome::NotLookedAt,
        Effect::Admitted if !answer.verdict.warnings.is_empty() => Outcome::Warned,
        Effect::Admitted => match checks::deciding(playground, prepared, answer, asked) {
            Some(CheckResult::NotMet) => Outcome::NotLookedAt,
            Some(_) => Outcome::Unknown,
            None => Outcome::Passed,
        },
    }
}

pub(crate) fn denial(answer: &Answer) -> Option<&Denial> {
    match &answer.verdict.effect {
        Effect::Denied(denial) | Effect::Monitored(denial) => Some(denial),
        _ => None,
    }
}

fn violations_of(answer: &Answer) -> &[Violation] {
    denial(answer).map_or(&[], |denial| denial.violations.as_slice())
}

pub(crate) fn locate(
    evaluated: &Evaluated,
    violation: &Violation,
    asked: Asked<'_>,
) -> (Option<Place>, String) {
    let (steps, message) = asked.locate(violation);
    let place = match steps {
        Some(steps) => Some(Place::Object(evaluated.root("object", &steps))),
        None if asked.concerns_pods() => None,
        None => violation.payload_steps().and_then(|steps| evaluated.resolve(steps)),
    };
    (place, message)
}

/// Returns a sentence that says the most, and the name of the check that decides that the policy
/// does not look at the object.
fn headline(
    playground: &Playground,
    prepared: &Prepared,
    answer: &Answer,
    asked: Asked<'_>,
) -> (String, Option<String>) {
    let headline = match &answer.verdict.effect {
        Effect::Denied(denial) | Effect::Monitored(denial) => {
            denial.violations.first().map(|violation| asked.locate(violation).1).unwrap_or_default()
        }
        Effect::Fault(reason) | Effect::Unknown(reason) => reason.clone(),
        Effect::Mutated(_) => "changes the object".to_owned(),
        Effect::Skipped | Effect::Admitted => {
            if let Some(warning) = answer.verdict.warnings.first() {
                return (warning.clone(), None);
            }
            let checks = checks::of(playground, prepared, answer, asked).into_iter();
            let mut left = checks.filter(|check| check.result != CheckResult::Met);
            return left.next().map(|check| (check.message, Some(check.name))).unwrap_or_default();
        }
    };
    (headline, None)
}
