//! `find` and `findAll`. Go and Rust share the syntax of RE2, but for rare forms: an expression
//! that Rust does not read is an error whose value on an API server is not known.

use cel::common::types::{CelInt, CelList, CelString};
use cel::common::value::Val;
use cel::{DeclarationError, Env, ExecutionError, add_member_overload};
use regex::Regex;

use super::{NOT_KNOWN, failed};

pub(super) const NAMES: &[&str] = &["find", "findAll"];

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    add_member_overload!(env, fn find_some: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
}

fn compile(expression: &CelString<'_>, function: &str) -> Result<Regex, ExecutionError> {
    Regex::new(expression.inner()).map_err(|_| failed(function, NOT_KNOWN))
}

fn find(text: &CelString<'_>, expression: &CelString<'_>) -> Result<CelString<'static>, ExecutionError> {
    let found = compile(expression, "find")?.find(text.inner()).map(|found| found.as_str().to_owned());
    Ok(CelString::from(found.unwrap_or_default()))
}

fn find_all(text: &CelString<'_>, expression: &CelString<'_>) -> Result<CelList<'static>, ExecutionError> {
    find_at_most(text, expression, usize::MAX)
}

/// There is no limit if it is negative.
fn find_some(
    text: &CelString<'_>,
    expression: &CelString<'_>,
    limit: &CelInt,
) -> Result<CelList<'static>, ExecutionError> {
    find_at_most(text, expression, usize::try_from(*limit.inner()).unwrap_or(usize::MAX))
}

fn find_at_most(
    text: &CelString<'_>,
    expression: &CelString<'_>,
    limit: usize,
) -> Result<CelList<'static>, ExecutionError> {
    let expression = compile(expression, "findAll")?;
    let found = expression.find_iter(text.inner()).take(limit);
    let found: Vec<Box<dyn Val>> =
        found.map(|found| Box::new(CelString::from(found.as_str().to_owned())) as Box<dyn Val>).collect();
    Ok(CelList::from(found))
}
