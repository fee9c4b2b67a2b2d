//! Text from outside, made safe for a terminal.

use text::is_printable;

/// Returns the text as one line that can neither move the cursor nor change colours.
///
/// Names and messages come from files of others. Control characters, line ends and characters that
/// hide or reorder text are escaped.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) {
            line.push(c);
        } else {
            line.extend(c.escape_default());
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_only_what_affects_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc\u{202e}d"), "a\\u{1b}[2Jb\\nc\\u{202e}d");
        assert_eq!(one_line("größe 漢字 \"x\" \\"), "größe 漢字 \"x\" \\");
    }
}
