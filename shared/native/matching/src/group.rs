//! Groups of policies: an expression about the verdicts of their members.
//!
//! Sources: `api/policies/v1/policygroup_validation.go` and
//! `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` of
//! kubewarden/kubewarden-controller at 3460bb71. The controller refuses expressions that are not
//! CEL with calls of members, `true`, `false`, `!`, `==`, `!=`, `&&` and `||`. The policy server
//! evaluates them by Rhai, in whose grammar they mean the same: operators have the same precedence,
//! and `&&` and `||` evaluate the right side only if the left one does not decide. (40,000 random
//! expressions had the same values and calls in Rhai 1.24, which is not a dependency: one of its
//! own has the licence MPL-2.0.) Members whose
//! name is a keyword of Rhai are refused here, because the policy server cannot load such a group.

use std::collections::BTreeMap;

use cel::Program;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use text::nearest;

use crate::policy::Module;

/// A group of policies.
#[derive(Debug)]
pub struct Group {
    expression: String,
    program: Program,
    members: BTreeMap<String, Module>,
}

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
    /// The verdict depends on a member whose verdict is not known.
    Unknown {
        /// The name of the member.
        member: String,
        /// The reason.
        reason: String,
    },
}

/// The most members with an unknown verdict for which all combinations are tried.
const MOST_UNKNOWN: usize = 10;

/// Operators that the controller allows, as the parser of CEL names them.
const OPERATORS: [&str; 5] = [
    operators::EQUALS,
    operators::LOGICAL_AND,
    operators::LOGICAL_NOT,
    operators::LOGICAL_OR,
    operators::NOT_EQUALS,
];

/// Names that cannot be functions: the reserved words of CEL that the controller knows, and the
/// words that Rhai 1.24 does not call as functions.
const RESERVED: &[&str] = &[
    "Fn",
    "_",
    "as",
    "async",
    "await",
    "break",
    "call",
    "case",
    "catch",
    "const",
    "continue",
    "curry",
    "debug",
    "default",
    "do",
    "else",
    "eval",
    "export",
    "false",
    "fn",
    "for",
    "function",
    "go",
    "goto",
    "if",
    "import",
    "in",
    "is",
    "is_def_fn",
    "is_def_var",
    "is_shared",
    "let",
    "loop",
    "match",
    "module",
    "namespace",
    "new",
    "nil",
    "null",
    "package",
    "print",
    "private",
    "protected",
    "public",
    "return",
    "shared",
    "spawn",
    "static",
    "super",
    "switch",
    "sync",
    "this",
    "thread",
    "throw",
    "true",
    "try",
    "type_of",
    "until",
    "use",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The most operators of an expression. Rhai refuses expressions with more than 64 levels, and each
/// operator is one at most.
const MOST_OPERATORS: usize = 50;

/// The value of an expression.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Outcome {
    Value(bool),
    /// The value depends on this member.
    Unknown(String),
}

/// An evaluation of an expression.
struct Evaluation<'g> {
    expression: &'g IdedExpr,
    ask: &'g mut dyn FnMut(&str) -> MemberVerdict,
    verdicts: BTreeMap<String, MemberVerdict>,
}

impl Group {
    /// Creates a group.
    ///
    /// # Errors
    /// A group without members, a name that is not an identifier, and an expression that the
    /// controller refuses: one that is not CEL, or has other operators than `!`, `==`, `!=`, `&&`
    /// and `||`, or calls a function that is not a member.
    pub fn new(expression: &str, members: BTreeMap<String, Module>) -> Result<Self, String> {
        if members.is_empty() {
            return Err("spec.policies: Required value: a group has at least one member; add one".to_owned());
        }
        for name in members.keys() {
            let is_identifier = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
            if !is_identifier || RESERVED.contains(&name.as_str()) {
                return Err(format!(
                    "spec.policies.{name}: Invalid value: the name is not an identifier of CEL and Rhai; use \
                     letters, digits and underscores, and no keyword"
                ));
            }
        }
        if expression.is_empty() {
            return Err("spec.expression: Required value: a group has an expression; add it".to_owned());
        }
        let error = |problem: &str| Err(format!("spec.expression: Invalid value: {expression:?}: {problem}"));
        let program = match Program::compile(expression) {
            Ok(program) => program,
            Err(cause) => {
                return error(&format!(
                    "not an expression of CEL: {cause}; write members as calls, such as a() && !b()"
                ));
            }
        };
        let mut operators = MOST_OPERATORS;
        if let Err(problem) = check(program.expression(), &members, &mut operators) {
            return error(&problem);
        }
        Ok(Self { expression: expression.to_owned(), program, members })
    }

