//! `==` and `!=`.
//!
//! A value of a type of Kubernetes compares only with values of its type: with others, `==` is an
//! error, and `!=` is true. Quantities do not compare with the results of `add` and `sub`, which
//! are pointers: `quantity == sum` is an error, and `sum == quantity` compares.
//!
//! Sources: `evalEq` and `evalNe` in `interpreter/interpretable.go` of cel-go, and `Equal` in
//! `pkg/cel` of k8s.io/apiserver.

use cel::common::types::{CelBool, DYN_TYPE, Kind};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::quantity::{are_equal, is_sum};
use super::{arguments, failed, is_of_kubernetes};

pub(crate) const EQUAL: &str = "@equal";
pub(crate) const NOT_EQUAL: &str = "@notEqual";

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(EQUAL, "equal_values", vec![DYN_TYPE, DYN_TYPE], equal)?;
    env.add_overload(NOT_EQUAL, "not_equal_values", vec![DYN_TYPE, DYN_TYPE], not_equal)
}

fn equal<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments(args)?;
    if is_refused(left.as_ref(), right.as_ref()) {
        return Err(failed("_==_", "values of these types do not compare"));
    }
    Ok(CowVal::owned(CelBool::from(is_equal(&left, &right))))
}

fn not_equal<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [left, right] = arguments(args)?;
    let differs = is_refused(left.as_ref(), right.as_ref()) || !is_equal(&left, &right);
    Ok(CowVal::owned(CelBool::from(differs)))
}

fn is_equal<'b, 'v>(left: &CowVal<'b, 'v>, right: &CowVal<'b, 'v>) -> bool {
    are_equal(left.as_ref(), right.as_ref()).unwrap_or_else(|| left == right)
}

/// Returns whether the equality of two values is an error.
fn is_refused(left: &dyn Val, right: &dyn Val) -> bool {
    let (of_left, of_right) = (left.get_type(), right.get_type());
    is_of_kubernetes(of_left)
        && of_right.kind() != Kind::NullType
        && (of_left.name() != of_right.name() || is_sum(right))
}
