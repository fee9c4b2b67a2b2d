//! A real API server accepts the manifests, and rejects what the definitions forbid.
//!
//! It runs where the programs of an API server are on PATH. Neither Kubewarden's
//! controller nor its webhooks run: the server evaluates the definitions in
//! `tests/deploy/definitions`, and by its own schemas of RBAC and core kinds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tests::api_server::{ApiServer, can_run};
use tests::root;

use super::renderings::{RENDERINGS, rendering};
use super::{BASE, EXAMPLES, base, data, file};
use crate::files::{parse, read};

/// Panics unless the server accepted each object.
fn assert_accepted(name: &str, objects: &[Value], applied: Result<String, String>) {
    let applied = applied.unwrap_or_else(|error| panic!("{name}: {error}"));
    let accepted = applied.lines().filter(|line| line.ends_with(" created (server dry run)")).count();
    assert_eq!(accepted, objects.len(), "{name}: {applied}");
}

#[test]
fn the_base_is_accepted_by_an_api_server() {
    if !can_run("the test of the manifests with an API server") {
        return;
    }
    let server = ApiServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")), &[]);
    let kubectl = |arguments: &[&str]| server.kubectl(arguments).unwrap_or_else(|error| panic!("{error}"));
    // Applies a file or a kustomization without storing it.
    let apply = |option: &str, path: &str| server.kubectl(&["apply", "--dry-run=server", option, path]);
    kubectl(&["create", "--filename", data("definitions").to_str().unwrap()]);
    kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);

    let examples: Vec<(String, Vec<Value>)> =
        EXAMPLES.iter().map(|name| (format!("artifacthub/deploy/{name}"), file(name))).collect();
    let rendered = RENDERINGS.iter().map(|(name, _)| (format!("tests/deploy/{name}"), rendering(name)));
    let files: Vec<(String, Vec<Value>)> = examples.into_iter().chain(rendered).collect();
    let objects = files.iter().flat_map(|(_, objects)| objects);
    let namespaces: BTreeSet<&str> =
        objects.filter_map(|object| object["metadata"]["namespace"].as_str()).collect();
    for namespace in namespaces {
        kubectl(&["create", "namespace", namespace]);
    }

    assert_accepted(BASE, &base(), apply("--kustomize", BASE));
    for (path, objects) in &files {
        assert_accepted(path, objects, apply("--filename", path));
    }

    let policy = read(&root().join("artifacthub/deploy/external-ips.yaml"));
    let changed = server.folder().join("changed.yaml");
    for (old, new, error) in [
        ("mode: monitor", "mode: audit", "spec.mode: Unsupported value: \"audit\""),
        ("timeoutSeconds: 5", "timeoutSeconds: 31", "spec.timeoutSeconds: Invalid value: 31"),
        ("mutating: false", "mutating: \"no\"", "spec.mutating"),
        ("  mutating: false\n", "", "spec.mutating: Required value"),
    ] {
        assert!(policy.contains(old), "{old}");
        fs::write(&changed, policy.replacen(old, new, 1)).unwrap();
        assert_eq!(parse(&read(&changed)).len(), 1);
        // The server itself has to reject it, not the check in kubectl.
        let path = changed.to_str().unwrap();
        let rejected = server.kubectl(&["apply", "--dry-run=server", "--validate=false", "--filename", path]);
        let message = rejected.expect_err(new);
        assert!(message.contains(error), "{new}: {message}");
    }
}
