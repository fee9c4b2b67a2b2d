//! Text from outside, made safe for a place where other text surrounds it.

use text::{is_printable, percent_encoded};

/// Returns the text as one line that can neither move the cursor, change colours nor reorder
/// characters.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Noncharacters are not allowed in XML.
        if is_printable(c) && !matches!(c, '\u{fffe}' | '\u{ffff}') {
            line.push(c);
        } else {
            line.extend(c.escape_default());
        }
    }
    line
}

/// Returns the text as one line of text or as a quoted attribute in HTML and XML.
#[must_use]
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns the text as one line of Markdown without any markup, also in a cell of a table.
pub(crate) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns a path as a relative URI reference (RFC 3986). Slashes stay.
pub(crate) fn uri(path: &str) -> String {
    let segments: Vec<String> = path.split('/').map(percent_encoded).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_letters_and_escapes_what_affects_a_terminal() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc\u{202e}d\u{ffff}"), "a\\u{1b}[2Jb\\nc\\u{202e}d\\u{ffff}");
        assert_eq!(one_line("größe 漢字 \"x\" \\"), "größe 漢字 \"x\" \\");
    }

    #[test]
    fn markup_cannot_be_injected() {
        assert_eq!(
            markup("</script a='1' b=\"2\">&\n"),
            "&lt;/script a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\\n"
        );
        assert_eq!(markdown("| <b> `x` *y* [a](b)\n#"), "\\| &lt;b&gt; \\`x\\` \\*y\\* \\[a\\](b)\\\\n\\#");
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri("deploy/größe 1.yaml"), "deploy/gr%C3%B6%C3%9Fe%201.yaml");
        assert_eq!(uri("a:b?c#d%"), "a%3Ab%3Fc%23d%25");
    }
}
