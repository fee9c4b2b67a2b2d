//! Search with a small code size.

/// Returns whether a text contains another one.
///
/// `str::contains` would add 2 to 9 KB to a module. This is a plain search, for short texts.
///
/// # Example
/// ```
/// assert!(text::contains("a type that is unconfined", "unconf"));
/// assert!(!text::contains("unconf", "unconfined"));
/// ```
#[must_use]
#[inline(never)]
pub fn contains(text: &str, part: &str) -> bool {
    let mut rest = text.as_bytes();
    while !rest.starts_with(part.as_bytes()) {
        match rest.split_first() {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}
