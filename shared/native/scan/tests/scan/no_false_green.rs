//! Input and policies that look harmless and must not make a scan pass.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

use std::process::Command;

use matching::Webhook;
use report::{Level, Notice, Report, Status};
use scan::{Files, Old, Operation, Options, Origin, Policy, Scan};
use serde_json::{Value, json};

/// A Deployment whose pods share the process namespace of the node.
const DEPLOYMENT: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, \
    spec: {template: {metadata: {labels: {app: web}}, spec: {hostPID: true, containers: [{name: c}]}}}}\n";

/// A policy about pods, with further fields of its manifest.
fn about(resource: &str, fields: &Value) -> Policy {
    let mut policy = Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap();
    let mut spec = json!({
        "rules": [{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource], "operations": ["CREATE", "UPDATE"] }],
    });
    for (name, value) in fields.as_object().unwrap() {
        spec[name] = value.clone();
    }
    policy.webhook = Webhook::from_spec(&spec).unwrap();
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

#[test]
fn the_pods_of_a_workload_are_judged_whatever_the_workload_is() {
    let exported = DEPLOYMENT.replace("namespace: shop", "namespace: shop, uid: x");
    let old = DEPLOYMENT.replace("apps/v1", "extensions/v1beta1");
    for text in [DEPLOYMENT, &exported, &old] {
        assert!(is_denied(&run(about("pods", &json!({})), &[text])), "{text}");
    }
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
        let report = run(about("pods", &json!({})), &[&pod(&number)]);
        assert!(has_error(&report, "number out of range"), "{number}: {report:?}");
    }
    for number in ["1", "18446744073709551616", "1e300", "-0"] {
        let report = run(about("pods", &json!({})), &[&pod(number)]);
        let is_typed = report.notices.iter().all(|notice| notice.message.contains("32 bits"));
        assert!(is_typed && report.totals.evaluations == 1, "{number}: {report:?}");
    }
}

/// Of duplicate keys, the last decides that an object is a Namespace, of which there are then two
/// states.
#[test]
fn a_namespace_that_begins_like_another_kind_is_collected() {
    let namespace = |before: &str, level: &str| {
        format!(
            r#"{{{before}"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"shop","labels":{{"pod-security.kubernetes.io/enforce":"{level}"}}}}}}"#
        )
    };
    let first = namespace(r#""apiVersion":"example.com/v1","kind":"Thing","#, "restricted");
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop"},"spec":{"hostPID":true,"containers":[{"name":"c"}]}}"#;
    let settings = json!({ "level": "baseline", "namespaceLabels": "Honor" });
    let policy = Policy::of_id("pod-security", &settings).unwrap();
    let report = run(policy, &[&first, &namespace("", "privileged"), pod]);
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert!(finding.message.contains("several states"), "{finding:?}");
}

/// An escape in YAML does not hide one of the states of a Namespace.
#[test]
fn a_namespace_whose_kind_has_escapes_is_collected() {
    let namespace = |kind: &str, level: &str| {
        format!(
            "apiVersion: v1\nkind: {kind}\nmetadata: {{name: shop, labels: {{pod-security.kubernetes.io/enforce: {level}}}}}\n"
        )
    };
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {hostPID: true, containers: [{name: c}]}}\n";
    let selector =
        json!({ "matchExpressions": [{ "key": "kubernetes.io/metadata.name", "operator": "Exists" }] });
    for kind in [r#""\u004eamespace""#, r#""\x4eamespace""#, r#""\U0000004eamespace""#, "\"Name\\\n  space\""]
    {
        let settings = json!({ "level": "baseline", "namespaceLabels": "Honor" });
        let mut policy = Policy::of_id("pod-security", &settings).unwrap();
        policy.webhook = about("pods", &json!({ "namespaceSelector": selector })).webhook;
        let report =
            run(policy, &[&namespace(kind, "restricted"), &namespace("Namespace", "privileged"), pod]);
        let [finding] = report.findings.as_slice() else { panic!("{kind}: {report:?}") };
        assert!(finding.message.contains("several states"), "{kind}: {finding:?}");
    }
}

#[test]
fn a_selector_or_condition_about_pods_does_not_hide_them() {
    for fields in [
        json!({ "objectSelector": { "matchLabels": { "app": "web" } } }),
        json!({ "matchConditions": [{ "name": "a-pod", "expression": "object.kind == 'Pod'" }] }),
    ] {
        assert!(is_denied(&run(about("*", &fields), &[DEPLOYMENT])), "{fields}");
    }
}

#[test]
fn an_update_from_a_broken_template_judges_the_pods() {
    let before = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: null}}";
    let options = Options::default();
    let (old, _) = Old::read(&mut files(&[before]));
    let scan = Scan::new(vec![about("pods", &json!({}))], options);
    let report = scan.run(&mut files(&[DEPLOYMENT]), Some(&old), None, &mut ());
    assert!(is_denied(&report), "{report:?}");
}

