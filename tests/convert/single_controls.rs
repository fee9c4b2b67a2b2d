//! The manifests for Gatekeeper's library and Kubewarden's official policies, held against facts
//! about them.

use convert::{Class, Difference, Document};
use serde_json::{Value, json};

use super::cases::{Converted, NO_TEMPLATE, list};
use super::requests::refusals;

/// Converts a document of a source.
fn converted(source: &str, input: &Value) -> Converted {
    super::cases::convert(source, None, input).unwrap()
}

/// A pod of a case, as an object of one kind.
fn object(expected: &Value) -> Value {
    let annotations = expected.get("annotations").cloned().unwrap_or(json!({}));
    let pod = json!({ "metadata": { "annotations": annotations }, "spec": expected["spec"] });
    let metadata = json!({ "name": "p", "namespace": "shop", "annotations": annotations });
    match expected["kind"].as_str() {
        Some("Deployment") => {
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": { "template": pod } })
        }
        _ => json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": expected["spec"] }),
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
        let Converted { manifests, differences, .. } = converted(source, &document(case));
        let is_listed =
            |classes: &[Class]| differences.iter().any(|difference| classes.contains(&difference.class));
        let name = || case.get("source").unwrap_or(&case["module"]).as_str().unwrap().to_owned();
        for expected in case["pods"].as_array().unwrap() {
            let object = object(expected);
            let old = (expected["updates"] == true).then(|| {
                let mut old = object.clone();
                // A change that is evaluated, without being the violation.
                old["spec"]["containers"][0]["image"] = "registry.example.com/old".into();
                old
            });
            let found = refusals(&manifests, old.as_ref(), &object);
            let is_refused = expected["verdict"] == "Denied";
            if is_refused != found.is_empty() {
                tally.agree += 1;
                continue;
            }
            if is_refused {
                assert!(is_listed(&[Class::Weaker, Class::NotConverted]), "{case}: {expected}: {found:?}");
                tally.laxer.push(name());
            } else {
                assert!(is_listed(&[Class::Stricter]), "{case}: {expected}: {found:?}");
                tally.stricter.push(name());
                let denies = |manifest: &&Value| manifest["spec"]["mode"] == "protect";
                let protecting: Vec<Value> = manifests.iter().filter(denies).cloned().collect();
                let found = refusals(&protecting, old.as_ref(), &object);
                assert_eq!(found, Vec::<String>::new(), "{case}: {expected}");
            }
        }
    }
    tally
}

