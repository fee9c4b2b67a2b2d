//! Untrusted text, quoted to fit on one line of a message.

use std::fmt;

use crate::write::push_quoted;

/// The maximum length of a value in a message, in bytes.
const LIMIT: usize = 256;

/// Displays a value as a JSON string. Characters that are not [printable](is_printable) are
/// escaped. A value of more than 256 bytes is truncated and followed by its full length.
///
/// # Example
/// ```
/// use text::Quoted;
///
/// assert_eq!(Quoted("10.0.0.1").to_string(), r#""10.0.0.1""#);
/// assert_eq!(Quoted("a\nb\u{202e}").to_string(), r#""a\nb\u202e""#);
/// assert!(Quoted(&"x".repeat(1000)).to_string().ends_with(r#"" (1000 bytes)"#));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.ceil_char_boundary(LIMIT);
        let mut quoted = String::new();
        push_quoted(&mut quoted, self.0.get(..end).unwrap_or_default(), Some(is_printable));
        f.write_str(&quoted)?;
        if end < self.0.len() { write!(f, " ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}

/// Returns whether a character prints as itself and does not move, hide or reorder other characters
/// on the line.
///
/// Returns `false` for control characters, line and paragraph separators, zero-width and
/// bidirectional formatting characters, and private use characters.
#[must_use]
pub fn is_printable(c: char) -> bool {
    // Nearly all characters are ASCII.
    matches!(c, ' '..='~')
        || !matches!(u32::from(c),
        0..=0x1f | 0x7f..=0x9f | 0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0xe000..=0xf8ff | 0xfeff | 0xfff0..=0xfffb | 0xe0000..)
}
