//! Input and policies that look harmless and must not make a scan pass.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::path::Path;
use std::process::Command;

use kubewarden::matching::Webhook;
use report::{Level, Report, Status};
use scan::{Files, Old, Options, Origin, Policy, Scan, Sources};
use serde_json::{Value, json};

fn about(resource: &str) -> Policy {
    let mut policy = Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap();
    let rule = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource], "operations": ["CREATE", "UPDATE"] });
    policy.webhook = Webhook::from_spec(&json!({ "rules": [rule] })).unwrap();
    policy
}

fn files(texts: &[&str]) -> Files {
    let mut files = Files::default();
    for (index, text) in texts.iter().enumerate() {
        files.add_text(Origin::file(format!("{index}.yaml")), (*text).to_owned());
    }
    files
}

fn run(policy: Policy, texts: &[&str]) -> Report {
    Scan::new(vec![policy], Options::default()).run(&mut files(texts), None, None, &mut ())
}

fn is_denied(report: &Report) -> bool {
    report.findings.iter().any(|finding| finding.status == Status::Denied)
}

fn has_error(report: &Report, part: &str) -> bool {
    report.notices.iter().any(|notice| notice.level == Level::Error && notice.message.contains(part))
}

/// A number that is too large is an error wherever it is: no API server reads the object.
#[test]
fn a_number_that_is_too_large_does_not_hide_its_object() {
    let pod = |number: &str| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a"}},"spec":{{"containers":[{{"name":"c"}}],"priority":{number}}}}}"#
        )
    };
    for number in ["1".repeat(310), "1e400".to_owned()] {
        let report = run(about("pods"), &[&pod(&number)]);
        assert!(has_error(&report, "number out of range"), "{number}: {report:?}");
    }
    for number in ["1", "18446744073709551616", "1e300", "-0"] {
        let report = run(about("pods"), &[&pod(number)]);
        let is_typed = report.notices.iter().all(|notice| notice.message.contains("32 bits"));
        assert!(is_typed && report.totals.evaluations == 1, "{number}: {report:?}");
    }
}

#[test]
fn items_that_get_their_kind_from_the_end_of_a_long_list_are_errors() {
    let item = json!({ "metadata": { "name": "a" }, "spec": { "hostPID": true, "containers": [{ "name": "x".repeat(400) }] } });
    let items = vec![item; 2000];
    let list = format!(r#"{{"apiVersion":"v1","items":{},"kind":"PodList"}}"#, json!(items));
    let report = run(about("pods"), &[&list]);
    assert!(is_denied(&report) || has_error(&report, "give each item its apiVersion and kind"));
}

#[test]
fn both_sides_of_a_change_have_the_scopes_of_custom_resources() {
    let definition = |scope: &str| {
        format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: oxen.example.com}}, \
             spec: {{group: example.com, scope: {scope}, names: {{kind: Ox, plural: oxen}}, versions: [{{name: v1}}]}}}}\n"
        )
    };
    let ox = |namespace: &str| {
        format!("{{apiVersion: example.com/v1, kind: Ox, metadata: {{name: a, namespace: {namespace}}}}}\n")
    };
    // An object without a namespace is the same as one in the default namespace, and the namespace
    // of a cluster-scoped object does not count.
    for (scope, before, after) in [("Namespaced", "null", "default"), ("Cluster", "x", "null")] {
        let definition = definition(scope);
        for side in 0..3 {
            let text = |of: usize, object: &str| {
                format!("{}---\n{object}", if of == side { &definition } else { "" })
            };
            let (old, _) = Old::read(&mut files(&[&text(0, &ox(before))]));
            let scan = Scan::new(vec![about("oxen")], Options::default());
            let (mut input, mut cluster) = (files(&[&text(1, &ox(after))]), files(&[&text(2, "")]));
            let report = scan.run(&mut input, Some(&old), Some(&mut cluster), &mut ());
            // The definition is an object as well where it is a change.
            assert_eq!(report.totals.objects, if side == 2 { 1 } else { 2 }, "{scope} {side}");
            assert_eq!(report.totals.policies[0].admitted, 1, "{scope} {side}: {report:?}");
        }
    }
}

