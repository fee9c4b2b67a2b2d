//! The files that git tracks.

use std::path::{Path, PathBuf};

use crate::git::git_in;

/// Returns the paths of all files below a folder that git tracks, also in submodules, relative to
/// the folder: none without a repository. `None` if git is not on PATH, or does not know the
/// repository, such as one of which a container has only a part.
pub(crate) fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let folder = folder.canonicalize().map_err(|error| format!("cannot be read: {error}"))?;
    // Most folders outside of repositories need no process.
    if !folder.ancestors().any(|ancestor| ancestor.join(".git").exists()) {
        return Ok(Some(Vec::new()));
    }
    let listed = git_in(&folder).args(["ls-files", "-z", "--cached", "--recurse-submodules"]).output();
    let listed = match listed {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("git cannot be run: {error}")),
    };
    if listed.status.success() {
        let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        return Ok(Some(names.map(path_of_bytes).collect()));
    }
    let problem = String::from_utf8_lossy(&listed.stderr);
    if problem.contains("not a git repository") {
        return Ok(None);
    }
    Err(format!(
        "git cannot list the files that it tracks, some of which may be ignored and not evaluated: {}; correct this, or \
         name files",
        problem.trim()
    ))
}

#[cfg(unix)]
pub(crate) fn path_of_bytes(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(name).into()
}

/// Git writes names as UTF-8 on other systems.
#[cfg(not(unix))]
pub(crate) fn path_of_bytes(name: &[u8]) -> PathBuf {
    String::from_utf8_lossy(name).into_owned().into()
}
