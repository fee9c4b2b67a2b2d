//! Workspaces as users paste them, and what the matrix says.

use playground::{
    CheckResult, Matrix, ObjectId, ObjectRequest, Operation, Outcome, Playground, PolicyInput, PolicyMode,
    RequestInput, RequestOrigin, SuggestedAction, TextName, User, Workspace,
};

use crate::policy;

const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true\n  containers: [{name: c}]\n";

fn workspace(objects: &str) -> Workspace {
    Workspace {
        objects: objects.into(),
        evaluates_pods: true,
        policies: vec![policy("pod-security", "level: baseline")],
        ..Workspace::default()
    }
}

fn evaluate(workspace: &Workspace) -> Matrix {
    Playground::new().evaluate(workspace.clone())
}

fn marked_lines(workspace: &Workspace) -> Vec<u32> {
    let mut playground = Playground::new();
    playground.evaluate(workspace.clone());
    lines(&playground)
}

/// Returns the lines of the marks in the objects.
fn lines(playground: &Playground) -> Vec<u32> {
    let marks = playground.marks(TextName::Objects, 1, u32::MAX);
    marks.iter().map(|mark| mark.mark.line).collect()
}

#[test]
fn every_document_and_list_item_is_an_object() {
    let item = POD.replace('\n', "\n  ");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n- {item}");
    let text = format!("---\n{POD}---\n# nothing\n---\n{list}");
    let matrix = evaluate(&workspace(&text));
    assert_eq!(marked_lines(&workspace(&text)), [6, 18, 25]);
    let lines: Vec<(u32, u32)> =
        matrix.objects.iter().map(|object| (object.line, object.last_line)).collect();
    assert_eq!(lines, [(2, 7), (14, 20), (21, 26)]);
    assert_eq!((matrix.counts.objects, matrix.counts.denied), (3, 3));
    let windows = text.replace('\n', "\r\n");
    assert_eq!(marked_lines(&workspace(&windows)), [6, 18, 25]);
}

#[test]
fn every_violation_of_many_is_marked_where_its_lines_are_asked_for() {
    let count = 3_000;
    let mut playground = Playground::new();
    playground.evaluate(workspace(&vec![POD; count].join("---\n")));
    assert_eq!(lines(&playground).len(), count);
    // Each document has six lines and its separator, and hostPID is in the fifth.
    let some = playground.marks(TextName::Objects, 20_000, 20_099);
    let found: Vec<u32> = some.iter().map(|mark| mark.mark.line).collect();
    let expected: Vec<u32> = (20_000..20_100).filter(|line| line % 7 == 5).collect();
    assert_eq!(found, expected);
    assert!(some.iter().all(|mark| mark.object == mark.mark.line / 7), "{some:?}");
    assert!(playground.marks(TextName::OldObjects, 1, u32::MAX).is_empty());
}

#[test]
fn an_unreadable_document_does_not_hide_the_others() {
    let text = format!("{POD}---\na: [\n---\n{}---\n1\n", POD.replace("name: a", "name: b"));
    let matrix = evaluate(&workspace(&text));
    let outcomes: Vec<Option<Outcome>> = matrix.objects.iter().map(|object| object.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::Denied), None, Some(Outcome::Denied), None]);
    let problem = matrix.objects[1].problem.as_ref().unwrap();
    let line = problem.mark.unwrap().line;
    assert!((8..=9).contains(&line), "{problem:?}");
    assert_eq!(matrix.cells[1], []);
    assert!(matrix.objects[3].problem.as_ref().unwrap().message.contains("not a Kubernetes object"));
    assert_eq!((matrix.counts.denied, matrix.counts.unreadable), (2, 2));
    assert_eq!(evaluate(&workspace("")).objects, []);
}

