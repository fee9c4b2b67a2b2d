//! Suggestions.

/// The name among `known` that is nearest to `name`, if one is near enough to be what was meant.
///
/// # Example
/// ```
/// assert_eq!(text::nearest("cidr", &["cidrs", "users"]), Some("cidrs"));
/// assert_eq!(text::nearest("colour", &["cidrs", "users"]), None);
/// ```
#[must_use]
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    /// Longer names are nobody's typing error, and the comparison is quadratic.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let distance = |known: &str| strsim::levenshtein(&name, &known.to_ascii_lowercase());
    let (distance, near) = known.iter().map(|known| (distance(known), *known)).min()?;
    (distance <= near.len().div_ceil(3)).then_some(near)
}
