//! The policies and modules that a test file names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manifest::{Cursor, Mistake};

use super::Runner;
use crate::policies;
use crate::results::FileResult;

impl Runner<'_> {
    /// Loads the policies that a file or the command line names.
    pub(super) fn policies(&self, at: Option<&Cursor<'_>>, result: &mut FileResult) -> Vec<policies::Listed> {
        let dir = self.path.parent().unwrap_or(Path::new(""));
        let mut listed: Vec<policies::Listed> = Vec::new();
        let mut add = |argument: &str, dir: &Path, mistake: &dyn Fn(String) -> Mistake| match policies::read(
            argument,
            dir,
            self.modules,
            self.files,
        ) {
            Ok(found) => {
                for policy in found {
                    match policy {
                        Ok(policy) if listed.iter().any(|known| known.name == policy.name) => {
                            let problem = "has two policies with this name; test them in two files";
                            result.mistakes.push(mistake(format!("{} {problem}", policy.name)));
                        }
                        Ok(policy) => listed.push(policy),
                        Err(problem) => result.mistakes.push(mistake(problem)),
                    }
                }
            }
            Err(problem) => result.mistakes.push(mistake(problem)),
        };
        match at.map(Cursor::texts) {
            Some(Ok(arguments)) if arguments.is_empty() => {
                let problem = "names no policy; write at least one";
                result.mistakes.extend(at.map(|at| at.mistake(problem)));
            }
            Some(Ok(arguments)) => {
                let items = at.and_then(|at| at.items().ok()).unwrap_or_default();
                for (argument, item) in arguments.iter().zip(items) {
                    add(argument, dir, &|problem| item.mistake(problem));
                }
            }
            Some(Err(mistake)) => result.mistakes.push(mistake),
            None => {
                for argument in &self.options.policies {
                    // An argument of the command line is relative to the working directory.
                    let name = result.name.clone();
                    add(argument, Path::new(""), &|problem| {
                        Mistake::new(&name, None, format!("--policy {argument}: {problem}"))
                    });
                }
                if self.options.policies.is_empty() {
                    let problem = "names no policy; pass --policy, or write policies and cases";
                    result.mistakes.push(Mistake::new(&result.name, None, problem));
                }
            }
        }
        listed
    }
}

/// Reads the files that take the place of modules.
pub(super) fn modules(at: &Cursor<'_>, dir: &Path) -> Result<BTreeMap<String, PathBuf>, Mistake> {
    at.entries()?
        .into_iter()
        .map(|(name, file)| {
            let path = dir.join(file.text()?);
            if path.is_file() {
                Ok((name.to_owned(), path))
            } else {
                Err(file.mistake(format!(
                    "{} does not exist; build the module, or correct the path",
                    path.display()
                )))
            }
        })
        .collect()
}
