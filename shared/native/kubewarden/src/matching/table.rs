//! Tables of tests, as texts.

/// Returns the two columns of each row, which ` => ` divides; a line that begins with `#` is a
/// comment.
pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(" => ").unwrap())
}
