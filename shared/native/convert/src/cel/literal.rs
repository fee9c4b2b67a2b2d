//! String literals, and the regular expressions of patterns.

pub(super) fn text(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '\'' => literal.push_str("\\'"),
            c if c.is_control() => literal.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

pub(super) fn list<'t>(items: impl IntoIterator<Item = &'t str>) -> String {
    let items: Vec<String> = items.into_iter().map(text).collect();
    format!("[{}]", items.join(", "))
}

/// Whether a text contains the wildcards `*` or `?`.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The regular expression that is equivalent to a pattern with `*` and `?`, as a string literal.
///
/// Kyverno's wildcards (`github.com/IGLOU-EU/go-wildcard` v1.0.3) match any characters, including
/// line breaks, which `.` matches only with the flag `s`.
pub(super) fn regex(pattern: &str) -> String {
    let mut regex = String::from("(?s)^");
    for c in pattern.chars() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            c if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '/' | ':' | '@') => {
                regex.push('\\');
                regex.push(c);
            }
            c => regex.push(c),
        }
    }
    regex.push('$');
    text(&regex)
}
