//! The answers of Go.

use std::fmt::Write as _;

use regex::Regex;
use serde_json::{Value, json};

use super::questions::{Question, by_hand, generated};
use super::{Reason, compile};

/// The answers of the package `regexp` of Go 1.26.10: an array `[PATTERN, TEXTS, ANSWER]` in each
/// line. ANSWER is the error of Go, or the matches in each text, by their bytes.
///
/// With `QUESTIONS=FILE`, [`the_recorded_questions_are_the_generated_ones`] writes the questions;
/// `SEED` and `COUNT` make others. A program of a few lines around `regexp.Compile` and
/// `FindAllStringIndex` records the answers, and with `ANSWERS=FILE`,
/// [`every_answer_is_the_one_of_go`] compares those.
const RECORDED: &str = include_str!("go-1.26.10.jsonl");

/// The classes with a name: the number of their characters, and a digest (FNV-1a by character) of
/// Go 1.26.10.
const CLASSES: &str = include_str!("classes-go-1.26.10.tsv");

const SEED: u64 = 1;
const COUNT: usize = 900;

fn variable<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn matches(pattern: &Regex, text: &str) -> String {
    let found = pattern.find_iter(text).map(|found| format!("{}-{}", found.start(), found.end()));
    found.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_recorded_questions_are_the_generated_ones() {
    let mut questions: Vec<Question> = by_hand();
    questions.extend(generated(variable("SEED", SEED), variable("COUNT", COUNT)));
    if let Ok(file) = std::env::var("QUESTIONS") {
        let mut out = String::new();
        for (pattern, texts) in &questions {
            writeln!(out, "{}", json!([pattern, texts])).unwrap();
        }
        std::fs::write(file, out).unwrap();
        return;
    }
    let recorded: Vec<Question> =
        lines(RECORDED).map(|line| serde_json::from_value(json!([line[0], line[1]])).unwrap()).collect();
    assert!(recorded == questions, "record the answers to the new questions");
}

#[test]
fn every_answer_is_the_one_of_go() {
    let other = std::env::var("ANSWERS").map(|file| std::fs::read_to_string(file).unwrap());
    let (mut pairs, mut unknown, mut different) = (0_usize, 0_usize, Vec::new());
    for line in lines(other.as_deref().unwrap_or(RECORDED)) {
        let pattern = line[0].as_str().unwrap();
        let texts: Vec<&str> =
            line[1].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        pairs += texts.len();
        let ours = match compile(pattern) {
            Ok(pattern) => json!(texts.iter().map(|text| matches(&pattern, text)).collect::<Vec<_>>()),
            Err(Reason::Refused(problem)) => json!(problem),
            Err(Reason::Unknown(_)) => {
                unknown += texts.len();
                continue;
            }
        };
        if ours != line[2] {
            different.push(format!("{line} but {ours}"));
        }
    }
    assert!(different.is_empty(), "{} of {pairs}:\n{}", different.len(), different.join("\n"));
    assert!(pairs >= 4000 && unknown * 100 < pairs, "{pairs} {unknown}");
}

#[test]
fn every_class_has_the_characters_of_go() {
    let mut different = Vec::new();
    for line in CLASSES.lines() {
        let (name, want) = line.split_once('\t').unwrap();
        let translated = super::parser::translate(name).unwrap();
        let class = super::class::property(&translated);
        let (mut characters, mut hash) = (0_u32, 2_166_136_261_u32);
        for one in class.iter().flat_map(|range| range.start()..=range.end()) {
            characters += 1;
            hash = (hash ^ u32::from(one)).wrapping_mul(16_777_619);
        }
        let ours = format!("{characters}\t{hash}");
        if ours != want {
            different.push(format!("{line} but {ours}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(CLASSES.lines().count() > 250);
}

/// A limit of the crate `regex` is none of Go.
#[test]
fn patterns_that_are_too_large_are_unknown() {
    for pattern in [
        "a".repeat(10_001),
        r"\pL".repeat(200),
        r"\pL{1000}".to_owned(),
        format!("{}a{}", "(".repeat(400), ")".repeat(400)),
        "(?:){1000}".repeat(900),
    ] {
        let reason = compile(&pattern).map(|_| ()).unwrap_err();
        assert!(matches!(reason, Reason::Unknown(_)), "{reason:?}");
    }
}
