//! The verdicts of the real admission plugin, `PodSecurityPolicy` of Kubernetes 1.20.
//!
//! It runs where `kube-apiserver`, `etcd` and `kubectl` are on PATH and the server has the plugin.
//! The verdicts are in `psp-recorded.json`, which `psp.rs` compares with the manifests. `BLESS=1`
//! writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use regex::Regex;
use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::root;

use crate::psp_pods::{Cases, set};

const RECORDED: &str = "tests/convert/psp-recorded.json";
const RECORDED_USAGE: &str = "tests/convert/psp-usage.json";

const ARGUMENTS: [&str; 4] = [
    "--enable-admission-plugins=PodSecurityPolicy",
    "--disable-admission-plugins=ServiceAccount,RuntimeClass,Priority",
    "--feature-gates=ProcMountType=true",
    "--allow-privileged=true",
];

/// Whether the server has the plugin, which v1.25 removed.
fn has_plugin() -> bool {
    let help = Command::new("kube-apiserver").arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    help.contains("PodSecurityPolicy")
}

/// Objects that permit a user to create pods, and to use a policy of the same name.
fn objects(name: &str, policy: Value) -> [Value; 3] {
    let rules = json!([
        { "apiGroups": [""], "resources": ["pods"], "verbs": ["create"] },
        { "apiGroups": ["policy"], "resources": ["podsecuritypolicies"], "resourceNames": [name], "verbs": ["use"] },
    ]);
    let group = "rbac.authorization.k8s.io";
    let kind = |kind: &str| json!({ "apiVersion": format!("{group}/v1"), "kind": kind, "metadata": { "name": name } });
    let (mut role, mut binding) = (kind("ClusterRole"), kind("ClusterRoleBinding"));
    role["rules"] = rules;
    binding["roleRef"] = json!({ "apiGroup": group, "kind": "ClusterRole", "name": name });
    binding["subjects"] = json!([{ "apiGroup": group, "kind": "User", "name": name }]);
    [policy, role, binding]
}

/// The fields of the pod that a message of the plugin names, and their refused values.
fn fields(message: &str) -> Vec<String> {
    const PROBLEM: &str = r#"([a-zA-Z][\w.\[\]/"-]*): (?:Invalid value: ("[^"]*"|\[\]int64\{[^}]*\}|[^:,\]]*)|Forbidden: ((?:unsafe )?sysctl "[^"]*"|\S+)|Required value)"#;
    let value = |found: &regex::Captures<'_>, group: usize| {
        found.get(group).map(|value| value.as_str().replace('"', ""))
    };
    let problem = |found: regex::Captures<'_>| {
        let value = value(&found, 2).or_else(|| value(&found, 3)).unwrap_or_default();
        format!("{}={value}", found[1].replace('"', ""))
    };
    let fields: BTreeSet<String> = Regex::new(PROBLEM).unwrap().captures_iter(message).map(problem).collect();
    fields.into_iter().collect()
}

/// Asks the server as a user who may use one policy.
fn verdicts(server: &ApiServer, name: &str, pods: &[(String, Value)]) -> Value {
    let named = |(name, pod): &(String, Value)| {
        let mut pod = pod.clone();
        pod["metadata"]["name"] = name.as_str().into();
        pod
    };
    let list =
        json!({ "apiVersion": "v1", "kind": "List", "items": pods.iter().map(named).collect::<Vec<_>>() });
    let arguments = ["create", "--dry-run=server", "--validate=false", "--output=json", "--filename=-"];
    let answer = server.user(name).kubectl_with(&list.to_string(), &arguments);
    let mut stored: BTreeMap<String, Value> = BTreeMap::new();
    for pod in serde_json::Deserializer::from_str(&answer.output).into_iter::<Value>() {
        let pod = pod.unwrap();
        stored.insert(pod["metadata"]["name"].as_str().unwrap().to_owned(), pod);
    }
    let mut invalid = 0;
    let mut groups: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (name, pod) in pods {
        let is_about_it =
            |line: &&str| line.contains(&format!("pods \"{name}\" is forbidden: PodSecurityPolicy"));
        let verdict = if let Some(stored) = stored.get(name) {
            json!({ "set": set(pod, &without_translations(stored)) })
        } else if let Some(line) = answer.errors.lines().find(is_about_it) {
            json!({ "refused": fields(line) })
        } else {
            invalid += 1;
            continue;
        };
        groups.entry(verdict.to_string()).or_default().push(name);
    }
    assert_eq!(answer.errors.matches(" is invalid: ").count(), invalid, "{name}: {}", answer.errors);
    let group = |(verdict, pods): (String, Vec<&String>)| {
        let mut group: Value = serde_json::from_str(&verdict).unwrap();
        group["pods"] = json!(pods);
        group
    };
    groups.into_iter().map(group).collect()
}

