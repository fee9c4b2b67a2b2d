//! `portcullis scan`: input, policies, reports, baselines and exit status.

use std::fs;

use serde_json::Value;

use crate::folder::Folder;

const CLEAN: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: api, namespace: shop}\n";

/// A Service whose address is on line 7.
const EXPOSED: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  externalIPs:
    - 192.0.2.1
";

const POLICY: &str = "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: ranges}
spec:
  module: registry://ghcr.io/portcullis/policies/external-ips:vVERSION
  mode: MODE
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE, UPDATE]}]
  settings:
    allow:
      - cidrs: [192.0.2.0/24]
        namespaceSelector: {matchLabels: {edge: 'true'}}
  contextAwareResources: [{apiVersion: v1, kind: Namespace}]
";

const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {edge: 'EDGE'}}\n";

fn policy(mode: &str) -> String {
    POLICY.replace("VERSION", env!("CARGO_PKG_VERSION")).replace("MODE", mode)
}

/// Runs a scan; returns its status, standard output and standard error.
fn scan(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    folder.run(&[&["scan"], arguments].concat(), "")
}

/// Runs a scan with JSON as output; returns its status and the report.
fn report(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    let (status, stdout, stderr) = scan(folder, &[arguments, &["-o", "json"]].concat());
    assert!(stdout.starts_with('{'), "{stderr}");
    (status, serde_json::from_str(&stdout).unwrap())
}

/// The statuses of the findings of a report.
fn statuses(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["status"].as_str().unwrap()).collect()
}

#[test]
fn the_exit_status_says_clean_denied_or_not_judged() {
    let folder = Folder::new("scan-status");
    folder.file("clean.yaml", CLEAN);
    folder.file("exposed.yaml", EXPOSED);
    folder.file("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
    folder.file("empty.yaml", "# nothing\n");
    let status = |arguments: &[&str]| {
        let (status, _, stderr) = scan(&folder, arguments);
        (status, stderr)
    };
    assert_eq!(status(&["clean.yaml", "-p", "external-ips"]), (0, String::new()));
    assert_eq!(status(&["exposed.yaml", "-p", "external-ips"]), (1, String::new()));
    assert_eq!(
        status(&["map.yaml", "-p", "external-ips"]),
        (
            2,
            "portcullis: nothing was judged: no policy looks at any of the objects; --explain says why\n"
                .to_owned()
        )
    );
    assert_eq!(
        status(&["empty.yaml", "-p", "external-ips"]),
        (2, "portcullis: nothing was judged: the input has no objects\n".to_owned())
    );
    assert_eq!(status(&["exposed.yaml", "-p", "external-ips", "--fail-on", "never"]).0, 0);
    assert_eq!(status(&["exposed.yaml", "-p", "external-ips", "--fail-on", "unknown"]).0, 0);
}

#[test]
fn names_file_line_and_column_of_each_finding() {
    let folder = Folder::new("scan-lines");
    fs::create_dir_all(folder.0.join("app/base")).unwrap();
    folder.file("app/base/web.yaml", format!("{CLEAN}---\n{EXPOSED}"));
    folder.file("app/notes.txt", EXPOSED);
    let (status, report) = report(&folder, &["app", "-p", "external-ips"]);
    assert_eq!((status, statuses(&report)), (1, vec!["denied"]));
    let finding = &report["findings"][0];
    assert_eq!(finding["object"]["namespace"], "default");
    assert_eq!(finding["path"], "spec.externalIPs[0]");
    let place = &finding["place"];
    assert_eq!((&place["file"], &place["start"]["line"]), (&"app/base/web.yaml".into(), &11.into()));
    assert_eq!(place["isExact"], true);
    let (_, text, _) = scan(&folder, &["app", "-p", "external-ips", "--namespace", "edge"]);
    assert!(
        text.contains("Service edge/web\n    DENIED    external-ips, app/base/web.yaml:11:7\n"),
        "{text}"
    );
}

#[test]
fn judges_the_rest_of_an_input_that_cannot_be_read() {
    let folder = Folder::new("scan-bad");
    folder.file("bad.yaml", format!("{EXPOSED}---\nkind: [\n---\n{EXPOSED}").replacen("web", "first", 1));
    let (status, report) = report(&folder, &["bad.yaml", "gone.yaml", "-p", "external-ips"]);
    assert_eq!((status, statuses(&report)), (2, vec!["denied", "denied"]));
    let notices = report["notices"].as_array().unwrap();
    let errors: Vec<&str> = notices.iter().map(|notice| notice["place"]["file"].as_str().unwrap()).collect();
    assert_eq!(errors, ["bad.yaml", "gone.yaml"]);
    assert!(notices.iter().all(|notice| notice["level"] == "error"), "{notices:?}");
}

#[test]
fn reads_standard_input_once() {
    let folder = Folder::new("scan-stdin");
    let (status, stdout, _) = folder.run(&["scan", "-", "-p", "external-ips", "-o", "json"], EXPOSED);
    assert_eq!(status, 1);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["findings"][0]["place"]["file"], "-");
    assert_eq!(
        folder.refused(&["scan", "-", "-p", "external-ips", "--cluster", "-"], EXPOSED),
        "standard input can be read only once; pass - a single time"
    );
}

