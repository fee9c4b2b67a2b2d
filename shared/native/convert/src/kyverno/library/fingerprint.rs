//! Fingerprints of expressions, by which known ones are recognised.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The beginning of a fingerprint, which stands for a text in the library.
const PREFIX: &str = "sha256:";

/// The bytes of the digest that a fingerprint keeps.
const LENGTH: usize = 16;

/// Whether a text is the expected one, or has the expected fingerprint.
pub(super) fn is_expected(expected: &str, text: &str) -> bool {
    if expected.starts_with(PREFIX) { of(text) == expected } else { expected == text.trim() }
}

/// The fingerprint of an expression in CEL or `JMESPath`, which does not depend on the layout.
fn of(expression: &str) -> String {
    let mut fingerprint = PREFIX.to_owned();
    for byte in Sha256::digest(compact(expression)).iter().take(LENGTH) {
        // Writing to a string does not fail.
        let _ = write!(fingerprint, "{byte:02x}");
    }
    fingerprint
}

/// Removes the space outside of quotes, or leaves one blank if words would join.
fn compact(expression: &str) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut compact = String::new();
    let mut quote = None;
    let mut is_after_space = false;
    for c in expression.chars() {
        if quote.is_none() && c.is_whitespace() {
            is_after_space = true;
            continue;
        }
        if std::mem::take(&mut is_after_space) && is_of_word(c) && compact.ends_with(is_of_word) {
            compact.push(' ');
        }
        compact.push(c);
        quote = match quote {
            None if c == '\'' || c == '"' => Some(c),
            Some(open) if open == c => None,
            other => other,
        };
    }
    compact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_an_expression_does_not_matter() {
        for (expression, compacted) in [
            ("  a.b( 'x y' )\n  in c ", "a.b('x y')in c"),
            ("has(a)\n&& b", "has(a)&&b"),
            ("x  in  y", "x in y"),
            ("\"it's  so\" + z", "\"it's  so\"+z"),
        ] {
            assert_eq!(compact(expression), compacted);
            assert_eq!(of(expression), of(compacted));
        }
        assert_ne!(of("'a b'"), of("'a  b'"));
        assert_ne!(of("x in y"), of("x iny"));
    }

    #[test]
    fn a_fingerprint_stands_for_an_expression() {
        let fingerprint = of("object.spec.hostPID");
        assert!(is_expected(&fingerprint, "object.spec\n  .hostPID"));
        assert!(!is_expected(&fingerprint, "object.spec.hostIPC"));
        assert!(is_expected("false", "false") && !is_expected("false", "true"));
    }
}
