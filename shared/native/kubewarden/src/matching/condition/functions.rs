//! The functions of Kubernetes for CEL, and the sets of cel-go.
//!
//! Sources: `pkg/cel/library` of k8s.io/apiserver at 24a394e51, and `ext/sets.go` of cel-go.

use std::any::Any;
use std::cell::Cell;

use cel::common::traits::Iterable;
use cel::common::types::{Kind, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

mod address;
mod equality;
mod format;
mod formatting;
mod list;
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "the macros of the crate cel pass references")
)]
mod quantity;
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "the macros of the crate cel pass references")
)]
mod regex;
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the macros of the crate cel pass references")]
mod semver;
mod set;
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "the macros of the crate cel pass references")
)]
mod spelling;
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "the macros of the crate cel pass references")
)]
mod time;
mod two_variables;
mod url;

pub(crate) use equality::{EQUAL, NOT_EQUAL};
pub(crate) use formatting::FORMAT;
pub(crate) use spelling::{FLAG, INDEX_OF, LAST_INDEX_OF, NATURAL, READ, SPELLED, WITH_FIELDS};
pub(crate) use two_variables::{INSERT, MERGE, PAIRS};

/// The message of an error whose value on an API server is not known: Go reads the input in
/// another way, or has larger numbers.
pub(crate) const NOT_KNOWN: &str = "its value on an API server is not known";

thread_local! {
    /// Whether the evaluation of this thread compared values that API servers may compare
    /// otherwise.
    static IS_UNSURE: Cell<bool> = const { Cell::new(false) };
    /// The operands whose evaluation in this thread has begun and not ended.
    static OPEN: Cell<u32> = const { Cell::new(0) };
    /// Whether a function of the evaluation of this thread had a value that is not known.
    static IS_UNKNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Counts an operand whose evaluation begins.
pub(crate) fn open() {
    OPEN.set(OPEN.get().saturating_add(1));
}

/// Counts an operand whose evaluation ended without an error.
pub(crate) fn close() {
    OPEN.set(OPEN.get().saturating_sub(1));
}

/// Returns whether an operand was an error in the evaluation that ended last, and resets it.
pub(crate) fn take_open() -> bool {
    OPEN.take() > 0
}

/// Returns whether the evaluation that ended last had an unknown value, and resets it.
pub(crate) fn take_unknown() -> bool {
    IS_UNKNOWN.take()
}

/// Marks the value of the evaluation of this thread as not known.
pub(crate) fn mark_unsure() {
    IS_UNSURE.set(true);
}

/// Returns whether the value of the evaluation that ended last is not known, and resets it.
pub(crate) fn take_unsure() -> bool {
    IS_UNSURE.take()
}

pub(crate) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    address::declare(env)?;
    equality::declare(env)?;
    format::declare(env)?;
    formatting::declare(env)?;
    list::declare(env)?;
    quantity::declare(env)?;
    regex::declare(env)?;
    semver::declare(env)?;
    set::declare(env)?;
    spelling::declare(env)?;
    time::declare(env)?;
    two_variables::declare(env)?;
    url::declare(env)
}

/// A type of Kubernetes as a value of CEL.
trait Opaque: Any + Clone + std::fmt::Debug + Send + Sync {
    fn of_type() -> &'static Type;
    fn is_equal(&self, other: &Self) -> bool;
}

#[derive(Clone, Debug)]
struct Of<T>(T);

impl<T: Opaque> Val for Of<T> {
    fn get_type(&self) -> &Type {
        T::of_type()
    }

    fn cel_type() -> &'static Type {
        T::of_type()
    }

    fn equals(&self, other: &dyn Val) -> bool {
        let Some(other) = other.downcast_ref::<Self>() else {
            if is_of_kubernetes(self.get_type()) && other.get_type().kind() != Kind::NullType {
                // As with sums of quantities.
                mark_unsure();
            }
            return false;
        };
        self.0.is_equal(&other.0)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl<T: Opaque> StaticVal for Of<T> {}

fn is_of_kubernetes(of_type: &Type) -> bool {
    of_type.name().starts_with("kubernetes.") || of_type.name().starts_with("net.")
}

pub(crate) fn arguments<'b, 'v, const N: usize>(
    args: Vec<CowVal<'b, 'v>>,
) -> Result<[CowVal<'b, 'v>; N], ExecutionError> {
    args.try_into().map_err(|args: Vec<_>| ExecutionError::invalid_argument_count(N, args.len()))
}

fn items<'b, 'v>(list: &'b (dyn Val + 'v)) -> Result<Vec<&'b (dyn Val + 'v)>, ExecutionError> {
    let list: &'b (dyn Iterable + 'v) =
        list.as_iterable().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let mut iterator = list.iter();
    let mut items = Vec::new();
    while let Some(item) = iterator.next() {
        items.push(item);
    }
    Ok(items)
}

/// The error of a function. An unknown value counts even if an operator absorbs it.
pub(crate) fn failed(function: &str, problem: &str) -> ExecutionError {
    if problem == NOT_KNOWN {
        IS_UNKNOWN.set(true);
    }
    ExecutionError::function_error(function, problem)
}
