//! The manifest that deploys a policy with given settings.

use serde_json::{Map, Value};

use crate::input;
use crate::text::yaml;
use crate::types::{Field, InputProblem};

/// The manifests in `deploy`. For each policy, the first entry whose condition holds applies.
const BASE_MANIFESTS: &[BaseManifest] = &[
    BaseManifest {
        policy: "external-ips",
        when: Always,
        text: include_str!("../../deploy/external-ips.yaml"),
    },
    BaseManifest { policy: "node-labels", when: Always, text: include_str!("../../deploy/node-labels.yaml") },
    BaseManifest { policy: "node-pods", when: Always, text: include_str!("../../deploy/node-pods.yaml") },
    BaseManifest {
        policy: "pod-security",
        when: Always,
        text: include_str!("../../deploy/pod-security.yaml"),
    },
    BaseManifest {
        policy: "selinux",
        when: SettingIs("/mode", &["Validate"]),
        text: include_str!("../../deploy/selinux-guard.yaml"),
    },
    BaseManifest { policy: "selinux", when: Always, text: include_str!("../../deploy/selinux-default.yaml") },
];

/// The changes that some settings require in these manifests.
const ADJUSTMENTS: &[Adjustment] = &[
    Adjustment {
        policy: "node-pods",
        when: SettingIs("/mode", &["Munge"]),
        edits: &[Set("mutating", "true")],
    },
    // The match condition selects only Services that set spec.externalIPs.
    Adjustment {
        policy: "external-ips",
        when: SettingListsMoreThan("/fields", "spec.externalIPs"),
        edits: &[Remove("matchConditions")],
    },
    Adjustment {
        policy: "external-ips",
        when: SettingIs("/fields", &["status.loadBalancer.ingress"]),
        edits: &[
            Add(
                "rules",
                "{ apiGroups: [\"\"], apiVersions: [v1], resources: [services/status], operations: [UPDATE] }",
            ),
            Set("backgroundAudit", "false # the audit scanner cannot list a subresource"),
        ],
    },
    Adjustment {
        policy: "external-ips",
        when: SettingListsKey("/allow", "can"),
        edits: &[Prepend(include_str!("../manifests/subjectaccessreviews.yaml"))],
    },
    Adjustment {
        policy: "pod-security",
        when: SettingIs("/existingViolations", &["TolerateOwned"]),
        edits: &[
            Add("contextAwareResources", "{ apiVersion: apps/v1, kind: DaemonSet }"),
            Add("contextAwareResources", "{ apiVersion: apps/v1, kind: Deployment }"),
            Add("contextAwareResources", "{ apiVersion: apps/v1, kind: ReplicaSet }"),
            Add("contextAwareResources", "{ apiVersion: apps/v1, kind: StatefulSet }"),
            Add("contextAwareResources", "{ apiVersion: batch/v1, kind: CronJob }"),
            Add("contextAwareResources", "{ apiVersion: batch/v1, kind: Job }"),
            Add("contextAwareResources", "{ apiVersion: v1, kind: ReplicationController }"),
            Prepend(include_str!("../manifests/owners.yaml")),
        ],
    },
    // The rule sends updates of Namespaces, whose labels are in the metadata.
    Adjustment {
        policy: "pod-security",
        when: SettingIs("/namespaceLabels", &["Honor"]),
        edits: &[
            Add(
                "rules",
                "{ apiGroups: [\"\"], apiVersions: [v1], resources: [namespaces], operations: [UPDATE] }",
            ),
            Add("contextAwareResources", "{ apiVersion: v1, kind: Pod }"),
            Remove("matchConditions"),
        ],
    },
    Adjustment {
        policy: "selinux",
        when: SettingIs("/volumes/sharedClaims", &["Warn", "Reject"]),
        edits: &[Add("contextAwareResources", "{ apiVersion: v1, kind: Pod }")],
    },
    Adjustment {
        policy: "selinux",
        when: SettingIs("/types/fromSelinuxProfiles", &["true"]),
        edits: &[
            Add(
                "contextAwareResources",
                "{ apiVersion: security-profiles-operator.x-k8s.io/v1alpha2, kind: SelinuxProfile }",
            ),
            Add(
                "contextAwareResources",
                "{ apiVersion: security-profiles-operator.x-k8s.io/v1alpha2, kind: RawSelinuxProfile }",
            ),
            Prepend(include_str!("../manifests/selinuxprofiles.yaml")),
        ],
    },
    Adjustment {
        policy: "selinux",
        when: SettingIs("/allocation/scope", &["Workload"]),
        edits: &[
            Add("contextAwareResources", "{ apiVersion: batch/v1, kind: Job }"),
            Prepend(include_str!("../manifests/jobs.yaml")),
        ],
    },
];

