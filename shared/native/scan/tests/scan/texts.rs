//! Scans of texts, from the input to the report.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "helpers of tests may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use report::{Level, Notice, Report, Status};
use scan::{
    Chunk, ExceptionsOf, Files, Input, List, Observer, Old, Operation, Options, Origin, Pods, Policy, Scan,
    Sources, Unreadable,
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
fn a_position_that_is_not_known_is_not_given() {
    let chart = Some(String::new());
    let rendered = Origin { name: "chart.tgz".to_owned(), chart, is_rendered: true, ..Origin::default() };
    let text = format!(
        "---\n# Source: shop/templates/a.yaml\n{DEPLOYMENT}---\n# Source: shop/templates/b.yaml\na: [\n"
    );
    let mut files = Sources::of(&["missing.yaml".to_owned()]).find();
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
        policy.webhook = kubewarden::matching::Webhook::from_spec(&spec).unwrap();
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

#[test]
fn what_a_mutating_policy_changes_is_what_the_others_evaluate() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}\n";
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n";
    let text = format!("{pod}{namespace}");
    let validating = || {
        let mut policy = policy("selinux", json!({ "mode": "Validate" }));
        policy.reference.name = "validating".to_owned();
        policy
    };
    let evaluate = |policies| run(policies, Options::default(), &[("a.yaml", &text)]).totals.policies;
    let alone = evaluate(vec![validating()]);
    let both = evaluate(vec![validating(), policy("selinux", json!({}))]);
    assert_eq!(both[0].mutated, 1, "{both:?}");
    assert!(alone[0].denied > both[1].denied, "{alone:?} {both:?}");
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
    let report = scan.run(&mut Sources::of(&arguments).find(), None, None, &mut ());
    assert_eq!(report.totals.objects, 3);
    let [note, unreadable] = report.notices.as_slice() else { panic!("{:?}", report.notices) };
    assert!(unreadable.message.starts_with("cannot be read"), "{unreadable:?}");
    assert!(note.level == Level::Note && note.message.ends_with("/ignored.yaml"), "{note:?}");
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
        let mut files = Sources::of(&[argument]).find();
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
    // A repository that git does not know may track all of them.
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    assert_eq!(read("sub"), ["b/tracked.yaml", "b.yaml", "ignored.yaml", "new.yaml"]);
    // A repository that git cannot read may track ignored files.
    git(folder.path(), &["init", "-q"]);
    std::fs::write(folder.path().join(".git/index"), "x").unwrap();
    let argument = folder.path().to_string_lossy().into_owned();
    let problem = Sources::of(&[argument]).find().next().unwrap().unwrap_err().problem;
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
    Sources::of(&[".".to_owned()]).add_revision(&mut files, folder.path(), "HEAD");
    let (old, notices) = Old::read(&mut files);
    assert!(notices.is_empty(), "{notices:?}");
    // The object is the same, so that the policy does not look at it.
    let scan = Scan::new(vec![baseline()], Options::default());
    let mut input = self::files(&[("a.yaml", DEPLOYMENT)]);
    assert!(scan.run(&mut input, Some(&old), None, &mut ()).findings.is_empty());
    let mut files = Files::default();
    Sources::of(&[".".to_owned()]).add_revision(&mut files, folder.path(), "nothing");
    assert_eq!(Old::read(&mut files).1.len(), 1);
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
