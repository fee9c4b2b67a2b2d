//! PersistentVolumes of paths of the node. The runtime relabels them as a whole, whatever they are.

use admission::{Fault, Node, Verdict, Violations};

use super::volumes::LocalVolumes;
use crate::summary::summary;

/// Paths that may be no volume, nor anything below them.
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

/// Paths that may be no volume, while what is below them may.
const PLACES: [&str; 9] = ["/", "/home", "/media", "/mnt", "/opt", "/srv", "/tmp", "/var", "/var/lib"];

/// Judges a PersistentVolume.
///
/// # Errors
/// What cannot be read.
pub(super) fn review(object: Node<'_>, answer: LocalVolumes) -> Result<Verdict<'_>, Fault> {
    let at = object.at("spec").at("local").at("path");
    let Some(path) = at.text()? else { return Ok(Verdict::admit()) };
    if !is_protected(path) {
        return Ok(Verdict::admit());
    }
    match answer {
        LocalVolumes::Off => Ok(Verdict::admit()),
        LocalVolumes::Warn => {
            let what = "the runtime relabels local volumes, also those of the system";
            Ok(Verdict::admit().warn(summary(what, &[path], 0)))
        }
        LocalVolumes::Reject => {
            let mut violations = Violations::default();
            let rule = "the runtime would relabel a path of the system";
            violations.refuse(at, rule, "use a path that holds nothing else");
            Ok(violations.into())
        }
    }
}

/// Whether a path is one of the system's. Repeated slashes and steps to where one is count for nothing, a step upwards for
/// everything.
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
    PLACES.contains(&clean.as_str()) || TREES.iter().any(|tree| is_within(tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_system_are_protected_however_they_are_written() {
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
