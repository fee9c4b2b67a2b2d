//! Blessing: whether tests rewrite expectations, for review.

/// Returns whether expectations are to be rewritten: `BLESS=1`.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}
