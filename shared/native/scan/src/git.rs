//! Commands of git.

use std::path::Path;
use std::process::Command;

/// Returns a command of git about the repository of a folder, whatever hook calls this tool.
pub(crate) fn git_in(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    // The configuration of a repository can name programs that git runs.
    git.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]).env("LC_ALL", "C");
    git
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Git runs hooks with variables that name their repository.
    #[test]
    fn the_folder_decides_and_not_the_repository_of_a_hook() {
        let git = git_in(Path::new("."));
        let removed = git.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name);
        assert!(removed.eq(["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"]));
    }
}
