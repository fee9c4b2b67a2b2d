//! Local PersistentVolumes. The runtime relabels the whole path, even a system path.

use admission::{Fault, Node, Verdict, Violations};

use super::rule::LOCAL_VOLUME;
use super::settings::LocalVolumes;
use crate::summary::summary;

/// Directories of the systems that nodes run. Neither they nor directories below or above them may
/// be volumes.
const TREES: [&str; 8] = [
    // Filesystem Hierarchy Standard 3.0 and file-hierarchy(7) of systemd.
    "/bin /boot /dev /efi /etc /lib /lib32 /lib64 /libx32 /proc /root /run /sbin /sys /usr /var/log /var/spool",
    // Packages and SELinux modules: rpm, dpkg and libsemanage.
    "/var/lib/dpkg /var/lib/rpm /var/lib/selinux /var/lib/systemd",
    // Runtimes: containers-storage.conf(5), containerd, Docker, CRI-O, and the CNI plugins as the
    // defaults of containerd and CRI-O have them.
    "/var/lib/containers /var/lib/containerd /var/lib/docker /var/lib/crio /var/lib/cni /opt/cni /opt/containerd",
    // The kubelet, etcd and distributions: kOps, k3s, RKE2, k0s, MicroShift, minikube, MicroK8s.
    "/var/lib/kubelet /var/lib/etcd /srv/kubernetes /var/lib/rancher /var/lib/k0s /var/lib/microshift /var/lib/minikube /snap /var/snap",
    // Systems with OSTree: Fedora CoreOS, RHEL CoreOS, image mode.
    "/ostree /sysroot",
    // Systems with transactional-update: SLE Micro, openSUSE MicroOS.
    "/.snapshots /var/lib/overlay",
    // Bottlerocket: the mounts of `packages/release` of bottlerocket-core-kit.
    "/local/bootstrap-containers /local/host-containers /opt/csi /var/lib/bottlerocket /var/lib/cni-plugins /var/lib/csi-helpers /var/lib/kernel-devel /var/lib/kernel-modules /var/lib/netdog",
    // Talos: `StateMountPoint` and those next to it in `pkg/machinery/constants`.
    "/system",
];

/// Directories that must not be volumes, although directories below them may be.
const DIRECTORIES: &str = "/ /home /media /mnt /opt /srv /tmp /var/tmp";

/// Directories that are the same as another one, in the order in which they are replaced.
const ALIASES: [(&str, &str); 11] = [
    // Bottlerocket mounts parts of its data partition.
    ("/local/mnt", "/mnt"),
    ("/local/opt", "/opt"),
    ("/local/var", "/var"),
    // Filesystem Hierarchy Standard 3.0, and `legacy.conf` of systemd-tmpfiles.
    ("/var/lock", "/run/lock"),
    ("/var/run", "/run"),
    // Systems with OSTree keep writable directories in `/var`: "Adapting existing mainstream
    // distributions" of its documentation.
    ("/var/home", "/home"),
    ("/var/mnt", "/mnt"),
    ("/var/opt", "/opt"),
    ("/var/roothome", "/root"),
    ("/var/srv", "/srv"),
    ("/var/usrlocal", "/usr/local"),
];

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
            violations.refuse(LOCAL_VOLUME, at, rule, "use a path that holds nothing else");
            Ok(violations.into())
        }
    }
}

/// Whether a path is a system path. Repeated slashes and `.` are ignored, and a directory has the
/// same verdict under each of its names.
///
/// Any path with `..` counts as a system path: symbolic links decide where it leads, and the API
/// server rejects it.
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
    for (alias, directory) in ALIASES {
        if let Some(rest) = below(&clean, alias) {
            clean = [directory, rest].concat();
        }
    }
    if clean.is_empty() {
        clean.push('/');
    }
    DIRECTORIES.split(' ').any(|directory| directory == clean)
        || TREES
            .iter()
            .flat_map(|trees| trees.split(' '))
            .any(|tree| below(&clean, tree).is_some() || below(tree, &clean).is_some())
}

/// The rest of a path that is a directory or below it: empty, or with a leading slash.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protects_system_paths_in_any_spelling() {
        assert!(is_protected(""));
        let paths = "/ // /etc /etc/ //etc//ssh /./etc etc /var/lib /var/lib/kubelet/pods /mnt \
                     /mnt/../etc /data/..";
        for path in paths.split(' ') {
            assert!(is_protected(path), "{path}");
        }
        let paths = "/mnt/disks/1 /var/lib/data /etcetera /opt/local /var/lib/kubelets /data";
        for path in paths.split(' ') {
            assert!(!is_protected(path), "{path}");
        }
    }

    #[test]
    fn protects_a_directory_under_each_of_its_names() {
        let paths = "/var/run /var/run/containerd /var/./run//crio/ /var/lock /var/home /var/roothome \
                     /var/roothome/.ssh /var/mnt /var/opt/cni/bin /var/usrlocal/bin /local/var \
                     /local/var/run/netdog /local/opt/cni /local/mnt";
        for path in paths.split(' ') {
            assert!(is_protected(path), "{path}");
        }
        let paths = "/var/home/data /var/mnt/disks/1 /local/mnt/disks/1 /local/var/data /var/running \
                     /var/opt/data /local/disks/1";
        for path in paths.split(' ') {
            assert!(!is_protected(path), "{path}");
        }
    }

    #[test]
    fn protects_every_directory_above_a_system_path() {
        let paths = "/var /var/lib /opt /opt/cni /local /srv /var/lib/kubelet /opt/cni/bin";
        for path in paths.split(' ') {
            assert!(is_protected(path), "{path}");
        }
    }

    #[test]
    fn the_lists_are_clean() {
        let trees = TREES.iter().flat_map(|trees| trees.split(' '));
        for path in trees.chain(DIRECTORIES.split(' ').skip(1)) {
            assert!(path.starts_with('/') && !path.ends_with('/') && !path.contains("//"), "{path:?}");
            assert!(ALIASES.iter().all(|(alias, _)| below(path, alias).is_none()), "{path}");
        }
    }

    #[test]
    fn takes_paths_of_any_length() {
        assert!(is_protected(&"/var/run".repeat(100_000)));
        assert!(!is_protected(&"/data".repeat(100_000)));
        assert!(is_protected(&"/./".repeat(100_000)));
    }
}
