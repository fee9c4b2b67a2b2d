//! The comparison of what a case wants with what policies do.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::got::{Got, Verdict};
use crate::lines::{Text, borrowed, pairs, texts};
use crate::paths::value_at;
use crate::want::{Line, Mutation, Want, Wanted};
use crate::written;

/// A difference between what a case wants and what happens.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Difference {
    /// The policy; `None` if the difference concerns the case.
    pub policy: Option<String>,
    /// The wanted lines of a test file.
    pub want: Vec<String>,
    /// The lines of a test file that describe the result.
    pub got: Vec<String>,
    /// A hint for the reader.
    pub remark: Option<String>,
    /// The lines that would make the case pass; `None` if the verdict is not known.
    #[serde(skip)]
    pub(crate) blessed: Option<Vec<String>>,
}

impl Difference {
    /// A policy without a verdict, which is never a pass.
    pub(crate) fn not_asked(policy: &str, named: Named<'_>) -> Self {
        let want = match named {
            Named::Yes(want) | Named::ByStar(want) => {
                written::want(want, &Got::new(Verdict::Unknown(String::new())))
            }
            Named::No => vec!["# a verdict".to_owned()],
        };
        let got = vec!["# the policy was not asked".to_owned()];
        Self { policy: Some(policy.to_owned()), want, got, remark: None, blessed: None }
    }

    /// A difference that concerns the case, and not one of its policies.
    pub(crate) fn of_case(want: &str, got: String) -> Self {
        Self { policy: None, want: vec![want.to_owned()], got: vec![got], remark: None, blessed: None }
    }
}

/// Whether a case says something about a policy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named<'w> {
    /// By its name.
    Yes(&'w Want),
    /// By `*`, so that a policy that is not asked is also one that admits.
    ByStar(&'w Want),
    /// No: it must let the request pass.
    No,
}

/// Returns how the verdict of a policy differs from the wanted one. `is_one` says whether the case
/// has one request.
pub(crate) fn compare(policy: &str, named: Named<'_>, got: &Got, is_one: bool) -> Option<Difference> {
    let (want, is_star) = match named {
        Named::Yes(want) => (want, false),
        Named::ByStar(want) => (want, true),
        Named::No if got.verdict.passes() => return None,
        Named::No => {
            return Some(Difference {
                policy: Some(policy.to_owned()),
                want: vec!["# the case does not name the policy, so it has to admit the request".to_owned()],
                got: written::got(got, None),
                remark: remark(None, got, is_one),
                blessed: written::blessed(got, None, is_one),
            });
        }
    };
    let is_met = is_verdict(want, &got.verdict, is_star)
        && want.warnings.as_ref().is_none_or(|lines| are(lines, &texts(&got.warnings), want.more))
        && want.asked.as_ref().is_none_or(|lines| are(lines, &texts(&got.asked), want.more))
        && want
            .audit_annotations
            .as_ref()
            .is_none_or(|wanted| are_annotations(wanted, &got.audit_annotations, want.more));
    (!is_met).then(|| Difference {
        policy: Some(policy.to_owned()),
        want: written::want(want, got),
        got: written::got(got, Some(want)),
        remark: remark(Some(want), got, is_one),
        blessed: written::blessed(got, Some(want), is_one),
    })
}

fn is_verdict(want: &Want, got: &Verdict, is_star: bool) -> bool {
    match (&want.verdict, got) {
        (Wanted::Admitted, Verdict::Admitted) => true,
        (Wanted::Admitted, Verdict::Skipped(..)) => is_star,
        (Wanted::Denied(lines), Verdict::Denied(got))
        | (Wanted::Monitored(lines), Verdict::Monitored(got)) => are(lines, &borrowed(got), want.more),
        (Wanted::Mutated(mutation), Verdict::Mutated(object)) => is_mutation(mutation, object),
        (Wanted::Fault(line), Verdict::Fault(message))
        | (Wanted::SettingsError(line), Verdict::SettingsError(message)) => line.is(None, message),
        (Wanted::Skipped(wanted), Verdict::Skipped(why, _)) => wanted == why,
        _ => false,
    }
}

fn is_mutation(mutation: &Mutation, object: &Value) -> bool {
    match mutation {
        Mutation::Any => true,
        Mutation::Object(wanted) => wanted == object,
        Mutation::Values(values) => {
            values.iter().all(|(path, wanted)| value_at(object, path).unwrap_or(&Value::Null) == wanted)
        }
    }
}

/// Returns whether lines are the wanted ones, in order; with `more`, whether each wanted line is
/// another one of them, in any order.
fn are(wanted: &[Line], got: &[Text<'_>], more: bool) -> bool {
    if !more {
        let all = wanted.iter().zip(got).all(|(wanted, (path, text))| wanted.is(*path, text));
        return wanted.len() == got.len() && all;
    }
    pairs(wanted, got).iter().all(Option::is_some)
}

fn are_annotations(wanted: &BTreeMap<String, Line>, got: &BTreeMap<String, String>, more: bool) -> bool {
    let has = |(key, line): (&String, &Line)| got.get(key).is_some_and(|text| line.is(None, text));
    let is_wanted = |key: &String| wanted.contains_key(key) || key == admission::RULES;
    wanted.iter().all(has) && (more || got.keys().all(is_wanted))
}

/// Returns what a reader of the difference should know.
fn remark(want: Option<&Want>, got: &Got, is_one: bool) -> Option<String> {
    let wanted = want.map(|want| &want.verdict);
    match (wanted, &got.verdict) {
        (Some(Wanted::Denied(_)), Verdict::Monitored(_)) => Some(
            "the policy is in monitor mode, so the request is admitted; write monitored, or deploy the policy \
             with mode: protect"
                .to_owned(),
        ),
        (Some(Wanted::Monitored(_)), Verdict::Denied(_)) => {
            Some("the policy is in protect mode; write denied".to_owned())
        }
        (_, Verdict::Skipped(_, why)) => Some(format!("the policy is not asked: {why}")),
        (_, Verdict::Unknown(reason)) => Some(format!("an unknown verdict is never a pass: {reason}")),
        _ if !is_one => Some("the case has several objects: the worst verdict counts".to_owned()),
        _ => None,
    }
}
