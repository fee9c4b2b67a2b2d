//! Scans of texts, from the input to the report.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "helpers of tests may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use report::{Finding, Level, Notice, Report, Status};
use scan::{
    Chunk, ExceptionsOf, Files, Input, List, Observer, Old, Operation, Options, Origin, Pods, Policy, Scan,
    Unreadable,
};
use serde_json::{Value, json};

fn files(texts: &[(&str, &str)]) -> Files {
    let mut files = Files::default();
    for (name, text) in texts {
        files.add_text(Origin::file(*name), *text);
    }
    files
}

fn policy(id: &str, settings: Value) -> Policy {
    Policy::of_id(id, &settings).unwrap()
}

fn baseline() -> Policy {
    policy("pod-security", json!({ "level": "baseline" }))
}

fn run(policies: Vec<Policy>, options: Options, texts: &[(&str, &str)]) -> Report {
    Scan::new(policies, options).run(&mut files(texts), None, None, &mut ())
}

/// Displays the status, the place, the object and the path of a finding.
fn shown(finding: &Finding) -> String {
    let place = finding.place.as_ref().unwrap();
    let exact = if place.is_exact { "" } else { "~" };
    let path = finding.path.as_deref().unwrap_or("-");
    let start = place.span.unwrap().start;
    format!(
        "{:?} {}:{exact}{}:{} {} {path}",
        finding.status, place.file, start.line, start.column, finding.object.name
    )
}

fn findings(report: &Report) -> Vec<String> {
    report.findings.iter().map(shown).collect()
}

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      hostPID: true
      containers: [{name: a, image: b}]
";

#[test]
fn findings_have_their_place_in_every_form_of_input() {
    let yaml = "# ü\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  \
                spec:\n    hostPID: true\n    containers: [{name: c}]\n---\n\"ü\": {x: 1}\n---\napiVersion: v1\r\nkind: \
                Pod\r\nmetadata: {name: b}\r\nspec: {hostPID: true, containers: [{name: c}]}\r\n";
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"c\"},\n \"spec\": {\n\t\
                \"hostPID\": true, \"containers\": [{\"name\": \"c\"}]}}\n";
    let review = json!({ "request": {
        "uid": "u", "operation": "CREATE", "userInfo": {}, "namespace": "shop",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "object": { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "r" }, "spec": { "hostPID": true, "containers": [{ "name": "c" }] } },
    } });
    let review = serde_json::to_string_pretty(&review).unwrap();
    let line = review.lines().position(|line| line.contains("hostPID")).unwrap() + 1;
    let report =
        run(vec![baseline()], Options::default(), &[("a.yaml", yaml), ("b.json", json), ("c.json", &review)]);
    assert_eq!(
        findings(&report),
        [
            "Denied a.yaml:9:5 a spec.hostPID".to_owned(),
            "Denied a.yaml:17:8 b spec.hostPID".to_owned(),
            "Denied b.json:3:2 c spec.hostPID".to_owned(),
            format!("Denied c.json:{line}:9 r spec.hostPID"),
        ]
    );
    let notices: Vec<String> =
        report.notices.iter().map(|notice| format!("{:?} {}", notice.level, notice.message)).collect();
    assert_eq!(notices, ["Note not a Kubernetes object: neither apiVersion nor kind; it is skipped"]);
    assert_eq!(
        (report.totals.objects, report.totals.evaluations, report.totals.policies[0].denied),
        (4, 4, 4)
    );
    assert_eq!(report.totals.by_namespace["default"][&0], 3);
}

#[test]
fn findings_have_their_place_in_yaml_behind_json() {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": { "hostPID": true, "containers": [{ "name": "c" }] } });
    let text = format!(
        "{pod}\n{pod}\n---\n# b\napiVersion: v1\nkind: Pod\nmetadata: {{name: b}}\nspec: {{hostPID: true, containers: [{{name: c}}]}}\n"
    );
    let report = run(vec![baseline()], Options::default(), &[("a.json", &text)]);
    let places: Vec<(u64, &str)> = report
        .findings
        .iter()
        .map(|finding| {
            (finding.place.as_ref().unwrap().span.unwrap().start.line, finding.object.name.as_str())
        })
        .collect();
    assert_eq!((places, report.notices.len()), (vec![(1, "a"), (2, "a"), (8, "b")], 0));
}

