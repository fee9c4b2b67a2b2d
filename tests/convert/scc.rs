//! The manifests for the constraints of OpenShift, held against a model of its plugin.

use harness::{Case, judge};
use matching::{Decision, Webhook};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::scc_model::{LEVEL, UID, admits};
use super::{convert, converted_from, missing, refused, without_place};

const FLAGS: [&str; 7] = [
    "allowHostDirVolumePlugin",
    "allowHostIPC",
    "allowHostNetwork",
    "allowHostPID",
    "allowHostPorts",
    "allowPrivilegeEscalation",
    "allowPrivilegedContainer",
];

const VOLUMES: [&str; 9] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// The constraints of scc.yaml, as `oc get scc` prints them.
fn constraints() -> Vec<Value> {
    let cases: Vec<Value> = serde_saphyr::from_str(include_str!("scc.yaml")).unwrap();
    let complete = |case: &Value| {
        let mut constraints = case.clone();
        let fields = constraints.as_object_mut().unwrap();
        let name = fields.remove("name").unwrap();
        let allows = fields.remove("allows").unwrap();
        let more = fields.remove("moreVolumes");
        for flag in FLAGS {
            fields.insert(flag.to_owned(), allows.as_array().unwrap().contains(&flag.into()).into());
        }
        if let Some(more) = more {
            let all: Vec<Value> =
                VOLUMES.into_iter().map(Value::from).chain(more.as_array().unwrap().clone()).collect();
            fields.insert("volumes".to_owned(), all.into());
        }
        fields.insert("apiVersion".to_owned(), "security.openshift.io/v1".into());
        fields.insert("kind".to_owned(), "SecurityContextConstraints".into());
        fields.insert("metadata".to_owned(), json!({ "name": name }));
        fields.insert("priority".to_owned(), Value::Null);
        fields.insert("users".to_owned(), json!([]));
        constraints
    };
    cases.iter().map(complete).collect()
}

/// A role and a binding that grant the use of constraints to a subject.
fn grant(name: &str, subject: &Value, namespace: Option<&str>) -> [Value; 2] {
    let kind = if namespace.is_some() { "RoleBinding" } else { "ClusterRoleBinding" };
    let mut metadata = json!({ "name": format!("use-{name}") });
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    [
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": { "name": format!("use-{name}") },
            "rules": [{
                "apiGroups": ["security.openshift.io"],
                "resources": ["securitycontextconstraints"],
                "resourceNames": [name],
                "verbs": ["use"],
            }],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": kind,
            "metadata": metadata,
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": format!("use-{name}") },
            "subjects": [subject],
        }),
    ]
}

fn everyone() -> Value {
    json!({ "kind": "Group", "name": "system:authenticated" })
}

fn account(name: &str) -> Value {
    json!({ "kind": "ServiceAccount", "namespace": "shop", "name": name })
}

fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// All constraints: restricted-v2 for everyone, and each for a service account of its name.
fn all() -> Vec<Value> {
    let mut items = constraints();
    for constraints in items.clone() {
        let name = constraints["metadata"]["name"].as_str().unwrap();
        let subject = if name == "restricted-v2" { everyone() } else { account(name) };
        items.extend(grant(name, &subject, None));
    }
    items
}

/// Converts documents; returns the status and the JSON output.
fn converted(input: &str) -> (i32, Value) {
    converted_from("scc", &[], input)
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

/// A Namespace as OpenShift's controller annotates it.
fn namespace(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": { "kubernetes.io/metadata.name": name },
            "annotations": {
                "openshift.io/sa.scc.mcs": LEVEL,
                "openshift.io/sa.scc.uid-range": format!("{UID}/10000"),
                "openshift.io/sa.scc.supplemental-groups": format!("{UID}/10000"),
            },
        },
    })
}

/// Manifests with their webhooks.
struct Manifests(Vec<(Value, Webhook)>);

impl Manifests {
    fn of(list: &Value) -> Self {
        let items = list["items"].as_array().unwrap().iter();
        Self(items.map(|item| (item.clone(), Webhook::from_spec(&item["spec"]).unwrap())).collect())
    }
}

