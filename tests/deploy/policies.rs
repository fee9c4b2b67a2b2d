//! The manifests have what their modules and settings need.

use std::collections::BTreeSet;

use admission::Kind;
use kubewarden::deployment::FOR_AUDITS_ALONE;
use kubewarden::matching::Webhook;
use serde_json::{Value, json};
use tests::root;

use super::renderings::{RENDERINGS, rendering};
use super::{BASE, EXAMPLES, base, base_files, by_name, expand, file, items, metadata, module_id, texts};
use crate::files::names;

/// Resources that the audit scanner, with the role `view`, cannot list by default.
const NOT_LISTED: &[&str] = &["nodes", "persistentvolumes", "podtemplates"];

/// Checks a policy or a member of a group: its module accepts the settings, and declares the kinds
/// to look up.
fn check_evaluation(name: &str, evaluation: &Value) {
    let id = module_id(&evaluation["module"]);
    let entry = rules::find(id).unwrap_or_else(|| panic!("{name}: {id} is not a policy"));
    let settings = evaluation["settings"].to_string();
    (entry.check_settings)(settings.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let declared = serde_json::to_value(metadata(id).context_aware_resources).unwrap();
    for kind in items(&evaluation["contextAwareResources"]) {
        assert!(items(&declared).contains(kind), "{name}: {kind}");
    }
}

/// The kinds that the default permissions of a policy server allow to look up.
const DEFAULT_RIGHTS: &[&str] = &["Ingress", "Namespace", "Pod", "Service"];

#[test]
fn the_deployment_files_agree_with_the_policies() {
    for entry in rules::CATALOG {
        let id = entry.id;
        let deployment = kubewarden::deployment::find(id).unwrap();
        let rules = expand(&json!(deployment.all_rules().collect::<Vec<_>>()));
        let registered = expand(&json!(metadata(id).rules));
        assert!(registered.is_subset(&rules), "{id}: {:?}", registered.difference(&rules));
        for (_, _, resource, operation) in &rules {
            let evaluated = entry.scope.0.iter().any(|rule| {
                let operations = rule.operations.iter().map(|one| format!("{one:?}").to_uppercase());
                rule.resource == resource && operations.into_iter().any(|one| one == *operation)
            });
            assert!(evaluated, "{id}: {operation} {resource}");
        }
        let kinds: BTreeSet<String> =
            deployment.all_context_aware_resources().map(|kind| json!(kind).to_string()).collect();
        let declared = metadata(id).context_aware_resources;
        assert_eq!(kinds, declared.iter().map(|kind| json!(kind).to_string()).collect(), "{id}");
        // Each look-up beyond the default permissions is granted with the settings that need it.
        for kind in deployment.all_context_aware_resources() {
            let resource = format!("{}s", kind.kind.to_lowercase());
            let is_granted =
                deployment.all_cluster_role_rules().any(|rule| rule.resources.contains(&resource));
            assert_eq!(is_granted, !DEFAULT_RIGHTS.contains(&kind.kind.as_str()), "{id}: {resource}");
        }
        let known = admission::by_path(entry.settings);
        for (path, values) in deployment.settings() {
            let (_, kind) = known
                .iter()
                .find(|(known, _)| known == path)
                .unwrap_or_else(|| panic!("{id}: there is no setting {path}"));
            let names: Vec<&str> = match kind {
                Kind::Choice(names) => names.to_vec(),
                Kind::Flag => vec!["true", "false"],
                _ => continue,
            };
            for value in values.iter().filter(|value| !["", "*"].contains(&value.as_str())) {
                assert!(names.contains(&value.as_str()), "{id}: {path} cannot be {value}");
            }
        }
    }
}

/// Returns whether a module with these settings changes objects.
fn changes(id: &str, settings: &Value) -> bool {
    match (id, settings["mode"].as_str()) {
        ("selinux", mode) => mode != Some("Validate"),
        ("node-pods", mode) => mode == Some("Munge"),
        _ => false,
    }
}

#[test]
fn every_policy_declares_the_needs_of_its_module_and_settings() {
    let manifests = [base(), file("group.yaml"), file("admission-policy.yaml")];
    for objects in manifests.into_iter().chain(RENDERINGS.iter().map(|(name, _)| rendering(name))) {
        let named = by_name(objects);
        for ((kind, name), object) in &named {
            let spec = &object["spec"];
            match kind.as_str() {
                "AdmissionPolicy" | "ClusterAdmissionPolicy" => {
                    check_evaluation(name, spec);
                    let id = module_id(&spec["module"]);
                    let mutates = changes(id, &spec["settings"]);
                    assert_eq!(spec["mutating"], json!(mutates), "{name}: mutating");
                    let deployment = kubewarden::deployment::find(id).unwrap();
                    let present = items(&spec["matchConditions"]).iter();
                    let present = present
                        .map(|one| (one["name"].as_str().unwrap(), one["expression"].as_str().unwrap()));
                    let stale = deployment.stale_conditions(&spec["settings"], present);
                    assert!(stale.is_empty(), "{name}: {stale:?}");
                    let is_for_audits = spec["matchConditions"][0]["name"] == FOR_AUDITS_ALONE;
                    if kind == "ClusterAdmissionPolicy" && !is_for_audits {
                        let webhook = Webhook::from_spec(spec).unwrap();
                        let missing = deployment.missing_rules(&spec["settings"], &webhook);
                        assert_eq!(missing, [] as [&str; 0], "{name}");
                    }
                }
                "ClusterAdmissionPolicyGroup" => {
                    for (member, policy) in spec["policies"].as_object().unwrap() {
                        check_evaluation(&format!("{name}: {member}"), policy);
                        assert!(!changes(module_id(&policy["module"]), &policy["settings"]), "{member}");
                    }
                }
                "ClusterRoleBinding" => {
                    let role =
                        ("ClusterRole".to_owned(), object["roleRef"]["name"].as_str().unwrap().to_owned());
                    assert!(named.contains_key(&role), "{name}: {role:?}");
                }
                "ValidatingAdmissionPolicyBinding" => {
                    let policy = object["spec"]["policyName"].as_str().unwrap().to_owned();
                    assert!(named.contains_key(&("ValidatingAdmissionPolicy".to_owned(), policy)), "{name}");
                }
                "ValidatingAdmissionPolicy" => {
                    let binding = ("ValidatingAdmissionPolicyBinding".to_owned(), name.clone());
                    assert!(named.contains_key(&binding), "{name}: has no binding");
                }
                "PrometheusRule" => {}
                _ => {
                    let kinds = items(&object["rules"]).iter().flat_map(|rule| texts(&rule["resources"]));
                    assert!(kinds.count() > 0);
                    let binding = ("ClusterRoleBinding".to_owned(), name.clone());
                    assert!(named.contains_key(&binding), "{name}: has no binding");
                }
            }
        }
    }
}

#[test]
fn the_base_has_every_policy_with_its_rules_in_monitor_mode() {
    let mut seen = BTreeSet::new();
    let policies = ["group.yaml", "admission-policy.yaml"].into_iter().flat_map(file);
    for object in base().into_iter().chain(policies) {
        let (name, spec) = (object["metadata"]["name"].as_str().unwrap(), &object["spec"]);
        let Some(mode) = spec.get("mode") else { continue };
        assert_eq!(mode, "monitor", "{name}");
        let rules = expand(&spec["rules"]);
        // The audit scanner sends CREATE, and cannot list subresources and some other resources.
        if spec["backgroundAudit"] == json!(true) {
            for (_, _, resource, _) in &rules {
                let listed = !resource.contains('/') && !NOT_LISTED.contains(&resource.as_str());
                assert!(listed, "{name}: backgroundAudit, {resource}");
            }
            assert!(
                rules.iter().any(|(_, _, _, operation)| operation == "CREATE"),
                "{name}: backgroundAudit"
            );
        }
        let Some(module) = spec.get("module") else { continue };
        let id = module_id(module);
        let metadata = metadata(id);
        let version = env!("CARGO_PKG_VERSION");
        let address =
            format!("registry://{}:v{version}", metadata.annotations["io.kubewarden.policy.ociUrl"]);
        assert_eq!(module, &json!(address), "{name}");
        for key in ["io.kubewarden.policy.category", "io.kubewarden.policy.severity"] {
            assert_eq!(object["metadata"]["annotations"][key], json!(metadata.annotations[key]), "{name}");
        }
        if !metadata.background_audit && !name.ends_with("-audit") {
            assert_eq!(spec["backgroundAudit"], json!(false), "{name}");
        }
        let known = expand(&serde_json::to_value(&metadata.rules).unwrap());
        assert!(rules.is_subset(&known), "{name}: {:?}", rules.difference(&known));
        seen.insert(id.to_owned());
    }
    assert_eq!(seen, rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect());
}

#[test]
fn both_instances_of_selinux_match_the_same_pods() {
    let objects = by_name(base());
    let spec = |name: &str| &objects[&("ClusterAdmissionPolicy".to_owned(), name.to_owned())]["spec"];
    let (default, guard) = (spec("selinux-default"), spec("selinux-guard"));
    assert!(expand(&default["rules"]).is_subset(&expand(&guard["rules"])));
    for field in ["module", "policyServer", "namespaceSelector", "contextAwareResources"] {
        assert_eq!(default[field], guard[field], "{field}");
    }
}

/// The example for one namespace matches the same requests as the policy for the cluster. It cannot
/// look anything up.
#[test]
fn the_policy_of_a_namespace_matches_the_requests_of_the_cluster_policy() {
    let objects = by_name(base());
    let cluster = &objects[&("ClusterAdmissionPolicy".to_owned(), "pod-security".to_owned())]["spec"];
    let of_namespace = &file("admission-policy.yaml")[0]["spec"];
    for field in ["module", "rules", "matchConditions", "backgroundAudit"] {
        assert_eq!(of_namespace[field], cluster[field], "{field}");
    }
}

#[test]
fn every_file_except_the_examples_is_in_the_base() {
    let mut files = base_files();
    files.extend(
        EXAMPLES
            .iter()
            .chain(&["alerts.yaml", "kustomization.yaml", "presets", "README.md"])
            .map(|&name| name.to_owned()),
    );
    assert_eq!(BTreeSet::from_iter(files), names(&root().join(BASE)));
}
