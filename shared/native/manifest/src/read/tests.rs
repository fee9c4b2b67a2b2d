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
fn reads_scalars_like_kubectl() {
    for line in include_str!("../scalars.txt").lines().skip(1) {
        let (text, meaning) = line.split_once(" => ").unwrap();
        assert_eq!(value(text), serde_json::from_str::<Value>(meaning).unwrap(), "{text}");
    }
}

#[test]
fn a_colon_before_a_closing_bracket_or_a_comma_is_text_as_to_kubectl() {
    for (text, meaning) in [
        ("[1.2.3.4, 2001:db8::]", json!(["1.2.3.4", "2001:db8::"])),
        ("[2001:db8::, ^]", json!(["2001:db8::", "^"])),
        ("[a:, b:, c:, d:, e:, f:]", json!(["a:", "b:", "c:", "d:", "e:", "f:"])),
        ("{a:}", json!({ "a:": null })),
        ("{a:, b: [c:]}", json!({ "a:": null, "b": ["c:"] })),
        ("[\"a\": b, x y:]", json!([{ "a": "b" }, "x y:"])),
    ] {
        assert_eq!(value(text), meaning, "{text}");
    }
    // Without a character that can stand for the colon, and where kubectl reads no text.
    for text in ["[b:, \"^;$=%\"]", "[:]", "[b:[c]]", "[a?:, b]", "[a?b:, c]"] {
        assert!(parsed(&format!("v: {text}")).is_err(), "{text}");
    }
}

#[test]
fn keeps_numbers_in_json() {
    assert_eq!(parsed("{\"v\": 1.0}").unwrap(), [json!({ "v": 1.0 })]);
}

#[test]
fn yaml_may_begin_like_json() {
    assert_eq!(parsed("{a: [b], c: yes}").unwrap(), [json!({ "a": ["b"], "c": true })]);
}

#[test]
fn only_white_space_of_json_may_precede_json() {
    assert_eq!(parsed("\r\n\t {\"a\": 1}").unwrap(), [json!({ "a": 1 })]);
    assert_eq!(
        parsed("\u{a0}{\"a: 1").unwrap_err(),
        "line 1, column 1: invalid YAML: kubectl and YAML divide this text into different documents; remove the \
         white space before the bracket"
    );
    assert_eq!(
        parsed("{\u{a0}\"a\": 1}").unwrap_err(),
        "line 1, column 2: invalid JSON: key must be a string"
    );
}

#[test]
fn the_last_of_duplicate_keys_counts_where_they_are_allowed() {
    for text in ["a: 1\nb: {c: 1, c: 2}\na: 3\n", "{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}, \"a\": 3}"] {
        let (values, problem) = documents_with_duplicates(text).unwrap();
        assert_eq!(values, [json!({ "a": 3, "b": { "c": 2 } })], "{text}");
        assert_eq!(problem.unwrap().message(), "duplicate key `c`", "{text}");
    }
    assert_eq!(documents_with_duplicates("a: 1").unwrap(), (vec![json!({ "a": 1 })], None));
    for text in ["a: .inf\na: 1", "a: [", "{\"a\": 1, \"a\": }"] {
        assert!(documents_with_duplicates(text).is_err(), "{text}");
    }
}

