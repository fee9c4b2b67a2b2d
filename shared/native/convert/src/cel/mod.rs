//! CEL expressions, as match conditions contain them.

mod expression;
mod literal;
mod membership;
mod predicate;

pub(crate) use expression::CelExpression;
pub(crate) use literal::is_pattern;
pub(crate) use membership::{is_one_of, is_requested_by_one_of};
pub(crate) use predicate::{
    has_name, has_pairs, is_for_resource, is_operation, is_requested_by, is_selected, matches_any,
};
