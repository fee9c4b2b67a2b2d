//! Expressions in the form in which the interpreter has the values of cel-go.
//!
//! * `has(a.b)` is false for a value that has no fields, such as null: `object` is null in a
//!   deletion. The interpreter has an error there (`errorOnBadPresenceTest` of cel-go, which
//!   Kubernetes does not enable). Therefore a function takes the place of the test.
//! * The argument of `or` and `orValue` is evaluated only if it is needed, and a value that is not
//!   optional is the result (`decorateOptionalOr` of cel-go).
//! * Functions around their arguments give doubles the texts of Go, refuse `?` on lists, and end an
//!   evaluation whose value is not known.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, operators,
};
use cel::common::types::{CelBool, CelOptional, CelString, DYN_TYPE, Kind, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use crate::matching::condition::functions::{
    EQUAL, FLAG, FORMAT, INDEX_OF, LAST_INDEX_OF, NATURAL, NOT_EQUAL, NOT_KNOWN, PAIRS, READ, SPELLED,
    WITH_FIELDS, arguments, close, failed, mark_unsure, open,
};

/// The test of a field. No expression can contain the names of these functions.
pub(crate) const HAS: &str = "@has";
/// Whether a value is not an empty optional value.
const IS_SET: &str = "@isSet";
/// The value of an optional value, or another value as it is.
const INNER: &str = "@inner";
/// A value whose fields are taken. Other values than maps have no fields if they are optional.
const FIELDS: &str = "@fields";
/// A key of an optional index, which cannot be optional itself.
const KEY: &str = "@key";
/// A key of a new map.
const KEY_OF_MAP: &str = "@keyOfMap";
/// The operator `in`.
pub(crate) const CONTAINED_IN: &str = "@containedIn";
/// The function that the macro `sortBy` calls.
const SORT_BY: &str = "@sortByAssociatedKeys";
/// An operand of `&&` or `||`: `@closed(@open(), operand)`. An error of the operand leaves it open.
const CLOSED: &str = "@closed";
const OPEN: &str = "@open";
/// A map whose order decides the order of a list.
const ORDER: &str = "@order";
/// The calls whose results do not depend on the order of their lists.
const IGNORE_ORDER: [&str; 10] =
    [operators::IN, SORT_BY, "contains", "equivalent", "intersects", "max", "min", "size", "sort", "sum"];
/// The variable with the target of `or` and `orValue`.
const OPTIONAL: &str = "@optional";

pub(crate) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(HAS, "has_field", vec![DYN_TYPE, STRING_TYPE], has)?;
    env.add_overload(IS_SET, "is_set", vec![DYN_TYPE], is_set)?;
    env.add_overload(INNER, "inner_value", vec![DYN_TYPE], inner)?;
    env.add_overload(FIELDS, "optional_fields", vec![DYN_TYPE], fields)?;
    env.add_overload(KEY, "optional_key", vec![DYN_TYPE], key)?;
    env.add_overload(KEY_OF_MAP, "key_of_map", vec![DYN_TYPE], key_of_map)?;
    env.add_overload(CONTAINED_IN, "contained_in", vec![DYN_TYPE, DYN_TYPE], contained_in)?;
    env.add_overload(OPEN, "open_operand", vec![], opened)?;
    env.add_overload(CLOSED, "closed_operand", vec![DYN_TYPE, DYN_TYPE], closed)?;
    env.add_overload(ORDER, "order_of_map", vec![DYN_TYPE], order)
}

fn fields<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let optional = value.downcast_ref::<CelOptional<'v>>().and_then(CelOptional::option);
    match optional.map(|inner| inner.get_type().kind()) {
        None | Some(Kind::Map) => Ok(value),
        Some(Kind::List) => {
            Err(ExecutionError::no_such_overload("_._", vec!["list".to_owned(), "string".to_owned()]))
        }
        Some(_) => Ok(CowVal::owned(CelOptional::none())),
    }
}

