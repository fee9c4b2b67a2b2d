//! Groups have the verdicts that Rhai gives them, and the names and expressions that CEL and Rhai
//! accept.

#![cfg(feature = "conditions")]

use std::cell::RefCell;
use std::rc::Rc;
use std::thread;

use cel::Program;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use proptest::prelude::*;
use rhai::Engine;

use super::expression::{self, is_name};
use super::{Group, GroupVerdict, MemberVerdict};
use crate::matching::webhook_spec::InvalidWebhook;

/// Names of members; one that begins like an operator of Rhai, `!in`.
const MEMBERS: [&str; 4] = ["a", "b_1", "inner", "_c"];

/// The default of Rhai where it is compiled for release; that of functions is not used.
const MOST_LEVELS: (usize, usize) = (64, 32);

const OPERATORS: [&str; 4] = [" || ", " && ", "==", "!="];

const PARTS: [&str; 30] = [
    "a()", "b_1()", "inner ()", "_c( )", "a", "other()", "a(true)", "true", "false", "(", "(", ")", ")", "!",
    "!", "&&", "||", "==", "!=", "=", " ", "\n", "\u{b}", "\u{c}", "// c\r\n", "+", "?", ".", "1", "'a'",
];

fn group(expression: &str) -> Result<Group<&'static str>, InvalidWebhook> {
    Group::new(expression, MEMBERS.iter().map(|name| ((*name).to_owned(), *name)).collect())
}

/// Returns the value and the members that are called, in order; `None` if Rhai refuses the
/// expression.
fn by_rhai(expression: &str, admits: [bool; 4]) -> Option<(bool, Vec<&'static str>)> {
    let called: Rc<RefCell<Vec<&'static str>>> = Rc::default();
    let mut engine = Engine::new_raw();
    engine.set_max_expr_depths(MOST_LEVELS.0, MOST_LEVELS.1);
    for (name, admits) in MEMBERS.into_iter().zip(admits) {
        let called = Rc::clone(&called);
        engine.register_fn(name, move || {
            let mut called = called.borrow_mut();
            if !called.contains(&name) {
                called.push(name);
            }
            admits
        });
    }
    let value = engine.eval_expression::<bool>(expression).ok()?;
    let called = called.borrow().clone();
    Some((value, called))
}

/// Runs a parser with a stack that suffices: those of both follow an expression with theirs.
fn with_stack<T: Send>(parser: impl FnOnce() -> T + Send) -> T {
    let builder = thread::Builder::new().stack_size(32 * 1024 * 1024);
    thread::scope(|scope| builder.spawn_scoped(scope, parser).unwrap().join().unwrap())
}

fn is_called_by_rhai(name: &str) -> bool {
    [true, false].into_iter().all(|value| {
        let mut engine = Engine::new_raw();
        engine.register_fn(name, move || value);
        engine.eval_expression::<bool>(&format!("{name}()")).is_ok_and(|returned| returned == value)
    })
}

fn is_accepted_by_controller(expression: &str) -> bool {
    let program = with_stack(|| Program::compile(expression));
    program.is_ok_and(|program| consists_of_members(program.expression()))
}

fn consists_of_members(expression: &IdedExpr) -> bool {
    let operators = [
        operators::EQUALS,
        operators::LOGICAL_AND,
        operators::LOGICAL_NOT,
        operators::LOGICAL_OR,
        operators::NOT_EQUALS,
    ];
    match &expression.expr {
        Expr::Call(CallExpr { func_name, args, .. }) if operators.contains(&func_name.as_str()) => {
            args.iter().all(consists_of_members)
        }
        Expr::Call(CallExpr { func_name, target: None, args }) => {
            args.is_empty() && MEMBERS.contains(&func_name.as_str())
        }
        Expr::Literal(LiteralValue::Boolean(_)) => true,
        _ => false,
    }
}

/// Expressions in which precedence decides as often as brackets.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => prop::sample::select(MEMBERS.to_vec()).prop_map(|name| format!("{name}()")),
        1 => prop::sample::select(vec!["true", "false"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 24, 4, |inner| {
        let operator = prop::sample::select(OPERATORS.to_vec());
        let chain = (inner.clone(), prop::collection::vec((operator, inner.clone()), 1..4));
        prop_oneof![
            1 => inner.clone().prop_map(|of| format!("!{of}")),
            2 => inner.prop_map(|of| format!("({of})")),
            4 => chain.prop_map(|(first, rest)| {
                rest.into_iter().fold(first, |left, (operator, right)| format!("{left}{operator}{right}"))
            }),
        ]
    })
}