#[test]
fn what_cannot_be_read_is_an_error_and_the_rest_is_judged() {
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: [{name: c}]}\n";
    let text = format!("a: [\n---\n{pod}---\na: {{{{ x }}}}\n  b\n");
    let report = run(vec![baseline()], Options::default(), &[("a.yaml", &text), ("b.json", "{\"a\": ")]);
    assert_eq!(findings(&report), ["Denied a.yaml:6:8 a spec.hostPID"]);
    let lines: Vec<String> = report
        .notices
        .iter()
        .map(|notice| {
            let place = notice.place.as_ref().unwrap();
            format!("{:?} {}:{} {}", notice.level, place.file, place.span.unwrap().start.line, notice.message)
        })
        .collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("Error a.yaml:1 invalid YAML"), "{lines:?}");
    assert!(
        lines[1].starts_with("Error a.yaml:8 ") && lines[1].ends_with("scan what it renders"),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("Error b.json:1 invalid JSON"), "{lines:?}");
}

#[test]
fn a_position_that_is_not_known_is_not_given() {
    let rendered = Origin { name: "chart.tgz".to_owned(), chart: Some(String::new()), is_rendered: true };
    let text = format!(
        "---\n# Source: shop/templates/a.yaml\n{DEPLOYMENT}---\n# Source: shop/templates/b.yaml\na: [\n"
    );
    let mut files = Files::of_arguments(&["missing.yaml".to_owned()]);
    files.add_text(Arc::new(rendered), text);
    let report = Scan::new(vec![baseline()], Options::default()).run(&mut files, None, None, &mut ());
    let place = report.findings[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.span), ("shop/templates/a.yaml", None));
    let notices: Vec<String> = report
        .notices
        .iter()
        .map(|notice| format!("{} {:?}: {}", notice.place.as_ref().unwrap(), notice.level, notice.message))
        .collect();
    let [rendered, missing] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(
        rendered.starts_with("chart.tgz Error: line 13, column 4 of what is rendered: invalid YAML: "),
        "{rendered}"
    );
    assert!(missing.starts_with("missing.yaml Error: cannot be read: "), "{missing}");
}

/// A running cluster, with the kinds that are asked of it.
struct Running {
    piece: Chunk,
    is_read: bool,
    asked: BTreeSet<(String, String)>,
}

impl Input for Running {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        (!std::mem::replace(&mut self.is_read, true)).then(|| Ok(self.piece.clone()))
    }

    fn rewind(&mut self) {
        self.is_read = false;
    }

    fn select(&mut self, kinds: &BTreeSet<(String, String)>) {
        self.asked.extend(kinds.iter().cloned());
    }

    fn is_live(&self) -> bool {
        true
    }
}

/// A cluster says which kinds it serves, so that the definitions of others need no permission.
#[test]
fn a_cluster_is_not_asked_for_the_definition_of_an_unknown_version() {
    let object = r#"{"apiVersion":"apps/v9","kind":"Deployment","metadata":{"name":"a","namespace":"b"}}"#;
    let piece =
        Chunk::live(Origin::file("deployments"), object.to_owned(), List::of("apps/v9", "Deployment"));
    let mut live = Running { piece, is_read: false, asked: BTreeSet::new() };
    let mut cluster = files(&[]);
    let scan = Scan::new(vec![baseline()], Options::default());
    let report = scan.run(&mut live, None, Some(&mut cluster), &mut ());
    assert_eq!(live.asked.into_iter().map(|(_, kind)| kind).collect::<Vec<_>>(), ["Namespace"]);
    assert_eq!(report.totals.objects, 1, "{report:?}");
}

