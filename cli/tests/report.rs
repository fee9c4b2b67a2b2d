//! `portcullis report` and `portcullis scan --shard`.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod folder;

use std::fs;

use folder::Folder;
use serde_json::Value;

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

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("pods.yaml", PODS);
    folder
}

fn text(folder: &Folder, file: &str) -> String {
    fs::read_to_string(folder.0.join(file)).unwrap()
}

#[test]
fn a_report_is_converted_to_what_the_scan_would_have_written() {
    let folder = folder("convert");
    assert_eq!(scan(&folder, "scan.json", &["-o", "sarif=scan.sarif", "-o", "html=scan.html"]), 1);
    let (status, stdout, stderr) = folder.run(
        &["report", "convert", "scan.json", "-o", "sarif", "-o", "html=again.html", "-o", "jsonl=scan.jsonl"],
        "",
    );
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(stdout, text(&folder, "scan.sarif"));
    assert_eq!(text(&folder, "again.html"), text(&folder, "scan.html"));
    // Standard input is the default.
    let (status, stdout, _) = folder.run(&["report", "convert", "-o", "json"], &text(&folder, "scan.jsonl"));
    assert_eq!((status, stdout), (0, text(&folder, "scan.json")));
    assert_eq!(
        folder.refused(&["report", "convert", "pods.yaml"], ""),
        "pods.yaml: not a report of portcullis: expected value at line 1 column 1; scan with -o json or -o jsonl writes one"
    );
    folder.file("other.json", text(&folder, "scan.json").replacen("\"version\": 1", "\"version\": 9", 1));
    assert_eq!(
        folder.refused(&["report", "convert", "other.json"], ""),
        "other.json: the report has version 9, this program reads version 1; scan again"
    );
}

#[test]
fn a_diff_has_new_findings_and_its_status() {
    let folder = folder("diff");
    scan(&folder, "old.json", &[]);
    let diff = |arguments: &[&str]| {
        folder.run(&[&["report", "diff", "old.json", "new.json"], arguments].concat(), "")
    };
    fs::copy(folder.0.join("old.json"), folder.0.join("new.json")).unwrap();
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
    assert_eq!(refused, "--output: a comparison can be written only as text, json, yaml, markdown");
    assert!(
        folder
            .refused(&["report", "diff", "old.json", "gone.json"], "")
            .starts_with("gone.json: cannot be read")
    );
}

#[test]
fn merged_shards_are_the_report_of_the_scan() {
    let folder = folder("shards");
    let baseline = ["--write-baseline", "known.jsonl"];
    scan(&folder, "whole.json", &[]);
    scan(&folder, "baseline.json", &baseline);
    let mut statuses = Vec::new();
    for (share, file) in [("0/3", "0.json"), ("1/3", "1.json"), ("2/3", "2.json")] {
        statuses.push(scan(&folder, file, &["--shard", share]));
    }
    assert!(statuses.contains(&0) && statuses.contains(&1), "{statuses:?}");
    let merge = |arguments: &[&str]| folder.run(&[&["report", "merge"], arguments].concat(), "");
    let (status, stdout, stderr) = merge(&["2.json", "0.json", "1.json", "-o", "json"]);
    assert_eq!((status, stdout, stderr.as_str()), (1, text(&folder, "whole.json"), ""));
    let (status, ..) = merge(&["0.json", "1.json", "2.json", "--baseline", "known.jsonl"]);
    assert_eq!(status, 0);
    let refused = |arguments: &[&str]| folder.refused(&[&["report", "merge"], arguments].concat(), "");
    assert_eq!(refused(&["0.json", "2.json"]), "shard 1/3 is missing; name the reports of all shards");
    assert_eq!(
        refused(&["0.json", "whole.json"]),
        "whole.json is not the report of a shard; write shards with scan --shard I/N"
    );
    scan(&folder, "other.json", &["--shard", "1/3", "--user", "bob"]);
    assert!(refused(&["0.json", "other.json", "2.json"]).contains("different policies, options or versions"));
    assert_eq!(
        folder.refused(&["report", "diff", "0.json", "whole.json"], ""),
        "0.json: is only shard 0/3 of a scan; merge all shards with report merge"
    );
    let (status, _, refused) = folder.run(&["scan", "pods.yaml", "-p", "pod-security", "--shard", "3/3"], "");
    assert_eq!(status, 2);
    assert!(refused.contains("shards count from zero: use one of 0/3 to 2/3"), "{refused}");
}

#[test]
fn only_reports_of_whole_scans_are_applied_to_a_cluster() {
    let folder = folder("apply");
    scan(&folder, "whole.json", &[]);
    scan(&folder, "shard.json", &["--shard", "0/2"]);
    let apply = |arguments: &[&str]| folder.refused(&[&["report", "apply"], arguments].concat(), "");
    assert!(apply(&["pods.yaml"]).starts_with("pods.yaml: not a report of portcullis: "));
    let refused = apply(&["shard.json"]);
    assert_eq!(refused, "shard.json: is only shard 0/2 of a scan; merge all shards with report merge");
    let refused = apply(&["whole.json", "--kubeconfig", "none"]);
    assert!(refused.starts_with("none: cannot be read: "), "{refused}");
    // A live scan of one namespace says nothing about the others.
    let whole = fs::read_to_string(folder.0.join("whole.json")).unwrap();
    let mut limited: Value = serde_json::from_str(&whole).unwrap();
    limited["namespace"] = "shop".into();
    folder.file("limited.json", limited.to_string());
    let refused = apply(&["limited.json", "--prune"]);
    assert!(refused.starts_with("limited.json: is about the namespace shop alone"), "{refused}");
    let refused = apply(&["limited.json", "--kubeconfig", "none"]);
    assert!(refused.starts_with("none: cannot be read: "), "{refused}");
}