#[test]
fn keys_are_the_texts_of_their_values_as_to_kubectl() {
    for (key, text) in [
        ("8080", "8080"),
        ("yes", "true"),
        ("n", "false"),
        ("\"on\"", "on"),
        ("0x1F", "31"),
        ("0123", "83"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("1.5", "1.5"),
        ("2024-01-01", "2024-01-01"),
    ] {
        assert_eq!(parsed(&format!("{key}: a")).unwrap(), [json!({ text: "a" })], "{key}");
    }
    assert_eq!(parsed("y: 1\non: 2").unwrap_err(), "line 2, column 1: duplicate key `true`");
    assert!(parsed("~: a").unwrap_err().contains("expected a key that is a string"));
    assert_eq!(parsed("{\"y\": 1}").unwrap(), [json!({ "y": 1 })]);
}

#[test]
fn resolves_merge_keys_and_aliases() {
    assert_eq!(
        parsed("a: &a {x: 1}\nb: {<<: *a, z: 2}\nc: *a\n").unwrap(),
        [json!({ "a": { "x": 1 }, "b": { "x": 1, "z": 2 }, "c": { "x": 1 } })]
    );
}

/// The scanner of `goyaml.v2` in kubernetes-sigs/yaml never compares their indentation, and
/// manifests have such lines: `bindata/bootkube/scc-manifests` of
/// openshift/cluster-kube-apiserver-operator (c813e82).
#[test]
fn lines_of_quoted_strings_need_not_be_indented() {
    for (text, value) in [
        ("a: 'b\nc'", json!({ "a": "b c" })),
        ("a: \"b\r\n\r\nc: d\\\n# e\"\r\nf: g", json!({ "a": "b\nc: d# e", "f": "g" })),
        ("a:\n  b: 'c\n  d\n\n e\n   f'\n  g: h", json!({ "a": { "b": "c d\ne f", "g": "h" } })),
        ("a: 'b\n\tc'", json!({ "a": "b c" })),
        ("- - 'a\nb'\n  - c", json!([["a b", "c"]])),
        ("? 'a\nb'\n: - 'c\n  d'", json!({ "a b": ["c d"] })),
    ] {
        assert_eq!(parsed(text).unwrap(), [value], "{text}");
    }
    for text in ["a: |\n b\nc", "a: 'b\nc", "a: 'b\nc' d", "a: 'b\nc'\na: d"] {
        assert!(documents(text).is_err(), "{text}");
    }
}

#[test]
fn reads_several_documents() {
    let both = [json!({ "a": 1 }), json!({ "b": 2 })];
    for text in [
        "a: 1\n---\nb: 2\n",
        "---\na: 1\n---\n# nothing\n---\nb: 2\n...\n",
        "{\"a\": 1}\n{\"b\": 2}\n",
        "{\"a\": 1}\n---\n{\"b\": 2}\n",
        "{\"a\": 1} {\"b\": 2}\n---\n# nothing\n",
    ] {
        assert_eq!(parsed(text).unwrap(), both, "{text}");
    }
    for empty in ["", " \n", "---\n", "# nothing\n"] {
        assert_eq!(parsed(empty).unwrap(), [] as [Value; 0], "{empty:?}");
    }
}

#[test]
fn yaml_may_follow_several_values_of_json() {
    let text = "{\"a\": 1}\n{\"a\": 2}\n---\na: yes\n---\n{a: 4}\n";
    let values = [json!({ "a": 1 }), json!({ "a": 2 }), json!({ "a": true }), json!({ "a": 4 })];
    assert_eq!(parsed(text).unwrap(), values);
    for (text, message) in [
        ("{\"a\": 1}\n{\"b\": 2}\n---\na: 1\na: 2\n", "line 5, column 1: duplicate key `a`"),
        ("{\"a\": 1}\n\n---\na: \"x", "line 4, column"),
        ("{\"a\": 1, \"a\": 2}\n{}\n---\na: 1", "line 1, column 10: duplicate key `a`"),
    ] {
        let problem = parsed(text).unwrap_err();
        assert!(problem.starts_with(message), "{problem}");
    }
    let (values, problem) = documents_with_duplicates("{\"a\": 1, \"a\": 2}\n{}\n---\nb: 1").unwrap();
    assert_eq!(values, [json!({ "a": 2 }), json!({}), json!({ "b": 1 })]);
    assert!(problem.is_some());
}

#[test]
fn problems_have_a_line_and_a_column() {
    for (text, message) in [
        ("{\n  \"a\": 1,\n  }", "line 3, column 3: invalid JSON: trailing comma"),
        ("{\"a\": 1} x", "line 1, column 10: invalid JSON: expected value"),
        ("[1, 2", "line 1, column 5: invalid JSON: EOF while parsing a list"),
        ("{\"üüüü\": \"a\" \"b\"}", "line 1, column 14: invalid JSON: expected `,` or `}`"),
        ("{\"a\": 1\n\n", "line 3, column 1: invalid JSON: EOF while parsing an object"),
        ("{a: 1,\n a: 2}", "line 2, column 2: duplicate key `a`"),
        ("{\"a\": 1,\n \"a\": 2}", "line 2, column 4: duplicate key `a`"),
        ("a: 1\na: 2\n", "line 2, column 1: duplicate key `a`"),
    ] {
        assert_eq!(parsed(text).unwrap_err(), message);
    }
    for text in ["a: [1\nb: 2", "a: b: c", "a:\n\t- x", "a: \"x", "a: .inf", "a: *b"] {
        let message = parsed(text).unwrap_err();
        assert!(message.starts_with("line ") && message.contains("invalid YAML: "), "{message}");
    }
}

#[test]
fn invalid_yaml_says_what_to_do_unless_it_names_the_cause() {
    let advice = "; check the indentation, or look for an unclosed bracket or quote";
    for (text, words, advice) in [
        ("a:\n  b: 1\n c: 2", "did not find expected key", advice),
        ("- a\nb: 1", "did not find expected '-' indicator", advice),
        ("a: [b: c\nd: e]", "did not find expected ',' or '}'", advice),
        ("a: b: c", "mapping values are not allowed in this context", advice),
        ("a: - b", "block sequence entries are not allowed in this context", advice),
        ("a: [b", "unclosed bracket '['", ""),
        ("a: {b]", "mismatched bracket '{' closed by ']'", ""),
        ("a: \"b", "unclosed quote", ""),
        ("a: 'b\n---\nc", "found unexpected document indicator", advice),
        ("a: \"\\q\"", "while parsing a quoted scalar, found unknown escape character", ""),
        ("a: .inf", "value `.inf` is not a finite number", ""),
    ] {
        let problem = documents(text).unwrap_err();
        assert_eq!(problem.message(), format!("invalid YAML: {words}{advice}"), "{text}");
    }
}

#[test]
fn a_sentence_names_the_line() {
    for (text, sentence) in [
        ("\na: [b", "Invalid YAML near line 2: unclosed bracket '['"),
        ("{\n  \"a\": 1,\n  }", "Invalid JSON near line 3: trailing comma"),
        ("a: 1\na: 2\n", "duplicate key `a`"),
    ] {
        assert_eq!(documents(text).unwrap_err().near(), sentence, "{text}");
    }
}

#[test]
fn reads_a_large_object_and_rejects_a_bomb() {
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
    // Without optimization, a level takes much of the stack.
    let roomy = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
    let refused = roomy.spawn(move || deep.iter().all(|text| parsed(text).is_err()));
    assert!(refused.unwrap().join().unwrap());
}
