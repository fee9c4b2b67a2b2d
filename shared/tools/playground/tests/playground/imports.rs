//! Policies from what clusters have today.

use playground::{
    Imported, Outcome, Playground, PolicyInput, PolicyMode, Workspace, add_namespaces, import_source,
};

use crate::deployment;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec:\n  containers: [{name: a, securityContext: {privileged: true}}]\n";

fn mapped(imported: &Imported) -> Vec<(u32, &str, &str)> {
    let one = |mapping: &'_ playground::Mapping| mapping.mark.line;
    imported
        .mappings
        .iter()
        .map(|mapping| (one(mapping), mapping.source.as_str(), mapping.target.as_str()))
        .collect()
}

/// Returns the outcome for a privileged Pod in the namespace shop, as it would be deployed.
fn outcome(imported: &Imported, pod: &str) -> Option<Outcome> {
    let policies = imported.policies.iter().map(|policy| PolicyInput {
        id: policy.id.clone().unwrap_or_default(),
        enabled: true,
        mode: PolicyMode::AsDeployed,
        manifest: policy.manifest.clone(),
        ..PolicyInput::default()
    });
    let namespace = |name| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}\n");
    let workspace = Workspace {
        objects: pod.to_owned(),
        cluster: ["shop", "other", "kube-system"].map(namespace).join("---\n"),
        policies: policies.collect(),
        ..Workspace::default()
    };
    let matrix = Playground::new().evaluate(workspace);
    assert!(matrix.policies.iter().all(|policy| policy.problems.is_empty()), "{matrix:?}");
    matrix.objects.first()?.outcome
}

#[test]
fn a_configuration_of_pod_security_becomes_settings() {
    let text = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults:\n  \
                enforce: baseline\n  enforce-version: v1.30\nexemptions:\n  usernames: [admin]\n";
    let imported = import_source(text);
    assert_eq!((imported.recognised.as_str(), imported.policies.len()), ("PodSecurityConfiguration", 1));
    assert_eq!(imported.policies[0].id.as_deref(), Some("pod-security"));
    let mapped = mapped(&imported);
    assert!(mapped.contains(&(4, "defaults.enforce: baseline", "settings.level: baseline")), "{mapped:?}");
    assert!(
        mapped.contains(&(5, "defaults.enforce-version: v1.30", "settings.version: v1.30")),
        "{mapped:?}"
    );
    assert!(mapped.iter().any(|(line, _, target)| *line == 7 && target.contains("admin")), "{mapped:?}");
    assert_eq!(outcome(&imported, POD), Some(Outcome::Denied));
}

#[test]
fn the_labels_of_a_namespace_become_a_policy_for_it() {
    let text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    \
                pod-security.kubernetes.io/enforce: restricted\n    team: a\n";
    let imported = import_source(text);
    assert_eq!(imported.recognised, "labels of a Namespace");
    let mapped = mapped(&imported);
    let level = (
        6,
        "metadata.labels[\"pod-security.kubernetes.io/enforce\"]: restricted",
        "settings.level: restricted",
    );
    assert!(mapped.iter().any(|one| one.0 == level.0 && one.2 == level.2), "{mapped:?}");
    assert_eq!(outcome(&imported, POD), Some(Outcome::Denied));
    assert_eq!(outcome(&imported, &POD.replace("shop", "other")), Some(Outcome::NotLookedAt));
    let with = |objects: &str, cluster: &str| {
        let workspace =
            Workspace { objects: objects.into(), cluster: cluster.into(), ..Workspace::default() };
        let Workspace { objects, cluster, .. } = add_namespaces(workspace, &imported.namespaces);
        (objects, cluster)
    };
    // An empty cluster stays empty, because another one has all objects.
    let (objects, cluster) = with(POD, "# nothing");
    assert!(
        objects.starts_with(POD) && objects.contains("---\n") && objects.contains("team: a\n"),
        "{objects}"
    );
    assert_eq!(cluster, "# nothing");
    assert_eq!(with(&objects, "").0, objects);
    let (objects, cluster) = with(POD, "[{apiVersion: v1, kind: Namespace, metadata: {name: other}}]");
    assert_eq!((objects.as_str(), manifest::documents(&cluster).unwrap().len()), (POD, 2), "{cluster}");
    assert_eq!(with(POD, &cluster).1, cluster);
    assert_eq!(with(POD, "a: [").1, "a: [");
}

#[test]
fn rules_of_kyverno_become_settings() {
    let text = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  \
                validationFailureAction: Enforce\n  rules:\n  - name: baseline\n    match:\n      any:\n      \
                - resources: {kinds: [Pod]}\n    validate:\n      podSecurity:\n        level: baseline\n        \
                version: v1.29\n";
    let imported = import_source(text);
    assert_eq!(imported.recognised, "Kyverno ClusterPolicy");
    assert_eq!(imported.problem, None);
    let mapped = mapped(&imported);
    assert!(mapped.iter().any(|one| one.0 == 13 && one.2 == "settings.level: baseline"), "{mapped:?}");
    assert!(mapped.iter().any(|one| one.0 == 14 && one.2 == "settings.version: v1.29"), "{mapped:?}");
    assert_eq!(outcome(&imported, POD), Some(Outcome::Denied));
}

#[test]
fn a_manifest_of_kubewarden_is_taken_as_it_is() {
    let manifest = deployment("pod-security", "level: restricted");
    let imported = import_source(&manifest);
    assert_eq!(imported.recognised, "Kubewarden ClusterAdmissionPolicy");
    assert_eq!(imported.policies[0].settings, "level: restricted\n");
    assert!(mapped(&imported).iter().any(|one| one.2 == "settings.level: restricted"));
    // It is in monitor mode, and leaves kube-system out.
    assert_eq!(outcome(&imported, POD), Some(Outcome::Monitored));
    assert_eq!(outcome(&imported, &POD.replace("shop", "kube-system")), Some(Outcome::NotLookedAt));
}

#[test]
fn what_is_not_carried_over_has_its_place_and_a_reason() {
    let text = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: a\n    \
                match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {message: m, pattern: {spec: {x: 1}}}\n";
    let imported = import_source(text);
    assert_eq!(imported.policies, []);
    let left = &imported.left[0];
    assert!(left.mark.is_some_and(|mark| mark.line >= 6) && !left.reason.is_empty(), "{left:?}");
}

#[test]
fn other_texts_say_what_can_be_imported() {
    for text in ["", "a: b", POD, "[1]"] {
        let imported = import_source(text);
        let problem = imported.problem.unwrap();
        assert!(problem.message.contains("ClusterAdmissionPolicy"), "{text}: {problem:?}");
    }
    let problem = import_source("a: [").problem.unwrap();
    assert_eq!(problem.mark.unwrap().line, 1);
    let wrong = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: x}\n";
    assert_eq!(import_source(wrong).problem.unwrap().mark.unwrap().line, 3);
}
