//! JSON and YAML, told apart by what is there and not by the name of a file.

use serde_json::Value;
use serde_saphyr::{Error, UserMessageFormatter};

use crate::strict::Strict;
use crate::{Position, Problem};

/// The documents of a text, without empty ones.
///
/// JSON may be several values one after the other, as `kubectl get -o json --watch` and `jq` write them; YAML
/// may be several documents. YAML means what it means to kubectl: `yes` is true, `0123` is octal, and `1e3`
/// is the integer 1000.
///
/// It is as deep in calls as the text is nested, up to 128 levels: on a thread with a small stack, call it on another one.
///
/// # Errors
/// Text that is neither, and keys that are there twice, with line and column.
pub fn documents(text: &str) -> Result<Vec<Value>, Problem> {
    if is_json(text) { json(text) } else { yaml(text, options()) }
}

/// The documents of a text in YAML that nobody wrote to do harm: its aliases may expand to as much as they like.
///
/// # Errors
/// As [`documents`].
pub fn own_documents(text: &str) -> Result<Vec<Value>, Problem> {
    let mut options = options();
    options.budget = None;
    yaml(text, options)
}

/// A value as YAML. Long strings stay on their line: a comparison of folded ones shows what has not changed.
///
/// `None` for what YAML cannot say; JSON has no such value.
#[must_use]
pub fn write(value: &Value) -> Option<String> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options).ok()
}

/// A text that begins as JSON is JSON, unless it is cut into YAML documents: no line of JSON begins so. `{level: baseline}` is
/// YAML, with mistakes to be told as such.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let inner = text.trim_start_matches(|c: char| matches!(c, '{' | '[') || c.is_whitespace());
    let is_value = |c: char| matches!(c, '"' | '{' | '}' | '[' | ']' | '-') || c.is_ascii_digit();
    let begins = inner.is_empty()
        || inner.starts_with(is_value)
        || ["true", "false", "null"].iter().any(|name| inner.starts_with(name));
    text.starts_with(['{', '[']) && begins && !text.lines().any(|line| line.starts_with("---"))
}

fn json(text: &str) -> Result<Vec<Value>, Problem> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    let values: Result<Vec<Strict>, _> = values.collect();
    let values = values.map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let at = position(text, &error);
        problem("JSON", Some(at), error.to_string().trim_end_matches(&place))
    })?;
    Ok(values.into_iter().map(|Strict(value)| value).filter(|value| !value.is_null()).collect())
}

fn yaml(text: &str, options: serde_saphyr::Options) -> Result<Vec<Value>, Problem> {
    let values: Vec<Strict> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| told(&error))?;
    let mut values: Vec<Value> = values.into_iter().map(|Strict(value)| value).collect();
    values.iter_mut().for_each(whole_numbers);
    values.retain(|value| !value.is_null());
    Ok(values)
}

/// How YAML is read.
pub(crate) fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        // The default is for configuration files. An object may have megabytes; what stops a bomb of aliases
        // stays.
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
            max_total_comment_bytes: usize::MAX,
            max_buffered_comment_events: usize::MAX,
            max_depth: 128,
        },
        emit_comments: false,
        legacy_octal_numbers: true,
        with_snippet: false,
    }
}

fn told(error: &Error) -> Problem {
    let message = error.render_with_formatter(&UserMessageFormatter);
    let at = error.location().map(|at| Position { line: at.line(), column: at.column() });
    let place =
        at.map(|Position { line, column }| format!(" at line {line}, column {column}")).unwrap_or_default();
    // The crate's own message tells a programmer which limit to raise.
    let message = if is_too_much(error) {
        "nested too deeply, or its aliases expand to too much"
    } else {
        message.strip_suffix(&place).unwrap_or(&message)
    };
    problem("YAML", at, message)
}

fn is_too_much(error: &Error) -> bool {
    match error.without_snippet() {
        Error::AliasError { error, .. } => is_too_much(error),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => true,
        _ => false,
    }
}

fn problem(format: &str, at: Option<Position>, message: &str) -> Problem {
    Problem { at, message: format!("no valid {format}: {message}") }
}

/// Where an error is, in characters: `serde_json` counts bytes, and none of a line that it has only just begun.
fn position(text: &str, error: &serde_json::Error) -> Position {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = error.column().saturating_sub(1);
    let column = line.char_indices().take_while(|(at, _)| *at < before).count().saturating_add(1);
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Position { line: number(error.line()), column: number(column) }
}

/// What a value is, for a message.
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