/// Removes the annotations that are about the server: the policy, and profiles of seccomp that the
/// server translates from fields.
fn without_translations(stored: &Value) -> Value {
    let mut stored = stored.clone();
    if let Some(annotations) = stored["metadata"]["annotations"].as_object_mut() {
        annotations.retain(|key, _| key != "kubernetes.io/psp" && !key.contains("seccomp"));
    }
    stored
}

/// Compares verdicts with the recorded ones, or writes them.
fn compare<T: serde::Serialize>(file: &str, verdicts: &T) {
    let text = format!("{}\n", serde_json::to_string(verdicts).unwrap().replace("},{", "},\n{"));
    let path = root().join(file);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == text, "write {file} with BLESS=1");
}

/// Whether the server can run and has the plugin.
fn can_ask() -> bool {
    const WHAT: &str = "the verdicts of PodSecurityPolicy";
    if !can_run(WHAT) {
        return false;
    }
    if !has_plugin() {
        tests::not_run("API_SERVER", WHAT, "kube-apiserver has no such plugin").unwrap();
        return false;
    }
    true
}

#[test]
fn the_plugin_gives_the_recorded_verdicts() {
    if !can_ask() {
        return;
    }
    let cases = Cases::read();
    let (policies, pods) = (cases.policies(), cases.pods());
    let users: Vec<(&str, &str)> = policies.iter().map(|(name, _)| (name.as_str(), "testers")).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("psp");
    let server = ApiServer::start_with_users(&folder, &ARGUMENTS, &users);
    server.kubectl(&["create", "namespace", "shop"]).unwrap();
    for (name, policy) in &policies {
        for object in objects(name, policy.clone()) {
            server.kubectl_with(&object.to_string(), &["create", "--filename=-"]).unwrap();
        }
    }
    let verdicts: BTreeMap<&String, Value> =
        policies.iter().map(|(name, _)| (name, verdicts(&server, name, &pods))).collect();
    compare(RECORDED, &verdicts);
}

#[test]
fn the_plugin_permits_the_use_of_policies_as_recorded() {
    if !can_ask() {
        return;
    }
    let cases = Cases::read();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("psp-usage");
    let server = ApiServer::start(&folder, &ARGUMENTS);
    let rules = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["create"] }]);
    let group = "rbac.authorization.k8s.io";
    let role = json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": { "name": "pods" }, "rules": rules });
    let binding = json!({
        "apiVersion": format!("{group}/v1"),
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "pods" },
        "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": "pods" },
        "subjects": [{ "apiGroup": group, "kind": "Group", "name": "system:authenticated" }],
    });
    for namespace in ["shop", "till"] {
        server.kubectl(&["create", "namespace", namespace]).unwrap();
    }
    for object in cases.usage_documents().into_iter().chain([role, binding]) {
        server.kubectl_with(&object.to_string(), &["create", "--filename=-"]).unwrap();
    }
    let mut verdicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (user, groups, pods) in cases.usage_requests() {
        let named = |(name, pod): &(String, Value)| {
            let mut pod = pod.clone();
            pod["metadata"]["name"] = name.as_str().into();
            pod
        };
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": pods.iter().map(named).collect::<Vec<_>>() });
        let mut arguments =
            vec!["create", "--dry-run=server", "--validate=false", "--filename=-", "--as", &user];
        arguments.extend(groups.iter().flat_map(|group| ["--as-group", group.as_str()]));
        let answer = server.user("admin").kubectl_with(&list.to_string(), &arguments);
        let created = |(name, _): &&(String, Value)| answer.output.contains(&format!("pod/{name} created"));
        let refused = pods.iter().filter(|pod| !created(pod)).count();
        assert_eq!(
            answer.errors.matches("PodSecurityPolicy: unable to admit pod").count(),
            refused,
            "{}",
            answer.errors
        );
        verdicts.insert(user.clone(), pods.iter().filter(created).map(|(name, _)| name.clone()).collect());
    }
    compare(RECORDED_USAGE, &verdicts);
}
