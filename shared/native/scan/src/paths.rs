//! Paths of files, and between folders.

use std::path::{Component, Path, PathBuf};

use crate::input::file_name;

/// The file by which Helm knows a chart.
pub(crate) const CHART: &str = "Chart.yaml";

/// Returns whether a path is that of such a file.
pub(crate) fn is_chart(path: &Path) -> bool {
    path.ends_with(CHART)
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