/// The manifests that refuse or change a pod.
fn reactions(manifests: &Manifests, pod: &Value, user: &Value) -> Vec<String> {
    let name = pod["metadata"]["namespace"].as_str().unwrap();
    let namespace = namespace(name);
    let request = json!({
        "uid": "u",
        "operation": "CREATE",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "name": "p",
        "namespace": name,
        "userInfo": user,
        "object": pod,
    });
    let mut reactions = Vec::new();
    for (manifest, webhook) in &manifests.0 {
        let spec = &manifest["spec"];
        let decision = webhook.decide(&request, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => continue,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "user": user,
            "object": pod,
            "cluster": { "objects": [namespace] },
            "want": {},
        }))
        .unwrap();
        let module = spec["module"].as_str().unwrap();
        let policy = module.rsplit('/').next().unwrap().split(':').next().unwrap();
        let outcome = judge::natively(rules::find(policy).unwrap(), &case).unwrap().outcome;
        assert!(outcome.fault.is_none() && outcome.settings_error.is_none(), "{outcome:?}");
        let name = &manifest["metadata"]["name"];
        if let Some(denied) = outcome.denied {
            reactions.push(format!("{name}: {denied:?}"));
        }
        if outcome.mutated.is_some() {
            reactions.push(format!("{name}: changes the pod"));
        }
    }
    reactions
}

fn ann() -> Value {
    json!({ "username": "ann", "groups": ["system:authenticated"] })
}

/// A pod that constraints admit as it is, with a service account of their name.
fn good(constraints: &Value) -> Value {
    let first = |range: &Value, otherwise: i64| range["min"].as_i64().unwrap_or(otherwise);
    let user = constraints["runAsUser"]["uidRangeMax"].as_i64().unwrap_or(UID);
    let mut context = json!({
        "fsGroup": first(&constraints["fsGroup"]["ranges"][0], UID),
        "supplementalGroups": [first(&constraints["supplementalGroups"]["ranges"][0], UID)],
        "seLinuxOptions": { "level": LEVEL },
    });
    if let Some(options) = constraints["seLinuxContext"].get("seLinuxOptions") {
        context["seLinuxOptions"]["type"] = options["type"].clone();
    }
    if constraints["seccompProfiles"].get(0).is_some() {
        context["seccompProfile"] = json!({ "type": "RuntimeDefault" });
    }
    let mut own = json!({ "allowPrivilegeEscalation": false, "runAsNonRoot": true, "runAsUser": user });
    if let Some(required) = constraints.get("requiredDropCapabilities") {
        own["capabilities"] = json!({ "drop": required });
    }
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "p", "namespace": "shop" },
        "spec": {
            "serviceAccountName": constraints["metadata"]["name"],
            "hostUsers": constraints["userNamespaceLevel"] != "RequirePodLevel",
            "securityContext": context,
            "containers": [{ "name": "c", "image": "registry.example.com/web", "securityContext": own }],
        },
    })
}