#[test]
fn items_that_get_their_kind_from_the_end_of_a_long_list_are_errors() {
    let item = json!({ "metadata": { "name": "a" }, "spec": { "hostPID": true, "containers": [{ "name": "x".repeat(400) }] } });
    let items = vec![item; 2000];
    let list = format!(r#"{{"apiVersion":"v1","items":{},"kind":"PodList"}}"#, json!(items));
    let report = run(about("pods", &json!({})), &[&list]);
    assert!(is_denied(&report) || has_error(&report, "give each item its apiVersion and kind"));
}

#[test]
fn a_namespace_that_is_defined_twice_has_unknown_labels() {
    let namespace = |labels: &str| {
        format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: shop, labels: {labels}}}}}\n")
    };
    let policy = || {
        about(
            "*",
            &json!({ "namespaceSelector": { "matchExpressions": [{ "key": "exempt", "operator": "DoesNotExist" }] } }),
        )
    };
    let twice = run(policy(), &[&namespace("{}"), DEPLOYMENT, &namespace("{exempt: x}")]);
    assert!(twice.findings.iter().any(|finding| finding.status == Status::Unknown), "{twice:?}");
    let same = run(policy(), &[&namespace("{}"), DEPLOYMENT, &namespace("{}")]);
    assert!(is_denied(&same), "{same:?}");
    // The labels of a stored Namespace stay.
    let stored = namespace("{exempt: x}");
    let scan = Scan::new(vec![policy()], Options::default());
    let mut cluster = files(&[&stored]);
    let report = scan.run(&mut files(&[&namespace("{}"), DEPLOYMENT]), None, Some(&mut cluster), &mut ());
    assert!(report.findings.is_empty(), "{report:?}");
}

#[test]
fn a_cluster_scoped_object_has_no_namespace() {
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {exempt: x}}}\n";
    let node = "{apiVersion: v1, kind: Node, metadata: {name: a, namespace: shop}}\n";
    let policy = about(
        "nodes",
        &json!({
            "namespaceSelector": { "matchExpressions": [{ "key": "exempt", "operator": "DoesNotExist" }] },
            "matchConditions": [{ "name": "fails", "expression": "object.spec.missing == 1" }],
        }),
    );
    assert!(!run(policy, &[namespace, node]).findings.is_empty());
}

#[test]
fn an_update_that_an_api_server_refuses_is_judged_as_a_creation() {
    let pod = |image: &str, shares: bool| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  containers: [{{name: a, image: {image}}}]\n  \
             hostPID: {shares}\n"
        )
    };
    let rules = json!([{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }]);
    let scan = Scan::new(vec![about("pods", &json!({ "rules": rules }))], Options::default());
    let (old, _) = Old::read(&mut files(&[&pod("a:1", false)]));
    let judge = |after: &str| scan.run(&mut files(&[after]), Some(&old), None, &mut ());
    let says = |report: &Report| -> Vec<u64> {
        let notices =
            report.notices.iter().filter(|notice| notice.message.contains("kubectl replace --force"));
        notices.map(|notice| notice.place.as_ref().unwrap().span.unwrap().start.line).collect()
    };
    let updated = judge(&pod("a:2", false));
    assert!(!is_denied(&updated) && says(&updated).is_empty(), "{updated:?}");
    let replaced = judge(&pod("a:1", true));
    assert!(is_denied(&replaced), "{replaced:?}");
    assert_eq!(says(&replaced), [6]);
}

