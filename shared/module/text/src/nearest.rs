//! Suggestions for misspelt names.

/// Returns the name in `known` that is nearest to `name`; `None` if none is near enough to have
/// been meant. Case is ignored, and the Levenshtein distance may be up to a third of the length of
/// the known name, rounded up.
///
/// # Example
/// ```
/// assert_eq!(text::nearest("cidr", &["cidrs", "users"]), Some("cidrs"));
/// assert_eq!(text::nearest("colour", &["cidrs", "users"]), None);
/// ```
#[must_use]
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    /// The maximum length of a name in bytes. Longer names are not typing errors, and the
    /// comparison is quadratic.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let distance = |known: &str| strsim::levenshtein(&name, &known.to_ascii_lowercase());
    let (distance, near) = known.iter().map(|known| (distance(known), *known)).min()?;
    (distance <= near.len().div_ceil(3)).then_some(near)
}
