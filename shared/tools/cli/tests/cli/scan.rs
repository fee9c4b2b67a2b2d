//! `portcullis scan` with signals and pipes.

use std::fs;
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::folder::Folder;
#[cfg(target_os = "linux")]
use crate::interruption;

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_scan_prints_what_it_found_and_says_so() {
    let folder = Folder::new();
    let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {}}"#;
    folder.file(
        "dump.json",
        format!("{{\"kind\": \"List\", \"items\": [{}]}}", vec![service; 300_000].join(",")),
    );
    let mut child =
        folder.command(&["scan", "dump.json", "-p", "external-ips", "-o", "json"]).spawn().unwrap();
    interruption::wait_until(&mut child, |process| interruption::has_run(process) > 10);
    interruption::send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isPartial"], true);
    assert!(report["totals"]["objects"].as_u64().unwrap() < 300_000);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "portcullis: interrupted: the report is incomplete\n");
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