#[test]
fn a_state_before_the_change_that_is_given_twice_is_an_error() {
    let service = |spec: &str| {
        format!("{{apiVersion: v1, kind: Service, metadata: {{name: s, namespace: shop}}, spec: {spec}}}\n")
    };
    let judged = |states: &[&str]| {
        let (old, _) = Old::read(&mut files(states));
        let scan = Scan::new(vec![about("services", &json!({}))], Options::default());
        scan.run(&mut files(&[&service("{}")]), Some(&old), None, &mut ())
    };
    let other = service("{externalIPs: [192.0.2.1]}");
    assert!(has_error(&judged(&[&service("{}"), &other]), "twice, also at 0.yaml:1:"));
    assert!(!has_error(&judged(&[&service("{}"), &service("{}")]), "twice"));
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
            let scan = Scan::new(vec![about("oxen", &json!({}))], Options::default());
            let (mut input, mut cluster) = (files(&[&text(1, &ox(after))]), files(&[&text(2, "")]));
            let report = scan.run(&mut input, Some(&old), Some(&mut cluster), &mut ());
            // The definition is an object as well where it is a change.
            assert_eq!(report.totals.objects, if side == 2 { 1 } else { 2 }, "{scope} {side}");
            assert_eq!(report.totals.policies[0].admitted, 1, "{scope} {side}: {report:?}");
        }
    }
}

#[test]
fn an_update_without_a_state_before_is_warned_of_once() {
    let options = || Options { operation: Operation::Update, ..Options::default() };
    let scan = Scan::new(vec![about("pods", &json!({}))], options());
    let warnings = |old: Option<&Old>| {
        let report = scan.run(&mut files(&[DEPLOYMENT, DEPLOYMENT]), old, None, &mut ());
        let is_about_updates = |notice: &&Notice| notice.message.contains("updates without a change");
        let found: Vec<Level> =
            report.notices.iter().filter(is_about_updates).map(|notice| notice.level).collect();
        found
    };
    assert_eq!((warnings(None), warnings(Some(&Old::default()))), (vec![Level::Warning], vec![]));
}

#[test]
fn a_revision_without_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
        Command::new("git").current_dir(folder.path()).args(identity).args(arguments).output().unwrap()
    };
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "a"]] {
        assert!(git(arguments).status.success());
    }
    for (paths, want) in
        [(vec![], "*.json; correct"), (vec!["a.txt".to_owned(), "b".to_owned()], "*.json below a.txt, b; ")]
    {
        let mut files = Files::default();
        scan::add_revision_in(&mut files, folder.path(), "HEAD", &paths);
        let (_, notices) = Old::read(&mut files);
        let [notice] = notices.as_slice() else { panic!("{notices:?}") };
        assert!(notice.level == Level::Error && notice.message.contains(want), "{notice:?}");
    }
}

#[test]
fn the_standard_input_has_no_revision() {
    let mut files = Files::default();
    scan::add_revision(&mut files, "HEAD", &["-".to_owned()]);
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
    let manifest = matching::PolicyManifest::read(&manifest).unwrap();
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

#[test]
fn a_condition_that_fails_closed_denies_in_monitor_mode_too() {
    let condition =
        json!({ "matchConditions": [{ "name": "c", "expression": "object.spec.missing.x == 1" }] });
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: c}]}}\n";
    for fails_closed in [true, false] {
        let mut policy = about("pods", &condition);
        policy.reference.protects = false;
        policy.fails_closed = fails_closed;
        let report = run(policy, &[pod]);
        let statuses: Vec<Status> = report.findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, vec![Status::Denied; usize::from(fails_closed)], "{report:?}");
    }
}

