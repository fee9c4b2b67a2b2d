//! Texts of all forms, cut into pieces.

use std::io::Read;

use serde_json::{Value, json};

use super::chunk::{LIMIT, SPLIT};
use super::piece::Piece;
use super::pieces::Pieces;

/// Gives out a byte at a time, so that every boundary of a block is tried.
struct Slow<'t>(&'t [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn read(text: &str, block: usize) -> Vec<Result<Piece, String>> {
    let mut pieces = Pieces::new(Slow(text.as_bytes(), block)).unwrap();
    std::iter::from_fn(move || pieces.next())
        .map(|piece| piece.map_err(|problem| problem.to_string()))
        .collect()
}

fn pieces(text: &str) -> Vec<String> {
    let shown = |block| -> Vec<String> {
        let shown = read(text, block).into_iter().map(|piece| match piece {
            Ok(Piece { text, at, .. }) => format!("{}:{} {}", at.line, at.column, text.trim_end()),
            Err(problem) => problem,
        });
        shown.collect()
    };
    assert_eq!(shown(1), shown(1_000_000), "{text}");
    shown(7)
}

#[test]
fn values_of_json_are_pieces() {
    assert_eq!(
        pieces("\u{feff}{\"a\": \"}\\\"\"}\n [1, {\"b\": []}]\n---\n{}"),
        ["1:1 {\"a\": \"}\\\"\"}", "2:2 [1, {\"b\": []}]", "4:1 {}"]
    );
    for (text, problem) in [
        (
            "{\"a\": 1} x",
            "line 1, column 10: invalid JSON: expected an object, a list, or a line --- before YAML",
        ),
        ("{\"a\": 1}\n}", "line 2, column 1: invalid JSON: expected value"),
        ("{\"a\": [1", "line 1, column 9: invalid JSON: the text ends within a value; is it truncated?"),
        ("{\"a\": \"x", "line 1, column 9: invalid JSON: the text ends within a value; is it truncated?"),
    ] {
        assert_eq!(pieces(text).last().unwrap(), problem);
    }
}

#[test]
fn yaml_can_follow_json() {
    assert_eq!(
        pieces("{\"a\": 1}\n[2] {}\n---\n# c\nb: |\n  ---\n  x\n---\n{\"c\": 3}\n"),
        ["1:1 {\"a\": 1}", "2:1 [2]", "2:5 {}", "3:4 \n# c\nb: |\n  ---\n  x", "8:1 ---\n{\"c\": 3}"]
    );
    assert_eq!(pieces("{}\n--- {a: 1}\n---\nb: 2"), ["1:1 {}", "2:4  {a: 1}", "3:1 ---\nb: 2"]);
    assert_eq!(pieces("{}\n---\n# c\n---\n\n{\"a\": 1}"), ["1:1 {}", "2:4 \n# c\n---\n\n{\"a\": 1}"]);
    // White space can be longer than the part of a text that is looked at.
    assert_eq!(pieces(&format!("{{}}\n---\n{}a: 1\n", "\n".repeat(3000))).len(), 2);
    assert_eq!(pieces("{}\n---\n"), ["1:1 {}"]);
    let list = format!("{{\"items\": [{{\"a\": \"{}\"}}, 2]}}\n---\nb: 1\n", "x".repeat(SPLIT));
    let ends: Vec<u64> = read(&list, 10_000).into_iter().map(|piece| piece.unwrap().at.line).collect();
    assert_eq!(ends, [1, 1, 1, 2]);
}

#[test]
fn documents_of_yaml_are_pieces() {
    assert_eq!(
        pieces("# c\n---\na: |\n  ---\n  x\n--- # d\r\n\r\n---\nb: 1\n--- {c: 2}\n...\n"),
        ["1:1 # c\n---\na: |\n  ---\n  x", "6:1 --- # d\r\n\r\n---\nb: 1", "10:1 --- {c: 2}\n..."]
    );
    assert_eq!(pieces("%YAML 1.2\n---\na: 1\n"), ["1:1 %YAML 1.2\n---\na: 1"]);
    assert_eq!(pieces("{a: 1}"), ["1:1 {a: 1}"]);
    assert_eq!(pieces("\n# nothing\n---\n"), [] as [&str; 0]);
}

fn filler() -> String {
    "é".repeat(SPLIT / 20)
}

/// Reads a list of which each item has a number, and returns the values of the pieces.
fn split(text: &str) -> Vec<(u64, u64, bool, Value)> {
    let mut all = read(text, 10_000).into_iter().map(|piece| {
        let Piece { text, at, list, is_envelope } = piece.unwrap();
        assert!(list.is_some());
        (at.line, at.column, is_envelope, manifest::documents(&text).unwrap().pop().unwrap())
    });
    all.by_ref().collect()
}

#[test]
fn a_long_list_of_json_is_split() {
    let item = |number: usize| format!("{{\"n\": {number}, \"x\": [{{}}, \"{}\"]}}", filler());
    let items: Vec<String> = (0..30).map(item).collect();
    let text = format!(
        "{{\"kind\": \"List\", \"metadata\": {{\"items\": [\"a\"]}}, \"items\":\n[\n {}\n], \"other\": [{{\"a\": 1}}]}}",
        items.join(",\n ")
    );
    let pieces = split(&text);
    assert_eq!(pieces.len(), 31);
    for (number, (line, column, is_envelope, value)) in pieces[..30].iter().enumerate() {
        assert_eq!((*line, *column, *is_envelope), (number as u64 + 3, 2, false));
        assert_eq!(value["n"], json!(number));
    }
    let (.., is_envelope, envelope) = &pieces[30];
    assert!(is_envelope);
    assert_eq!(
        *envelope,
        json!({ "kind": "List", "metadata": { "items": ["a"] }, "items": [], "other": [{ "a": 1 }] })
    );
    assert_eq!(split(&format!("[{}]", items.join(","))).len(), 31);
    for (from, to) in [("}, {", "} {"), ("]}]", "]}")] {
        let text = format!("[{}]", items.join(", ")).replacen(from, to, 1);
        assert!(read(&text, 10_000).iter().any(Result::is_err), "{from}");
    }
}

#[test]
fn a_long_list_of_yaml_is_split() {
    for indentation in ["", "  "] {
        let item = |number: usize| {
            format!(
                "{indentation}- number: {number}\n{indentation}  x:\n{indentation}  - \"- {}\"\n",
                filler()
            )
        };
        let items: String = (0..30).map(item).collect();
        let text = format!(
            "apiVersion: v1\nitems:\n# c\n{items}kind: List\nmetadata:\n  a: b\n---\nb: {}\n",
            filler()
        );
        let all = read(&text, 10_000);
        assert_eq!(all.len(), 32);
        let pieces = split(text.split_once("---").unwrap().0);
        for (number, (line, column, is_envelope, value)) in pieces[..30].iter().enumerate() {
            assert_eq!((*line, *column, *is_envelope), (number as u64 * 3 + 4, 1, false));
            assert_eq!(value["number"], json!(number));
            assert_eq!(value["x"][0], json!(format!("- {}", filler())));
        }
        let (.., envelope) = &pieces[30];
        assert_eq!(
            *envelope,
            json!({ "apiVersion": "v1", "items": null, "kind": "List", "metadata": { "a": "b" } })
        );
    }
}

#[test]
fn what_is_too_long_is_skipped_and_the_rest_is_read() {
    let long = "x".repeat(LIMIT + 1);
    let short = filler();
    for (text, count, line) in [
        (format!("{{\"a\": \"{long}\"}}\n{{\"b\": 1}}"), 1, 1),
        (format!("{{\"items\": [\n{{\"a\": \"{short}\"}},\n{{\"a\": \"{long}\"}},\n{{\"b\": 1}}\n]}}"), 3, 3),
        (format!("a: 1\n---\na: {long}\nb: 1\n---\nb: 1\n"), 2, 2),
        (format!("items:\n- a: {short}\n- a: {long}\n- b: 1\nkind: List\n"), 3, 3),
    ] {
        let (pieces, problems): (Vec<_>, Vec<_>) = read(&text, 100_000).into_iter().partition(Result::is_ok);
        let problems: Vec<String> = problems.into_iter().map(Result::unwrap_err).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with(&format!("line {line}, column 1: longer than 8 MiB")),
            "{problems:?}"
        );
        assert_eq!(pieces.len(), count);
    }
}

