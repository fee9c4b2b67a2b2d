//! The manifests for Gatekeeper's library and Kubewarden's official policies, held against facts
//! about them.

use harness::{Case, judge};
use serde_json::{Value, json};

use super::conformance::refusals_of;
use super::{convert, converted_from, missing};

/// Converts documents of a source; returns the status and the JSON output.
fn converted(source: &str, input: &str) -> (i32, Value) {
    converted_from(source, &[], input)
}

fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// A pod of a case, as an object of one kind.
fn object(expected: &Value) -> (Value, &'static str) {
    let annotations = expected.get("annotations").cloned().unwrap_or(json!({}));
    let pod = json!({ "metadata": { "annotations": annotations }, "spec": expected["spec"] });
    let metadata = json!({ "name": "p", "namespace": "shop", "annotations": annotations });
    match expected["kind"].as_str() {
        Some("Deployment") => (
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": { "template": pod } }),
            "deployments",
        ),
        _ => (
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": expected["spec"] }),
            "pods",
        ),
    }
}

/// How many verdicts agree, and the sources of the others: where the manifests refuse more, and
/// where they refuse less.
#[derive(Debug, Default)]
struct Tally {
    agree: usize,
    stricter: Vec<String>,
    laxer: Vec<String>,
}

/// Compares the verdicts of converted cases. A difference is listed, and a manifest that refuses
/// more is in mode monitor.
fn compare(source: &str, cases: &str, document: impl Fn(&Value) -> Value) -> Tally {
    let cases: Vec<Value> = serde_saphyr::from_str(cases).unwrap();
    let mut tally = Tally::default();
    for case in &cases {
        let (_, list) = converted(source, &document(case).to_string());
        let manifests = list["items"].as_array().unwrap();
        let lines = missing(&list);
        let name = || case.get("source").unwrap_or(&case["module"]).as_str().unwrap().to_owned();
        for expected in case["pods"].as_array().unwrap() {
            let (object, plural) = object(expected);
            let old = (expected["updates"] == true).then(|| {
                let mut old = object.clone();
                // A change that is judged, without being the violation.
                old["spec"]["containers"][0]["image"] = "registry.example.com/old".into();
                old
            });
            let refusals = refusals_of(manifests, old.as_ref(), &object, plural, &json!({}));
            let is_refused = expected["verdict"] == "Denied";
            if is_refused != refusals.is_empty() {
                tally.agree += 1;
                continue;
            }
            assert!(!lines.is_empty(), "{case}: {expected}: {refusals:?}");
            if is_refused {
                tally.laxer.push(name());
            } else {
                tally.stricter.push(name());
                let denies = |manifest: &&Value| manifest["spec"]["mode"] == "protect";
                let protecting: Vec<Value> = manifests.iter().filter(denies).cloned().collect();
                let refusals = refusals_of(&protecting, old.as_ref(), &object, plural, &json!({}));
                assert_eq!(refusals, Vec::<String>::new(), "{case}: {expected}");
            }
        }
    }
    tally
}

fn constraint(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": kind,
        "metadata": { "name": name },
        "spec": spec,
    })
}

#[test]
fn manifests_judge_the_samples_of_gatekeepers_library_as_the_library_does_or_list_it() {
    let tally = compare("gatekeeper", include_str!("gatekeeper-cases.yaml"), |case| {
        let spec = json!({
            "match": { "kinds": [{ "apiGroups": [""], "kinds": ["Pod"] }] },
            "parameters": case["parameters"],
        });
        constraint(case["kind"].as_str().unwrap(), "c", &spec)
    });
    assert_eq!(tally.agree, 127);
    assert_eq!(tally.stricter, ["apparmor", "seccomp", "seccomp"]);
    let laxer =
        ["flexvolume-drivers", "forbidden-sysctls", "forbidden-sysctls", "fsgroup", "fsgroup", "fsgroup"];
    let of_containers =
        ["read-only-root-filesystem", "read-only-root-filesystem", "read-only-root-filesystem", "seccomp"];
    assert_eq!(tally.laxer, [&laxer[..], &of_containers].concat());
}

