//! `portcullis test`: which files are tests, recorded sessions, and `--watch`.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::folder::Folder;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: a, image: a}]}}";

const POLICY: &str = "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: pods}
spec:
  module: registry://ghcr.io/portcullis/policies/pod-security:vVERSION
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
  settings: {level: baseline}
";

fn policy() -> String {
    POLICY.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

#[test]
fn no_test_file_is_left_out() {
    let folder = Folder::new();
    let case = format!("- {{name: a, object: {POD}, want: {{skipped: rules}}}}\n");
    folder.file("several.yaml", format!("policies: [external-ips]\n---\ncases:\n{case}"));
    let text = format!("policies: [external-ips]\ncases:\n{case}");
    folder.file("latin.yaml", [text.as_bytes(), b"# \xe9\n"].concat());
    let wide: Vec<u8> = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.file("wide.yaml", wide);
    let json = r#"{"policies":["pods.yaml"],"cases":[{"name":"a","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a"}]}},"want":{"admitted":true}}]}"#;
    folder.file("pods.yaml", policy());
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
fn a_recorded_session_answers_look_ups() {
    let folder = Folder::new();
    let recorded = include_str!("../../../../../policies/external-ips/samples/create-conflict.session.yml");
    folder.file("session.yml", recorded);
    let request = include_str!("../../../../../policies/external-ips/samples/create-conflict.request.json");
    let request: Value = serde_json::from_str(request).unwrap();
    let object = request.pointer("/request/object").or_else(|| request.get("object")).unwrap();
    let settings = include_str!("../../../../../policies/external-ips/samples/create-conflict.settings.yaml");
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
fn watching_runs_again_after_a_change() {
    let folder = Folder::new();
    folder.file("pods.yaml", policy());
    let text = |want: &str| {
        format!("policies: [pods.yaml]\ncases:\n  - {{name: a, object: {POD}, want: {{{want}}}}}\n")
    };
    folder.file("a.test.yaml", text("admitted: true"));
    fs::create_dir(folder.path("below")).unwrap();
    fs::create_dir(folder.path("out")).unwrap();
    let mut tool = folder.command(&["test", "--watch", "-o", "text", "-o", "junit=out/t.xml"]);
    let mut child = tool.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "1 case in 1 file: 1 passed");
    // A run does not see the results that it writes, but a new file in a directory below.
    // A whole file appears at once: the tool could read one that is written before it has a text.
    let aside = Folder::new();
    aside.file("b.test.yaml", text("admitted: true").replace("pods.yaml", "../pods.yaml"));
    fs::rename(aside.path("b.test.yaml"), folder.path("below/b.test.yaml")).unwrap();
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
