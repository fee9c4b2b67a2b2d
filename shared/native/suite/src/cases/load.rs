//! Reading of case files.

use std::path::{Path, PathBuf};

use crate::cases::Case;

/// Reads the cases of a file.
///
/// # Errors
/// Returns an error if the file cannot be read or parsed, with the file and, where known, the line.
pub fn load(file: &Path) -> Result<Vec<Case>, String> {
    let about = |problem: String| format!("{}: {problem}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| about(error.to_string()))?;
    let mut cases = crate::cases::parse(&text).map_err(about)?;
    for case in &mut cases {
        file.clone_into(&mut case.file);
    }
    Ok(cases)
}

/// Reads the cases of all `*.yaml` files in a folder, sorted by file name.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed, or if two cases have the same name.
pub fn load_dir(dir: &Path) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for file in &files {
        for case in load(file)? {
            if cases.iter().any(|known| known.name == case.name) {
                return Err(format!("{}: another case has the same name", case.place()));
            }
            cases.push(case);
        }
    }
    Ok(cases)
}
