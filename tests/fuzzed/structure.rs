//! The scanner of the modules, which has the vectors of WebAssembly, against the native one and
//! `serde_json`: the same response to every text.
//!
//! Skipped text is in fields that no rule reads, before a value that the policy refuses. The
//! response names the value only if the scanner found the end of the text.

use std::fmt::Write as _;

use admission::PolicyEntry;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use wapc_host::Module;

use super::modules::validate;
use super::mutate::Mutator;

/// The bytes that the structure is found in at once, and those that end plain text.
const BLOCK: usize = 64;
const CHUNK: usize = 16;

/// The number of texts of each test, so that none is lost.
const SKIPPED: usize = 2 * 256 * (BLOCK + 2) + 6 * 7 * (2 * BLOCK + 2) + 4 * 130 + 3;
const READ: usize = 256 * (2 * CHUNK + 2) + 6 * 7 * (2 * CHUNK + 2) + 3;
const RANDOM: usize = 4_000;

/// Returns the tests.
pub fn trials() -> [Trial; 3] {
    [
        Trial::test("structure: skipped text", || skipped().map_err(Failed::from)),
        Trial::test("structure: keys and strings", || read().map_err(Failed::from)),
        Trial::test("structure: arbitrary JSON", || random().map_err(Failed::from)),
    ]
}

/// The policy whose module is tested: all modules have the same scanner.
struct Subject {
    entry: &'static PolicyEntry,
    module: Module,
}

impl Subject {
    fn new() -> Result<Self, String> {
        let entry = rules::find("pod-security").ok_or("no pod-security")?;
        Ok(Self { entry, module: tests::compiled(entry.id)? })
    }

    /// Evaluates a pod with a privileged container for each text, which is in an unknown field
    /// before the flag. All flags are named if `serde_json` reads the whole payload.
    fn skip(&self, texts: &[Vec<u8>]) -> Result<(), String> {
        let mut payload =
            br#"{"request":{"kind":{"group":"","kind":"Pod"},"object":{"spec":{"containers":["#.to_vec();
        for (number, text) in texts.iter().enumerate() {
            let start = if number > 0 { ",{\"a\":" } else { "{\"a\":" };
            let name = format!(",\"name\":\"c{number}\",\"securityContext\":{{\"privileged\":true}}}}");
            payload.extend([start.as_bytes(), text, name.as_bytes()].concat());
        }
        payload.extend_from_slice(
            br#"]}},"operation":"CREATE","userInfo":{}},"settings":{"level":"baseline"}}"#,
        );
        validate(&self.module, self.entry, &payload)?;
        if serde_json::from_slice::<serde::de::IgnoredAny>(&payload).is_ok() {
            let answer = self.module.call("validate", &payload).map_err(|failure| failure.to_string())?;
            let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
            let message = answer.get("message").and_then(Value::as_str).unwrap_or_default();
            let named = |number: &usize| !message.contains(&format!("spec.containers[{number}].security"));
            if let Some(number) = (0..texts.len()).find(named) {
                let text = texts.get(number).map(|text| text.escape_ascii().to_string());
                return Err(format!("{text:?} hides what follows it: {message}"));
            }
        }
        Ok(())
    }

    /// Checks settings whose key is a text between quotes. `serde_json` reads the same settings,
    /// and the same key.
    fn read(&self, text: &[u8]) -> Result<(), String> {
        let settings = [b"{\"", text, b"\":[\"", text, b"\"]}"].concat();
        let native = (self.entry.check_settings)(&settings).map_err(|error| error.to_string());
        let answer =
            self.module.call("validate_settings", &settings).map_err(|failure| failure.to_string())?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        let message = answer.get("message").and_then(Value::as_str).unwrap_or_default();
        let shown = || settings.escape_ascii().to_string();
        if native.as_ref().err().map(String::as_str) != Some(message) {
            return Err(format!("{native:?} natively, {message} by the module: {}", shown()));
        }
        let is_json = serde_json::from_slice::<Value>(&settings).is_ok();
        if is_json == message.contains("not JSON") {
            return Err(format!("{message}, but serde_json says {is_json}: {}", shown()));
        }
        Ok(())
    }
}

