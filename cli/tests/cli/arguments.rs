//! The command line: order of options, help, completions, manual pages, colours and formats.

use std::fs;

use crate::folder::Folder;

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n";
const EXPOSED: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {externalIPs: [192.0.2.1]}\n";

/// Runs a command that exits with 0; returns its output.
fn done(folder: &Folder, arguments: &[&str]) -> String {
    let (status, stdout, stderr) = folder.run(arguments, "");
    assert_eq!((status, stderr.as_str()), (0, ""), "{arguments:?}");
    stdout
}

#[test]
fn options_stand_before_or_after_arguments() {
    let folder = Folder::new("order");
    folder.file("a.yaml", SERVICE);
    folder.file("b.yaml", SERVICE);
    folder.file("cluster.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    let one = "ADMITTED  CREATE Service shop/web\n";
    for arguments in [
        &["run", "--request", "a.yaml", "external-ips"][..],
        &["run", "external-ips", "--request", "a.yaml"],
        &["run", "external-ips", "a.yaml"],
        &["run", "--cluster", "cluster.yaml", "external-ips", "a.yaml"],
        &["run", "--cluster", "cluster.yaml", "--request", "a.yaml", "external-ips"],
        &["--color", "auto", "run", "external-ips", "a.yaml", "--color", "never"],
    ] {
        assert_eq!(done(&folder, arguments), one, "{arguments:?}");
    }
    let two = "\
ADMITTED  a.yaml: CREATE Service shop/web
ADMITTED  b.yaml: CREATE Service shop/web
2 requests: 2 admitted.
";
    for arguments in [
        &["run", "external-ips", "--request", "a.yaml", "b.yaml"][..],
        &["run", "external-ips", "-r", "a.yaml", "-r", "b.yaml"],
        &["run", "-r", "a.yaml", "-r", "b.yaml", "external-ips"],
        &["run", "-r", "a.yaml", "external-ips", "b.yaml"],
        &["run", "external-ips", "a.yaml", "b.yaml"],
    ] {
        assert_eq!(done(&folder, arguments), two, "{arguments:?}");
    }
}

#[test]
fn errors_of_arguments_look_like_all_others() {
    let folder = Folder::new("looks");
    for (arguments, message) in [
        (&["run", "external-ips"][..], "portcullis: the following required arguments were not provided:\n"),
        (&["walk"], "portcullis: unrecognized subcommand 'walk'\n"),
        (&["run", "p", "-", "-o", "xml"], "portcullis: invalid value 'xml' for '--output <OUTPUT>'\n"),
    ] {
        let (status, stdout, stderr) = folder.run(arguments, "");
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.starts_with(message), "{stderr}");
        assert!(stderr.contains("\nFor more information, try '--help'.\n"), "{stderr}");
    }
}

#[test]
fn colours_are_a_choice() {
    let folder = Folder::new("colours");
    folder.file("a.yaml", EXPOSED);
    let coloured = |choice: &[&str]| {
        let (status, stdout, _) = folder.run(&[&["run", "external-ips", "a.yaml"], choice].concat(), "");
        assert_eq!(status, 1);
        stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(!coloured(&["--color", "never"]));
    assert!(coloured(&["--color", "always"]));
    let (_, _, stderr) = folder.run(&["run", "nothing", "a.yaml", "--color", "always"], "");
    assert!(stderr.starts_with("\u{1b}[1m\u{1b}[31mportcullis:\u{1b}[0m "), "{stderr:?}");
}

#[test]
fn the_help_of_every_command_has_examples_and_fits_the_terminal() {
    let folder = Folder::new("help");
    for command in [
        &[][..],
        &["run"],
        &["audit"],
        &["convert"],
        &["annotate"],
        &["push"],
        &["pull"],
        &["selinux"],
        &["man"],
    ] {
        let help = done(&folder, &[command, &["--help"]].concat());
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

#[test]
fn writes_completions_and_manual_pages() {
    let folder = Folder::new("shells");
    for (shell, text) in [
        ("bash", "complete -F _portcullis"),
        ("zsh", "#compdef portcullis"),
        ("fish", "complete -c portcullis"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[portcullis]"),
    ] {
        let script = done(&folder, &["completions", shell]);
        assert!(script.contains(text) && script.contains("mirror-labels"), "{shell}: {script}");
    }
    fs::create_dir(folder.0.join("man1")).unwrap();
    assert_eq!(done(&folder, &["man", "man1"]), "");
    for (page, text) in [
        ("portcullis.1", "portcullis\\-run(1)"),
        ("portcullis-run.1", "\\-\\-settings"),
        ("portcullis-audit-selinux.1", "PersistentVolumes"),
    ] {
        let page = fs::read_to_string(folder.0.join("man1").join(page)).unwrap();
        assert!(page.contains(text), "{page}");
    }
    assert_eq!(
        folder.refused(&["man", "nowhere"], ""),
        "nowhere: cannot hold the pages: No such file or directory (os error 2)"
    );
}

#[test]
fn data_is_json_or_yaml_in_every_command() {
    let folder = Folder::new("formats");
    folder.file("a.yaml", EXPOSED);
    folder.file("namespaces.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    for arguments in [
        &["run", "external-ips", "a.yaml"][..],
        &["audit", "pod-security", "a.yaml"],
        &["selinux", "level", "shop"],
        &["selinux", "allocate", "namespaces.yaml"],
    ] {
        let (_, json, stderr) = folder.run(&[arguments, &["-o", "json"]].concat(), "");
        assert_eq!(stderr, "", "{arguments:?}");
        let (_, yaml, _) = folder.run(&[arguments, &["-o", "yaml"]].concat(), "");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let yaml = manifest::documents(&yaml).unwrap();
        assert_eq!(yaml, [json], "{arguments:?}");
    }
}