#[test]
fn a_policy_that_lets_the_workload_be_judges_its_pods() {
    let ignoring = || {
        let mut policy =
            Policy::of_id("pod-security", &json!({ "level": "baseline", "templates": "Ignore" })).unwrap();
        policy.webhook = about("*", &json!({})).webhook;
        policy
    };
    let report = run(ignoring(), &[DEPLOYMENT]);
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert!(finding.concerns_pods && finding.status == Status::Denied, "{finding:?}");
    assert_eq!((report.totals.policies[0].denied, report.totals.evaluations), (1, 1));
    // An objection to the template is not repeated, neither as a denial nor as a warning.
    assert_eq!(run(about("*", &json!({})), &[DEPLOYMENT]).findings.len(), 1);
    let mut warning = ignoring();
    let settings = json!({ "level": "privileged", "warn": { "level": "baseline" } });
    warning.judge = Policy::of_id("pod-security", &settings).unwrap().judge;
    let report = run(warning, &[DEPLOYMENT]);
    let statuses: Vec<Status> = report.findings.iter().map(|finding| finding.status).collect();
    assert_eq!(statuses, [Status::Warned], "{report:?}");
}

fn service(name: &str, namespace: &str, address: &str) -> String {
    let namespace = if namespace.is_empty() { String::new() } else { format!(", namespace: {namespace}") };
    format!(
        "{{apiVersion: v1, kind: Service, metadata: {{name: {name}{namespace}}}, \
         spec: {{externalIPs: [{address}], ports: [{{port: 80}}]}}}}\n"
    )
}

/// Returns the statuses of findings about two Services that must not share an address.
fn conflicts(texts: &[&str]) -> Vec<Status> {
    let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }], "conflicts": "DenySamePort" });
    let report = run(Policy::of_id("external-ips", &settings).unwrap(), texts);
    report.findings.iter().map(|finding| finding.status).collect()
}

#[test]
fn a_look_up_of_one_of_several_states_is_unknown_in_every_order() {
    let one = service("a", "shop", "192.0.2.1");
    let other = service("a", "shop", "192.0.2.2");
    let judged = service("b", "shop", "192.0.2.1");
    for texts in [[&one, &judged, &other], [&other, &judged, &one]] {
        let found = conflicts(&texts.map(String::as_str));
        assert_eq!(found, [Status::Unknown; 3], "{texts:?}");
    }
    // The same state twice is one state.
    assert_eq!(conflicts(&[&one, &judged, &one]), [Status::Denied; 3]);
}

#[test]
fn look_ups_have_objects_in_the_namespace_in_which_they_are_judged() {
    let explicit = service("b", "default", "192.0.2.1");
    assert_eq!(conflicts(&[&service("a", "", "192.0.2.1"), &explicit]), [Status::Denied; 2]);
    // With and without its namespace, it is one object.
    assert_eq!(conflicts(&[&service("b", "", "192.0.2.1"), &explicit]), []);
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
    let report = run(about("pods", &json!({})), &[&long_list("Pod", harmless).replace("REST", spec)]);
    assert!(has_error(&report, "the Pod is not a list"), "{:?}", report.notices);
}

#[test]
fn a_second_list_of_items_is_an_error() {
    let pod =
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"d"},"spec":{"hostPID":true}}"#;
    let list = long_list("List", pod).replace("REST", "");
    let twice = list.replace("]}", &format!(r#"],"items":[{pod}]}}"#));
    for text in [twice, list.replace("]}", r#"],"kind":"PodList"}"#)] {
        assert!(has_error(&run(about("pods", &json!({})), &[&text]), "duplicate key"));
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
