//! The commands of kubectl in all documents, run by a shell against an API server that has the
//! objects of an installation with Kubewarden, and no nodes.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::root;

use crate::deploy::alerts;
use crate::deploy::examples::{blocks, documents};
use crate::deploy::{base_files, data, file};
use crate::files::read;
use crate::folder::{Done, Folder};

/// The words after `kubectl` with which a command starts that is not run: it waits for a kubelet,
/// or is a plugin.
const NOT_RUN: [&str; 3] = ["debug node/", "krew ", "portcullis "];

/// The start of other commands, and the error of kubectl because something is missing here.
const REFUSED: &[(&str, &str)] = &[
    ("exec web ", "does not have a host assigned"),
    ("--namespace kubewarden top pods ", "Metrics API not available"),
    // Kinds of other projects.
    ("get reports,", "the server doesn't have a resource type \"reports\""),
    ("get policyreports ", "the server doesn't have a resource type \"policyreports\""),
    ("get clusterpolicies.kyverno.io,", "the server doesn't have a resource type \"clusterpolicies\""),
    ("get constraints ", "the server doesn't have a resource type \"constraints\""),
    ("get constrainttemplates,", "the server doesn't have a resource type \"constrainttemplates\""),
    ("get configs.config.gatekeeper.sh ", "the server doesn't have a resource type \"configs\""),
    ("get configmap kyverno ", "namespaces \"kyverno\" not found"),
];

/// A command of kubectl in a document.
struct Command {
    /// The document and the command, for messages.
    place: String,
    /// The words after `kubectl`, up to a pipe.
    arguments: String,
    /// The lines that the document prints after it.
    output: Vec<String>,
}

fn commands() -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    for path in documents() {
        let text = read(&path);
        for block in blocks(&text, "console") {
            let block = block.replace("\\\n", " ");
            let mut is_compared = false;
            for line in block.lines().map(str::trim) {
                if let Some(typed) = line.strip_prefix("$ ") {
                    is_compared = false;
                    let Some(arguments) = typed.strip_prefix("kubectl ") else { continue };
                    let place = format!("{}: {typed}", path.strip_prefix(root()).unwrap().display());
                    let command = arguments.split(" |").next().unwrap();
                    // Pods log nothing here.
                    is_compared = command == arguments && !command.contains(" logs ");
                    commands.push(Command { place, arguments: command.to_owned(), output: Vec::new() });
                } else if is_compared && !line.is_empty() && line != "…" {
                    commands.last_mut().unwrap().output.push(line.to_owned());
                }
            }
        }
    }
    commands
}

/// A Deployment whose pods are ready, and one of them, as the controller labels them.
///
/// Source: `policyserver_controller_deployment.go` of kubewarden/kubewarden-controller at 3460bb71.
fn policy_server(name: &str) -> [Value; 2] {
    let labels = json!({ "app.kubernetes.io/component": "policy-server", "kubewarden/policy-server": name });
    let spec = json!({ "containers": [{ "name": "policy-server", "image": "registry.example/server:1" }] });
    let name = format!("policy-server-{name}");
    let metadata = |name: &str| json!({ "name": name, "namespace": "kubewarden", "labels": labels });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(&name),
        "spec": {
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": spec },
        },
    });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata(&format!("{name}-0")), "spec": spec,
    });
    [deployment, pod]
}

fn webhook(policy: &str) -> Value {
    let name = format!("clusterwide-{policy}");
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": name },
        "webhooks": [{
            "name": format!("{name}.kubewarden.admission"),
            "clientConfig": { "url": "https://127.0.0.1:1/" },
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "failurePolicy": "Fail",
        }],
    })
}

