//! The types of macros: of what cel-go makes of them.
//!
//! Sources: `parser/macro.go`, `cel/library.go`, `ext/comprehensions.go` and `ext/lists.go` of
//! cel-go.

use cel::common::ast::{CallExpr, Expr, IdedExpr, operators};

use super::expressions::Checker;
use super::problem::{Problem, refused};
use super::types::Type;

/// Returns the type of a call of a macro; `None` if it is another call.
pub(super) fn check<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
) -> Option<Result<Type, Problem>> {
    Some(match (call.func_name.as_str(), call.target.is_some(), call.args.len()) {
        (operators::HAS, false, 1) => has(checker, part, call),
        ("all" | "exists", true, 2 | 3) => quantifier(checker, part, call),
        ("exists_one", true, 2 | 3) | ("existsOne", true, 3) => exists_one(checker, part, call),
        ("map", true, 2 | 3) | ("transformList", true, 3 | 4) => map(checker, part, call),
        ("filter", true, 2) => filter(checker, part, call),
        ("transformMap" | "transformMapEntry", true, 3 | 4) => transform_map(checker, part, call),
        ("optMap", true, 2) => optional(checker, part, call, |checker, value| {
            checker.resolve(part, "optional.of", None, vec![value])
        }),
        ("optFlatMap", true, 2) => optional(checker, part, call, |_, value| Ok(value)),
        ("sortBy", true, 2) => sort_by(checker, part, call),
        _ => return None,
    })
}

struct Loop<'e> {
    variables: Vec<(&'e str, Type)>,
    /// The arguments after the variables.
    args: &'e [IdedExpr],
}

/// Reads a loop with a number of variables.
fn over<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
    count: usize,
) -> Result<Loop<'e>, Problem> {
    let (names, args) = call.args.split_at_checked(count).unwrap_or_default();
    let names = names.iter().map(variable).collect::<Result<Vec<_>, _>>()?;
    if let [first, second] = names.as_slice()
        && first == second
    {
        return Err(refused(part, format!("the two variables have the same name {first}")));
    }
    let range = match call.target.as_deref() {
        Some(target) => checker.check(target)?,
        None => Type::Dyn,
    };
    let types = items(checker, part, &range, count)?;
    Ok(Loop { variables: names.into_iter().zip(types).collect(), args })
}

/// Returns the types of the variables of a loop over a type.
fn items(
    checker: &mut Checker<'_>,
    part: &IdedExpr,
    range: &Type,
    count: usize,
) -> Result<Vec<Type>, Problem> {
    let range = checker.variables.resolved(range);
    let (key, item) = match &range {
        Type::List(item) => {
            (if count == 1 { item.as_ref().clone() } else { Type::Int }, item.as_ref().clone())
        }
        Type::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
        Type::Dyn => (Type::Dyn, Type::Dyn),
        Type::Variable(_) => {
            checker.variables.is_assignable(&Type::Dyn, &range);
            (Type::Dyn, Type::Dyn)
        }
        other => {
            return Err(refused(part, format!("a macro goes through a list or a map, and this is {other}")));
        }
    };
    Ok([key, item].into_iter().take(count).collect())
}

/// Returns the name of a variable. cel-go names sums `@result`, formerly `__result__`.
fn variable(name: &IdedExpr) -> Result<&str, Problem> {
    match &name.expr {
        Expr::Ident(found) if found == "__result__" => {
            Err(refused(name, "the name __result__ is reserved".to_owned()))
        }
        Expr::Ident(found) => Ok(found),
        _ => Err(refused(name, "the variable of a macro is a name".to_owned())),
    }
}

fn keep(checker: &mut Checker<'_>, part: &IdedExpr, sum: &Type, step: &Type) -> Result<(), Problem> {
    if checker.variables.is_assignable(sum, step) {
        return Ok(());
    }
    let (sum, step) = (checker.variables.settled(sum), checker.variables.settled(step));
    Err(refused(part, format!("the items have several types: {step} does not fit {sum}")))
}

fn has<'e>(checker: &mut Checker<'e>, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
    match call.args.as_slice() {
        [IdedExpr { expr: Expr::Select(select), .. }] => {
            checker.field(part, &select.operand, &select.field)?;
            Ok(Type::Bool)
        }
        [IdedExpr { expr: Expr::Call(inner), .. }]
            if inner.func_name == operators::HAS && inner.target.is_none() =>
        {
            has(checker, part, inner)
        }
        _ => Err(refused(part, "has() takes a field, such as has(object.spec)".to_owned())),
    }
}

fn quantifier<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
) -> Result<Type, Problem> {
    let Loop { variables, args } = over(checker, part, call, call.args.len().saturating_sub(1))?;
    for argument in args {
        let found = checker.check_with(&variables, argument)?;
        checker.resolve(argument, operators::LOGICAL_AND, None, vec![Type::Bool, found])?;
    }
    Ok(Type::Bool)
}

