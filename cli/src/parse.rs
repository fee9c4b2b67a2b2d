//! JSON and YAML, told apart by what is there and not by the name of the file.

use std::fmt::Display;
use std::thread;

use serde_json::Value;
use serde_saphyr::{Error, UserMessageFormatter};

use crate::failure::Failure;
use crate::source::Source;
use crate::strict::Strict;

/// The documents of a source, without empty ones.
///
/// JSON may be several values one after the other, as `kubectl get -o json --watch` and `jq` write them; YAML
/// may be several documents. YAML means what it means to kubectl: `yes` is true, `0123` is octal, and `1e3`
/// is the integer 1000.
///
/// # Errors
/// Text that is neither, and keys that are there twice, with line and column.
pub(crate) fn documents(source: &Source) -> Result<Vec<Value>, Failure> {
    let parsed = if is_json(&source.text) { json(&source.text) } else { with_room(|| yaml(&source.text)) };
    parsed.map_err(|problem| Failure::about(&source.name, problem))
}

/// The only document of a source; `None` if it is empty.
///
/// # Errors
/// As [`documents`], and several documents.
pub(crate) fn document(source: &Source) -> Result<Option<Value>, Failure> {
    let mut documents = documents(source)?;
    if documents.len() > 1 {
        return Err(Failure::about(
            &source.name,
            format!("expected one document, found {}", documents.len()),
        ));
    }
    Ok(documents.pop())
}

/// A text that begins as JSON is JSON, unless it is cut into YAML documents: no line of JSON begins so.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && !text.lines().any(|line| line.starts_with("---"))
}

fn json(text: &str) -> Result<Vec<Value>, String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    let values: Result<Vec<Strict>, _> = values.collect();
    let values = values.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let place = format!(" at line {line} column {column}");
        problem("JSON", (line, column), error.to_string().trim_end_matches(&place))
    })?;
    Ok(values.into_iter().map(|Strict(value)| value).filter(|value| !value.is_null()).collect())
}

fn yaml(text: &str) -> Result<Vec<Value>, String> {
    let options = serde_saphyr::options! {
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
    };
    let values: Vec<Strict> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| told(&error))?;
    let mut values: Vec<Value> = values.into_iter().map(|Strict(value)| value).collect();
    values.iter_mut().for_each(whole_numbers);
    values.retain(|value| !value.is_null());
    Ok(values)
}

fn told(error: &Error) -> String {
    let message = error.render_with_formatter(&UserMessageFormatter);
    let Some(at) = error.location() else { return format!("no valid YAML: {message}") };
    let place = format!(" at line {}, column {}", at.line(), at.column());
    // The crate's own message tells a programmer which limit to raise.
    let message = if is_too_much(error) {
        "nested too deeply, or its aliases expand to too much"
    } else {
        message.trim_end_matches(&place)
    };
    problem("YAML", (at.line(), at.column()), message)
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

/// Does work that is nested as deeply as its input, on a stack that is large enough for the deepest that is
/// read; that of the main thread is small on some systems.
fn with_room<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    const STACK: usize = 64 * 1024 * 1024;
    let done = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        worker.join().ok()
    });
    done.unwrap_or_else(|| Err("cannot be read: there is not enough memory".to_owned()))
}

fn problem(format: &str, (line, column): (impl Display, impl Display), message: &str) -> String {
    format!("line {line}, column {column}: no valid {format}: {message}")
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
    use crate::source::Name;

    fn parsed(text: &str) -> Result<Vec<Value>, String> {
        documents(&Source { name: Name::new("f"), text: text.to_owned() }).map_err(|f| f.to_string())
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
            ("{\n  \"a\": 1,\n  }", "f: line 3, column 3: no valid JSON: trailing comma"),
            ("{\"a\": 1} x", "f: line 1, column 10: no valid JSON: expected value"),
            ("[1, 2", "f: line 1, column 5: no valid JSON: EOF while parsing a list"),
            ("{\"a\": 1,\n \"a\": 2}", "f: line 2, column 4: no valid JSON: the key `a` is there twice"),
            ("a: 1\na: 2\n", "f: line 2, column 1: no valid YAML: duplicate mapping key: a not allowed here"),
        ] {
            assert_eq!(parsed(text).unwrap_err(), message);
        }
        for text in ["a: [1\nb: 2", "a: b: c", "a:\n\t- x", "a: \"x", "a: .inf", "a: *b"] {
            let message = parsed(text).unwrap_err();
            assert!(message.starts_with("f: line ") && message.contains("no valid YAML: "), "{message}");
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
        assert!(parsed(&"[".repeat(100_000)).is_err());
        assert!(parsed(&format!("a: {}", "[".repeat(100_000))).is_err());
        assert!(parsed(&"- ".repeat(100_000)).is_err());
    }
}
