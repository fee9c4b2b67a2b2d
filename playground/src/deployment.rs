//! How to deploy a restriction with settings.

use serde_json::{Map, Value};

use crate::input;
use crate::text::yaml;
use crate::types::{Field, Problem};

/// The manifests that the project deploys.
const MANIFESTS: &[Base] = &[
    Base { policy: "external-ips", when: Always, text: include_str!("../../deploy/external-ips.yaml") },
    Base { policy: "node-labels", when: Always, text: include_str!("../../deploy/node-labels.yaml") },
    Base { policy: "node-pods", when: Always, text: include_str!("../../deploy/node-pods.yaml") },
    Base { policy: "pod-security", when: Always, text: include_str!("../../deploy/pod-security.yaml") },
    Base {
        policy: "selinux",
        when: Says("/mode", &["Validate"]),
        text: include_str!("../../deploy/selinux-guard.yaml"),
    },
    Base { policy: "selinux", when: Always, text: include_str!("../../deploy/selinux-default.yaml") },
];

/// What settings need that those manifests do not have.
const NEEDS: &[Need] = &[
    Need { policy: "node-pods", when: Says("/mode", &["Munge"]), changes: &[Set("mutating", "true")] },
    // The condition lets through those alone that claim spec.externalIPs.
    Need {
        policy: "external-ips",
        when: Says("/fields", &["spec.loadBalancerIP", "status.loadBalancer.ingress"]),
        changes: &[Remove("matchConditions")],
    },
    Need {
        policy: "external-ips",
        when: Says("/fields", &["status.loadBalancer.ingress"]),
        changes: &[
            Add(
                "rules",
                "{ apiGroups: [\"\"], apiVersions: [v1], resources: [services/status], operations: [UPDATE] }",
            ),
            Set("backgroundAudit", "false # the audit scanner cannot list a subresource"),
        ],
    },
    Need {
        policy: "selinux",
        when: Says("/volumes/sharedClaims", &["Warn", "Reject"]),
        changes: &[Add("contextAwareResources", "{ apiVersion: v1, kind: Pod }")],
    },
    Need {
        policy: "selinux",
        when: Says("/types/fromSelinuxProfiles", &["true"]),
        changes: &[
            Add(
                "contextAwareResources",
                "{ apiVersion: security-profiles-operator.x-k8s.io/v1alpha2, kind: SelinuxProfile }",
            ),
            Precede(include_str!("../manifests/selinuxprofiles.yaml")),
        ],
    },
];

/// A manifest for a policy, of which the first counts whose condition holds.
struct Base {
    policy: &'static str,
    when: When,
    text: &'static str,
}

/// What the manifest of a policy gets where a condition holds.
struct Need {
    policy: &'static str,
    when: When,
    changes: &'static [Change],
}