fn exists_one<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
) -> Result<Type, Problem> {
    let Loop { variables, args } = over(checker, part, call, call.args.len().saturating_sub(1))?;
    for argument in args {
        let found = checker.check_with(&variables, argument)?;
        let step =
            checker.resolve(argument, operators::CONDITIONAL, None, vec![found, Type::Int, Type::Int])?;
        keep(checker, argument, &Type::Int, &step)?;
    }
    Ok(Type::Bool)
}

/// Finds the type of a loop that adds to a sum. `add` returns the type of the next sum, from the
/// loop, the type of the sum and the last argument; the argument before it is a filter.
fn fold<'e>(
    checker: &mut Checker<'e>,
    part: &IdedExpr,
    over: &Loop<'e>,
    sum: &Type,
    add: impl FnOnce(&mut Checker<'e>, &'e IdedExpr) -> Result<Type, Problem>,
) -> Result<Type, Problem> {
    let Some((last, filter)) = over.args.split_last() else { return Ok(sum.clone()) };
    let filter = match filter.first() {
        Some(filter) => Some((filter, checker.check_with(&over.variables, filter)?)),
        None => None,
    };
    let mut step = add(checker, last)?;
    if let Some((filter, of)) = filter {
        step = checker.resolve(filter, operators::CONDITIONAL, None, vec![of, step, sum.clone()])?;
    }
    keep(checker, part, sum, &step)?;
    Ok(checker.variables.resolved(sum))
}

fn map<'e>(checker: &mut Checker<'e>, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
    let over = over(checker, part, call, if call.func_name == "transformList" { 2 } else { 1 })?;
    let sum = Type::list(checker.variables.fresh());
    fold(checker, part, &over, &sum, |checker, last| {
        let item = checker.check_with(&over.variables, last)?;
        checker.resolve(last, operators::ADD, None, vec![sum.clone(), Type::list(item.clone())])
    })
}

fn filter<'e>(checker: &mut Checker<'e>, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
    let Loop { variables, args } = over(checker, part, call, 1)?;
    let sum = Type::list(checker.variables.fresh());
    for argument in args {
        let found = checker.check_with(&variables, argument)?;
        let item = variables.first().map_or(Type::Dyn, |(_, of)| of.clone());
        let step =
            checker.resolve(argument, operators::ADD, None, vec![sum.clone(), Type::list(item.clone())])?;
        let step = checker.resolve(argument, operators::CONDITIONAL, None, vec![found, step, sum.clone()])?;
        keep(checker, part, &sum, &step)?;
    }
    Ok(checker.variables.resolved(&sum))
}

/// `transformMap`, whose rounds give values, and `transformMapEntry`, whose rounds give maps.
fn transform_map<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
) -> Result<Type, Problem> {
    let over = over(checker, part, call, 2)?;
    let sum = Type::map(checker.variables.fresh(), checker.variables.fresh());
    fold(checker, part, &over, &sum, |checker, last| {
        let result = checker.check_with(&over.variables, last)?;
        let mut args = vec![sum.clone(), result];
        if call.func_name == "transformMap" {
            args.insert(1, over.variables.first().map_or(Type::Dyn, |(_, of)| of.clone()));
        }
        checker.resolve(last, "cel.@mapInsert", None, args)
    })
}

/// Finds the type of `target.macro(variable, expression)` for an optional value.
fn optional<'e>(
    checker: &mut Checker<'e>,
    part: &'e IdedExpr,
    call: &'e CallExpr,
    wrap: impl FnOnce(&mut Checker<'e>, Type) -> Result<Type, Problem>,
) -> Result<Type, Problem> {
    let (Some(target), [name, expression]) = (call.target.as_deref(), call.args.as_slice()) else {
        return Ok(Type::Dyn);
    };
    // cel-go declares the name and then looks it up, which a dot prevents.
    let name = match &name.expr {
        Expr::Ident(found) if !found.starts_with('.') => found,
        _ => return Err(refused(name, "the variable of a macro is a name".to_owned())),
    };
    let of = checker.check(target)?;
    checker.resolve(target, "hasValue", Some(of.clone()), Vec::new())?;
    let value = checker.resolve(target, "value", Some(of), Vec::new())?;
    let result = checker.check_with(&[(name.as_str(), value)], expression)?;
    let result = checker.variables.resolved(&result);
    let some = wrap(checker, result)?;
    let none = checker.resolve(part, "optional.none", None, Vec::new())?;
    checker.resolve(part, operators::CONDITIONAL, None, vec![Type::Bool, some, none])
}

fn sort_by<'e>(checker: &mut Checker<'e>, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
    let Some(target) = call.target.as_deref() else { return Ok(Type::Dyn) };
    if matches!(target.expr, Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_)) {
        return Err(refused(target, "sortBy sorts a list".to_owned()));
    }
    let keys = map(checker, part, call)?;
    let of = checker.known(target);
    checker.resolve(part, "@sortByAssociatedKeys", Some(of), vec![keys])
}
