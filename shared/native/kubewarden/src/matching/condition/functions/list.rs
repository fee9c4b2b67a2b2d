//! `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf` of lists, and from the optional
//! types of cel-go `first`, `last` and `unwrapOpt`.

use std::cmp::Ordering;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelOptional, CelUInt, DYN_TYPE, Kind, LIST_TYPE,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::time::Duration;
use super::{arguments, failed, items};

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_member_overload("isSorted", "list_is_sorted", LIST_TYPE, vec![], is_sorted)?;
    env.add_member_overload("first", "list_first", LIST_TYPE, vec![], first)?;
    env.add_member_overload("last", "list_last", LIST_TYPE, vec![], last)?;
    env.add_overload("optional.unwrap", "optional_unwrap", vec![LIST_TYPE], unwrap_optionals)?;
    env.add_member_overload("unwrapOpt", "optional_unwrapOpt", LIST_TYPE, vec![], unwrap_optionals)?;
    env.add_member_overload("sum", "list_sum", LIST_TYPE, vec![], sum)?;
    env.add_member_overload("min", "list_min", LIST_TYPE, vec![], min)?;
    env.add_member_overload("max", "list_max", LIST_TYPE, vec![], max)?;
    env.add_member_overload("indexOf", "list_index_of", LIST_TYPE, vec![DYN_TYPE], index_of)?;
    env.add_member_overload("lastIndexOf", "list_last_index_of", LIST_TYPE, vec![DYN_TYPE], last_index_of)
}

/// Refuses items that have no order, a single one as well.
fn ordered(items: &[&dyn Val], function: &str) -> Result<(), ExecutionError> {
    let is_ordered =
        |item: &&dyn Val| !matches!(item.get_type().kind(), Kind::List | Kind::Map | Kind::NullType);
    if items.iter().all(is_ordered) { Ok(()) } else { Err(failed(function, "the items have no order")) }
}

fn compare(left: &dyn Val, right: &dyn Val, function: &str) -> Result<Ordering, ExecutionError> {
    let comparer = left.as_comparer().ok_or_else(|| failed(function, "the items have no order"))?;
    comparer.compare(right)
}

fn is_sorted<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let items = items(list.as_ref())?;
    ordered(&items, "isSorted")?;
    for (left, right) in items.iter().zip(items.iter().skip(1)) {
        if compare(*left, *right, "isSorted")? == Ordering::Greater {
            return Ok(CowVal::owned(CelBool::from(false)));
        }
    }
    Ok(CowVal::owned(CelBool::from(true)))
}

/// The sum of numbers or durations of one type. The sum of an empty list is an integer.
fn sum<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let items = items(list.as_ref())?;
    Ok(match items.first() {
        Some(first) if first.downcast_ref::<CelDouble>().is_some() => {
            CowVal::owned(CelDouble::from(total(&items, 0.0, CelDouble::inner, |a, b| Some(a + b))?))
        }
        Some(first) if first.downcast_ref::<CelUInt>().is_some() => {
            CowVal::owned(CelUInt::from(total(&items, 0, CelUInt::inner, u64::checked_add)?))
        }
        Some(first) if first.downcast_ref::<Duration>().is_some() => {
            CowVal::owned(Duration(total(&items, 0, |one: &Duration| &one.0, i64::checked_add)?))
        }
        _ => CowVal::owned(CelInt::from(total(&items, 0, CelInt::inner, i64::checked_add)?)),
    })
}

fn total<T: StaticVal, N: Copy>(
    items: &[&dyn Val],
    zero: N,
    number: fn(&T) -> &N,
    add: fn(N, N) -> Option<N>,
) -> Result<N, ExecutionError> {
    items.iter().try_fold(zero, |sum, item| {
        let item = item.downcast_ref::<T>();
        let item = item.ok_or_else(|| failed("sum", "the items are not numbers of one type"))?;
        add(sum, *number(item)).ok_or_else(|| failed("sum", "the sum is too large"))
    })
}

/// The first item that no other one precedes in the order.
fn extreme<'b, 'v>(
    args: Vec<CowVal<'b, 'v>>,
    function: &str,
    precedes: Ordering,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let mut found: Option<&dyn Val> = None;
    let items = items(list.as_ref())?;
    ordered(&items, function)?;
    for item in items {
        let is_better = match found {
            None => true,
            Some(best) => compare(item, best, function)? == precedes,
        };
        if is_better {
            found = Some(item);
        }
    }
    let found = found.ok_or_else(|| failed(function, "the list is empty"))?;
    Ok(CowVal::Owned(found.clone_as_boxed()))
}

fn min<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    extreme(args, "min", Ordering::Less)
}

fn max<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    extreme(args, "max", Ordering::Greater)
}

/// The index of an item as a value; -1 if there is none.
fn index<'b, 'v>(found: Option<usize>) -> CowVal<'b, 'v> {
    let index = found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1);
    CowVal::owned(CelInt::from(index))
}

fn index_of<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list, wanted] = arguments(args)?;
    let found = items(list.as_ref())?.iter().position(|item| item.equals(wanted.as_ref()));
    Ok(index(found))
}

fn last_index_of<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list, wanted] = arguments(args)?;
    let found = items(list.as_ref())?.iter().rposition(|item| item.equals(wanted.as_ref()));
    Ok(index(found))
}

fn first<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let found = items(list.as_ref())?.first().map(|item| item.clone_as_boxed());
    Ok(CowVal::owned(CelOptional::from(found)))
}

fn last<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let found = items(list.as_ref())?.last().map(|item| item.clone_as_boxed());
    Ok(CowVal::owned(CelOptional::from(found)))
}

/// The values of those items that have one.
fn unwrap_optionals<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [list] = arguments(args)?;
    let mut found = Vec::new();
    for item in items(list.as_ref())? {
        let item = item.downcast_ref::<CelOptional<'v>>();
        let item = item.ok_or_else(|| failed("optional.unwrap", "the items are not optional"))?;
        found.extend(item.option().map(Val::clone_as_boxed));
    }
    Ok(CowVal::owned(CelList::from(found)))
}
