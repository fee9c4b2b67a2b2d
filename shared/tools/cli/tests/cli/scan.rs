//! `portcullis scan` with signals and pipes.

use std::fs;
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::folder::Folder;

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_scan_prints_what_it_found_and_says_so() {
    const SIGINT: u64 = 1 << (2 - 1);
    let folder = Folder::new();
    let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"externalIPs": ["192.0.2.1"]}}"#;
    folder.file(
        "dump.json",
        format!("{{\"kind\": \"List\", \"items\": [{}]}}", vec![service; 300_000].join(",")),
    );
    let child = folder.command(&["scan", "dump.json", "-p", "external-ips", "-o", "json"]).spawn().unwrap();
    // The signal comes as soon as the tool catches it.
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & SIGINT != 0
    };
    while !catches() {
        thread::sleep(std::time::Duration::from_millis(1));
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

#[test]
fn a_pipe_can_be_read_although_look_ups_read_the_input_twice() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {externalIPs: [192.0.2.1]}\n";
    let folder = Folder::new();
    let pipe = folder.path("pipe.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = thread::spawn(move || fs::write(pipe, service).unwrap());
    let (status, stdout, _) = folder.run(&["scan", "pipe.yaml", "-p", "external-ips", "-o", "json"], "");
    writer.join().unwrap();
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(status, 1);
    assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["findings"][0]["status"], "denied");
}
