//! `portcullis run` with manifests of objects and of policies, natively.

use serde_json::Value;

use crate::folder::Folder;

const MANIFESTS: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {externalIPs: [192.0.2.1]}
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: {name: api, namespace: shop}
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: api, namespace: shop}
";

const POLICY: &str = "\
apiVersion: v1
kind: ServiceAccount
metadata: {name: beside, namespace: kubewarden}
---
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: ranges}
spec:
  module: registry://ghcr.io/portcullis/policies/external-ips:vVERSION
  mode: monitor
  mutating: false
  rules: [{apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE]}]
  settings:
    allow:
      - cidrs: [192.0.2.0/24]
        namespaceSelector: {matchLabels: {edge: 'true'}}
  contextAwareResources:
    - {apiVersion: v1, kind: Namespace}
";

fn policy() -> String {
    POLICY.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

#[test]
fn judges_the_creation_of_objects_from_any_directory() {
    let folder = Folder::new("objects");
    folder.file("m.yaml", MANIFESTS);
    let (status, stdout, stderr) = folder.run(&["run", "external-ips", "m.yaml"], "");
    assert_eq!((status, stderr.as_str()), (1, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 6, "{stdout}");
    assert_eq!(lines[0], "DENIED    m.yaml, document 1: CREATE Service shop/web");
    assert!(lines[1].starts_with("  spec.externalIPs[0]: Invalid value: \"192.0.2.1\": "), "{stdout}");
    assert_eq!(
        lines[2..],
        [
            "",
            "ADMITTED  m.yaml, document 2, item 1: CREATE Service shop/api",
            "ADMITTED  m.yaml, document 2, item 2: CREATE ConfigMap shop/api",
            "3 requests: 2 admitted, 1 denied.",
        ]
    );
    // A directory with the name of a policy is not in the way.
    std::fs::create_dir(folder.0.join("external-ips")).unwrap();
    assert_eq!(folder.run(&["run", "external-ips", "m.yaml"], "").1, stdout);
    // Each response has the uid of its own request.
    let (_, json, _) = folder.run(&["run", "external-ips", "m.yaml", "-o", "json"], "");
    let reviews: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let uids: Vec<&str> = reviews.iter().map(|review| review["response"]["uid"].as_str().unwrap()).collect();
    assert_eq!(
        uids,
        ["1", "2", "3"]
            .map(|number| format!("00000000-0000-4000-8000-{number:0>12}"))
            .each_ref()
            .map(|u| &**u)
    );
    let (_, yaml, _) = folder.run(&["run", "external-ips", "m.yaml", "-o", "yaml"], "");
    assert_eq!(manifest::documents(&yaml).unwrap(), reviews);
}

#[test]
fn a_manifest_brings_module_settings_and_look_ups() {
    let folder = Folder::new("manifest");
    folder.file("m.yaml", MANIFESTS.split("---").next().unwrap());
    folder.file("policy.yaml", policy());
    let namespace = |edge: &str| {
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{edge: '{edge}'}}}}\n")
    };
    folder.file("open.yaml", namespace("true"));
    folder.file("closed.yaml", namespace("false"));
    let run = |more: &[&str]| folder.run(&[&["run", "policy.yaml", "m.yaml"], more].concat(), "");
    assert_eq!(run(&["--cluster", "open.yaml"]).0, 0);
    // The mode of the manifest does not change a verdict.
    assert_eq!(run(&["--cluster", "closed.yaml"]).0, 1);
    // Settings on the command line replace those of the manifest.
    assert_eq!(run(&["--settings-json", r#"{"allow": [{"cidrs": ["192.0.2.0/24"]}]}"#]).0, 0);
    // A kind that is not granted cannot be looked up, as in the host.
    folder.file("policy.yaml", policy().split("  contextAware").next().unwrap());
    let (status, stdout, _) = run(&["--cluster", "open.yaml"]);
    assert_eq!(status, 1);
    assert!(stdout.contains("not been granted access to Kubernetes v1/Namespace resources"), "{stdout}");
}

#[test]
fn says_what_is_wrong_with_a_policy() {
    let folder = Folder::new("wrong");
    folder.file("m.yaml", MANIFESTS);
    let refused = |policy: &str| folder.refused(&["run", policy, "m.yaml"], "");
    assert_eq!(
        refused("m.yaml"),
        "m.yaml: expected a policy: a module, a ClusterAdmissionPolicy or an AdmissionPolicy, found a Service; pass the \
         policy before the objects"
    );
    folder.file("group.yaml", policy().replace("ClusterAdmissionPolicy", "ClusterAdmissionPolicyGroup"));
    assert_eq!(
        refused("group.yaml"),
        "group.yaml, document 2: is a group of policies; judge with it by portcullis scan"
    );
    folder.file("two.yaml", format!("{0}---\n{0}", policy()));
    assert_eq!(refused("two.yaml"), "two.yaml: has 2 policies; pass a file with one, or use portcullis scan");
    folder.file("typo.yaml", policy().replace("cidrs", "cidr"));
    assert_eq!(
        refused("typo.yaml"),
        "typo.yaml, document 2: spec.settings: allow[0].cidr: unknown key; did you mean cidrs?"
    );
    folder.file("shape.yaml", policy().replace("mutating: false", "mutating: 1"));
    let message = refused("shape.yaml");
    assert!(message.starts_with("shape.yaml, document 2: spec.mutating: Invalid value: "), "{message}");
    folder.file("list.yaml", policy().split("  settings:").next().unwrap().to_owned() + "  settings: []\n");
    let message = refused("list.yaml");
    assert!(message.starts_with("list.yaml, document 2: spec.settings: Invalid value: "), "{message}");
    assert_eq!(refused("."), ".: is a directory; pass one module or manifest, or use portcullis scan");
    assert_eq!(
        refused("https://example.com/policy.wasm"),
        "https://example.com/policy.wasm: cannot be read from a web server; download the module and pass the file"
    );
    assert_eq!(refused("gone.yaml"), "gone.yaml: cannot be read: No such file or directory (os error 2)");
    let message = refused("zzz");
    assert!(
        message.starts_with("policy zzz: does not exist; known policies are external-ips, node-labels, ")
            && message.ends_with("or a reference such as ghcr.io/example/policy:v1.0.0"),
        "{message}"
    );
}

#[cfg(feature = "registry")]
#[test]
fn offline_uses_only_the_cache() {
    let folder = Folder::new("offline");
    folder.file("m.yaml", MANIFESTS);
    for policy in ["registry://localhost:1/policies/p:v1", "localhost:1/policies/p:v1"] {
        let message = folder.refused(&["run", policy, "m.yaml", "--offline"], "");
        assert!(
            message.starts_with("localhost:1/policies/p:v1: is not in the cache ")
                && message.ends_with("run the command once without --offline"),
            "{message}"
        );
    }
    let manifest = policy().replace("ghcr.io/portcullis", "localhost:1");
    folder.file("policy.yaml", manifest);
    let message = folder.refused(&["run", "policy.yaml", "m.yaml", "--offline"], "");
    assert!(
        message.starts_with("policy.yaml, document 2: spec.module: localhost:1/policies/external-ips:v"),
        "{message}"
    );
}

/// No rule of a policy matches it, so that every policy would admit it.
#[test]
fn a_kind_that_kubernetes_does_not_have_is_refused() {
    let folder = Folder::new("run-kind");
    let pod =
        "apiVersion: v1\nkind: pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: [{name: a}]}\n";
    folder.file("pod.yaml", pod);
    assert_eq!(
        folder.refused(&["run", "pod-security", "pod.yaml"], ""),
        "pod.yaml: kind: Kubernetes has no kind pod in v1; did you mean Pod?"
    );
}