#[test]
fn what_is_probably_meant_otherwise_is_told_beside_a_pass() {
    for (fields, want) in [
        ("metadata: {name: a, spec: {hostPID: true}}", "metadata.spec: unknown field"),
        ("metadata: {name: a}\nspec: {container: [{}]}", "did you mean containers?"),
        ("metadata: {name: a}\nspec: {containers: []}", "at least one container"),
        ("metadata: {name: a}\nspec: {containers: [{name: a}], hostPID: true, hostPID: false}", "hostPID"),
    ] {
        let text = format!("apiVersion: v1\nkind: Pod\n{fields}\n");
        let matrix = evaluate(&workspace(&text));
        let object = &matrix.objects[0];
        assert_eq!(object.outcome, Some(Outcome::Passed), "{text}");
        let suspicion = object.suspicions.iter().find(|one| one.message.contains(want));
        assert!(suspicion.is_some_and(|one| one.mark.is_some()), "{want}: {:?}", object.suspicions);
        assert!(!marked_lines(&workspace(&text)).is_empty(), "{text}");
    }
    assert_eq!(evaluate(&workspace(POD)).objects[0].suspicions, []);
}

#[test]
fn each_object_may_have_its_own_request() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: worker, labels: {node-restriction.kubernetes.io/a: b}}\n";
    let mut workspace = workspace(&format!("{node}---\n{node}"));
    workspace.policies = vec![policy("node-labels", ""), policy("pod-security", "")];
    let mut playground = Playground::new();
    let matrix = playground.evaluate(workspace.clone());
    assert_eq!(matrix.objects[0].outcome, Some(Outcome::NotLookedAt));
    assert_eq!(matrix.cells[0][0].decided_by.as_deref(), Some("User"));
    assert_eq!(matrix.cells[0][1].decided_by.as_deref(), Some("Kind"));
    let detail = playground.cell(0, 0);
    let checks: Vec<(&str, CheckResult)> =
        detail.answers[0].checks.iter().map(|check| (check.name.as_str(), check.result)).collect();
    let (met, not_met) = (CheckResult::Met, CheckResult::NotMet);
    assert_eq!(checks, [("Kind", met), ("Operation", met), ("User", not_met)]);
    let kubelet = User::Kubelet { node: "worker".into() };
    assert_eq!(detail.suggestions[0].action, SuggestedAction::User { user: kubelet.clone() });
    let others = &playground.cell(0, 1).suggestions;
    let policies: Vec<&SuggestedAction> = others.iter().map(|suggestion| &suggestion.action).collect();
    assert_eq!(policies, [&SuggestedAction::Policy { policy: "node-labels".into() }]);
    let request = RequestInput { user: kubelet, ..RequestInput::default() };
    let object = ObjectId {
        api_version: "v1".into(),
        kind: "Node".into(),
        name: "worker".into(),
        occurrence: 1,
        ..ObjectId::default()
    };
    workspace.requests = vec![ObjectRequest { object, request }];
    let matrix = playground.evaluate(workspace);
    let outcomes: Vec<Option<Outcome>> = matrix.objects.iter().map(|object| object.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::NotLookedAt), Some(Outcome::Denied)]);
    assert_eq!(matrix.objects[1].request.as_ref().unwrap().origin, RequestOrigin::Own);
}

#[test]
fn a_request_stays_with_its_object_as_the_text_changes() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let mut workspace = workspace(&format!("{config_map}---\n{POD}"));
    let request = RequestInput { operation: Operation::Delete, ..RequestInput::default() };
    let object = evaluate(&workspace).objects[0].id.clone();
    assert_eq!((object.namespace.as_str(), object.kind.as_str()), ("default", "ConfigMap"));
    workspace.requests = vec![ObjectRequest { object, request }];
    let mut playground = Playground::new();
    let mut operations = |objects: &str| {
        let matrix = playground.evaluate(Workspace { objects: objects.to_owned(), ..workspace.clone() });
        let requests = matrix.objects.into_iter().map(|object| object.request.unwrap().operation);
        let unused = matrix.unused_requests.into_iter().map(|unused| unused.title);
        (requests.collect::<Vec<_>>(), matrix.counts.denied, unused.collect::<Vec<_>>())
    };
    let (create, delete) = ("CREATE".to_owned(), "DELETE".to_owned());
    let both = format!("{config_map}---\n{POD}");
    assert_eq!(operations(&both), (vec![delete.clone(), create.clone()], 1, vec![]));
    let moved = format!("{POD}---\n{config_map}");
    assert_eq!(operations(&moved), (vec![create.clone(), delete], 1, vec![]));
    // The request about the ConfigMap does not become one about the Pod.
    assert_eq!(operations(POD), (vec![create], 1, vec!["ConfigMap default/a".to_owned()]));
}

