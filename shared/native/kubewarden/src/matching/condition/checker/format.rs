//! The texts of `format` with the types of the arguments.
//!
//! Source: `stringFormatValidator` and `parseFormatString` in `ext/formatting.go` of cel-go, up to
//! version 3 of the library.

use cel::common::ast::{EntryExpr, Expr, IdedExpr};

use super::expressions::Types;
use super::problem::{Problem, refused};
use super::types::Type;

pub(super) fn check(
    text: &str,
    arguments: &[IdedExpr],
    part: &IdedExpr,
    types: &Types,
) -> Result<(), Problem> {
    let wrong = |problem: &str| refused(part, format!("the text of format {problem}"));
    let mut left = arguments.iter();
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => break,
            [b'%', b'%', after @ ..] => after,
            [b'%', after @ ..] => {
                if after.is_empty() {
                    return Err(wrong("ends with %"));
                }
                let argument = left.next().ok_or_else(|| wrong("has more clauses than arguments"))?;
                let after = precision(after).ok_or_else(|| wrong("has a precision that is not a number"))?;
                let [verb, after @ ..] = after else {
                    return Err(wrong("ends within a clause"));
                };
                takes(*verb, argument, types).ok_or_else(|| wrong("has an unknown clause; use %s"))??;
                after
            }
            [_, after @ ..] => after,
        };
    }
    match left.len() {
        0 => Ok(()),
        _ => Err(wrong("has fewer clauses than arguments")),
    }
}

/// Skips the precision before a verb; `None` if it is malformed.
fn precision(clause: &[u8]) -> Option<&[u8]> {
    let [b'.', after @ ..] = clause else { return Some(clause) };
    let digits = after.iter().take_while(|one| one.is_ascii_digit()).count();
    let (digits, after) = after.split_at_checked(digits)?;
    std::str::from_utf8(digits).ok()?.parse::<i64>().ok()?;
    (!after.is_empty()).then_some(after)
}

/// Checks that a verb takes an argument; `None` if there is no such verb.
fn takes(verb: u8, argument: &IdedExpr, types: &Types) -> Option<Result<(), Problem>> {
    let of = types.get(argument);
    let fits = match verb {
        b's' => return Some(is_text(argument, types)),
        b'd' | b'o' => matches!(of, Type::Int | Type::Uint),
        b'f' | b'e' => matches!(of, Type::Double | Type::String),
        b'b' => matches!(of, Type::Int | Type::Uint | Type::Bool),
        b'x' | b'X' => matches!(of, Type::Int | Type::Uint | Type::String | Type::Bytes),
        _ => return None,
    };
    Some(if fits || of == Type::Dyn {
        Ok(())
    } else {
        Err(refused(argument, format!("%{} of format does not take {of}", char::from(verb))))
    })
}

fn is_text(argument: &IdedExpr, types: &Types) -> Result<(), Problem> {
    let of = types.get(argument);
    if matches!(of, Type::Named(_) | Type::Optional(_)) {
        return Err(refused(argument, format!("%s of format does not take {of}")));
    }
    match &argument.expr {
        Expr::List(list) => list.elements.iter().try_for_each(|item| is_text(item, types)),
        Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => {
                is_text(&entry.key, types)?;
                is_text(&entry.value, types)
            }
            EntryExpr::StructField(_) => Ok(()),
        }),
        _ => Ok(()),
    }
}
