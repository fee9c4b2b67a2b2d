//! The match conditions of manifests: whose pods they judge, and pods that inherit root.

use super::allowance::RunAs;
use super::usage::{Usage, Users};
use crate::MatchCondition;
use crate::cel::{self, CelExpression};

/// The service account of a pod, empty if it has none.
const ACCOUNT: &str = "(has(object.spec.serviceAccountName) ? object.spec.serviceAccountName : '')";

/// The group of all service accounts. Those of a namespace have the group with `:` and its name.
const ACCOUNTS: &str = "system:serviceaccounts";

/// The requesting user or the service account of the pod may use a policy.
///
/// As for the plugin, the service account has its own groups, and not `system:authenticated`
/// (`MakeGroupNames` in `pkg/authentication/serviceaccount` of kubernetes/apiserver).
pub(super) fn may_use(usage: &Usage) -> CelExpression {
    let mut alternatives = vec![is_one_of(&usage.everywhere)];
    for (namespace, users) in &usage.in_namespaces {
        let is_there = cel::is_one_of("request.namespace", [namespace.as_str()]);
        alternatives.push(CelExpression::All(vec![is_there, is_one_of(users)]));
    }
    CelExpression::Any(alternatives)
}

fn is_one_of(among: &Users) -> CelExpression {
    if among.are_all() {
        return CelExpression::All(Vec::new());
    }
    let Users { users, groups } = among;
    let mut alternatives = vec![cel::is_requested_by_one_of(
        users.iter().map(String::as_str),
        groups.iter().map(String::as_str),
    )];
    let accounts: Vec<&str> =
        users.iter().map(String::as_str).filter(|user| user.starts_with("system:serviceaccount:")).collect();
    if !accounts.is_empty() {
        let account = format!("('system:serviceaccount:' + request.namespace + ':' + {ACCOUNT})");
        alternatives.push(cel::is_one_of(&account, accounts));
    }
    let of_namespaces = groups.iter().filter_map(|group| group.strip_prefix(ACCOUNTS)?.strip_prefix(':'));
    let namespaces: Vec<&str> = of_namespaces.collect();
    let has_account = || CelExpression::plain(format!("{ACCOUNT} != ''"));
    if groups.contains(ACCOUNTS) {
        alternatives.push(has_account());
    } else if !namespaces.is_empty() {
        let is_there = cel::is_one_of("request.namespace", namespaces);
        alternatives.push(CelExpression::All(vec![has_account(), is_there]));
    }
    CelExpression::Any(alternatives)
}

/// A condition, unless it holds for every request.
pub(super) fn condition(name: &str, expression: &CelExpression) -> Option<MatchCondition> {
    let condition = || MatchCondition { name: name.to_owned(), expression: expression.to_string() };
    (!expression.is_always_true()).then(condition)
}

/// A container runs as root because of what it leaves to the pod.
///
/// A policy is about the user and `runAsNonRoot` that containers end up with, and the standards are
/// about each field: the pod's `runAsUser: 0` is refused even if no container inherits it.
pub(super) fn inherits_root(run_as: RunAs) -> Option<MatchCondition> {
    const LISTS: [&str; 2] = ["object.spec.initContainers", "object.spec.ephemeralContainers"];
    let more = LISTS.map(|list| format!(" + (has({list}) ? {list} : [])")).concat();
    let own = |field: &str| format!("(has(c.securityContext) && has(c.securityContext.{field}))");
    let of_pod = |field: &str| {
        format!("(has(object.spec.securityContext) && has(object.spec.securityContext.{field}))")
    };
    let is_root = format!(
        "!{} && {} && object.spec.securityContext.runAsUser == 0",
        own("runAsUser"),
        of_pod("runAsUser")
    );
    let may_be_root = format!(
        "!{} && ({} ? !object.spec.securityContext.runAsNonRoot : !{} && !{})",
        own("runAsNonRoot"),
        of_pod("runAsNonRoot"),
        own("runAsUser"),
        of_pod("runAsUser")
    );
    let inherits = match run_as {
        RunAs::Any => return None,
        RunAs::NonZero => is_root,
        RunAs::NonRoot => format!("{is_root} || {may_be_root}"),
    };
    let expression = CelExpression::plain(format!("(object.spec.containers{more}).exists(c, {inherits})"));
    condition("inherits-root", &expression)
}