#[test]
fn objects_of_the_text_answer_look_ups_and_what_is_nowhere_is_unknown() {
    let pod = POD.replace("{name: a}", "{name: a, namespace: shop}");
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: privileged}}\n";
    let mut workspace = workspace(&pod);
    workspace.policies = vec![policy("pod-security", "level: baseline\nnamespaceLabels: Honor")];
    let mut playground = Playground::new();
    let mut outcome = |objects: &str, cluster: &str| {
        let matrix = playground.evaluate(Workspace {
            objects: objects.to_owned(),
            cluster: cluster.to_owned(),
            ..workspace.clone()
        });
        let actions = playground.cell(0, 0).suggestions.into_iter().map(|suggestion| suggestion.action);
        (matrix.objects[0].outcome.unwrap(), actions.collect::<Vec<_>>())
    };
    let manifest = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n".to_owned();
    let add = vec![SuggestedAction::Namespace { manifest }];
    assert_eq!(outcome(&pod, ""), (Outcome::Unknown, add.clone()));
    assert_eq!(outcome(&pod, "# nothing\n"), (Outcome::Unknown, add.clone()));
    assert_eq!(outcome(&pod, "{apiVersion: v1, kind: List, items: []}"), (Outcome::Fault, add.clone()));
    assert_eq!(outcome(&format!("{pod}---\n{namespace}"), "").0, Outcome::Passed);
    // A verdict that was known changes with the Namespace, and an input overrides the cluster.
    let baseline = namespace.replace("privileged", "baseline");
    assert_eq!(outcome(&format!("{pod}---\n{baseline}"), "").0, Outcome::Denied);
    assert_eq!(outcome(&pod, ""), (Outcome::Unknown, add));
    assert_eq!(outcome(&format!("{pod}---\n{baseline}"), namespace).0, Outcome::Denied);
    assert_eq!(outcome(&pod, namespace).0, Outcome::Passed);
}

#[test]
fn kinds_that_the_text_defines_are_known() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  names: {kind: A, plural: as}\n  versions: [{name: v1, served: true, storage: true}]\n";
    let object = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
    let mut playground = Playground::new();
    let mut title = |objects: &str| playground.evaluate(workspace(objects)).objects[0].title.clone();
    assert_eq!(title(object), "A default/a");
    assert_eq!(title(&format!("{object}---\n{definition}")), "A a");
    assert_eq!(title(object), "A default/a");
}

#[test]
fn only_this_version_of_an_own_module_evaluates() {
    let this = format!("ghcr.io/portcullis/policies/pod-security:v{}", env!("CARGO_PKG_VERSION"));
    for (module, outcome) in [
        (this.as_str(), Outcome::Denied),
        ("ghcr.io/portcullis/policies/pod-security:v9.9.9", Outcome::Unknown),
        ("ghcr.io/portcullis/policies/pod-security", Outcome::Unknown),
        (&format!("example.com/{this}"), Outcome::Unknown),
    ] {
        let manifest = format!(
            "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  mode: protect\n  mutating: false\n  module: {module}\n  settings: {{level: baseline}}\n  rules:\n  - {{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}}\n"
        );
        let mode = PolicyMode::AsDeployed;
        let workspace =
            Workspace { policies: vec![PolicyInput { mode, manifest, ..policy("p", "") }], ..workspace(POD) };
        let matrix = evaluate(&workspace);
        assert_eq!(matrix.objects[0].outcome, Some(outcome), "{module}: {matrix:?}");
    }
}

