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

#[test]
fn the_plugin_gives_the_recorded_verdicts() {
    if !can_run("the verdicts of PodSecurityPolicy") {
        return;
    }
    if !has_plugin() {
        tests::not_run(
            "API_SERVER",
            "the verdicts of PodSecurityPolicy",
            "kube-apiserver has no such plugin",
        )
        .unwrap();
        return;
    }
    let cases = Cases::read();
    let (policies, pods) = (cases.policies(), cases.pods());
    let users: Vec<(&str, &str)> = policies.iter().map(|(name, _)| (name.as_str(), "testers")).collect();
    let arguments = [
        "--enable-admission-plugins=PodSecurityPolicy",
        "--disable-admission-plugins=ServiceAccount,RuntimeClass,Priority",
        "--feature-gates=ProcMountType=true",
        "--allow-privileged=true",
    ];
    let server = ApiServer::start_with_users(Path::new(env!("CARGO_TARGET_TMPDIR")), &arguments, &users);
    server.kubectl(&["create", "namespace", "shop"]).unwrap();
    for (name, policy) in &policies {
        for object in objects(name, policy.clone()) {
            server.kubectl_with(&object.to_string(), &["create", "--filename=-"]).unwrap();
        }
    }
    let verdicts: BTreeMap<&String, Value> =
        policies.iter().map(|(name, _)| (name, verdicts(&server, name, &pods))).collect();
    let text = format!("{}\n", serde_json::to_string(&verdicts).unwrap().replace("},{", "},\n{"));
    let path = root().join(RECORDED);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == text, "write the verdicts with BLESS=1");
}
