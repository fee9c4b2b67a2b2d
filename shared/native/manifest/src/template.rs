//! Lines of templates, which kubectl cannot read.
//!
//! A value that begins with `{{` is a mapping whose key is a mapping, `@` begins no value, and
//! nothing follows the mapping `{name}`: kubectl refuses each of them where a value or a key
//! begins. To prove that one begins there, this crate reads the text up to that place and a word
//! behind it, which has to be the last value.

use crate::compose::{self, Limits};
use crate::part::{Part, Parts};
use crate::{Position, lines};

/// The texts in the place of a value, of a key, and of an item, which end with a value in quotes.
const WORDS: [&str; 3] = [QUOTED, "x: \"x\"", "- \"x\""];

/// Within a longer text, the quotes would be part of the text.
const QUOTED: &str = "\"x\"";

/// Returns whether kubectl cannot read a text because of a template in a line of it.
pub(crate) fn is_refused(text: &str, line: u64) -> bool {
    let Some(whole) = usize::try_from(line).ok().and_then(|line| lines(text).nth(line.checked_sub(1)?))
    else {
        return false;
    };
    let Some(begin) = begin(whole) else { return false };
    let column = whole.get(..begin).unwrap_or_default().chars().count();
    // The line is a slice of the text.
    let offset = (whole.as_ptr().addr() - text.as_ptr().addr()).saturating_add(begin);
    let Some(before) = text.get(..offset) else { return false };
    let limits = Limits { takes_duplicates: true, has_many_aliases: false };
    WORDS.iter().any(|word| {
        let Ok(documents) = compose::documents(&format!("{before}{word}"), limits) else { return false };
        let columns = column.saturating_add(word.len()).saturating_sub(QUOTED.len()).saturating_add(1);
        let at = u64::try_from(columns).map(|column| Position { line, column });
        documents.last().map(last).is_some_and(|last| {
            Ok(last.at) == at && matches!(&last.parts, Parts::Scalar(value) if value == "x")
        })
    })
}

/// Returns the last value of a document.
fn last(part: &Part) -> &Part {
    let inner = match &part.parts {
        Parts::Scalar(_) => None,
        Parts::List(items) => items.last(),
        Parts::Object(fields) => fields.last().map(|(.., part)| part),
    };
    inner.map_or(part, last)
}

/// Returns the byte at which the value of a line begins, if it is one of a template.
fn begin(line: &str) -> Option<usize> {
    let item = without_items(line);
    let value = value(item).unwrap_or(item).trim_start();
    let inside = value.strip_prefix('{').map(|rest| (rest, rest.trim_start_matches(is_name)));
    let behind = inside.filter(|(name, rest)| name != rest).and_then(|(_, rest)| rest.strip_prefix('}'));
    // A mapping that is a document ends it.
    let is_part = value.len() < line.trim_start().len();
    let is_followed = is_part && behind.is_some_and(|rest| rest.starts_with(is_name));
    let is_template = value.starts_with("{{") || value.starts_with('@') || is_followed;
    is_template.then(|| line.len().saturating_sub(value.len()))
}

/// Returns a line without the `- ` of items before its value.
fn without_items(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    rest
}

/// Returns the text behind a key; `None` without one.
fn value(line: &str) -> Option<&str> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let name = quote.map_or(Some(line), |quote| line.strip_prefix(quote))?;
    let behind = name.trim_start_matches(is_name);
    let rest = quote.map_or(Some(behind), |quote| behind.strip_prefix(quote))?.strip_prefix(':')?;
    (name != behind && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_line(line: &str) -> bool {
        is_refused(line, 1)
    }

    #[test]
    fn values_of_templates_begin_with_braces_or_a_mark() {
        for line in [
            "{{- if x }}",
            "  name: {{ x }}-a",
            "- {{ x }}",
            "- - a/b.c: {{ x }}",
            "'a': {{ x }}",
            "a: {B}.16",
            "name: @NAME@",
            "@a@",
        ] {
            assert!(is_line(line), "{line}");
        }
        for line in [
            "",
            "a: b # {{ x }}",
            "a: '{{ x }}'",
            "a: b{{ x }}",
            "a b: {{ x }}",
            "a:{{ x }}",
            "{ {a: b} }",
            "a: {b}",
            "a: {b} # c",
            "{b}c",
        ] {
            assert!(!is_line(line), "{line}");
        }
    }

    #[test]
    fn a_value_or_a_key_begins_at_a_template() {
        let is_read_before = |before: &str| {
            let line = u64::try_from(before.matches('\n').count() + 1).unwrap();
            ["{{ x }}", "@x"].map(|value| is_refused(&format!("{before}{value}"), line))
        };
        for before in [
            "",
            "# a\n",
            "a:\n",
            "- a\n",
            "{a: 1}\n---\nb: c\n",
            "- - {a: 1}\n",
            "a: 'b'\nc:\n  ",
            "a: 1\na: ",
            "a:\n  - b\n  ",
        ] {
            assert_eq!(is_read_before(before), [true; 2], "{before}");
        }
        for before in [
            "{a: 1}\n",
            "a\n",
            "a: b\n--- a\nb\n",
            "\"a\"\n",
            " a: b\n",
            "a: 'b\n  ",
            "a: \"b\n",
            "a: \"b\n  c: ",
            "a: b\n  ",
            "a: |\n  ",
            "a: &b:c\n  ",
            "a: [b,\n",
            "a: 1\n...\n",
            "a: b\n  c: ",
        ] {
            assert_eq!(is_read_before(before), [false; 2], "{before}");
        }
    }
}
