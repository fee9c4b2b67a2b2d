//! The renderings of the chart.
//!
//! The files `tests/deploy/*.yaml` that begin with a line of inputs are renderings by Helm's
//! engine. If `helm` is on PATH, or `HELM` names a compatible program (`tests/deploy/helm.py`), the
//! tests render the chart and compare the result with these files; with `BLESS` they write the
//! files. Otherwise the line of inputs has to match the current templates and values. The other
//! tests read the files.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tests::root;

use super::{base, by_name, chart_folder, data, file, items, module_id, parse, parse_one, read};

/// The renderings, with the values file of each in addition to the defaults.
pub(crate) const RENDERINGS: &[(&str, Option<&str>)] = &[
    ("default.yaml", None),
    ("changed.yaml", Some("changed.values.yaml")),
    ("group.yaml", Some("group.values.yaml")),
    ("protect.yaml", Some("protect.values.yaml")),
];

/// The renderings as text. With `BLESS` and a helm program, they are written before they are read.
pub(crate) static RENDERED: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let text = |(name, values): &(&'static str, Option<&str>)| {
        let path = data(name);
        if harness::bless::is_wanted()
            && let Some(rendered) = helm(values.map(data).as_deref())
        {
            let rendered = rendered.unwrap_or_else(|error| panic!("{name}: {error}"));
            fs::write(&path, format!("{}{rendered}", inputs(*values))).unwrap();
        }
        (*name, read(&path))
    };
    RENDERINGS.iter().map(text).collect()
});

pub(crate) fn rendering(name: &str) -> Vec<Value> {
    parse(&RENDERED[name])
}

/// Returns a line with a hash of all files that a rendering depends on.
fn inputs(values: Option<&str>) -> String {
    let mut files = vec![chart_folder().join("Chart.yaml"), chart_folder().join("values.yaml")];
    for folder in ["files", "templates"] {
        files.extend(fs::read_dir(chart_folder().join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    files.extend(values.map(data));
    // FNV-1a, because the hashes of the standard library can change.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in files.iter().flat_map(|path| read(path).into_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("# inputs: {hash:016x}\n")
}

/// Returns the output of a program, or `None` if the program is not installed.
pub(crate) fn output(program: &Path, arguments: &[&str]) -> Option<Result<String, String>> {
    let output = match Command::new(program).args(arguments).current_dir(root()).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.unwrap_or_else(|error| panic!("{}: {error}", program.display())),
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Some(if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) })
}

pub(crate) fn helm(values: Option<&Path>) -> Option<Result<String, String>> {
    let program = env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
    // A path is relative to the root of the repository.
    let program = if program.components().count() > 1 { root().join(program) } else { program };
    let mut arguments = vec!["template", "portcullis", "charts/portcullis", "--namespace", "kubewarden"];
    arguments.extend(values.into_iter().flat_map(|path| ["--values", path.to_str().unwrap()]));
    output(&program, &arguments)
}

#[test]
fn the_renderings_are_current() {
    for (name, values) in RENDERINGS {
        if let Some(rendered) = helm(values.map(data).as_deref()) {
            let rendered = rendered.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(by_name(parse(&rendered)), by_name(rendering(name)), "{name}: render it again");
        }
        assert!(
            RENDERED[name].starts_with(&inputs(*values)),
            "{name} is outdated: install helm, or helm-python-sdk with pip; then run \
             HELM=tests/deploy/helm.py BLESS=1 cargo test -p tests --test published deploy"
        );
    }
}

/// The base has no labels of a release.
#[test]
fn the_chart_renders_the_manifests() {
    let without_release = |name: &str| {
        let mut objects = rendering(name);
        for object in &mut objects {
            let labels = object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut);
            if let Some(labels) = labels {
                labels.retain(|key, _| {
                    ["app.kubernetes.io/name", "app.kubernetes.io/part-of"].contains(&key.as_str())
                });
            }
        }
        by_name(objects)
    };
    assert_eq!(without_release("default.yaml"), by_name(base()));
    assert_eq!(without_release("group.yaml"), by_name(file("group.yaml")));
}

#[test]
fn kustomize_builds_the_manifests() {
    let built = output(Path::new("kustomize"), &["build", "deploy"])
        .or_else(|| output(Path::new("kubectl"), &["kustomize", "deploy"]));
    if let Some(built) = built {
        assert_eq!(by_name(parse(&built.unwrap())), by_name(base()));
    } else {
        let why = "neither kustomize nor kubectl is installed";
        tests::not_run("KUSTOMIZE", "the build of the kustomize base", why).unwrap();
    }
}

