//! The alerts: one text for chart and manifest, a section of the documentation for each, and, where
//! `promtool` is on PATH, Prometheus' own check and the cases in `alerts.test.yaml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{not_run, root};

use super::renderings::rendering;
use super::{BASE, chart_folder, data, file, items};
use crate::files::{compare_or_write, parse_one, read};

const HEADER: &str = "\
# Written by `./justw bless` from the file of the chart.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: kubewarden
  namespace: kubewarden
  labels:
    app.kubernetes.io/name: kubewarden
    app.kubernetes.io/part-of: portcullis
spec:
";

/// The fields of the kind of the Prometheus operator that alerts have.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PrometheusRule {
    api_version: String,
    kind: String,
    metadata: Value,
    spec: Groups,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Groups {
    groups: Vec<Group>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    rules: Vec<Rule>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    alert: String,
    expr: String,
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    lasts: Option<String>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

/// A definition of the kind without its schema, for API servers.
pub(crate) fn definition() -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "prometheusrules.monitoring.coreos.com" },
        "spec": {
            "group": "monitoring.coreos.com", "scope": "Namespaced",
            "names": { "kind": "PrometheusRule", "plural": "prometheusrules" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

fn of_chart() -> PathBuf {
    chart_folder().join("files/alerts.yaml")
}

#[test]
fn the_manifest_and_the_chart_have_the_same_alerts() {
    let mut text = HEADER.to_owned();
    for line in read(&of_chart()).lines().filter(|line| !line.starts_with('#')) {
        writeln!(text, "  {line}").unwrap();
    }
    compare_or_write(&root().join(BASE).join("alerts.yaml"), &text);
    let rendered = rendering("changed.yaml").into_iter().find(|object| object["kind"] == "PrometheusRule");
    assert_eq!(rendered.unwrap()["spec"], file("alerts.yaml")[0]["spec"]);
}

#[test]
fn each_alert_has_a_section_of_the_documentation() {
    const PAGE: &str = "https://github.com/portcullis/portcullis/blob/main/docs/alerts.md#";
    let page = read(&root().join("docs/alerts.md"));
    let mut sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    for group in items(&parse_one(&of_chart())["groups"]) {
        for rule in items(&group["rules"]) {
            let name = rule["alert"].as_str().unwrap();
            assert_eq!(rule["annotations"]["runbook_url"], format!("{PAGE}{}", name.to_lowercase()));
            assert!(matches!(rule["labels"]["severity"].as_str(), Some("critical" | "warning")), "{name}");
            let known = sections.len();
            sections.retain(|section| *section != name);
            assert_eq!(sections.len() + 1, known, "{name}");
        }
    }
    assert_eq!(sections, Vec::<&str>::new());
}

#[test]
fn prometheus_accepts_the_alerts_and_raises_them() {
    if Command::new("promtool").arg("--version").output().is_err() {
        not_run("PROMTOOL", "Prometheus' check of the alerts", "promtool is not on PATH").unwrap();
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alerts");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(of_chart(), folder.join("alerts.yaml")).unwrap();
    fs::copy(data("alerts.test.yaml"), folder.join("alerts.test.yaml")).unwrap();
    for arguments in [["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]] {
        let output = Command::new("promtool").args(arguments).current_dir(&folder).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "{}", text.concat());
    }
    // Each alert is raised by a case.
    let raised: Vec<Value> = items(&parse_one(&data("alerts.test.yaml"))["tests"])
        .iter()
        .flat_map(|test| items(&test["alert_rule_test"]))
        .filter(|case| !items(&case["exp_alerts"]).is_empty())
        .map(|case| case["alertname"].clone())
        .collect();
    for group in items(&parse_one(&of_chart())["groups"]) {
        for rule in items(&group["rules"]) {
            assert!(raised.contains(&rule["alert"]), "{}", rule["alert"]);
        }
    }
}
