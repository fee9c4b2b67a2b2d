//! `portcullis scan --compare`.

use serde_json::Value;

use crate::folder::Folder;

const EXPOSED: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {externalIPs: [192.0.2.1]}
";

const ALLOWED: &str = "allow: [{cidrs: [192.0.2.0/24]}]\n";

const BROKEN: &str = "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: external-ips}
spec:
  module: gone.wasm
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE]}]
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("web.yaml", EXPOSED);
    folder.file("allowed.yaml", ALLOWED);
    folder.file("broken.yaml", BROKEN);
    folder
}

/// The arguments for the policies without settings after, and with settings before.
const STRICTER: [&str; 6] =
    ["-p", "external-ips", "--compare", "external-ips", "--compare-settings", "allowed.yaml"];
const LOOSER: [&str; 6] = ["-p", "external-ips", "-s", "allowed.yaml", "--compare", "external-ips"];

#[test]
fn the_exit_status_says_not_worse_worse_or_not_judged() {
    let folder = folder("compare-status");
    let cases: [(&[&str], i32, &str); 5] = [
        (
            &["-p", "external-ips", "--compare", "external-ips"],
            0,
            "0 new findings, 0 gone, 1 stayed, 0 verdicts",
        ),
        (&STRICTER, 1, "Service shop/web, external-ips: admitted -> denied\n"),
        (&LOOSER, 0, "Service shop/web, external-ips: denied -> admitted\n"),
        (&["-p", "external-ips", "--compare", "broken.yaml"], 2, "unknown -> denied\n"),
        (&["-p", "broken.yaml", "--compare", "external-ips"], 2, "denied -> unknown\n"),
    ];
    for (arguments, wanted, part) in cases {
        let (status, stdout, stderr) = folder.run(&[&["scan", "web.yaml"], arguments].concat(), "");
        assert_eq!(status, wanted, "{arguments:?} {stdout}{stderr}");
        assert!(stdout.contains(part), "{stdout}");
    }
}

#[test]
fn both_sides_judge_standard_input() {
    let folder = folder("compare-stdin");
    let arguments = [&["scan", "-", "-o", "json"], STRICTER.as_slice()].concat();
    let (status, stdout, stderr) = folder.run(&arguments, EXPOSED);
    assert_eq!((status, stderr.as_str()), (1, ""));
    let comparison: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(comparison["totals"]["new"], 1);
    assert_eq!(comparison["new"][0]["path"], "spec.externalIPs[0]");
    let change = &comparison["verdicts"][0];
    assert_eq!((&change["before"], &change["after"]), (&"admitted".into(), &"denied".into()));
}

#[test]
fn a_policy_on_one_side_is_named() {
    let folder = folder("compare-single");
    let arguments = ["scan", "web.yaml", "-p", "external-ips", "--compare", "selinux"];
    let (status, stdout, _) = folder.run(&arguments, "");
    assert_eq!(status, 1, "{stdout}");
    for part in ["external-ips: only after\n", "selinux: only before\n", "no policy -> denied\n"] {
        assert!(stdout.contains(part), "{stdout}");
    }
}

#[test]
fn other_formats_and_baselines_are_refused() {
    let folder = folder("compare-formats");
    let arguments = [&["scan", "web.yaml", "-o", "sarif"], LOOSER.as_slice()].concat();
    assert_eq!(
        folder.refused(&arguments, ""),
        "--output: --compare can be written only as text, json, markdown"
    );
    for more in [["--baseline", "known.jsonl"], ["--write-baseline", "known.jsonl"]] {
        let arguments = [&["scan", "web.yaml"], LOOSER.as_slice(), more.as_slice()].concat();
        let (status, _, stderr) = folder.run(&arguments, "");
        assert!(status == 2 && stderr.contains("cannot be used with"), "{stderr}");
    }
}

const KYVERNO: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: baseline}
spec:
  validationFailureAction: Enforce
  rules:
    - name: pods
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate: {podSecurity: {level: LEVEL, version: latest}}
";

const UNCONVERTED: &str = "    - name: registry
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate: {message: no, pattern: {spec: {containers: [{image: 'registry.example.com/*'}]}}}
";

#[test]
fn policies_of_kyverno_can_be_a_side() {
    let folder = folder("compare-kyverno");
    folder.file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {hostPID: true, containers: [{name: web, image: web}]}\n");
    folder.file("restricted.yaml", KYVERNO.replace("LEVEL", "restricted"));
    folder.file("baseline.yaml", KYVERNO.replace("LEVEL", "baseline"));
    folder.file("more.yaml", format!("{}{UNCONVERTED}", KYVERNO.replace("LEVEL", "baseline")));
    let run = |arguments: &[&str]| folder.run(&[&["scan", "pod.yaml"], arguments].concat(), "");
    let (status, stdout, stderr) = run(&["-p", "restricted.yaml", "--compare", "baseline.yaml"]);
    assert_eq!((status, stderr.as_str()), (1, ""), "{stdout}");
    assert!(stdout.contains("runAsNonRoot"), "{stdout}");
    let (status, stdout, _) = run(&["-p", "baseline.yaml"]);
    assert!(status == 1 && stdout.contains("spec.hostPID"), "{stdout}");
    // A rule that is left out is never a pass.
    let (status, stdout, stderr) = run(&["-p", "more.yaml"]);
    assert_eq!(status, 2, "{stdout}{stderr}");
    assert!(stdout.contains("ClusterPolicy baseline, rule registry: "), "{stdout}");
    assert!(stdout.contains("spec.hostPID"), "{stdout}");
}
