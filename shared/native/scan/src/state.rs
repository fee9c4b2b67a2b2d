//! The states in which files are read: that of the working directory, and that of a revision.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::checkout::Checkout;
use crate::input::{Origin, file_name};

/// A state of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The files of a revision; `None` for the working directory.
    checkout: Option<Arc<Checkout>>,
    /// The only argument, to which the names are relative by which a file of one state is known in
    /// another.
    argument: Option<PathBuf>,
}

impl State {
    /// The state of the working directory, or of a revision, in which some arguments are found.
    pub(crate) fn of(checkout: Option<&Arc<Checkout>>, arguments: &[String]) -> Self {
        let argument = if let [argument] = arguments { Some(absolute(Path::new(argument))) } else { None };
        Self { checkout: checkout.map(Arc::clone), argument }
    }

    pub(crate) fn is_revision(&self) -> bool {
        self.checkout.is_some()
    }

    /// Returns the origin of a file. The name by which it is known in another state does not depend
    /// on how an argument names its folder.
    pub(crate) fn origin(&self, path: &Path) -> Origin {
        let path = self.in_working_tree(path);
        let name = file_name(&path);
        let whole = absolute(&path);
        let below = self.argument.as_ref().and_then(|argument| whole.strip_prefix(argument).ok());
        let path = below.map_or_else(|| file_name(&whole), |below| below.to_string_lossy().into_owned());
        let name = self.checkout.as_ref().map_or(name.clone(), |checkout| checkout.name(&name));
        Origin { name, path, ..Origin::default() }
    }

    /// Returns the path that a file has in the working tree.
    pub(crate) fn in_working_tree(&self, path: &Path) -> PathBuf {
        self.checkout.as_ref().map_or_else(|| path.to_owned(), |checkout| checkout.in_working_tree(path))
    }

    /// Replaces the temporary folder in a message of a program.
    pub(crate) fn told(&self, message: &str) -> String {
        self.checkout.as_ref().map_or_else(|| message.to_owned(), |checkout| checkout.told(message))
    }
}

/// Returns a path without `.`, and without the folders that `..` leaves. Links are not resolved.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            part => short.push(part),
        }
    }
    if short.as_os_str().is_empty() { PathBuf::from(".") } else { short }
}

/// Returns the name in reports of a file whose path has no links, such as one that Kustomize reads.
pub(crate) fn name_of_real(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    file_name(&if path.is_absolute() { relative(&here, path) } else { path.to_owned() })
}

/// Returns an absolute path without `.` and `..`. Links are not resolved.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    // The working directory has no path only if it was removed.
    normalized(&std::env::current_dir().unwrap_or_default().join(path))
}

/// Returns the path from one folder to another. Both are absolute, or below the same folder.
#[must_use]
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to) = (normalized(from), normalized(to));
    let parts = |path: &Path| path.components().filter(|part| *part != Component::CurDir).count();
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let common = common.min(parts(&from));
    let up = std::iter::repeat_n(Component::ParentDir, parts(&from) - common);
    normalized(&up.chain(to.components().skip(common)).collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_one_folder_to_another() {
        for (from, to, path) in [
            ("", "a/b", "a/b"),
            ("a", "a/b", "b"),
            ("a/b", "a/c", "../c"),
            ("a", "", ".."),
            ("a", "a", "."),
            ("/a/x", "/b/c", "../../b/c"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(path), "{from} {to}");
        }
        for (path, short) in [("./a/../b", "b"), ("../a/./b/..", "../a"), ("a/..", "."), ("/../a", "/../a")] {
            assert_eq!(normalized(Path::new(path)), Path::new(short));
        }
    }
}
