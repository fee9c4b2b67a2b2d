//! CEL expressions, as match conditions contain them.

mod expression;
mod literal;
mod predicate;

pub(crate) use expression::CelExpression;
pub(crate) use literal::is_pattern;
pub(crate) use predicate::{
    has_name, has_pairs, is_for_resource, is_operation, is_requested_by, is_selected, matches_any,
};