fn key<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [key] = arguments(args)?;
    if key.downcast_ref::<CelOptional<'v>>().is_some() {
        return Err(ExecutionError::no_such_overload("_[?_]", vec!["optional_type".to_owned()]));
    }
    if matches!(key.get_type().kind(), Kind::List | Kind::Map) {
        return Err(failed("_[?_]", NOT_KNOWN));
    }
    Ok(key)
}

/// API servers make maps with any keys.
fn key_of_map<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [key] = arguments(args)?;
    match key.get_type().kind() {
        Kind::String | Kind::Int | Kind::UInt | Kind::Boolean => Ok(key),
        _ => Err(failed("a map with a key of this type", NOT_KNOWN)),
    }
}

/// API servers find no key of another type in a map of JSON, and may find one in a new map.
fn contained_in<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [item, container] = arguments(args)?;
    let type_of = |value: &CowVal<'_, '_>| value.get_type().name().to_owned();
    let overload =
        || ExecutionError::no_such_overload(operators::IN, vec![type_of(&item), type_of(&container)]);
    let is_contained = container.as_container().ok_or_else(overload)?.contains(item.as_ref());
    let is_map = container.get_type().kind() == Kind::Map;
    let is_contained = is_contained.map_err(|_| if is_map { failed("in", NOT_KNOWN) } else { overload() })?;
    Ok(CowVal::owned(CelBool::from(is_contained)))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of an overload")]
fn opened<'b, 'v>(_: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    open();
    Ok(CowVal::owned(CelBool::from(true)))
}

fn closed<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [_, operand] = arguments(args)?;
    close();
    Ok(operand)
}

/// API servers have no order of maps: a result that depends on it is not known.
fn order<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let has_more = || value.as_sizer().is_some_and(|map| *map.size().inner() > 1);
    if value.get_type().kind() == Kind::Map && has_more() {
        mark_unsure();
    }
    Ok(value)
}

fn is_set<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    match value.downcast_ref::<CelOptional<'v>>() {
        Some(optional) => Ok(CowVal::owned(CelBool::from(optional.option().is_some()))),
        None => Err(ExecutionError::no_such_overload("or", vec![value.get_type().name().to_owned()])),
    }
}

fn inner<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let optional = value.downcast_ref::<CelOptional<'v>>();
    match optional.and_then(CelOptional::option).map(Val::clone_as_boxed) {
        Some(inner) => Ok(CowVal::Owned(inner)),
        None => Ok(value),
    }
}

fn has<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value, field] = arguments(args)?;
    Ok(CowVal::owned(CelBool::from(is_present(value.as_ref(), field.as_ref())?)))
}

/// Returns whether a value has a field. An optional value has those of its value. A list has
/// indices instead of fields.
fn is_present(value: &dyn Val, field: &dyn Val) -> Result<bool, ExecutionError> {
    if let Some(optional) = value.downcast_ref::<CelOptional<'_>>() {
        return optional.option().map_or(Ok(false), |value| is_present(value, field));
    }
    if value.get_type().kind() == Kind::List {
        return Err(ExecutionError::no_such_overload("_._", vec!["list".to_owned(), "string".to_owned()]));
    }
    Ok(value.as_indexer().is_some_and(|fields| fields.get(field).is_ok()))
}

#[derive(Debug, Default)]
pub(crate) struct Rewrite {
    pub(crate) has_types: bool,
    pub(crate) has_sorts: bool,
}

impl Rewrite {
    pub(crate) fn apply(&self, expression: &mut IdedExpr) {
        self.of(expression, true);
    }