/// A comparison scans its input twice, with policies that need several passes or one.
#[test]
fn an_input_can_be_scanned_again() {
    let selecting = || {
        let mut policy = baseline();
        let rule =
            json!({ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"] });
        let selector = json!({ "matchLabels": { "kubernetes.io/metadata.name": "default" } });
        let spec = json!({ "rules": [rule], "namespaceSelector": selector });
        policy.webhook = matching::Webhook::from_spec(&spec).unwrap();
        policy
    };
    let mut input = files(&[("a.yaml", DEPLOYMENT), ("b.json", r#"{"apiVersion":"a/v1","kind":"B"}"#)]);
    for select in [false, true, true, false, false] {
        let policy = if select { selecting() } else { baseline() };
        let report = Scan::new(vec![policy], Options::default()).run(&mut input, None, None, &mut ());
        assert_eq!(report.totals.objects, 2, "{report:?}");
    }
}

#[test]
fn a_workload_is_judged_as_itself_or_as_its_pods() {
    // pod-security judges workloads, so that auto does not make pods of them.
    for (pods, want) in [(Pods::Auto, 1), (Pods::On, 2), (Pods::Off, 1)] {
        let report = run(vec![baseline()], Options { pods, ..Options::default() }, &[("a.yaml", DEPLOYMENT)]);
        let places: Vec<String> = findings(&report);
        assert_eq!(places, vec!["Denied a.yaml:7:7 web spec.template.spec.hostPID"; want]);
        assert!(
            report.findings.iter().all(|finding| finding.message.starts_with("spec.template.spec.hostPID: "))
        );
        assert_eq!(report.totals.policies[0].denied, 1);
    }
    // selinux in mode Mutate judges pods alone.
    let pods_alone = || policy("selinux", json!({ "allocation": { "source": "Runtime" } }));
    for (pods, uid, evaluations) in
        [(Pods::Auto, "", 1), (Pods::Off, "", 0), (Pods::Auto, ", uid: u", 1), (Pods::On, ", uid: u", 1)]
    {
        let text = DEPLOYMENT.replace("namespace: shop", &format!("namespace: shop{uid}"));
        let report = run(vec![pods_alone()], Options { pods, ..Options::default() }, &[("a.yaml", &text)]);
        assert_eq!(report.totals.evaluations, evaluations, "{pods:?} {uid}: {report:?}");
    }
}

#[test]
fn a_finding_about_a_pod_points_into_the_template_once() {
    let mut policy = baseline();
    // As if it were deployed for pods alone.
    policy.webhook = matching::Webhook::from_spec(&json!({
        "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
    }))
    .unwrap();
    let report = run(vec![policy], Options::default(), &[("a.yaml", DEPLOYMENT)]);
    assert_eq!(findings(&report), ["Denied a.yaml:7:7 web spec.template.spec.hostPID"]);
    let finding = &report.findings[0];
    assert!(
        finding.concerns_pods
            && finding.message.starts_with("spec.template.spec.hostPID: Invalid value: true: ")
    );
    assert_eq!(finding.object.kind, "Deployment");
}

#[test]
fn with_an_old_side_the_change_is_judged() {
    let service = |name: &str, address: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{externalIPs: [{address}]}}\n---\n"
        )
    };
    let old_text =
        [service("kept", "192.0.2.1"), service("changed", "192.0.2.1"), service("gone", "192.0.2.1")]
            .concat();
    let new_text =
        [service("kept", "192.0.2.1"), service("changed", "192.0.2.2"), service("new", "192.0.2.3")].concat();
    let options = Options::default();
    let (old, notices) = Old::read(&mut files(&[("old.yaml", &old_text)]));
    assert!(notices.is_empty());
    let scan = Scan::new(vec![policy("external-ips", json!({}))], options);
    let cluster = || files(&[("c.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n")]);
    let judge = |old| {
        let report = scan.run(&mut files(&[("new.yaml", &new_text)]), old, Some(&mut cluster()), &mut ());
        let names: Vec<String> = report.findings.iter().map(|finding| finding.object.name.clone()).collect();
        (names, report.totals.objects)
    };
    assert_eq!(judge(None), (vec!["kept".to_owned(), "changed".to_owned(), "new".to_owned()], 3));
    // The deletion is a request as well.
    assert_eq!(judge(Some(&old)), (vec!["changed".to_owned(), "new".to_owned()], 4));
}

#[test]
fn the_deletion_of_an_object_has_its_place_in_the_old_side() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n";
    let options = Options {
        user: "system:node:other".to_owned(),
        groups: vec!["system:nodes".to_owned()],
        ..Options::default()
    };
    let (old, _) = Old::read(&mut files(&[("old.yaml", node)]));
    let scan = Scan::new(vec![policy("node-labels", json!({}))], options.clone());
    let report = scan.run(&mut files(&[]), Some(&old), None, &mut ());
    assert_eq!(report.totals.policies[0].denied + report.totals.policies[0].admitted, 1, "{report:?}");
    let scan = Scan::new(
        vec![policy("node-labels", json!({}))],
        Options { operation: Operation::Delete, ..options },
    );
    assert_eq!(scan.run(&mut files(&[("a.yaml", node)]), None, None, &mut ()).totals.evaluations, 1);
}

/// The list of Namespaces is read once for all of them and for each of the settings.
#[test]
fn namespaces_are_compared_with_all_others_by_each_policy() {
    let settings = [
        json!({}),
        // An exempt Namespace has no level.
        json!({ "exempt": { "namespaces": ["tenant-327"] } }),
        json!({ "mode": "Validate", "allocation": { "source": "NamespaceAnnotation" } }),
    ];
    let policies = settings.into_iter().map(|settings| policy("selinux", settings)).collect();
    // The first and the third hash to the same level.
    let namespaces = ["tenant-286", "team-a", "tenant-327"]
        .map(|name| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n"));
    let report = run(policies, Options::default(), &[("all.yaml", &namespaces.join("---\n"))]);
    let found: Vec<(usize, String)> = report
        .findings
        .iter()
        .map(|finding| (finding.policy, finding.message.split(", s0:").next().unwrap().to_owned()))
        .collect();
    let has_level = |name: &str, other: &str| {
        format!("metadata.name: Invalid value: \"{name}\": has the level of Namespace \"{other}\"")
    };
    let [first, third] = [has_level("tenant-286", "tenant-327"), has_level("tenant-327", "tenant-286")];
    assert_eq!(found, [(0, first.clone()), (2, first), (0, third.clone()), (2, third)]);
}

#[test]
fn a_look_up_that_nothing_answers_is_unknown() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\nspec: {externalIPs: [192.0.2.1]}\n";
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n";
    let settings = json!({ "allow": [{ "namespaceSelector": { "matchLabels": { "team": "a" } }, "cidrs": ["192.0.2.0/24"] }] });
    let both = format!("{service}{namespace}");
    let status = |text: &str, cluster: Option<&str>| {
        let scan = Scan::new(vec![policy("external-ips", settings.clone())], Options::default());
        let mut cluster = cluster.map(|text| files(&[("c.yaml", text)]));
        let cluster = cluster.as_mut().map(|cluster| cluster as &mut dyn Input);
        let report = scan.run(&mut files(&[("a.yaml", text)]), None, cluster, &mut ());
        report.findings.iter().map(|finding| (finding.status, finding.message.clone())).collect::<Vec<_>>()
    };
    let unknown = status(service, None);
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    assert!(
        unknown[0].0 == Status::Unknown && unknown[0].1.contains("give the objects of the cluster"),
        "{unknown:?}"
    );
    assert_eq!(status(&both, None), []);
    assert_eq!(status(service, Some(namespace)), []);
    assert_eq!(status(service, Some("")).len(), 1);
}

#[test]
fn monitor_mode_and_a_message_of_the_manifest() {
    let mut policy = baseline();
    policy.reference.protects = false;
    policy.message = Some("ask the platform team".to_owned());
    let report = run(vec![policy], Options::default(), &[("a.yaml", DEPLOYMENT)]);
    assert_eq!(findings(&report), ["Monitored a.yaml:7:7 web spec.template.spec.hostPID"]);
    assert!(report.findings[0].message.starts_with("ask the platform team: spec.template.spec.hostPID: "));
    assert_eq!((report.totals.policies[0].monitored, report.totals.policies[0].denied), (1, 0));
}

#[test]
fn settings_that_are_not_valid_are_one_notice() {
    let report = run(
        vec![policy("pod-security", json!({ "levle": "baseline" }))],
        Options::default(),
        &[("a.yaml", DEPLOYMENT), ("b.yaml", DEPLOYMENT)],
    );
    assert_eq!((report.findings.len(), report.notices.len(), report.totals.policies[0].unknown), (0, 1, 2));
    assert_eq!(report.notices[0].level, Level::Error);
    assert!(report.notices[0].message.contains("did you mean level?"), "{:?}", report.notices);
}

#[test]
fn what_is_probably_not_meant_is_a_warning_or_an_error() {
    let text =
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  name: b\nspec:\n  container: [{name: c}]\n";
    for (is_strict, level) in [(false, Level::Warning), (true, Level::Error)] {
        let report = run(vec![baseline()], Options { is_strict, ..Options::default() }, &[("a.yaml", text)]);
        let notices: Vec<(Level, u64, &str)> = report
            .notices
            .iter()
            .map(|notice| {
                (
                    notice.level,
                    notice.place.as_ref().unwrap().span.unwrap().start.line,
                    notice.message.as_str(),
                )
            })
            .collect();
        assert_eq!(
            notices,
            [
                (
                    level,
                    5,
                    "duplicate key `name`: only the last value counts, and an API server refuses both with strict field \
                     validation; remove one"
                ),
                (level, 6, "spec.containers: Required value: a pod has at least one container; add it"),
                (level, 7, "spec.container: unknown field; did you mean containers?"),
            ]
        );
    }
}

#[test]
fn what_a_mutating_policy_changes_is_what_the_others_judge() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}\n";
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n";
    let text = format!("{pod}{namespace}");
    let validating = || {
        let mut policy = policy("selinux", json!({ "mode": "Validate" }));
        policy.reference.name = "validating".to_owned();
        policy
    };
    let judge = |policies| run(policies, Options::default(), &[("a.yaml", &text)]).totals.policies;
    let alone = judge(vec![validating()]);
    let both = judge(vec![validating(), policy("selinux", json!({}))]);
    assert_eq!(both[0].mutated, 1, "{both:?}");
    assert!(alone[0].denied > both[1].denied, "{alone:?} {both:?}");
}

