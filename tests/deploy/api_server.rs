//! A real API server accepts the manifests, and rejects what the definitions forbid.
//!
//! It runs where the programs of an API server are on PATH. Neither Kubewarden's
//! controller nor its webhooks run: the server evaluates the definitions in
//! `tests/deploy/definitions`, and by its own schemas of RBAC and core kinds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tests::api_server::{Answer, ApiServer, User, can_run};
use tests::process::wait_until;
use tests::root;

use super::alerts::definition;
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
    server.kubectl_with(&definition().to_string(), &["create", "--filename", "-"]).unwrap();
    kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);

    let examples: Vec<(String, Vec<Value>)> = EXAMPLES
        .iter()
        .chain(&["alerts.yaml"])
        .map(|name| (format!("artifacthub/deploy/{name}"), file(name)))
        .collect();
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
    release_a_policy(&server);
}

/// Runs the commands of `docs/rolling-out.md` for a policy that no controller releases.
fn release_a_policy(server: &ApiServer) {
    let document = read(&root().join("docs/rolling-out.md"));
    let (_, section) = document.split_once("## Uninstalling\n").unwrap();
    let (_, block) = section.split_once("```console\n").unwrap();
    let commands: Vec<&str> = block.lines().map_while(|line| line.strip_prefix("$ kubectl ")).collect();
    assert_eq!(commands.len(), 2, "{section}");
    let mut policy = file("node-pods.yaml").pop().unwrap();
    policy["metadata"]["finalizers"] = json!(["kubewarden.io/finalizer"]);
    let webhook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "clusterwide-node-pods" },
    });
    for object in [&policy, &webhook] {
        let path = server.folder().join("stored.json");
        fs::write(&path, object.to_string()).unwrap();
        server.kubectl(&["create", "--filename", path.to_str().unwrap()]).unwrap();
    }
    let exists = |kind: &str, name: &str| server.kubectl(&["get", kind, name]).is_ok();
    server.kubectl(&["delete", "--wait=false", "clusteradmissionpolicy", "node-pods"]).unwrap();
    assert!(exists("clusteradmissionpolicy", "node-pods"));
    for command in commands {
        let words: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
        server.kubectl(&words).unwrap();
    }
    assert!(!exists("clusteradmissionpolicy", "node-pods"));
    assert!(!exists("validatingwebhookconfiguration", "clusterwide-node-pods"));
}

/// A tenant who may do everything in a namespace, and create namespaces.
const TENANT: (&str, &str) = ("bob", "tenants");

/// An operator in a skipped namespace, which creates another one.
const OPERATOR: (&str, &str) = ("ann", "system:serviceaccounts:tigera-operator");

/// Starts a server with the definitions of Kubewarden, two namespaces and the rights of the users.
fn server_with_tenants() -> ApiServer {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = ApiServer::start_with_users(folder, &[], &[TENANT, OPERATOR]);
    let kubectl = |arguments: &[&str]| {
        server.kubectl(arguments).unwrap_or_else(|error| panic!("{error}"));
    };
    kubectl(&["create", "--filename", data("definitions").to_str().unwrap()]);
    kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    kubectl(&["create", "namespace", "kubewarden"]);
    kubectl(&["create", "namespace", "team-x"]);
    kubectl(&["create", "clusterrole", "creators", "--verb=create", "--resource=namespaces"]);
    let groups = [TENANT.1, OPERATOR.1].map(|group| format!("--group={group}"));
    let binding = ["create", "clusterrolebinding", "creators", "--clusterrole=creators"];
    kubectl(&[&binding[..], &[&groups[0], &groups[1]]].concat());
    let binding = ["create", "rolebinding", "admins", "--namespace=team-x", "--clusterrole=cluster-admin"];
    kubectl(&[&binding[..], &[&groups[0]]].concat());
    server
}

/// Returns a policy of the tenant for a policy server, alone or in a group.
fn policy_for(policy_server: &str, kind: &str, name: &str) -> String {
    let mut object = file("admission-policy.yaml").remove(0);
    object["metadata"] = json!({ "name": name, "namespace": "team-x" });
    object["kind"] = kind.into();
    if kind == "AdmissionPolicyGroup" {
        object["spec"] = json!({
            "rules": object["spec"]["rules"],
            "expression": "a()",
            "message": "no",
            "policies": { "a": { "module": object["spec"]["module"], "settings": {} } },
        });
    }
    object["spec"]["policyServer"] = policy_server.into();
    object.to_string()
}

fn namespace(metadata: &Value) -> String {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }).to_string()
}

/// Names are reserved for users who may change the policies themselves.
#[test]
fn tenants_can_neither_stop_the_policy_server_nor_create_skipped_namespaces() {
    if !can_run("the test of reservations with an API server") {
        return;
    }
    let server = server_with_tenants();
    let (tenant, operator) = (server.user(TENANT.0), server.user(OPERATOR.0));
    let creates = |user: &User<'_>, object: &str| {
        user.kubectl_with(object, &["create", "--dry-run=server", "--filename", "-"])
    };
    let accepted = |answer: Answer| assert!(answer.is_success, "{answer:?}");
    let skipped = namespace(&json!({ "name": "cert-manager" }));
    let policy = policy_for("portcullis", "AdmissionPolicy", "new");

    // Without the reservations, a tenant can do both.
    accepted(creates(&tenant, &policy));
    accepted(creates(&tenant, &skipped));
    let other = policy_for("default", "AdmissionPolicy", "stored");
    accepted(tenant.kubectl_with(&other, &["create", "--filename", "-"]));

    for name in ["skipped-namespaces.yaml", "policy-server.yaml"] {
        server.kubectl(&["apply", "--filename", &format!("{BASE}/{name}")]).unwrap();
    }
    wait_until("the reservations are in effect", || {
        [&policy, &skipped].iter().all(|object| !creates(&tenant, object).is_success)
    });
    let refused = |answer: Answer, words: &str| {
        assert!(!answer.is_success && answer.errors.contains(words), "{words}: {answer:?}");
    };
    for kind in ["AdmissionPolicy", "AdmissionPolicyGroup"] {
        let policy = policy_for("portcullis", kind, "new");
        refused(creates(&tenant, &policy), "the policy server portcullis is reserved");
    }
    accepted(creates(&tenant, &policy_for("default", "AdmissionPolicyGroup", "new")));
    let of_policy = ["patch", "admissionpolicy", "stored", "--namespace=team-x", "--type=merge", "--patch"];
    let patch = |patch: &str| tenant.kubectl(&[&of_policy[..], &[patch]].concat());
    refused(patch(r#"{"spec": {"policyServer": "portcullis"}}"#), "the policy server portcullis is reserved");
    accepted(patch(r#"{"metadata": {"labels": {"a": "b"}}}"#));
    for name in ["cert-manager", "kube-node-lease", "cattle-sriov-system"] {
        let words = format!("policies skip the namespace {name}");
        refused(creates(&tenant, &namespace(&json!({ "name": name }))), &words);
    }
    accepted(creates(&tenant, &namespace(&json!({ "name": "team-y" }))));
    accepted(creates(&tenant, &namespace(&json!({ "generateName": "cert-manager" }))));
    accepted(creates(&operator, &namespace(&json!({ "name": "calico-apiserver" }))));
    for object in [&policy, &skipped] {
        server.kubectl_with(object, &["create", "--dry-run=server", "--filename", "-"]).unwrap();
    }
}