/// Changes of a pod: a pointer, and the value; null removes it.
fn changes() -> Vec<(&'static str, Value)> {
    vec![
        ("/spec/hostNetwork", json!(true)),
        ("/spec/hostPID", json!(true)),
        ("/spec/hostIPC", json!(true)),
        ("/spec/hostUsers", json!(false)),
        ("/spec/volumes", json!([{ "name": "v", "hostPath": { "path": "/srv" } }])),
        ("/spec/volumes", json!([{ "name": "v", "nfs": { "server": "s", "path": "/" } }])),
        ("/spec/volumes", json!([{ "name": "v", "configMap": { "name": "m" } }])),
        ("/spec/securityContext/fsGroup", Value::Null),
        ("/spec/securityContext/fsGroup", json!(2000)),
        ("/spec/securityContext/supplementalGroups", json!([2000])),
        ("/spec/securityContext/supplementalGroups", json!([UID])),
        ("/spec/securityContext/runAsUser", json!(0)),
        ("/spec/securityContext/runAsUser", json!(2000)),
        ("/spec/securityContext/runAsUser", json!(UID)),
        ("/spec/securityContext/runAsNonRoot", json!(false)),
        ("/spec/securityContext/runAsNonRoot", json!(true)),
        ("/spec/securityContext/sysctls", json!([{ "name": "net.ipv4.tcp_rmem", "value": "1" }])),
        ("/spec/securityContext/sysctls", json!([{ "name": "kernel.msgmax", "value": "1" }])),
        ("/spec/securityContext/seccompProfile", Value::Null),
        ("/spec/securityContext/seccompProfile", json!({ "type": "Unconfined" })),
        ("/spec/securityContext/seLinuxOptions", Value::Null),
        ("/spec/securityContext/seLinuxOptions", json!({ "level": "s0:c1,c2" })),
        ("/spec/securityContext/seLinuxOptions", json!({ "level": LEVEL, "type": "container_engine_t" })),
        ("/spec/securityContext/seLinuxOptions", json!({ "level": LEVEL, "type": "spc_t" })),
        ("/spec/containers/0/securityContext/runAsUser", Value::Null),
        ("/spec/containers/0/securityContext/runAsUser", json!(0)),
        ("/spec/containers/0/securityContext/runAsUser", json!(2000)),
        ("/spec/containers/0/securityContext/runAsNonRoot", Value::Null),
        ("/spec/containers/0/securityContext/runAsNonRoot", json!(false)),
        ("/spec/containers/0/securityContext/allowPrivilegeEscalation", Value::Null),
        ("/spec/containers/0/securityContext/allowPrivilegeEscalation", json!(true)),
        ("/spec/containers/0/securityContext/privileged", json!(true)),
        ("/spec/containers/0/securityContext/capabilities", Value::Null),
        ("/spec/containers/0/securityContext/capabilities", json!({ "drop": ["MKNOD"] })),
        (
            "/spec/containers/0/securityContext/capabilities",
            json!({ "drop": ["KILL", "MKNOD", "SETUID", "SETGID"] }),
        ),
        ("/spec/containers/0/securityContext/capabilities/add", json!(["NET_BIND_SERVICE"])),
        ("/spec/containers/0/securityContext/capabilities/add", json!(["SETUID"])),
        ("/spec/containers/0/securityContext/capabilities/add", json!(["SYS_ADMIN"])),
        ("/spec/containers/0/securityContext/seccompProfile", json!({ "type": "Unconfined" })),
        ("/spec/containers/0/securityContext/procMount", json!("Unmasked")),
        ("/spec/containers/0/ports", json!([{ "containerPort": 80, "hostPort": 80 }])),
        ("/spec/initContainers", json!([{ "name": "i", "image": "registry.example.com/web" }])),
    ]
}

fn change(pod: &mut Value, pointer: &str, value: &Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    if let Some(Value::Object(parent)) = pod.pointer_mut(parent) {
        if value.is_null() {
            parent.remove(key);
        } else {
            parent.insert(key.to_owned(), value.clone());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn manifests_refuse_no_pod_that_openshift_admits_as_it_is(
        pods in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<prop::sample::Index>(), 0..5)), 40),
    ) {
        let constraints = constraints();
        let (status, list) = converted_once();
        prop_assert_eq!(status, 1);
        let manifests = Manifests::of(&list);
        let changes = changes();
        for (account, indices) in pods {
            let own = account.get(&constraints);
            let mut pod = good(own);
            for index in indices {
                let (pointer, value) = index.get(&changes);
                change(&mut pod, pointer, value);
            }
            let usable = [own, constraints.iter().find(|known| known["metadata"]["name"] == "restricted-v2").unwrap()];
            if usable.iter().any(|constraints| admits(constraints, &pod)) {
                let reactions = reactions(&manifests, &pod, &ann());
                prop_assert!(reactions.is_empty(), "{}: {:?}", pod, reactions);
            }
        }
    }
}

/// The manifests of all constraints, converted once.
fn converted_once() -> (i32, Value) {
    static CONVERTED: std::sync::OnceLock<(i32, Value)> = std::sync::OnceLock::new();
    CONVERTED.get_or_init(|| converted(&list(&all()))).clone()
}

