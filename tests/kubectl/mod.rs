//! A text means what kubectl makes of it, or is refused: never another object.
//!
//! `corners.json` has texts by hand, and `recorded.json` what kubectl's reader makes of them and of
//! their [`mutants`], with the version of the reader. The texts that kubectl reads and that are
//! refused here are counted by reason, so that a text that is no longer read is a failure.
//!
//! # Recording
//! `KUBECTL_TEXTS=FOLDER:SEED:COUNT cargo test -p tests --test published kubectl` writes texts into
//! a folder: the corners and mutants of a seed, each as a file with its number as the name. A
//! program in Go reads them in this order: for each file, it decodes `runtime.RawExtension` with
//! `NewYAMLOrJSONDecoder` of `k8s.io/apimachinery/pkg/util/yaml` and a buffer of 4,096 bytes, as
//! kubectl does, until the end or an error, and prints a line `{"file": PATH, "raw": JSON}` or
//! `{"file": PATH, "err": MESSAGE}` for each document. `KUBECTL_ANSWERS=FILE:VERSION:SEED:COUNT`
//! compares these lines; with `BLESS=1`, it records them.

mod mutants;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tests::root;

use self::mutants::Mutants;

/// The content of `recorded.json`.
#[derive(Debug, Deserialize, Serialize)]
struct Recorded {
    /// The version of the reader.
    version: String,
    /// The seed of the mutants.
    seed: u64,
    corners: Vec<Answer>,
    /// The texts that kubectl reads and that are refused here, by reason.
    refused: BTreeMap<String, usize>,
    /// The [`Answer::digest`] of each mutant.
    mutants: Vec<String>,
}

/// The documents that kubectl reads in a text.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Answer {
    /// The documents but for empty ones, up to the first error.
    documents: Vec<Value>,
    /// Whether an error follows the documents.
    is_refused: bool,
}

impl Answer {
    /// The number of documents, `!` if an error follows them, and a digest of the documents.
    fn digest(&self) -> String {
        let mark = if self.is_refused { "!" } else { "" };
        format!("{}{mark} {}", self.documents.len(), digest(&self.documents))
    }
}

fn digest(documents: &[Value]) -> String {
    let documents: Vec<Value> = documents.iter().map(whole).collect();
    let hash = Sha256::digest(serde_json::to_vec(&documents).unwrap());
    let start: [u8; 8] = hash[..8].try_into().unwrap();
    format!("{:016x}", u64::from_be_bytes(start))
}

/// Returns the value with whole numbers as integers: JSON has one type of numbers.
fn whole(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), whole(value))).collect(),
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Number(number) if number.is_f64() => {
            let digits = number.as_f64().unwrap().to_string();
            let signed = digits.parse::<i64>().ok().map(Value::from);
            signed.or_else(|| digits.parse::<u64>().ok().map(Value::from)).unwrap_or_else(|| value.clone())
        }
        other => other.clone(),
    }
}

fn corners() -> Vec<String> {
    serde_json::from_str(include_str!("corners.json")).unwrap()
}

/// Returns a message without what it quotes, so that messages can be counted.
fn reason(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`…`")
}

/// Compares texts with the [`Answer::digest`] of each. Returns how many have the same meaning here,
/// and the reasons for which texts that kubectl reads are refused.
fn compare_all(pairs: impl Iterator<Item = (String, String)>) -> (usize, BTreeMap<String, usize>) {
    let (mut equal, mut different) = (0, Vec::new());
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for (text, answer) in pairs {
        let (count, digested) = answer.split_once(' ').unwrap();
        let (count, is_read) = count.strip_suffix('!').map_or((count, true), |count| (count, false));
        let count: usize = count.parse().unwrap();
        match manifest::documents(&text) {
            Err(problem) if is_read => *refused.entry(reason(&problem.message())).or_default() += 1,
            Err(_) => {}
            // Behind some documents, kubectl may refuse what is read here.
            Ok(read) => match read.get(..count) {
                Some(first) if digest(first) == digested && (!is_read || read.len() == count) => {
                    equal += usize::from(is_read);
                }
                _ => different.push(format!("{text:?}: {read:?}")),
            },
        }
    }
    let shown: Vec<&str> = different.iter().take(25).map(String::as_str).collect();
    assert!(
        different.is_empty(),
        "{} texts mean something else to kubectl:\n{}",
        different.len(),
        shown.join("\n")
    );
    println!("{equal} texts mean the same; refused: {refused:#?}");
    (equal, refused)
}

/// A line of the program.
#[derive(Debug, Deserialize)]
struct Line {
    file: String,
    raw: Option<Box<RawValue>>,
    err: Option<String>,
}

/// The answers in the lines of the program, by the number of the file. A document with a number
/// that no decoder of JSON takes is refused later.
fn answers(path: &Path) -> BTreeMap<usize, Answer> {
    let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let file = Path::new(&line.file).file_name().and_then(|name| name.to_str()).unwrap();
        let answer = answers.entry(file.parse().unwrap()).or_default();
        if answer.is_refused {
            continue;
        }
        let document = line.raw.map_or(Ok(Value::Null), |raw| serde_json::from_str(raw.get()));
        match document {
            Ok(Value::Null) => answer.is_refused |= line.err.is_some(),
            Ok(document) => answer.documents.push(document),
            Err(_) => answer.is_refused = true,
        }
    }
    answers
}

fn texts(seed: u64, count: usize) -> Vec<String> {
    let corners = corners();
    let mutants: Vec<String> = Mutants::new(&corners, seed).take(count).collect();
    corners.into_iter().chain(mutants).collect()
}

fn path() -> std::path::PathBuf {
    root().join("tests/kubectl/recorded.json")
}

#[test]
fn a_text_means_what_kubectl_makes_of_it_or_is_refused() {
    if let Ok(wanted) = env::var("KUBECTL_TEXTS") {
        let [folder, seed, count] = <[&str; 3]>::try_from(wanted.split(':').collect::<Vec<_>>()).unwrap();
        for (number, text) in texts(seed.parse().unwrap(), count.parse().unwrap()).iter().enumerate() {
            fs::write(Path::new(folder).join(number.to_string()), text).unwrap();
        }
    }
    let Ok(given) = env::var("KUBECTL_ANSWERS") else {
        let recorded: Recorded = serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap();
        let texts = texts(recorded.seed, recorded.mutants.len());
        let answers = recorded.corners.iter().map(Answer::digest).chain(recorded.mutants);
        let (equal, refused) = compare_all(texts.into_iter().zip(answers));
        assert!(equal > 1_000, "{equal}");
        assert_eq!(refused, recorded.refused, "texts that kubectl reads and that are refused");
        return;
    };
    let [file, version, seed, count] = <[&str; 4]>::try_from(given.split(':').collect::<Vec<_>>()).unwrap();
    let texts = texts(seed.parse().unwrap(), count.parse().unwrap());
    let answers = answers(Path::new(file));
    let answers: Vec<Answer> =
        (0..texts.len()).map(|number| answers.get(&number).cloned().unwrap_or_default()).collect();
    let digests = answers.iter().map(Answer::digest);
    let (_, refused) = compare_all(texts.into_iter().zip(digests));
    if tests::blesses() {
        let (corners, mutants) = answers.split_at(corners().len());
        let recorded = Recorded {
            version: version.to_owned(),
            seed: seed.parse().unwrap(),
            corners: corners.to_vec(),
            refused,
            mutants: mutants.iter().map(Answer::digest).collect(),
        };
        fs::write(path(), format!("{}\n", serde_json::to_string_pretty(&recorded).unwrap())).unwrap();
    }
}
