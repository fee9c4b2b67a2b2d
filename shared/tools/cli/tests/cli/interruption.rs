//! Signals that end the tool.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::folder::Folder;

/// The exit status of a program that a signal ended.
const ENDED: Option<i32> = Some(130);

/// A condition that evaluates for minutes, if nothing ends it.
const POLICY: &str = r#"
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: slow}
spec:
  module: ghcr.io/portcullis/policies/pod-security:v<version>
  settings: {level: baseline}
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]
  mutating: false
  matchConditions:
  - name: slow
    expression: "object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, a != b + c + d))))"
"#;

pub(crate) fn wait_until(child: &mut Child, is_so: impl Fn(u32) -> bool) {
    while !is_so(child.id()) {
        assert_eq!(child.try_wait().unwrap(), None);
        thread::sleep(Duration::from_millis(1));
    }
}

fn catches(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << (signal - 1) != 0
}

/// Returns the time for which a process has run, in hundredths of a second.
pub(crate) fn has_run(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(11).unwrap().parse().unwrap()
}

pub(crate) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

const SIGNALS: [(&str, u32); 2] = [("-INT", 2), ("-TERM", 15)];

#[test]
fn a_signal_ends_a_command_that_reads() {
    let folder = Folder::new();
    for (signal, number) in SIGNALS {
        for command in ["run", "scan"] {
            let arguments: &[&str] = if command == "run" {
                &["run", "external-ips", "-"]
            } else {
                &["scan", "-", "-p", "external-ips"]
            };
            let mut child = folder.command(arguments).spawn().unwrap();
            // It stays open: `wait` would close it, and the command would end by itself.
            let mut input = child.stdin.take().unwrap();
            input.write_all(b"apiVersion: v1\n").unwrap();
            wait_until(&mut child, |process| catches(process, number));
            send(signal, &child);
            assert_eq!(child.wait().unwrap().code(), ENDED, "{command} {signal}");
        }
    }
}

#[test]
fn a_signal_ends_a_command_that_evaluates() {
    let folder = Folder::new();
    folder.file("policy.yaml", POLICY.replace("<version>", env!("CARGO_PKG_VERSION")));
    let data: Vec<String> = (0..200).map(|number| format!("\"k{number}\": \"\"")).collect();
    let map = format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "a"}}, "data": {{{}}}}}"#,
        data.join(",")
    );
    folder.file("maps.json", format!(r#"{{"kind": "List", "items": [{}]}}"#, vec![map; 1_000].join(",")));
    for (signal, _) in SIGNALS {
        drop(fs::remove_file(folder.path("report.json")));
        let mut child = folder
            .command(&["scan", "maps.json", "-p", "policy.yaml", "-o", "json=report.json"])
            .spawn()
            .unwrap();
        wait_until(&mut child, |process| has_run(process) > 50);
        send(signal, &child);
        // It ends by itself with a report of what it has evaluated, or without one.
        let status = child.wait().unwrap().code();
        assert!([ENDED, Some(2)].contains(&status), "{signal} {status:?}");
        if let Ok(text) = fs::read_to_string(folder.path("report.json")) {
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(report["isPartial"], true);
        }
    }
}

#[test]
fn a_signal_ends_a_command_that_writes() {
    let folder = Folder::new();
    let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"externalIPs": ["192.0.2.1"]}}"#;
    folder.file("all.json", format!(r#"{{"kind": "List", "items": [{}]}}"#, vec![service; 2_000].join(",")));
    for (signal, _) in SIGNALS {
        let mut child = folder
            .command(&["scan", "all.json", "-p", "external-ips", "-o", "json"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        // The report is longer than the buffer of a pipe, which is not read further.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), ENDED, "{signal}");
    }
}
