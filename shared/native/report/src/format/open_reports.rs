//! Policy reports as Kubernetes manifests, one for each object with findings.
//!
//! Fields and enumerations follow `apis/openreports.io/v1alpha1/report_types.go` of
//! openreports/reports-api.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::fingerprint::digest;
use crate::names::View;
use crate::{Finding, ObjectRef, Report, Status, fingerprint};

/// The source and the value of the label `app.kubernetes.io/managed-by`. Kubewarden's audit scanner
/// deletes reports that have its own label and are not of its last run.
const SOURCE: &str = "portcullis";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest<'r> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'r>,
    source: &'static str,
    scope: Reference<'r>,
    summary: Summary,
    results: Vec<ReportResult<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'r> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'r str>,
    labels: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owner_references: Vec<Reference<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reference<'r> {
    api_version: &'r str,
    kind: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'r str>,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'r str>,
}

#[derive(Default, Serialize)]
struct Summary {
    pass: u64,
    fail: u64,
    warn: u64,
    error: u64,
    skip: u64,
}

#[derive(Serialize)]
struct ReportResult<'r> {
    source: &'static str,
    policy: &'r str,
    rule: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    result: &'static str,
    scored: bool,
    message: &'r str,
    properties: BTreeMap<&'static str, String>,
}

/// Writes a document for each object with findings.
///
/// The name is derived from the object alone, so that the next scan replaces the report. A stored
/// object owns its report, so that Kubernetes removes both. Reports have no results that pass. Of
/// objects with the same owner and findings, one has a report, which counts the others.
pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let view = View::new(report);
    let mut objects: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in &report.findings {
        objects.entry(identity(&finding.object)).or_default().push(finding);
    }
    for (number, findings) in objects.into_values().enumerate() {
        let Some(first) = findings.first() else { continue };
        if number > 0 {
            writeln!(out, "---")?;
        }
        write_document(out, &manifest(&view, &first.object, &findings))?;
    }
    Ok(())
}

fn write_document(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    // Escaped, a text cannot contain a character that changes what a terminal shows.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

/// The identity of an object: group, kind, namespace and name.
fn identity(object: &ObjectRef) -> (&str, &str, Option<&str>, &str) {
    (object.group(), &object.kind, object.namespace.as_deref(), &object.name)
}

fn manifest<'r>(view: &'r View<'_>, object: &'r ObjectRef, findings: &[&'r Finding]) -> Manifest<'r> {
    let mut summary = Summary::default();
    let results = findings
        .iter()
        .map(|finding| {
            let (result, count) = match finding.status {
                _ if !finding.is_open() => ("skip", &mut summary.skip),
                Status::Denied => ("fail", &mut summary.fail),
                Status::Monitored | Status::Warned => ("warn", &mut summary.warn),
                Status::Unknown => ("error", &mut summary.error),
            };
            *count += 1;
            result_of(view, finding, result)
        })
        .collect();
    let reference = |namespace, uid| Reference {
        api_version: &object.api_version,
        kind: &object.kind,
        namespace,
        name: &object.name,
        uid,
    };
    let uid = object.uid.as_deref();
    Manifest {
        api_version: "openreports.io/v1alpha1",
        kind: if object.namespace.is_some() { "Report" } else { "ClusterReport" },
        metadata: Metadata {
            name: format!("portcullis-{}", digest(&serde_json::json!(identity(object)))),
            namespace: object.namespace.as_deref(),
            labels: BTreeMap::from([("app.kubernetes.io/managed-by", SOURCE)]),
            owner_references: uid.iter().map(|uid| reference(None, Some(*uid))).collect(),
        },
        source: SOURCE,
        scope: reference(object.namespace.as_deref(), uid),
        summary,
        results,
    }
}

fn result_of<'r>(view: &'r View<'_>, finding: &'r Finding, result: &'static str) -> ReportResult<'r> {
    let policy = view.policy(finding);
    let mut properties = BTreeMap::from([("fingerprint", fingerprint(view.report, finding))]);
    let mut property = |name, value: Option<String>| {
        if let Some(value) = value {
            properties.insert(name, value);
        }
    };
    property("path", finding.path.clone());
    property("remedy", finding.remedy.clone());
    // The two fields by which an exclusion names what it covers.
    property("restrictedField", finding.restricted_field.clone());
    property("controlName", finding.rule_name.clone().filter(|_| finding.restricted_field.is_some()));
    property("exception", finding.excepted.clone());
    property("isKnown", finding.is_known.then(|| "true".to_owned()));
    property("concernsPods", finding.concerns_pods.then(|| "true".to_owned()));
    property("others", (!finding.others.is_empty()).then(|| finding.others.len().to_string()));
    property("file", finding.place.as_ref().map(|place| place.file.clone()));
    property(
        "line",
        finding.place.as_ref().and_then(|place| place.span).map(|span| span.start.line.to_string()),
    );
    property("mode", policy.filter(|policy| !policy.protects).map(|_| "monitor".to_owned()));
    ReportResult {
        source: SOURCE,
        policy: view.label(finding),
        rule: &finding.rule,
        category: policy.and_then(|policy| policy.category.as_deref()),
        severity: view.severity(finding).map(crate::Severity::name),
        result,
        scored: result == "fail",
        message: &finding.message,
        properties,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::format::tests::written;
    use crate::{Format, sample};

    fn manifests() -> Vec<Value> {
        serde_saphyr::from_multiple(&written(&sample::report(), Format::OpenReports)).unwrap()
    }

    #[test]
    fn each_object_has_a_report_under_our_label() {
        let manifests = manifests();
        let names: BTreeSet<&str> =
            manifests.iter().map(|manifest| manifest["metadata"]["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), manifests.len());
        for manifest in &manifests {
            assert_eq!(manifest["apiVersion"], "openreports.io/v1alpha1");
            assert_eq!(manifest["metadata"]["labels"]["app.kubernetes.io/managed-by"], "portcullis");
            assert_eq!(
                manifest["metadata"].get("namespace").is_none(),
                manifest["kind"].as_str().unwrap().starts_with("Cluster")
            );
            let owners = manifest["scope"].get("uid").map(|uid| {
                serde_json::json!([{ "apiVersion": "v1", "kind": "Pod", "name": "api-7d9f-1", "uid": uid }])
            });
            assert_eq!(manifest["metadata"].get("ownerReferences"), owners.as_ref());
        }
    }

    #[test]
    fn summaries_count_the_results() {
        for manifest in manifests() {
            for (result, count) in manifest["summary"].as_object().unwrap() {
                let results = manifest["results"].as_array().unwrap();
                let counted = results.iter().filter(|other| other["result"] == *result).count();
                assert_eq!(*count, counted, "{result} in {manifest}");
            }
        }
    }
}