fn skipped() -> Result<(), String> {
    let subject = Subject::new()?;
    let mut evaluated = 0;
    let mut skip = |texts: &[Vec<u8>]| {
        evaluated += texts.len();
        subject.skip(texts)
    };
    // Every byte at every offset of a block, within a string and outside of one.
    for byte in 0..=u8::MAX {
        for [open, close] in [["[\"", "\"]"], ["[", "]"]] {
            let at = |offset| [open.as_bytes(), &filler(open, offset), &[byte], close.as_bytes()].concat();
            skip(&(0..BLOCK + 2).map(at).collect::<Vec<_>>())?;
        }
    }
    // Escapes at every border, before what ends a string or looks like an end.
    for backslashes in 0..6 {
        for rest in ENDS {
            let at = |offset| escaped(offset, backslashes, rest);
            let text = |offset| [b"[\"", &*at(offset), b"\"]"].concat();
            skip(&(0..2 * BLOCK + 2).map(text).collect::<Vec<_>>())?;
        }
    }
    // Quotes in keys, as in the fields of managedFields.
    for key in [r#"k:{\"name\":\"a\"}"#, r#"\""#, r"\\", r#"]}\\\"{["#] {
        let at = |offset| format!("{{\"{}{key}\":{{\"{key}\":[]}}}}", "x".repeat(offset)).into_bytes();
        skip(&(0..130).map(at).collect::<Vec<_>>())?;
    }
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    skip(&[deep])?;
    skip(&[format!("[\"{}\"]", "x".repeat(5_000_000)).into_bytes()])?;
    skip(&[format!("[\"{}\"]", r#"\"]}"#.repeat(1_250_000)).into_bytes()])?;
    counted("skipped", evaluated, SKIPPED)
}

fn read() -> Result<(), String> {
    let subject = Subject::new()?;
    let mut evaluated = 0;
    let mut read = |text: &[u8]| {
        evaluated += 1;
        subject.read(text)
    };
    for byte in 0..=u8::MAX {
        for offset in 0..2 * CHUNK + 2 {
            read(&[filler("\"", offset), vec![byte]].concat())?;
        }
    }
    for backslashes in 0..6 {
        for rest in ENDS {
            for offset in 0..2 * CHUNK + 2 {
                read(&escaped(offset, backslashes, rest))?;
            }
        }
    }
    read(&vec![b'x'; 5_000_000])?;
    read(r"\u00e9".repeat(800_000).as_bytes())?;
    read("\u{1f600}".repeat(1_250_000).as_bytes())?;
    counted("read", evaluated, READ)
}

/// The texts behind backslashes: the ends of strings and of escapes, complete and cut.
const ENDS: [&str; 7] = ["", "\\\"", "n", "u0022", "ud83d\\ude00", "]}", "u00"];

/// Returns text of a length: letters within a string, spaces outside of one.
fn filler(open: &str, length: usize) -> Vec<u8> {
    vec![if open.ends_with('"') { b'x' } else { b' ' }; length]
}

fn escaped(offset: usize, backslashes: usize, rest: &str) -> Vec<u8> {
    format!("{}{}{rest}", "x".repeat(offset), "\\".repeat(backslashes)).into_bytes()
}

/// Arbitrary JSON, valid and with a changed byte.
fn random() -> Result<(), String> {
    let subject = Subject::new()?;
    let mut numbers = Mutator::new(&[]);
    let mut valid = 0;
    for _ in 0..RANDOM / 2 {
        let mut text = String::new();
        value(&mut numbers, 5, &mut text);
        serde_json::from_str::<serde::de::IgnoredAny>(&text).map_err(|error| format!("{error}: {text}"))?;
        subject.skip(&[text.clone().into_bytes(), text.clone().into_bytes()])?;
        valid += 1;
        let mut damaged = text.into_bytes();
        let (at, byte) = (numbers.below(damaged.len()), numbers.below(256));
        if let Some(place) = damaged.get_mut(at) {
            *place = u8::try_from(byte).unwrap_or_default();
        }
        subject.skip(&[damaged])?;
    }
    counted("arbitrary", 2 * valid, RANDOM)
}

/// Writes an arbitrary value, with strings of what matters to a scanner.
fn value(numbers: &mut Mutator<'_>, depth: usize, text: &mut String) {
    const PARTS: [&str; 12] =
        ["a", "\\\"", "\\\\", "{", "}", "[", "]", ",", ":", "\u{e9}", "\\u0022", "plain text of a string"];
    let string = |numbers: &mut Mutator<'_>, text: &mut String| {
        text.push('"');
        for _ in 0..numbers.below(6) {
            text.push_str(PARTS.get(numbers.below(PARTS.len())).copied().unwrap_or_default());
        }
        text.push('"');
    };
    match if depth == 0 { 0 } else { numbers.below(4) } {
        0 => string(numbers, text),
        1 => {
            // Writing to a string does not fail.
            let _ = write!(text, "{}", numbers.below(1_000));
        }
        kind => {
            let [open, close] = if kind == 2 { ['[', ']'] } else { ['{', '}'] };
            text.push(open);
            for index in 0..numbers.below(8) {
                text.push_str(if index > 0 { ", " } else { " " });
                if kind == 3 {
                    string(numbers, text);
                    text.push(':');
                }
                value(numbers, depth - 1, text);
            }
            text.push(close);
        }
    }
}

fn counted(what: &str, evaluated: usize, expected: usize) -> Result<(), String> {
    println!("structure: {evaluated} texts, {what}");
    if evaluated == expected {
        Ok(())
    } else {
        Err(format!("{evaluated} texts were {what} instead of {expected}"))
    }
}
