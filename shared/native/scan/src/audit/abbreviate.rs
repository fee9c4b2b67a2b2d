//! Long lists of names in a sentence.

/// Joins names with commas: the first three, and the number of those left out.
///
/// # Example
/// ```
/// assert_eq!(scan::audit::abbreviated(["a", "b"]), "a, b");
/// assert_eq!(scan::audit::abbreviated(["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
/// ```
#[must_use]
pub fn abbreviated<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 3;
    let mut names = names.into_iter();
    let shown: Vec<&str> = names.by_ref().take(SHOWN).collect();
    let shown = shown.join(", ");
    match names.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
