//! `portcullis report apply` against a real API server.
//!
//! It runs where `kube-apiserver`, `etcd` and `kubectl` are on PATH.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::root;

/// Runs the tool; returns its status, standard output and standard error.
fn portcullis(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(root().join("target/debug/portcullis"))
        .current_dir(root())
        .args(arguments)
        .output()
        .expect("the tool is built with ./justw modules");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Returns the definition of a kind of reports, as far as a server needs it.
fn definition(group: &str, version: &str, kind: &str, scope: &str) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "annotations": { "api-approved.kubernetes.io": "unapproved, a test" },
        },
        "spec": {
            "group": group, "scope": scope,
            "names": { "kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List") },
            "versions": [{ "name": version, "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

struct Cluster(ApiServer);

impl Cluster {
    fn kubectl(&self, arguments: &[&str]) -> String {
        self.0.kubectl(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
    }

    fn create(&self, object: &Value) {
        let created = self.0.kubectl_with(&object.to_string(), &["create", "--filename", "-"]);
        created.unwrap_or_else(|error| panic!("{error}"));
    }

    fn install(&self, group: &str, version: &str, kinds: [&str; 2]) {
        for (kind, scope) in kinds.iter().zip(["Namespaced", "Cluster"]) {
            self.create(&definition(group, version, kind, scope));
        }
        self.kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    }

    /// The namespaces, names and UIDs of the reports of a resource.
    fn reports(&self, resource: &str) -> Vec<String> {
        let list = self.kubectl(&["get", resource, "--all-namespaces", "--output", "json"]);
        let list: Value = serde_json::from_str(&list).unwrap();
        let shown = |item: &Value| {
            let metadata = &item["metadata"];
            format!("{}/{} {}", metadata["namespace"], metadata["name"], metadata["uid"])
        };
        list["items"].as_array().unwrap().iter().map(shown).collect()
    }

    /// Scans the stored Services; returns the file of the report.
    fn scan(&self) -> PathBuf {
        let dump = self.0.folder().join("services.json");
        let text = self.kubectl(&["get", "services", "--namespace", "shop", "--output", "json"]);
        fs::write(&dump, text).unwrap();
        let file = self.0.folder().join("scan.json");
        let output = format!("json={}", file.display());
        let arguments =
            ["scan", dump.to_str().unwrap(), "-p", "external-ips", "--fail-on", "never", "-o", &output];
        let (status, _, stderr) = portcullis(&arguments);
        assert_eq!(status, 0, "{stderr}");
        file
    }

    fn apply(&self, kubeconfig: &Path, arguments: &[&str]) -> (i32, String, String) {
        let file = self.scan();
        let fixed = ["report", "apply", file.to_str().unwrap(), "--kubeconfig", kubeconfig.to_str().unwrap()];
        portcullis(&[&fixed[..], arguments].concat())
    }
}

fn service(name: &str, is_exposed: bool) -> Value {
    let mut spec = json!({ "clusterIP": "None", "ports": [{ "port": 80 }] });
    if is_exposed {
        spec["externalIPs"] = json!(["192.0.2.1"]);
    }
    json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": name, "namespace": "shop" }, "spec": spec })
}

/// Gives a user the rights of the `CronJob`.
fn grant(cluster: &Cluster) {
    let text = fs::read_to_string(root().join("deploy/scan-cronjob.yaml")).unwrap();
    let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    let role = objects.into_iter().find(|object| object["kind"] == "ClusterRole").unwrap();
    cluster.create(&role);
    cluster.kubectl(&[
        "create",
        "clusterrolebinding",
        "scan",
        "--clusterrole=portcullis-scan",
        "--user=scanner",
    ]);
}

#[test]
fn reports_are_applied_to_an_api_server() {
    if !can_run("the test of policy reports with an API server") {
        return;
    }
    let cluster = Cluster(ApiServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")), &[]));
    let admin = cluster.0.kubeconfig("admin", "");
    let scanner = cluster.0.kubeconfig("scanner", ", as: scanner");
    cluster.kubectl(&["create", "namespace", "shop"]);
    for (name, is_exposed) in [("web", true), ("api", true), ("internal", false)] {
        cluster.create(&service(name, is_exposed));
    }
    let (status, _, stderr) = cluster.apply(&admin, &[]);
    assert!(status == 2 && stderr.contains("install the definitions of OpenReports"), "{stderr}");

    cluster.install("wgpolicyk8s.io", "v1alpha2", ["PolicyReport", "ClusterPolicyReport"]);
    let (status, stdout, stderr) = cluster.apply(&admin, &["--prune"]);
    assert_eq!((status, &*stdout), (0, "wgpolicyk8s.io/v1alpha2: 2 applied, 0 removed\n"), "{stderr}");
    let first = cluster.reports("policyreports");
    assert_eq!(first.len(), 2);

    cluster.install("openreports.io", "v1alpha1", ["Report", "ClusterReport"]);
    let theirs = json!({
        "apiVersion": "openreports.io/v1alpha1", "kind": "Report",
        "metadata": { "name": "theirs", "namespace": "shop", "labels": { "app.kubernetes.io/managed-by": "kubewarden" } },
    });
    cluster.create(&theirs);
    let (status, stdout, _) = cluster.apply(&admin, &["--prune", "--dry-run=server"]);
    assert_eq!(status, 0, "{stdout}");
    assert!(stdout.contains("2 applied, 2 removed (tried by the server, nothing stored)"), "{stdout}");
    assert_eq!((cluster.reports("policyreports"), cluster.reports("reports").len()), (first, 1));

    // Without the rights, nothing is written. Those of the CronJob suffice.
    let (status, _, stderr) = cluster.apply(&scanner, &["--prune"]);
    assert_eq!(status, 2);
    assert!(
        stderr.contains("grant list, create, patch and delete of reports and clusterreports"),
        "{stderr}"
    );
    grant(&cluster);
    let (status, stdout, stderr) = cluster.apply(&scanner, &["--prune"]);
    assert_eq!((status, &*stdout), (0, "openreports.io/v1alpha1: 2 applied, 2 removed\n"), "{stderr}");
    assert_eq!(cluster.reports("policyreports"), Vec::<String>::new());
    let once = cluster.reports("reports");
    assert_eq!(once.len(), 3);
    // The second time leaves the same set.
    assert_eq!(cluster.apply(&scanner, &["--prune"]).1, "openreports.io/v1alpha1: 2 applied, 0 removed\n");
    assert_eq!(cluster.reports("reports"), once);

    // A report is owned by its object, but the server of the test has no garbage collector.
    cluster.kubectl(&[
        "patch",
        "service",
        "web",
        "--namespace",
        "shop",
        "--type=json",
        "--patch",
        r#"[{"op": "remove", "path": "/spec/externalIPs"}]"#,
    ]);
    let (status, stdout, _) = cluster.apply(&scanner, &[]);
    let stays = "openreports.io/v1alpha1: 1 applied, 0 removed, 1 earlier ones kept\n";
    assert_eq!((status, &*stdout), (0, stays));
    let (_, stdout, _) = cluster.apply(&scanner, &["--prune"]);
    assert_eq!(stdout, "openreports.io/v1alpha1: 1 applied, 1 removed\n");
    let left = cluster.reports("reports");
    assert_eq!(left.len(), 2);
    assert!(left.iter().any(|report| report.contains("\"theirs\"")), "{left:?}");
    // kubectl hides managed fields in other forms.
    let path = "/apis/openreports.io/v1alpha1/namespaces/shop/reports";
    let selector = "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dportcullis";
    let written = cluster.kubectl(&["get", "--raw", &format!("{path}?{selector}")]);
    let written: Value = serde_json::from_str(&written).unwrap();
    let report = &written["items"][0];
    assert_eq!(report["metadata"]["managedFields"][0]["manager"], "portcullis");
    assert_eq!((&report["scope"]["name"], &report["results"][0]["result"]), (&json!("api"), &json!("fail")));
}