/// The rules of most official policies.
fn rules() -> Value {
    json!([
        { "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE", "UPDATE"] },
        { "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"], "operations": ["CREATE"] },
    ])
}

fn policy(name: &str, module: &str, settings: &Value, more: &Value) -> Value {
    let mut spec = json!({
        "module": format!("registry://ghcr.io/kubewarden/policies/{module}:v1.0.0"),
        "mutating": false,
        "rules": rules(),
        "settings": settings,
    });
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    json!({
        "apiVersion": "policies.kubewarden.io/v1",
        "kind": "ClusterAdmissionPolicy",
        "metadata": { "name": name },
        "spec": spec,
    })
}

#[test]
fn manifests_judge_as_kubewardens_official_policies_do_or_list_it() {
    let tally = compare("kubewarden", include_str!("kubewarden-cases.yaml"), |case| {
        policy("p", case["module"].as_str().unwrap(), &case["settings"], &json!({}))
    });
    assert_eq!(tally.agree, 58);
    // The cases that the file marks as listed.
    assert_eq!(tally.stricter, ["hostpaths-psp", "volumes-psp"]);
    let of_pods = ["hostpaths-psp", "capabilities-psp", "readonly-root-filesystem-psp", "seccomp-psp"];
    assert_eq!(
        tally.laxer,
        [&of_pods[..], &["apparmor-psp", "sysctl-psp", "sysctl-psp", "volumes-psp"]].concat()
    );
}

