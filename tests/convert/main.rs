//! The manifests that `portcullis convert` writes.
//!
//! The module `cases` reads the conversions, which are data. The tests here start the program.

mod cases;
mod conformance;
mod external_ips;
mod generated;
mod kyverno_library;
mod requests;
mod single_controls;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use cases::{CaseFile, NO_TEMPLATE};

/// Runs `convert` in a directory; returns its status, standard output and standard error.
fn convert(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut child = Command::new(target.join("debug/portcullis"))
        .current_dir(folder)
        .arg("convert")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool is built with ./justw modules");
    // A tool that does not read its input closes the pipe.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Runs `convert` with standard input; returns its status and the JSON output.
fn listed(arguments: &[&str], input: &str) -> (i32, Value) {
    let (status, stdout, stderr) =
        convert(&tests::root(), &[arguments, &["-", "-o", "json"]].concat(), input);
    (status, serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}")))
}

/// Runs `convert` without success; returns its message.
fn refused(arguments: &[&str], input: &str) -> String {
    let (status, stdout, stderr) = convert(&tests::root(), arguments, input);
    assert_eq!((status, stdout.as_str()), (2, ""), "{input} {stderr}");
    let message = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!message.contains('\n'), "{message}");
    message.to_owned()
}

/// The directory of a test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("convert-{test}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn documents(yaml: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

/// A policy of Kyverno for all pods.
fn policy(name: &str) -> Value {
    json!({
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": { "name": name },
        "spec": {
            "background": false,
            "rules": [{
                "name": "r",
                "match": { "any": [{ "resources": { "kinds": ["Pod"] } }] },
                "validate": { "podSecurity": { "level": "baseline", "version": "v1.34" } },
            }],
        },
    })
}

/// A workload does not have the labels of its pods, and one rule of a policy decides for all: no
/// template is evaluated.
#[test]
fn prints_manifests_below_their_differences() {
    let file =
        |name: &str| fs::read_to_string(tests::root().join("tests/convert/printed").join(name)).unwrap();
    let print = |input: &str| convert(&tests::root(), &["kyverno", "-"], &file(input));
    let printed = print("kyverno.yaml");
    // The places of the version, and of the nearest field of one that is absent.
    assert_eq!(printed, (1, file("kyverno.stdout"), file("kyverno.stderr")));
    // A second run prints the same bytes.
    assert_eq!(print("kyverno.yaml"), printed);
    let (status, stdout, _) = print("others.yaml");
    assert_eq!((status, stdout), (1, file("others.stdout")));
}

#[test]
fn the_migration_pages_show_what_the_tool_prints() {
    for source in ["gatekeeper", "kubewarden", "kyverno", "psa"] {
        let page = tests::root().join(format!("docs/migrate-{source}.md"));
        let page = fs::read_to_string(page).unwrap();
        let blocks: Vec<&str> =
            page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
        let [before, after, ..] = blocks.as_slice() else { panic!("{blocks:?}") };
        let (status, printed, stderr) = convert(&tests::root(), &[source, "-"], before);
        assert_eq!(printed, *after, "{source}");
        // Templates of Gatekeeper's library are too long for the page.
        assert_eq!(
            (status, stderr.contains(NO_TEMPLATE)),
            if source == "gatekeeper" { (1, true) } else { (0, false) }
        );
        let shown = page.split("$ echo $?\n").nth(1).and_then(|rest| rest.lines().next());
        assert_eq!(shown, Some(status.to_string().as_str()), "{source}");
    }
}

#[test]
fn outputs_have_the_same_manifests_and_the_same_differences() {
    let files = ["gatekeeper.yaml", "kubewarden.yaml", "kyverno.yaml"];
    for (name, file) in CaseFile::all().into_iter().filter(|(name, _)| files.contains(&name.as_str())) {
        let (source, input) = (file.source.as_str(), file.whole_input().to_string());
        let (status, yaml, stderr) = convert(&tests::root(), &[source, "-"], &input);
        let (status_of_json, list) = listed(&[source], &input);
        assert_eq!((status, status_of_json), (1, 1), "{name}");
        assert_eq!(documents(&yaml), *list["items"].as_array().unwrap(), "{name}");
        let found = list["differences"].as_array().unwrap();
        let classes: Vec<String> =
            found.iter().map(|found| format!("{}: ", found["class"].as_str().unwrap())).collect();
        let comments = yaml.lines().filter_map(|line| line.strip_prefix("# "));
        let comments = comments.filter(|line| classes.iter().any(|class| line.starts_with(class.as_str())));
        let lines: Vec<&str> = stderr.lines().collect();
        let (summary, lines) = lines.split_last().unwrap();
        assert_eq!((comments.count(), lines.len()), (found.len(), found.len()), "{name}");
        for (line, class) in lines.iter().zip(&classes) {
            assert!(line.starts_with("standard input:") && line.contains(&format!(": {class}")), "{line}");
        }
        let count = |class: &str| classes.iter().filter(|found| found.starts_with(class)).count();
        let counts = ["weaker", "stricter", "not-converted", "text"].map(|class| (count(class), class));
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, class)| format!("{count} {class}"))
            .collect();
        assert_eq!(*summary, counts.join(", "), "{name}");
    }
    let page = fs::read_to_string(tests::root().join("docs/migrate-psa.md")).unwrap();
    let before = page.split("```yaml\n").nth(1).unwrap().split_once("```").unwrap().0;
    let (_, yaml, _) = convert(&tests::root(), &["psa", "-"], before);
    let (status, list) = listed(&["psa"], before);
    assert_eq!((status, &list["differences"]), (0, &json!([])));
    assert_eq!(*list["items"].as_array().unwrap(), documents(&yaml));
}

