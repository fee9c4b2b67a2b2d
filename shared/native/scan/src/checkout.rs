//! The files of a revision of a git repository in a temporary folder, for renderers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// All files of a revision. They are removed with the value.
#[derive(Debug)]
pub(crate) struct Checkout {
    folder: TempDir,
    revision: String,
    /// The repository, and the folder in it to which paths are relative.
    root: PathBuf,
    inside: PathBuf,
}

impl Checkout {
    /// Writes the files of a revision of the repository of the working directory. Neither the
    /// working tree nor the index of the repository changes.
    pub(crate) fn of(revision: &str) -> Result<Self, String> {
        // A revision is never an option.
        if revision.starts_with('-') {
            return Err("not a revision".to_owned());
        }
        let new = TempDir::new().map_err(|error| format!("no temporary folder: {error}"))?;
        let here = Path::new(".");
        let root = PathBuf::from(git(here, ["rev-parse", "--show-toplevel"].map(OsStr::new), None)?);
        let inside = PathBuf::from(git(here, ["rev-parse", "--show-prefix"].map(OsStr::new), None)?);
        let index = new.path().join("index");
        git(&root, ["read-tree", revision].map(OsStr::new), Some(&index))?;
        let mut prefix = new.path().join("tree").into_os_string();
        // A separator at the end, because git puts the prefix before the names as it is.
        prefix.push("/");
        let arguments = [OsStr::new("checkout-index"), "--all".as_ref(), "--prefix".as_ref(), &prefix];
        git(&root, arguments, Some(&index))?;
        Ok(Self { folder: new, revision: revision.to_owned(), root, inside })
    }

    pub(crate) fn find(&self, path: &str) -> Result<PathBuf, String> {
        let inside = if Path::new(path).is_absolute() {
            // Git resolves the links in the name of the repository.
            let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
            real.strip_prefix(&self.root).map(Path::to_path_buf).map_err(|_| {
                format!(
                    "{path} is not in the repository; give its state before the change in a file with --old"
                )
            })?
        } else {
            self.inside.join(path)
        };
        let found = self.tree().join(inside);
        if found.exists() {
            return Ok(found);
        }
        Err(format!(
            "the revision has no {path}; correct the revision or the path, or evaluate without --old if all objects \
             are new"
        ))
    }

    pub(crate) fn name(&self, path: &str) -> String {
        format!("{}:{path}", self.revision)
    }

    /// Replaces the temporary folder in a message of a program.
    pub(crate) fn told(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.tree().display()), &self.name(""))
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }
}

/// Runs git, and returns its only line.
fn git<const N: usize>(
    folder: &Path,
    arguments: [&OsStr; N],
    index: Option<&Path>,
) -> Result<String, String> {
    let mut git = Command::new("git");
    git.current_dir(folder).args(arguments);
    if let Some(index) = index {
        git.env("GIT_INDEX_FILE", index);
    }
    let output = git.output().map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("git failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let line = String::from_utf8(output.stdout).map_err(|_| "a folder has a name that is not UTF-8")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