/// The paths of what is not converted.
fn paths(list: &Value) -> Vec<&str> {
    list["notConverted"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect()
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

#[test]
fn policies_that_judge_the_same_requests_become_one_manifest() {
    let input = list(&[
        policy("a", "pod-privileged", &json!({}), &json!({})),
        policy("b", "host-namespaces-psp", &json!({}), &json!({})),
        // Another mode, another policy server, and ports in another way than in b.
        policy("c", "pod-privileged", &json!({}), &json!({ "mode": "monitor" })),
        policy("d", "pod-privileged", &json!({}), &json!({ "policyServer": "tenants" })),
        policy(
            "e",
            "host-namespaces-psp",
            &json!({ "allow_host_ports": [{ "min": 1, "max": 9 }] }),
            &json!({}),
        ),
        // A name that a manifest would take.
        policy("pod-security", "share-pid-namespace-policy", &json!({}), &json!({})),
    ]);
    let (status, list) = converted("kubewarden", &input);
    assert_eq!((status, paths(&list)), (1, vec!["items[5].spec.settings"]), "{list}");
    assert_eq!(names(&list), ["pod-security-2", "pod-security-c", "pod-security-d", "pod-security-e"]);
    let spec = |index: usize| &list["items"][index]["spec"];
    assert_eq!(spec(0)["settings"]["level"], "baseline");
    assert_eq!(spec(1)["mode"], "monitor");
    assert_eq!(spec(2)["policyServer"], "tenants");
    let controls: Vec<&str> = spec(0)["settings"]["exclude"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["controlName"].as_str().unwrap())
        .collect();
    for required in ["privileged", "hostNamespaces", "hostPorts"] {
        assert!(!controls.contains(&required), "{required}");
    }
    assert!(controls.contains(&"windowsHostProcess") && controls.contains(&"sysctls"));
}

#[test]
fn conjunctions_of_groups_are_their_members_and_other_expressions_are_listed() {
    let group = |expression: &str| {
        let mut group = policy("g", "", &json!({}), &json!({ "expression": expression, "message": "no" }));
        group["kind"] = "AdmissionPolicyGroup".into();
        group["metadata"]["namespace"] = "shop".into();
        group["spec"].as_object_mut().unwrap().remove("module");
        group["spec"]["policies"] = json!({
            "a": { "module": "ghcr.io/kubewarden/policies/pod-privileged:v1", "settings": {} },
            "b": { "module": "registry.example.com/safe-labels:v1", "settings": {} },
        });
        group.to_string()
    };
    let (_, list) = converted("kubewarden", &group("a() && b()"));
    assert_eq!(paths(&list), ["spec.message", "spec.policies.b.module"]);
    assert_eq!(list["items"][0]["kind"], "AdmissionPolicy");
    assert_eq!(list["items"][0]["metadata"], json!({ "name": "pod-security-g-a", "namespace": "shop" }));
    let (_, list) = converted("kubewarden", &group("a() || b()"));
    assert_eq!((paths(&list), names(&list)), (vec!["spec.expression"], vec![]));
    let (status, _, stderr) = convert(&tests::root(), &["kubewarden", "-"], &group("a() && c()"));
    assert_eq!(status, 2);
    assert!(stderr.contains("spec.expression: names \"c\", which is not in policies"), "{stderr}");
}

#[test]
fn levels_of_namespace_labels_become_settings() {
    let modes = json!({ "modes": { "enforce": "baseline", "warn": "restricted", "warn-version": "v1.30" } });
    let more = json!({ "objectSelector": { "matchLabels": { "team": "a" } } });
    let (status, list) =
        converted("kubewarden", &policy("l", "psa-label-enforcer", &modes, &more).to_string());
    assert_eq!(status, 1);
    assert_eq!(paths(&list), ["spec.settings.modes.audit", "spec.settings.modes", "spec.settings.modes"]);
    let spec = &list["items"][0]["spec"];
    assert_eq!(
        spec["settings"],
        json!({
            "level": "baseline",
            "version": "latest",
            "warn": { "level": "restricted", "version": "v1.30" },
            "templates": "Warn",
        })
    );
    assert_eq!(spec["mode"], "monitor");
    let requirement = json!({ "key": "team", "operator": "In", "values": ["a"] });
    assert_eq!(spec["namespaceSelector"], json!({ "matchExpressions": [requirement] }));
    assert_eq!(spec.get("objectSelector"), None);
}

#[test]
fn one_context_for_all_pods_becomes_a_manifest_of_selinux() {
    let settings = json!({ "rule": "MustRunAs", "type": "container_t", "level": "s0:c1,c2" });
    let (_, list) = converted("kubewarden", &policy("s", "selinux-psp", &settings, &json!({})).to_string());
    assert_eq!((paths(&list), names(&list)), (vec!["spec.settings.rule"], vec!["selinux-s"]), "{list}");
    let spec = &list["items"][0]["spec"];
    assert_eq!(spec["module"], "registry://ghcr.io/portcullis/policies/selinux:v0.1.0");
    assert_eq!(spec["mutating"], true);
    let verdict = |options: Value| {
        let case = json!({
            "name": "converted",
            "settings": spec["settings"],
            "object": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": { "name": "p", "namespace": "shop" },
                "spec": { "containers": [{ "name": "c", "securityContext": options }] },
            },
            "want": {},
        });
        let case: Case = serde_json::from_value(case).unwrap();
        let outcome = judge::natively(rules::find("selinux").unwrap(), &case).unwrap().outcome;
        (outcome.denied.is_some(), outcome.mutated.is_some())
    };
    let options = |options: Value| json!({ "seLinuxOptions": options });
    assert_eq!(verdict(json!({})), (false, true));
    assert!(!verdict(options(json!({ "type": "container_t", "level": "s0:c2,c1" }))).0);
    for refused in [
        json!({ "type": "spc_t", "level": "s0:c1,c2" }),
        json!({ "type": "container_t", "level": "s0:c1,c3" }),
        json!({ "type": "container_t", "level": "s0:c1,c2", "user": "system_u" }),
    ] {
        assert!(verdict(options(refused.clone())).0, "{refused}");
    }
    let any = policy("s", "selinux-psp", &json!({ "rule": "RunAsAny" }), &json!({}));
    let (status, list) = converted("kubewarden", &any.to_string());
    assert_eq!((status, names(&list)), (0, vec![]));
}

#[test]
fn the_match_of_a_constraint_selects_namespaces_objects_and_names() {
    let matched = json!({ "match": {
        "kinds": [{ "apiGroups": ["*"], "kinds": ["Pod", "Deployment"] }],
        "namespaces": ["team-*", "shop"],
        "excludedNamespaces": ["kube-system", "*-dev"],
        "namespaceSelector": { "matchLabels": { "tier": "web" } },
        "labelSelector": { "matchExpressions": [{ "key": "app", "operator": "Exists" }] },
        "name": "web-*",
    } });
    let config = json!({
        "apiVersion": "config.gatekeeper.sh/v1alpha1",
        "kind": "Config",
        "metadata": { "name": "config", "namespace": "gatekeeper-system" },
        "spec": { "match": [
            { "excludedNamespaces": ["infra", "*-system"], "processes": ["webhook"] },
            { "excludedNamespaces": ["batch"], "processes": ["audit"] },
            { "excludedNamespaces": ["ignored"], "processes": ["sync", "mutation-webhook"] },
        ] },
    });
    let privileged = constraint("K8sPSPPrivilegedContainer", "c", &matched);
    let (status, list) = converted("gatekeeper", &self::list(&[config, privileged]));
    assert_eq!((status, names(&list)), (0, vec!["c", "c-audit"]), "{list}");
    let spec = |index: usize| &list["items"][index]["spec"];
    let expressions = |index: usize| -> Vec<String> {
        let all = spec(index)["namespaceSelector"]["matchExpressions"].as_array().unwrap();
        all.iter().map(|one| format!("{} {} {}", one["key"], one["operator"], one["values"])).collect()
    };
    let name = |values: &str| format!("\"kubernetes.io/metadata.name\" \"NotIn\" {values}");
    let tier = "\"tier\" \"In\" [\"web\"]".to_owned();
    assert_eq!(
        expressions(0),
        [
            tier.clone(),
            name("[\"kube-system\"]"),
            name("[\"infra\"]"),
            "\"admission.gatekeeper.sh/ignore\" \"DoesNotExist\" null".to_owned(),
            name("[\"gatekeeper-system\"]"),
        ]
    );
    assert_eq!(expressions(1), [tier, name("[\"kube-system\"]"), name("[\"batch\"]")]);
    assert_eq!(
        spec(0)["objectSelector"],
        json!({ "matchExpressions": [{ "key": "app", "operator": "Exists" }] })
    );
    let pod = |name: &str, namespace: &str, app: &str| {
        let container = json!({ "name": "c", "securityContext": { "privileged": true } });
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": name, "namespace": namespace, "labels": { app: "web" } },
            "spec": { "containers": [container] },
        });
        let manifests = list["items"].as_array().unwrap();
        !refusals_of(manifests, None, &pod, "pods", &json!({ "tier": "web" })).is_empty()
    };
    assert!(pod("web-1", "team-a", "app") && pod("web-1", "shop", "app"));
    for (name, namespace, app) in [
        ("api-1", "shop", "app"),
        ("web-1", "shop", "other"),
        ("web-1", "office", "app"),
        ("web-1", "team-dev", "app"),
        ("web-1", "team-system", "app"),
        ("web-1", "infra", "app"),
    ] {
        assert!(!pod(name, namespace, app), "{name} {namespace} {app}");
    }
}