/// A manifest of `deploy`, and the settings that it applies to.
struct BaseManifest {
    policy: &'static str,
    when: SettingsCondition,
    text: &'static str,
}

/// The edits to the manifest of a policy that certain settings require.
struct Adjustment {
    policy: &'static str,
    when: SettingsCondition,
    edits: &'static [ManifestEdit],
}

/// A condition on the settings.
enum SettingsCondition {
    Always,
    /// The setting at this JSON pointer is one of these values, or a list that contains one of
    /// them.
    SettingIs(&'static str, &'static [&'static str]),
    /// The list at this JSON pointer has an element other than this one.
    SettingListsMoreThan(&'static str, &'static str),
    /// The list at this JSON pointer has an element with this key.
    SettingListsKey(&'static str, &'static str),
}
use SettingsCondition::{Always, SettingIs, SettingListsKey, SettingListsMoreThan};

/// An edit to a manifest.
enum ManifestEdit {
    /// Sets a field of the spec.
    Set(&'static str, &'static str),
    /// Appends an element to a list in the spec.
    Add(&'static str, &'static str),
    /// Removes a field from the spec.
    Remove(&'static str),
    /// Inserts documents before the manifest.
    Prepend(&'static str),
}
use ManifestEdit::{Add, Prepend, Remove, Set};

/// Returns a `ClusterAdmissionPolicy` with the given settings, as YAML, preceded by any objects
/// that it requires, such as the RBAC rules for its look-ups.
///
/// The manifest is the one in `deploy`, including its comments, adjusted to the settings:
/// permission to mutate objects, additional requests to judge, and additional kinds to look up.
///
/// # Errors
/// Returns a problem if the settings are invalid or the policy is unknown.
pub(crate) fn manifest(policy: &str, text: &str) -> Result<String, InputProblem> {
    let settings = input::settings(policy, text)?;
    let unavailable = || InputProblem {
        field: Field::Settings,
        message: format!("no deployment manifest is available for {policy}"),
        mark: None,
    };
    let applies = |id: &str, when: &SettingsCondition| id == policy && when.holds(&settings);
    let base = BASE_MANIFESTS.iter().find(|base| applies(base.policy, &base.when)).ok_or_else(unavailable)?;
    let (head, spec) = base.text.rsplit_once("\nspec:\n").ok_or_else(unavailable)?;
    let mut head = format!("{head}\nspec:\n");
    let mut fields = fields(spec);
    let adjustments = ADJUSTMENTS.iter().filter(|adjustment| applies(adjustment.policy, &adjustment.when));
    for adjustment in adjustments {
        for edit in adjustment.edits {
            match edit {
                Prepend(documents) => head.insert_str(0, documents),
                Remove(name) => fields.retain(|field| field.name != *name),
                Set(name, value) => {
                    field(&mut fields, name).ok_or_else(unavailable)?.text = format!("  {name}: {value}\n");
                }
                Add(name, item) => {
                    let field = field(&mut fields, name).ok_or_else(unavailable)?;
                    field.text = format!("{}    - {item}\n", field.text);
                }
            }
        }
    }
    field(&mut fields, "settings").ok_or_else(unavailable)?.text = settings_block(&settings);
    Ok(fields.into_iter().fold(head, |manifest, field| manifest + &field.text))
}

impl SettingsCondition {
    fn holds(&self, settings: &Value) -> bool {
        let matches = |value: &Value| match (self, value) {
            (SettingIs(_, values), Value::String(text)) => values.contains(&text.as_str()),
            (SettingIs(_, values), Value::Bool(flag)) => {
                values.contains(&if *flag { "true" } else { "false" })
            }
            (SettingListsMoreThan(_, item), value) => value != item,
            (SettingListsKey(_, key), value) => value.get(key).is_some_and(|value| !value.is_null()),
            _ => false,
        };
        let pointer = match self {
            Always => return true,
            SettingIs(pointer, _) | SettingListsMoreThan(pointer, _) | SettingListsKey(pointer, _) => pointer,
        };
        match settings.pointer(pointer) {
            Some(Value::Array(items)) => items.iter().any(matches),
            Some(value) => matches(value),
            None => false,
        }
    }
}

/// The text of a field of the spec, including the comments above it.
struct SpecField<'m> {
    name: &'m str,
    text: String,
}

/// Splits the text of a spec, which is indented by two spaces, into its fields.
fn fields(spec: &str) -> Vec<SpecField<'_>> {
    let mut fields: Vec<SpecField<'_>> = Vec::new();
    let mut comments = String::new();
    for line in spec.lines() {
        let top_level = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']));
        match top_level {
            Some(comment) if comment.starts_with('#') => comments = format!("{comments}{line}\n"),
            Some(field) => {
                let name = field.split(':').next().unwrap_or_default();
                fields.push(SpecField { name, text: format!("{}{line}\n", std::mem::take(&mut comments)) });
            }
            None => {
                if let Some(field) = fields.last_mut() {
                    field.text = format!("{}{line}\n", field.text);
                }
            }
        }
    }
    fields
}

fn field<'f, 'm>(fields: &'f mut [SpecField<'m>], name: &str) -> Option<&'f mut SpecField<'m>> {
    fields.iter_mut().find(|field| field.name == name)
}

/// Formats settings as a field of the spec.
fn settings_block(settings: &Value) -> String {
    if settings.as_object().is_none_or(Map::is_empty) {
        return "  settings: {}\n".to_owned();
    }
    let lines = yaml(settings).lines().fold(String::new(), |text, line| format!("{text}    {line}\n"));
    format!("  settings:\n{lines}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(policy: &str, settings: &str) -> Value {
        let text = manifest(policy, settings).unwrap();
        let documents = manifest::documents(&text).unwrap();
        let policies = documents.into_iter().filter(|document| document["kind"] == "ClusterAdmissionPolicy");
        let [mut policy] = policies.collect::<Vec<Value>>().try_into().unwrap();
        policy["spec"].take()
    }

    #[test]
    fn manifests_differ_from_deploy_only_in_their_settings() {
        for base in BASE_MANIFESTS {
            let settings = if let SettingIs(pointer, [value, ..]) = base.when {
                json!({ pointer.trim_start_matches('/'): value }).to_string()
            } else {
                "{}".to_owned()
            };
            let text = manifest(base.policy, &settings).unwrap();
            let (head, _) = base.text.split_once("\n  settings:").unwrap();
            assert!(text.starts_with(head), "{text}");
            assert_eq!(spec(base.policy, &settings)["settings"].to_string(), settings.replace(": ", ":"));
        }
        for entry in rules::CATALOG {
            assert!(manifest(entry.id, "").is_ok(), "{}", entry.id);
        }
    }

    #[test]
    fn settings_are_inserted_into_the_spec() {
        let text =
            "level: restricted\nversion: v1.30\nexclude:\n- controlName: \"Host Ports\"\n  images: [\"*\"]\n";
        let settings = &manifest::documents(text).unwrap()[0];
        assert_eq!(spec("pod-security", text)["settings"], *settings);
    }

    #[test]
    fn mutating_settings_enable_mutation() {
        assert_eq!(spec("node-pods", "")["mutating"], json!(false));
        assert_eq!(spec("node-pods", "mode: Munge")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Mutate")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Validate")["mutating"], json!(false));
        assert_eq!(spec("selinux", "")["mutating"], json!(true));
    }