#[test]
fn every_value_is_changed_in_a_rendering() {
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let changed = parse_one(&data("changed.values.yaml"));
    // Every value of the schema is changed.
    let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let mut missing = keys(&schema["properties"]);
    missing.retain(|key| key != "groups" && changed.get(key).is_none());
    assert!(missing.is_empty(), "{missing:?}");
    let mut missing = keys(&schema["definitions"]["policy"]["properties"]);
    for policy in changed["policies"].as_object().unwrap().values().filter(|policy| policy.is_object()) {
        missing.retain(|key| policy.get(key).is_none());
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn changed_values_are_in_the_manifests() {
    let objects = by_name(rendering("changed.yaml"));
    let find = |name: &str| objects.get(&("ClusterAdmissionPolicy".to_owned(), name.to_owned()));
    let spec = |name: &str| &find(name).unwrap_or_else(|| panic!("{name}"))["spec"];
    assert!(find("pod-security-audit").is_none() && find("selinux-audit").is_none());
    let module = |name: &str| json!(format!("registry://registry.example:5000/portcullis/mirror/{name}"));
    for (name, field, want) in [
        ("external-ips", "module", module("external-ips:v0.2.0")),
        ("node-pods", "module", module("node-pods:v0.2.1")),
        ("selinux-guard", "module", module(&format!("selinux@sha256:{}", "0123456789abcdef".repeat(4)))),
        ("external-ips", "policyServer", json!("tenants")),
        ("pod-security", "policyServer", json!("default")),
        ("external-ips", "mode", json!("protect")),
        ("node-pods", "mode", json!("monitor")),
        ("external-ips", "failurePolicy", json!("Ignore")),
        ("pod-security", "failurePolicy", json!("Fail")),
        ("external-ips", "timeoutSeconds", json!(12)),
        ("external-ips", "timeoutEvalSeconds", json!(4)),
        ("pod-security", "timeoutSeconds", json!(20)),
        ("pod-security", "timeoutEvalSeconds", json!(10)),
        ("pod-security", "message", json!("ask the platform team")),
        (
            "pod-security",
            "namespaceSelector",
            json!({ "matchExpressions": [
                {
                    "key": "kubernetes.io/metadata.name",
                    "operator": "NotIn",
                    "values": ["kube-system", "legacy", "monitoring"],
                },
                { "key": "stage", "operator": "In", "values": ["test"] },
                { "key": "network-tier", "operator": "Exists" },
            ] }),
        ),
        (
            "pod-security",
            "objectSelector",
            json!({ "matchExpressions": [{ "key": "example.com/trusted", "operator": "DoesNotExist" }] }),
        ),
        ("pod-security", "contextAwareResources", json!([{ "apiVersion": "v1", "kind": "Namespace" }])),
        (
            "pod-security",
            "settings",
            json!({ "level": "restricted", "exclude": [{ "controlName": "Seccomp", "namespaces": ["build-*"] }] }),
        ),
        ("node-pods", "namespaceSelector", Value::Null),
        ("node-pods", "mutating", json!(true)),
        (
            "selinux-default",
            "settings",
            json!({ "mode": "Mutate", "allocation": { "source": "NamespaceAnnotation" } }),
        ),
        (
            "load-balancer-ips",
            "rules",
            json!([{
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "resources": ["services/status"],
                "operations": ["UPDATE"],
            }]),
        ),
        ("audit-everything", "backgroundAudit", json!(true)),
    ] {
        assert_eq!(spec(name)[field], want, "{name}: {field}");
    }
}

#[test]
fn changed_settings_have_the_needs_that_follow_from_them() {
    let objects = by_name(rendering("changed.yaml"));
    let find = |name: &str| objects.get(&("ClusterAdmissionPolicy".to_owned(), name.to_owned()));
    let spec = |name: &str| &find(name).unwrap_or_else(|| panic!("{name}"))["spec"];
    let names = |list: &Value| items(list).iter().map(|item| item["name"].clone()).collect::<Vec<_>>();
    let needs = |id: &str, settings: &Value| deployment::find(id).unwrap().needs(settings);
    for name in ["external-ips", "node-labels", "node-pods", "selinux-default", "selinux-guard"] {
        let (id, spec) = (module_id(&spec(name)["module"]), spec(name));
        let needs = needs(id, &spec["settings"]);
        assert_eq!(spec["rules"], json!(needs.rules), "{name}");
        assert_eq!(spec["matchConditions"], json!(needs.match_conditions), "{name}");
        assert_eq!(
            items(&spec["contextAwareResources"]),
            items(&json!(needs.context_aware_resources)),
            "{name}"
        );
        let role = objects.get(&("ClusterRole".to_owned(), format!("portcullis-{name}")));
        let granted = role.map_or(json!([]), |role| role["rules"].clone());
        assert_eq!(granted, json!(needs.cluster_role_rules), "{name}");
    }
    assert_eq!(
        names(&spec("pod-security")["matchConditions"]),
        [json!("changes-the-pod-or-template"), json!("is-not-of-the-backup")]
    );
    let policy = find("node-pods").unwrap();
    assert_eq!(policy["metadata"]["labels"]["team"], "platform");
    assert_eq!(
        policy["metadata"]["labels"]["helm.sh/chart"],
        concat!("portcullis-", env!("CARGO_PKG_VERSION"))
    );
    let annotation = |name: &str, key: &str| {
        find(name).unwrap()["metadata"]["annotations"][&format!("io.kubewarden.policy.{key}")].clone()
    };
    assert_eq!(annotation("pod-security", "category"), "Baseline");
    assert_eq!(annotation("load-balancer-ips", "severity"), "info");
    let binding = &objects[&("ClusterRoleBinding".to_owned(), "portcullis-node-pods".to_owned())];
    let account = json!({ "kind": "ServiceAccount", "name": "tenants-policy-server", "namespace": "policy" });
    assert_eq!(binding["subjects"][0], account);
}
