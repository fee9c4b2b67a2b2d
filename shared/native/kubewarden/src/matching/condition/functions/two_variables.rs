//! `all`, `exists`, `existsOne`, `transformList`, `transformMap` and `transformMapEntry` with two
//! variables: the index and the item of a list, or the key and the value of a map.
//!
//! Source: `ext/comprehensions.go` of cel-go at 14f6746a. The interpreter has loops with one
//! variable: a macro loops over the pairs, and binds both variables in the expressions. Keys are in
//! their order, so that results do not change; API servers have no order.

use std::collections::HashMap;
use std::mem;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators,
};
use cel::common::types::{CelInt, CelList, CelMap, CelMapKey as Key, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::parser::{Macro, MacroExprHelper, ParseError};
use cel::{DeclarationError, Env, ExecutionError};

use super::{NOT_KNOWN, arguments, failed};

/// Functions that only macros can call.
/// The pairs of a list or map.
pub(crate) const PAIRS: &str = "@pairs";
/// A map with one more entry.
pub(crate) const INSERT: &str = "@insert";
/// A map with the entries of another one.
pub(crate) const MERGE: &str = "@merge";
const SUM: &str = "@result";
const DUPLICATE: &str = "duplicate key";
const PAIR: &str = "@pair";

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(PAIRS, "pairs", vec![DYN_TYPE], pairs)?;
    env.add_overload(INSERT, "map_insert", vec![DYN_TYPE, DYN_TYPE, DYN_TYPE], insert)?;
    env.add_overload(MERGE, "map_merge", vec![DYN_TYPE, DYN_TYPE], merge)?;
    for (name, count, fold) in [
        ("all", 3, all as Fold),
        ("exists", 3, exists),
        ("existsOne", 3, exists_one),
        ("exists_one", 3, exists_one),
        ("transformList", 3, transform_list),
        ("transformList", 4, transform_list),
        ("transformMap", 3, transform_map),
        ("transformMap", 4, transform_map),
        ("transformMapEntry", 3, transform_entry),
        ("transformMapEntry", 4, transform_entry),
    ] {
        env.add_macro(Macro::receiver(name, count, move |helper, target, args| {
            expand(helper, target, args, fold)
        }))?;
    }
    Ok(())
}

struct Loop {
    start: IdedExpr,
    condition: IdedExpr,
    /// The next sum, from the old one and the variables.
    step: IdedExpr,
    result: IdedExpr,
}

type Fold = fn(&mut Builder<'_, '_>, IdedExpr) -> Loop;

struct Builder<'h, 'p>(&'h mut MacroExprHelper<'p>);

impl Builder<'_, '_> {
    fn name(&mut self, name: &str) -> IdedExpr {
        self.0.next_expr(Expr::Ident(name.to_owned()))
    }

    fn sum(&mut self) -> IdedExpr {
        self.name(SUM)
    }

    fn literal(&mut self, value: LiteralValue) -> IdedExpr {
        self.0.next_expr(Expr::Literal(value))
    }

    fn flag(&mut self, flag: bool) -> IdedExpr {
        self.literal(LiteralValue::Boolean(flag.into()))
    }

    fn number(&mut self, number: i64) -> IdedExpr {
        self.literal(LiteralValue::Int(number.into()))
    }

    fn list(&mut self, items: Vec<IdedExpr>) -> IdedExpr {
        self.0.next_expr(Expr::List(ListExpr::new(items)))
    }

    fn call(&mut self, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
        self.0.next_expr(Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }))
    }

    fn fold(&mut self, over: IdedExpr, variable: &str, sum: &str, parts: Loop) -> IdedExpr {
        self.0.next_expr(Expr::Comprehension(Box::new(ComprehensionExpr {
            iter_range: over,
            iter_var: variable.to_owned(),
            iter_var2: None,
            accu_var: sum.to_owned(),
            accu_init: parts.start,
            loop_cond: parts.condition,
            loop_step: parts.step,
            result: parts.result,
        })))
    }

    fn of_pair(&mut self, item: i64) -> IdedExpr {
        let (pair, item) = (self.name(PAIR), self.number(item));
        self.call(operators::INDEX, vec![pair, item])
    }

    /// Gives an item of the pair a name in an expression: a loop over nothing, whose sum it is.
    fn bind(&mut self, name: &str, item: i64, inside: IdedExpr) -> IdedExpr {
        let parts = Loop {
            start: self.of_pair(item),
            condition: self.flag(false),
            step: self.name(name),
            result: inside,
        };
        let nothing = self.list(Vec::new());
        self.fold(nothing, "@unused", name, parts)
    }
}

/// Expands `target.macro(first, second, [filter,] expression)`.
fn expand(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    fold: Fold,
) -> Result<Option<IdedExpr>, ParseError> {
    let Some(target) = target.take() else { return Ok(None) };
    let mut args = mem::take(args).into_iter();
    let first = variable(helper, args.next())?;
    let second = variable(helper, args.next())?;
    if first == second {
        return Err(helper.new_error(target.id, format!("duplicate variable name: {first}")));
    }
    let mut builder = Builder(helper);
    let mut rest: Vec<IdedExpr> = args
        .map(|inside| {
            let inside = builder.bind(&second, 1, inside);
            builder.bind(&first, 0, inside)
        })
        .collect();
    let expression = rest.pop().unwrap_or_default();
    let mut parts = fold(&mut builder, expression);
    if let Some(filter) = rest.pop() {
        let unchanged = builder.sum();
        parts.step = builder.call(operators::CONDITIONAL, vec![filter, parts.step, unchanged]);
    }
    let over = builder.call(PAIRS, vec![target]);
    Ok(Some(builder.fold(over, PAIR, SUM, parts)))
}

