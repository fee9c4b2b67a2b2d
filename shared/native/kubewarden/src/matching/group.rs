//! Groups of policies: an expression about the verdicts of their members.
//!
//! Sources: `api/policies/v1/policygroup_validation.go` and
//! `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` of
//! kubewarden/kubewarden-controller at 3460bb71. The controller refuses expressions that are not
//! CEL with calls of members, `true`, `false`, `!`, `==`, `!=`, `&&` and `||`. The policy server
//! evaluates them by Rhai, and refuses a group whose expression Rhai cannot read. In this part of
//! both languages, an expression has the same meaning.

mod expression;
#[cfg(test)]
mod law;

use std::collections::BTreeMap;

use self::expression::{Expression, is_name};
use crate::matching::webhook_spec::InvalidWebhook;
/// The verdict of a member.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MemberVerdict {
    /// The member admits the object as it is.
    Admitted,
    /// The member denies the object, changes it, or is an error, with the message. Changes are not
    /// allowed in a group.
    Denied(String),
    /// The verdict is not known, with the reason.
    Unknown(String),
}

/// The verdict of a group.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum GroupVerdict {
    /// The expression is true.
    Admitted,
    /// The expression is false. The members that were asked and denied, with their messages.
    Denied(Vec<(String, String)>),
    /// The verdict depends on a member whose verdict is not known, with the name of the member and
    /// the reason.
    Unknown(String),
}

/// A group of policies, whose members are values of type `M`.
#[derive(Debug)]
pub struct Group<M> {
    text: String,
    expression: Expression,
    members: BTreeMap<String, M>,
}

/// The most members with an unknown verdict for which all combinations are tried.
const MOST_UNKNOWN: usize = 10;

/// The reserved words of CEL that Rhai takes as names, which the controller refuses.
const RESERVED: [&str; 2] = ["function", "namespace"];

struct Evaluation<'g> {
    expression: &'g Expression,
    ask: &'g mut dyn FnMut(&str) -> MemberVerdict,
    verdicts: BTreeMap<String, MemberVerdict>,
}

impl<M> Group<M> {
    /// Creates a group.
    ///
    /// # Errors
    /// A group without members, a name that is not an identifier, an expression that the
    /// controller refuses: one that is not CEL, or has other operators than `!`, `==`, `!=`, `&&`
    /// and `||`, or calls a function that is not a member; and one that Rhai refuses.
    pub fn new(expression: &str, members: BTreeMap<String, M>) -> Result<Self, InvalidWebhook> {
        if members.is_empty() {
            let problem = "Required value: a group has at least one member; add one";
            return Err(InvalidWebhook::at("spec.policies", problem));
        }
        for name in members.keys() {
            if RESERVED.contains(&name.as_str()) || !is_name(name) {
                let problem = "Invalid value: the name is not an identifier of CEL and Rhai; use letters, digits and \
                               underscores, and no keyword";
                return Err(InvalidWebhook::at(&format!("spec.policies.{name}"), problem));
            }
        }
        if expression.is_empty() {
            let problem = "Required value: a group has an expression; add it";
            return Err(InvalidWebhook::at("spec.expression", problem));
        }
        let text = expression.to_owned();
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        match Expression::read(expression, &names) {
            Ok(expression) => Ok(Self { text, expression, members }),
            Err(problem) => {
                Err(InvalidWebhook::at("spec.expression", &format!("Invalid value: {text:?}: {problem}")))
            }
        }
    }

    /// The expression.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.text
    }

    /// The members by name.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<String, M> {
        &self.members
    }

    /// Returns the group with other values as members.
    pub fn map<N>(self, mut value: impl FnMut(M) -> N) -> Group<N> {
        let members = self.members.into_iter().map(|(name, member)| (name, value(member))).collect();
        Group { text: self.text, expression: self.expression, members }
    }

    /// Evaluates the expression. `ask` is called once for each member whose verdict the expression
    /// needs, in the order in which the policy server calls them: `a() || b()` needs `b` only if
    /// `a` does not admit.
    ///
    /// If a verdict is not known, the group has a verdict only if both values lead to it.
    pub fn evaluate(&self, mut ask: impl FnMut(&M) -> MemberVerdict) -> GroupVerdict {
        let mut ask = |name: &str| match self.members.get(name) {
            Some(member) => ask(member),
            None => MemberVerdict::Unknown("the group has no such member".to_owned()),
        };
        let verdicts = BTreeMap::new();
        let mut evaluation = Evaluation { expression: &self.expression, ask: &mut ask, verdicts };
        let outcome = evaluation.solve(&BTreeMap::new());
        let verdicts = evaluation.verdicts;
        let denials = || {
            verdicts.into_iter().filter_map(|(name, verdict)| match verdict {
                MemberVerdict::Denied(message) => Some((name, message)),
                MemberVerdict::Admitted | MemberVerdict::Unknown(_) => None,
            })
        };
        match outcome {
            Ok(true) => GroupVerdict::Admitted,
            Ok(false) => GroupVerdict::Denied(denials().collect()),
            Err(reason) => GroupVerdict::Unknown(reason),
        }
    }
}

