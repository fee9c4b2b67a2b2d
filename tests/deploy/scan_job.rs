//! The `CronJob` that scans has the rights that it needs and no others, and its pod is one that our
//! own policies admit.

use std::collections::BTreeSet;

use scan::{Files, Options, Origin, Policy, Scan};
use serde_json::{Value, json};

use crate::base::instances;
use crate::{base, by_name, expand, file, items, texts};

fn object(kind: &str) -> Value {
    by_name(file("scan-cronjob.yaml"))[&(kind.to_owned(), "portcullis-scan".to_owned())].clone()
}

/// Returns the groups and resources for which the role has a verb.
fn granted(verb: &str) -> BTreeSet<(String, String)> {
    let rules = object("ClusterRole")["rules"].take();
    let rules = items(&rules).iter().filter(|rule| texts(&rule["verbs"]).iter().any(|one| one == verb));
    let pairs = |rule: &Value| {
        let groups = texts(&rule["apiGroups"]);
        let resources = texts(&rule["resources"]);
        groups.into_iter().flat_map(move |group| {
            resources.clone().into_iter().map(move |resource| (group.clone(), resource))
        })
    };
    rules.flat_map(pairs).collect()
}

#[test]
fn its_role_lists_what_the_policies_judge_and_look_up_and_nothing_else() {
    let known = kinds::Kinds::default();
    let mut needed = BTreeSet::new();
    for policy in base().iter().filter(|object| object["kind"] == "ClusterAdmissionPolicy") {
        for (group, _, resource, _) in expand(&policy["spec"]["rules"]) {
            // Subresources cannot be listed.
            if !resource.contains('/') {
                needed.insert((group, resource));
            }
        }
        for kind in items(&policy["spec"]["contextAwareResources"]) {
            let (version, name) = (kind["apiVersion"].as_str().unwrap(), kind["kind"].as_str().unwrap());
            let resource = known.resource(version, name);
            needed.insert((resource.group.to_string(), resource.plural.to_string()));
        }
    }
    assert!(!instances().is_empty() && needed.len() > 10);
    needed.insert((String::new(), "namespaces".to_owned()));
    let policies = [
        "admissionpolicies",
        "admissionpolicygroups",
        "clusteradmissionpolicies",
        "clusteradmissionpolicygroups",
    ];
    let owned = |group: &str, resource: &str| (group.to_owned(), resource.to_owned());
    needed.extend(policies.map(|resource| owned("policies.kubewarden.io", resource)));
    // The services of the webhooks are in the namespace of Kubewarden.
    let configurations = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
    needed.extend(configurations.map(|resource| owned("admissionregistration.k8s.io", resource)));
    let reports = BTreeSet::from([
        owned("openreports.io", "reports"),
        owned("openreports.io", "clusterreports"),
        owned("wgpolicyk8s.io", "policyreports"),
        owned("wgpolicyk8s.io", "clusterpolicyreports"),
    ]);
    assert_eq!(granted("list"), needed.union(&reports).cloned().collect());
    for verb in ["create", "delete", "patch"] {
        assert_eq!(granted(verb), reports, "{verb}");
    }
    for verb in ["get", "watch", "update", "deletecollection", "*"] {
        assert_eq!(granted(verb), BTreeSet::new(), "{verb}");
    }
}

#[test]
fn its_account_is_bound_to_its_role() {
    let (binding, job) = (object("ClusterRoleBinding"), object("CronJob"));
    let subject = json!({ "kind": "ServiceAccount", "name": "portcullis-scan", "namespace": "kubewarden" });
    assert_eq!(binding["subjects"], json!([subject]));
    let pod = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    assert_eq!(
        (&pod["serviceAccountName"], &job["metadata"]["namespace"]),
        (&subject["name"], &subject["namespace"])
    );
}

/// Scans the manifest with the strictest settings.
fn findings(text: &str) -> Vec<String> {
    let of = |id: &str, settings: Value| Policy::of_id(id, &settings).unwrap();
    let policies = vec![
        of("pod-security", json!({ "level": "restricted" })),
        of("selinux", json!({ "mode": "Validate", "levels": { "missing": "Allow" } })),
    ];
    let mut input = Files::default();
    input.add_text(Origin::file("scan-cronjob.yaml"), text);
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": "kubewarden", "annotations": { "portcullis.dev/selinux-level": "s0:c1,c2" } },
    });
    let mut cluster = Files::default();
    cluster.add_text(Origin::file("namespace.json"), namespace.to_string());
    let report = Scan::new(policies, Options { is_strict: true, ..Options::default() }).run(
        &mut input,
        None,
        Some(&mut cluster),
        &mut (),
    );
    assert!(report.totals.evaluations > 0);
    let found = report.findings.into_iter().map(|finding| finding.message);
    found.chain(report.notices.into_iter().map(|notice| notice.message)).collect()
}

#[test]
fn our_own_policies_admit_its_pod() {
    let text = crate::read(&tests::root().join("deploy/scan-cronjob.yaml"));
    assert_eq!(findings(&text), Vec::<String>::new());
    let changed = text.replacen("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", 1);
    // Both containers have the same security context.
    assert_eq!(findings(&changed).len(), 2);
}