enum When {
    Always,
    /// A setting, by its JSON pointer, is one of these, or a list with one of these.
    Says(&'static str, &'static [&'static str]),
}
use When::{Always, Says};

enum Change {
    /// A field of the spec has this value.
    Set(&'static str, &'static str),
    /// A list in the spec has this element.
    Add(&'static str, &'static str),
    /// The spec has no such field.
    Remove(&'static str),
    /// These documents come first.
    Precede(&'static str),
}
use Change::{Add, Precede, Remove, Set};

/// A `ClusterAdmissionPolicy` with the settings, as YAML, and what it needs besides: the rights for its look-ups.
///
/// It is the one of `deploy`, comments and all, with whatever the settings need: the right to change objects, the
/// requests that a setting wants judged, the kinds that it wants looked up.
///
/// # Errors
/// Settings that are not understood.
pub(crate) fn manifest(restriction: &str, text: &str) -> Result<String, Problem> {
    let settings = input::settings(restriction, text)?;
    let none = || Problem {
        field: Field::Settings,
        message: format!("there is no manifest for {restriction}"),
        mark: None,
    };
    let applies = |policy: &str, when: &When| policy == restriction && when.holds(&settings);
    let base = MANIFESTS.iter().find(|base| applies(base.policy, &base.when)).ok_or_else(none)?;
    let (head, spec) = base.text.rsplit_once("\nspec:\n").ok_or_else(none)?;
    let mut head = format!("{head}\nspec:\n");
    let mut fields = fields(spec);
    for need in NEEDS.iter().filter(|need| applies(need.policy, &need.when)) {
        for change in need.changes {
            match change {
                Precede(documents) => head.insert_str(0, documents),
                Remove(name) => fields.retain(|field| field.name != *name),
                Set(name, value) => {
                    field(&mut fields, name).ok_or_else(none)?.text = format!("  {name}: {value}\n");
                }
                Add(name, item) => {
                    let field = field(&mut fields, name).ok_or_else(none)?;
                    field.text = format!("{}    - {item}\n", field.text);
                }
            }
        }
    }
    field(&mut fields, "settings").ok_or_else(none)?.text = written(&settings);
    Ok(fields.into_iter().fold(head, |manifest, field| manifest + &field.text))
}

impl When {
    fn holds(&self, settings: &Value) -> bool {
        let Says(pointer, values) = self else { return true };
        let is = |value: &Value| match value {
            Value::String(text) => values.contains(&text.as_str()),
            Value::Bool(flag) => values.contains(&if *flag { "true" } else { "false" }),
            _ => false,
        };
        match settings.pointer(pointer) {
            Some(Value::Array(items)) => items.iter().any(is),
            Some(value) => is(value),
            None => false,
        }
    }
}

/// A field of the spec: its lines, with the comments above it.
struct SpecField<'m> {
    name: &'m str,
    text: String,
}

/// The fields in the text of a spec, which is indented by two.
fn fields(spec: &str) -> Vec<SpecField<'_>> {
    let mut fields: Vec<SpecField<'_>> = Vec::new();
    let mut comments = String::new();
    for line in spec.lines() {
        let own = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']));
        match own {
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

fn written(settings: &Value) -> String {
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

    fn spec(restriction: &str, settings: &str) -> Value {
        let text = manifest(restriction, settings).unwrap();
        let documents = manifest::documents(&text).unwrap();
        let policies = documents.into_iter().filter(|document| document["kind"] == "ClusterAdmissionPolicy");
        let [mut policy] = policies.collect::<Vec<Value>>().try_into().unwrap();
        policy["spec"].take()
    }

    #[test]
    fn every_manifest_is_that_of_the_project_with_other_settings() {
        for base in MANIFESTS {
            let settings = match base.when {
                Always => "{}".to_owned(),
                Says(pointer, values) => json!({ pointer.trim_start_matches('/'): values[0] }).to_string(),
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
    fn settings_are_written_below_the_spec() {
        let text =
            "level: restricted\nversion: v1.30\nexclude:\n- controlName: \"Host Ports\"\n  images: [\"*\"]\n";
        let settings = &manifest::documents(text).unwrap()[0];
        assert_eq!(spec("pod-security", text)["settings"], *settings);
    }

    #[test]
    fn settings_that_change_objects_get_the_right_to() {
        assert_eq!(spec("node-pods", "")["mutating"], json!(false));
        assert_eq!(spec("node-pods", "mode: Munge")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Mutate")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Validate")["mutating"], json!(false));
        assert_eq!(spec("selinux", "")["mutating"], json!(true));
    }

    #[test]
    fn settings_that_judge_more_get_the_requests() {
        assert!(spec("external-ips", "fields: [spec.externalIPs]").get("matchConditions").is_some());
        let more = spec("external-ips", "fields: [spec.loadBalancerIP]");
        assert_eq!((more.get("matchConditions"), more["backgroundAudit"].as_bool()), (None, Some(true)));
        let fields = "{fields: [spec.externalIPs, status.loadBalancer.ingress], exempt: {users: [a]}}";
        let status = spec("external-ips", fields);
        assert_eq!(status["rules"][1]["resources"], json!(["services/status"]));
        assert_eq!((status.get("matchConditions"), &status["backgroundAudit"]), (None, &json!(false)));
    }

    #[test]
    fn settings_that_look_more_up_get_the_kinds_and_the_rights() {
        let kinds = |settings: &str| {
            let resources = spec("selinux", settings)["contextAwareResources"].take();
            let kinds = resources.as_array().unwrap().iter().map(|resource| resource["kind"].to_string());
            kinds.collect::<Vec<String>>().join(" ")
        };
        assert_eq!(kinds("mode: Validate"), "\"Namespace\"");
        let all = "{mode: Validate, volumes: {sharedClaims: Warn}, types: {fromSelinuxProfiles: true}}";
        assert_eq!(kinds(all), "\"Namespace\" \"Pod\" \"SelinuxProfile\"");
        for (restriction, settings, resource) in
            [("selinux", all, "[selinuxprofiles]"), ("node-pods", "", "[nodes]")]
        {
            let rights = manifest(restriction, settings).unwrap();
            assert!(rights.contains("kind: ClusterRoleBinding\n") && rights.contains(resource), "{rights}");
        }
        // Whatever a policy may ask is asked for by the defaults or by one of these settings.
        let reads = rules::find("selinux").unwrap().reads.0.iter();
        assert!(reads.map(|read| read.kind).all(|kind| kinds(all).contains(kind)));
    }

    #[test]
    fn settings_that_are_not_understood_have_no_manifest() {
        let problem = manifest("selinux", "mode: Mute").unwrap_err();
        assert_eq!(problem.message, "mode: \"Mute\" is no value of this setting; did you mean Mutate?");
        assert_eq!(problem.mark.unwrap().line, 1);
    }
}