#[test]
fn pods_of_one_owner_are_folded() {
    let pod = |name: &str, owner: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, ownerReferences: [{{apiVersion: \
             apps/v1, kind: ReplicaSet, name: {owner}, controller: true}}]}}\nspec: {{hostPID: true, containers: \
             [{{name: c}}]}}\n---\n"
        )
    };
    let set = |name: &str| {
        format!(
            "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: {name}, namespace: shop, ownerReferences: \
             [{{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}}]}}\nspec: {{template: {{spec: \
             {{containers: [{{name: c}}]}}}}}}\n---\n"
        )
    };
    let text = [pod("a", "web-1"), pod("b", "web-1"), set("web-1"), set("web-2"), pod("c", "web-2")].concat();
    let report = run(vec![baseline()], Options::default(), &[("a.yaml", &text)]);
    assert_eq!(findings(&report), ["Denied a.yaml:4:8 a spec.hostPID"]);
    let finding = &report.findings[0];
    assert_eq!((finding.others, finding.object.owner.as_ref().unwrap().kind.as_str()), (2, "Deployment"));
    assert_eq!(report.totals.policies[0].denied, 3);
}

struct Stopper;

impl Observer for Stopper {
    fn stop(&self) -> bool {
        true
    }
}

#[derive(Default)]
struct Explained(Vec<String>);

