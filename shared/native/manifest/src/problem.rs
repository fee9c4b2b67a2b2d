//! Errors of texts that cannot be read.

use std::fmt;

use crate::Position;

/// The problem of a text that cannot be read, and its position.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The position; `None` if the problem does not have one.
    pub at: Option<Position>,
    /// The format that the text is not in, such as `YAML`; `None` for other problems, such as a
    /// duplicate key.
    format: Option<&'static str>,
    /// The problem, without the format.
    what: String,
    is_template: bool,
}

impl Problem {
    /// Creates a problem, such as a duplicate key.
    pub fn new(at: Option<Position>, what: impl Into<String>) -> Self {
        Self { at, format: None, what: what.into(), is_template: false }
    }

    pub(crate) fn invalid(format: &'static str, at: Option<Position>, what: impl Into<String>) -> Self {
        Self { at, format: Some(format), what: what.into(), is_template: false }
    }

    /// Notes whether the line of the problem is one of a template.
    pub(crate) fn in_text(self, text: &str) -> Self {
        let number = self.at.and_then(|at| usize::try_from(at.line).ok()).unwrap_or_default();
        let mut before: Vec<&str> = text.lines().take(number).collect();
        let is_template = before.pop().is_some_and(|line| is_of_template(line) && is_in_block(line, &before));
        Self { is_template, ..self }
    }

    /// Returns whether the text is a template by the line of the problem: a value begins with `{{`
    /// or `@`. Then kubectl cannot read it either.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.is_template
    }

    /// Returns the problem at another position, such as that in a longer text.
    #[must_use]
    pub fn at(self, at: Option<Position>) -> Self {
        Self { at, ..self }
    }

    /// Returns the problem as a sentence without its position: `invalid YAML: …`.
    #[must_use]
    pub fn message(&self) -> String {
        match self.format {
            Some(format) => format!("invalid {format}: {}", self.what),
            None => self.what.clone(),
        }
    }

    /// Returns the problem as a sentence with its line, for readers who do not see its position:
    /// `Invalid YAML near line 3: …`. The cause can be above the line. Other problems, such as a
    /// duplicate key, stay as they are.
    #[must_use]
    pub fn near(&self) -> String {
        match (self.format, self.at) {
            (Some(format), Some(Position { line, .. })) => {
                format!("Invalid {format} near line {line}: {}", self.what)
            }
            _ => self.message(),
        }
    }
}

/// Returns whether a value begins with `{{` or `@`, or with `{name}` and other text: to YAML, the
/// first is a mapping whose key is a mapping, the second begins no value, and nothing follows a
/// mapping.
fn is_of_template(line: &str) -> bool {
    let item = without_items(line);
    let value = value(item).unwrap_or(item).trim_start();
    let inside = value.strip_prefix('{').map(|rest| (rest, rest.trim_start_matches(is_name)));
    let behind = inside.filter(|(name, rest)| name != rest).and_then(|(_, rest)| rest.strip_prefix('}'));
    // A mapping that is a document ends it.
    let is_part = value.len() < line.trim_start().len();
    let is_followed = is_part && behind.is_some_and(|rest| rest.starts_with(is_name));
    value.starts_with("{{") || value.starts_with('@') || is_followed
}

/// Returns whether a line is in a mapping or list of lines, by the lines before it. Behind the end
/// of another value, kubectl does not read on.
fn is_in_block(line: &str, before: &[&str]) -> bool {
    let is_end = |line: &&&str| line.starts_with("---") || line.starts_with("...");
    // kubectl reads nothing behind the end of a document but the next one.
    if before.iter().rev().find(is_end).is_some_and(|line| line.starts_with("...")) {
        return false;
    }
    let document = before.iter().rev().take_while(|line| !is_end(line));
    let is_content = |line: &&&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    let first = document.filter(is_content).last();
    let indent = |line: &str| line.len() - line.trim_start().len();
    first.is_none_or(|first| {
        let text = first.trim_start();
        indent(first) <= indent(line) && (without_items(text) != text || value(text).is_some())
    })
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

/// Displays the position and the problem: `line 3, column 1: invalid YAML: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message())
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_templates_have_values_that_begin_with_braces() {
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
            assert!(is_of_template(line), "{line}");
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
            assert!(!is_of_template(line), "{line}");
        }
    }

    #[test]
    fn lines_of_templates_are_in_a_mapping_or_list_of_lines() {
        for before in ["", "# a", "a:", "- a", "{a: 1}\n---\nb: c", "- - {a: 1}"] {
            assert!(is_in_block("{{ x }}", &before.lines().collect::<Vec<_>>()), "{before}");
        }
        for before in ["{a: 1}", "a", "a: b\n--- a\nb", "\"a\"", " a: b"] {
            assert!(!is_in_block("{{ x }}", &before.lines().collect::<Vec<_>>()), "{before}");
        }
    }
}
