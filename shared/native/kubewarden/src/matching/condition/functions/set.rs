//! `sets.contains`, `sets.equivalent` and `sets.intersects`.

use cel::common::types::{CelBool, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::{arguments, items};

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    let lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", lists(), contains)?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", lists(), equivalent)?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", lists(), intersects)
}

fn has_all(all: &[&dyn Val], wanted: &[&dyn Val]) -> bool {
    wanted.iter().all(|wanted| all.iter().any(|item| item.equals(*wanted)))
}

fn contains<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments(args)?;
    let holds = has_all(&items(left.as_ref())?, &items(right.as_ref())?);
    Ok(CowVal::owned(CelBool::from(holds)))
}

fn equivalent<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments(args)?;
    let (left, right) = (items(left.as_ref())?, items(right.as_ref())?);
    Ok(CowVal::owned(CelBool::from(has_all(&left, &right) && has_all(&right, &left))))
}

fn intersects<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments(args)?;
    let (left, right) = (items(left.as_ref())?, items(right.as_ref())?);
    let holds = left.iter().any(|item| right.iter().any(|other| item.equals(*other)));
    Ok(CowVal::owned(CelBool::from(holds)))
}
