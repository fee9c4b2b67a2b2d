use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn reads(text: &[u8]) -> Result<(), SyntaxError> {
    let mut scanner = Scanner::new(text);
    read(&mut scanner)?;
    scanner.end()
}

/// Passes a value by reading all of it, as a document does that keeps everything.
fn read(scanner: &mut Scanner<'_>) -> Result<(), SyntaxError> {
    let mut first = true;
    match scanner.start()? {
        Start::Object => {
            scanner.enter()?;
            while scanner.field(std::mem::take(&mut first))? {
                read(scanner)?;
            }
            Ok(())
        }
        Start::Array => {
            scanner.enter()?;
            while scanner.more(std::mem::take(&mut first), b']')? {
                read(scanner)?;
            }
            Ok(())
        }
        Start::String => scanner.string(),
        Start::Number | Start::True | Start::False | Start::Null => scanner.skip_scalar(),
    }
}

/// Checks that a value which can be read is skipped up to the same place, and that a skip of
/// any other text ends within it.
fn check_skip(text: &[u8]) {
    let (mut reading, mut skipping) = (Scanner::new(text), Scanner::new(text));
    let (is_read, is_skipped) = (read(&mut reading), skipping.skip());
    if is_read.is_ok() {
        assert_eq!((is_skipped, skipping.at), (Ok(()), reading.at), "{}", text.escape_ascii());
    }
    assert!(skipping.at <= text.len(), "{}", text.escape_ascii());
}

/// Returns whether `serde_json` accepts a text whose value is ignored: it would otherwise also
/// reject numbers out of range, unpaired surrogates and invalid UTF-8, which are not errors of
/// syntax.
fn serde_accepts(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

#[test]
fn agrees_with_serde_json_on_corner_cases() {
    let short = [
        "", " ", "1", "-1", "-", "+1", "01", "-01", "1.", "1.0", ".5", "1e5", "1E+5", "1e", "1e+", "0x1",
        "1 2", "\"\"", "\"", "\"a", "\"\\\"", "\"\\\"\"", "\"\\x\"", "true", "tru", "truee", "false", "null",
        "nul", "True", "[]", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,2]", "[[]]", "[}", "[1}", "[[]}",
        "{}", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{,}", "{a:1}", "{1:1}", "{1}", "{[]}", "{{}}", "]",
        "\u{a0}1", "nan", "[1,2]]",
    ];
    let long = [
        "\"ä€😀\"",
        "\"\\u12\"",
        "\"\\u12gh\"",
        "\"\\u0041\"",
        "\"\u{1}\"",
        "\"\u{7f}\"",
        "\"tab\there\"",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{\"a\":1,2}",
        "{\"a\":1,\"b\":[{}]}",
        "{\"a\":1]",
        " { \"a\" : [ 1 , 2 ] } ",
        "\t\r\n1\n",
        "\u{feff}1",
        "{\"ä\":1}",
    ];
    for text in short.into_iter().chain(long) {
        assert_eq!(reads(text.as_bytes()).is_ok(), serde_accepts(text.as_bytes()), "{text:?}");
        check_skip(text.as_bytes());
    }
}

#[test]
fn limits_nesting_like_the_host() {
    for depth in [1_usize, 126, 127, 128, 129, 100_000] {
        let text = [vec![b'['; depth], vec![b']'; depth]].concat();
        let host: Result<Value, _> = serde_json::from_slice(&text);
        assert_eq!(reads(&text).is_ok(), host.is_ok(), "{depth}");
    }
}

#[test]
fn messages_have_line_and_column_and_no_text() {
    let text = b"{\n  \"password\": hunter2}";
    let mut scanner = Scanner::new(text);
    let error = read(&mut scanner).unwrap_err();
    assert_eq!(error.describe(text, scanner.at()), "not JSON: expected a value at line 2 column 15");
}

#[test]
fn reads_integers_of_up_to_18_digits() {
    let number = |text: &str| {
        let mut scanner = Scanner::new(text.as_bytes());
        scanner.number().unwrap()
    };
    assert_eq!(number("0"), Number::Integer(0));
    assert_eq!(number("-443"), Number::Integer(-443));
    assert_eq!(number("999999999999999999"), Number::Integer(999_999_999_999_999_999));
    for other in ["9999999999999999999", "1.0", "1e2", "-0.5"] {
        assert_eq!(number(other), Number::Other, "{other}");
    }
}

proptest! {
    #[test]
    fn accepts_what_serde_json_writes(text in json(), pretty: bool) {
        let value: Value = serde_json::from_str(&text).unwrap();
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
        let text = text.unwrap();
        prop_assert!(reads(&text).is_ok());
        check_skip(&text);
    }

    #[test]
    fn agrees_with_serde_json_on_a_changed_byte(text in json(), at: prop::sample::Index, byte: u8) {
        let mut text = text.into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        prop_assert_eq!(reads(&text).is_ok(), serde_accepts(&text));
        check_skip(&text);
    }

    /// The laws about policies cut their input behind tokens alone.
    #[test]
    fn agrees_with_serde_json_on_every_prefix(text in json()) {
        for end in 0..text.len() {
            let prefix = &text.as_bytes()[..end];
            prop_assert_eq!(reads(prefix).is_ok(), serde_accepts(prefix));
            check_skip(prefix);
        }
    }

    #[test]
    fn agrees_with_serde_json_on_any_bytes(text in "[\\[\\]{}:,\"\\\\ntfu0-9eE.+ a-]{0,24}") {
        prop_assert_eq!(reads(text.as_bytes()).is_ok(), serde_accepts(text.as_bytes()));
        check_skip(text.as_bytes());
    }

    #[test]
    fn unescapes_strings_like_serde_json(text: String) {
        let json = serde_json::to_string(&text).unwrap();
        let escaped: String =
            text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<Vec<_>>().concat();
        for json in [json, format!("\"{escaped}\"")] {
            let mut scanner = Scanner::new(json.as_bytes());
            scanner.string().unwrap();
            let bytes = if scanner.is_escaped() { scanner.unescaped().unwrap() } else { scanner.raw().to_vec() };
            prop_assert_eq!(bytes, text.as_bytes());
        }
    }
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f32>()
            .prop_filter("JSON has no infinity", |value| value.is_finite())
            .prop_map(|v| v.to_string()),
        any::<String>().prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|fields| {
                let fields: Vec<String> =
                    fields.into_iter().map(|(key, value)| format!("{}:{value}", Value::from(key))).collect();
                format!("{{{}}}", fields.join(", "))
            }),
        ]
    })
}
