//! The test files in directories.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use manifest::Mistake;
use serde_json::Value;

use crate::files::{Files, is_manifest};

/// Finds the test files that arguments name: files, and the test files in directories that git
/// would not ignore. Notes the directories that it walks, so that a new file is visible.
pub(crate) fn find(paths: &[String], files: &Files) -> (Vec<PathBuf>, Vec<Mistake>) {
    let (mut found, mut mistakes) = (Vec::new(), Vec::new());
    for argument in paths {
        let path = Path::new(argument);
        if !path.is_dir() {
            if !found.contains(&path.to_path_buf()) {
                found.push(path.to_path_buf());
            }
            continue;
        }
        let before = found.len();
        let walk = WalkBuilder::new(path).require_git(false).sort_by_file_name(Ord::cmp).build();
        for entry in walk {
            if let Ok(entry) = &entry
                && entry.path().is_dir()
            {
                files.note(entry.path());
            }
            match entry {
                Ok(entry) if is_test(entry.path()) => {
                    let path = entry.into_path();
                    let path = path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
                    if !found.contains(&path) {
                        found.push(path);
                    }
                }
                Ok(_) => {}
                Err(error) => mistakes.push(Mistake::new(argument, None, error.to_string())),
            }
        }
        if found.len() == before {
            let problem =
                "has no test file; a test file is YAML with cases, as portcullis test --init writes it";
            mistakes.push(Mistake::new(argument, None, problem));
        }
    }
    (found, mistakes)
}

/// Returns whether a file in a directory is a test file: by its name, or because a document has
/// cases. A file that looks like one and cannot be read is one, so that it is not left out without
/// a word.
fn is_test(path: &Path) -> bool {
    // So is a link to a file that does not exist.
    let is_broken = path.is_symlink() && !path.exists();
    if !is_manifest(path) || !(path.is_file() || is_broken) {
        return false;
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_lowercase();
    if [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end)) {
        return true;
    }
    let Ok(bytes) = std::fs::read(path) else { return true };
    match std::str::from_utf8(&bytes) {
        Ok(text) => has_cases(text.strip_prefix('\u{feff}').unwrap_or(text)),
        // Without its zeros, UTF-16 shows its keys.
        Err(_) => has_key(&String::from_utf8_lossy(&bytes).replace('\0', "")),
    }
}

fn has_cases(text: &str) -> bool {
    if !text.contains("cases") && !text.contains("want") {
        return false;
    }
    let is_test = |document: &Value| match document {
        Value::Array(items) => items.iter().any(|item| item.get("want").is_some()),
        Value::Object(fields) => {
            let has = |key: &str| fields.contains_key(key);
            let has_others = || has_key(text) && ["policies", "defaults", "modules"].into_iter().any(has);
            !has("apiVersion") && (has("cases") || has_others())
        }
        _ => false,
    };
    manifest::documents(text).map_or_else(|_| has_key(text), |documents| documents.iter().any(is_test))
}

/// Returns whether a line begins with a key of test files.
fn has_key(text: &str) -> bool {
    text.lines().any(|line| {
        let line =
            line.trim_start_matches(|c: char| c.is_whitespace() || "-{['\"\u{feff}\u{fffd}".contains(c));
        let behind = ["cases", "want"].iter().find_map(|key| line.strip_prefix(key));
        behind.is_some_and(|behind| behind.trim_start_matches(['"', '\'']).starts_with(':'))
    })
}