/// Returns all values of members of which some are not known.
fn assignments(admits: [Option<bool>; 4]) -> Vec<[bool; 4]> {
    let mut all = vec![[false; 4]];
    for (member, admits) in admits.into_iter().enumerate() {
        let mut longer = Vec::new();
        for of in &all {
            for value in [false, true] {
                if admits.is_none_or(|is| is == value) {
                    let mut of: [bool; 4] = *of;
                    of[member] = value;
                    longer.push(of);
                }
            }
        }
        all = longer;
    }
    all
}

proptest! {
    #[test]
    fn verdicts_and_questions_are_those_of_rhai(
        expression in expressions(),
        admits in any::<[Option<bool>; 4]>(),
    ) {
        let by_rhai: Option<Vec<_>> =
            assignments(admits).into_iter().map(|values| by_rhai(&expression, values)).collect();
        let Some(by_rhai) = by_rhai else {
            prop_assert!(group(&expression).is_err());
            return Ok(());
        };
        let group = group(&expression).unwrap();
        let mut asked = Vec::new();
        let verdict = group.evaluate(|member| {
            let at = MEMBERS.iter().position(|name| name == member).unwrap();
            asked.push(MEMBERS[at]);
            match admits[at] {
                Some(true) => MemberVerdict::Admitted,
                Some(false) => MemberVerdict::Denied(String::new()),
                None => MemberVerdict::Unknown(String::new()),
            }
        });
        if let [(_, called)] = by_rhai.as_slice() {
            prop_assert_eq!(&asked, called);
        }
        match verdict {
            GroupVerdict::Admitted => prop_assert!(by_rhai.iter().all(|(value, _)| *value)),
            GroupVerdict::Denied(denials) => {
                prop_assert!(by_rhai.iter().all(|(value, _)| !value));
                let denies = |name: &&str| {
                    admits[MEMBERS.iter().position(|member| member == name).unwrap()] == Some(false)
                };
                let mut want: Vec<&str> = asked.iter().copied().filter(denies).collect();
                want.sort_unstable();
                let names: Vec<&str> = denials.iter().map(|(name, _)| name.as_str()).collect();
                prop_assert_eq!(names, want);
            }
            GroupVerdict::Unknown(_) => {
                prop_assert!(by_rhai.iter().any(|(value, _)| *value));
                prop_assert!(by_rhai.iter().any(|(value, _)| !value));
            }
        }
    }

    #[test]
    fn an_expression_is_accepted_if_the_controller_and_the_policy_server_accept_it(
        parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..12),
    ) {
        let text = parts.concat();
        let is_accepted = is_accepted_by_controller(&text) && by_rhai(&text, [true; 4]).is_some();
        prop_assert_eq!(group(&text).is_ok(), is_accepted, "{:?}: {:?}", text, group(&text));
    }

    #[test]
    fn the_levels_are_those_of_rhai(parts in prop::collection::vec(0..7_usize, 15..70)) {
        let text = parts.iter().fold("a()".to_owned(), |of, part| match part {
            0 => format!("({of})"),
            1 => format!("!{of}"),
            2 => format!("{of} && true"),
            3 => format!("{of} == true"),
            4 => format!("true && {of}"),
            5 => format!("true == {of}"),
            _ => format!("{of} || a()"),
        });
        let is_read = with_stack(|| by_rhai(&text, [true; 4]).is_some());
        prop_assert_eq!(group(&text).is_ok(), is_read, "{}", text);
    }
}

#[test]
fn names_are_those_that_rhai_calls() {
    let words = expression::RESERVED.iter().chain(&super::RESERVED).chain(&MEMBERS).copied();
    for word in words.chain(["exit", "contains", "to_string", "a-b", "é", "global", "__"]) {
        for name in
            [word.to_owned(), format!("{word}s"), format!("_{word}"), format!("_1{word}"), format!("1{word}")]
        {
            assert_eq!(is_name(&name), is_called_by_rhai(&name), "{name}");
        }
    }
}
