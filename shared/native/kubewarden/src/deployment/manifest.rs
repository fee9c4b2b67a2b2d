//! The manifests of instances.

use crate::rule::{ContextAwareResource, RuleWithOperations};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_saphyr::{Commented, FlowMap, LitStr};

use crate::deployment::needs::{MatchCondition, Needs, PolicyRule};

/// An instance of a policy, which becomes a manifest.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    /// The name of the object.
    pub name: &'a str,
    /// The reference of the module in a registry.
    pub module: &'a str,
    /// The category in reports.
    pub category: &'a str,
    /// The severity in reports.
    pub severity: &'a str,
    /// The settings.
    pub settings: &'a Value,
    /// The needs with these settings.
    pub needs: &'a Needs,
    /// The namespaces that the policy skips.
    pub skipped_namespaces: &'a [&'a str],
    /// Whether the policy starts in protect mode. Otherwise, it starts in monitor mode.
    pub protects: bool,
}

impl Instance<'_> {
    /// Returns a `ClusterAdmissionPolicy`. If its look-ups need permissions, a
    /// `ClusterRole` and its binding for the service account of a default installation of
    /// Kubewarden precede it.
    ///
    /// # Errors
    /// Settings that cannot be written as YAML.
    pub fn to_yaml(&self) -> Result<String, serde_saphyr::SerializeError> {
        let mut documents = Vec::new();
        if !self.needs.cluster_role_rules.is_empty() {
            documents.push(write(&self.cluster_role())?);
            documents.push(write(&self.cluster_role_binding())?);
        }
        documents.push(write(&self.policy())?);
        Ok(documents.join("---\n"))
    }

    fn labels(&self) -> Labels<'_> {
        Labels { name: self.name, part_of: "portcullis" }
    }

    fn policy(&self) -> Policy<'_> {
        let needs = self.needs;
        let (mode, failure_policy) = if self.protects {
            (("protect", "Kubewarden does not allow a return to monitor"), ("Fail", "no answer is a denial"))
        } else {
            (
                ("monitor", "then protect; Kubewarden does not allow a return to monitor"),
                ("Ignore", "Fail in protect mode"),
            )
        };
        let commented = |(value, comment): (&'static str, &str)| Commented(value, comment.to_owned());
        Policy {
            api_version: "policies.kubewarden.io/v1",
            kind: "ClusterAdmissionPolicy",
            metadata: Metadata {
                name: self.name.to_owned(),
                labels: self.labels(),
                annotations: Some(Annotations { category: self.category, severity: self.severity }),
            },
            spec: Spec {
                module: self.module,
                policy_server: "default",
                mode: commented(mode),
                mutating: needs.mutating,
                background_audit: needs.background_audit,
                failure_policy: commented(failure_policy),
                timeout_seconds: 5,
                timeout_eval_seconds: 2,
                rules: needs.rules.iter().map(FlowMap).collect(),
                namespace_selector: (!self.skipped_namespaces.is_empty()).then_some(Selector {
                    match_expressions: [Requirement {
                        key: "kubernetes.io/metadata.name",
                        operator: "NotIn",
                        values: self.skipped_namespaces,
                    }],
                }),
                match_conditions: needs.match_conditions.iter().map(Condition).collect(),
                context_aware_resources: needs.context_aware_resources.iter().map(FlowMap).collect(),
                settings: self.settings,
            },
        }
    }

    fn role_name(&self) -> String {
        format!("portcullis-{}", self.name)
    }

    fn cluster_role(&self) -> ClusterRole<'_> {
        ClusterRole {
            api_version: RBAC,
            kind: "ClusterRole",
            metadata: Metadata { name: self.role_name(), labels: self.labels(), annotations: None },
            rules: self.needs.cluster_role_rules.iter().map(FlowMap).collect(),
        }
    }

    fn cluster_role_binding(&self) -> ClusterRoleBinding<'_> {
        ClusterRoleBinding {
            api_version: RBAC,
            kind: "ClusterRoleBinding",
            metadata: Metadata { name: self.role_name(), labels: self.labels(), annotations: None },
            role_ref: RoleRef {
                api_group: "rbac.authorization.k8s.io",
                kind: "ClusterRole",
                name: self.role_name(),
            },
            // The spec.serviceAccountName of the PolicyServer; these are the names of a default
            // installation.
            subjects: [FlowMap(Subject {
                kind: "ServiceAccount",
                name: "policy-server",
                namespace: "kubewarden",
            })],
        }
    }
}

