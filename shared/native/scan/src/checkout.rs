//! The files of a revision of a git repository, in a temporary folder.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use crate::git::git_in;
use crate::input::is_object_file;
use crate::kustomization;
use crate::paths::{is_chart, normalized, relative};
use crate::tracked::path_of_bytes;

/// Files of a revision. They are removed with the value.
#[derive(Debug)]
pub(crate) struct Checkout {
    folder: TempDir,
    revision: String,
    /// The repository, and the folder in it to which paths are relative.
    root: PathBuf,
    inside: PathBuf,
}

impl Checkout {
    /// Writes files of a revision of the repository of a folder, to which paths are relative: those
    /// that can contain objects, those of charts and kustomizations, and those that are named.
    /// Neither the working tree nor the index of the repository changes.
    pub(crate) fn of(here: &Path, revision: &str, paths: &[String]) -> Result<Self, String> {
        // A revision is never an option.
        if revision.starts_with('-') {
            return Err("not a revision".to_owned());
        }
        let folder = tempfile::env::temp_dir().canonicalize().and_then(TempDir::new_in);
        let folder = folder.map_err(|error| format!("no temporary folder: {error}"))?;
        let line = |argument: &str| -> Result<PathBuf, String> {
            let line = String::from_utf8(git(here, &["rev-parse", argument], None, Vec::new())?);
            let line = line.map_err(|_| "a folder has a name that is not UTF-8")?;
            Ok(PathBuf::from(line.trim_end_matches(['\r', '\n'])))
        };
        let (root, inside) = (line("--show-toplevel")?, line("--show-prefix")?);
        let index = folder.path().join("index");
        let index = Some(index.as_path());
        git(&root, &["read-tree", revision], index, Vec::new())?;
        let all = git(&root, &["ls-files", "-z"], index, Vec::new())?;
        let wanted: BTreeSet<PathBuf> = paths.iter().map(|path| normalized(&inside.join(path))).collect();
        // A separator at the end, because git puts the prefix before the names as it is.
        let prefix = format!("--prefix={}/", folder.path().join("tree").display());
        git(&root, &["checkout-index", "-z", "--stdin", &prefix], index, needed(&all, &wanted))?;
        Ok(Self { folder, revision: revision.to_owned(), root, inside })
    }

    /// Returns the place of a path of the working tree; `None` if the revision does not have it.
    pub(crate) fn find(&self, path: &str) -> Result<Option<PathBuf>, String> {
        let outside = || {
            format!("{path} is not in the repository; give its state before the change in a file with --old")
        };
        let inside = if Path::new(path).is_absolute() {
            // Git resolves the links in the name of the repository.
            let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
            real.strip_prefix(&self.root).map(Path::to_path_buf).map_err(|_| outside())?
        } else {
            normalized(&self.inside.join(path))
        };
        if inside.starts_with("..") {
            return Err(outside());
        }
        let found = self.tree().join(inside);
        Ok(found.exists().then_some(found))
    }

    /// Returns the place of a path that the revision has to have.
    pub(crate) fn existing(&self, path: &str) -> Result<PathBuf, String> {
        self.find(path)?.ok_or_else(|| {
            format!(
                "the revision has no {path}; correct the revision or the path, or evaluate without --old if all \
                 objects are new"
            )
        })
    }

    pub(crate) fn name(&self, path: &str) -> String {
        format!("{}:{path}", self.revision)
    }

    /// Returns the path that a file of the revision has in the working tree.
    pub(crate) fn in_working_tree(&self, path: &Path) -> PathBuf {
        match normalized(path).strip_prefix(self.tree()) {
            Ok(inside) => relative(&self.inside, inside),
            Err(_) => path.to_owned(),
        }
    }

    /// Replaces the temporary folder in a message of a program.
    pub(crate) fn told(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.tree().display()), &self.name(""))
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }
}

/// Returns the names that a scan can read, of all names in a revision, each with a zero behind it.
fn needed(all: &[u8], wanted: &BTreeSet<PathBuf>) -> Vec<u8> {
    let names: Vec<PathBuf> =
        all.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of_bytes).collect();
    let is_beginning = |path: &&PathBuf| is_chart(path) || kustomization::is_file(path);
    let rendered: BTreeSet<&Path> =
        names.iter().filter(is_beginning).filter_map(|path| path.parent()).collect();
    let is_needed = |path: &&PathBuf| {
        is_object_file(path)
            || wanted.contains(*path)
            || path.ancestors().skip(1).any(|above| rendered.contains(above))
    };
    names
        .iter()
        .filter(is_needed)
        .flat_map(|path| [path.as_os_str().as_encoded_bytes(), b"\0"].concat())
        .collect()
}

/// Runs git with an input, and returns its output.
fn git(folder: &Path, arguments: &[&str], index: Option<&Path>, input: Vec<u8>) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| format!("git cannot be run: {error}");
    let mut git = git_in(folder);
    git.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(index) = index {
        git.env("GIT_INDEX_FILE", index);
    }
    let mut git = git.spawn().map_err(failed)?;
    let stdin = git.stdin.take();
    let output = std::thread::scope(|scope| {
        // If git ends before its input, its status says why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        git.wait_with_output()
    });
    let output = output.map_err(failed)?;
    if !output.status.success() {
        return Err(format!("git failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(output.stdout)
}
