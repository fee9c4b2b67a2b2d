//! The task for Visual Studio Code in `docs/editors.md`: its matchers read what `scan` prints.

use regex::{Captures, Regex};
use serde_json::Value;

use super::docs::page;
use crate::deploy::examples::blocks;
use crate::folder::{EXPOSED, Folder, tool};

const MONITOR: &str = "\
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: observed}
spec:
  module: registry://ghcr.io/portcullis/policies/external-ips:vVERSION
  mode: monitor
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE]}]
  settings: {}
";

/// Applies a matcher of one pattern to lines, as the editor does.
///
/// Returns severity, file, line, column and message.
fn matched(matcher: &Value, lines: &[&str]) -> Vec<[String; 5]> {
    let pattern = &matcher["pattern"];
    let regexp = Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
    let problem = |captures: Captures<'_>| {
        let part =
            |name: &str| captures[usize::try_from(pattern[name].as_u64().unwrap()).unwrap()].to_owned();
        ["severity", "file", "line", "column", "message"].map(part)
    };
    lines.iter().filter_map(|line| regexp.captures(line).map(problem)).collect()
}

#[test]
fn the_task_finds_every_problem_that_a_scan_prints() {
    let tasks: Value = serde_json::from_str(blocks(&page("editors.md"), "json")[0]).unwrap();
    let task = &tasks["tasks"][0];
    let folder = Folder::new("editors-task");
    folder.file("manifests/web.yaml", EXPOSED.replace("spec:", "spec:\n  nodeport: 3"));
    folder.file("manifests/bad.yaml", "apiVersion: v1\nkind: [\n");
    folder.file("policies/observed.yaml", MONITOR.replace("VERSION", env!("CARGO_PKG_VERSION")));
    let enforced = MONITOR.replace("VERSION", env!("CARGO_PKG_VERSION"));
    folder.file(
        "policies/enforced.yaml",
        enforced.replace("monitor", "protect").replace("observed", "enforced"),
    );
    let arguments: Vec<&str> =
        task["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()).collect();
    let done = folder.run(tool(), &arguments);
    assert_eq!(done.status, 2, "{done:?}");
    let lines: Vec<&str> = done.stdout.lines().collect();
    let mut problems = matched(&task["problemMatcher"], &lines);
    problems.sort();
    let denial = "spec.externalIPs[0]: Invalid value: \"192.0.2.1\": Services may not claim new external IPs; remove it \
                  and use a Service of type LoadBalancer, an Ingress or a Gateway";
    let [enforced, observed] = [("", "enforced"), ("monitored: ", "observed")]
        .map(|(state, policy)| format!("{state}{denial} [{policy}/not-allowed, Service default/web]"));
    let mut expected = [
        ["error", "manifests/web.yaml", "8", "7", &enforced],
        ["warning", "manifests/web.yaml", "8", "7", &observed],
        [
            "error",
            "manifests/bad.yaml",
            "2",
            "7",
            "invalid YAML: unclosed bracket '['; correct it, or exclude it",
        ],
        ["warning", "manifests/web.yaml", "6", "3", "spec.nodeport: unknown field"],
    ];
    expected.sort_unstable();
    assert_eq!(problems, expected, "{}", done.stdout);
}
