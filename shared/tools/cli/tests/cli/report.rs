//! `portcullis report`.

use serde_json::{Value, json};

use crate::folder::Folder;

const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: shop}
spec: {hostPID: true, containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: two, namespace: kube-system}
spec: {hostNetwork: true, containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";

/// Writes the report of a scan into a file; returns the status of the scan.
fn scan(folder: &Folder, file: &str, arguments: &[&str]) -> i32 {
    let output = format!("json={file}");
    let fixed = ["scan", "pods.yaml", "-p", "pod-security", "-o", &output];
    let (status, stdout, _) = folder.run(&[&fixed[..], arguments].concat(), "");
    assert_eq!(stdout, "");
    status
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("pods.yaml", PODS);
    folder
}

#[test]
fn a_report_is_converted_to_what_the_scan_would_have_written() {
    let folder = folder();
    assert_eq!(scan(&folder, "scan.json", &["-o", "sarif=scan.sarif", "-o", "html=scan.html"]), 1);
    let (status, stdout, stderr) = folder.run(
        &["report", "convert", "scan.json", "-o", "sarif", "-o", "html=again.html", "-o", "json=again.json"],
        "",
    );
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(stdout, folder.read("scan.sarif"));
    assert_eq!(folder.read("again.html"), folder.read("scan.html"));
    // Standard input is the default.
    let (status, stdout, _) = folder.run(&["report", "convert", "-o", "json"], &folder.read("again.json"));
    assert_eq!((status, stdout), (0, folder.read("scan.json")));
    let (_, stdout, _) = folder.run(&["scan", "pods.yaml", "-p", "pod-security", "-o", "json"], "");
    assert_eq!(stdout, folder.read("scan.json"));
    assert_eq!(
        folder.refused(&["report", "convert", "pods.yaml"], ""),
        "pods.yaml: not a report of portcullis: expected value at line 1 column 1; scan with -o json writes one"
    );
    folder.file("other.json", folder.read("scan.json").replacen("\"version\": 3", "\"version\": 9", 1));
    assert_eq!(
        folder.refused(&["report", "convert", "other.json"], ""),
        "other.json: the report has version 9, this program reads version 3; scan again"
    );
}

#[test]
fn a_diff_has_new_findings_and_its_status() {
    let folder = folder();
    scan(&folder, "old.json", &[]);
    let diff = |arguments: &[&str]| {
        folder.run(&[&["report", "diff", "old.json", "new.json"], arguments].concat(), "")
    };
    folder.file("new.json", folder.read("old.json"));
    let (status, stdout, stderr) = diff(&[]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("NOT WORSE  0 new findings, 0 gone, "), "{stdout}");
    folder.file("pods.yaml", PODS.replace("hostPID", "hostIPC"));
    scan(&folder, "new.json", &[]);
    let (status, stdout, _) = diff(&["-o", "json"]);
    let comparison: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (status, &comparison["totals"]["new"], &comparison["totals"]["gone"]),
        (1, &1.into(), &1.into())
    );
    assert_eq!(comparison["new"][0]["path"], "spec.hostIPC");
    assert_eq!(diff(&["--fail-on", "never"]).0, 0);
    assert!(diff(&["-o", "markdown"]).1.contains("Portcullis comparison: worse"));
    let refused = folder.refused(&["report", "diff", "old.json", "new.json", "-o", "sarif"], "");
    assert_eq!(refused, "--output: a comparison can be written only as text, json, markdown");
    assert!(
        folder
            .refused(&["report", "diff", "old.json", "gone.json"], "")
            .starts_with("gone.json: cannot be read")
    );
}

#[test]
fn a_diff_with_policy_reports_compares_the_objects_that_are_refused() {
    let folder = folder();
    scan(&folder, "scan.json", &[]);
    let result = |result: &str, namespace: &str, name: &str| {
        let object = json!({ "apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name });
        json!({ "policy": "baseline", "rule": "host-namespaces", "result": result, "resources": [object] })
    };
    let results =
        [result("fail", "shop", "one"), result("pass", "kube-system", "two"), result("fail", "shop", "x")];
    let report = json!({
        "apiVersion": "openreports.io/v1alpha1", "kind": "ClusterReport", "results": results,
    });
    folder.file("engine.json", report.to_string());
    let (status, stdout, stderr) = folder.run(&["report", "diff", "engine.json", "scan.json"], "");
    assert_eq!((status, stderr.as_str()), (1, ""));
    let wanted = "\
New
  Pod kube-system/two
    DENIED    all policies/denied
      refused by pod-security/allowPrivilegeEscalation, pod-security/capabilities_restricted, \
         pod-security/hostNamespaces, pod-security/runAsNonRoot, pod-security/seccompProfile_restricted

Gone
  Pod shop/x
    DENIED    all policies/denied
      refused by baseline/host-namespaces

Verdicts
  Pod kube-system/two, all policies: admitted -> denied
  Pod shop/x, all policies: denied -> admitted

WORSE  1 new finding, 1 gone, 1 stayed, 2 verdicts changed
";
    assert_eq!(stdout, wanted);
}