/// Makes the files of a folder those of a revision.
fn commit(folder: &Path) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "a"]] {
        let mut git = Command::new("git");
        let output = git.current_dir(folder).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_revision_without_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    commit(folder.path());
    for (paths, want) in
        [(vec![".".to_owned()], "*.json below .; correct"), (vec!["b".to_owned()], "*.json below b; ")]
    {
        let mut files = Files::default();
        Sources::of(&paths).add_revision(&mut files, folder.path(), "HEAD");
        let (_, notices) = Old::read(&mut files);
        let [notice] = notices.as_slice() else { panic!("{notices:?}") };
        assert!(notice.level == Level::Error && notice.message.contains(want), "{notice:?}");
    }
}

#[test]
fn a_copy_in_another_folder_is_not_in_the_revision() {
    let folder = tempfile::tempdir().unwrap();
    let service = "{apiVersion: v1, kind: Service, metadata: {name: gw}, spec: {externalIPs: [192.0.2.1]}}";
    let write = |of: &str| {
        std::fs::create_dir(folder.path().join(of)).unwrap();
        std::fs::write(folder.path().join(of).join("gw.yaml"), service).unwrap();
    };
    write("dev");
    commit(folder.path());
    write("prod");
    let mut old = Files::default();
    Sources::of(&[".".to_owned()]).add_revision(&mut old, folder.path(), "HEAD");
    let (old, _) = Old::read(&mut old);
    let mut new = Sources::of(&[folder.path().to_string_lossy().into_owned()]).find();
    let policies = vec![Policy::of_id("external-ips", &json!({})).unwrap()];
    let report = Scan::new(policies, Options::default()).run(&mut new, Some(&old), None, &mut ());
    let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert!(finding.place.as_ref().unwrap().file.ends_with("prod/gw.yaml"), "{finding:?}");
}

#[test]
fn the_standard_input_has_no_revision() {
    let mut files = Files::default();
    Sources::of(&["-".to_owned()]).add_revision(&mut files, Path::new("."), "HEAD");
    let (_, notices) = Old::read(&mut files);
    let [notice] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(notice.level == Level::Error && notice.message.contains("has no revision"), "{notice:?}");
}

/// A policy with settings that look up Namespaces, in a manifest that grants these look-ups or not.
fn granted(kind: &str, resources: &Value) -> Policy {
    let mut module = json!({
        "module": "registry://ghcr.io/portcullis/policies/pod-security:v0",
        "settings": { "level": "baseline", "namespaceLabels": "Honor" },
    });
    if !resources.is_null() {
        module["contextAwareResources"] = resources.clone();
    }
    let mut spec = if kind.ends_with("Group") {
        json!({ "policies": { "a": module }, "expression": "a()", "message": "no" })
    } else {
        module["mutating"] = false.into();
        module
    };
    spec["rules"] = json!([{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }]);
    let manifest = json!({
        "apiVersion": "policies.kubewarden.io/v1", "kind": kind,
        "metadata": { "name": "a", "namespace": "shop" }, "spec": spec,
    });
    let entry = rules::find("pod-security").unwrap();
    let manifest = kubewarden::matching::PolicyManifest::read(&manifest).unwrap();
    Policy::of_manifest(manifest, &mut |_, _| scan::Engine::Native(entry))
}

#[test]
fn a_look_up_without_a_grant_is_refused_as_in_a_policy_server() {
    let texts = [
        "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {\
         pod-security.kubernetes.io/enforce: privileged}}}\n",
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: c}]}}\n",
    ];
    let namespaces = json!([{ "apiVersion": "v1", "kind": "Namespace" }]);
    let others =
        json!([{ "apiVersion": "v1", "kind": "Service" }, { "apiVersion": "v2", "kind": "Namespace" }]);
    for kind in ["ClusterAdmissionPolicy", "ClusterAdmissionPolicyGroup"] {
        let report = run(granted(kind, &namespaces), &texts);
        assert!(report.findings.is_empty() && report.totals.evaluations == 1, "{kind}: {report:?}");
    }
    for (kind, resources) in [
        ("ClusterAdmissionPolicy", &Value::Null),
        ("ClusterAdmissionPolicy", &others),
        ("AdmissionPolicy", &Value::Null),
        ("ClusterAdmissionPolicyGroup", &others),
        ("AdmissionPolicyGroup", &Value::Null),
    ] {
        let report = run(granted(kind, resources), &texts);
        let [finding] = report.findings.as_slice() else { panic!("{kind}: {report:?}") };
        assert!(
            finding.message.contains("has not been granted access to Kubernetes v1/Namespace resources"),
            "{kind}: {finding:?}"
        );
    }
}

