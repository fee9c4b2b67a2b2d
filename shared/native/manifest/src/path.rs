//! Paths in messages, read back.

use std::borrow::Cow;

/// One step of a path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step {
    /// A field of an object.
    Field(String),
    /// An element of a list.
    Index(usize),
}

/// The path that a text begins with, up to a colon or the end, and what follows the colon.
///
/// It is the inverse of [`text::Path`], in which digits in brackets are always an element: the key `8` is written `.8`.
///
/// # Example
/// ```
/// use manifest::{Step, steps};
///
/// let (path, rest) = steps("metadata.labels[a.io/b]: Forbidden: why").unwrap();
/// let field = |name: &str| Step::Field(name.to_owned());
/// assert_eq!(path, [field("metadata"), field("labels"), field("a.io/b")]);
/// assert_eq!(rest, "Forbidden: why");
/// assert_eq!(steps("no path at all"), None);
/// ```
#[must_use]
pub fn steps(text: &str) -> Option<(Vec<Step>, &str)> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        if rest.is_empty() && !steps.is_empty() {
            return Some((steps, rest));
        }
        if let Some(rest) = rest.strip_prefix(": ")
            && !steps.is_empty()
        {
            return Some((steps, rest));
        }
        let (step, after) = if let Some(bracketed) = rest.strip_prefix('[') {
            in_brackets(bracketed)?
        } else {
            let name = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
            let end = name.find(|c: char| !is_identifier(c)).unwrap_or(name.len());
            let (name, after) = name.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
            (Step::Field(name.to_owned()), after)
        };
        steps.push(step);
        rest = after;
    }
}

fn is_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$')
}

/// A step that stands in brackets: an index, a key, or a quoted key.
fn in_brackets(text: &str) -> Option<(Step, &str)> {
    if text.starts_with('"')
        && let Some((key, after)) = quoted(text)
        && let Some(after) = after.strip_prefix(']')
    {
        return Some((Step::Field(key.into_owned()), after));
    }
    let (inner, after) = text.split_once(']')?;
    let index = Some(inner).filter(|inner| inner.bytes().all(|byte| byte.is_ascii_digit()));
    let step = match index.and_then(|digits| digits.parse().ok()) {
        Some(index) => Step::Index(index),
        None => Step::Field(inner.to_owned()),
    };
    Some((step, after))
}

/// A JSON string that a text begins with, and what follows it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Cow<'_, str>>();
    let key = values.next()?.ok()?;
    Some((key, text.get(values.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0_usize..2000).prop_map(Step::Index),
            "[a-zA-Z$_-]{1,8}".prop_map(Step::Field),
            "\\PC{0,12}".prop_map(Step::Field),
            "[+-]?[0-9]{1,3}".prop_map(Step::Field),
            "[a-z]{1,5}\\.[a-z]{1,5}/[a-z\"\\\\]{1,5}".prop_map(Step::Field),
        ]
    }

    fn written(path: &[Step]) -> String {
        let steps = path.iter().map(|step| match step {
            Step::Field(name) => text::Step::Field(name),
            Step::Index(index) => text::Step::Index(u32::try_from(*index).unwrap()),
        });
        text::Path(&steps.collect::<Vec<_>>()).to_string()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(path in prop::collection::vec(step(), 1..6)) {
            let text = format!("{}: Invalid value: a: b", written(&path));
            prop_assert_eq!(steps(&text), Some((path, "Invalid value: a: b")), "{}", text);
        }

        #[test]
        fn any_text_is_survived(text in "\\PC{0,40}") {
            let _ = steps(&text);
        }
    }

    #[test]
    fn what_is_no_path_is_none() {
        for text in ["", ": a", "Namespace \"a\": b", "a..b: c", "a[0: c", "… and 3 more violations"] {
            assert_eq!(steps(text), None, "{text}");
        }
    }
}
