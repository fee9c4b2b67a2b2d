//! `matches`, `find` and `findAll`.

use cel::common::types::{CelBool, CelInt, CelList, CelString};
use cel::common::value::Val;
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use regex::Regex;

use super::{NOT_KNOWN, failed};
use crate::matching::condition::regexp::{self, Reason};

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>)?;
    add_member_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>)?;
    add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    add_member_overload!(env, fn find_some: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
}

fn compile(expression: &CelString<'_>, function: &str) -> Result<Regex, ExecutionError> {
    regexp::compile(expression.inner()).map_err(|reason| match reason {
        Reason::Refused(problem) => failed(function, problem),
        Reason::Unknown(_) => failed(function, NOT_KNOWN),
    })
}

fn matches(text: &CelString<'_>, expression: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(CelBool::from(compile(expression, "matches")?.is_match(text.inner())))
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