#[test]
fn a_review_says_its_operation_and_its_user() {
    let review = "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  uid: u\n  kind: {group: '', version: v1, kind: Pod}\n  \
                  resource: {group: '', version: v1, resource: pods}\n  name: a\n  namespace: shop\n  operation: CREATE\n  \
                  userInfo: {username: bob, groups: [x]}\n  object:\n    apiVersion: v1\n    kind: Pod\n    \
                  metadata: {name: a, namespace: shop}\n    spec: {hostPID: true, containers: [{name: a}]}\n";
    let matrix = evaluate(&workspace(review));
    let object = &matrix.objects[0];
    let request = object.request.as_ref().unwrap();
    assert_eq!((request.username.as_str(), request.operation.as_str()), ("bob", "CREATE"));
    assert_eq!(request.origin, RequestOrigin::Review);
    assert_eq!((object.title.as_str(), object.outcome), ("Pod shop/a", Some(Outcome::Denied)));
    assert_eq!(marked_lines(&workspace(review)), [15]);
    let broken = review.replace("  uid: u\n", "");
    assert!(evaluate(&workspace(&broken)).objects[0].problem.as_ref().unwrap().message.contains("uid"));
}

#[test]
fn an_update_needs_the_stored_object() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {externalIPs: [192.0.2.1]}\n";
    let mut workspace = workspace(service);
    workspace.policies = vec![policy("external-ips", "")];
    workspace.request.operation = Operation::Update;
    let matrix = evaluate(&workspace);
    let problem = matrix.objects[0].problem.as_ref().unwrap();
    assert!(problem.message.contains("Service default/a is not among the stored objects"), "{problem:?}");
    assert_eq!(problem.text, TextName::OldObjects);
    workspace.old_objects = service.replace("externalIPs: [192.0.2.1]", "");
    assert_eq!(evaluate(&workspace).objects[0].outcome, Some(Outcome::Denied));
    // The address was there before.
    workspace.old_objects = service.replace("{name: a}", "{name: a, labels: {x: y}}");
    assert_eq!(evaluate(&workspace).objects[0].outcome, Some(Outcome::Passed));
    workspace.old_objects = "a: [".into();
    assert!(evaluate(&workspace).problems.iter().any(|problem| problem.text == TextName::OldObjects));
}

#[test]
fn all_errors_in_settings_have_their_places() {
    let settings = "levle: baseline\nversion: x\nexclude:\n- controlName: 1\n";
    let mut workspace = workspace(POD);
    workspace.policies = vec![policy("pod-security", settings)];
    let matrix = evaluate(&workspace);
    let lines: Vec<u32> =
        matrix.policies[0].problems.iter().map(|problem| problem.mark.unwrap().line).collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 4], "{:?}", matrix.policies[0].problems);
    assert_eq!(matrix.cells[0][0].outcome, Some(Outcome::Unknown));
    for text in [
        "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\n",
        "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n",
    ] {
        workspace.policies = vec![policy("pod-security", text)];
        assert!(evaluate(&workspace).policies[0].problems[0].can_be_imported);
    }
}

#[test]
fn a_deployed_policy_evaluates_what_its_manifest_selects() {
    let mut workspace = workspace(&POD.replace("{name: a}", "{name: a, namespace: kube-system}"));
    workspace.policies =
        vec![PolicyInput { mode: PolicyMode::AsDeployed, ..policy("pod-security", "level: baseline") }];
    let mut playground = Playground::new();
    let matrix = playground.evaluate(workspace.clone());
    assert_eq!(matrix.cells[0][0].decided_by.as_deref(), Some("Namespace"));
    assert!(!matrix.policies[0].protects);
    let detail = playground.cell(0, 0);
    assert_eq!(detail.suggestions[0].action, SuggestedAction::RulesOnly);
    assert_eq!(detail.answers[0].response, "");
    workspace.objects = POD.to_owned();
    assert_eq!(playground.evaluate(workspace.clone()).objects[0].outcome, Some(Outcome::Monitored));
    workspace.policies[0].manifest = "kind: Pod\n".into();
    let problem = playground.evaluate(workspace).policies[0].problems[0].clone();
    assert!(problem.message.contains("has no policy") && problem.text == TextName::Manifest { policy: 0 });
}