/// The changes that OpenShift refuses and the manifests admit, the beginning of the line that says
/// so, and the constraints that the line is about.
const LISTED: [(&str, &str, &str); 13] = [
    ("/spec/securityContext/fsGroup", "no module sets or restricts groups", "fsGroup"),
    ("/spec/securityContext/supplementalGroups", "no module sets or restricts groups", "supplementalGroups"),
    ("/spec/hostUsers", "no module requires hostUsers: false", "userNamespaceLevel"),
    ("/spec/securityContext/runAsUser", "OpenShift assigns a user", "runAsUser"),
    ("/spec/containers/0/securityContext/runAsUser", "OpenShift assigns a user", "runAsUser"),
    ("/spec/containers/0/securityContext/runAsNonRoot", "OpenShift assigns a user", "runAsUser"),
    ("/spec/containers/0/securityContext/runAsNonRoot", "OpenShift sets runAsNonRoot: true", "runAsUser"),
    ("/spec/initContainers", "OpenShift assigns a user", "runAsUser"),
    ("/spec/initContainers", "no module drops", "requiredDropCapabilities"),
    ("/spec/containers/0/securityContext/capabilities", "no module drops", "requiredDropCapabilities"),
    (
        "/spec/containers/0/securityContext/capabilities/add",
        "every level of the standards allows NET_BIND_SERVICE",
        "allowedCapabilities",
    ),
    (
        "/spec/securityContext/seLinuxOptions",
        "the policy allows these SELinux options to all pods",
        "seLinuxContext",
    ),
    (
        "/spec/securityContext/seccompProfile",
        "OpenShift refuses pods with a seccomp profile",
        "seccompProfiles",
    ),
];

/// Each single change of a good pod, for each service account: the manifests and the plugin agree,
/// except where a line says so.
#[test]
fn manifests_differ_from_openshift_only_where_a_line_says_so() {
    let constraints = constraints();
    let (_, list) = converted_once();
    let manifests = Manifests::of(&list);
    let lines = list["notConverted"].as_array().unwrap();
    let of_all = constraints.iter().find(|known| known["metadata"]["name"] == "restricted-v2").unwrap();
    let mut found = (0, 0, 0);
    let mut unlisted = Vec::new();
    for own in &constraints {
        let name = own["metadata"]["name"].as_str().unwrap();
        for (pointer, value) in changes() {
            let mut pod = good(own);
            assert!(admits(own, &pod), "{name}");
            change(&mut pod, pointer, &value);
            let wanted = admits(own, &pod) || admits(of_all, &pod);
            let reactions = reactions(&manifests, &pod, &ann());
            if wanted {
                found.0 += 1;
                assert_eq!(reactions, Vec::<String>::new(), "{name} {pointer} {value}");
            } else if reactions.is_empty() {
                found.2 += 1;
                // The line about an SELinux type is about the constraints that require it.
                let about = if pointer.ends_with("seLinuxOptions") { "nested-container" } else { name };
                let says = |line: &Value, reason: &str, field: &str| {
                    line["policy"] == format!("SecurityContextConstraints {about}")
                        && line["path"].as_str().unwrap().ends_with(field)
                        && line["problem"].as_str().unwrap().starts_with(reason)
                };
                // OpenShift admits it, too, with runAsNonRoot: true, because it has a user.
                let is_completed = pointer.ends_with("/runAsNonRoot") && value.is_null();
                let is_listed = is_completed
                    || LISTED.iter().any(|(known, reason, field)| {
                        *known == pointer && lines.iter().any(|line| says(line, reason, field))
                    });
                if !is_listed {
                    unlisted.push(format!("{name} {pointer} {value}"));
                }
            } else {
                found.1 += 1;
            }
        }
    }
    assert_eq!(unlisted, Vec::<String>::new());
    assert_eq!(found, (273, 200, 73));
}

/// Whether the manifests admit a pod of the Namespace shop.
fn is_admitted(list: &Value, pod: &Value, user: &Value) -> bool {
    reactions(&Manifests::of(list), pod, user).is_empty()
}

fn one(name: &str) -> Value {
    constraints().into_iter().find(|constraints| constraints["metadata"]["name"] == name).unwrap()
}

