//! Inputs as users paste them, and the problems and verdicts that result.

use playground::{
    Field, Input, InputProblem, JudgeResult, Operation, User, VerdictKind, check_settings, judge, requests,
};
use serde_json::{Value, json};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true\n";

fn input(manifest: &str) -> Input {
    Input {
        policy: "pod-security".into(),
        manifest: manifest.into(),
        settings: "{level: baseline}".into(),
        ..Input::default()
    }
}

fn problems(input: &Input) -> Vec<(Field, Option<u32>, String)> {
    let JudgeResult { problems, verdicts, .. } = judge(input);
    assert!(verdicts.is_empty() != problems.is_empty(), "{verdicts:?} {problems:?}");
    let summary = |InputProblem { field, message, mark }| (field, mark.map(|mark| mark.line), message);
    problems.into_iter().map(summary).collect()
}

/// Returns the lines that the violations of each verdict are marked at.
fn marked_lines(input: &Input) -> Vec<Vec<u32>> {
    let result = judge(input);
    assert_eq!(result.problems, []);
    let lines = result.verdicts.iter().map(|verdict| {
        verdict.violations.iter().filter_map(|line| line.mark.map(|mark| mark.line)).collect()
    });
    lines.collect()
}

fn only_request(input: &Input) -> Option<Value> {
    match requests(input).requests.as_slice() {
        [request] => serde_json::from_str(request).ok(),
        _ => None,
    }
}

#[test]
fn judges_every_document_and_list_item() {
    let item = POD.replace('\n', "\n  ");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n- {item}");
    let manifest = format!("---\n{POD}---\n# nothing\n---\n{list}");
    assert_eq!(marked_lines(&input(&manifest)), [vec![6], vec![17], vec![23]]);
    // A typed list of the API server, whose items have no apiVersion and kind.
    let typed = list
        .replace("kind: List", "kind: PodList")
        .replace("  kind: Pod\n", "")
        .replace("- apiVersion: v1\n", "-\n");
    assert_eq!(marked_lines(&input(&typed)), [vec![7], vec![12]]);
    let windows = manifest.replace('\n', "\r\n");
    assert_eq!(marked_lines(&input(&windows)), [vec![6], vec![17], vec![23]]);
}

#[test]
fn marks_violations_in_json() {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": { "hostPID": true } });
    let text = format!("{pod:#}");
    let line = text.lines().position(|line| line.contains("hostPID")).unwrap() + 1;
    assert_eq!(marked_lines(&input(&text)), [vec![u32::try_from(line).unwrap()]]);
    // Concatenated JSON values are judged one by one, but without marks.
    assert_eq!(marked_lines(&input(&format!("{pod}\n{pod}\n"))), [[0_u32; 0]; 2]);
}

#[test]
fn a_mark_covers_key_and_value() {
    let result = judge(&input(&POD.replace("  hostPID", "  😀: ü\n  hostPID")));
    let mark = result.verdicts[0].violations[0].mark.unwrap();
    assert_eq!((mark.field, mark.line, mark.column, mark.end_column), (Field::Manifest, 6, 3, 16));
}

#[test]
fn violations_are_marked_inside_requests() {
    let object = format!("  {}", POD.trim().replace('\n', "\n  "));
    let request = format!(
        "uid: u\noperation: CREATE\nuserInfo: {{}}\nkind: {{group: '', version: v1, kind: Pod}}\n\
         resource: {{group: '', version: v1, resource: pods}}\nobject:\n{object}\n"
    );
    let result = judge(&input(&request));
    assert!(result.holds_requests);
    assert_eq!(marked_lines(&input(&request)), [[11]]);
    let review = format!("kind: AdmissionReview\nrequest:\n  {}\n", request.trim().replace('\n', "\n  "));
    assert_eq!(marked_lines(&input(&review)), [[13]]);

    let broken = review.replace("operation: CREATE", "operation: [CREATE]");
    let message = "request.operation: expected a string, found an array; send what an API server sends";
    assert_eq!(problems(&input(&broken)), [(Field::Manifest, Some(4), message.to_owned())]);
}