    /// Rewrites a part of an expression. `has_order` is whether the result can depend on the order
    /// of the part, if it is a list.
    fn of(&self, expression: &mut IdedExpr, has_order: bool) {
        match &mut expression.expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select(select) => {
                self.of(&mut select.operand, true);
                if is_result(&select.operand) {
                    wrap(&mut select.operand, FIELDS);
                }
                if select.test {
                    let id = expression.id;
                    let field = LiteralValue::String(CelString::from(std::mem::take(&mut select.field)));
                    let field = IdedExpr { id, expr: Expr::Literal(field) };
                    let operand = std::mem::take(select.operand.as_mut());
                    expression.expr = Expr::Call(CallExpr {
                        func_name: HAS.to_owned(),
                        target: None,
                        args: vec![operand, field],
                    });
                }
            }
            Expr::Call(call) => {
                let has_order = |at| match call.func_name.as_str() {
                    operators::CONDITIONAL => at > 0 && has_order,
                    "distinct" | "flatten" | "reverse" => has_order,
                    name => !IGNORE_ORDER.contains(&name),
                };
                let first = usize::from(call.target.is_some());
                if let Some(target) = &mut call.target {
                    self.of(target, has_order(0));
                }
                for (at, argument) in call.args.iter_mut().enumerate() {
                    self.of(argument, has_order(at.saturating_add(first)));
                }
                if is_in_nothing(call) {
                    // The checker of cel-go folds it, even if the item is an error.
                    expression.expr = Expr::Literal(LiteralValue::Boolean(CelBool::from(false)));
                } else if let Some(lazy) = alternative(call) {
                    expression.expr = lazy;
                } else {
                    self.respell(call);
                }
            }
            Expr::List(list) => list.elements.iter_mut().for_each(|item| self.of(item, true)),
            Expr::Map(map) => map.entries.iter_mut().for_each(|entry| self.of_entry(&mut entry.expr)),
            Expr::Struct(of_type) => {
                of_type.entries.iter_mut().for_each(|entry| self.of_entry(&mut entry.expr));
            }
            Expr::Comprehension(fold) => {
                let makes_list = matches!(fold.accu_init.expr, Expr::List(_));
                let has_order = has_order && makes_list;
                self.of(&mut fold.iter_range, has_order);
                if has_order {
                    match &mut fold.iter_range.expr {
                        // Two variables go over the pairs of a map.
                        Expr::Call(pairs) if pairs.func_name == PAIRS => {
                            pairs.args.iter_mut().for_each(|map| wrap(map, ORDER));
                        }
                        _ => wrap(&mut fold.iter_range, ORDER),
                    }
                }
                // `sortBy` gives the list a name.
                let is_sort = matches!(&fold.result.expr, Expr::Call(sort) if sort.func_name == SORT_BY);
                self.of(&mut fold.accu_init, !is_sort);
                for part in [&mut fold.loop_cond, &mut fold.loop_step, &mut fold.result] {
                    self.of(part, true);
                }
            }
        }
    }

    fn of_entry(&self, entry: &mut EntryExpr) {
        match entry {
            EntryExpr::StructField(field) => self.of(&mut field.value, true),
            EntryExpr::MapEntry(entry) => {
                self.of(&mut entry.key, true);
                if !matches!(entry.key.expr, Expr::Literal(LiteralValue::String(_))) {
                    wrap(&mut entry.key, KEY_OF_MAP);
                }
                self.of(&mut entry.value, true);
            }
        }
    }

    /// Puts functions around the arguments, or in the place of the function, that the interpreter
    /// reads differently from cel-go.
    fn respell(&self, call: &mut CallExpr) {
        let around = match (call.func_name.as_str(), call.target.is_some(), call.args.len()) {
            ("string", false, 1) => SPELLED,
            ("double", false, 1) => READ,
            ("bool", false, 1) => FLAG,
            ("lists.range", false, 1) | ("range", true, 1) => NATURAL,
            (operators::OPT_SELECT, false, 2) => WITH_FIELDS,
            (operators::OPT_INDEX, false, 2) if is_text(call.args.get(1)) => WITH_FIELDS,
            (operators::OPT_INDEX, false, 2) => {
                call.args.iter_mut().skip(1).for_each(|key| wrap(key, KEY));
                return;
            }
            ("format", true, 1) => {
                FORMAT.clone_into(&mut call.func_name);
                let format = call.target.take().map(|format| *format);
                call.args.splice(0..0, format);
                return;
            }
            (operators::IN, false, 2) => {
                CONTAINED_IN.clone_into(&mut call.func_name);
                return;
            }
            (operators::EQUALS, false, 2) if self.has_types => {
                EQUAL.clone_into(&mut call.func_name);
                return;
            }
            (operators::NOT_EQUALS, false, 2) if self.has_types => {
                NOT_EQUAL.clone_into(&mut call.func_name);
                return;
            }
            (operators::LOGICAL_AND | operators::LOGICAL_OR, false, 2) if self.has_sorts => {
                call.args.iter_mut().for_each(wrap_operand);
                return;
            }
            ("indexOf", true, 2) => {
                INDEX_OF.clone_into(&mut call.func_name);
                return;
            }
            ("lastIndexOf", true, 2) => {
                LAST_INDEX_OF.clone_into(&mut call.func_name);
                return;
            }
            _ => return,
        };
        call.args.iter_mut().take(1).for_each(|first| wrap(first, around));
    }
}