#[test]
fn actions_determine_mode_warnings_and_audits() {
    let of = |spec: Value| {
        let mut list = converted("gatekeeper", &constraint("K8sPSPHostProcess", "c", &spec).to_string()).1;
        list["items"].take().as_array().unwrap().iter().map(|item| item["spec"].clone()).collect::<Vec<_>>()
    };
    let scoped = |action: &str, points: &[&str]| {
        let points: Vec<Value> = points.iter().map(|name| json!({ "name": name })).collect();
        json!({
            "enforcementAction": "scoped",
            "scopedEnforcementActions": [{ "action": action, "enforcementPoints": points }],
        })
    };
    let modes = |specs: &[Value]| -> Vec<(String, Value)> {
        specs
            .iter()
            .map(|spec| (spec["mode"].as_str().unwrap().to_owned(), spec["backgroundAudit"].clone()))
            .collect()
    };
    let one = |mode: &str, audit: Value| vec![(mode.to_owned(), audit)];
    assert_eq!(modes(&of(json!({}))), one("protect", Value::Null));
    assert_eq!(modes(&of(json!({ "enforcementAction": "dryrun" }))), one("monitor", Value::Null));
    assert_eq!(modes(&of(scoped("deny", &["validation.gatekeeper.sh"]))), one("protect", false.into()));
    assert_eq!(modes(&of(scoped("deny", &["audit.gatekeeper.sh"]))), one("monitor", true.into()));
    assert_eq!(modes(&of(scoped("deny", &["gator.gatekeeper.sh"]))), []);
    let warning = of(json!({ "enforcementAction": "warn" }));
    assert_eq!(modes(&warning), [("protect".to_owned(), false.into()), ("monitor".to_owned(), true.into())]);
    assert_eq!(warning[0]["settings"]["level"], "privileged");
    assert_eq!(warning[0]["settings"]["warn"], json!({ "level": "baseline", "version": "v1.24" }));
    let (status, _, stderr) = convert(
        &tests::root(),
        &["gatekeeper", "-"],
        &constraint("K8sPSPHostProcess", "c", &json!({ "enforcementAction": "block" })).to_string(),
    );
    assert_eq!(status, 2);
    assert!(stderr.contains("spec.enforcementAction: expected deny, dryrun, warn or scoped"), "{stderr}");
}

