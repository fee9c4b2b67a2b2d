//! The manifest that deploys a policy with given settings.

use kubewarden::deployment::Instance;
use serde_json::Value;

use crate::catalog;

/// Namespaces that the policies for pods skip. The chart has the whole list.
const SKIPPED_NAMESPACES: &[&str] = &["kube-system"];

/// The purpose of a manifest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Use {
    /// To deploy the policy, in monitor mode at first.
    Deployment,
    /// To evaluate what the rules alone would deny: in protect mode, in every namespace.
    Rules,
}

/// Returns a `ClusterAdmissionPolicy` with valid settings, as YAML. The permissions for its
/// look-ups precede it. `None` for an unknown policy.
pub(crate) fn of(policy: &str, settings: &Value, purpose: Use) -> Option<String> {
    let deployment = kubewarden::deployment::find(policy)?;
    let annotation = |key: &str| catalog::annotation(policy, &format!("io.kubewarden.policy.{key}"));
    let module = format!("registry://{}:v{}", annotation("ociUrl")?, annotation("version")?);
    let instance = Instance {
        name: name(policy, settings),
        module: &module,
        category: &annotation("category")?,
        severity: &annotation("severity")?,
        settings,
        needs: &deployment.manifest_needs(settings),
        skipped_namespaces: if purpose == Use::Deployment && deployment.skips_infrastructure_namespaces() {
            SKIPPED_NAMESPACES
        } else {
            &[]
        },
        protects: purpose == Use::Rules,
    };
    instance.to_yaml().ok()
}

fn name<'a>(policy: &'a str, settings: &Value) -> &'a str {
    match (policy, settings.get("mode").and_then(Value::as_str)) {
        ("selinux", Some("Validate")) => "selinux-guard",
        ("selinux", _) => "selinux-default",
        _ => policy,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest(policy: &str, settings: &str) -> Option<String> {
        let value = manifest::documents(settings).unwrap().pop();
        of(policy, &value.unwrap_or_else(|| json!({})), Use::Deployment)
    }

    fn spec(policy: &str, settings: &str) -> Value {
        let text = manifest(policy, settings).unwrap();
        let documents = manifest::documents(&text).unwrap();
        let policies = documents.into_iter().filter(|document| document["kind"] == "ClusterAdmissionPolicy");
        let [mut policy] = policies.collect::<Vec<Value>>().try_into().unwrap();
        policy["spec"].take()
    }

    #[test]
    fn every_policy_has_a_manifest_with_the_needs_of_its_settings() {
        for (policy, settings) in [
            ("external-ips", "existingValues: Recheck\nallow: [{cidrs: [192.0.2.1]}]"),
            ("node-labels", ""),
            ("node-pods", "mode: Munge"),
            (
                "pod-security",
                "level: restricted\nexclude:\n- controlName: \"Host Ports\"\n  images: [\"*\"]\n",
            ),
            ("selinux", "mode: Validate"),
            ("selinux", "types: {fromSelinuxProfiles: true}"),
        ] {
            let value = match manifest::documents(settings).unwrap().pop() {
                Some(value) => value,
                None => json!({}),
            };
            let needs = kubewarden::deployment::find(policy).unwrap().manifest_needs(&value);
            let spec = spec(policy, settings);
            assert_eq!(spec["settings"], value, "{policy}");
            assert_eq!(spec["mutating"], json!(needs.mutating), "{policy}");
            assert_eq!(spec["rules"], json!(needs.rules), "{policy}");
            assert_eq!(spec["matchConditions"], json!(needs.match_conditions), "{policy}");
            let text = manifest(policy, settings).unwrap();
            let grants = text.contains("kind: ClusterRoleBinding\n");
            assert_eq!(grants, !needs.cluster_role_rules.is_empty(), "{policy}");
        }
    }

    #[test]
    fn both_instances_of_selinux_have_the_names_in_deploy() {
        for (settings, file) in [
            ("mode: Validate", include_str!("../../../../artifacthub/deploy/selinux-guard.yaml")),
            ("mode: Mutate", include_str!("../../../../artifacthub/deploy/selinux-default.yaml")),
        ] {
            let name = |text: &str| manifest::documents(text).unwrap()[0]["metadata"]["name"].clone();
            assert_eq!(name(&manifest("selinux", settings).unwrap()), name(file));
        }
    }
}
