//! Reading `metadata.yml`, and the message for each mistake.

use super::GOOD;
use crate::packaging::{ExecutionMode, Metadata, PolicyType};
use crate::rule::Operation;

/// The message for metadata in which one text is replaced.
fn message(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    Metadata::from_yaml(&GOOD.replacen(old, new, 1)).unwrap_err().to_string()
}

#[test]
fn reads_the_metadata_of_a_policy() {
    let metadata = Metadata::from_yaml(GOOD).unwrap();
    assert_eq!(metadata.rules.len(), 1);
    assert_eq!(metadata.rules[0].api_groups, [""]);
    assert_eq!(metadata.rules[0].operations, [Operation::Create, Operation::Update]);
    assert!(!metadata.mutating && metadata.background_audit);
    assert_eq!(metadata.execution_mode, ExecutionMode::KubewardenWapc);
    assert_eq!(metadata.policy_type, PolicyType::Kubernetes);
    assert_eq!(metadata.context_aware_resources[1].kind, "Service");
    assert_eq!(
        metadata.host_capabilities,
        ["kubernetes/get_resource", "kubernetes/list_resources_all", "kubernetes/can_i"]
    );
    assert_eq!(metadata.minimum_kubewarden_version.unwrap().to_string(), "1.35.0");
    assert_eq!(metadata.annotations["io.kubewarden.policy.title"], "external-ips");
}

#[test]
fn absent_keys_have_the_hosts_defaults() {
    let mut yaml = GOOD.to_owned();
    for line in ["backgroundAudit: true\n", "executionMode: kubewarden-wapc\n", "policyType: kubernetes\n"] {
        assert!(yaml.contains(line), "{line}");
        yaml = yaml.replace(line, "");
    }
    assert_eq!(Metadata::from_yaml(&yaml).unwrap(), Metadata::from_yaml(GOOD).unwrap());
}

#[test]
fn ignores_unknown_keys_below_the_top_level() {
    let yaml = GOOD.replacen("    kind: Namespace", "    kind: Namespace\n    note: looked up", 1);
    assert_eq!(Metadata::from_yaml(&yaml).unwrap(), Metadata::from_yaml(GOOD).unwrap());
}

/// Texts, others in their place, and the message. A message that ends with a space has a rest.
#[test]
fn every_mistake_has_its_place_and_a_reason() {
    let mistakes: Vec<[String; 3]> = serde_json::from_str(include_str!("mistakes.json")).unwrap();
    for [old, new, want] in mistakes {
        let found = message(&old, &new);
        assert!(found == want || want.ends_with(' ') && found.starts_with(&want), "{new}: {found}");
    }
    for bad in ["\"*/*\"", "/", "oci/", "\"oci/*/verify\"", "\"\""] {
        assert!(message("kubernetes/get_resource", bad).contains("is not a host capability"), "{bad}");
    }
}

#[test]
fn further_forms_are_accepted() {
    for (old, new) in [
        ("[CREATE, UPDATE]", "[\"*\"]"),
        ("kubernetes/get_resource", "\"*\""),
        ("kubernetes/get_resource", "oci/*"),
        ("kubernetes/get_resource", "oci/v1/*"),
        ("kubernetes/get_resource", "net/v1/dns_lookup_host"),
        ("<portcullis@example.org>", "<a@example.org>, B <b@example.org>"),
    ] {
        assert!(Metadata::from_yaml(&GOOD.replacen(old, new, 1)).is_ok(), "{new}");
    }
}

#[test]
fn reports_the_place_of_a_syntax_error() {
    for (yaml, want) in [
        ("mutating: false\nmutating: true\n", "metadata: line 2, column 1: duplicate key `mutating`"),
        ("rules: [", "metadata: line 1, column 8: invalid YAML: unclosed bracket '['"),
        ("mutating: true\n---\na: b\n", "metadata: expected one document"),
        ("- rules", "metadata: expected keys and values, found a list"),
        ("", "metadata: expected keys and values, found null"),
    ] {
        assert_eq!(Metadata::from_yaml(yaml).unwrap_err().to_string(), want);
    }
}