#[test]
fn users_groups_and_bindings_decide_who_may_use_constraints() {
    let (privileged, hostaccess, restricted) = (one("privileged"), one("hostaccess"), one("restricted-v2"));
    let mut items = vec![privileged, hostaccess.clone(), restricted.clone()];
    items[0]["users"] = json!(["system:admin", "system:serviceaccount:shop:agent"]);
    items[0]["groups"] = json!(["node-owners", "system:serviceaccounts:infra"]);
    items.extend(grant("restricted-v2", &everyone(), None));
    items.extend(grant("hostaccess", &json!({ "kind": "User", "name": "bob" }), Some("shop")));
    let (status, list) = converted(&list(&items));
    assert_eq!(status, 1);
    assert_eq!(names(&list), ["pod-security", "pod-security-users", "selinux-default", "selinux-guard"]);
    assert!(list["items"].as_array().unwrap().iter().all(|item| item["spec"]["mode"] == "protect"), "{list}");
    let user = |name: &str, groups: &[&str]| json!({ "username": name, "groups": groups });
    let mut restricted = good(&restricted);
    restricted["spec"]["serviceAccountName"] = "web".into();
    let mut host = good(&hostaccess);
    host["spec"]["serviceAccountName"] = "web".into();
    host["spec"]["hostPID"] = true.into();
    let mut privileged = restricted.clone();
    change(
        &mut privileged,
        "/spec/containers/0/securityContext",
        &json!({ "privileged": true, "runAsUser": 0 }),
    );
    change(&mut privileged, "/spec/securityContext/seLinuxOptions", &json!({ "type": "spc_t" }));
    let with = |pod: &Value, namespace: &str, account: &str| {
        let mut pod = pod.clone();
        pod["metadata"]["namespace"] = namespace.into();
        pod["spec"]["serviceAccountName"] = account.into();
        pod
    };
    for (pod, user, expected) in [
        (&restricted, ann(), true),
        (&host, ann(), false),
        (&host, user("bob", &[]), true),
        (&with(&host, "other", "web"), user("bob", &[]), false),
        (&privileged, ann(), false),
        (&privileged, user("bob", &[]), false),
        (&privileged, user("system:admin", &[]), true),
        (&privileged, user("eve", &["node-owners"]), true),
        (&privileged, user("eve", &["system:masters"]), true),
        (&with(&privileged, "shop", "agent"), ann(), true),
        (&with(&privileged, "other", "agent"), ann(), false),
        (&with(&privileged, "infra", "any"), ann(), true),
    ] {
        assert_eq!(is_admitted(&list, pod, &user), expected, "{user} {pod}");
    }
}

#[test]
fn pods_of_windows_are_not_judged_and_namespaces_need_a_level() {
    let (_, list) = converted_once();
    let mut pod = good(&one("restricted-v2"));
    pod["spec"]["hostNetwork"] = true.into();
    assert!(!is_admitted(&list, &pod, &ann()));
    pod["spec"]["os"] = json!({ "name": "windows" });
    assert!(is_admitted(&list, &pod, &ann()));
    let guard = &list["items"][3]["spec"]["settings"]["allocation"];
    let expected = json!({ "source": "NamespaceAnnotation", "annotations": ["openshift.io/sa.scc.mcs"], "onMissingAnnotation": "Reject" });
    assert_eq!(*guard, expected);
}

#[test]
fn a_pod_without_a_level_gets_that_of_its_namespace() {
    let (_, list) = converted_once();
    let mut pod = good(&one("restricted-v2"));
    change(&mut pod, "/spec/securityContext/seLinuxOptions", &Value::Null);
    let reactions = reactions(&Manifests::of(&list), &pod, &ann());
    // The API server calls the guard with the changed pod.
    let [default, guard] = reactions.as_slice() else { panic!("{reactions:?}") };
    assert_eq!(default, "\"selinux-default\": changes the pod");
    assert!(guard.starts_with("\"selinux-guard\": ") && guard.contains("s0:c5,c26"), "{guard}");
}

#[test]
fn without_bindings_the_manifests_are_in_mode_monitor() {
    let (status, list) = converted(&list(&[one("anyuid"), one("restricted-v2")]));
    assert_eq!(status, 1);
    assert!(list["items"].as_array().unwrap().iter().all(|item| item["spec"]["mode"] == "monitor"), "{list}");
    let lines = missing(&list);
    let beginnings = [
        "items[0].users: the input has no bindings",
        "items[0].groups: only some subjects may use constraints",
        "items[0].users: no user, group or binding",
        "items[1].users: no user, group or binding",
    ];
    assert_eq!(lines.len(), beginnings.len(), "{lines:#?}");
    for (line, beginning) in lines.iter().zip(beginnings) {
        assert!(line.starts_with(beginning), "{line}");
    }
}

