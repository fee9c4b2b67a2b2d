//! Lines of quoted strings that are not indented.
//!
//! In YAML 1.2.2, the lines of a quoted string are indented more than the block that contains it
//! (`s-flow-line-prefix`), and the parser refuses others. kubectl reads them: the scanner of
//! `goyaml.v2` in kubernetes-sigs/yaml never compares their indentation. Manifests have such lines,
//! such as `bindata/bootkube/scc-manifests` of openshift/cluster-kube-apiserver-operator (c813e82).

use std::borrow::Cow;
use std::iter::repeat_n;

use crate::compose::Fault;
use crate::lines;

/// The message of the parser, which has no code for it.
pub(crate) const NOT_INDENTED: &str = "invalid indentation in multiline quoted scalar";

/// The bytes that may be read again, because each line takes another reading of the text.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Reads a text, in which the lines of quoted strings need not be indented.
///
/// A string does not contain the white space at the beginning of its lines, so that more of it
/// changes no value. Only the columns in such a line change.
pub(crate) fn read<T>(text: &str, read: impl Fn(&str) -> Result<T, Fault>) -> Result<T, Fault> {
    let mut text = Cow::Borrowed(text);
    let mut last = 0;
    let mut budget = MAX_BYTES;
    loop {
        let error = match read(&text) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let Some(line) = not_indented(&error).filter(|line| *line > last) else { return Err(error) };
        let (Some(rest), Some(indented)) = (budget.checked_sub(text.len()), indent(&text, line)) else {
            return Err(error);
        };
        (text, last, budget) = (Cow::Owned(indented), line, rest);
    }
}

/// The number of the line that is not indented, from 1.
fn not_indented(fault: &Fault) -> Option<usize> {
    match fault {
        Fault::Syntax(at, words) if words == NOT_INDENTED => usize::try_from(at.line).ok(),
        _ => None,
    }
}

/// Indents a line more than the block of the string in it.
fn indent(text: &str, number: usize) -> Option<String> {
    let index = number.checked_sub(1)?;
    let before = lines(text).take(index).filter(|line| !line.trim().is_empty()).last()?;
    // The block begins at the key of the line in which the string begins, behind the dashes of
    // lists. The lines of the string above this one are indented.
    let begins = |c: char| c.is_whitespace() || matches!(c, '-' | '?' | ':');
    let width = before.chars().take_while(|c| begins(*c)).count() + 1;
    // A line that separates documents does not belong to the string, which is not closed.
    let line = lines(text).nth(index).filter(|line| !line.starts_with("---") && !line.starts_with("..."))?;
    let start = (line.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let (head, tail) = text.split_at_checked(start)?;
    Some(head.chars().chain(repeat_n(' ', width)).chain(tail.chars()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Places, Step, documents};

    #[test]
    fn lines_of_quoted_strings_need_not_be_indented() {
        for (text, value) in [
            ("a: 'b\nc'", json!({ "a": "b c" })),
            ("a: \"b\r\n\r\nc: d\\\n# e\"\r\nf: g", json!({ "a": "b\nc: d# e", "f": "g" })),
            ("a:\n  b: 'c\n  d\n\n e\n   f'\n  g: h", json!({ "a": { "b": "c d\ne f", "g": "h" } })),
            ("- - a: 'b\n    c\n    d'\n    e: f", json!([[{ "a": "b c d", "e": "f" }]])),
            ("- - 'a\nb'\n  - c", json!([["a b", "c"]])),
            ("? 'a\nb'\n: - 'c\n  d'", json!({ "a b": ["c d"] })),
            ("- a: 1\n- b: 'c\nd'", json!([{ "a": 1 }, { "b": "c d" }])),
        ] {
            assert_eq!(documents(text).unwrap(), [value], "{text}");
        }
        let all = [json!({ "x": "z" }), json!({ "a": "b c" }), json!({ "d": "e" })];
        assert_eq!(documents("x: z\n---\na: 'b\nc'\n---\nd: e").unwrap(), all);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let place = Places::of("a: 'b\nc'\nd:\n  e: f\n")
            .find(0, &[Step::Field("d".to_owned()), Step::Field("e".to_owned())]);
        let at = place.unwrap().start;
        assert_eq!((at.line, at.column), (4, 3));
    }

    #[test]
    fn other_lines_have_to_be_indented() {
        for text in [
            "a: |\n b\nc",
            "a: 'b\n---\nc'",
            "a: 'b\nc",
            "a: 'b\nc' d",
            "a: 'b\nc'\na: d",
            "a:\n  b: c\n d: e",
        ] {
            assert!(documents(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_is_read_only_so_often() {
        let lines = "b\n".repeat(20_000);
        let problem = documents(&format!("a: 'b\n{lines}'")).unwrap_err().to_string();
        assert!(problem.contains("indent the lines of the quoted string"), "{problem}");
    }
}