impl Observer for Explained {
    fn wants_explanations(&self) -> bool {
        true
    }

    fn explain(&mut self, explanation: &scan::Explanation) {
        self.0.push(format!("{} {}", explanation.object.name, explanation.why));
    }
}

#[test]
fn an_observer_can_stop_a_scan_and_learn_why_policies_look_at_objects() {
    let scan = Scan::new(vec![baseline()], Options::default());
    let report = scan.run(&mut files(&[("a.yaml", DEPLOYMENT)]), None, None, &mut Stopper);
    assert!(report.is_partial && report.totals.objects == 0);
    let mut explained = Explained::default();
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    scan.run(&mut files(&[("a.yaml", DEPLOYMENT), ("b.yaml", secret)]), None, None, &mut explained);
    assert_eq!(explained.0.len(), 2);
    assert!(
        explained.0[0].starts_with("web ") && explained.0[1].starts_with("s no rule "),
        "{:?}",
        explained.0
    );
}

#[test]
fn the_report_does_not_depend_on_the_number_of_workers() {
    let pod = |number: usize| {
        let flag = number.is_multiple_of(3);
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": format!("p{number}"), "namespace": "shop" },
            "spec": { "hostPID": flag, "containers": [{ "name": "c", "args": ["x".repeat(500)] }] },
        })
    };
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": (0..2000).map(pod).collect::<Vec<_>>() });
    let text = serde_json::to_string_pretty(&list).unwrap();
    let report =
        |workers| run(vec![baseline()], Options { workers, ..Options::default() }, &[("a.json", &text)]);
    let one = report(1);
    assert_eq!((one.totals.objects, one.findings.len()), (2000, 667));
    let line = text.lines().position(|line| line.contains("\"hostPID\": true")).unwrap() + 1;
    assert_eq!(
        usize::try_from(one.findings[0].place.as_ref().unwrap().span.unwrap().start.line).unwrap(),
        line
    );
    for workers in [2, 5] {
        assert_eq!(report(workers), one);
    }
}