#[test]
fn constraints_for_everyone_that_allow_everything_leave_nothing_to_restrict() {
    let mut items = vec![one("privileged")];
    items.extend(grant("privileged", &everyone(), None));
    let (status, list) = converted(&list(&items));
    assert_eq!((status, names(&list)), (0, vec![]), "{list}");
    assert_eq!(list["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_fixed_context_becomes_the_context_of_every_pod() {
    let mut constraints = one("privileged");
    constraints["seLinuxContext"] = json!({ "type": "MustRunAs", "seLinuxOptions": { "user": "u_u", "role": "r_r", "type": "a_t", "level": "s0:c1,c2" } });
    let mut items = vec![constraints];
    items.extend(grant("privileged", &everyone(), None));
    let (_, list) = converted(&list(&items));
    assert_eq!(names(&list), ["pod-security", "selinux-default", "selinux-guard"], "{list}");
    let settings = &list["items"][1]["spec"]["settings"];
    let fixed = json!({ "user": "u_u", "role": "r_r", "type": "a_t", "level": "s0:c1,c2" });
    assert_eq!(settings["allocation"], json!({ "source": "Fixed", "fixed": fixed }));
    let mut pod = good(&one("restricted-v2"));
    assert!(!is_admitted(&list, &pod, &ann()));
    change(&mut pod, "/spec/securityContext/seLinuxOptions", &fixed);
    assert!(is_admitted(&list, &pod, &ann()));
}

#[test]
fn refuses_what_the_api_server_would_refuse() {
    let with = |key: &str, value: Value| {
        let mut constraints = one("restricted-v2");
        constraints[key] = value;
        format!("---\n{constraints}")
    };
    for (input, message) in [
        (
            with("apiVersion", json!("security.openshift.io/v2")),
            "apiVersion: expected security.openshift.io/v1",
        ),
        (with("allowHostPID", json!("yes")), "allowHostPID: expected true or false, found a string"),
        (with("volumes", json!(["cloud"])), "volumes: \"cloud\" is not a type of volume"),
        (with("runAsUser", Value::Null), "runAsUser: is missing"),
        (with("runAsUser", json!({ "type": "MustRunAs" })), "runAsUser.uid: is missing"),
        (
            with("runAsUser", json!({ "type": "MustRunAsRange", "uidRangeMin": 5 })),
            "runAsUser.uidRangeMax: is missing",
        ),
        (
            with("runAsUser", json!({ "type": "Any" })),
            "runAsUser.type: expected MustRunAs, MustRunAsRange, MustRunAsNonRoot or RunAsAny",
        ),
        (
            with("seLinuxContext", json!({ "type": "Any" })),
            "seLinuxContext.type: expected MustRunAs or RunAsAny",
        ),
        (
            with("forbiddenSysctls", json!(["a*b"])),
            "forbiddenSysctls: \"a*b\" is not a sysctl, nor the beginning of one with a final *",
        ),
        (
            list(&[
                json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "r" } }),
            ]),
            "items[0].kind: expected SecurityContextConstraints",
        ),
    ] {
        assert_eq!(without_place(&refused(&["scc", "-"], &input)), format!("standard input: {message}"));
    }
}

#[test]
fn the_migration_page_shows_what_the_tool_prints() {
    let page = std::fs::read_to_string(tests::root().join("docs/migrate-scc.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
    let [before, excerpts @ ..] = blocks.as_slice() else { panic!("{page}") };
    let folder = super::folder("scc-page");
    std::fs::write(folder.join("constraints.yaml"), before).unwrap();
    let (status, stdout, stderr) = convert(&folder, &["scc", "constraints.yaml"], "");
    assert_eq!(excerpts.len(), 2);
    for excerpt in excerpts {
        assert!(stdout.contains(excerpt), "{excerpt}");
    }
    let console =
        format!("$ portcullis convert scc constraints.yaml > manifests.yaml\n{stderr}$ echo $?\n{status}\n");
    assert!(page.contains(&console), "{console}");
}