#[test]
fn constraints_for_other_objects_and_with_other_templates_are_not_converted() {
    let names = json!({ "crd": { "spec": { "names": { "kind": "K8sPSPProcMount" } } } });
    let mut spec = names;
    spec["targets"] = json!([{ "target": "admission.k8s.gatekeeper.sh", "rego": "package own\n" }]);
    let template = json!({
        "apiVersion": "templates.gatekeeper.sh/v1",
        "kind": "ConstraintTemplate",
        "metadata": { "name": "k8spspprocmount" },
        "spec": spec,
    });
    let expansion = json!({
        "apiVersion": "expansion.gatekeeper.sh/v1",
        "kind": "ExpansionTemplate",
        "metadata": { "name": "e" },
        "spec": {
            "templateSource": "spec.template",
            "generatedGVK": { "version": "v1", "kind": "Pod" },
            "applyTo": [{ "groups": ["example.com"], "versions": ["v1"], "kinds": ["Deployment"] }],
        },
    });
    let kinds = json!({ "match": { "kinds": [{ "apiGroups": ["apps"], "kinds": ["Deployment"] }] } });
    let input = list(&[
        template,
        expansion,
        constraint("K8sPSPProcMount", "a", &json!({})),
        constraint("K8sRequiredLabels", "b", &json!({})),
        constraint("K8sPSPHostNamespace", "c", &kinds),
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } }),
    ]);
    let (status, list) = converted("gatekeeper", &input);
    assert_eq!((status, &list["items"]), (1, &json!([])));
    let lines = missing(&list);
    for (line, expected) in lines.iter().zip([
        "items[0].spec: has other code than the template in gatekeeper-library",
        "items[1].spec: makes something else of objects than pods",
        "items[2].kind: has other code",
        "items[3].kind: is not a kind of Gatekeeper's library",
        "items[5].kind: is not a constraint of constraints.gatekeeper.sh",
    ]) {
        assert!(line.starts_with(expected), "{line}");
    }
    assert_eq!(lines.len(), 5);
    assert!(list["notes"].to_string().contains("do not contain Pod"), "{list}");
}

#[test]
fn the_migration_pages_show_what_the_tool_prints() {
    for source in ["gatekeeper", "kubewarden"] {
        let page = tests::root().join(format!("docs/migrate-{source}.md"));
        let page = std::fs::read_to_string(page).unwrap();
        let blocks: Vec<&str> =
            page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
        let [before, after] = blocks.as_slice() else { panic!("{blocks:?}") };
        let (status, stdout, stderr) = convert(&tests::root(), &[source, "-"], before);
        assert_eq!((status, stderr.as_str()), (0, ""), "{source}");
        assert_eq!(stdout, *after, "{source}");
    }
}