#[test]
fn a_group_evaluates_by_its_members() {
    let group = |expression: &str| PolicyInput {
        mode: PolicyMode::AsDeployed,
        manifest: include_str!("group.yaml").replace("EXPRESSION", expression),
        ..policy("pod-security", "")
    };
    for (expression, outcome) in [
        ("baseline()", Outcome::Denied),
        ("!baseline()", Outcome::Passed),
        ("baseline() && services()", Outcome::Denied),
        ("baseline() || services()", Outcome::Passed),
    ] {
        let workspace = Workspace { policies: vec![group(expression)], ..workspace(POD) };
        let matrix = evaluate(&workspace);
        assert_eq!(matrix.cells[0][0].outcome, Some(outcome), "{expression}: {matrix:?}");
    }
}

#[test]
fn policies_evaluate_what_the_ones_before_them_change() {
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec:\n  containers: [{name: c}]\n";
    let mut workspace = workspace(pod);
    workspace.cluster = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {portcullis.dev/selinux-level: 's0:c1,c2'}}}".into();
    workspace.policies = vec![policy("pod-security", "level: baseline"), policy("selinux", "mode: Mutate")];
    let mut playground = Playground::new();
    let matrix = playground.evaluate(workspace);
    assert_eq!(matrix.cells[0][1].outcome, Some(Outcome::Changed), "{matrix:?}");
    assert_eq!(matrix.cells[0][0].outcome, Some(Outcome::Passed));
    let changed = &playground.cell(0, 1).answers[0];
    assert!(!changed.patch.is_empty() && changed.patch[0].path.starts_with("spec"), "{:?}", changed.patch);
    assert!(changed.response.contains("patchType"));
    let request = &playground.cell(0, 0).answers[0].request;
    assert!(request.contains("seLinuxOptions"), "{request}");
}

#[test]
fn the_pods_of_a_workload_are_evaluated_at_its_template() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: shop}\nspec:\n  template:\n    spec:\n      hostPID: true\n      containers: [{name: c}]\n";
    let mut playground = Playground::new();
    let mut workspace = workspace(deployment);
    workspace.policies = vec![policy("pod-security", "templates: Ignore\nlevel: baseline")];
    let matrix = playground.evaluate(workspace.clone());
    if matrix.policies[0].problems.is_empty() {
        assert_eq!(matrix.objects[0].outcome, Some(Outcome::Denied), "{matrix:?}");
        assert_eq!(lines(&playground), [7]);
        assert!(playground.cell(0, 0).answers.iter().any(|answer| answer.concerns_pods));
    }
    workspace.policies = vec![policy("pod-security", "level: baseline")];
    let matrix = playground.evaluate(workspace);
    assert_eq!((matrix.objects[0].outcome, lines(&playground)), (Some(Outcome::Denied), vec![7]));
}

#[test]
fn a_known_document_is_evaluated_as_before_wherever_it_moves() {
    let mut playground = Playground::new();
    let first = playground.evaluate(workspace(POD));
    let moved = playground.evaluate(workspace(&format!("kind: X\napiVersion: example.com/v1\n---\n{POD}")));
    assert_eq!(moved.cells[1], first.cells[0]);
    assert_eq!(lines(&playground), [8]);
    // Another level is another verdict on the same document.
    let mut other = workspace(POD);
    other.policies = vec![policy("pod-security", "level: privileged")];
    assert_eq!(playground.evaluate(other).objects[0].outcome, Some(Outcome::Passed));
    assert_eq!(playground.evaluate(workspace(POD)), first);
}

#[test]
fn nothing_is_evaluated_by_a_cluster_that_cannot_be_read() {
    let mut workspace = workspace(POD);
    workspace.cluster = "kind: Pod\n".into();
    let matrix = evaluate(&workspace);
    assert_eq!(matrix.problems[0].text, TextName::Cluster);
    assert_eq!((matrix.objects[0].outcome, matrix.counts.not_evaluated), (None, 1));
    workspace.cluster.clear();
    workspace.policies[0].enabled = false;
    assert_eq!(evaluate(&workspace).objects[0].outcome, None);
}
