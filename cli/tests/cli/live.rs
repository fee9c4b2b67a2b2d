//! Live scans without a cluster: arguments that contradict each other, and kubeconfigs.

use crate::folder::Folder;

#[test]
fn arguments_of_files_and_of_clusters_exclude_each_other() {
    let folder = Folder::new("live-arguments");
    folder.file("a.yaml", "");
    for (arguments, message) in [
        (&["a.yaml", "--live"][..], "cannot be used with '--live'"),
        (&["--live", "--helm", "chart"], "'--live' cannot be used with '--helm <CHART>'"),
        (&["--live", "--old", "before"], "'--live' cannot be used with '--old <"),
        (&["--live", "--cluster", "c.yaml"], "'--live' cannot be used with '--cluster <"),
        (&["--live", "--compare", "selinux"], "'--live' cannot be used with '--compare <"),
        (&["a.yaml", "--policy", "selinux", "--context", "a"], "cannot be used with '--context <NAME>'"),
    ] {
        let (status, stdout, stderr) = folder.run(&[&["scan"], arguments].concat(), "");
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_kubeconfig_that_cannot_be_used_is_an_error() {
    let folder = Folder::new("live-kubeconfig");
    folder.file("empty", "");
    folder.file("other", "contexts: [{name: staging, context: {cluster: c}}]\n");
    for (arguments, message) in [
        (&["--kubeconfig", "none"][..], "none: cannot be read: No such file"),
        (&["--kubeconfig", "empty"], "empty: sets no current context; pass --context NAME; known: none"),
        (&["--kubeconfig", "other"], "other: sets no current context; pass --context NAME; known: staging"),
        (&["--kubeconfig", "other", "--context", "a"], "other: has no context a; known: staging"),
    ] {
        let refused = folder.refused(&[&["scan", "--live"], arguments].concat(), "");
        assert!(refused.contains(message), "{arguments:?}: {refused}");
    }
}
