//! The policy server for production has the permissions, labels and names that its parts need.

use std::collections::BTreeSet;
use std::fs;

use kubernetes::objects::Objects;
use serde_json::{Value, json};
use tests::root;

use super::renderings::rendering;
use super::{base, by_name, file, items, metadata, texts};
use crate::files::read;

fn object(kind: &str, name: &str) -> Value {
    by_name(file("policy-server.yaml"))[&(kind.to_owned(), name.to_owned())].clone()
}

fn spec() -> Value {
    object("PolicyServer", "portcullis")["spec"].take()
}

/// A group, a resource and a verb.
type Permission = (String, String, String);

/// Returns the resource of a kind that a policy looks up.
fn resource(kind: &str) -> String {
    format!("{}s", kind.to_lowercase())
}

#[test]
fn its_role_permits_exactly_the_look_ups_of_the_policies() {
    let mut needed: BTreeSet<Permission> = BTreeSet::new();
    let mut need = |group: &str, resource: String, verbs: &[&str]| {
        needed.extend(verbs.iter().map(|&verb| (group.to_owned(), resource.clone(), verb.to_owned())));
    };
    for entry in rules::CATALOG {
        let metadata = metadata(entry.id);
        for read in &metadata.context_aware_resources {
            let group = read.api_version.rsplit_once('/').map_or("", |(group, _)| group);
            need(group, resource(&read.kind), &["get", "list", "watch"]);
        }
        if metadata.host_capabilities.iter().any(|call| call == "kubernetes/can_i") {
            need("authorization.k8s.io", "subjectaccessreviews".to_owned(), &["create"]);
        }
    }
    let role = object("ClusterRole", "portcullis-policy-server");
    let mut permitted: BTreeSet<Permission> = BTreeSet::new();
    for rule in items(&role["rules"]) {
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                for verb in texts(&rule["verbs"]) {
                    let permission = (group.clone(), resource.clone(), verb);
                    assert!(permitted.insert(permission.clone()), "{permission:?}: twice");
                }
            }
        }
    }
    assert_eq!(permitted, needed);
    // As the comment says, the first rule suffices for the manifests.
    let first = texts(&role["rules"][0]["resources"]);
    for object in base() {
        for read in items(&object["spec"]["contextAwareResources"]) {
            assert_eq!(read["apiVersion"], "v1");
            assert!(first.contains(&resource(read["kind"].as_str().unwrap())), "{read}");
        }
    }
}

#[test]
fn its_parts_have_the_same_names() {
    let name = "portcullis-policy-server";
    let account = object("ServiceAccount", name);
    assert_eq!(spec()["serviceAccountName"], name);
    let binding = object("ClusterRoleBinding", name);
    assert_eq!(binding["roleRef"]["name"], name);
    let subject =
        json!({ "kind": "ServiceAccount", "name": name, "namespace": account["metadata"]["namespace"] });
    assert_eq!(binding["subjects"], json!([subject]));
    let config = object("ConfigMap", spec()["verificationConfig"].as_str().unwrap());
    assert_eq!(config["metadata"]["namespace"], account["metadata"]["namespace"]);
    // The label that Kubewarden's controller gives to the pods of the policy server.
    let label = json!({ "matchLabels": { "kubewarden/policy-server": "portcullis" } });
    let terms = &spec()["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"];
    assert_eq!(items(terms).len(), 2);
    for term in items(terms) {
        assert_eq!(term["podAffinityTerm"]["labelSelector"], label);
    }
}

/// `docs/before-you-enforce.md` installs the chart after the manifest.
#[test]
fn the_chart_for_it_renders_none_of_its_objects() {
    let rendered = by_name(rendering("protect.yaml"));
    let mut policies = rendered.values().filter(|object| object["kind"] == "ClusterAdmissionPolicy");
    assert!(policies.all(|policy| policy["spec"]["policyServer"] == "portcullis"));
    for object in by_name(file("policy-server.yaml")).keys() {
        assert!(!rendered.contains_key(object), "{object:?}");
    }
}

#[test]
fn it_verifies_the_signatures_that_security_md_describes() {
    let config = object("ConfigMap", "portcullis-verification");
    let text = config["data"]["verification-config"].as_str().unwrap();
    let document = read(&root().join("SECURITY.md"));
    assert!(document.contains(&format!("```yaml\n{text}```")), "SECURITY.md has another configuration");
    let config: Value = serde_saphyr::from_str(text).unwrap();
    let signature = &config["allOf"][0];
    // The identities in SECURITY.md are of this issuer, and begin with the prefix.
    let prefix = signature["subject"]["urlPrefix"].as_str().unwrap();
    let workflow = prefix.strip_prefix("https://github.com/portcullis/portcullis/").unwrap();
    let workflow = workflow.strip_suffix("@refs/tags/").unwrap();
    assert!(fs::exists(root().join(workflow)).unwrap(), "{workflow}");
    let identities: Vec<&str> =
        document.lines().filter_map(|line| line.trim().strip_prefix("--certificate-identity ")).collect();
    assert!(identities.len() > 1 && identities.iter().all(|identity| identity.starts_with(prefix)));
    let issuer = format!("--certificate-oidc-issuer {} ", signature["issuer"].as_str().unwrap());
    assert_eq!(document.matches(&issuer).count(), identities.len());
}

/// Kubewarden's controller puts the security contexts as they are into the pods.
#[test]
fn its_pods_comply_with_the_restricted_level() {
    let pod_security = rules::find("pod-security").unwrap();
    let evaluate = |contexts: &Value| {
        let payload = json!({
            "request": {
                "uid": "1",
                "kind": { "group": "", "version": "v1", "kind": "Pod" },
                "resource": { "group": "", "version": "v1", "resource": "pods" },
                "namespace": "kubewarden",
                "operation": "CREATE",
                "userInfo": { "username": "replicaset-controller" },
                "object": {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": { "name": "policy-server", "namespace": "kubewarden" },
                    "spec": {
                        "containers": [{ "name": "policy-server", "securityContext": contexts["container"] }],
                        "securityContext": contexts["pod"],
                        "volumes": [{ "name": "policy-store", "emptyDir": {} }],
                    },
                },
            },
            "settings": { "level": "restricted" },
        });
        let response =
            pod_security.respond(payload.to_string().as_bytes(), &Objects::from_values(Vec::new()).unwrap());
        (response.code, response.message)
    };
    let mut contexts = spec()["securityContexts"].take();
    assert_eq!(evaluate(&contexts), (None, None));
    contexts["container"]["capabilities"] = json!({});
    assert_eq!(evaluate(&contexts).0, Some(403));
}