fn write(object: &impl Serialize) -> Result<String, serde_saphyr::SerializeError> {
    // Long texts stay on one line.
    let options = serde_saphyr::ser_options! { compact_list_indent: false, prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(object, options)
}

const RBAC: &str = "rbac.authorization.k8s.io/v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Policy<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: Metadata<'a>,
    spec: Spec<'a>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: String,
    labels: Labels<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations<'a>>,
}

#[derive(Serialize)]
struct Labels<'a> {
    #[serde(rename = "app.kubernetes.io/name")]
    name: &'a str,
    #[serde(rename = "app.kubernetes.io/part-of")]
    part_of: &'a str,
}

#[derive(Serialize)]
struct Annotations<'a> {
    #[serde(rename = "io.kubewarden.policy.category")]
    category: &'a str,
    #[serde(rename = "io.kubewarden.policy.severity")]
    severity: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    module: &'a str,
    policy_server: &'a str,
    mode: Commented<&'a str>,
    mutating: bool,
    background_audit: bool,
    failure_policy: Commented<&'a str>,
    timeout_seconds: u8,
    timeout_eval_seconds: u8,
    rules: Vec<FlowMap<&'a RuleWithOperations>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace_selector: Option<Selector<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    match_conditions: Vec<Condition<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    context_aware_resources: Vec<FlowMap<&'a ContextAwareResource>>,
    settings: &'a Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Selector<'a> {
    match_expressions: [Requirement<'a>; 1],
}

#[derive(Serialize)]
struct Requirement<'a> {
    key: &'a str,
    operator: &'a str,
    values: &'a [&'a str],
}

struct Condition<'a>(&'a MatchCondition);

impl Serialize for Condition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MatchCondition { name, expression } = self.0;
        let mut fields = serializer.serialize_struct("Condition", 2)?;
        fields.serialize_field("name", name)?;
        if expression.contains('\n') {
            fields.serialize_field("expression", &LitStr(expression))?;
        } else {
            fields.serialize_field("expression", expression)?;
        }
        fields.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClusterRole<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: Metadata<'a>,
    rules: Vec<FlowMap<&'a PolicyRule>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClusterRoleBinding<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: Metadata<'a>,
    role_ref: RoleRef<'a>,
    subjects: [FlowMap<Subject<'a>>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RoleRef<'a> {
    api_group: &'a str,
    kind: &'a str,
    name: String,
}

#[derive(Serialize)]
struct Subject<'a> {
    kind: &'a str,
    name: &'a str,
    namespace: &'a str,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_has_the_needs_of_the_settings() {
        let settings = json!({ "mode": "Munge" });
        let needs = crate::deployment::find("node-pods").unwrap().needs(&settings);
        let text = Instance {
            name: "node-pods",
            module: "registry://ghcr.io/portcullis/policies/node-pods:v0.1.0",
            category: "Nodes",
            severity: "high",
            settings: &settings,
            needs: &needs,
            skipped_namespaces: &[],
            protects: false,
        }
        .to_yaml()
        .unwrap();
        let [role, binding, policy]: [Value; 3] =
            serde_saphyr::from_multiple(&text).unwrap().try_into().unwrap();
        assert_eq!(role["rules"][0]["resources"], json!(["nodes"]));
        assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
        assert_eq!(policy["spec"]["mutating"], json!(true));
        assert_eq!(policy["spec"]["settings"], settings);
        assert_eq!(policy["spec"]["matchConditions"], json!(needs.match_conditions));
        assert_eq!(policy["spec"]["rules"], json!(needs.rules));
    }
}