    #[test]
    fn settings_that_judge_more_fields_match_more_requests() {
        assert!(spec("external-ips", "fields: [spec.externalIPs]").get("matchConditions").is_some());
        for field in ["spec.loadBalancerIP", "metadata.annotations[metallb.io/loadBalancerIPs]"] {
            let more = spec("external-ips", &format!("fields: [spec.externalIPs, {field:?}]"));
            assert_eq!((more.get("matchConditions"), more["backgroundAudit"].as_bool()), (None, Some(true)));
        }
        let fields = "{fields: [spec.externalIPs, status.loadBalancer.ingress], exempt: {users: [a]}}";
        let status = spec("external-ips", fields);
        assert_eq!(status["rules"][1]["resources"], json!(["services/status"]));
        assert_eq!((status.get("matchConditions"), &status["backgroundAudit"]), (None, &json!(false)));
    }

    #[test]
    fn settings_with_look_ups_grant_the_kinds_and_permissions() {
        let kinds = |settings: &str| {
            let resources = spec("selinux", settings)["contextAwareResources"].take();
            let kinds = resources.as_array().unwrap().iter().map(|resource| resource["kind"].to_string());
            kinds.collect::<Vec<String>>().join(" ")
        };
        assert_eq!(kinds("mode: Validate"), "\"Namespace\"");
        let all = "{mode: Validate, allocation: {scope: Workload}, volumes: {sharedClaims: Warn}, types: {fromSelinuxProfiles: true}}";
        assert_eq!(kinds(all), "\"Namespace\" \"Pod\" \"SelinuxProfile\" \"RawSelinuxProfile\" \"Job\"");
        for (policy, settings, resource) in [
            ("selinux", all, "[selinuxprofiles, rawselinuxprofiles]"),
            ("selinux", all, "[jobs]"),
            ("node-pods", "", "[nodes]"),
            ("pod-security", "existingViolations: TolerateOwned", "[cronjobs, jobs]"),
        ] {
            let text = manifest(policy, settings).unwrap();
            assert!(text.contains("kind: ClusterRoleBinding\n") && text.contains(resource), "{text}");
        }
        let owners = "{existingViolations: TolerateOwned, namespaceLabels: Honor}";
        let manifest = spec("pod-security", owners);
        let mut granted: Vec<(&str, &str)> = Vec::new();
        for kind in manifest["contextAwareResources"].as_array().unwrap() {
            granted.push((kind["apiVersion"].as_str().unwrap(), kind["kind"].as_str().unwrap()));
        }
        granted.sort_unstable();
        let declared = rules::find("pod-security").unwrap().reads.0.iter();
        assert_eq!(granted, declared.map(|read| (read.api_version, read.kind)).collect::<Vec<_>>());
        assert_eq!(manifest["rules"][4]["resources"], json!(["namespaces"]));
        // The defaults and these settings together cover every kind that the policy can look up.
        let reads = rules::find("selinux").unwrap().reads.0.iter();
        assert!(reads.map(|read| read.kind).all(|kind| kinds(all).contains(kind)));
    }

    #[test]
    fn rules_with_permissions_grant_the_question() {
        let text = |rule: &str| manifest("external-ips", &format!("allow: [{rule}]")).unwrap();
        let with = text("{cidrs: [192.0.2.1], can: {verb: use, resource: addresses}}");
        assert!(
            with.contains("kind: ClusterRoleBinding\n") && with.contains("[subjectaccessreviews]"),
            "{with}"
        );
        assert!(!text("{cidrs: [192.0.2.1], can: null}").contains("subjectaccessreviews"));
    }

    #[test]
    fn invalid_settings_have_no_manifest() {
        let problem = manifest("selinux", "mode: Mute").unwrap_err();
        assert_eq!(problem.message, "mode: \"Mute\" is not a valid value; did you mean Mutate?");
        assert_eq!(problem.mark.unwrap().line, 1);
    }
}
