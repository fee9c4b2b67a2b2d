//! `kubectl portcullis`: the tool under the names by which kubectl calls it.

use std::process::Command;

use crate::folder::{CLEAN, Done, EXPOSED, Folder, tool};

/// A folder with the links that make the tool a plugin.
fn plugin(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("web.yaml", EXPOSED);
    folder.file("api.yaml", CLEAN);
    for name in ["kubectl-portcullis", "kubectl_complete-portcullis"] {
        folder.link(name, tool());
    }
    folder
}

/// Calls a link as kubectl does, by its path.
fn call(folder: &Folder, name: &str, arguments: &[&str]) -> Done {
    folder.run(folder.0.join("bin").join(name), arguments)
}

#[test]
fn help_examples_and_errors_show_the_name_of_the_plugin() {
    let folder = plugin("plugin-help");
    let help = call(&folder, "kubectl-portcullis", &["scan", "--help"]);
    assert_eq!(help.status, 0);
    for line in [
        "Usage: kubectl portcullis scan [OPTIONS]",
        "  kubectl portcullis scan manifests/ --policy policies/",
    ] {
        assert!(help.stdout.contains(&format!("\n{line}")), "{}", help.stdout);
    }
    assert!(!help.stdout.contains("\n  portcullis "), "{}", help.stdout);
    let wrong = call(&folder, "kubectl-portcullis", &["scan", "--nix"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("\nUsage: kubectl portcullis scan "), "{}", wrong.stderr);
    let own = folder.run(tool(), &["scan", "--help"]);
    assert!(!own.stdout.contains("kubectl portcullis"), "{}", own.stdout);
}

#[test]
fn the_plugin_evaluates_as_the_tool_does() {
    let folder = plugin("plugin-scan");
    for (file, status) in [("web.yaml", 1), ("api.yaml", 0)] {
        let arguments = ["scan", file, "--policy", "external-ips"];
        let plugin = call(&folder, "kubectl-portcullis", &arguments);
        let tool = folder.run(tool(), &arguments);
        assert_eq!(plugin.status, status);
        assert_eq!((plugin.stdout, plugin.stderr), (tool.stdout, tool.stderr));
    }
}

#[test]
fn completes_commands_options_values_and_files() {
    let folder = plugin("plugin-completion");
    folder.file("settings/one.yaml", "");
    for (words, candidates, directive) in [
        (&["sca"][..], &["scan"][..], ":4"),
        (&["scan", "--po"], &["--policy", "--pods"], ":4"),
        (&["scan", "--pods", ""], &["auto", "on", "off"], ":4"),
        (&["man", "set"], &["settings/"], ":6"),
        (&["scan", "--settings", "set"], &[], ":0"),
        (&["selinux", ""], &["level", "allocate"], ":4"),
        (&[], &["run", "scan"], ":4"),
    ] {
        let done = call(&folder, "kubectl_complete-portcullis", words);
        assert_eq!((done.status, done.stderr.as_str()), (0, ""), "{words:?}");
        let mut lines: Vec<&str> = done.stdout.lines().collect();
        assert_eq!(lines.pop(), Some(directive), "{words:?}: {}", done.stdout);
        let offered: Vec<&str> = lines.iter().map(|line| line.split('\t').next().unwrap()).collect();
        for candidate in candidates {
            assert!(offered.contains(candidate), "{words:?}: {offered:?}");
        }
        assert_eq!(offered.is_empty(), candidates.is_empty(), "{words:?}: {offered:?}");
    }
}

#[test]
fn kubectl_finds_runs_and_completes_the_plugin() {
    if Command::new("kubectl").args(["version", "--client"]).output().is_err() {
        let why = "kubectl is not on PATH";
        return tests::not_run("KUBECTL", "the test of the plugin with kubectl", why).unwrap();
    }
    let folder = plugin("plugin-kubectl");
    let kubectl = |arguments: &[&str]| {
        let mut kubectl = folder.command("kubectl", arguments);
        Done::of(kubectl.env("PATH", folder.path()).env("HOME", &folder.0))
    };
    let done = kubectl(&["portcullis", "scan", "web.yaml", "--policy", "external-ips"]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("DENIED    external-ips/not-allowed, web.yaml:7:7\n"), "{done:?}");
    let done = kubectl(&["__complete", "portcullis", "scan", "--po"]);
    let offered: Vec<&str> = done.stdout.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(offered, ["--policy", "--pods", ":4"], "{done:?}");
}