fn variable(helper: &MacroExprHelper<'_>, argument: Option<IdedExpr>) -> Result<String, ParseError> {
    let argument = argument.unwrap_or_default();
    match argument.expr {
        Expr::Ident(name) => Ok(name),
        _ => Err(helper.new_error(argument.id, "argument must be a simple name")),
    }
}

fn all(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let (condition, sum) = (builder.sum(), builder.sum());
    Loop {
        start: builder.flag(true),
        condition: builder.call(operators::NOT_STRICTLY_FALSE, vec![condition]),
        step: builder.call(operators::LOGICAL_AND, vec![sum, expression]),
        result: builder.sum(),
    }
}

fn exists(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let (condition, sum) = (builder.sum(), builder.sum());
    let negated = builder.call(operators::LOGICAL_NOT, vec![condition]);
    Loop {
        start: builder.flag(false),
        condition: builder.call(operators::NOT_STRICTLY_FALSE, vec![negated]),
        step: builder.call(operators::LOGICAL_OR, vec![sum, expression]),
        result: builder.sum(),
    }
}

fn exists_one(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let (sum, unchanged, result) = (builder.sum(), builder.sum(), builder.sum());
    let (one, wanted) = (builder.number(1), builder.number(1));
    let more = builder.call(operators::ADD, vec![sum, one]);
    Loop {
        start: builder.number(0),
        condition: builder.flag(true),
        step: builder.call(operators::CONDITIONAL, vec![expression, more, unchanged]),
        result: builder.call(operators::EQUALS, vec![result, wanted]),
    }
}

fn transform_list(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let (sum, item) = (builder.sum(), builder.list(vec![expression]));
    Loop {
        start: builder.list(Vec::new()),
        condition: builder.flag(true),
        step: builder.call(operators::ADD, vec![sum, item]),
        result: builder.sum(),
    }
}

fn into_map(builder: &mut Builder<'_, '_>, step: IdedExpr) -> Loop {
    Loop {
        start: builder.0.next_expr(Expr::Map(MapExpr { entries: Vec::new() })),
        condition: builder.flag(true),
        step,
        result: builder.sum(),
    }
}

fn transform_map(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let (sum, key) = (builder.sum(), builder.of_pair(0));
    let step = builder.call(INSERT, vec![sum, key, expression]);
    into_map(builder, step)
}

fn transform_entry(builder: &mut Builder<'_, '_>, expression: IdedExpr) -> Loop {
    let sum = builder.sum();
    let step = builder.call(MERGE, vec![sum, expression]);
    into_map(builder, step)
}

type Entries<'v> = HashMap<Key<'v>, Box<dyn Val + 'v>>;

fn no_overload(value: &dyn Val) -> ExecutionError {
    ExecutionError::no_such_overload("comprehension", vec![value.get_type().name().to_owned()])
}

/// The pairs of a list or a map, as lists of two.
fn pairs<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [of] = arguments(args)?;
    let of = of.as_ref();
    let pair = |key: Box<dyn Val + 'v>, value: &(dyn Val + 'v)| -> Box<dyn Val + 'v> {
        Box::new(CelList::from(vec![key, value.clone_as_boxed()]))
    };
    let found: Vec<Box<dyn Val + 'v>> = if let Ok(items) = <&[Box<dyn Val + 'v>]>::try_from(of) {
        let index = |at: usize| Box::new(CelInt::from(i64::try_from(at).unwrap_or(i64::MAX)));
        items.iter().enumerate().map(|(at, item)| pair(index(at), item.as_ref())).collect()
    } else {
        let map = of.downcast_ref::<CelMap<'v>>().ok_or_else(|| no_overload(of))?;
        let mut entries: Vec<_> = map.inner().iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        entries.into_iter().map(|(key, value)| pair(key.inner().clone_as_boxed(), value.as_ref())).collect()
    };
    Ok(CowVal::owned(CelList::from(found)))
}

fn entries<'v>(map: &CowVal<'_, 'v>) -> Result<Entries<'v>, ExecutionError> {
    let map = map.as_ref();
    let map = map.downcast_ref::<CelMap<'v>>().ok_or_else(|| no_overload(map))?;
    Ok(map.inner().iter().map(|(key, value)| (key.clone(), value.clone_as_boxed())).collect())
}

fn insert<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [map, key, value] = arguments(args)?;
    let mut found = entries(&map)?;
    // API servers make maps with any keys.
    let key = Key::try_from(key).map_err(|_| failed("transformMap", NOT_KNOWN))?;
    if found.insert(key, value.into_owned()).is_some() {
        return Err(failed("transformMap", DUPLICATE));
    }
    Ok(CowVal::owned(CelMap::from(found)))
}

fn merge<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [map, other] = arguments(args)?;
    let mut found = entries(&map)?;
    let more = entries(&other)?;
    let wanted = found.len().saturating_add(more.len());
    found.extend(more);
    if found.len() < wanted {
        return Err(failed("transformMapEntry", DUPLICATE));
    }
    Ok(CowVal::owned(CelMap::from(found)))
}
