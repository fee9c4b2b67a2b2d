//! Bounds: the longest texts that a response carries.
//!
//! A node or a tenant chooses the names and the number of the values that a policy reports. An API
//! server that truncates audit events drops an event with megabytes of annotations whole, reports
//! cannot store such messages, and terminals do not show them.

/// The maximum length of the message of a denial, in bytes. Further violations are counted.
pub const MESSAGE: usize = 32 << 10;

/// The maximum length of an audit annotation, in bytes. Policies report what matters most first,
/// and count the rest.
pub const ANNOTATION: usize = 8 << 10;

/// The maximum length of a warning, in bytes.
pub const WARNING: usize = 1 << 10;

/// The maximum length of all warnings of a response, in bytes. Further warnings are counted.
///
/// From 4,096 characters on, the API server truncates each warning to 256.
///
/// Source: `truncateAtTotalRunes` in `pkg/endpoints/filters/warning.go` of k8s.io/apiserver.
pub const WARNINGS: usize = 4 << 10;

/// The room for the last line: `… and 18446744073709551615 more violations`.
const COUNT: usize = 48;

const ELLIPSIS: &str = "…";

/// Cuts a text that is longer than `bound` bytes and ends it in an ellipsis.
pub(crate) fn cut(mut text: String, bound: usize) -> String {
    if text.len() > bound {
        text.truncate(text.floor_char_boundary(bound.saturating_sub(ELLIPSIS.len())));
        text.push_str(ELLIPSIS);
    }
    text
}

/// Checks the texts of a response against the bounds.
///
/// # Errors
/// Returns an error for a text that is too long and for an annotation that was cut: it does not
/// have the number of the values that it leaves out, and may not be valid JSON.
pub fn check(
    message: &str,
    warnings: &[String],
    annotations: &mut dyn Iterator<Item = (&str, &str)>,
) -> Result<(), String> {
    if message.len() > MESSAGE {
        return Err(format!("the message has {} bytes", message.len()));
    }
    let mut all = 0_usize;
    for warning in warnings {
        all = all.saturating_add(warning.len());
        if warning.len() > WARNING || all > WARNINGS {
            return Err(format!("warnings of {all} bytes, the last of them: {warning}"));
        }
    }
    for (key, value) in annotations {
        let was_cut = value.len().saturating_add(4) > ANNOTATION && value.ends_with(ELLIPSIS);
        if value.len() > ANNOTATION || was_cut {
            return Err(format!("the annotation {key} has {} bytes or more", value.len()));
        }
    }
    Ok(())
}

/// Lines of a message or warnings: as many as fit, and a last one with the number of the others.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Lines {
    pub(crate) texts: Vec<String>,
    /// The name of the lines in the number of the others: `violations`.
    what: &'static str,
    /// The bytes that are left.
    room: usize,
    more: usize,
}

impl Lines {
    /// Creates lines of at most `bound` bytes, one byte for the end of each line included.
    pub(crate) fn new(bound: usize, what: &'static str) -> Self {
        Self { texts: Vec::new(), what, room: bound.saturating_sub(COUNT), more: 0 }
    }

    /// Adds a line if it fits, and counts it if not. The first one is cut to fit.
    pub(crate) fn push(&mut self, line: String) {
        let line = if self.texts.is_empty() { cut(line, self.room.saturating_sub(1)) } else { line };
        match self.room.checked_sub(line.len().saturating_add(1)) {
            Some(room) if self.more == 0 => {
                self.room = room;
                self.texts.push(line);
            }
            _ => self.count(1),
        }
    }

    pub(crate) fn join(&self) -> String {
        let mut text = String::new();
        for line in &self.texts {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }

    /// Counts lines that are not added.
    pub(crate) fn count(&mut self, more: usize) {
        if more == 0 {
            return;
        }
        if self.more > 0 {
            self.texts.pop();
        }
        self.more = self.more.saturating_add(more);
        self.texts.push(["… and ", &self.more.to_string(), " more ", self.what].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_the_boundary_of_a_character() {
        assert_eq!(cut("ééé".to_owned(), 6), "ééé");
        assert_eq!(cut("éééé".to_owned(), 6), "é…");
        assert_eq!(cut("abc".to_owned(), 0), "…");
    }

    #[test]
    fn only_an_annotation_that_was_cut_ends_in_an_ellipsis_at_the_bound() {
        let check = |text: &str| check("", &[], &mut [("key", text)].into_iter());
        assert_eq!(check("a text that says so…"), Ok(()));
        assert_eq!(check(&"x".repeat(ANNOTATION)), Ok(()));
        assert!(check(&cut("x".repeat(ANNOTATION + 1), ANNOTATION)).is_err());
        assert!(check(&"x".repeat(ANNOTATION + 1)).is_err());
    }

    fn text(bound: usize, pushed: &[&str], more: usize) -> String {
        let mut lines = Lines::new(bound, "violations");
        for line in pushed {
            lines.push((*line).to_owned());
        }
        lines.count(more);
        lines.join()
    }

    #[test]
    fn counts_the_lines_that_do_not_fit() {
        let lines = ["abcdef", "too long for the rest", "g"];
        assert_eq!(text(60, &lines, 3), "abcdef\n… and 5 more violations");
        assert_eq!(text(60, &lines, 0), "abcdef\n… and 2 more violations");
        assert_eq!(text(120, &lines, 0), lines.join("\n"));
    }

    #[test]
    fn cuts_a_first_line_that_does_not_fit() {
        let text = text(60, &[&"x".repeat(100)], usize::MAX);
        assert!(text.len() <= 60 && text.starts_with("xxxxxxxx…\n… and "), "{text}");
    }
}
