//! The test files in directories.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde_json::Value;

use crate::Mistake;

/// The name of the test files of Kyverno.
pub(crate) const KYVERNO: &str = "kyverno-test.yaml";

/// Finds the test files that arguments name: files, and the test files in directories that git
/// would not ignore.
pub(crate) fn find(paths: &[String]) -> (Vec<PathBuf>, Vec<Mistake>) {
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

/// Returns whether a file in a directory is a test file: by its name, or because it has cases. A
/// file that looks like one and cannot be read is one, so that it is not left out without a word.
fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(stem) = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")) else { return false };
    if !path.is_file() {
        return false;
    }
    if name == KYVERNO || [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end)) {
        return true;
    }
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let has_key = |key: &str| text.lines().any(|line| line.trim_start().starts_with(key));
    if !has_key("cases:") && !has_key("want:") {
        return false;
    }
    match manifest::own_documents(&text).as_deref() {
        Ok([Value::Array(items)]) => items.iter().any(|item| item.get("want").is_some()),
        Ok([Value::Object(fields)]) => {
            !fields.contains_key("apiVersion")
                && ["cases", "policies", "defaults", "modules"].iter().any(|key| fields.contains_key(*key))
        }
        Ok(_) => false,
        Err(_) => true,
    }
}
