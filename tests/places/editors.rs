//! The task for Visual Studio Code in `docs/editors.md`: its matchers read what `scan` prints.

use regex::Regex;
use serde_json::Value;

use super::docs::{blocks, page};
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

/// Applies a matcher to lines, as the editor does.
///
/// Returns severity, file, line, column and message.
fn matched(matcher: &Value, lines: &[&str]) -> Vec<[String; 5]> {
    let patterns = match &matcher["pattern"] {
        Value::Array(patterns) => patterns.clone(),
        pattern => vec![pattern.clone()],
    };
    let regexps: Vec<Regex> =
        patterns.iter().map(|pattern| Regex::new(pattern["regexp"].as_str().unwrap()).unwrap()).collect();
    let mut problems = Vec::new();
    for window in lines.windows(patterns.len()) {
        let captures: Option<Vec<_>> =
            regexps.iter().zip(window).map(|(regexp, line)| regexp.captures(line)).collect();
        let Some(captures) = captures else { continue };
        let part = |name: &str| {
            let found = patterns.iter().zip(&captures).find_map(|(pattern, captures)| {
                let group = usize::try_from(pattern[name].as_u64()?).unwrap();
                Some(captures[group].to_owned())
            });
            found.or_else(|| Some(matcher[name].as_str()?.to_owned())).unwrap()
        };
        problems.push(["severity", "file", "line", "column", "message"].map(part));
    }
    problems
}

#[test]
fn the_task_finds_every_problem_that_a_scan_prints() {
    let tasks: Value = serde_json::from_str(&blocks(&page("editors.md"), "json")[0]).unwrap();
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
    let matchers = task["problemMatcher"].as_array().unwrap();
    let mut problems: Vec<[String; 5]> =
        matchers.iter().flat_map(|matcher| matched(matcher, &lines)).collect();
    problems.sort();
    let message =
        "spec.externalIPs[0]: Invalid value: \"192.0.2.1\": Services may not claim new external IPs";
    let mut expected = [
        ["error", "manifests/web.yaml", "8", "7", message],
        ["warning", "manifests/web.yaml", "8", "7", message],
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
