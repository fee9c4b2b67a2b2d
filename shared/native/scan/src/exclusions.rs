//! The paths that the user excludes.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::state::absolute;

/// The file with patterns of paths to exclude.
const FILE: &str = ".portcullisignore";

/// Patterns in the syntax of `.gitignore`.
#[derive(Debug)]
pub(crate) struct Exclusions(Vec<Gitignore>);

impl Exclusions {
    /// Reads the patterns of arguments, relative to the working directory, and those of the file
    /// `.portcullisignore` in a folder or the nearest one above it.
    pub(crate) fn of(patterns: &[String], folder: Option<&Path>) -> Result<Self, String> {
        let mut arguments = GitignoreBuilder::new(absolute(Path::new(".")));
        for pattern in patterns {
            arguments
                .add_line(None, pattern)
                .map_err(|error| format!("--exclude {pattern}: not a pattern of .gitignore: {error}"))?;
        }
        let built = |builder: GitignoreBuilder| builder.build().map_err(|error| error.to_string());
        let mut all = vec![built(arguments)?];
        let folder = folder.map(absolute).unwrap_or_default();
        if let Some(file) = folder.ancestors().map(|above| above.join(FILE)).find(|file| file.is_file()) {
            let mut patterns = GitignoreBuilder::new(file.parent().unwrap_or(&folder));
            if let Some(error) = patterns.add(&file) {
                return Err(format!("{FILE}: {error}"));
            }
            all.push(built(patterns)?);
        }
        Ok(Self(all))
    }

    /// Returns whether a path is excluded. Outside of the folder of a pattern, the path counts that
    /// is relative to the folder that is read.
    pub(crate) fn exclude(&self, path: &Path, read: &Path) -> bool {
        let path = absolute(path);
        self.0.iter().any(|patterns| {
            let inside =
                [patterns.path(), &absolute(read)].into_iter().find_map(|root| path.strip_prefix(root).ok());
            inside.is_some_and(|inside| patterns.matched_path_or_any_parents(inside, false).is_ignore())
        })
    }
}