#[test]
fn options_change_modes_registries_and_names() {
    let mut audited = policy("p");
    audited["spec"]["background"] = true.into();
    let options = ["kyverno", "--mode=protect", "--registry=registry://registry.example.com/a/"];
    let (status, list) = listed(&[&options[..], &["--name-prefix=psa-"]].concat(), &audited.to_string());
    assert_eq!(status, 0);
    let found: Vec<(&Value, &Value, &Value)> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["metadata"]["name"], &item["spec"]["mode"], &item["spec"]["module"]))
        .collect();
    let module = json!("registry://registry.example.com/a/pod-security:v0.1.0");
    assert_eq!(
        found,
        [
            (&json!("psa-p-r"), &json!("protect"), &module),
            (&json!("psa-p-r-audit"), &json!("monitor"), &module),
        ]
    );
    // Mode monitor would discard the warnings.
    let mut warning = policy("p");
    warning["spec"]["emitWarning"] = true.into();
    let (_, list) = listed(&["kyverno", "--mode=monitor"], &warning.to_string());
    assert_eq!(list["items"][0]["spec"]["mode"], "protect");
    let configuration =
        "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n";
    let (_, list) = listed(&["psa", "--mode=monitor", "--name-prefix=a-"], configuration);
    assert_eq!(list["items"][0]["spec"]["mode"], "monitor");
    assert_eq!(list["items"][0]["metadata"]["name"], "a-pod-security");
    // Labels of Namespaces can set a level that denies.
    let warns = format!("{configuration}defaults: {{warn: restricted}}\n");
    let (_, list) = listed(&["psa", "--mode=monitor"], &warns);
    assert_eq!(list["items"][0]["spec"]["mode"], "monitor");
    let input = policy("p").to_string();
    for prefix in ["A", "-a", "a-much-too-long-prefix"] {
        let message = refused(&["kyverno", "-", &format!("--name-prefix={prefix}")], &input);
        assert!(message.starts_with("--name-prefix: expected at most 12 "), "{message}");
    }
    assert_eq!(
        refused(&["kyverno", "-", "--registry", ""], &input),
        "--registry: expected a registry and a path"
    );
}

#[test]
fn names_are_valid_and_unique_across_files() {
    let folder = folder("files");
    fs::write(folder.join("a.yaml"), serde_saphyr::to_string(&policy("My_Policy")).unwrap()).unwrap();
    fs::write(folder.join("b.json"), policy("my.policy").to_string()).unwrap();
    let arguments = ["kyverno", "a.yaml", "b.json", "-", "-o", "json"];
    let (status, stdout, stderr) = convert(&folder, &arguments, &policy("my-policy").to_string());
    assert_eq!((status, stderr.as_str()), (0, ""));
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let names: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["my-policy-r", "my.policy-r", "my-policy-r-2"]);
}

#[test]
fn reads_the_configuration_of_kyverno_from_a_file() {
    let file = folder("configuration").join("kyverno.yaml");
    let path = file.to_str().unwrap();
    let shown = file.strip_prefix(tests::root()).unwrap_or(&file).display();
    let input = policy("p").to_string();
    let map = |data: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kyverno}}\ndata:\n  {data}\n")
    };
    fs::write(&file, map("resourceFilters: '[*/*,quiet,*]'")).unwrap();
    let (status, list) = listed(&["kyverno", "--kyverno-config", path], &input);
    let selector = &list["items"][0]["spec"]["namespaceSelector"];
    assert_eq!((status, &selector["matchExpressions"][0]["values"]), (0, &json!(["quiet"])));
    let note = format!("Kyverno's configuration in {shown}:2:1 leaves out the namespace quiet.");
    assert_eq!(list["notes"], json!([note]));
    for (text, problem) in [
        (
            map("webhooks: '{'"),
            "5:3: data.webhooks: invalid JSON: EOF while parsing an object at line 1 column 1",
        ),
        (map("excludeGroups: 1"), "5:3: data.excludeGroups: expected a string, found a number"),
        (
            "kind: Pod\napiVersion: v1\n".to_owned(),
            "1:1: kind: expected the ConfigMap of Kyverno, of apiVersion v1",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let message = refused(&["kyverno", "-", "--kyverno-config", path], &input);
        assert_eq!(message, format!("{shown}:{problem}"));
    }
}

