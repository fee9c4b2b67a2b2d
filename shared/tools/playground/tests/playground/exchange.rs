//! Fixes, cases, reports and commands.

#![expect(clippy::panic, clippy::unwrap_used, reason = "functions that several tests call fail them, too")]

use std::fs;
use std::path::{Path, PathBuf};

use playground::{
    CaseOptions, CaseText, ExpectedOutcome, Matrix, ObjectId, ObjectRequest, Operation, Outcome, Playground,
    PolicyInput, PolicyMode, ReportFormat, RequestInput, User, Workspace, object_completions, open_case,
    sample_workspace, settings_completions, version, workspace_of,
};
use suite::{Native, Status};

use crate::{deployment, policy};

const POD: &str = include_str!("pod.yaml");

fn workspace(objects: &str, policies: Vec<PolicyInput>) -> Workspace {
    Workspace { objects: objects.into(), policies, evaluates_pods: true, ..Workspace::default() }
}

fn evaluated(workspace: Workspace) -> (Playground, Matrix) {
    let mut playground = Playground::new();
    let matrix = playground.evaluate(workspace);
    (playground, matrix)
}

#[test]
fn a_fix_keeps_the_text_and_removes_the_violations() {
    let (playground, matrix) = evaluated(workspace(POD, vec![policy("pod-security", "level: restricted")]));
    let all = playground.fix(0, 0, &[]);
    assert_eq!((all.fixed, all.left.len()), (matrix.cells[0][0].violations, 0), "{all:?}");
    assert!(
        all.text.contains("    securityContext:\n      allowPrivilegeEscalation: false\n"),
        "{}",
        all.text
    );
    assert!(!all.text.contains("hostPID") && all.text.contains("metadata: {name: web, namespace: shop}\n"));
    let (_, fixed) = evaluated(workspace(&all.text, vec![policy("pod-security", "level: restricted")]));
    assert_eq!(fixed.objects[0].outcome, Some(Outcome::Passed), "{}", all.text);
    let one = playground.fix(0, 0, &["Host Namespaces".to_owned()]);
    assert_eq!((one.fixed, one.edits.len(), one.edits[0].line), (1, 1, 5));
    assert_eq!(one.text, POD.replace("  hostPID: true # for strace\n", ""));
    // The edits make the text.
    let mut lines: Vec<&str> = POD.split_inclusive('\n').collect();
    for edit in all.edits.iter().rev() {
        let start = usize::try_from(edit.line).unwrap() - 1;
        lines.splice(start..start + usize::try_from(edit.lines).unwrap(), [edit.text.as_str()]);
    }
    assert_eq!(lines.concat(), all.text);
}

#[test]
fn workloads_and_later_documents_are_fixed_in_their_templates() {
    let template = POD.split_once("spec:\n").unwrap().1.replace("\n  ", "\n      ");
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d, namespace: shop}}\nspec:\n  selector: {{}}\n  \
         template:\n    spec:\n    {template}"
    );
    let text = format!("# first\n{POD}---\n{}", deployment.trim_end());
    let (playground, matrix) = evaluated(workspace(&text, vec![policy("pod-security", "level: baseline")]));
    assert_eq!(matrix.objects.len(), 2);
    let fix = playground.fix(1, 0, &[]);
    assert!(fix.fixed > 0 && fix.left.is_empty(), "{fix:?}");
    assert!(fix.text.starts_with(&format!("# first\n{POD}---\n")), "{}", fix.text);
    let (_, fixed) = evaluated(workspace(&fix.text, vec![policy("pod-security", "level: baseline")]));
    assert_eq!(fixed.objects[1].outcome, Some(Outcome::Passed), "{}", fix.text);
}

#[test]
fn what_has_no_fix_stays_in_words() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a}]\n  volumes:\n  \
                - {name: v, hostPath: {path: /}}\n";
    let (playground, _) = evaluated(workspace(text, vec![policy("pod-security", "level: baseline")]));
    let fix = playground.fix(0, 0, &[]);
    assert_eq!((fix.fixed, fix.edits.len(), fix.text.as_str()), (0, 0, text));
    assert!(fix.left[0].contains("use another volume type"), "{fix:?}");
    assert_eq!(playground.cell(0, 0).answers[0].groups[0].violations[0].fix, None);
    assert_eq!(playground.fix(7, 0, &[]).text, "");
}

/// Writes a case, runs it as `portcullis test` does, and returns why it does not pass.
fn tested(case: &CaseText) -> Result<(), String> {
    assert_eq!(case.problem, None);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("case.yaml", &case.text);
    for file in &case.files {
        write(&file.name, &file.text);
    }
    let path = folder.path().join("case.yaml").display().to_string();
    let run = suite::run(&[path], &suite::Options::default(), &Native);
    let [file] = run.results.files.as_slice() else { return Err(format!("{:?}", run.results)) };
    let passes = file.cases.iter().all(|case| matches!(case.status, Status::Passed));
    let is_whole = file.mistakes.is_empty() && file.not_reached.is_empty() && !file.cases.is_empty();
    if passes && is_whole { Ok(()) } else { Err(format!("{:#?}\n{}", run.results, case.text)) }
}