impl Evaluation<'_> {
    /// Evaluates the expression with the values that are assumed for members with an unknown
    /// verdict. An error says why the value is not known.
    fn solve(&mut self, assumed: &BTreeMap<String, bool>) -> Result<bool, String> {
        loop {
            let mut values = assumed.clone();
            values.extend(self.verdicts.iter().filter_map(|(name, verdict)| match verdict {
                MemberVerdict::Admitted => Some((name.clone(), true)),
                MemberVerdict::Denied(_) => Some((name.clone(), false)),
                MemberVerdict::Unknown(_) => None,
            }));
            let member = match self.expression.value(&values) {
                Ok(value) => return Ok(value),
                Err(member) => member,
            };
            let ask = &mut self.ask;
            let verdict = self.verdicts.entry(member.clone()).or_insert_with(|| ask(&member));
            let MemberVerdict::Unknown(reason) = verdict else { continue };
            let unknown = Err(format!("{member}: {reason}"));
            if assumed.len() >= MOST_UNKNOWN {
                return unknown;
            }
            let mut with = |value| {
                let mut assumed = assumed.clone();
                assumed.insert(member.clone(), value);
                self.solve(&assumed)
            };
            let (admitted, denied) = (with(true), with(false));
            return if admitted == denied { admitted } else { unknown };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members that are their own names.
    fn members(names: &[&'static str]) -> BTreeMap<String, &'static str> {
        names.iter().map(|name| ((*name).to_owned(), *name)).collect()
    }

    fn group(expression: &str) -> Result<Group<&'static str>, InvalidWebhook> {
        Group::new(expression, members(&["signed", "trusted", "exempt"]))
    }

    /// Evaluates with the verdicts of `signed`, `trusted` and `exempt`: `+` admits, `-` denies, `?`
    /// is not known. Returns the verdict and the members that were asked.
    fn evaluate(expression: &str, verdicts: &str) -> (GroupVerdict, String) {
        let mut asked = Vec::new();
        let verdict = group(expression).unwrap().evaluate(|member| {
            asked.push(*member);
            let at = ["signed", "trusted", "exempt"].iter().position(|name| name == member).unwrap();
            match verdicts.as_bytes()[at] {
                b'+' => MemberVerdict::Admitted,
                b'-' => MemberVerdict::Denied(format!("not {member}")),
                _ => MemberVerdict::Unknown(format!("{member} is missing")),
            }
        });
        (verdict, asked.join(" "))
    }

    fn denied(members: &[&str]) -> GroupVerdict {
        GroupVerdict::Denied(members.iter().map(|name| ((*name).to_owned(), format!("not {name}"))).collect())
    }

    #[test]
    fn members_are_asked_once_and_only_if_they_are_needed() {
        for (expression, verdicts, want, asked) in [
            ("signed() && trusted()", "++-", GroupVerdict::Admitted, "signed trusted"),
            ("signed() && trusted()", "-+-", denied(&["signed"]), "signed"),
            ("signed() || trusted()", "+--", GroupVerdict::Admitted, "signed"),
            ("signed() || trusted()", "---", denied(&["signed", "trusted"]), "signed trusted"),
            (
                "exempt() || (signed() && trusted())",
                "+--",
                denied(&["exempt", "trusted"]),
                "exempt signed trusted",
            ),
            ("signed() && !signed()", "+++", GroupVerdict::Denied(Vec::new()), "signed"),
            // A member that denies is what `!` asks for.
            ("!exempt()", "++-", GroupVerdict::Admitted, "exempt"),
            ("signed() == trusted()", "--+", GroupVerdict::Admitted, "signed trusted"),
            ("signed() != trusted()", "-++", GroupVerdict::Admitted, "signed trusted"),
            ("true", "---", GroupVerdict::Admitted, ""),
            ("signed() // of whom?\r\n && trusted( )", "++-", GroupVerdict::Admitted, "signed trusted"),
        ] {
            assert_eq!(evaluate(expression, verdicts), (want, asked.to_owned()), "{expression} {verdicts}");
        }
    }

    #[test]
    fn an_unknown_member_decides_only_if_both_values_would() {
        let unknown = |member: &str| GroupVerdict::Unknown(format!("{member}: {member} is missing"));
        for (expression, verdicts, want, asked) in [
            ("signed() && trusted()", "?++", unknown("signed"), "signed trusted"),
            ("signed() && trusted()", "?-+", denied(&["trusted"]), "signed trusted"),
            ("signed() || trusted()", "?++", GroupVerdict::Admitted, "signed trusted"),
            ("signed() || trusted()", "?-+", unknown("signed"), "signed trusted"),
            ("signed() || !signed()", "?++", GroupVerdict::Admitted, "signed"),
            ("(signed() || trusted()) && exempt()", "??-", denied(&["exempt"]), "signed exempt trusted"),
            ("signed() == trusted()", "??+", unknown("trusted"), "signed trusted"),
            ("(signed() || !signed()) && trusted()", "??+", unknown("trusted"), "signed trusted"),
        ] {
            assert_eq!(evaluate(expression, verdicts), (want, asked.to_owned()), "{expression} {verdicts}");
        }
    }

    #[test]
    fn names_and_lengths_that_the_policy_server_cannot_load_are_refused() {
        // Words of both languages, of CEL alone and of Rhai alone, and functions of Rhai.
        for name in ["while", "namespace", "fn", "spawn", "call", "print", "_", "a-b", "1a", ""] {
            let error = Group::new("true", members(&[name])).unwrap_err().0;
            assert!(error.contains("not an identifier of CEL and Rhai"), "{name}: {error}");
        }
        assert!(group(&vec!["signed()"; 64].join(" || ")).is_ok());
        let error = group(&vec!["signed()"; 65].join(" || ")).unwrap_err().0;
        assert!(
            error.contains("the policy server cannot evaluate it: Syntax error: Expression exceeds"),
            "{error}"
        );
    }

    #[test]
    fn many_unknown_members_end() {
        let names: Vec<String> = (0..40).map(|at| format!("m{at}")).collect();
        let expression = names.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join(" || ");
        let members = names.iter().map(|name| (name.clone(), ()));
        let group = Group::new(&expression, members.collect()).unwrap();
        let verdict = group.evaluate(|()| MemberVerdict::Unknown("x".to_owned()));
        assert_eq!(verdict, GroupVerdict::Unknown("m0: x".to_owned()));
    }

    #[test]
    fn expressions_that_the_controller_refuses_are_errors() {
        for (expression, want) in [
            ("", "spec.expression: Required value"),
            ("signed() &&", "not an expression of CEL"),
            ("singed()", "singed is not the call of a member; write signed()"),
            ("signed() && other()", "other is not the call of a member; use exempt, signed, trusted"),
            ("(signed()", "not an expression of CEL: it ends too early"),
            ("signed())", "not an expression of CEL: unexpected )"),
            ("signed() true", "not an expression of CEL: unexpected true"),
            ("true()", "not an expression of CEL: unexpected ("),
            (&format!("{}signed()", "(".repeat(97)), "Expression exceeds maximum complexity"),
            ("signed()  ? true : false", "'?' has no meaning in a group; use exempt, signed, trusted"),
            ("1 + 1", "'+' has no meaning in a group"),
            ("signed", "signed is not the call of a member; write signed()"),
            ("signed(true)", "signed has no arguments; write signed()"),
            ("'a'", "has no meaning in a group"),
            ("signed() == 1", "1 is not the call of a member"),
            ("signed() // a\r || exempt()", "a carriage return ends a comment for the policy server alone"),
        ] {
            let error = group(expression).map(|_| ()).expect_err(expression).0;
            assert!(error.contains(want), "{expression}: {error}");
        }
        assert!(Group::new("a()", members(&[])).unwrap_err().0.starts_with("spec.policies: Required value"));
    }
}