/// Returns whether an expression can have an optional value: it is the result of a call, or a field
/// of such a result.
fn is_result(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Call(_) | Expr::Comprehension(_) => true,
        Expr::Select(select) => is_result(&select.operand),
        _ => false,
    }
}

/// Puts functions around an operand whose error may be absorbed.
fn wrap_operand(operand: &mut IdedExpr) {
    // Loops with a result have this shape in the interpreter.
    if matches!(&operand.expr, Expr::Ident(name) if name.starts_with('@')) {
        return;
    }
    let start = Expr::Call(CallExpr { func_name: OPEN.to_owned(), target: None, args: Vec::new() });
    let start = IdedExpr { id: operand.id, expr: start };
    wrap(operand, CLOSED);
    if let Expr::Call(closed) = &mut operand.expr {
        closed.args.insert(0, start);
    }
}

fn wrap(expression: &mut IdedExpr, name: &str) {
    let id = expression.id;
    let args = vec![std::mem::take(expression)];
    *expression =
        IdedExpr { id, expr: Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }) };
}

/// Returns whether a call is `item in []`.
fn is_in_nothing(call: &CallExpr) -> bool {
    let list = call.args.get(1).map(|list| &list.expr);
    call.func_name == operators::IN && matches!(list, Some(Expr::List(list)) if list.elements.is_empty())
}

/// Returns `or` and `orValue` as an expression that evaluates the argument only if it is needed.
fn alternative(call: &mut CallExpr) -> Option<Expr> {
    let takes_value = match (call.func_name.as_str(), call.args.len()) {
        ("or", 1) => false,
        ("orValue", 1) => true,
        _ => return None,
    };
    let target = *call.target.take()?;
    let argument = call.args.pop()?;
    let id = target.id;
    let expression = |expr| IdedExpr { id, expr };
    let optional = || expression(Expr::Ident(OPTIONAL.to_owned()));
    let of = |name: &str, args| {
        expression(Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }))
    };
    let value = if takes_value { of(INNER, vec![optional()]) } else { optional() };
    let result = of(operators::CONDITIONAL, vec![of(IS_SET, vec![optional()]), value, argument]);
    // A loop over nothing gives the target a name.
    Some(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: expression(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "@unused".to_owned(),
        iter_var2: None,
        accu_var: OPTIONAL.to_owned(),
        accu_init: target,
        loop_cond: expression(Expr::Literal(LiteralValue::Boolean(CelBool::from(false)))),
        loop_step: optional(),
        result,
    })))
}

fn is_text(expression: Option<&IdedExpr>) -> bool {
    matches!(expression.map(|key| &key.expr), Some(Expr::Literal(LiteralValue::String(_))))
}