    /// The expression.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The members by name.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<String, Module> {
        &self.members
    }

    /// Evaluates the expression. `ask` is called once for each member whose verdict the expression
    /// needs, in the order in which the policy server calls them: `a() || b()` needs `b` only if
    /// `a` does not admit.
    ///
    /// If a verdict is not known, the group has a verdict only if both values lead to it.
    pub fn evaluate(&self, ask: &mut dyn FnMut(&str) -> MemberVerdict) -> GroupVerdict {
        let expression = self.program.expression();
        let mut evaluation = Evaluation { expression, ask, verdicts: BTreeMap::new() };
        let outcome = evaluation.solve(&BTreeMap::new());
        let verdicts = evaluation.verdicts;
        match outcome {
            Outcome::Value(true) => GroupVerdict::Admitted,
            Outcome::Value(false) => GroupVerdict::Denied(
                verdicts
                    .into_iter()
                    .filter_map(|(name, verdict)| match verdict {
                        MemberVerdict::Denied(message) => Some((name, message)),
                        _ => None,
                    })
                    .collect(),
            ),
            Outcome::Unknown(member) => {
                let reason = match verdicts.get(&member) {
                    Some(MemberVerdict::Unknown(reason)) => reason.clone(),
                    _ => String::new(),
                };
                GroupVerdict::Unknown { member, reason }
            }
        }
    }
}

/// Checks that an expression consists of members, `true` and `false` with the operators that the
/// controller allows, so that it is a boolean.
fn check(
    expression: &IdedExpr,
    members: &BTreeMap<String, Module>,
    operators: &mut usize,
) -> Result<(), String> {
    let names = || members.keys().map(String::as_str).collect::<Vec<_>>();
    match &expression.expr {
        Expr::Call(call) if OPERATORS.contains(&call.func_name.as_str()) => {
            *operators = operators.checked_sub(1).ok_or_else(|| {
                format!("it has more than {MOST_OPERATORS} operators, which the policy server may refuse; shorten it")
            })?;
            call.args.iter().try_for_each(|argument| check(argument, members, operators))
        }
        Expr::Call(CallExpr { func_name, target: None, args }) if members.contains_key(func_name) => {
            if args.is_empty() {
                Ok(())
            } else {
                Err(format!("{func_name} has no arguments; write {func_name}()"))
            }
        }
        Expr::Literal(LiteralValue::Boolean(_)) => Ok(()),
        Expr::Call(CallExpr { func_name: name, .. }) | Expr::Ident(name) => {
            let remedy = match nearest(name, &names()) {
                Some(near) => format!("write {near}()"),
                None => format!("use {} with the operators !, ==, !=, && and ||", names().join(", ")),
            };
            Err(format!("{name} is not the call of a member; {remedy}"))
        }
        _ => Err(format!(
            "a part is not a boolean; use {} with the operators !, ==, !=, && and ||",
            names().join(", ")
        )),
    }
}

/// Evaluates a checked expression; fails with the first member whose value is not known.
fn evaluate<'e>(expression: &'e IdedExpr, known: &dyn Fn(&str) -> Option<bool>) -> Result<bool, &'e str> {
    let call = match &expression.expr {
        Expr::Literal(LiteralValue::Boolean(value)) => return Ok(*value.inner()),
        Expr::Call(call) => call,
        // The check has refused everything else.
        _ => return Ok(false),
    };
    let value = |argument: &'e IdedExpr| evaluate(argument, known);
    match (call.func_name.as_str(), call.args.as_slice()) {
        (operators::LOGICAL_NOT, [one]) => value(one).map(|one| !one),
        (operators::LOGICAL_AND, [left, right]) => Ok(value(left)? && value(right)?),
        (operators::LOGICAL_OR, [left, right]) => Ok(value(left)? || value(right)?),
        (operators::EQUALS, [left, right]) => Ok(value(left)? == value(right)?),
        (operators::NOT_EQUALS, [left, right]) => Ok(value(left)? != value(right)?),
        (member, _) => known(member).ok_or(member),
    }
}

