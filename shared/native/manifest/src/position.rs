//! Positions and lines in a text.

/// A position in a text. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// Returns the lines of a text, as YAML and editors count them: they end with a line feed, a
/// carriage return, or both.
///
/// # Example
/// ```
/// assert_eq!(manifest::lines("a\r\nb\rc\n").collect::<Vec<_>>(), ["a", "b", "c", ""]);
/// ```
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some((line, behind)) = text.split_once(['\r', '\n']) else { return rest.take() };
        let is_pair = text.get(line.len()..).is_some_and(|end| end.starts_with("\r\n"));
        rest = Some(if is_pair { behind.strip_prefix('\n').unwrap_or(behind) } else { behind });
        Some(line)
    })
}
