//! `portcullis test`: what passes, what fails, and every mistake.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::folder::Folder;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: a, image: a}]}}";

/// A policy with a condition and selectors, in the mode of its name.
const POLICY: &str = "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: pods}
spec:
  module: registry://ghcr.io/portcullis/policies/pod-security:vVERSION
  mode: MODE
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
  namespaceSelector:
    matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]
  objectSelector:
    matchExpressions: [{key: skip, operator: DoesNotExist}]
  matchConditions: [{name: not-a-robot, expression: \"request.userInfo.username != 'robot'\"}]
  settings: {level: baseline}
";

fn policy(mode: &str) -> String {
    POLICY.replace("VERSION", env!("CARGO_PKG_VERSION")).replace("MODE", mode)
}

/// Runs one test file; returns the status and the text.
fn run(name: &str, text: &str) -> (i32, String) {
    let folder = Folder::new(&format!("test-{name}"));
    folder.file("pods.yaml", policy("protect"));
    folder.file("monitored.yaml", policy("monitor"));
    folder.file("a.test.yaml", text.replace("POD", POD));
    let (status, stdout, stderr) = folder.run(&["test", "a.test.yaml"], "");
    assert_eq!(stderr, "", "{name}");
    (status, stdout)
}

#[test]
fn every_verdict_can_be_wanted() {
    let (status, stdout) = run(
        "verdicts",
        r#"
policies: [pods.yaml]
defaults: {object: POD}
cases:
  - name: admitted
    want: {admitted: true}
  - name: denied by a whole line
    patch: [{op: add, path: /spec/hostPID, value: true}]
    want:
      denied: ["spec.hostPID: Invalid value: true: Host Namespaces (baseline) allows only false; remove it"]
  - name: denied at a path
    patch: [{op: add, path: /spec/hostPID, value: true}]
    want: {pods: {denied: [{path: spec.hostPID, matches: "^spec.*Host Namespaces"}]}}
  - name: skipped by the rules
    object: {apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}}
    want: {skipped: rules}
  - name: skipped by the namespace
    request: {namespace: kube-system}
    want: {skipped: namespaceSelector}
  - name: skipped by the object
    patch: [{op: add, path: /metadata/labels, value: {skip: "true"}}]
    want: {skipped: objectSelector}
  - name: skipped by a condition
    user: {username: robot}
    want: {skipped: not-a-robot}
  - name: a setting that is refused
    settings: {levle: baseline}
    want: {settingsError: {contains: did you mean level}}
  - name: a fault
    invalid: true
    patch: [{op: replace, path: /spec/containers, value: 7}]
    want: {fault: {contains: expected an array}}
  - name: the worst of several objects counts
    objects: {files: [objects.yaml]}
    want: {skipped: rules}
"#
        .replace("files: [objects.yaml]", "files: [pods.yaml]")
        .as_str(),
    );
    assert_eq!((status, stdout.as_str()), (0, "10 cases in 1 file: 10 passed\n"));
}

#[test]
fn a_policy_in_monitor_mode_is_monitored() {
    let (status, stdout) = run(
        "monitor",
        "policies: [monitored.yaml]\ncases:\n  - name: a\n    object: POD\n    patch: [{op: add, path: /spec/hostPID, value: true}]\n    want: {monitored: [{path: spec.hostPID}]}\n  - name: b\n    object: POD\n    patch: [{op: add, path: /spec/hostPID, value: true}]\n    want: {denied: [{path: spec.hostPID}]}\n",
    );
    assert_eq!(status, 1);
    assert!(stdout.contains("FAILED a.test.yaml:7: b"), "{stdout}");
    assert!(stdout.contains("the policy is in monitor mode, so the request is admitted"), "{stdout}");
}

#[test]
fn what_differs_is_shown_and_fails() {
    let (status, stdout) = run(
        "differs",
        "policies: [pods.yaml]\ncases:\n  - name: wrong\n    object: POD\n    want:\n      denied: [\"no\"]\n",
    );
    assert_eq!(status, 1);
    assert!(
        stdout.starts_with(
            "FAILED a.test.yaml:3: wrong\n  pods (- wanted, + got)\n  - denied:\n  -   - \"no\"\n  + admitted: true\n"
        ),
        "{stdout}"
    );
    assert!(stdout.ends_with("1 case in 1 file: 0 passed, 1 failed\n"), "{stdout}");
}

#[test]
fn a_policy_that_a_case_does_not_name_must_not_deny() {
    let text = "policies: [pods.yaml, external-ips]\ncases:\n  - name: a\n    object: POD\n    patch: [{op: add, path: /spec/hostPID, value: true}]\n    want: {external-ips: {skipped: rules}}\n";
    let (status, stdout) = run("unnamed", text);
    assert_eq!(status, 1);
    assert!(
        stdout.contains("# the case does not name the policy, so it has to admit the request"),
        "{stdout}"
    );
    assert!(stdout.contains("policy external-ips: no case reaches the policy"), "{stdout}");
}

#[test]
fn a_condition_that_fails_is_not_one_that_is_false() {
    let folder = Folder::new("test-condition");
    let ignores = policy("protect")
        .replace("request.userInfo.username != 'robot'", "object.metadata.labels.app == 'web'")
        .replace("  mutating:", "  failurePolicy: Ignore\n  mutating:");
    folder.file("pods.yaml", ignores);
    let reached = format!(
        "  - {{name: b, object: {}, want: {{admitted: true}}}}\n",
        POD.replace("name: web", "name: web, labels: {app: web}")
    );
    for (want, status) in [("not-a-robot fails", 0), ("not-a-robot", 1)] {
        folder.file("a.test.yaml", format!("policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, want: {{skipped: {want}}}}}\n{reached}"));
        let (found, stdout, _) = folder.run(&["test", "--coverage"], "");
        assert_eq!(found, status, "{stdout}");
        assert!(stdout.contains("no case in which the condition not-a-robot is false"), "{stdout}");
        assert_eq!(stdout.contains("+ skipped: not-a-robot fails"), status == 1, "{stdout}");
    }
}

/// Each mistake: the text, what the message says, and the status.
#[test]
fn every_mistake_names_the_line_and_a_remedy() {
    let case = |rest: &str| format!("policies: [pods.yaml]\ncases:\n  - name: a\n    object: POD\n{rest}");
    let two = |first: &str| {
        format!("policies: [pods.yaml, external-ips]\ncases:\n  - name: a\n    object: POD\n    {first}\n")
    };
    let admitted = "    want: {admitted: true}\n";
    for (name, text, line, want) in [
        ("top", "polices: [pods.yaml]\ncases: []\n".to_owned(), 1, "polices: unknown key; did you mean policies?"),
        ("case key", case("    sttings: {}\n    want: {admitted: true}\n"), 5, "cases[0].sttings: unknown key; did you mean settings?"),
        ("verdict", case("    want: {admited: true}\n"), 5, "want.admited: unknown key; did you mean admitted?"),
        ("several verdicts", case("    want: {admitted: true, denied: [x]}\n"), 5, "takes exactly one of admitted, denied"),
        ("no verdict", case("    want: {warnings: []}\n"), 5, "takes exactly one of"),
        ("not admitted", case("    want: {admitted: false}\n"), 5, "expected true; write denied"),
        ("no want", case(""), 3, "has no want"),
        ("no line", case("    want: {denied: []}\n"), 5, "expected at least one line"),
        ("empty text", case("    want: {denied: [{contains: ''}]}\n"), 5, "an empty text is in every line"),
        ("expression", case("    want: {denied: [{matches: '('}]}\n"), 5, "not a regular expression"),
        ("no value", case("    want: {mutated: [{path: spec}]}\n"), 5, "needs equals with the value; null stands"),
        ("no values", case("    want: {mutated: []}\n"), 5, "is empty; write at least one {path, equals}"),
        ("several objects", "policies: [pods.yaml]\ncases:\n  - name: a\n    objects: {files: [pods.yaml, pods.yaml]}\n    want: {mutated: {a: b}}\n".to_owned(), 5, "several objects cannot be compared with one"),
        ("line key", case("    want: {denied: [{pth: a}]}\n"), 5, "unknown key; did you mean path?"),
        ("type", case("    want: {denied: x}\n"), 5, "expected a list, found a string"),
        ("policy name", two("want: {pod: {admitted: true}}"), 5, "no policy has the name pod; did you mean pods?"),
        ("flat", two("want: {admitted: true}"), 5, "there are several policies; write want by policy: pods, external-ips"),
        ("settings", two("settings: {pds: {}}\n    want: {pods: {admitted: true}}"), 5, "no policy has the name pds; did you mean pods?"),
        ("operation", case(&format!("    operation: update\n{admitted}")), 5, "\"update\" is not an operation; did you mean UPDATE?"),
        ("patch", case(&format!("    patch: [{{op: remove, path: /nope}}]\n{admitted}")), 5, "the patch does not apply"),
        ("patch key", case(&format!("    patch: [{{op: remove, pth: /a}}]\n{admitted}")), 5, "unknown key; did you mean path?"),
        ("user", case(&format!("    user: {{usrname: bob}}\n{admitted}")), 5, "user.usrname: unknown key; did you mean username?"),
        ("request", case(&format!("    request: {{namspace: a}}\n{admitted}")), 5, "unknown key; did you mean namespace?"),
        ("cluster", case(&format!("    cluster: {{file: []}}\n{admitted}")), 5, "unknown key; did you mean files?"),
        ("object", "policies: [pods.yaml]\ncases:\n  - name: a\n    object: {fil: x.yaml}\n    want: {admitted: true}\n".to_owned(), 4, "did you mean file for fil?"),
        ("missing file", "policies: [pods.yaml]\ncases:\n  - name: a\n    object: {file: x.yaml}\n    want: {admitted: true}\n".to_owned(), 4, "x.yaml: cannot be read"),
        ("missing object", "policies: [pods.yaml]\ncases:\n  - name: a\n    object: {file: pods.yaml, kind: Pod}\n    want: {admitted: true}\n".to_owned(), 4, "has no such object; it has ClusterAdmissionPolicy pods"),
        ("no object", "policies: [pods.yaml]\ncases:\n  - name: a\n    want: {admitted: true}\n".to_owned(), 3, "has no object"),
        ("command", "policies: [pods.yaml]\ncases:\n  - name: a\n    objects: {command: [helm, template, x]}\n    want: {admitted: true}\n".to_owned(), 4, "pass --allow-commands"),
        ("session", case(&format!("    session: x.yaml\n{admitted}")), 5, "x.yaml: cannot be read"),
        ("missing policy", "policies: [nope.yaml]\ncases:\n  - {name: a, object: POD, want: {admitted: true}}\n".to_owned(), 1, "nope.yaml does not exist"),
        ("unknown policy", "policies: [pod-securty]\ncases:\n  - {name: a, object: POD, want: {admitted: true}}\n".to_owned(), 1, "did you mean pod-security?"),
        ("modules", "policies: [pods.yaml]\nmodules: {pods: x.wasm}\ncases:\n  - {name: a, object: POD, want: {admitted: true}}\n".to_owned(), 2, "x.wasm does not exist"),
        ("no policies", "policies: []\ncases:\n  - {name: a, object: POD, want: {\"*\": {admitted: true}}}\n".to_owned(), 1, "names no policy; write at least one"),
        ("no files", "policies: [pods.yaml]\ncases:\n  - name: a\n    objects: {files: []}\n    want: {denied: [x]}\n".to_owned(), 4, "names no file; write at least one"),
        ("no name", "policies: [pods.yaml]\ncases:\n  - {object: POD, want: {admitted: true}}\n".to_owned(), 3, "has no name"),
        ("YAML", "policies: [pods.yaml\ncases: []\n".to_owned(), 2, "invalid YAML"),
    ] {
        let (status, stdout) = run("mistake", &text);
        assert_eq!(status, 2, "{name}: {stdout}");
        let place = format!("a.test.yaml:{line}: ");
        assert!(stdout.contains(&place) && stdout.contains(want), "{name}: {stdout}");
    }
}

#[test]
fn nothing_passes_without_a_case_or_twice() {
    for (name, text, status, want) in [
        ("none", "policies: [pods.yaml]\ncases: []\n", 2, "has no case, so it tests nothing"),
        ("no cases", "policies: [pods.yaml]\n", 2, "has no case, so it tests nothing"),
        (
            "twice",
            "policies: [pods.yaml]\ncases:\n  - {name: a, object: POD, want: {admitted: true}}\n  - {name: a, object: POD, want: {admitted: true}}\n",
            2,
            "another case has the same name",
        ),
        (
            "same policy",
            "policies: [pods.yaml, monitored.yaml]\ncases:\n  - {name: a, object: POD, want: {admitted: true}}\n",
            2,
            "pods has two policies with this name",
        ),
        (
            "no policy",
            "cases:\n  - {name: a, object: POD, want: {admitted: true}}\n",
            2,
            "names no policy; pass --policy",
        ),
        (
            "not reached",
            "policies: [pods.yaml]\ncases:\n  - {name: a, object: POD, user: {username: robot}, want: {skipped: not-a-robot}}\n",
            1,
            "no case reaches the policy",
        ),
    ] {
        let (found, stdout) = run("nothing", text);
        assert!(found == status && stdout.contains(want), "{name}: {found}: {stdout}");
    }
    let folder = Folder::new("test-empty");
    let (status, stdout, _) = folder.run(&["test"], "");
    assert!(
        status == 2 && stdout.contains("has no test file") && stdout.contains("nothing was tested"),
        "{stdout}"
    );
}

#[test]
fn no_test_file_is_left_out() {
    let folder = Folder::new("test-discover");
    let case = format!("- {{name: a, object: {POD}, want: {{skipped: rules}}}}\n");
    folder.file("several.yaml", format!("policies: [external-ips]\n---\ncases:\n{case}"));
    let text = format!("policies: [external-ips]\ncases:\n{case}");
    folder.file("latin.yaml", [text.as_bytes(), b"# \xe9\n"].concat());
    let wide: Vec<u8> = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.file("wide.yaml", wide);
    let json = r#"{"policies":["pods.yaml"],"cases":[{"name":"a","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a"}]}},"want":{"admitted":true}}]}"#;
    folder.file("pods.yaml", policy("protect"));
    folder.file("a.json", json);
    folder.file("other.json", r#"{"defaults": {"want": 1}, "apiVersion": "v1"}"#);
    let (status, stdout, _) = folder.run(&["test"], "");
    assert_eq!(status, 2, "{stdout}");
    assert!(stdout.contains("BROKEN several.yaml: expected one list of cases"), "{stdout}");
    assert!(stdout.contains("BROKEN latin.yaml: cannot be read"), "{stdout}");
    assert!(stdout.contains("BROKEN wide.yaml: cannot be read"), "{stdout}");
    assert!(stdout.contains("1 case in 4 files: 1 passed, 3 broken"), "{stdout}");
}

#[test]
fn a_broken_policy_fails_alone() {
    let folder = Folder::new("test-broken");
    folder.file("pods.yaml", policy("protect"));
    folder.file(
        "broken.yaml",
        policy("protect").replace("name: pods", "name: broken").replace("mutating", "mutatng"),
    );
    folder.file(
        "lost.yaml",
        policy("protect").replace("name: pods", "name: lost").replace(
            "registry://ghcr.io/portcullis/policies/pod-security:v",
            "file:///nowhere/pod-security-",
        ),
    );
    folder.file("a.test.yaml", format!("policies: [broken.yaml, lost.yaml, pods.yaml]\ncases:\n  - {{name: a, object: {POD}, want: {{pods: {{admitted: true}}, lost: {{skipped: rules}}}}}}\n  - {{name: b, object: {POD}, user: {{username: robot}}, want: {{pods: {{skipped: not-a-robot}}}}}}\n"));
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml"], "");
    assert_eq!(status, 2, "{stdout}");
    assert!(stdout.contains("a.test.yaml:1: policies[0]: broken.yaml: spec.mutatng"), "{stdout}");
    assert!(stdout.contains("policy lost cannot be loaded"), "{stdout}");
    assert!(stdout.contains("2 cases in 1 file: 1 passed, 1 failed, 2 broken"), "{stdout}");
}

#[test]
fn lists_and_filters_and_formats() {
    let folder = Folder::new("test-formats");
    let list = format!(
        "- name: good\n  settings: {{}}\n  object: {POD}\n  want:\n    admitted: true\n- name: bad\n  object: {POD}\n  want:\n    denied: [x]\n"
    );
    folder.file("cases.yaml", &list);
    let (status, stdout, _) = folder.run(&["test", ".", "--policy", "external-ips", "--filter", "go+d"], "");
    assert_eq!((status, stdout.as_str()), (0, "1 case in 1 file: 1 passed\n"));
    let (status, stdout, _) = folder.run(
        &[
            "test",
            "cases.yaml",
            "-p",
            "external-ips",
            "-o",
            "json",
            "-o",
            "junit=t.xml",
            "-o",
            "github=g.txt",
        ],
        "",
    );
    assert_eq!(status, 1);
    let results: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(results["files"][0]["cases"][0]["status"], "passed");
    assert_eq!(results["files"][0]["cases"][1]["status"]["failed"][0]["policy"], "external-ips");
    let junit = fs::read_to_string(folder.0.join("t.xml")).unwrap();
    assert!(
        junit
            .contains(r#"<testsuites name="portcullis test" tests="2" failures="1" errors="0" skipped="0">"#)
    );
    assert!(junit.contains(r#"<testcase classname="cases.yaml" name="good"/>"#), "{junit}");
    let github = fs::read_to_string(folder.0.join("g.txt")).unwrap();
    assert!(
        github.starts_with("::error file=cases.yaml,line=6,title=bad::external-ips: wanted "),
        "{github}"
    );
    let (status, stdout, _) = folder.run(&["test", "cases.yaml"], "");
    assert!(status == 2 && stdout.contains("names no policy; pass --policy"), "{stdout}");
    let (status, _, refused) = folder.run(&["test", "-o", "junti=x"], "");
    assert!(
        status == 2 && refused.contains("the format junti is not known; did you mean junit?"),
        "{refused}"
    );
}

#[test]
fn blessing_keeps_everything_but_what_is_wanted() {
    let folder = Folder::new("test-bless");
    folder.file("pods.yaml", policy("protect"));
    let text = format!(
        "# a comment\npolicies: [pods.yaml] # and one\ncases:\n  # about a\n  - name: a\n    object: {POD}\n    want: # old\n      denied:\n        - \"x\"\n\n  # about b\n  - name: b\n    object: {POD}\n    want: {{admitted: true}}\n"
    );
    folder.file("a.test.yaml", &text);
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml", "--bless"], "");
    assert!(status == 0 && stdout.contains("1 case was blessed"), "{stdout}");
    let blessed = fs::read_to_string(folder.0.join("a.test.yaml")).unwrap();
    assert_eq!(
        blessed,
        text.replace("want: # old\n      denied:\n        - \"x\"\n", "want:\n      admitted: true\n")
    );
    assert_eq!(folder.run(&["test", "a.test.yaml"], "").0, 0);
}

#[test]
fn blessing_never_damages_a_file() {
    let folder = Folder::new("test-bless-damage");
    folder.file("pods.yaml", policy("protect"));
    let start = format!("policies: [pods.yaml]\ncases:\n  - name: a\n    object: {POD}\n");
    for want in [
        "    want: {\n    denied: [x]\n    }\n",
        "    want:\n      denied:\n# a comment\n        - \"x\"\n",
        "    want: {denied: [\"a\n  b\"]}\n",
        "    want: &w {denied: [x]}\n  - name: b\n    object: {}\n    want: *w\n",
    ] {
        let text = format!("{start}{want}");
        folder.file("a.test.yaml", &text);
        let (status, stdout, _) = folder.run(&["test", "a.test.yaml", "--bless"], "");
        assert!(status == 2 && !stdout.contains("blessed;"), "{want}: {stdout}");
        assert!(stdout.contains("blessing would damage the file; write each want:"), "{want}: {stdout}");
        assert_eq!(fs::read_to_string(folder.0.join("a.test.yaml")).unwrap(), text);
    }
    let text = format!("{start}    want:\n      denied: [x]").replace('\n', "\r\n");
    folder.file("a.test.yaml", &text);
    assert_eq!(folder.run(&["test", "a.test.yaml", "--bless"], "").0, 0);
    let blessed = fs::read_to_string(folder.0.join("a.test.yaml")).unwrap();
    assert_eq!(blessed, text.replace("denied: [x]", "admitted: true\r\n"));
}

/// A case in which a policy changes a pod.
fn mutation(mutated: &str) -> String {
    format!(
        "policies: [selinux.yaml]\ncases:\n  - name: a\n    object: {POD}\n    cluster:\n      objects: [{{apiVersion: v1, kind: Namespace, metadata: {{name: shop, annotations: {{portcullis.dev/selinux-level: 's0:c1,c2'}}}}}}]\n    want:\n      selinux:\n        mutated: {mutated}\n"
    )
}

#[test]
fn blessing_quotes_paths() {
    let folder = Folder::new("test-bless-paths");
    folder.file("selinux.yaml", include_str!("../../../docs/examples/test/selinux.yaml"));
    folder.file("a.test.yaml", mutation("[{path: spec.securityContext.seLinuxOptions.level, equals: x}, {path: 'spec.containers[0].name', equals: b}]"));
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml", "--bless"], "");
    assert!(status == 0 && stdout.contains("1 case was blessed"), "{stdout}");
    let blessed = fs::read_to_string(folder.0.join("a.test.yaml")).unwrap();
    assert!(blessed.contains("{path: \"spec.containers[0].name\", equals: \"a\"}"), "{blessed}");
    assert_eq!(folder.run(&["test", "a.test.yaml"], "").0, 0);
}

#[test]
fn coverage_names_what_no_case_shows() {
    let folder = Folder::new("test-coverage");
    folder.file("pods.yaml", policy("protect"));
    folder.file(
        "a.test.yaml",
        format!("policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, want: {{admitted: true}}}}\n"),
    );
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml", "--coverage"], "");
    assert_eq!(status, 0);
    for missing in [
        "coverage: 5 of 10 (50 %)",
        "pods: no case in which spec.rules[0] fails to match",
        "pods: no case in which spec.namespaceSelector leaves out an object",
        "pods: no case in which spec.objectSelector leaves out an object",
        "pods: no case in which the condition not-a-robot is false",
        "pods: no case in which the policy denies a request",
    ] {
        assert!(stdout.contains(missing), "{missing}: {stdout}");
    }
    assert_eq!(folder.run(&["test", "a.test.yaml", "--coverage-threshold", "50"], "").0, 0);
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml", "--coverage-threshold", "51"], "");
    assert!(status == 1 && stdout.contains("less than 51 %"), "{stdout}");
    let (_, stdout, _) =
        folder.run(&["test", "a.test.yaml", "--coverage-threshold", "51", "-o", "github"], "");
    assert!(
        stdout.starts_with("::error title=coverage::the cases cover 50 %25, less than 51 %25\n"),
        "{stdout}"
    );
}

#[test]
fn coverage_counts_what_no_case_judges() {
    let folder = Folder::new("test-coverage-least");
    folder.file("pods.yaml", policy("protect"));
    folder.file(
        "a.test.yaml",
        format!(
            "policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, settings: {{a: b}}, want: {{settingsError: {{contains: a}}}}}}\n"
        ),
    );
    let (status, stdout, _) = folder.run(&["test", "--coverage-threshold", "1"], "");
    assert!(status == 1 && stdout.contains("coverage: 0 of 10 (0 %), less than 1 %"), "{stdout}");
    let fault = "[{op: replace, path: /spec/containers, value: 7}]";
    folder.file(
        "a.test.yaml",
        format!("policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, patch: {fault}, want: {{fault: {{contains: array}}}}}}\n"),
    );
    let (_, stdout, _) = folder.run(&["test", "--coverage"], "");
    assert!(stdout.contains("the policy admits a request"), "{stdout}");
    assert!(stdout.contains("the policy denies a request"), "{stdout}");
    folder.file("selinux.yaml", include_str!("../../../docs/examples/test/selinux.yaml"));
    folder.file("a.test.yaml", mutation("true"));
    let (status, stdout, _) = folder.run(&["test", "--coverage"], "");
    assert_eq!(status, 0, "{stdout}");
    assert!(stdout.contains("selinux: no case in which the policy denies a request"), "{stdout}");
    folder.file("a.test.yaml", "policies: []\n");
    let (_, stdout, _) = folder.run(&["test", "--coverage"], "");
    assert!(stdout.contains("coverage: 0 of 0 (0 %)"), "{stdout}");
}

#[test]
fn a_first_test_file_is_green_and_covers_rules_and_selectors() {
    let folder = Folder::new("test-init");
    folder.file("pods.yaml", policy("protect"));
    let (status, stdout, stderr) = folder.run(&["test", "--init", "pods.yaml"], "");
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    let written = fs::read_to_string(folder.0.join("pods.test.yaml")).unwrap();
    for part in [
        "skipped: namespaceSelector",
        "skipped: objectSelector",
        "skipped: rules",
        "{skipped: not-a-robot}",
        "admitted: true",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert_eq!(folder.run(&["test"], "").0, 0);
    let refused = folder.refused(&["test", "--init", "pods.yaml"], "");
    assert!(refused.contains("exists already"), "{refused}");
}

#[test]
fn a_first_test_file_says_what_is_left_to_do() {
    let folder = Folder::new("test-init-left");
    folder.file("pods.yaml", policy("protect").replace("!= 'robot'", "== 'robot'"));
    let (status, stdout, _) = folder.run(&["test", "--init", "pods.yaml"], "");
    assert!(status == 0 && stdout.contains("change an object so that they hold"), "{stdout}");
    assert!(folder.0.join("pods.test.yaml").exists());
    folder.file("bad.yaml", policy("protect").replace("mutating:", "mutatng:"));
    assert_eq!(folder.run(&["test", "--init", "bad.yaml"], "").0, 2);
    assert!(!folder.0.join("bad.test.yaml").exists());
}

#[test]
fn a_recorded_session_answers_look_ups() {
    let folder = Folder::new("test-session");
    let recorded = include_str!("../../../policies/external-ips/samples/create-conflict.session.yml");
    folder.file("session.yml", recorded);
    let request = include_str!("../../../policies/external-ips/samples/create-conflict.request.json");
    let request: Value = serde_json::from_str(request).unwrap();
    let object = request.pointer("/request/object").or_else(|| request.get("object")).unwrap();
    let settings = include_str!("../../../policies/external-ips/samples/create-conflict.settings.yaml");
    let settings: Vec<String> = settings.lines().map(|line| format!("      {line}")).collect();
    let file = |session: &str, want: &str| {
        format!(
            "policies: [external-ips]\ncases:\n  - name: a\n    object: {object}\n    session: {session}\n    settings:\n{}\n    want: {want}\n",
            settings.join("\n")
        )
    };
    folder.file(
        "a.test.yaml",
        file("session.yml", "{denied: [{contains: \"203.0.113.5\"}], asked: [list v1 Service]}"),
    );
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml"], "");
    assert_eq!(status, 0, "{stdout}");
    folder.file("empty.yml", "[]\n");
    folder.file("a.test.yaml", file("empty.yml", "{admitted: true}"));
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml"], "");
    assert!(
        status == 1 && stdout.contains("the session has no answer to KubernetesListResourceAll"),
        "{stdout}"
    );
    folder.file("twice.yml", format!("{recorded}\n{recorded}"));
    folder.file("a.test.yaml", file("twice.yml", "{denied: [{contains: \"203.0.113.5\"}]}"));
    let (status, stdout, _) = folder.run(&["test", "a.test.yaml"], "");
    assert!(status == 1 && stdout.contains("1 of them are left"), "{stdout}");
}

#[test]
fn a_test_of_kyverno_is_refused_as_such() {
    let folder = Folder::new("test-kyverno");
    let test = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\nresults: []\n";
    folder.file("kyverno-test.yaml", test);
    let (status, stdout, _) = folder.run(&["test"], "");
    assert_eq!(status, 2, "{stdout}");
    assert!(stdout.contains("kyverno-test.yaml: is a test of Kyverno, which kyverno test runs"), "{stdout}");
}

#[test]
fn programs_run_only_if_they_are_allowed() {
    let folder = Folder::new("test-commands");
    folder.file("pods.yaml", policy("protect"));
    folder.file("pod.yaml", POD);
    folder.file("a.test.yaml", "policies: [pods.yaml]\ncases:\n  - {name: a, objects: {command: [cat, pod.yaml]}, want: {\"*\": {admitted: true}}}\n");
    assert_eq!(folder.run(&["test"], "").0, 2);
    let (status, stdout, _) = folder.run(&["test", "--allow-commands"], "");
    assert_eq!(status, 0, "{stdout}");
    folder.file("a.test.yaml", "policies: [pods.yaml]\ncases:\n  - {name: a, objects: {command: [cat, nope.yaml]}, want: {\"*\": {admitted: true}}}\n");
    let (status, stdout, _) = folder.run(&["test", "--allow-commands"], "");
    assert!(status == 2 && stdout.contains("cat fails with"), "{stdout}");
}

#[test]
fn a_workload_is_judged_by_its_pods_if_that_is_asked_for() {
    let text = "policies: [pods.yaml]\ncases:\n  - name: a\n    pods: true\n    object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {hostPID: true, containers: [{name: a}]}}}}\n    want: {denied: [{path: spec.template.spec.hostPID}]}\n";
    let (status, stdout) = run("pods", text);
    assert_eq!(status, 0, "{stdout}");
}

#[test]
fn watching_runs_again_after_a_change() {
    let folder = Folder::new("test-watch");
    folder.file("pods.yaml", policy("protect"));
    let text = |want: &str| {
        format!("policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, want: {{{want}}}}}\n")
    };
    folder.file("a.test.yaml", text("admitted: true"));
    fs::create_dir(folder.0.join("below")).unwrap();
    fs::create_dir(folder.0.join("out")).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    tool.args(["test", "--watch", "-o", "text", "-o", "junit=out/t.xml"])
        .current_dir(&folder.0)
        .stdout(Stdio::piped());
    let mut child = tool.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "1 case in 1 file: 1 passed");
    // A run does not see the results that it writes, but a new file in a directory below.
    fs::write(
        folder.0.join("below/b.test.yaml"),
        text("admitted: true").replace("pods.yaml", "../pods.yaml"),
    )
    .unwrap();
    let changed = lines.by_ref().map_while(Result::ok).find(|line| line.ends_with("has changed"));
    assert_eq!(changed.as_deref(), Some("./below has changed"));
    assert_eq!(lines.next().unwrap().unwrap(), "2 cases in 2 files: 2 passed");
    // The length differs, so that a coarse clock of the file system does not matter.
    folder.file("a.test.yaml", text("skipped: rules"));
    let rest: Vec<String> =
        lines.map_while(Result::ok).take_while(|line| !line.ends_with("1 failed")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(rest.iter().any(|line| line == "a.test.yaml has changed"), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("FAILED a.test.yaml:3: a")), "{rest:?}");
}

/// Objects and requests that no API server sends would be admitted or skipped.
#[test]
fn what_no_api_server_sends_is_broken() {
    let case = |fields: &str| {
        let text = format!(
            "policies: [pods.yaml]\ndefaults: {{object: POD}}\ncases:\n  - name: a\n    want: {{\"*\": {{admitted: true}}}}\n{fields}"
        );
        run("unsent", &text)
    };
    for (fields, problem) in [
        (
            "    object: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {container: [{name: a}]}}\n",
            "spec.container: unknown field; did you mean containers?",
        ),
        (
            "    patch: [{op: add, path: /spec/hostNetwrk, value: true}]\n",
            "spec.hostNetwrk: unknown field; did you mean hostNetwork?",
        ),
        (
            "    object: {apiVersion: v1, kind: Pod, metadata: {name: a, spec: {}}}\n",
            "metadata.spec: unknown field",
        ),
        (
            "    object: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {}}\n",
            "a pod has at least one container",
        ),
        (
            "    object: {apiVersion: apps/v1, kind: Deploymnet, metadata: {name: a}}\n",
            "Kubernetes has no kind Deploymnet in apps/v1; did you mean Deployment?",
        ),
        ("    object: {apiVersion: v1, kind: List, items: []}\n", "List is not the kind of one object"),
        (
            "    object: {apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {}}\n",
            "AdmissionReview is not the kind of one object",
        ),
        (
            "    subresource: ephemeralcontainer\n",
            "pods have no subresource ephemeralcontainer; did you mean ephemeralcontainers?",
        ),
        (
            "    oldObject: {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: shop}, spec: {containers: [{name: a}]}}\n",
            "metadata.name of the object and of the old object differ",
        ),
        (
            "    object: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, tty: false}, {name: b, tty: \"false\"}]}}\n",
            "spec.containers[1].tty: expected a boolean, found a string; write it without quotes",
        ),
    ] {
        let (status, stdout) = case(fields);
        assert_eq!(status, 2, "{fields}: {stdout}");
        assert!(
            stdout.contains("no API server sends this: ") && stdout.contains(problem),
            "{fields}: {stdout}"
        );
        assert!(stdout.contains("; write invalid: true if the case is about it"), "{stdout}");
        let (_, stdout) = case(&format!("{fields}    invalid: true\n"));
        assert!(!stdout.contains("no API server sends this"), "{fields}: {stdout}");
    }
    let (status, stdout) = run(
        "empty-pattern",
        "policies: [pods.yaml]\ncases:\n  - name: a\n    object: POD\n    want: {denied: [{matches: \"\"}]}\n",
    );
    assert!(status == 2 && stdout.contains("matches: an empty text is in every line"), "{stdout}");
}
