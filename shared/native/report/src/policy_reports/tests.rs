use serde_json::{Value, json};

use super::*;
use crate::format::tests::written;
use crate::{Exit, FailOn, Format, sample};

fn result(policy: &str, result: &str, name: &str) -> Value {
    let object = json!({ "apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": name });
    json!({ "policy": policy, "rule": "r", "result": result, "resources": [object] })
}

fn reports(results: &[Value]) -> String {
    let (version, kind) = ("openreports.io/v1alpha1", "ClusterReport");
    json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "merged" }, "results": results })
        .to_string()
}

fn read(text: &str) -> Report {
    AnyReport::read(text).unwrap().by_object()
}

fn exit(before: &str, after: &str) -> Exit {
    let [before, after] = [before, after].map(|text| AnyReport::read(text).unwrap());
    AnyReport::compare(&before, &after).exit(FailOn::Warn)
}

#[test]
fn reports_of_different_parts_of_a_cluster_are_compared_where_they_overlap() {
    let of = |namespace: Option<&str>, names: &[&str]| {
        let finding = |name: &&str| {
            let mut finding = Finding { place: None, ..sample::finding() };
            finding.object.namespace = Some((*name).to_owned());
            finding
        };
        let namespace = namespace.map(str::to_owned);
        let findings = names.iter().map(finding).collect();
        AnyReport::Scan(Report { findings, namespace, files: BTreeSet::new(), ..sample::clean() })
    };
    let whole = of(None, &["shop", "other"]);
    let shop = AnyReport::compare(&whole, &of(Some("shop"), &["shop"]));
    assert_eq!((shop.gone.len(), shop.totals.stayed, shop.is_complete), (0, 1, true));
    let other = AnyReport::compare(&of(Some("other"), &["other"]), &of(Some("shop"), &["shop"]));
    assert!(!other.is_complete && other.totals.stayed == 0, "{other:?}");
    assert!(other.notices.iter().any(|notice| notice.message.starts_with("the reports are about")));
}

#[test]
fn an_object_is_refused_once_whatever_refuses_it() {
    let results = [
        result("a", "fail", "bad"),
        result("b", "warn", "bad"),
        result("a", "pass", "good"),
        result("b", "error", "odd"),
        result("a", "fail", "odd"),
        result("b", "error", "unknown"),
    ];
    let found: Vec<(String, Status, String)> = read(&reports(&results))
        .findings
        .into_iter()
        .map(|finding| (finding.object.name, finding.status, finding.message))
        .collect();
    let wanted = [
        ("bad", Status::Denied, "refused by a/r, b/r"),
        ("odd", Status::Denied, "refused by a/r, b/r"),
        ("unknown", Status::Unknown, "not evaluated by b/r"),
    ];
    assert_eq!(found, wanted.map(|(name, status, text)| (name.to_owned(), status, text.to_owned())));
}

#[test]
fn a_scan_is_compared_by_object() {
    let other = ["web-2".to_owned()];
    // A cluster honours neither exceptions nor baselines.
    for covered in [
        sample::finding(),
        Finding { excepted: Some("agreed".to_owned()), ..sample::finding() },
        Finding { is_known: true, ..sample::finding() },
    ] {
        let finding = Finding { others: other.to_vec(), ..covered };
        let scan = Report { findings: vec![finding.clone()], ..sample::report() };
        let ObjectRef { api_version, kind, namespace, name, .. } = finding.object;
        let object = json!({ "apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name });
        let first = reports(&[json!({ "policy": "p", "result": "fail", "resources": [object] })]);
        let first = AnyReport::read(&first).unwrap();
        let comparison = AnyReport::compare(&first, &AnyReport::Scan(scan));
        let new: Vec<&str> = comparison.new.iter().map(|finding| finding.object.name.as_str()).collect();
        assert_eq!((new, comparison.gone.len()), (vec!["web-2"], 0));
    }
}

#[test]
fn nothing_unknown_counts_as_equal() {
    let [fail, pass, error, skip] =
        ["fail", "pass", "error", "skip"].map(|outcome| reports(&[result("p", outcome, "web")]));
    for (before, after, wanted) in [
        (&fail, &fail, Exit::Clean),
        (&pass, &fail, Exit::Failed),
        (&fail, &pass, Exit::Clean),
        (&error, &error, Exit::NotEvaluated),
        (&error, &pass, Exit::NotEvaluated),
        (&pass, &skip, Exit::NotEvaluated),
    ] {
        assert_eq!(exit(before, after), wanted, "{before} {after}");
    }
    let mut scan = sample::clean();
    assert_eq!(exit(&pass, &written(&scan, Format::Json)), Exit::Clean);
    scan.totals.policies[0].unknown = 1;
    assert_eq!(exit(&pass, &written(&scan, Format::Json)), Exit::NotEvaluated);
}

#[test]
fn a_namespace_limits_both_sides() {
    let other = json!({ "apiVersion": "v1", "kind": "Node", "name": "worker-1" });
    let reports = reports(&[json!({ "policy": "p", "result": "fail", "resources": [other] })]);
    let scan = Report { namespace: Some("shop".to_owned()), ..sample::clean() };
    let comparison = AnyReport::compare(&AnyReport::read(&reports).unwrap(), &AnyReport::Scan(scan));
    assert_eq!((comparison.new.len(), comparison.gone.len()), (0, 0));
}

#[test]
fn lists_scopes_and_versions_of_an_object_are_read() {
    let report = |version: &str| {
        let scope = json!({ "apiVersion": version, "kind": "Deployment", "name": "web" });
        let results = [json!({ "policy": "p", "result": "fail", "resources": null })];
        let (group, kind) = ("wgpolicyk8s.io/v1alpha2", "PolicyReport");
        json!({ "apiVersion": group, "kind": kind, "items": null, "scope": scope, "results": results })
    };
    let items = [report("apps/v1"), report("apps/v1beta1")];
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
    assert_eq!(read(&list).findings.len(), 1);
}

#[test]
fn other_texts_are_refused() {
    let own = json!({ "apiVersion": "openreports.io/v1alpha1", "kind": "Report", "source": "portcullis" });
    for (text, wanted) in [
        (json!({ "apiVersion": "v1", "kind": "Pod" }).to_string(), "not policy reports: the file has a Pod"),
        (
            json!({ "apiVersion": "v1", "kind": "List", "items": [] }).to_string(),
            "not policy reports: the file has an empty list",
        ),
        (reports(&[json!({ "policy": "p", "result": "fail" })]), "a result of policy p names no object"),
        (
            reports(&[json!({ "policy": "p", "result": "denied" })]),
            "not policy reports: unknown variant `denied`",
        ),
        (own.to_string(), "they are of portcullis; compare the scan that -o json writes"),
        ("\n".to_owned(), "the file is empty; look for an error of the program that wrote it"),
    ] {
        let error = AnyReport::read(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