#[test]
fn folders_are_read_without_ignored_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    for name in ["a.yaml", "sub/b.YML", "ignored.yaml", ".hidden.yaml", "c.txt"] {
        write(name, DEPLOYMENT);
    }
    write(".gitignore", "ignored.yaml\n");
    let mut arguments = vec![folder.path().to_string_lossy().into_owned()];
    arguments.push(folder.path().join("missing.yaml").to_string_lossy().into_owned());
    let scan = Scan::new(vec![baseline()], Options::default());
    let report = scan.run(&mut Files::of_arguments(&arguments), None, None, &mut ());
    assert_eq!(report.totals.objects, 3);
    assert_eq!(report.notices.len(), 1);
    assert!(report.notices[0].message.starts_with("cannot be read"), "{:?}", report.notices);
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap();
    assert!(status.status.success(), "{status:?}");
}

#[test]
fn files_that_git_tracks_are_read_although_a_rule_ignores_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| std::fs::write(folder.path().join(name), "a: 1").unwrap();
    std::fs::create_dir_all(folder.path().join("sub/b")).unwrap();
    let names = [
        "sub/b/tracked.yaml",
        "sub/b.yaml",
        "sub/deleted.yaml",
        "sub/new.yaml",
        "sub/tracked.txt",
        "sub/ignored.yaml",
        "z.yaml",
    ];
    names.into_iter().for_each(write);
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "-f", "sub/b/tracked.yaml", "sub/deleted.yaml", "sub/tracked.txt", "z.yaml"]);
    std::fs::remove_file(folder.path().join("sub/deleted.yaml")).unwrap();
    std::fs::write(folder.path().join(".gitignore"), "tracked.*\ndeleted.yaml\nignored.yaml\n").unwrap();
    let read = |below: &str| {
        let argument = folder.path().join(below).to_string_lossy().into_owned();
        let mut files = Files::of_arguments(&[argument]);
        let names = std::iter::from_fn(|| files.next()).map(|chunk| {
            let name = chunk.unwrap().origin.name.clone();
            name.rsplit_once("sub/").map_or("z.yaml".to_owned(), |(_, name)| name.to_owned())
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(read(""), ["b/tracked.yaml", "b.yaml", "new.yaml", "z.yaml"]);
    assert_eq!(read("sub"), ["b/tracked.yaml", "b.yaml", "new.yaml"]);
    // Without a repository, the rules hold alone.
    std::fs::remove_dir_all(folder.path().join(".git")).unwrap();
    assert_eq!(read("sub"), ["b.yaml", "new.yaml"]);
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    assert_eq!(read("sub"), ["b.yaml", "new.yaml"]);
    // A repository that git cannot read may track ignored files.
    git(folder.path(), &["init", "-q"]);
    std::fs::write(folder.path().join(".git/index"), "x").unwrap();
    let argument = folder.path().to_string_lossy().into_owned();
    let problem = Files::of_arguments(&[argument]).next().unwrap().unwrap_err().problem;
    assert!(problem.message().contains("git cannot list"), "{problem}");
}

#[test]
fn a_revision_of_git_is_an_old_side() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| git(folder.path(), arguments);
    std::fs::write(folder.path().join("a.yaml"), DEPLOYMENT).unwrap();
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "a"]);
    let mut files = Files::default();
    scan::add_revision_in(&mut files, folder.path(), "HEAD", &[]);
    let (old, notices) = Old::read(&mut files);
    assert!(notices.is_empty(), "{notices:?}");
    // The object is the same, so that the policy does not look at it.
    let scan = Scan::new(vec![baseline()], Options::default());
    let mut input = self::files(&[("a.yaml", DEPLOYMENT)]);
    assert!(scan.run(&mut input, Some(&old), None, &mut ()).findings.is_empty());
    let mut files = Files::default();
    scan::add_revision_in(&mut files, folder.path(), "nothing", &[]);
    assert_eq!(Old::read(&mut files).1.len(), 1);
}