impl Evaluation<'_> {
    /// Evaluates the expression with the values that are assumed for members with an unknown
    /// verdict.
    fn solve(&mut self, assumed: &BTreeMap<String, bool>) -> Outcome {
        loop {
            let known = |member: &str| match self.verdicts.get(member) {
                Some(MemberVerdict::Admitted) => Some(true),
                Some(MemberVerdict::Denied(_)) => Some(false),
                Some(MemberVerdict::Unknown(_)) | None => assumed.get(member).copied(),
            };
            let member = match evaluate(self.expression, &known) {
                Ok(value) => return Outcome::Value(value),
                Err(member) => member,
            };
            if !self.verdicts.contains_key(member) {
                let verdict = (self.ask)(member);
                self.verdicts.insert(member.to_owned(), verdict);
            }
            if !matches!(self.verdicts.get(member), Some(MemberVerdict::Unknown(_))) {
                continue;
            }
            if assumed.len() >= MOST_UNKNOWN {
                return Outcome::Unknown(member.to_owned());
            }
            let mut with = |value| {
                let mut assumed = assumed.clone();
                assumed.insert(member.to_owned(), value);
                self.solve(&assumed)
            };
            let (admitted, denied) = (with(true), with(false));
            return if admitted == denied { admitted } else { Outcome::Unknown(member.to_owned()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn group(expression: &str) -> Result<Group, String> {
        let member = || Module {
            module: "registry://example.com/a:v1".to_owned(),
            settings: json!({}),
            context_aware_resources: Vec::new(),
        };
        let names = ["signed", "trusted", "exempt"];
        Group::new(expression, names.iter().map(|name| ((*name).to_owned(), member())).collect())
    }

    /// Evaluates with the verdicts of `signed`, `trusted` and `exempt`: `+` admits, `-` denies, `?`
    /// is not known. Returns the verdict and the members that were asked.
    fn evaluate(expression: &str, verdicts: &str) -> (GroupVerdict, String) {
        let mut asked = Vec::new();
        let verdict = group(expression).unwrap().evaluate(&mut |member| {
            asked.push(member.to_owned());
            let at = ["signed", "trusted", "exempt"].iter().position(|name| *name == member).unwrap();
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
        ] {
            assert_eq!(evaluate(expression, verdicts), (want, asked.to_owned()), "{expression} {verdicts}");
        }
    }

    #[test]
    fn an_unknown_member_decides_only_if_both_values_would() {
        let unknown = |member: &str| GroupVerdict::Unknown {
            member: member.to_owned(),
            reason: format!("{member} is missing"),
        };
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
        let module =
            Module { module: "a".to_owned(), settings: json!({}), context_aware_resources: Vec::new() };
        for name in ["while", "call", "fn", "a-b", "1a", ""] {
            let members = BTreeMap::from([(name.to_owned(), module.clone())]);
            let error = Group::new("true", members).unwrap_err();
            assert!(error.contains("not an identifier of CEL and Rhai"), "{error}");
        }
        assert!(group(&vec!["signed()"; 51].join(" || ")).is_ok());
        assert!(group(&vec!["signed()"; 52].join(" || ")).unwrap_err().contains("more than 50 operators"));
    }

    #[test]
    fn many_unknown_members_end() {
        let names: Vec<String> = (0..40).map(|at| format!("m{at}")).collect();
        let expression = names.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join(" || ");
        let module =
            Module { module: "a".to_owned(), settings: json!({}), context_aware_resources: Vec::new() };
        let members = names.iter().map(|name| (name.clone(), module.clone()));
        let group = Group::new(&expression, members.collect()).unwrap();
        let verdict = group.evaluate(&mut |_| MemberVerdict::Unknown("x".to_owned()));
        assert_eq!(verdict, GroupVerdict::Unknown { member: "m0".to_owned(), reason: "x".to_owned() });
    }

    #[test]
    fn expressions_that_the_controller_refuses_are_errors() {
        for (expression, want) in [
            ("", "spec.expression: Required value"),
            ("signed() &&", "not an expression of CEL"),
            ("singed()", "singed is not the call of a member; write signed()"),
            ("signed() && other()", "other is not the call of a member; use exempt, signed, trusted"),
            ("signed()  ? true : false", "_?_:_ is not the call of a member"),
            ("1 + 1", "_+_ is not the call of a member"),
            ("signed", "signed is not the call of a member; write signed()"),
            ("signed(true)", "signed has no arguments; write signed()"),
            ("'a'", "a part is not a boolean"),
            ("signed() == 1", "a part is not a boolean"),
        ] {
            let error = group(expression).map(|_| ()).expect_err(expression);
            assert!(error.contains(want), "{expression}: {error}");
        }
        assert!(Group::new("a()", BTreeMap::new()).unwrap_err().starts_with("spec.policies: Required value"));
    }
}