#[test]
fn manifests_decide_with_namespaces_from_the_input_or_the_cluster() {
    let folder = Folder::new("scan-policy");
    fs::create_dir_all(folder.0.join("policies")).unwrap();
    folder.file("policies/ranges.yaml", policy("protect"));
    folder.file("policies/role.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n");
    folder.file("web.yaml", EXPOSED);
    folder.file("open.yaml", NAMESPACE.replace("EDGE", "true"));
    folder.file("closed.yaml", NAMESPACE.replace("EDGE", "false"));
    let arguments = ["web.yaml", "-n", "shop", "-p", "policies"];
    let status = |more: &[&str]| report(&folder, &[&arguments, more].concat());
    assert_eq!(status(&["--cluster", "open.yaml"]).0, 0);
    assert_eq!(status(&["open.yaml"]).0, 0);
    let (denied, report_of) = status(&["--cluster", "closed.yaml"]);
    assert_eq!((denied, statuses(&report_of)), (1, vec!["denied"]));
    // The labels of a Namespace that nobody gives are not known.
    let (unknown, report_of) = status(&[]);
    assert_eq!((unknown, statuses(&report_of)), (2, vec!["unknown"]));
    assert_eq!(status(&["--fail-on", "never"]).0, 0);
}

#[test]
fn monitored_denials_fail_only_on_request() {
    let folder = Folder::new("scan-monitor");
    folder.file("ranges.yaml", policy("monitor"));
    folder.file("web.yaml", EXPOSED);
    folder.file("closed.yaml", NAMESPACE.replace("EDGE", "false"));
    let arguments = ["web.yaml", "-n", "shop", "-p", "ranges.yaml", "--cluster", "closed.yaml"];
    let (status, found) = report(&folder, &arguments);
    assert_eq!((status, statuses(&found)), (0, vec!["monitored"]));
    assert_eq!(report(&folder, &[&arguments[..], &["--fail-on", "warn"]].concat()).0, 1);
}

#[test]
fn compares_with_the_state_before() {
    let folder = Folder::new("scan-old");
    for name in ["before", "after"] {
        fs::create_dir_all(folder.0.join(name)).unwrap();
        folder.file(&format!("{name}/web.yaml"), EXPOSED);
    }
    folder.file("before/gone.yaml", EXPOSED.replace("name: web", "name: gone"));
    folder.file("after/new.yaml", EXPOSED.replace("name: web", "name: new"));
    folder.file(
        "policy.yaml",
        policy("protect")
            .replace("[CREATE, UPDATE]", "['*']")
            .replace("  settings:", "  settings: {}\n  unused:")
            .split("  unused:")
            .next()
            .unwrap(),
    );
    let (status, found) = report(&folder, &["after", "--old", "before", "-p", "policy.yaml"]);
    // The stored address is tolerated, the new object is not, and a deletion is admitted.
    let findings = found["findings"].as_array().unwrap().iter();
    let names: Vec<&str> = findings.map(|finding| finding["object"]["name"].as_str().unwrap()).collect();
    assert_eq!((status, names), (1, vec!["new"]));
    assert_eq!(found["totals"]["evaluations"], 3);
    let (_, found) = report(&folder, &["after", "-p", "policy.yaml"]);
    assert_eq!(statuses(&found), ["denied", "denied"]);
    let (status, found) = report(&folder, &["after", "-p", "policy.yaml", "--operation", "delete"]);
    assert_eq!((status, statuses(&found).len()), (0, 0));
}