/// Returns a list of JSON that is so long that its items are read one by one: the given ones, in
/// the middle of harmless ones.
fn long_list(kind: &str, items: &str) -> String {
    let harmless: Vec<String> = (0..4_000)
        .map(|number| {
            let metadata = format!(r#"{{"name":"c{number}","namespace":"d"}}"#);
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata},"data":{{}}}}"#)
        })
        .collect();
    let (before, after) = harmless.split_at(3_500);
    let items = [before.join(","), items.to_owned(), after.join(",")].join(",");
    format!(r#"{{"apiVersion":"v1","kind":"{kind}",REST"items":[{items}]}}"#)
}

#[test]
fn an_item_without_a_kind_or_api_version_is_an_error() {
    let pod = |api_version: &str, kind: &str| {
        format!(
            r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"a","namespace":"d"}},"spec":{{"hostPID":true,"containers":[{{"name":"a"}}]}}}}"#
        )
    };
    let scanned = |item: &str| {
        let policy = Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap();
        run(policy, &[&long_list("List", item).replace("REST", "")])
    };
    assert!(is_denied(&scanned(&pod("v1", "Pod"))));
    assert!(has_error(&scanned(&pod("v1", "")), "no kind"));
    assert!(has_error(&scanned(&pod("", "Pod")), "a Pod without apiVersion"));
}

#[test]
fn a_long_field_items_does_not_hide_the_object_around_it() {
    let spec =
        r#""metadata":{"name":"a","namespace":"d"},"spec":{"hostPID":true,"containers":[{"name":"a"}]},"#;
    let harmless = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"d"}}"#;
    let report = run(about("pods"), &[&long_list("Pod", harmless).replace("REST", spec)]);
    assert!(has_error(&report, "the Pod is not a list"), "{:?}", report.notices);
}

#[test]
fn a_second_list_of_items_is_an_error() {
    let pod =
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"d"},"spec":{"hostPID":true}}"#;
    let list = long_list("List", pod).replace("REST", "");
    let twice = list.replace("]}", &format!(r#"],"items":[{pod}]}}"#));
    for text in [twice, list.replace("]}", r#"],"kind":"PodList"}"#)] {
        assert!(has_error(&run(about("pods"), &[&text]), "duplicate key"));
    }
}

#[test]
fn objects_without_a_kind_in_a_typed_list_answer_look_ups() {
    let service = |name: &str, kind: &str| {
        let spec = r#"{"externalIPs":["192.0.2.1"],"ports":[{"port":80}]}"#;
        format!(r#"{{{kind}"metadata":{{"name":"{name}","namespace":"{name}"}},"spec":{spec}}}"#)
    };
    let thief = service("thief", r#""apiVersion":"v1","kind":"Service","#);
    let named = service("victim", r#""apiVersion":"v1","kind":"Service","#);
    let escaped = service("victim", r#""apiVersion":"v1","kind":"Serv\u0069ce","#);
    let settings = json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["192.0.2.0/24"] }] });
    let mut unnamed = vec![service("victim", "")];
    unnamed
        .extend((0..4_000).map(|number| format!(r#"{{"metadata":{{"name":"s{number}","namespace":"d"}}}}"#)));
    let typed = format!(r#"{{"apiVersion":"v1","kind":"ServiceList","items":[{}]}}"#, unnamed.join(","));
    let of_item = |item: &str| long_list("List", item).replace("REST", "");
    for list in [of_item(&named), of_item(&escaped), typed] {
        let policy = Policy::of_id("external-ips", &settings).unwrap();
        let report = run(policy, &[&list, &thief]);
        let denied = |name: &str| report.findings.iter().any(|finding| finding.object.name == name);
        assert!(denied("thief") && denied("victim"), "{:?} {:?}", report.findings, report.notices);
    }
}
