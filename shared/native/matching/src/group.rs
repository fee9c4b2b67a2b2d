//! Groups of policies: an expression about the verdicts of their members.
//!
//! Sources: `api/policies/v1/policygroup_validation.go` and
//! `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` of
//! kubewarden/kubewarden-controller at 3460bb71. The controller refuses expressions that are not
//! CEL with calls of members, `true`, `false`, `!`, `==`, `!=`, `&&` and `||`; [`check`] does the
//! same. The policy server evaluates them by Rhai, and refuses a group whose expression has an
//! error while all members admit; so does this crate.

mod evaluator;

use std::collections::BTreeMap;

use cel::Program;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use text::nearest;

use self::evaluator::{Evaluator, Stop};
use crate::nesting;
use crate::policy::Module;

/// A group of policies.
#[derive(Debug)]
pub struct Group {
    expression: String,
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
    /// The verdict depends on a member whose verdict is not known, with the name of the member and
    /// the reason.
    Unknown(String),
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

/// Names that the controller refuses: the reserved words of CEL.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// An evaluation of an expression.
struct Evaluation<'g> {
    expression: &'g str,
    evaluator: Evaluator,
    ask: &'g mut dyn FnMut(&str) -> MemberVerdict,
    verdicts: BTreeMap<String, MemberVerdict>,
}

impl Group {
    /// Creates a group.
    ///
    /// # Errors
    /// A group without members, a name that is not an identifier, an expression that the
    /// controller refuses: one that is not CEL, or has other operators than `!`, `==`, `!=`, `&&`
    /// and `||`, or calls a function that is not a member; and one that Rhai refuses.
    pub fn new(expression: &str, members: BTreeMap<String, Module>) -> Result<Self, String> {
        if members.is_empty() {
            return Err("spec.policies: Required value: a group has at least one member; add one".to_owned());
        }
        let evaluator = Evaluator::new(members.keys());
        for name in members.keys() {
            let is_identifier = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
            if !is_identifier || RESERVED.contains(&name.as_str()) || !evaluator.calls(name) {
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
        let program = match nesting::parse(expression, || Program::compile(expression)) {
            Ok(Ok(program)) => program,
            Ok(Err(cause)) => {
                return error(&format!(
                    "not an expression of CEL: {cause}; write members as calls, such as a() && !b()"
                ));
            }
            Err(problem) => return error(&problem),
        };
        if let Err(problem) = check(program.expression(), &members) {
            return error(&problem);
        }
        let all_admit = members.keys().map(|name| (name.clone(), true)).collect();
        if let Err(cause) = evaluator.evaluate(expression, all_admit) {
            return error(&format!("the policy server cannot evaluate it: {cause}; write it in another way"));
        }
        Ok(Self { expression: expression.to_owned(), members })
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
        let evaluator = Evaluator::new(self.members.keys());
        let mut evaluation =
            Evaluation { expression: &self.expression, evaluator, ask, verdicts: BTreeMap::new() };
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

/// Checks that an expression consists of members, `true` and `false` with the operators that the
/// controller allows, so that it is a boolean.
fn check(expression: &IdedExpr, members: &BTreeMap<String, Module>) -> Result<(), String> {
    let names = || members.keys().map(String::as_str).collect::<Vec<_>>();
    match &expression.expr {
        Expr::Call(call) if OPERATORS.contains(&call.func_name.as_str()) => {
            call.args.iter().try_for_each(|argument| check(argument, members))
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
            let member = match self.evaluator.evaluate(self.expression, values) {
                Err(Stop::Needs(member)) => member,
                Err(Stop::Refused(reason)) => return Err(reason),
                Ok(value) => return Ok(value),
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
        let module =
            Module { module: "a".to_owned(), settings: json!({}), context_aware_resources: Vec::new() };
        // Words of both languages, of CEL alone and of Rhai alone, and functions of Rhai.
        for name in ["while", "namespace", "fn", "spawn", "call", "print", "_", "a-b", "1a", ""] {
            let members = BTreeMap::from([(name.to_owned(), module.clone())]);
            let error = Group::new("true", members).unwrap_err();
            assert!(error.contains("not an identifier of CEL and Rhai"), "{name}: {error}");
        }
        assert!(group(&vec!["signed()"; 64].join(" || ")).is_ok());
        let error = group(&vec!["signed()"; 65].join(" || ")).unwrap_err();
        assert!(
            error.contains("the policy server cannot evaluate it: Syntax error: Expression exceeds"),
            "{error}"
        );
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
        assert_eq!(verdict, GroupVerdict::Unknown("m0: x".to_owned()));
    }

    #[test]
    fn expressions_that_the_controller_refuses_are_errors() {
        for (expression, want) in [
            ("", "spec.expression: Required value"),
            ("signed() &&", "not an expression of CEL"),
            ("singed()", "singed is not the call of a member; write signed()"),
            ("signed() && other()", "other is not the call of a member; use exempt, signed, trusted"),
            (&format!("{}signed()", "(".repeat(97)), "more than 96 levels"),
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