/// Starts a server with everything that the commands name.
fn installation() -> ApiServer {
    let arguments = ["--disable-admission-plugins=ServiceAccount,DefaultStorageClass"];
    let server = ApiServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")), &arguments);
    let kubectl = |arguments: &[&str]| {
        server.kubectl(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    };
    let create = |objects: &[Value]| {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        server.kubectl_with(&list.to_string(), &["create", "--filename", "-"]).unwrap();
    };
    kubectl(&["create", "--filename", data("definitions").to_str().unwrap()]);
    create(&[alerts::definition()]);
    kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    for namespace in ["kubewarden", "ingress"] {
        kubectl(&["create", "namespace", namespace]);
    }
    kubectl(&["apply", "--kustomize", "artifacthub/deploy"]);
    kubectl(&["apply", "--filename", "artifacthub/deploy/policy-server.yaml"]);
    let [default, own] = ["default", "portcullis"].map(policy_server);
    let containers = json!([{ "name": "app", "image": "registry.example/app:1" }]);
    let template = json!({ "spec": { "restartPolicy": "Never", "containers": containers } });
    create(&[default, own].concat());
    create(&["node-pods", "external-ips"].map(webhook));
    create(&[
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker-1" } }),
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "default" },
            "spec": { "containers": containers },
        }),
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": { "name": "audit-scanner", "namespace": "kubewarden" },
            "spec": { "schedule": "0 * * * *", "jobTemplate": { "spec": { "template": template } } },
        }),
    ]);
    set_statuses(&kubectl);
    server
}

/// Sets what controllers report: the policy server is ready, and the policies are active.
fn set_statuses(kubectl: &dyn Fn(&[&str])) {
    let set = |object: [&str; 2], status: &Value| {
        let patch = json!({ "status": status }).to_string();
        let options = ["--namespace=kubewarden", "--subresource=status", "--type=merge", "--patch", &patch];
        kubectl(&[&["patch"], &object[..], &options[..]].concat());
    };
    let replicas = json!({
        "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
    });
    set(["deployment", "policy-server-portcullis"], &replicas);
    let active = json!({
        "policyStatus": "active",
        "mode": "monitor",
        "conditions": [{
            "type": "PolicyActive", "status": "True", "reason": "PolicyActive", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }],
    });
    for object in base_files().iter().flat_map(|name| file(name)) {
        if object["kind"] == "ClusterAdmissionPolicy" {
            set(["clusteradmissionpolicy", object["metadata"]["name"].as_str().unwrap()], &active);
        }
    }
}

/// Returns whether the output has the lines of the document. The last column of a table is an age.
fn is_as_documented(command: &Command, output: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.len() > 1 {
            words.pop();
        }
        words
    };
    command.output.iter().all(|line| output.lines().any(|is| words(is) == words(line)))
}

#[test]
fn commands_of_kubectl_are_accepted_by_an_api_server() {
    if !can_run("the commands of the documents with an API server") {
        return;
    }
    let server = installation();
    let folder = Folder::new("documented-commands");
    symlink(root().join("artifacthub"), folder.0.join("artifacthub")).unwrap();
    // The file that the reader of docs/getting-started.md writes.
    folder.file("external-ips.yaml", read(&root().join("artifacthub/deploy/external-ips.yaml")));
    folder.file("trust-config.json", "{}");
    let kubeconfig = server.kubeconfig("documents.kubeconfig", "");
    let (mut accepted, mut compared, mut wrong) = (0, 0, Vec::new());
    for command in commands() {
        if NOT_RUN.iter().any(|start| command.arguments.starts_with(start)) {
            continue;
        }
        // Other commands need what this one deletes.
        let arguments = command.arguments.replacen("delete ", "delete --dry-run=server ", 1);
        let mut shell = folder.command("sh", &["-c", &format!("kubectl {arguments}")]);
        let done = Done::of(shell.env("KUBECONFIG", &kubeconfig).env("HOME", &folder.0));
        let refused = REFUSED.iter().find(|(start, _)| command.arguments.starts_with(start));
        let is_right = match refused {
            Some((_, error)) => done.status != 0 && done.stderr.contains(error),
            // kubectl exits with 0 if a selector matches nothing.
            None => {
                done.status == i32::from(command.output == ["no"])
                    && !done.stderr.contains("No resources found in kubewarden")
                    && is_as_documented(&command, &done.stdout)
            }
        };
        if !is_right {
            wrong.push(format!("{}: {done:?}", command.place));
        }
        accepted += usize::from(refused.is_none());
        compared += usize::from(!command.output.is_empty());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted > 40 && compared >= 4, "{accepted} accepted, {compared} compared");
}
