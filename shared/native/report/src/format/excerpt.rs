//! The line of a value, with the value marked.

use text::is_printable;

use crate::{Finding, Span};

/// The number of characters that are shown of a value.
const WIDTH: usize = 80;

impl Finding {
    /// Returns whether the lines of the input may be shown. Those of a Secret may not.
    pub(super) fn may_be_shown(&self) -> bool {
        !(self.object.kind == "Secret" && self.object.group().is_empty())
    }
}

/// Returns the number and the text of the first line of a value with its key, and a line that marks
/// it; `None` if the text is not that of the finding, because the file changed.
///
/// Nothing else of the line is shown: it can have values of other fields and objects.
pub(super) fn excerpt(finding: &Finding, span: Span, text: &str) -> Option<[String; 2]> {
    let line = text.lines().next()?;
    let index = |column: u64| usize::try_from(column).ok()?.checked_sub(1);
    let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(byte, _)| byte);
    let start = byte(index(span.start.column)?);
    let end = if span.start.line == span.end.line { byte(index(span.end.column)?) } else { line.len() };
    let value = line.get(start..end).filter(|value| !value.trim().is_empty())?;
    if !is_of(finding, value) {
        return None;
    }
    let before = line.get(..start)?;
    let is_indentation = before.chars().all(|c| matches!(c, ' ' | '\t' | '-'));
    let before = if is_indentation { before.replace('\t', " ") } else { "…".to_owned() };
    // A collection in braces has other fields.
    let inside = value.find(['{', '[']).map(|bracket| bracket.saturating_add(1));
    let shown: String = value.get(..inside.unwrap_or(value.len()))?.trim_end().chars().take(WIDTH).collect();
    let after = line.get(end..).unwrap_or_default().trim_start();
    let is_cut = shown.len() < value.trim_end().len() || !after.is_empty() && !after.starts_with('#');
    let marks = "^".repeat(shown.chars().count());
    let shown: String = shown.chars().map(|c| if is_printable(c) { c } else { ' ' }).collect();
    let number = span.start.line;
    Some([
        format!("{number:>5} | {before}{shown}{}", if is_cut { "…" } else { "" }),
        format!("      | {}{marks}", " ".repeat(before.chars().count())),
    ])
}

/// Returns whether a text can be that of a finding: it has a field of its path, or the value that
/// the message shows.
fn is_of(finding: &Finding, text: &str) -> bool {
    let fields = finding.path.as_deref().unwrap_or_default().split(['.', '[', ']']);
    let mut fields = fields.filter(|field| field.parse::<usize>().is_err() && !field.is_empty());
    let value = text.trim().trim_matches(['"', '\'']);
    fields.any(|field| text.contains(field)) || finding.message.contains(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Position, sample};

    fn excerpt_at(start: (u64, u64), end: (u64, u64), path: &str, text: &str) -> Option<[String; 2]> {
        let position = |(line, column)| Position { line, column };
        let finding = Finding {
            path: Some(path.to_owned()),
            message: format!("{path}: Invalid value: \"192.0.2.1\": no"),
            ..sample::finding()
        };
        excerpt(&finding, Span { start: position(start), end: position(end) }, text)
    }

    #[test]
    fn the_value_is_shown_with_its_key_and_marked() {
        for (start, end, path, text, line, marks) in [
            (
                (13, 3),
                (13, 16),
                "spec.hostPID",
                "  hostPID: true # why",
                "   13 |   hostPID: true",
                "      |   ^^^^^^^^^^^^^",
            ),
            (
                (7, 7),
                (7, 16),
                "spec.externalIPs[0]",
                "    - 192.0.2.1",
                "    7 |     - 192.0.2.1",
                "      |       ^^^^^^^^^",
            ),
            // Other fields of the line are not shown.
            (
                (2, 21),
                (2, 34),
                "spec.hostPID",
                "spec: {password: a, hostPID: true}",
                "    2 | …hostPID: true…",
                "      |  ^^^^^^^^^^^^^",
            ),
            (
                (1, 1),
                (1, 18),
                "spec.volumes",
                "volumes: [{a: b}]",
                "    1 | volumes: […",
                "      | ^^^^^^^^^^",
            ),
            ((1, 2), (3, 1), "a.b", "\tb: \u{1b}[2J", "    1 |  b:  […", "      |  ^^^^^"),
        ] {
            let shown = excerpt_at(start, end, path, text);
            assert_eq!(shown, Some([line, marks].map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let text = format!("a: {}", "x".repeat(500));
        let [line, marks] = excerpt_at((1, 1), (1, 504), "a", &text).unwrap();
        assert!(line.ends_with("xx…") && line.chars().count() < 100, "{line}");
        assert_eq!(marks.matches('^').count(), WIDTH);
    }

    #[test]
    fn the_text_of_a_file_that_changed_is_not_shown() {
        for text in ["  password: hunter2", "  hostNetwork: true", "", "  "] {
            assert_eq!(excerpt_at((1, 3), (1, 60), "spec.hostPID", text), None, "{text}");
        }
        assert_eq!(excerpt_at((1, 90), (1, 99), "spec.hostPID", "  hostPID: true"), None);
    }
}