#[test]
fn invalid_manifests_are_reported() {
    let empty = "nothing to judge; paste a Kubernetes manifest or an AdmissionReview";
    let missing = |name: &str| format!("{name} is missing; add it");
    for (manifest, line, message) in [
        ("", None, empty.to_owned()),
        ("---\n# nothing\n", None, empty.to_owned()),
        ("null", None, empty.to_owned()),
        ("a", None, "expected a Kubernetes object, found a string".to_owned()),
        ("[]", None, "expected a Kubernetes object, found a list".to_owned()),
        ("{}", None, missing("apiVersion")),
        ("apiVersion: v1\n---\n", None, missing("kind")),
        ("apiVersion: v1\nkind: 7\n", None, missing("kind")),
        ("apiVersion: v1\nkind: Pod\n", None, missing("metadata")),
        ("kind: List\nitems: [7]\n", Some(2), "expected a Kubernetes object, found a number".to_owned()),
        ("a: 1\na: 2\n", Some(2), "duplicate key `a`".to_owned()),
        ("{\"a\": 1", Some(1), "not valid JSON: EOF while parsing an object".to_owned()),
    ] {
        assert_eq!(problems(&input(manifest)), [(Field::Manifest, line, message)], "{manifest}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let wrong = Input {
        settings: "level: 7".into(),
        cluster: "- kind: Namespace\n".into(),
        operation: Operation::Update,
        old_object: "a: b: c".into(),
        ..input("a: [")
    };
    let fields: Vec<Field> = problems(&wrong).into_iter().map(|(field, ..)| field).collect();
    assert_eq!(fields, [Field::Manifest, Field::OldObject, Field::Settings, Field::Cluster]);
}

#[test]
fn invalid_settings_are_reported_with_their_line() {
    assert_eq!(check_settings("pod-security", ""), None);
    assert_eq!(check_settings("pod-security", "null"), None);
    let problem =
        check_settings("external-ips", "allow:\n- cidrs:\n  - 10.0.0.0/8\n  - 10.0.0.0/33\n").unwrap();
    assert_eq!(problem.mark.map(|mark| mark.line), Some(4));
    assert!(problem.message.starts_with("allow[0].cidrs[1]: \"10.0.0.0/33\" "), "{}", problem.message);
    assert!(check_settings("no-such", "").unwrap().message.contains("no-such"));
}

#[test]
fn a_cluster_consists_of_objects_and_lists() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {externalIPs: [192.0.2.1]}\n";
    let with_cluster = |cluster: &str| Input {
        policy: "external-ips".into(),
        settings: "allow: [{cidrs: [192.0.2.0/24], namespaceSelector: {matchLabels: {a: b}}}]".into(),
        cluster: cluster.into(),
        ..input(service)
    };
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {a: b}}}";
    for cluster in [
        namespace.to_owned(),
        format!("[{namespace}]"),
        format!("---\nkind: List\nitems: [{namespace}]\n"),
        format!("{{apiVersion: v1, kind: Node, metadata: {{name: worker}}}}\n---\n{namespace}\n"),
    ] {
        assert_eq!(judge(&with_cluster(&cluster)).verdicts[0].kind, VerdictKind::Admitted, "{cluster}");
    }
    assert_eq!(judge(&with_cluster("")).verdicts[0].kind, VerdictKind::Denied);
    let unreachable = Input { unreachable: "no answer".into(), ..with_cluster(namespace) };
    let verdict = &judge(&unreachable).verdicts[0];
    assert_eq!(verdict.kind, VerdictKind::Denied);
    assert!(verdict.violations[0].message.contains("no answer"), "{verdict:?}");
    let duplicate = format!("{namespace}\n---\n- {namespace}\n");
    assert_eq!(problems(&with_cluster(&duplicate))[0].1, Some(3));
}

