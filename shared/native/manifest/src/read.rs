//! Reading of JSON and YAML, which are distinguished by content and not by the name of a file.

use serde_json::Value;

use crate::compose::{self, Limits};
use crate::part::Part;
use crate::separators::SEPARATOR;
use crate::strict::Parsed;
use crate::{Position, Problem};

/// Parses the documents of a text, without empty ones.
///
/// JSON may be several concatenated values, as `kubectl get -o json --watch` and `jq` write them,
/// and documents of YAML may follow them behind a line `---`.
/// YAML may be several documents and means the same as to kubectl, or is refused: `yes`, `on` and
/// `y` are true, also as keys, `0123` is octal, and `1e3` is the integer 1000.
///
/// The depth of recursion is the nesting of the text, up to 128 levels: do not call it on a thread
/// with a small stack.
///
/// # Errors
/// Returns a problem with line and column if the text is neither JSON nor YAML, or if it has a
/// duplicate key.
pub fn documents(text: &str) -> Result<Vec<Value>, Problem> {
    mixed::<true>(text)
}

/// Parses the documents of a text as [`documents`] does, but the last of duplicate keys counts, as
/// in kubectl and in the API server. The problem is the first duplicate key, if there is one.
///
/// # Errors
/// Returns the same problems as [`documents`], except for duplicate keys.
pub fn documents_with_duplicates(text: &str) -> Result<(Vec<Value>, Option<Problem>), Problem> {
    let duplicate = match documents(text) {
        Ok(values) => return Ok((values, None)),
        Err(problem) => problem,
    };
    let values = mixed::<false>(text);
    // The only problem that this reading does not have is a duplicate key.
    values.map(|values| (values, Some(duplicate)))
}

/// Parses the documents of a text in YAML, such as a test file, whose aliases may expand to ten
/// million values.
///
/// # Errors
/// Returns the same problems as [`documents`].
pub fn own_documents(text: &str) -> Result<Vec<Value>, Problem> {
    yaml(text, Limits { takes_duplicates: false, has_many_aliases: true })
}

/// Returns a value as YAML. Long strings are not folded, so that a comparison shows only the lines
/// that changed.
///
/// Returns `None` for values that YAML cannot express; JSON has no such values.
#[must_use]
pub fn write(value: &Value) -> Option<String> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options).ok()
}

/// Parses JSON, YAML, or values of JSON with documents of YAML behind them, as kubectl reads them.
fn mixed<const UNIQUE: bool>(text: &str) -> Result<Vec<Value>, Problem> {
    let limits = Limits { takes_duplicates: !UNIQUE, has_many_aliases: false };
    let Some((before, after)) = text.find(SEPARATOR).and_then(|at| text.split_at_checked(at)) else {
        return if is_json(text) { json::<UNIQUE>(text) } else { yaml(text, limits) };
    };
    // No line of JSON begins with the separator. A text that is no JSON begins with a document of
    // YAML: `{a: b}`.
    let first = if is_json(before) { json::<UNIQUE>(before).ok() } else { None };
    let Some(mut values) = first else { return yaml(text, limits) };
    // The empty lines keep the positions of problems.
    let empty = "\n".repeat(before.matches('\n').count());
    values.extend(yaml(&format!("{empty}{after}"), limits)?);
    Ok(values)
}

/// Returns whether a text without separators begins like JSON. `{level: baseline}` is YAML, so its
/// errors are reported as errors in YAML.
#[must_use]
pub fn is_json(text: &str) -> bool {
    // To both formats, other white space, such as a no-break space, is text.
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let inner = text.trim_start_matches(|c: char| matches!(c, '{' | '[') || c.is_whitespace());
    let is_value = |c: char| matches!(c, '"' | '{' | '}' | '[' | ']' | '-') || c.is_ascii_digit();
    let begins = inner.is_empty()
        || inner.starts_with(is_value)
        || ["true", "false", "null"].iter().any(|name| inner.starts_with(name));
    text.starts_with(['{', '[']) && begins
}

fn json<const UNIQUE: bool>(text: &str) -> Result<Vec<Value>, Problem> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Parsed<UNIQUE>>();
    let values: Result<Vec<Parsed<UNIQUE>>, _> = values.collect();
    let values = values.map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let at = Some(position(text, &error));
        let message = error.to_string();
        let message = message.trim_end_matches(&place);
        // The only values of JSON that are refused are objects with a duplicate key.
        if error.is_data() {
            return Problem::new(at, message);
        }
        Problem::invalid("JSON", at, message).in_text(text)
    })?;
    let values: Vec<Value> = values.into_iter().map(|Parsed(value)| value).collect();
    if let [Value::Array(_), _, ..] = values.as_slice() {
        return Err(Problem::invalid("JSON", None, "kubectl ignores what follows a list; give objects"));
    }
    Ok(values.into_iter().filter(|value| !value.is_null()).collect())
}

fn yaml(text: &str, limits: Limits) -> Result<Vec<Value>, Problem> {
    let parts = compose::documents(text, limits).map_err(|fault| fault.problem(text, advised))?;
    let mut values: Vec<Value> = parts.into_iter().map(Part::into_value).collect();
    values.iter_mut().for_each(whole_numbers);
    Ok(values)
}

/// The words of the parser that say what it expected, and not why there is something else.
const UNEXPLAINED: [&str; 12] = [
    "did not find expected key",
    "did not find expected '-' indicator",
    "did not find expected ',' or '}'",
    "expected ',' or ']'",
    "did not find expected node content",
    "did not find expected <document start>",
    "simple key expected ':'",
    "simple key is no longer valid",
    "not allowed in this context",
    "illegal placement of ':' indicator",
    "unexpected EOF",
    "unexpected document indicator",
];

/// Adds the remedy to the words of the parser, in the place of what it was doing, unless the words
/// name the cause, such as `unclosed bracket '['`.
fn advised(words: &str) -> String {
    if !UNEXPLAINED.iter().any(|part| words.contains(part)) {
        return words.to_owned();
    }
    let expected = match words.split_once(", ") {
        Some((doing, expected)) if doing.starts_with("while ") => expected,
        _ => words,
    };
    format!("{expected}; check the indentation, or look for an unclosed bracket or quote")
}

/// Returns the position of an error, in characters: `serde_json` counts bytes, and reports column
/// zero for a line that has just begun.
fn position(text: &str, error: &serde_json::Error) -> Position {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = error.column().saturating_sub(1);
    let column = line.char_indices().take_while(|(at, _)| *at < before).count() + 1;
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Position { line: number(error.line()), column: number(column) }
}

/// Returns the type of a value in words, such as `a list`, for messages.
#[must_use]
pub fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Converts whole numbers to integers, as on their way to an API server: they pass through JSON,
/// where `1e3` and `1000.0` become `1000`. Go writes numbers below `1e21` without an exponent, with
/// the fewest digits.
fn whole_numbers(value: &mut Value) {
    const WITH_EXPONENT: f64 = 1e21;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole =
                number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < WITH_EXPONENT);
            let Some(digits) = whole.map(|number| number.to_string()) else { return };
            let signed = digits.parse::<i64>().ok().map(Value::from);
            if let Some(whole) = signed.or_else(|| digits.parse::<u64>().ok().map(Value::from)) {
                *value = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
