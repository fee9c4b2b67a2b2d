//! The paths that the user excludes.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::paths::absolute;

/// The file with patterns of paths to exclude.
const FILE: &str = ".portcullisignore";

/// Patterns of files to leave out, in the syntax of `.gitignore`.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The option or the file that names them.
    pub source: String,
    /// The folder to which they are relative.
    pub folder: PathBuf,
    /// Whether they also apply outside of it, relative to the folder that is read.
    pub applies_outside: bool,
    /// The patterns, in order: a later one can include what an earlier one excludes.
    pub patterns: Vec<String>,
}

/// The files of folders that are left out.
#[derive(Debug)]
pub(crate) struct Exclusions {
    /// The patterns, and whether they also apply outside of their folder.
    patterns: Vec<(Gitignore, bool)>,
    /// Files that are read or written in another way.
    other: Vec<PathBuf>,
}

impl Exclusions {
    /// Reads patterns, and those of the file `.portcullisignore` in a folder or the nearest one
    /// above it. `other` are files that are read or written in another way.
    pub(crate) fn of(
        patterns: &[Patterns],
        folder: Option<&Path>,
        other: &[PathBuf],
    ) -> Result<Self, String> {
        let built = |builder: GitignoreBuilder| builder.build().map_err(|error| error.to_string());
        let mut all = Vec::new();
        for Patterns { source, folder, applies_outside, patterns } in patterns {
            let mut builder = GitignoreBuilder::new(absolute(&Path::new(".").join(folder)));
            for pattern in patterns {
                if pattern.split('/').any(|part| [".", ".."].contains(&part)) {
                    return Err(format!(
                        "{source}: {pattern}: a pattern of .gitignore has no . and no ..; write a path as /a/b.yaml"
                    ));
                }
                builder
                    .add_line(None, pattern)
                    .map_err(|error| format!("{source}: {pattern}: not a pattern of .gitignore: {error}"))?;
            }
            all.push((built(builder)?, *applies_outside));
        }
        let folder = folder.map(absolute).unwrap_or_default();
        if let Some(file) = folder.ancestors().map(|above| above.join(FILE)).find(|file| file.is_file()) {
            let mut patterns = GitignoreBuilder::new(file.parent().unwrap_or(&folder));
            if let Some(error) = patterns.add(&file) {
                return Err(format!("{FILE}: {error}"));
            }
            all.push((built(patterns)?, true));
        }
        Ok(Self { patterns: all, other: other.iter().map(|path| absolute(path)).collect() })
    }

    /// Returns whether a path is that of a file that is read or written in another way.
    pub(crate) fn is_other(&self, path: &Path) -> bool {
        !self.other.is_empty() && self.other.contains(&absolute(path))
    }

    /// Returns whether a path is excluded. Outside of the folder of a pattern, the path counts that
    /// is relative to the folder that is read.
    pub(crate) fn exclude(&self, path: &Path, read: &Path) -> bool {
        let path = absolute(path);
        self.patterns.iter().any(|(patterns, applies_outside)| {
            let read = Some(absolute(read)).filter(|_| *applies_outside);
            let roots = [Some(patterns.path()), read.as_deref()];
            let inside = roots.into_iter().flatten().find_map(|root| path.strip_prefix(root).ok());
            inside.is_some_and(|inside| patterns.matched_path_or_any_parents(inside, false).is_ignore())
        })
    }
}