#[test]
fn expansions_judge_the_templates_of_workloads() {
    let expansion = |action: Option<&str>| {
        json!({
            "apiVersion": "expansion.gatekeeper.sh/v1",
            "kind": "ExpansionTemplate",
            "metadata": { "name": "e" },
            "spec": {
                "templateSource": "spec.template",
                "generatedGVK": { "version": "v1", "kind": "Pod" },
                "applyTo": [{ "groups": ["apps"], "versions": ["v1"], "kinds": ["Deployment", "DaemonSet"] }],
                "enforcementAction": action,
            },
        })
    };
    let of = |matched: Value, action: Option<&str>| {
        let constraint = constraint("K8sPSPHostNamespace", "c", &json!({ "match": matched }));
        converted("gatekeeper", &list(&[constraint, expansion(action)]))
    };
    let (status, list) = of(json!({ "labelSelector": { "matchLabels": { "app": "web" } } }), None);
    assert_eq!((status, names(&list)), (0, vec!["c", "c-workloads", "c-workloads-audit"]), "{list}");
    let is_refused = |list: &Value, app: &str| {
        let deployment = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": "d", "namespace": "shop", "labels": { "app": "other" } },
            "spec": { "template": {
                "metadata": { "labels": { "app": app } },
                "spec": { "hostPID": true, "containers": [{ "name": "c" }] },
            } },
        });
        let manifests = list["items"].as_array().unwrap();
        !refusals_of(manifests, None, &deployment, "deployments", &json!({})).is_empty()
    };
    assert!(is_refused(&list, "web") && !is_refused(&list, "api"));
    let (_, list) = of(json!({ "source": "Original" }), None);
    assert_eq!(names(&list), ["c"]);
    assert!(!is_refused(&list, "web"));
    let (status, list) = of(json!({ "source": "Generated" }), Some("dryrun"));
    assert_eq!((status, names(&list)), (0, vec!["c-workloads"]), "{list}");
    assert_eq!(list["items"][0]["spec"]["mode"], "monitor");
    // An expansion makes up the names of its pods.
    let (_, list) = of(json!({ "name": "web-*" }), None);
    assert_eq!(paths(&list), ["spec.match"]);
    assert_eq!(list["items"][2]["spec"]["mode"], "monitor");
}

#[test]
fn addresses_of_a_constraint_become_allow_rules() {
    let of = |parameters: Value| {
        let spec = json!({ "match": { "kinds": [{ "apiGroups": [""], "kinds": ["Service"] }] }, "parameters": parameters });
        converted("gatekeeper", &constraint("K8sExternalIPs", "c", &spec).to_string())
    };
    let (status, list) = of(json!({ "allowedIPs": ["203.0.113.7", "203.0.113.0/24"] }));
    assert_eq!(status, 0, "{list}");
    let spec = &list["items"][0]["spec"];
    assert_eq!(spec["module"], "registry://ghcr.io/portcullis/policies/external-ips:v0.1.0");
    assert_eq!(
        spec["settings"],
        json!({ "allow": [{ "cidrs": ["203.0.113.7"] }], "existingValues": "Recheck" })
    );
    let conditions = |list: &Value| list["items"][0]["spec"]["matchConditions"].as_array().map(Vec::len);
    assert_eq!(conditions(&list), Some(1), "{list}");
    let (_, list) = of(json!({}));
    assert_eq!(conditions(&list), Some(2), "{list}");
    assert_eq!(paths(&list), ["spec.parameters.allowedIPs"]);
    assert_eq!(list["items"][0]["spec"]["settings"], json!({}));
}

/// The lines and the manifests of a constraint with parameters.
fn constrained(kind: &str, parameters: &Value) -> (Vec<String>, Vec<Value>) {
    let constraint = constraint(kind, "c", &json!({ "parameters": parameters }));
    let (_, list) = converted("gatekeeper", &constraint.to_string());
    (missing(&list), list["items"].as_array().unwrap().clone())
}