/// Judges texts on 2026-11-22.
fn with_exceptions(policies: Vec<Policy>, texts: &[(&str, &str)]) -> Report {
    let exceptions_on = scan::Date::parse("2026-11-22");
    run(policies, Options { exceptions_on, ..Options::default() }, texts)
}

fn annotated(object: &str, annotation: &str) -> String {
    object.replacen("metadata: {", &format!("metadata: {{annotations: {{\n  {annotation}}}, "), 1)
}

/// Displays the level, the line and the message of notices that have a place.
fn notices(report: &Report) -> Vec<String> {
    let placed = report.notices.iter().filter_map(|notice| Some((notice, notice.place.as_ref()?)));
    placed
        .map(|(notice, place)| {
            format!("{:?} {} {}", notice.level, place.span.unwrap().start.line, notice.message)
        })
        .collect()
}

#[test]
fn an_exception_covers_findings_about_an_object_and_its_pods() {
    let key = "metadata.annotations[portcullis.dev/except.pod-security";
    for (annotation, reason, notice) in [
        ("portcullis.dev/except.pod-security: why", Some("why"), None),
        ("portcullis.dev/except.pod-security.hostNamespaces: why", Some("why"), None),
        ("portcullis.dev/except.pod-security: why until 2026-11-22", Some("why until 2026-11-22"), None),
        (
            "portcullis.dev/except.pod-security: why until 2026-11-21",
            None,
            Some(format!(
                "Warning 4 {key}]: the exception ended on 2026-11-21 and does not count; remove it, or give it a \
                 later date"
            )),
        ),
        (
            "portcullis.dev/except.pod-security.hostPorts: why",
            None,
            Some(format!("Note 4 {key}.hostPorts]: the exception covers no finding; remove it")),
        ),
    ] {
        let text = annotated(DEPLOYMENT, annotation);
        for pods in [Pods::Off, Pods::On] {
            let exceptions_on = scan::Date::parse("2026-11-22");
            let options = Options { pods, exceptions_on, ..Options::default() };
            let report = run(vec![baseline()], options, &[("a.yaml", &text)]);
            assert!(!report.findings.is_empty());
            for finding in &report.findings {
                assert_eq!((finding.status, finding.excepted.as_deref()), (Status::Denied, reason));
            }
            assert_eq!(notices(&report), Vec::from_iter(notice.clone()));
            let note = report.notices.iter().find(|notice| notice.place.is_none());
            assert_eq!(note.is_some(), reason.is_some());
        }
        // Without a date, exceptions do not count.
        let report = run(vec![baseline()], Options::default(), &[("a.yaml", &text)]);
        assert!(report.findings.iter().all(|finding| finding.excepted.is_none()));
        let [notice] = report.notices.as_slice() else { panic!("{:?}", report.notices) };
        assert!(notice.message.contains("not honoured"), "{notice:?}");
    }
}

