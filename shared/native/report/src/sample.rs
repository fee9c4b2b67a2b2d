//! A report with everything that a format has to show, for tests.

use std::collections::BTreeMap;

use crate::{
    DENIED, FAULT, Finding, Level, Mutation, Notice, ObjectRef, OwnerRef, Place, PolicyRef, PolicyTotals,
    Position, Report, Severity, Span, Status, Totals, WARNING,
};

/// A name that tries to become markup, a script, a command of a runner or a new line.
pub(crate) const HOSTILE: &str = "x</script><script>alert(1)</script><img src=x onerror=alert(1)>\" onclick='a' `|*[a](b)\n::error::%\u{1b}[2J";

pub(crate) fn policy(name: &str, severity: Option<Severity>) -> PolicyRef {
    PolicyRef {
        name: name.to_owned(),
        kind: "ClusterAdmissionPolicy".to_owned(),
        namespace: None,
        module: format!("ghcr.io/portcullis/policies/{name}:v0.1.0"),
        id: Some(name.to_owned()).filter(|name| name != "signed"),
        digest: None,
        protects: true,
        category: Some("Pod security".to_owned()),
        severity,
    }
}

fn object(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> ObjectRef {
    ObjectRef {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
        uid: None,
        owner: None,
    }
}

pub(crate) fn place(file: &str, start: (u64, u64), end: (u64, u64), is_exact: bool) -> Place {
    let position = |(line, column)| Position { line, column };
    let span = Some(Span { start: position(start), end: position(end) });
    Place { file: file.to_owned(), span, is_exact }
}

pub(crate) fn mutation() -> Mutation {
    Mutation {
        policy: 0,
        object: object("apps/v1", "Deployment", Some("shop"), "web"),
        place: Some(place("deploy/web.yaml", (1, 1), (30, 1), false)),
        concerns_pods: true,
        patch: serde_json::json!([{ "op": "replace", "path": "/metadata/labels/a", "value": HOSTILE }]),
        diff: vec![
            "@@ -1,2 +1,2 @@".to_owned(),
            " labels:".to_owned(),
            "-  a: b".to_owned(),
            format!("+  a: {HOSTILE}"),
        ],
    }
}

pub(crate) fn finding() -> Finding {
    Finding {
        status: Status::Denied,
        policy: 0,
        rule: "privileged".to_owned(),
        rule_name: Some("Privileged Containers".to_owned()),
        object: object("apps/v1", "Deployment", Some("shop"), "web"),
        path: Some("spec.template.spec.containers[0].securityContext.privileged".to_owned()),
        stable_path: Some("spec.template.spec.containers[name=web].securityContext.privileged".to_owned()),
        value_digest: Some(crate::digest(&true.into())),
        message: "spec.template.spec.containers[0].securityContext.privileged: Invalid value: true: \
                  Privileged Containers: must be false or unset; remove the field"
            .to_owned(),
        reason: "Privileged Containers: must be false or unset".to_owned(),
        restricted_field: Some("spec.containers[*].securityContext.privileged".to_owned()),
        remedy: Some("remove the field".to_owned()),
        place: Some(place("deploy/web.yaml", (21, 25), (21, 29), true)),
        concerns_pods: true,
        others: Vec::new(),
        excepted: None,
        is_known: false,
    }
}

fn others(count: u64) -> Vec<String> {
    (0..count).map(|number| format!("api-7d9f-1{number:02}")).collect()
}

/// A denial by a policy's own code, which names no value.
fn plain() -> Finding {
    Finding {
        path: None,
        stable_path: None,
        value_digest: None,
        restricted_field: None,
        concerns_pods: false,
        ..finding()
    }
}

fn of_another_policy() -> Finding {
    Finding {
        policy: 2,
        rule: DENIED.to_owned(),
        rule_name: None,
        message: "the image is not signed".to_owned(),
        reason: "the image is not signed".to_owned(),
        remedy: None,
        place: Some(place("deploy/web.yaml", (3, 1), (30, 1), false)),
        ..plain()
    }
}

/// A verdict that is not known, of a pod in a cluster.
fn unknown() -> Finding {
    Finding {
        object: ObjectRef {
            uid: Some("3f1c0c9e-0000-4000-8000-000000000001".to_owned()),
            owner: Some(OwnerRef {
                api_version: "apps/v1".to_owned(),
                kind: "Deployment".to_owned(),
                name: "api".to_owned(),
            }),
            ..object("v1", "Pod", Some("shop"), "api-7d9f-1")
        },
        policy: 1,
        rule: FAULT.to_owned(),
        rule_name: None,
        status: Status::Unknown,
        message: "the condition `exempt` calls authorizer, which needs a cluster".to_owned(),
        reason: "the condition `exempt` calls authorizer, which needs a cluster".to_owned(),
        remedy: None,
        place: None,
        others: others(11),
        ..plain()
    }
}

fn of_a_node() -> Finding {
    Finding {
        object: object("v1", "Node", None, "worker-1"),
        policy: 3,
        rule: "label".to_owned(),
        rule_name: Some("Label".to_owned()),
        path: Some("metadata.labels[example.com/team]".to_owned()),
        stable_path: Some("metadata.labels[example.com/team]".to_owned()),
        value_digest: None,
        message:
            "metadata.labels[example.com/team]: Forbidden: only kube-admin may set the label; ask for it"
                .to_owned(),
        reason: "only kube-admin may set the label".to_owned(),
        restricted_field: None,
        remedy: Some("ask for it".to_owned()),
        place: Some(place("-", (5, 3), (5, 20), true)),
        concerns_pods: false,
        ..finding()
    }
}

fn hostile() -> Finding {
    Finding {
        object: object("v1", "Pod", Some("shop"), HOSTILE),
        rule: HOSTILE.to_owned(),
        rule_name: Some(HOSTILE.to_owned()),
        message: format!("metadata.name: {HOSTILE}"),
        reason: HOSTILE.to_owned(),
        remedy: Some(HOSTILE.to_owned()),
        place: Some(place("deploy/a,b:c 100%.yaml", (1, 1), (1, 4), true)),
        ..plain()
    }
}

fn findings() -> Vec<Finding> {
    let without_owner = ObjectRef { owner: None, ..unknown().object };
    // Two containers with the same name are denied for the same value.
    let second_container = Finding {
        place: Some(place("deploy/web.yaml", (27, 25), (27, 29), true)),
        message: finding().message.replace("[0]", "[1]"),
        ..finding()
    };
    vec![
        Finding { others: others(1), ..unknown() },
        Finding {
            object: without_owner,
            message: "spec.volumes: Warning".to_owned(),
            rule: WARNING.to_owned(),
            reason: "Warning".to_owned(),
            status: Status::Warned,
            others: Vec::new(),
            ..unknown()
        },
        Finding { policy: 0, others: others(10), ..unknown() },
        of_a_node(),
        Finding { status: Status::Monitored, ..of_a_node() },
        hostile(),
        of_another_policy(),
        finding(),
        second_container,
        Finding { excepted: Some("until the driver is gone, see #12".to_owned()), ..of_another_policy() },
        Finding { is_known: true, ..of_another_policy() },
    ]
}

/// Four policies, findings with every status in files and in a cluster, notices and totals.
pub(crate) fn report() -> Report {
    Report {
        policies: vec![
            policy("pod-security", Some(Severity::High)),
            PolicyRef { kind: String::new(), category: None, ..policy("node-pods", None) },
            policy("signed", Some(Severity::Critical)),
            PolicyRef {
                kind: "AdmissionPolicy".to_owned(),
                namespace: Some("shop".to_owned()),
                protects: false,
                ..policy("node-labels", Some(Severity::Info))
            },
        ],
        findings: findings(),
        files: ["deploy/a,b:c 100%.yaml", "deploy/web.yaml", "-"].map(str::to_owned).into(),
        mutations: Vec::new(),
        notices: vec![
            Notice {
                level: Level::Error,
                place: Some(place("deploy/broken.yaml", (3, 8), (3, 8), true)),
                message: "mapping values are not allowed here".to_owned(),
            },
            Notice {
                level: Level::Warning,
                place: Some(place("deploy/web.yaml", (14, 9), (14, 18), true)),
                message:
                    "spec.template.spec.container is not a field of Deployment; did you mean containers?"
                        .to_owned(),
            },
            Notice {
                level: Level::Note,
                place: None,
                message: "values.yaml is not a Kubernetes object".to_owned(),
            },
        ],
        totals: Totals {
            objects: 40,
            not_evaluated: 3,
            evaluations: 90,
            policies: vec![
                PolicyTotals { admitted: 30, denied: 4, unknown: 11, ..PolicyTotals::default() },
                PolicyTotals { admitted: 35, unknown: 2, ..PolicyTotals::default() },
                PolicyTotals { admitted: 1, mutated: 1, denied: 1, skipped: 35, ..PolicyTotals::default() },
                PolicyTotals { monitored: 2, skipped: 38, ..PolicyTotals::default() },
            ],
            by_namespace: BTreeMap::from([
                (String::new(), BTreeMap::from([(3, 2)])),
                ("shop".to_owned(), BTreeMap::from([(0, 15), (1, 2), (2, 1)])),
                (HOSTILE.to_owned(), BTreeMap::from([(0, 1)])),
            ]),
            ..Totals::default()
        },
        is_partial: true,
        namespace: None,
    }
}

/// A report of a scan that found nothing.
pub(crate) fn clean() -> Report {
    Report {
        policies: vec![policy("pod-security", Some(Severity::High))],
        totals: Totals {
            objects: 2,
            evaluations: 1,
            not_evaluated: 1,
            policies: vec![PolicyTotals { admitted: 1, skipped: 1, ..PolicyTotals::default() }],
            ..Totals::default()
        },
        ..Report::default()
    }
}