#[test]
fn judges_workloads_by_their_pods() {
    let folder = Folder::new("scan-pods");
    folder.file("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      hostPID: true\n      containers: [{name: web, image: web}]\n");
    folder.file(
        "policy.yaml",
        format!(
            "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {{name: pods}}
spec:
  module: ghcr.io/portcullis/policies/pod-security:v{}
  mutating: false
  rules: [{{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}}]
  settings: {{level: baseline}}
",
            env!("CARGO_PKG_VERSION")
        ),
    );
    let arguments = ["web.yaml", "-p", "policy.yaml"];
    let (status, found) = report(&folder, &arguments);
    assert_eq!((status, statuses(&found)), (1, vec!["denied"]));
    let finding = &found["findings"][0];
    assert_eq!(finding["path"], "spec.template.spec.hostPID");
    assert_eq!((&finding["concernsPods"], &finding["place"]["start"]["line"]), (&true.into(), &7.into()));
    assert_eq!(report(&folder, &[&arguments[..], &["--pods", "off"]].concat()).0, 2);
}

#[test]
fn the_requesting_user_is_a_choice() {
    let folder = Folder::new("scan-user");
    folder.file(
        "node.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {node-restriction.kubernetes.io/a: b}}\n",
    );
    let status = |user: &[&str]| report(&folder, &[&["node.yaml", "-p", "node-labels"], user].concat());
    let node = ["--user", "system:node:n1", "--group", "system:nodes"];
    assert_eq!(statuses(&status(&node).1), ["denied"]);
    let (_, admin) = status(&["--user", "admin"]);
    assert!(statuses(&admin).is_empty(), "{admin}");
    let (_, account) = status(&["--service-account", "kube-system/agent"]);
    assert!(statuses(&account).is_empty(), "{account}");
    let (code, _, stderr) = scan(&folder, &["node.yaml", "-p", "node-labels", "--service-account", "agent"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("write it as NAMESPACE/NAME"), "{stderr}");
}

#[test]
fn writes_several_reports_in_one_run() {
    let folder = Folder::new("scan-formats");
    folder.file("web.yaml", EXPOSED);
    let formats = [
        ("json", "r.json", "\"findings\""),
        ("sarif", "r.sarif", "\"version\": \"2.1.0\""),
        ("junit", "r.xml", "<testsuites"),
        ("github", "r.txt", "::error file=web.yaml,line=7"),
        ("gitlab", "gl.json", "\"fingerprint\""),
        ("markdown", "r.md", "external-ips"),
        ("openreports", "or.yaml", "openreports.io/v1alpha1"),
        ("html", "r.html", "<!doctype html>"),
    ];
    let outputs: Vec<String> = formats.iter().map(|(format, file, _)| format!("{format}={file}")).collect();
    let mut arguments = vec!["web.yaml", "-p", "external-ips", "-o", "text"];
    arguments.extend(outputs.iter().flat_map(|output| ["-o", output]));
    let (status, text, stderr) = scan(&folder, &arguments);
    assert_eq!((status, stderr.as_str()), (1, ""));
    assert!(text.starts_with("web.yaml\n  Service default/web\n    DENIED"), "{text}");
    for (format, file, content) in formats {
        let report = fs::read_to_string(folder.0.join(file)).unwrap();
        let wanted = content.to_lowercase();
        assert!(report.to_lowercase().contains(&wanted), "{format}: {report}");
    }
    assert_eq!(
        folder.refused(&["scan", "web.yaml", "-p", "external-ips", "-o", "json", "-o", "text"], ""),
        "--output: two formats are for standard output; name a file for one, as in -o html=report.html"
    );
    let (_, again, _) = scan(&folder, &["web.yaml", "-p", "external-ips", "-o", "json"]);
    assert_eq!(again, fs::read_to_string(folder.0.join("r.json")).unwrap());
}

#[test]
fn a_baseline_leaves_only_what_is_new() {
    let folder = Folder::new("scan-baseline");
    folder.file("web.yaml", EXPOSED);
    let run = |more: &[&str]| scan(&folder, &[&["web.yaml", "-p", "external-ips"], more].concat());
    assert_eq!(run(&["--write-baseline", "known.jsonl"]).0, 0);
    let (status, _, stderr) = run(&["--baseline", "known.jsonl"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    folder.file("web.yaml", format!("# moved\n{EXPOSED}    - 192.0.2.2\n"));
    let (status, text, _) = run(&["--baseline", "known.jsonl"]);
    assert_eq!(status, 1);
    assert!(text.contains("192.0.2.2") && !text.contains("\"192.0.2.1\""), "{text}");
    folder.file("web.yaml", CLEAN);
    let (status, _, stderr) = run(&["--baseline", "known.jsonl"]);
    assert_eq!(
        (status, stderr.as_str()),
        (0, "portcullis: known.jsonl: 1 finding is gone; update it with --write-baseline\n")
    );
    folder.file("other.json", "{}");
    let message = folder.refused(&["scan", "web.yaml", "-p", "external-ips", "--baseline", "other.json"], "");
    assert!(message.starts_with("other.json: "), "{message}");
}

#[test]
fn exceptions_in_annotations_need_a_reason_and_can_end() {
    let folder = Folder::new("scan-exceptions");
    let run = |annotation: &str, more: &[&str]| {
        let annotated = format!("  name: web\n  annotations:\n    portcullis.dev/except.{annotation}\n");
        folder.file("web.yaml", EXPOSED.replace("  name: web\n", &annotated));
        scan(&folder, &[&["web.yaml", "-p", "external-ips"], more].concat())
    };
    for annotation in
        ["external-ips: 'moves to the gateway, see #12'", "external-ips: moves until 9999-12-31"]
    {
        let (status, text, stderr) = run(annotation, &[]);
        assert_eq!((status, stderr.as_str()), (0, ""), "{text}");
        assert!(text.contains("1 excepted"), "{text}");
        assert!(text.contains("1 finding is excepted by annotations of the objects"), "{text}");
        let (_, json, _) = run(annotation, &["-o", "json"]);
        assert!(json.contains("\"excepted\": \"moves"), "{json}");
        let (status, text, _) = run(annotation, &["--no-exceptions"]);
        assert_eq!(status, 1);
        assert!(text.contains("1 exception is not honoured: the scan judges without exceptions"), "{text}");
        assert!(!text.contains("excepted"), "{text}");
    }
    // Others can annotate an object in a cluster.
    let annotated = "  name: web\n  resourceVersion: '7'\n  annotations:\n    portcullis.dev/except.external-ips: moves\n";
    folder.file("dump.yaml", EXPOSED.replace("  name: web\n", annotated));
    let (status, text, _) = scan(&folder, &["dump.yaml", "-p", "external-ips"]);
    assert!(status == 1 && text.contains("1 exception is not honoured: others may"), "{text}");
    assert_eq!(scan(&folder, &["dump.yaml", "-p", "external-ips", "--exceptions"]).0, 0);
    for (annotation, problem) in [
        ("external-ips: ''", "an exception has a reason; "),
        ("external-ips: moves until 2020-01-31", "the exception ended on 2020-01-31 and does not count; "),
        ("external-ips: moves until soon", "is not a date; write it as YYYY-MM-DD"),
        ("external-ip: moves", "no policy of this scan has the name external-ip; did you mean external-ips?"),
    ] {
        let (status, text, _) = run(annotation, &[]);
        assert_eq!(status, 1, "{text}");
        assert!(text.contains("web.yaml:6:5") && text.contains(problem), "{text}");
    }
}

#[test]
fn explains_why_policies_look_at_objects() {
    let folder = Folder::new("scan-explain");
    folder.file(
        "web.yaml",
        format!("{EXPOSED}---\n{CLEAN}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\n"),
    );
    let (status, _, stderr) = scan(&folder, &["web.yaml", "-p", "external-ips", "--explain"]);
    assert_eq!(status, 1);
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{stderr}");
    assert!(lines[0].starts_with("Service default/web: judged by external-ips: "), "{stderr}");
    assert!(
        lines[1].starts_with("Service shop/api: not judged by external-ips: the match condition "),
        "{stderr}"
    );
    assert!(lines[2].starts_with("ConfigMap default/m: not judged by external-ips: no rule "), "{stderr}");
}

#[test]
fn strict_makes_suspicious_objects_errors() {
    let folder = Folder::new("scan-strict");
    folder.file("web.yaml", format!("{CLEAN}specs: {{}}\n"));
    let (status, found) = report(&folder, &["web.yaml", "-p", "external-ips"]);
    assert_eq!((status, &found["notices"][0]["level"]), (0, &"warning".into()), "{found}");
    assert_eq!(report(&folder, &["web.yaml", "-p", "external-ips", "--strict"]).0, 2);
}

#[test]
fn says_what_is_wrong_with_policies() {
    let folder = Folder::new("scan-wrong");
    folder.file("web.yaml", CLEAN);
    fs::create_dir_all(folder.0.join("none")).unwrap();
    let refused = |arguments: &[&str]| folder.refused(&[&["scan", "web.yaml"], arguments].concat(), "");
    assert_eq!(refused(&["-p", "none"]), "none: has no manifest of a policy in *.yaml, *.yml or *.json");
    assert_eq!(
        refused(&["-p", "web.yaml"]),
        "web.yaml: has no manifest of a policy; pass the objects to judge without --policy"
    );
    assert_eq!(
        refused(&["-p", "external-ip"]),
        "policy external-ip: does not exist; did you mean external-ips?"
    );
    assert_eq!(
        refused(&["-p", "external-ips", "--settings-json", "{\"alow\": []}"]),
        "--settings-json: alow: unknown key; did you mean allow?"
    );
    assert_eq!(
        refused(&["-p", "external-ips", "-p", "node-labels", "--settings-json", "{}"]),
        "--settings-json: the settings are for one policy without a manifest, and 2 are given; write settings into \
         manifests"
    );
    // One policy that cannot judge does not keep the others from it.
    folder.file("broken.yaml", policy("protect").replace("rules: [", "rules: 1 # ["));
    folder.file("remote.yaml", policy("protect").replace("ghcr.io/portcullis", "localhost:1"));
    let (status, found) = report(
        &folder,
        &["web.yaml", "-p", "broken.yaml", "-p", "remote.yaml", "-p", "external-ips", "--offline"],
    );
    assert_eq!(status, 2);
    let messages: Vec<&str> = found["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| notice["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.iter().any(|message| message.starts_with("broken.yaml: spec.rules: ")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("spec.module: localhost:1/")), "{messages:?}");
    let totals = &found["totals"]["policies"];
    assert_eq!((&totals[0]["admitted"], &totals[1]["unknown"]), (&1.into(), &1.into()), "{totals}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_scan_prints_what_it_found_and_says_so() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    const SIGINT: u64 = 1 << (2 - 1);
    let folder = Folder::new("scan-interrupt");
    let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"externalIPs": ["192.0.2.1"]}}"#;
    folder.file(
        "dump.json",
        format!("{{\"kind\": \"List\", \"items\": [{}]}}", vec![service; 300_000].join(",")),
    );
    let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    tool.args(["scan", "dump.json", "-p", "external-ips", "-o", "json"]).current_dir(&folder.0);
    let child = tool.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The signal comes as soon as the tool catches it.
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & SIGINT != 0
    };
    while !catches() {
        sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isPartial"], true);
    assert!(report["totals"]["objects"].as_u64().unwrap() < 300_000);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "portcullis: interrupted: the report is not all\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_can_be_read_although_look_ups_read_the_input_twice() {
    use std::process::Command;

    let folder = Folder::new("scan-pipe");
    let pipe = folder.0.join("pipe.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || fs::write(pipe, EXPOSED).unwrap());
    let (status, found) = report(&folder, &["pipe.yaml", "-p", "external-ips"]);
    writer.join().unwrap();
    assert_eq!((status, statuses(&found)), (1, vec!["denied"]));
}

#[test]
fn shows_what_policies_change_as_diffs_and_patches() {
    let folder = Folder::new("scan-diff");
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n";
    folder.file("web.yaml", format!("{pod}{namespace}"));
    let (status, text, stderr) = scan(&folder, &["web.yaml", "-p", "selinux", "--diff"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{text}");
    let heading = "Pod default/web: changed by selinux, web.yaml:2:1\n  @@ ";
    assert!(text.contains(heading), "{text}");
    assert!(text.contains("\n  +  securityContext:\n  +    seLinuxOptions:\n  +      level: "), "{text}");
    let (_, found) = report(&folder, &["web.yaml", "-p", "selinux", "--diff"]);
    let mutation = &found["mutations"][0];
    assert_eq!((&mutation["object"]["name"], &mutation["policy"]), (&"web".into(), &0.into()));
    assert_eq!(mutation["patch"][0]["op"], "add", "{mutation}");
    assert!(mutation["diff"][0].as_str().unwrap().starts_with("@@ "), "{mutation}");
    // Nothing is kept unless it is asked for.
    let (_, found) = report(&folder, &["web.yaml", "-p", "selinux"]);
    assert!(found.get("mutations").is_none(), "{found}");
    let (_, stderr, _) = scan(&folder, &["web.yaml", "-p", "selinux"]);
    assert!(!stderr.contains("@@"), "{stderr}");
}

/// Rancher installs Kubewarden in another namespace.
#[test]
fn the_namespace_of_kubewarden_is_left_out() {
    let folder = Folder::new("scan-installation");
    let manifest =
        POLICY.replace("external-ips", "pod-security").replace("resources: [services]", "resources: [pods]");
    let (manifest, _) = manifest.split_once("  settings:").unwrap();
    let manifest = manifest.replace("VERSION", env!("CARGO_PKG_VERSION")).replace("MODE", "protect");
    folder.file("policy.yaml", &manifest);
    let inside = manifest
        .replace("  mutating: false", "  mutating: false\n  allowInsideAdmissionControllerNamespace: true");
    folder.file("inside.yaml", &inside);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: NS}\nspec: {hostPID: true, containers: [{name: a, image: a}]}\n";
    folder.file(
        "pods.yaml",
        ["kubewarden", "cattle-kubewarden-system"].map(|name| pod.replace("NS", name)).join("---\n"),
    );
    let denied = |arguments: &[&str]| {
        let (_, report) = report(&folder, &[&["pods.yaml"], arguments].concat());
        let findings = report["findings"].as_array().unwrap();
        let names = findings.iter().map(|one| one["object"]["namespace"].as_str().unwrap().to_owned());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    };
    let elsewhere = ["--kubewarden-namespace", "cattle-kubewarden-system"];
    for policy in ["policy.yaml", "inside.yaml"] {
        assert_eq!(denied(&["-p", policy]), ["cattle-kubewarden-system"], "{policy}");
        assert_eq!(denied(&[&["-p", policy], &elsewhere[..]].concat()), ["kubewarden"], "{policy}");
    }
    let evaluated = "--evaluate-kubewarden-namespace";
    assert_eq!(denied(&["-p", "policy.yaml", evaluated]), ["cattle-kubewarden-system"]);
    assert_eq!(denied(&["-p", "inside.yaml", evaluated]), ["kubewarden", "cattle-kubewarden-system"]);
    let (_, _, stderr) = scan(&folder, &["pods.yaml", "-p", "inside.yaml", "--explain"]);
    assert!(
        stderr.contains("Kubewarden's policy servers admit each request in their own namespace"),
        "{stderr}"
    );
}