/// Numbers on their way to an API server pass through JSON, where `1e3` and `1000.0` become `1000`.
fn whole_numbers(value: &mut Value) {
    /// From here on, not every whole number is one of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
            if let Some(whole) = whole.and_then(|number| format!("{number:.0}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Result<Vec<Value>, String> {
        documents(text).map_err(|problem| problem.to_string())
    }

    fn value(text: &str) -> Value {
        let mut values = parsed(&format!("v: {text}")).unwrap();
        values[0]["v"].take()
    }

    #[test]
    fn scalars_mean_what_they_mean_to_kubectl() {
        for (text, meaning) in [
            ("yes", json!(true)),
            ("No", json!(false)),
            ("on", json!(true)),
            ("y", json!(true)),
            ("~", json!(null)),
            ("", json!(null)),
            ("\"yes\"", json!("yes")),
            ("0123", json!(83)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("089", json!(89)),
            ("1_000", json!(1000)),
            ("1e3", json!(1000)),
            ("1.0", json!(1)),
            ("-0.0", json!(0)),
            ("0.5", json!(0.5)),
            ("1e30", json!(1e30)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1:30", json!("1:30")),
            ("2024-01-01", json!("2024-01-01")),
            ("192.0.2.1", json!("192.0.2.1")),
            ("1.2.3", json!("1.2.3")),
            ("100m", json!("100m")),
            ("infinity", json!("infinity")),
        ] {
            assert_eq!(value(text), meaning, "{text}");
        }
    }

    #[test]
    fn json_numbers_stay_as_they_are() {
        assert_eq!(parsed("{\"v\": 1.0}").unwrap(), [json!({ "v": 1.0 })]);
    }

    #[test]
    fn yaml_may_begin_like_json() {
        assert_eq!(parsed("{a: [b], c: yes}").unwrap(), [json!({ "a": ["b"], "c": true })]);
    }

    #[test]
    fn keys_are_texts() {
        assert_eq!(parsed("8080: a\nyes: b\n").unwrap(), [json!({ "8080": "a", "yes": "b" })]);
    }

    #[test]
    fn merge_keys_and_aliases_are_resolved() {
        assert_eq!(
            parsed("a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: *a\n").unwrap(),
            [json!({ "a": { "x": 1 }, "b": { "x": 1, "y": 2 }, "c": { "x": 1 } })]
        );
    }

    #[test]
    fn several_documents_are_several_values() {
        let both = [json!({ "a": 1 }), json!({ "b": 2 })];
        for text in [
            "a: 1\n---\nb: 2\n",
            "---\na: 1\n---\n# nothing\n---\nb: 2\n...\n",
            "{\"a\": 1}\n{\"b\": 2}\n",
            "{\"a\": 1}\n---\n{\"b\": 2}\n",
        ] {
            assert_eq!(parsed(text).unwrap(), both, "{text}");
        }
        for empty in ["", " \n", "---\n", "# nothing\n"] {
            assert_eq!(parsed(empty).unwrap(), [] as [Value; 0], "{empty:?}");
        }
    }

    #[test]
    fn mistakes_have_a_line_and_a_column() {
        for (text, message) in [
            ("{\n  \"a\": 1,\n  }", "line 3, column 3: no valid JSON: trailing comma"),
            ("{\"a\": 1} x", "line 1, column 10: no valid JSON: expected value"),
            ("[1, 2", "line 1, column 5: no valid JSON: EOF while parsing a list"),
            ("{\"üüüü\": \"a\" \"b\"}", "line 1, column 14: no valid JSON: expected `,` or `}`"),
            ("{\"a\": 1\n\n", "line 3, column 1: no valid JSON: EOF while parsing an object"),
            ("{a: 1,\n a: 2}", "line 2, column 2: no valid YAML: duplicate mapping key: a not allowed here"),
            ("{\"a\": 1,\n \"a\": 2}", "line 2, column 4: no valid JSON: the key `a` is there twice"),
            ("a: 1\na: 2\n", "line 2, column 1: no valid YAML: duplicate mapping key: a not allowed here"),
        ] {
            assert_eq!(parsed(text).unwrap_err(), message);
        }
        for text in ["a: [1\nb: 2", "a: b: c", "a:\n\t- x", "a: \"x", "a: .inf", "a: *b"] {
            let message = parsed(text).unwrap_err();
            assert!(message.starts_with("line ") && message.contains("no valid YAML: "), "{message}");
        }
    }

    #[test]
    fn a_large_object_is_read_and_a_bomb_is_not() {
        let large = "a:\n".to_owned() + &"- 1\n".repeat(1_500_000);
        assert_eq!(parsed(&large).unwrap()[0]["a"].as_array().map(Vec::len), Some(1_500_000));
        let scalar = format!("a: {}", "x".repeat(70_000_000));
        assert_eq!(parsed(&scalar).unwrap().len(), 1);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb = format!("{bomb}a{level}: &a{level} [{aliases}]\n");
        }
        assert!(parsed(&bomb).is_err());
        let deep = ["[".repeat(100_000), format!("a: {}", "[".repeat(100_000)), "- ".repeat(100_000)];
        // Without optimisation a level takes much of the stack.
        let roomy = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
        let refused = roomy.spawn(move || deep.iter().all(|text| parsed(text).is_err()));
        assert!(refused.unwrap().join().unwrap());
    }
}