#[test]
fn an_unknown_verdict_is_never_excepted_and_its_exception_never_idle() {
    let policy = policy(
        "external-ips",
        json!({ "allow": [{ "cidrs": ["192.0.2.0/24"], "namespaceSelector": {
        "matchLabels": { "edge": "true" } } }] }),
    );
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\nspec: {externalIPs: [192.0.2.1]}\n";
    let text = annotated(service, "portcullis.dev/except.external-ips: why");
    let report = with_exceptions(vec![policy], &[("a.yaml", &text)]);
    let found: Vec<_> = report.findings.iter().map(|finding| (finding.status, &finding.excepted)).collect();
    assert_eq!(found, [(Status::Unknown, &None)]);
    assert!(report.notices.is_empty(), "{:?}", report.notices);
}

#[test]
fn the_exceptions_of_the_new_object_count() {
    let covered = annotated(DEPLOYMENT, "portcullis.dev/except.pod-security: why");
    let options = || Options { exceptions_on: scan::Date::parse("2026-11-22"), ..Options::default() };
    for (old, new, want) in [(DEPLOYMENT, covered.as_str(), true), (&covered, DEPLOYMENT, false)] {
        let old = old.replace("hostPID: true", "hostPID: false");
        let (old, _) = Old::read(&mut files(&[("a.yaml", &old)]));
        let report = Scan::new(vec![baseline()], options()).run(
            &mut files(&[("a.yaml", new)]),
            Some(&old),
            None,
            &mut (),
        );
        assert!(!report.findings.is_empty());
        assert!(report.findings.iter().all(|finding| finding.excepted.is_some() == want));
    }
}

#[test]
fn exceptions_of_stored_objects_count_on_request() {
    let of = |exceptions_on, exceptions_of, field: &str| {
        let text =
            annotated(DEPLOYMENT, "portcullis.dev/except.pod-security: why, portcullis.dev/except.x: y");
        let text = text.replacen("name: web", &format!("name: web, {field}"), 1);
        let report = run(
            vec![baseline()],
            Options { exceptions_on, exceptions_of, ..Options::default() },
            &[("a.yaml", &text)],
        );
        let message = |notice: &Notice| {
            notice.message.split_once("not honoured").map(|(count, _)| format!("{:?} {count}", notice.level))
        };
        (
            report.findings.iter().all(|finding| finding.excepted.is_some()),
            report.notices.iter().find_map(message),
        )
    };
    let today = scan::Date::parse("2026-11-22");
    let stored = Some("Warning 2 exceptions are ".to_owned());
    for (field, want) in [
        ("uid: u", (false, stored.clone())),
        ("resourceVersion: '1'", (false, stored)),
        ("uid: ''", (true, None)),
        ("generation: 1", (true, None)),
    ] {
        assert_eq!(of(today, ExceptionsOf::Manifests, field), want, "{field}");
        assert_eq!(of(today, ExceptionsOf::All, field), (true, None), "{field}");
        assert_eq!(
            of(None, ExceptionsOf::All, field),
            (false, Some("Note 2 exceptions are ".to_owned())),
            "{field}"
        );
    }
}

#[test]
fn an_excepted_pod_is_not_folded_with_others_of_its_owner() {
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, ownerReferences: [{{apiVersion: apps/v1, kind: \
             ReplicaSet, name: web, controller: true}}]}}\nspec: {{hostPID: true, containers: [{{name: c}}]}}\n---\n"
        )
    };
    let covered = annotated(&pod("a"), "portcullis.dev/except.pod-security: why");
    let text = [covered, pod("b"), pod("c")].concat();
    let report = with_exceptions(vec![baseline()], &[("a.yaml", &text)]);
    let found: Vec<_> =
        report.findings.iter().map(|finding| (finding.excepted.as_deref(), finding.others)).collect();
    assert_eq!(found, [(Some("why"), 0), (None, 1)]);
}

/// The kind is collected when the pieces were read to the end.
#[test]
fn objects_of_the_input_answer_look_ups_that_come_late() {
    let service = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{externalIPs: \
             [192.0.2.1], ports: [{{port: 80}}]}}\n---\n"
        )
    };
    let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }], "conflicts": "DenySamePort" });
    let text = service("one") + &*service("two");
    let report = run(vec![policy("external-ips", settings)], Options::default(), &[("a.yaml", &text)]);
    let statuses: Vec<Status> = report.findings.iter().map(|finding| finding.status).collect();
    assert_eq!(statuses, [Status::Denied, Status::Denied], "{:?}", report.findings);
}