fn exported(playground: &Playground, with_cluster: bool) -> CaseText {
    let options = CaseOptions {
        title: "a case".into(),
        note: "from the playground: see the issue".into(),
        with_cluster,
        expected: Vec::new(),
    };
    playground.case_text(&options)
}

/// The tool gives the verdict of the page, and so does the page when it opens the case.
fn check_case(workspace: Workspace) -> bool {
    let (playground, matrix) = evaluated(workspace);
    let case = exported(&playground, true);
    if let Some(problem) = &case.problem {
        // The settings are not valid, or their deployment leaves the object out.
        let is_valid = matrix.policies.iter().all(|policy| policy.problems.is_empty());
        assert!(!is_valid || problem.contains("as its settings deploy it"), "{case:?} {matrix:?}");
        return false;
    }
    tested(&case).unwrap_or_else(|problem| panic!("{problem}"));
    let files: String = case.files.iter().map(|file| ["---\n", &file.text].concat()).collect();
    let opened = open_case(&format!("{}{files}", case.text));
    assert_eq!(opened.problem, None, "{}", case.text);
    let (again, _) = evaluated(opened.workspace.unwrap());
    // A deployment can differ from the rules alone; the case says so.
    assert!(again.compare(&opened.expected).is_empty() || !case.warnings.is_empty(), "{}", case.text);
    case.warnings.is_empty()
}

#[test]
fn exported_samples_pass_in_the_tool_and_open_again() {
    let mut count = 0_usize;
    for policy in playground::policies().policies {
        for sample in &policy.samples {
            count += usize::from(check_case(sample_workspace(&policy.id, &sample.name).unwrap()));
        }
    }
    assert!(count > 15, "{count}");
}

#[test]
fn exported_cases_pass_in_the_tool_and_open_again() {
    /// Every case takes as long as all others together here; the rest of the law is in
    /// `workspaces`.
    const EVERY: usize = 9;
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies");
    let (mut number, mut count) = (0_usize, 0_usize);
    for entry in rules::CATALOG {
        let files = fs::read_dir(policies.join(entry.id).join("cases")).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            for case in suite::cases::load(&file).unwrap() {
                number += 1;
                if number % EVERY == 0 {
                    count += usize::from(check_case(workspace_of(entry.id, &case)));
                }
            }
        }
    }
    assert!(count > 120, "{count} of {number}");
}

#[test]
fn a_case_has_several_objects_and_policies_as_they_are_deployed() {
    let deployed = PolicyInput {
        mode: PolicyMode::AsDeployed,
        manifest: deployment("pod-security", "level: restricted")
            .replace("name: pod-security", "name: strict"),
        ..policy("pod-security", "")
    };
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {externalIPs: [192.0.2.1]}\n";
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: worker, labels: {node-restriction.kubernetes.io/a: b}}\n";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    let mut workspace = workspace(
        &format!("{POD}---\n{service}---\n{node}"),
        vec![
            policy("pod-security", "level: baseline"),
            deployed,
            policy("external-ips", ""),
            policy("node-labels", ""),
            PolicyInput { enabled: false, ..policy("selinux", "") },
        ],
    );
    workspace.cluster = namespace.into();
    let request = RequestInput {
        operation: Operation::Create,
        subresource: String::new(),
        user: User::Kubelet { node: "worker".into() },
    };
    let object = ObjectId {
        api_version: "v1".into(),
        kind: "Node".into(),
        name: "worker".into(),
        ..ObjectId::default()
    };
    workspace.requests = vec![ObjectRequest { object, request }];
    let (playground, matrix) = evaluated(workspace.clone());
    let outcomes: Vec<_> = matrix.objects.iter().map(|object| object.outcome.unwrap()).collect();
    assert_eq!(outcomes, [Outcome::Denied, Outcome::Denied, Outcome::Denied], "{matrix:#?}");
    assert_eq!(matrix.cells[0][1].outcome, Some(Outcome::Monitored));
    let case = exported(&playground, true);
    tested(&case).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(case.files[0].name, "strict.yaml");
    assert!(check_case(workspace));
    assert!(case.markdown.contains("| Service shop/s | external-ips | denied |"), "{}", case.markdown);
    assert_eq!(usize::try_from(case.bytes).unwrap(), case.text.len() + case.files[0].text.len());
}

#[test]
fn a_case_has_the_objects_of_the_text_that_policies_looked_up() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}\n";
    let honor = || vec![policy("pod-security", "namespaceLabels: Honor")];
    let (playground, matrix) = evaluated(workspace(&format!("{POD}---\n{namespace}"), honor()));
    assert_eq!(matrix.objects[0].outcome, Some(Outcome::Denied), "{matrix:?}");
    let case = exported(&playground, true);
    assert_eq!(case.text.matches("kind: Namespace").count(), 2, "{}", case.text);
    assert!(check_case(workspace(&format!("{POD}---\n{namespace}"), honor())));
    // Without the Namespace, the verdict is not known.
    let (playground, _) = evaluated(workspace(POD, honor()));
    let problem = exported(&playground, true).problem.unwrap();
    assert!(problem.contains("the Namespace shop (v1) is not in the input"), "{problem}");
}