#[test]
fn a_document_that_cannot_be_read_does_not_stop_the_others() {
    let folder = folder("broken");
    let broken = r#"{"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "b"}}"#;
    let mut enforced = policy("p");
    enforced["spec"]["rules"][0]["validate"]["failureAction"] = "Enforce".into();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {broken}\n- {enforced}\n");
    fs::create_dir_all(folder.join("policies")).unwrap();
    for (name, text) in [("a.yaml", list.as_str()), ("b.yaml", "a: [\n"), ("values.yaml", "a: 1\n")] {
        fs::write(folder.join("policies").join(name), text).unwrap();
    }
    let (status, stdout, stderr) = convert(&folder, &["kyverno", "policies"], "");
    assert_eq!(status, 2);
    let manifest = &documents(&stdout)[0];
    // The document could be an exception.
    assert_eq!(
        (&manifest["metadata"]["name"], &manifest["spec"]["mode"]),
        (&json!("p-r"), &json!("monitor"))
    );
    assert!(stdout.contains("# A document cannot be read, so that"), "{stdout}");
    let found: Vec<&str> =
        stderr.lines().map(|line| line.strip_prefix("portcullis: ").unwrap_or(line)).collect();
    let [yaml, values, missing] = found.as_slice() else { panic!("{stderr}") };
    assert!(yaml.starts_with("policies/b.yaml:"), "{yaml}");
    assert!(values.starts_with("policies/values.yaml:1:1: not a Kubernetes object"), "{values}");
    assert_eq!(*missing, "policies/a.yaml:4:35: spec: is missing");
}

#[test]
fn classes_decide_the_status() {
    let status = |source: &str, options: &[&str], input: &Value| {
        convert(&tests::root(), &[&[source], options, &["-"]].concat(), &input.to_string()).0
    };
    let mut text = policy("p");
    text["spec"]["rules"][0]["validate"]["message"] = "Ask platform.".into();
    assert_eq!(status("kyverno", &[], &text), 0);
    let mut weaker = policy("p");
    weaker["spec"]["rules"][0]["validate"]["podSecurity"]["version"] = "v1.24".into();
    assert_eq!(status("kyverno", &[], &weaker), 1);
    assert_eq!(status("kyverno", &["--allow", "stricter,not-converted"], &weaker), 1);
    assert_eq!(status("kyverno", &["--allow", "stricter", "--allow", "weaker"], &weaker), 0);
}

#[test]
fn rejects_invalid_input_with_one_line() {
    let policy = policy("p");
    for (source, input, message) in [
        ("kyverno", "", ": is empty; expected Kyverno policies"),
        ("psa", "", ": is empty; expected a PodSecurityConfiguration or an AdmissionConfiguration"),
        (
            "kyverno",
            "# Policies\n[1]",
            ":2:1: a list of values that are not Kubernetes objects; expected Kyverno policies",
        ),
        (
            "kyverno",
            "---\na: 1",
            ":2:1: not a Kubernetes object: neither apiVersion nor kind; expected Kyverno policies",
        ),
        (
            "kyverno",
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: kyverno.io/v1, kind: PolicyList, items: []}\n",
            ": contains no object; expected Kyverno policies",
        ),
        (
            "kyverno",
            "---\n---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: {}\n",
            ":4:1: metadata: is missing",
        ),
        (
            "kyverno",
            &format!(
                "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  \
                 validationFailureAction: block\n  rules: {}\n",
                policy["spec"]["rules"]
            ),
            ":5:3: spec.validationFailureAction: expected Enforce or Audit",
        ),
    ] {
        assert_eq!(refused(&[source, "-"], input), format!("standard input{message}"));
    }
    let yaml = refused(&["kyverno", "-"], "a: [1\nb: 2");
    assert!(yaml.starts_with("standard input:2:2: ") && yaml.contains("invalid YAML: "), "{yaml}");
    assert_eq!(
        refused(&["kyverno", "nothing.yaml"], ""),
        "nothing.yaml: cannot be read: No such file or directory (os error 2)"
    );
}