#[test]
fn what_the_cel_of_a_template_judges_otherwise_is_listed() {
    let of_ports = "spec.parameters.min: the CEL of the template refuses a container only if all its ports";
    let of_starts =
        "spec.parameters.allowedHostPaths[0].pathPrefix: the CEL of the template compares the start";
    let of_slashes =
        "spec.parameters.allowedHostPaths[0].pathPrefix: the CEL of the template compares slashes";
    let of_names =
        "spec.parameters.allowedCapabilities: the CEL of the template compares with case, so that net_raw";
    let ports = "K8sPSPHostNetworkingPorts";
    let paths = |prefix: &str| json!({ "allowedHostPaths": [{ "pathPrefix": prefix }] });
    let names = |name: &str| json!({ "allowedCapabilities": ["NET_BIND_SERVICE", name] });
    for (kind, parameters, expected, mode) in [
        (ports, json!({ "min": 80, "max": 9000 }), vec![of_ports], "monitor"),
        (ports, json!({}), vec![], "protect"),
        ("K8sPSPHostFilesystem", paths("/var/log"), vec![of_starts], "monitor"),
        ("K8sPSPHostFilesystem", paths("var/log"), vec![of_starts, of_slashes], "monitor"),
        ("K8sPSPHostFilesystem", paths("/"), vec![], "protect"),
        ("K8sPSPHostFilesystem", json!({}), vec![], "protect"),
        ("K8sPSPCapabilities", names("net_raw"), vec![of_names], "protect"),
        ("K8sPSPCapabilities", names("NET_RAW"), vec![], "protect"),
    ] {
        let (lines, manifests) = constrained(kind, &parameters);
        assert_eq!(lines.len(), expected.len(), "{kind} {parameters}: {lines:?}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{line}");
        }
        assert_eq!(manifests[0]["spec"]["mode"], mode, "{kind} {parameters}");
    }
}

#[test]
fn a_forbidden_name_forbids_only_a_part_of_a_pattern_that_starts_with_it() {
    let parameters = |forbidden: &str| {
        let standard = ["kernel.shm_rmid_forced", "net.ipv4.*", "kernel.shm*"];
        json!({ "allowedSysctls": standard, "forbiddenSysctls": [forbidden] })
    };
    let (lines, manifests) = constrained("K8sPSPForbiddenSysctls", &parameters("kernel.shm"));
    let part = "spec.parameters.forbiddenSysctls: forbids a part of kernel.shm*";
    assert!(lines.iter().any(|line| line.starts_with(part)), "{lines:?}");
    assert!(manifests[0]["spec"]["settings"].to_string().contains("\"kernel.shm*\""));
    let (lines, manifests) = constrained("K8sPSPForbiddenSysctls", &parameters("kernel.shm*"));
    assert!(!lines.iter().any(|line| line.starts_with(part)), "{lines:?}");
    assert!(!manifests[0]["spec"]["settings"].to_string().contains("\"kernel.shm*\""));
}

#[test]
fn all_files_of_nodes_are_allowed_by_type_and_file_together() {
    let of_nodes = |profiles: Value, files: Value| {
        let parameters = json!({ "allowedProfiles": profiles, "allowedLocalhostFiles": files });
        let (lines, _) = constrained("K8sPSPSeccomp", &parameters);
        lines.iter().any(|line| line.contains("allows only some profiles of nodes"))
    };
    assert!(!of_nodes(json!(["RuntimeDefault", "Localhost"]), json!(["*"])));
    assert!(!of_nodes(json!(["RuntimeDefault", "localhost/*"]), json!([])));
    assert!(of_nodes(json!(["RuntimeDefault", "Localhost"]), json!(["a.json"])));
    assert!(of_nodes(json!(["RuntimeDefault"]), json!(["*"])));
}