#[test]
fn a_case_without_the_cluster_says_what_changes() {
    let name = "the-cluster-decides";
    let cluster = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}\n";
    let secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: aHVudGVyMg==}\n";
    let mut workspace = workspace(POD, vec![policy("pod-security", "namespaceLabels: Honor")]);
    workspace.cluster = format!("{cluster}{secret}");
    let (playground, _) = evaluated(workspace);
    let with = exported(&playground, true);
    assert!(with.warnings.iter().any(|warning| warning.contains("1 Secret")), "{name} {with:?}");
    let without = exported(&playground, false);
    assert!(!without.text.contains("hunter") && !without.text.contains("aHVudGVyMg"), "{without:?}");
    assert!(without.warnings.iter().any(|warning| warning.contains("without the cluster")), "{without:?}");
    tested(&without).unwrap_or_else(|problem| panic!("{problem}"));
}

#[test]
fn an_expected_outcome_that_is_not_the_present_one_fails_the_case() {
    let (playground, _) = evaluated(workspace(POD, vec![policy("pod-security", "level: baseline")]));
    let expected = ExpectedOutcome { object: 0, policy: "pod-security".into(), outcome: Outcome::Passed };
    let changes = playground.compare(std::slice::from_ref(&expected));
    assert_eq!(changes[0].message, "expected admitted, now denied");
    let options = CaseOptions { expected: vec![expected.clone()], ..CaseOptions::default() };
    let case = playground.case_text(&options);
    assert!(tested(&case).unwrap_err().contains("hostPID"), "{}", case.text);
    assert_eq!(open_case(&case.text).expected, [expected]);
    let [change] = changes.try_into().unwrap();
    let same = ExpectedOutcome { object: change.object, policy: change.policy, outcome: Outcome::Denied };
    assert_eq!(playground.compare(&[same]), []);
}

#[test]
fn other_texts_are_no_cases() {
    for (text, want) in [
        ("", "expected a test file"),
        ("a: [", "near"),
        ("policies: [other.yaml]\ncases: []\n", "other.yaml is not here"),
        ("policies: [pod-security]\ncases: [{name: a, want: {admitted: true}}]\n", "has no object"),
        (
            "policies: [pod-security]\ncases: [{name: a, object: {file: a.yaml, kind: Pod}, want: {admitted: true}}]\n",
            "has no object",
        ),
        (
            "policies: [pod-security]\ncases: [{name: a, object: {kind: Pod}, patch: [], want: {admitted: true}}]\n",
            "no patch",
        ),
        (
            "policies: [pod-security]\ndefaults: {object: {kind: Pod}}\n\
             cases: [{name: a, want: {admitted: true}}, {name: b, settings: {level: baseline}, want: {admitted: true}}]\n",
            "other settings",
        ),
        (
            "policies: [pod-security]\ndefaults: {object: {kind: Pod}}\n\
             cases: [{name: a, oldObject: {kind: Pod}, want: {admitted: true}}, {name: b, oldObject: {kind: Pod, spec: {}}, want: {admitted: true}}]\n",
            "another case updates the same object",
        ),
    ] {
        let problem = open_case(text).problem.unwrap();
        assert!(want == "near" || problem.message.contains(want), "{text}: {problem:?}");
    }
}

#[test]
fn reports_and_commands_say_what_the_matrix_says() {
    let text = format!("{POD}---\na: [\n");
    let (playground, _) = evaluated(workspace(&text, vec![policy("pod-security", "level: baseline")]));
    let sarif: serde_json::Value = serde_json::from_str(&playground.report(ReportFormat::Sarif)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let line = |result: &serde_json::Value| {
        result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap_or_default()
    };
    assert!(results.iter().any(|result| line(result) == 5), "{sarif:#}");
    assert!(playground.report(ReportFormat::Markdown).contains("hostPID"));
    assert!(playground.report(ReportFormat::Html).starts_with("<!"));
    let json: serde_json::Value = serde_json::from_str(&playground.report(ReportFormat::Json)).unwrap();
    assert!(json["notices"].to_string().contains("objects.yaml"), "{json:#}");
    assert!(playground.commands(Some(1), Some(0)).len() == 1, "an unreadable document has no request");
    let commands = playground.commands(Some(0), Some(0));
    assert_eq!(commands[0].command, "portcullis scan objects.yaml --policy pod-security.yaml");
    assert!(commands[0].files[1].text.contains("mode: protect"), "{}", commands[0].files[1].text);
    assert!(
        commands[1].command.starts_with("kwctl run --request-path request.json --settings-json '{\"level\"")
    );
}

#[test]
fn versions_and_completions_are_there() {
    let version = version();
    assert!(version.kubernetes.starts_with("v1.") && version.kubewarden_protocol == "v1" && version.is_whole);
    assert!(settings_completions("pod-security", &[]).options.iter().any(|option| option.label == "level"));
    let fields = object_completions("v1", "Pod", &["spec".to_owned()]);
    assert!(fields.options.iter().any(|option| option.label == "hostPID"));
}
