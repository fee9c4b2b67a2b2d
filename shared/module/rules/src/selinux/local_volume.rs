//! Local PersistentVolumes. The runtime relabels the whole path, even a system path.

use admission::{Fault, Node, Verdict, Violations};

use super::settings::LocalVolumes;
use crate::summary::summary;

/// Paths that must not be volumes, including all paths below them.
const TREES: [&str; 18] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/lib/containerd",
    "/var/lib/containers",
    "/var/lib/etcd",
    "/var/lib/kubelet",
    "/var/lib/rancher",
    "/var/log",
];

/// Paths that must not be volumes, although paths below them may be.
const DIRECTORIES: [&str; 9] = ["/", "/home", "/media", "/mnt", "/opt", "/srv", "/tmp", "/var", "/var/lib"];

/// Judges a PersistentVolume.
///
/// # Errors
/// A path that cannot be read.
pub(super) fn review(object: Node<'_>, setting: LocalVolumes) -> Result<Verdict<'_>, Fault> {
    let at = object.at("spec").at("local").at("path");
    let Some(path) = at.text()? else { return Ok(Verdict::admit()) };
    if !is_protected(path) {
        return Ok(Verdict::admit());
    }
    match setting {
        LocalVolumes::Off => Ok(Verdict::admit()),
        LocalVolumes::Warn => {
            let warning = "the runtime relabels local volumes, including system paths";
            Ok(Verdict::admit().warn(summary(warning, &[path], 0)))
        }
        LocalVolumes::Reject => {
            let mut violations = Violations::default();
            let rule = "the runtime would relabel a system path";
            violations.refuse(at, rule, "use a path that holds nothing else");
            Ok(violations.into())
        }
    }
}

/// Whether a path is a system path. Repeated slashes and `.` are ignored; any path with `..` counts
/// as a system path.
fn is_protected(path: &str) -> bool {
    let mut clean = String::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return true,
            part => {
                clean.push('/');
                clean.push_str(part);
            }
        }
    }
    if clean.is_empty() {
        clean.push('/');
    }
    let is_within =
        |tree: &str| clean.strip_prefix(tree).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    DIRECTORIES.contains(&clean.as_str()) || TREES.iter().any(|tree| is_within(tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protects_system_paths_in_any_spelling() {
        for path in [
            "/",
            "//",
            "",
            "/etc",
            "/etc/",
            "//etc//ssh",
            "/./etc",
            "/var/lib",
            "/var/lib/kubelet/pods",
            "/mnt",
            "/mnt/../etc",
            "/data/..",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in ["/mnt/disks/1", "/var/lib/data", "/etcetera", "/opt/local", "/var/lib/kubelets", "/data"]
        {
            assert!(!is_protected(path), "{path}");
        }
    }
}