#[test]
fn utf_16_is_decoded_by_its_mark() {
    let decoded = |bytes: Vec<u8>| {
        let mut text = Vec::new();
        super::files::in_utf8(Box::new(std::io::Cursor::new(bytes)))
            .map_err(|problem| problem.to_string())?
            .read_to_end(&mut text)
            .unwrap();
        Ok::<_, String>(text)
    };
    let text = "\u{feff}kind: Pöd 🦀\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(decoded(little.clone()).unwrap(), "kind: Pöd 🦀\r\n".as_bytes());
    assert_eq!(decoded(big).unwrap(), "kind: Pöd 🦀\r\n".as_bytes());
    // Half of a character, a lone surrogate, and more than an object can be.
    assert_eq!(decoded(little[..3].to_vec()), Err("not valid UTF-16".to_owned()));
    assert_eq!(decoded(vec![0xff, 0xfe, 0x00, 0xd8]), Err("not valid UTF-16".to_owned()));
    let long = [vec![0xff, 0xfe], vec![b'a'; LIMIT + 1]].concat();
    assert!(decoded(long).unwrap_err().contains("longer than 8 MiB"));
    for text in ["", "a", "\u{feff}a: 1\n", "a: b\n"] {
        assert_eq!(decoded(text.as_bytes().to_vec()).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_text_that_spells_the_fields_of_objects_in_another_way_may_be_one() {
    for text in [
        "apiVersion: v1\nkind: Pod\n",
        "\"api\\u0056ersion\": v1\n",
        "\"apiVer\\\n  sion\": v1\n",
        "? \"apiVer\\\u{2028}sion\"\n: v1\n",
        "? \"apiVer\\\u{85}sion\"\n: v1\n",
        "!!binary YXBpVmVyc2lvbg==: v1\n",
        "!!b%69nary YXBpVmVyc2lvbg==: v1\n",
        "!<tag:yaml.org,2002:%62inary> YXBpVmVyc2lvbg==: v1\n",
    ] {
        assert!(super::spelling::may_be_object(text.as_bytes()), "{text}");
    }
    for text in ["a: 1\n", "kind: Pod\n", "a: \"x\\ty\"\n", "done: 100 % !\n"] {
        assert!(!super::spelling::may_be_object(text.as_bytes()), "{text}");
    }
}