#[test]
fn audits_of_external_ips_have_a_manifest_of_their_own_where_they_differ() {
    let of = |more: Value| {
        let mut spec = json!({ "parameters": { "allowedIPs": ["203.0.113.7"] } });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        converted("gatekeeper", &constraint("K8sExternalIPs", "c", &spec).to_string()).1
    };
    let scoped = |point: &str| {
        json!({
            "enforcementAction": "scoped",
            "scopedEnforcementActions": [{ "action": "deny", "enforcementPoints": [{ "name": point }] }],
        })
    };
    assert_eq!(names(&of(json!({}))), ["c"]);
    for more in
        [json!({ "match": { "excludedNamespaces": ["*-dev"] } }), json!({ "enforcementAction": "warn" })]
    {
        let list = of(more);
        assert_eq!(names(&list), ["c", "c-audit"]);
        let spec = |index: usize| &list["items"][index]["spec"];
        assert_eq!(spec(0)["backgroundAudit"], false);
        assert_eq!((&spec(1)["backgroundAudit"], &spec(1)["mode"]), (&json!(true), &json!("monitor")));
        assert_eq!(spec(1)["settings"], spec(0)["settings"]);
    }
    let list = of(scoped("audit.gatekeeper.sh"));
    assert_eq!(names(&list), ["c"]);
    assert_eq!(list["items"][0]["spec"]["matchConditions"][0]["expression"], "false");
    let list = of(scoped("gator.gatekeeper.sh"));
    assert_eq!(names(&list), Vec::<&str>::new());
    assert!(list["notes"].to_string().contains("without an enforcement point"), "{list}");
}

#[test]
fn images_that_a_policy_reads_are_listed_for_each_of_its_rules() {
    for rule in ["RunAsAny", "MustRunAsNonRoot"] {
        let settings =
            json!({ "run_as_user": { "rule": rule }, "validate_container_image_configuration": true });
        let (_, list) =
            converted("kubewarden", &policy("p", "user-group-psp", &settings, &json!({})).to_string());
        let path = "spec.settings.validate_container_image_configuration";
        assert_eq!(paths(&list).iter().filter(|found| **found == path).count(), 1, "{rule}: {list}");
    }
}

#[test]
fn manifests_have_no_rules_for_pod_templates_which_no_module_reads() {
    let templates = json!({ "rules": [{
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods", "podtemplates"],
        "operations": ["CREATE"],
    }] });
    let of = |module: &str| {
        let settings = json!({ "allowedTypes": ["emptyDir"] });
        let settings = if module == "volumes-psp" { settings } else { json!({}) };
        let (_, list) = converted("kubewarden", &policy("p", module, &settings, &templates).to_string());
        assert_eq!(list["items"][0]["spec"]["rules"][0]["resources"], json!(["pods"]), "{module}");
        (
            missing(&list).iter().any(|line| line.contains("refuses each PodTemplate")),
            list["notes"].to_string(),
        )
    };
    assert!(of("pod-privileged").0 && of("capabilities-psp").0);
    let (refuses, notes) = of("host-namespaces-psp");
    assert!(!refuses && notes.contains("admits each PodTemplate"), "{notes}");
    let (refuses, notes) = of("volumes-psp");
    assert!(!refuses && notes.contains("judges pods alone"), "{notes}");
}

#[test]
fn settings_that_a_module_rejects_or_that_allow_nothing_do_so_in_the_manifest() {
    let rejected = policy("p", "volumes-psp", &json!({ "allowedTypes": ["*", "hostPath"] }), &json!({}));
    let (status, _, stderr) = convert(&tests::root(), &["kubewarden", "-"], &rejected.to_string());
    assert_eq!(status, 2);
    assert!(stderr.contains("spec.settings.allowedTypes: must not contain other types"), "{stderr}");
    let values = |prefix: &str| {
        let settings = json!({ "allowedHostPaths": [{ "pathPrefix": prefix, "readOnly": true }] });
        let (_, list) =
            converted("kubewarden", &policy("p", "hostpaths-psp", &settings, &json!({})).to_string());
        list["items"][0]["spec"]["settings"].to_string().contains("/var/log")
    };
    assert!(values("/var/log") && !values("var/log"));
}
