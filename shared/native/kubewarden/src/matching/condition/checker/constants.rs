//! Conversions of constants, which API servers evaluate when they compile an expression.
//!
//! Source: `maybeOptimizeConstUnary` in `interpreter/decorators.go` of cel-go.

use std::sync::Arc;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr};
use cel::common::types::{CelBool, CelDouble, CelInt, CelString, CelUInt};
use cel::common::value::Val;
use cel::{Context, ExecutionError, Value};

use super::expressions::is_type;
use super::types::Type;
use crate::matching::condition::environment::ENVIRONMENT;
use crate::matching::condition::functions::NOT_KNOWN;
use crate::matching::condition::rewrite::Rewrite;

/// Why a conversion has no value.
pub(super) enum Fails {
    /// It fails on API servers, too.
    Refused,
    /// Its value on an API server is not known.
    Unknown,
}

/// The functions that convert (`IsTypeConversionFunction` in `common/overloads/overloads.go`).
const CONVERSIONS: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// Returns whether a call that converts a constant has a value; `None` if it is another call.
pub(super) fn conversion(part: &IdedExpr, call: &CallExpr) -> Option<Result<(), Fails>> {
    is_conversion(call).then(|| evaluate(part, |_| ()))
}

/// Returns the text that a constant is; `None` if it is something else.
pub(super) fn text(part: &IdedExpr) -> Option<String> {
    if !is_constant(&part.expr) {
        return None;
    }
    let text = |value: &dyn Val| value.downcast_ref::<CelString<'_>>().map(|text| text.inner().to_owned());
    evaluate(part, text).ok().flatten()
}

/// Returns whether API servers refuse a part as an index: a constant such as null or a type.
///
/// Source: `NewQualifier` in `interpreter/attributes.go` of cel-go.
pub(super) fn is_no_index(part: &IdedExpr, of: &Type) -> bool {
    if matches!((&part.expr, of), (Expr::Ident(_) | Expr::Select(_), Type::Meta(_))) {
        return is_type(part);
    }
    let is_no_key = |value: &dyn Val| {
        value.downcast_ref::<CelString<'_>>().is_none()
            && value.downcast_ref::<CelInt>().is_none()
            && value.downcast_ref::<CelUInt>().is_none()
            && value.downcast_ref::<CelDouble>().is_none()
            && value.downcast_ref::<CelBool>().is_none()
    };
    is_constant(&part.expr) && evaluate(part, is_no_key).unwrap_or(false)
}

fn is_conversion(call: &CallExpr) -> bool {
    let [argument] = call.args.as_slice() else { return false };
    call.target.is_none() && CONVERSIONS.contains(&call.func_name.as_str()) && is_constant(&argument.expr)
}

fn is_constant(part: &Expr) -> bool {
    match part {
        Expr::Literal(_) => true,
        Expr::List(list) => list.elements.iter().all(|item| is_constant(&item.expr)),
        Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => is_constant(&entry.key.expr) && is_constant(&entry.value.expr),
            EntryExpr::StructField(_) => false,
        }),
        Expr::Call(call) => is_conversion(call),
        _ => false,
    }
}

fn evaluate<T>(part: &IdedExpr, read: impl FnOnce(&dyn Val) -> T) -> Result<T, Fails> {
    let context = Context::with_env(Arc::clone(&ENVIRONMENT));
    let mut part = part.clone();
    Rewrite::default().apply(&mut part);
    let value = Value::resolve_val(&part, &context).map_err(|error| match error {
        ExecutionError::FunctionError { message, .. } if message == NOT_KNOWN => Fails::Unknown,
        ExecutionError::UnsupportedKeyType(_) => Fails::Unknown,
        _ => Fails::Refused,
    })?;
    Ok(read(value.as_ref()))
}
