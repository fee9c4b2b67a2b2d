//! Membership in lists of names, which are compared as they are.

use super::CelExpression;
use super::CelExpression::{All, Any};
use super::literal::list;

/// A value is one of the names.
pub(crate) fn is_one_of<'t>(value: &str, names: impl IntoIterator<Item = &'t str>) -> CelExpression {
    CelExpression::plain(format!("{value} in {}", list(names)))
}

/// The requesting user has one of the names, or belongs to one of the groups.
pub(crate) fn is_requested_by_one_of<'t>(
    users: impl IntoIterator<Item = &'t str>,
    groups: impl IntoIterator<Item = &'t str>,
) -> CelExpression {
    let mut alternatives = Vec::new();
    let users: Vec<&str> = users.into_iter().collect();
    if !users.is_empty() {
        let has = CelExpression::plain("has(request.userInfo.username)");
        alternatives.push(All(vec![has, is_one_of("request.userInfo.username", users)]));
    }
    let groups: Vec<&str> = groups.into_iter().collect();
    if !groups.is_empty() {
        let has = CelExpression::plain("has(request.userInfo.groups)");
        let member = format!("request.userInfo.groups.exists(group, group in {})", list(groups));
        alternatives.push(All(vec![has, CelExpression::plain(member)]));
    }
    Any(alternatives)
}
