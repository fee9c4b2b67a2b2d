//! The checks of literals: entries of one type, regular expressions, texts of `format`,
//! and conversions of constants.
//!
//! Sources: `cel/validator.go`, `ext/formatting.go` and `interpreter/decorators.go` of cel-go, with
//! the options of `pkg/cel/environment/base.go` of k8s.io/apiserver.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::expressions::{Types, mixed};
use super::problem::{Problem, refused, unknown};
use super::types::Type;
use super::{constants, format};
use crate::matching::condition::regexp;

pub(super) fn check(expression: &IdedExpr, types: &Types) -> Result<(), Problem> {
    Walk { types }.visit(expression, false)
}

struct Walk<'t> {
    types: &'t Types,
}

impl Walk<'_> {
    /// Checks a part. Entries of literals within a call of `format` can have several types.
    fn visit(&self, part: &IdedExpr, in_format: bool) -> Result<(), Problem> {
        let in_format = in_format || matches!(&part.expr, Expr::Call(call) if call.func_name == "format");
        for inner in parts(&part.expr) {
            self.visit(inner, in_format)?;
        }
        match &part.expr {
            Expr::List(list) if !in_format => {
                let items = list.elements.iter().enumerate();
                self.are_alike(items.map(|(at, item)| (item, list.optional_indices.contains(&at))))
            }
            Expr::Map(map) if !in_format => {
                let entries = || {
                    map.entries.iter().filter_map(|entry| match &entry.expr {
                        EntryExpr::MapEntry(entry) => Some(entry),
                        EntryExpr::StructField(_) => None,
                    })
                };
                self.are_alike(entries().map(|entry| (&entry.key, false)))?;
                self.are_alike(entries().map(|entry| (&entry.value, entry.optional)))
            }
            Expr::Call(call) => self.call(part, call),
            _ => Ok(()),
        }
    }

    fn are_alike<'e>(&self, entries: impl Iterator<Item = (&'e IdedExpr, bool)>) -> Result<(), Problem> {
        let mut first: Option<Type> = None;
        for (entry, is_optional) in entries {
            let of = match (is_optional, self.types.get(entry)) {
                (false, of) => of,
                (true, Type::Optional(value)) => value.as_ref().clone(),
                // The validator of cel-go panics, and the request to store the policy fails.
                (true, _) => {
                    let problem = "the type of an entry with ? is known, such as with optional.of(…)";
                    return Err(refused(entry, problem.to_owned()));
                }
            };
            match &first {
                None => first = Some(of),
                Some(first) if *first != of => return Err(mixed(entry, first, &of)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn call(&self, part: &IdedExpr, call: &CallExpr) -> Result<(), Problem> {
        let name = call.func_name.as_str();
        match (name, call.target.as_deref(), call.args.as_slice()) {
            (
                "format",
                Some(IdedExpr { expr: Expr::Literal(LiteralValue::String(text)), .. }),
                [IdedExpr { expr: Expr::List(list), .. }],
            ) => format::check(text.inner(), &list.elements, part, self.types),
            // API servers check the first argument of `matches`, even if it is the text, and then
            // the pattern.
            ("matches", None, [text, pattern]) => {
                is_pattern(name, text)?;
                is_pattern(name, pattern)
            }
            ("matches" | "find" | "findAll", Some(_), [pattern, ..]) => is_pattern(name, pattern),
            (operators::INDEX | operators::OPT_INDEX, None, [_, index]) => {
                let of = self.types.get(index);
                if constants::is_no_index(index, &of) {
                    return Err(refused(index, "this value is neither a key nor a position".to_owned()));
                }
                Ok(())
            }
            _ => match constants::conversion(part, call) {
                Some(Err(constants::Fails::Refused)) => {
                    Err(refused(part, format!("{name} does not convert this value{}", example(name))))
                }
                Some(Err(constants::Fails::Unknown)) => {
                    Err(unknown(part, &format!("the value of {name} on an API server is not known")))
                }
                Some(Ok(())) | None => Ok(()),
            },
        }
    }
}

/// Checks the pattern of a function, which API servers compile together with the expression.
fn is_pattern(function: &str, argument: &IdedExpr) -> Result<(), Problem> {
    let Some(pattern) = constants::text(argument) else { return Ok(()) };
    match regexp::compile(&pattern) {
        Ok(_) => Ok(()),
        Err(regexp::Reason::Refused(problem)) => Err(refused(
            argument,
            format!("the pattern of {function} is refused: {problem}; write one of RE2"),
        )),
        Err(regexp::Reason::Unknown(problem)) => Err(unknown(
            argument,
            &format!("the pattern of {function} on an API server is not known: {problem}"),
        )),
    }
}

fn example(function: &str) -> &'static str {
    match function {
        "duration" => "; write one such as 1h30m",
        "timestamp" => "; write one such as 2026-01-31T12:00:00Z",
        _ => "",
    }
}

fn parts(of: &Expr) -> Vec<&IdedExpr> {
    match of {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Select(select) => vec![select.operand.as_ref()],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Struct(of) => of.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        _ => Vec::new(),
    }
}

fn of_entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}
