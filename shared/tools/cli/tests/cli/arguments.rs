//! The command line: help and formats.

use crate::folder::Folder;

#[test]
fn the_help_of_every_command_has_examples_and_fits_the_terminal() {
    let folder = Folder::new();
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
        let (status, help, stderr) = folder.run(&[command, &["--help"]].concat(), "");
        assert_eq!((status, stderr.as_str()), (0, ""), "{command:?}");
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

#[test]
fn data_is_json_or_yaml_in_every_command() {
    let folder = Folder::new();
    folder.file("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {externalIPs: [192.0.2.1]}\n");
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
