//! The command-line tool with the real modules.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn portcullis(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(tests::root().join("target/debug/portcullis"))
        .current_dir(tests::root())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool is built with ./justw modules");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn request(ips: &[&str]) -> Value {
    json!({
        "uid": "1",
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "resource": { "group": "", "version": "v1", "resource": "services" },
        "name": "web",
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": { "username": "alice" },
        "object": {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "externalIPs": ips },
        },
    })
}

#[test]
fn prints_each_violation_of_a_denial_and_exits_with_1() {
    let output = portcullis(
        &["run", "external-ips", "--engine", "wasm", "--request", "-"],
        &request(&["192.0.2.1", "192.0.2.2"]).to_string(),
    );
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("DENIED"), "{text}");
    assert!(text.contains("CREATE Service shop/web"), "{text}");
    for index in 0..2 {
        assert!(
            text.contains(&format!("spec.externalIPs[{index}]: Invalid value: \"192.0.2.{}\":", index + 1)),
            "{text}"
        );
    }
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn exits_with_0_on_admission() {
    let output =
        portcullis(&["run", "external-ips", "--engine", "wasm", "--request", "-"], &request(&[]).to_string());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("ADMITTED"));
}

#[test]
fn json_output_is_the_response_of_a_webhook() {
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request(&["192.0.2.1"]) });
    let output = portcullis(&["run", "external-ips", "--request", "-", "-o", "json"], &review.to_string());
    assert_eq!(output.status.code(), Some(1));
    let response: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(response["kind"], "AdmissionReview");
    assert_eq!(response["response"]["uid"], "1");
    assert_eq!(response["response"]["allowed"], false);
    assert_eq!(response["response"]["status"]["code"], 403);
}

#[test]
fn judges_several_requests_in_order_with_settings_and_cluster() {
    let dir = tempdir("several");
    let settings = dir.join("settings.yaml");
    std::fs::write(
        &settings,
        "allow:\n  - cidrs: [192.0.2.0/24]\n    namespaceSelector: {matchLabels: {edge: 'true'}}\n",
    )
    .unwrap();
    let namespaces = dir.join("namespaces.json");
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [
        { "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop", "labels": { "edge": "true" } } },
    ] });
    std::fs::write(&namespaces, list.to_string()).unwrap();
    let (one, two) = (dir.join("one.json"), dir.join("two.json"));
    std::fs::write(&one, request(&["192.0.2.1"]).to_string()).unwrap();
    std::fs::write(&two, request(&["203.0.113.1"]).to_string()).unwrap();
    let path = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let arguments = [
        "run",
        "external-ips",
        "--engine",
        "wasm",
        "--request",
        &path(&one),
        &path(&two),
        "--settings",
        &path(&settings),
        "--cluster",
        &path(&namespaces),
    ];
    let output = portcullis(&arguments, "");
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    assert!(text.find("ADMITTED").unwrap() < text.find("DENIED").unwrap(), "{text}");
    assert!(!text.contains("192.0.2.0/24"), "messages do not reveal the allowed ranges");
}

#[test]
fn exits_with_2_and_a_path_if_the_module_rejects_settings() {
    let arguments = [
        "run",
        "external-ips",
        "--engine",
        "wasm",
        "--request",
        "-",
        "--settings-json",
        r#"{"allow": [{"cidr": ["10.0.0.0/8"]}]}"#,
    ];
    let output = portcullis(&arguments, &request(&[]).to_string());
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(text.starts_with("portcullis: "), "{text}");
    assert!(text.contains("allow[0].cidr: unknown key; did you mean cidrs?"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(out(&output), "");
}

/// The first scan of the README prints what the README says.
#[test]
fn the_scan_of_the_readme_has_its_output() {
    let readme = std::fs::read_to_string(tests::root().join("README.md")).unwrap();
    let (_, after) = readme.split_once("$ target/debug/portcullis scan docs/examples/scan ").unwrap();
    let (arguments, after) = after.split_once('\n').unwrap();
    let (expected, _) = after.split_once("```").unwrap();
    let report = tempdir("readme").join("scan.html").to_str().unwrap().to_owned();
    let arguments = arguments.replace("html=scan.html", &format!("html={report}"));
    let arguments: Vec<&str> =
        ["scan", "docs/examples/scan"].into_iter().chain(arguments.split(' ')).collect();
    let output = portcullis(&arguments, "");
    assert_eq!((out(&output).as_str(), output.status.code()), (expected, Some(1)), "{}", err(&output));
    assert!(std::fs::read_to_string(report).unwrap().contains("Host Namespaces"));
}

#[test]
fn judges_every_sample() {
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("samples");
        let mut judged = 0;
        for file in std::fs::read_dir(&dir).unwrap() {
            let file = file.unwrap().path();
            let Some(stem) = file.to_str().unwrap().strip_suffix(".request.json").map(str::to_owned) else {
                continue;
            };
            let mut arguments = vec![
                "run".to_owned(),
                entry.id.to_owned(),
                "--request".to_owned(),
                file.to_str().unwrap().to_owned(),
            ];
            for (flag, suffix) in [("--settings", ".settings.yaml"), ("--cluster", ".cluster.yaml")] {
                let beside = format!("{stem}{suffix}");
                if std::path::Path::new(&beside).exists() {
                    arguments.extend([flag.to_owned(), beside]);
                }
            }
            let output = portcullis(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), "");
            assert!(matches!(output.status.code(), Some(0 | 1)), "{stem}: {}{}", out(&output), err(&output));
            judged += 1;
        }
        assert!(judged >= 2, "{}: samples", entry.id);
    }
}

/// kwctl is not a dependency. If it is installed, it must accept the modules as they are.
#[test]
fn kwctl_inspects_and_runs_the_modules_if_it_is_installed() {
    let kwctl = |arguments: &[&str]| {
        let home = tempdir("kwctl");
        Command::new("kwctl").args(arguments).env("HOME", &home).env_remove("RUST_BACKTRACE").output()
    };
    for entry in rules::CATALOG {
        let module = tests::root().join("target/policies").join(format!("{}.wasm", entry.id));
        let module = module.to_str().unwrap();
        let Ok(inspected) = kwctl(&["inspect", module]) else { return };
        assert!(inspected.status.success(), "{}", String::from_utf8_lossy(&inspected.stderr));
        assert!(out(&inspected).contains(entry.id), "{}", out(&inspected));
        let file = tempdir("kwctl").join("request.json");
        std::fs::write(&file, request(&["192.0.2.1"]).to_string()).unwrap();
        let run = kwctl(&["run", "--request-path", file.to_str().unwrap(), module]).unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let mut verdict: Value = serde_json::from_str(out(&run).trim()).unwrap();
        let ours = portcullis(&["run", entry.id, "--request", file.to_str().unwrap(), "-o", "json"], "");
        let mut expected = serde_json::from_str::<Value>(&out(&ours)).unwrap()["response"].take();
        for response in [&mut verdict, &mut expected] {
            response.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        }
        assert_eq!(verdict, expected, "the embedded host and kwctl return the same response");
    }
}

/// The directory of a test.
fn tempdir(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}
