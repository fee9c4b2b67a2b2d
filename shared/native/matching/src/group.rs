//! Groups of policies: an expression about the verdicts of their members.
//!
//! Sources: `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` and
//! `api/policies/v1/policygroup_validation.go` of kubewarden/kubewarden-controller at 3460bb71. As
//! there, Rhai evaluates the expression, with an engine that has no packages.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use cel::Program;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use rhai::{AST, Engine, EvalAltResult};
use text::nearest;

use crate::policy::Module;

/// A group of policies.
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
    /// The expression is an error, which denies the object with code 500.
    Faulted(String),
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
const OPERATORS: [&str; 5] = ["!_", "_!=_", "_&&_", "_==_", "_||_"];

/// Names that cannot be functions in CEL.
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

/// The data that the functions of an evaluation share.
#[derive(Default)]
struct Asked {
    known: BTreeMap<String, bool>,
    /// The member that the expression calls and that is not known yet.
    next: Option<String>,
}

/// The result of an expression.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Outcome {
    Value(bool),
    Error(String),
    /// The value depends on this member.
    Unknown(String),
}

/// An evaluation: the engine with the members as functions, and what was asked.
struct Evaluation<'g> {
    engine: Engine,
    ast: AST,
    asked: Rc<RefCell<Asked>>,
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
                    "spec.policies.{name}: Invalid value: the name is not an identifier of CEL; use letters, digits \
                     and underscores"
                ));
            }
        }
        if expression.is_empty() {
            return Err("spec.expression: Required value: a group has an expression; add it".to_owned());
        }
        let error = |problem: &str| Err(format!("spec.expression: Invalid value: {expression:?}: {problem}"));
        let program = match Program::compile(expression) {
            Ok(program) => program,
            Err(cause) => return error(&format!("not an expression of CEL: {cause}; correct it")),
        };
        if let Err(problem) = check(program.expression(), &members) {
            return error(&problem);
        }
        let group = Self { expression: expression.to_owned(), members };
        // The policy server evaluates the expression once before it accepts a group.
        match group.evaluate(&mut |_| MemberVerdict::Admitted) {
            GroupVerdict::Faulted(problem) => error(&format!("{problem}; correct it")),
            _ => Ok(group),
        }
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
        let asked = Rc::new(RefCell::new(Asked::default()));
        let mut engine = Engine::new_raw();
        // The defaults of the policy server; those of debug builds are lower.
        engine.set_max_expr_depths(64, 32);
        for name in self.members.keys() {
            let (asked, member) = (Rc::clone(&asked), name.clone());
            engine.register_fn(name.as_str(), move || -> Result<bool, Box<EvalAltResult>> {
                let mut asked = asked.borrow_mut();
                asked.known.get(&member).copied().ok_or_else(|| {
                    asked.next.get_or_insert_with(|| member.clone());
                    format!("{member} was not asked yet").into()
                })
            });
        }
        let ast = match engine.compile_expression(&self.expression) {
            Ok(ast) => ast,
            Err(error) => return GroupVerdict::Faulted(error.to_string()),
        };
        let mut evaluation = Evaluation { engine, ast, asked, ask, verdicts: BTreeMap::new() };
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
            Outcome::Error(problem) => GroupVerdict::Faulted(problem),
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
    /// verdict.
    fn solve(&mut self, assumed: &BTreeMap<String, bool>) -> Outcome {
        loop {
            {
                let mut asked = self.asked.borrow_mut();
                asked.next = None;
                asked.known.clone_from(assumed);
                asked.known.extend(self.verdicts.iter().filter_map(|(name, verdict)| match verdict {
                    MemberVerdict::Admitted => Some((name.clone(), true)),
                    MemberVerdict::Denied(_) => Some((name.clone(), false)),
                    MemberVerdict::Unknown(_) => None,
                }));
            }
            let result = self.engine.eval_ast::<bool>(&self.ast);
            let next = self.asked.borrow_mut().next.take();
            let Some(member) = next else {
                return match result {
                    Ok(value) => Outcome::Value(value),
                    Err(error) => Outcome::Error(error.to_string()),
                };
            };
            if !self.verdicts.contains_key(&member) {
                let verdict = (self.ask)(&member);
                self.verdicts.insert(member.clone(), verdict);
            }
            if !matches!(self.verdicts.get(&member), Some(MemberVerdict::Unknown(_))) {
                continue;
            }
            if assumed.len() >= MOST_UNKNOWN {
                return Outcome::Unknown(member);
            }
            let mut with = |value| {
                let mut assumed = assumed.clone();
                assumed.insert(member.clone(), value);
                self.solve(&assumed)
            };
            let (admitted, denied) = (with(true), with(false));
            return if admitted == denied { admitted } else { Outcome::Unknown(member) };
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("expression", &self.expression).field("members", &self.members).finish()
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