/// Until September 2023, most templates evaluated updates as well.
#[test]
fn a_constraint_without_its_template_is_listed() {
    for (kind, evaluates_updates) in
        [("K8sPSPPrivilegedContainer", false), ("K8sPSPSeccompV2", true), ("K8sExternalIPs", true)]
    {
        let value = constraint(kind, "c", &json!({ "parameters": {} }));
        let document = Document { name: "input".to_owned(), value };
        let conversions = convert::gatekeeper(&[document]).unwrap();
        let differences = conversions.iter().flat_map(|conversion| &conversion.differences);
        let found: Vec<&Difference> =
            differences.filter(|difference| difference.problem.starts_with(NO_TEMPLATE)).collect();
        let [difference] = found.as_slice() else { panic!("{conversions:?}") };
        assert_eq!((difference.class, difference.path.as_str()), (Class::Weaker, "kind"));
        assert_eq!(difference.problem.contains("kubectl debug"), !evaluates_updates, "{kind}");
    }
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
fn manifests_evaluate_the_samples_of_gatekeepers_library_as_the_library_does_or_list_it() {
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
fn manifests_evaluate_as_kubewardens_official_policies_do_or_list_it() {
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

#[test]
fn policies_that_evaluate_the_same_requests_become_one_manifest() {
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
    let converted = converted("kubewarden", &input);
    let (manifests, missing) = (&converted.manifests, converted.problems());
    assert!(missing.len() == 1 && missing[0].starts_with("spec.settings: "), "{missing:?}");
    let names: Vec<&Value> = manifests.iter().map(|manifest| &manifest["metadata"]["name"]).collect();
    assert_eq!(names, ["pod-security-2", "pod-security-c", "pod-security-d", "pod-security-e"]);
    let spec = |index: usize| &manifests[index]["spec"];
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

/// Converts a constraint with parameters.
fn constrained(kind: &str, parameters: &Value) -> Converted {
    converted("gatekeeper", &constraint(kind, "c", &json!({ "parameters": parameters })))
}

#[test]
fn a_forbidden_name_forbids_only_a_part_of_a_pattern_that_starts_with_it() {
    for (forbidden, is_part) in [("kernel.shm", true), ("kernel.shm*", false)] {
        let standard = ["kernel.shm_rmid_forced", "net.ipv4.*", "kernel.shm*"];
        let parameters = json!({ "allowedSysctls": standard, "forbiddenSysctls": [forbidden] });
        let converted = constrained("K8sPSPForbiddenSysctls", &parameters);
        let (manifests, missing) = (&converted.manifests, converted.problems());
        let part = "spec.parameters.forbiddenSysctls: forbids a part of kernel.shm*";
        assert_eq!(missing.iter().any(|line| line.starts_with(part)), is_part, "{missing:?}");
        let settings = manifests[0]["spec"]["settings"].to_string();
        assert_eq!(settings.contains("\"kernel.shm*\""), is_part, "{settings}");
    }
}

#[test]
fn all_files_of_nodes_are_allowed_by_type_and_file_together() {
    for (profiles, files, is_listed) in [
        (json!(["RuntimeDefault", "Localhost"]), json!(["*"]), false),
        (json!(["RuntimeDefault", "localhost/*"]), json!([]), false),
        (json!(["RuntimeDefault", "Localhost"]), json!(["a.json"]), true),
        (json!(["RuntimeDefault"]), json!(["*"]), true),
    ] {
        let parameters = json!({ "allowedProfiles": profiles, "allowedLocalhostFiles": files });
        let missing = constrained("K8sPSPSeccomp", &parameters).problems();
        let found = missing.iter().any(|line| line.contains("allows only some profiles of nodes"));
        assert_eq!(found, is_listed, "{parameters}: {missing:?}");
    }
}

#[test]
fn images_that_a_policy_reads_are_listed_for_each_of_its_rules() {
    for rule in ["RunAsAny", "MustRunAsNonRoot"] {
        let settings =
            json!({ "run_as_user": { "rule": rule }, "validate_container_image_configuration": true });
        let missing =
            converted("kubewarden", &policy("p", "user-group-psp", &settings, &json!({}))).problems();
        let path = "spec.settings.validate_container_image_configuration: ";
        assert_eq!(missing.iter().filter(|line| line.starts_with(path)).count(), 1, "{rule}: {missing:?}");
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
    for (module, refuses, note) in [
        ("pod-privileged", true, ""),
        ("capabilities-psp", true, ""),
        ("host-namespaces-psp", false, "admits each PodTemplate"),
        ("volumes-psp", false, "evaluates pods alone"),
    ] {
        let settings =
            if module == "volumes-psp" { json!({ "allowedTypes": ["emptyDir"] }) } else { json!({}) };
        let converted = converted("kubewarden", &policy("p", module, &settings, &templates));
        assert_eq!(converted.manifests[0]["spec"]["rules"][0]["resources"], json!(["pods"]), "{module}");
        let found = converted.problems().iter().any(|line| line.contains("refuses each PodTemplate"));
        assert_eq!(found, refuses, "{module}: {converted:?}");
        assert!(note.is_empty() || converted.notes.concat().contains(note), "{module}: {converted:?}");
    }
}

#[test]
fn settings_that_allow_nothing_do_so_in_the_manifest() {
    let values = |prefix: &str| {
        let settings = json!({ "allowedHostPaths": [{ "pathPrefix": prefix, "readOnly": true }] });
        let converted = converted("kubewarden", &policy("p", "hostpaths-psp", &settings, &json!({})));
        converted.manifests[0]["spec"]["settings"].to_string().contains("/var/log")
    };
    assert!(values("/var/log") && !values("var/log"));
}