#[test]
fn requests_match_those_of_an_api_server() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
    let request = only_request(&input(service)).unwrap();
    assert_eq!(request["object"]["metadata"]["namespace"], "default");
    assert_eq!((&request["namespace"], &request["name"]), (&json!("default"), &json!("web")));
    assert_eq!(request["resource"], json!({ "group": "", "version": "v1", "resource": "services" }));

    for kind in ["Node", "PersistentVolume"] {
        let request =
            only_request(&input(&format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: worker}}\n")))
                .unwrap();
        assert_eq!((request.get("namespace"), &request["name"]), (None, &json!("worker")), "{kind}");
    }

    let request = only_request(&input("apiVersion: v1\nkind: Pod\nmetadata: {namespace: ''}\n")).unwrap();
    assert_eq!(request["object"]["metadata"]["namespace"], "default");

    let deletion = Input { operation: Operation::Delete, ..input(service) };
    let request = only_request(&deletion).unwrap();
    assert_eq!((request.get("object"), &request["oldObject"]["kind"]), (None, &json!("Service")));

    let status = Input {
        operation: Operation::Update,
        subresource: " status ".into(),
        old_object: service.into(),
        user: User::Controller { account: "node-controller".into() },
        ..input(service)
    };
    let request = only_request(&status).unwrap();
    assert_eq!((&request["subResource"], &request["operation"]), (&json!("status"), &json!("UPDATE")));
    assert_eq!(request["userInfo"]["username"], "system:serviceaccount:kube-system:node-controller");

    let kubelet = Input { user: User::Kubelet { node: "n".into() }, ..input(service) };
    assert_eq!(
        only_request(&kubelet).unwrap()["userInfo"],
        json!({ "username": "system:node:n", "groups": ["system:nodes", "system:authenticated"] })
    );
}

#[test]
fn updates_require_an_old_object_for_each_object() {
    let service = |name: &str, address: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{externalIPs: [{address}]}}\n"
        )
    };
    let new = service("a", "192.0.2.1");
    let old = service("b", "");
    let flow =
        "{metadata: {name: b, namespace: default}}, {metadata: {name: a}, spec: {externalIPs: [192.0.2.1]}}";
    let update = |old: String| Input {
        policy: "external-ips".into(),
        settings: String::new(),
        operation: Operation::Update,
        old_object: old,
        ..input(&format!("{new}---\n{}", service("b", "192.0.2.1")))
    };
    let missing =
        |name: &str| format!("Service default/{name} is missing; paste the stored object, or choose CREATE");
    assert_eq!(problems(&update(new.clone())), [(Field::OldObject, None, missing("b"))]);
    let left = format!("{new}---\n{old}---\n{}", service("c", ""));
    let message = "Service default/c is not in the manifest; remove it".to_owned();
    assert_eq!(problems(&update(left)), [(Field::OldObject, None, message)]);
    let other_kind = old.replace("Service", "Pod");
    assert_eq!(
        problems(&update(format!("{new}---\n{other_kind}"))),
        [(Field::OldObject, None, missing("b"))]
    );
    // Existing values are tolerated, in any order of the stored objects.
    for stored in
        [format!("{new}---\n{old}"), format!("kind: ServiceList\napiVersion: v1\nitems: [{flow}]\n")]
    {
        let both = judge(&update(stored));
        let kinds: Vec<VerdictKind> = both.verdicts.iter().map(|verdict| verdict.kind).collect();
        assert_eq!(kinds, [VerdictKind::Admitted, VerdictKind::Denied], "{both:?}");
    }
}

#[test]
fn requests_outside_the_scope_are_not_matched() {
    let result = judge(&input("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"));
    assert_eq!(result.verdicts[0].kind, VerdictKind::NotMatched);
    let denied = judge(&input(POD));
    assert_eq!(denied.verdicts[0].title, "CREATE Pod default/a");
    let response: Value = serde_json::from_str(&denied.verdicts[0].response).unwrap();
    assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(403)));
}
