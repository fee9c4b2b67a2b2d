//! The command-line tool with the real modules.

use std::process::Command;

use serde_json::{Value, json};

use crate::files::{names, read};
use crate::folder::{Done, Folder, tool};

/// Runs the tool in the root of the repository.
fn portcullis(arguments: &[&str]) -> Done {
    Done::of(Command::new(tool()).args(arguments).current_dir(tests::root()))
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
fn evaluates_requests_in_order_with_settings_and_cluster() {
    let folder = Folder::new("tool-order");
    let file = |name: &str, text: String| folder.file(name, text).display().to_string();
    let one = file("one.json", request(&["192.0.2.1"]).to_string());
    let two = file("two.json", request(&["203.0.113.1", "203.0.113.2"]).to_string());
    let settings =
        "allow:\n  - cidrs: [192.0.2.0/24]\n    namespaceSelector: {matchLabels: {edge: 'true'}}\n";
    let settings = file("settings.yaml", settings.to_owned());
    let namespace = json!({ "name": "shop", "labels": { "edge": "true" } });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": namespace });
    let cluster = json!({ "apiVersion": "v1", "kind": "List", "items": [namespace] });
    let cluster = file("namespaces.json", cluster.to_string());
    let options = ["--engine", "wasm", "--settings", &*settings, "--cluster", &*cluster];
    let evaluate =
        |requests: &[&str]| portcullis(&[&["run", "external-ips", "--request"], requests, &options].concat());
    let done = evaluate(&[&*one, &*two]);
    let text = &done.stdout;
    assert_eq!(done.status, 1, "{done:?}");
    assert!(text.starts_with("ADMITTED"), "{text}");
    let (_, denied) = text.split_once("DENIED").unwrap();
    assert!(denied.contains("CREATE Service shop/web"), "{text}");
    for index in 0..2 {
        let line = format!("spec.externalIPs[{index}]: Invalid value: \"203.0.113.{}\":", index + 1);
        assert!(denied.contains(&line), "{text}");
    }
    assert!(!text.contains("192.0.2.0/24"), "messages do not reveal the allowed ranges");
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    assert_eq!(evaluate(&[&*one]).status, 0);
}

#[test]
fn exits_with_2_and_a_path_if_the_module_rejects_settings() {
    let folder = Folder::new("tool-settings");
    let file = folder.file("request.json", request(&[]).to_string());
    let settings = r#"{"allow": [{"cidr": ["10.0.0.0/8"]}]}"#;
    let request = ["run", "external-ips", "--request", file.to_str().unwrap()];
    let options = ["--engine", "wasm", "--settings-json", settings];
    let Done { status, stdout, stderr } = portcullis(&[request, options].concat());
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.starts_with("portcullis: "), "{stderr}");
    assert!(stderr.contains("allow[0].cidr: unknown key; did you mean cidrs?"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

/// The first scan of the README prints what the README says.
#[test]
fn the_scan_of_the_readme_has_its_output() {
    let readme = read(&tests::root().join("README.md"));
    let (_, after) = readme.split_once("$ target/debug/portcullis scan docs/examples/scan ").unwrap();
    let (arguments, after) = after.split_once('\n').unwrap();
    let (expected, _) = after.split_once("```").unwrap();
    let folder = Folder::new("tool-readme");
    let report = folder.0.join("scan.html");
    let arguments = arguments.replace("html=scan.html", &format!("html={}", report.display()));
    let arguments: Vec<&str> =
        ["scan", "docs/examples/scan"].into_iter().chain(arguments.split(' ')).collect();
    let done = portcullis(&arguments);
    assert_eq!((done.stdout.as_str(), done.status), (expected, 1), "{}", done.stderr);
    assert!(read(&report).contains("Host Namespaces"));
}

/// By its metadata, a module is known as one of the policies of this version.
#[test]
fn findings_of_modules_have_the_rules_of_their_policies() {
    let folder = Folder::new("tool-rules");
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "a", "annotations": { "portcullis.dev/except.pod-security.hostPorts": "x" } },
        "spec": {
            "hostPID": true,
            "containers": [{ "name": "c", "image": "i", "ports": [{ "containerPort": 1, "hostPort": 1 }] }],
        },
    });
    let file = folder.file("pod.json", pod.to_string());
    let settings = folder.file("settings.json", json!({ "level": "baseline" }).to_string());
    let scan = |policy: &[&str]| {
        let [file, settings] = [&file, &settings].map(|file| file.to_str().unwrap());
        let done = portcullis(&[&["scan", file, "-o", "json", "-s", settings, "-p"], policy].concat());
        assert_eq!(done.status, 1, "{done:?}");
        let mut report: Value = serde_json::from_str(&done.stdout).unwrap();
        (report["findings"].take(), report["policies"][0]["id"].take())
    };
    let native = scan(&["pod-security"]);
    assert_eq!(native.1, "pod-security");
    let named = |rule: &str| {
        let findings = native.0.as_array().into_iter().flatten();
        findings
            .filter(|finding| finding["rule"] == rule)
            .map(|finding| finding["excepted"].clone())
            .collect()
    };
    let (open, excepted): (Vec<Value>, Vec<Value>) = (named("hostNamespaces"), named("hostPorts"));
    assert_eq!((open, excepted), (vec![Value::Null], vec![json!("x")]));
    assert_eq!(scan(&["pod-security", "--engine", "wasm"]), native);
    assert_eq!(scan(&["target/policies/pod-security.wasm"]), native);
}

#[test]
fn evaluates_every_sample() {
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("samples");
        let files = names(&dir).into_iter().filter(|name| name.ends_with(".request.json"));
        let files: Vec<String> = files.map(|name| dir.join(name).display().to_string()).collect();
        let arguments = ["run", entry.id, "--samples"].into_iter().chain(files.iter().map(String::as_str));
        let done = portcullis(&arguments.collect::<Vec<_>>());
        assert!(matches!(done.status, 0 | 1), "{}: {done:?}", entry.id);
        assert!(done.stdout.contains(&format!("\n{} requests: ", files.len())), "{}: {done:?}", entry.id);
    }
}

#[test]
fn kwctl_inspects_and_runs_the_modules_if_it_is_installed() {
    if Command::new("kwctl").arg("--version").output().is_err() {
        tests::not_run("E2E", "the comparison with kwctl", "kwctl is not installed").unwrap();
        return;
    }
    let folder = Folder::new("tool-kwctl");
    let file = folder.file("request.json", request(&["192.0.2.1"]).to_string());
    let file = file.to_str().unwrap();
    let kwctl = |arguments: &[&str]| {
        let mut kwctl = folder.command("kwctl", arguments);
        let done = Done::of(kwctl.env("HOME", &folder.0).env_remove("RUST_BACKTRACE"));
        assert_eq!(done.status, 0, "{done:?}");
        done.stdout
    };
    for entry in rules::CATALOG {
        let module = tests::root().join("target/policies").join(format!("{}.wasm", entry.id));
        let module = module.to_str().unwrap();
        let inspected = kwctl(&["inspect", module]);
        assert!(inspected.contains(entry.id), "{inspected}");
        let verdict = kwctl(&["run", "--request-path", file, module]);
        let mut verdict: Value = serde_json::from_str(verdict.trim()).unwrap();
        let ours = portcullis(&["run", entry.id, "--request", file, "-o", "json"]).stdout;
        let mut expected = serde_json::from_str::<Value>(&ours).unwrap()["response"].take();
        for response in [&mut verdict, &mut expected] {
            response.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        }
        assert_eq!(verdict, expected, "the embedded host and kwctl return the same response");
    }
}
