//! Reading `metadata.yml`, and the message for each mistake.

use super::GOOD;
use crate::{ExecutionMode, Metadata, Operation, PolicyType};

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

#[test]
fn suggests_the_nearest_key_for_an_unknown_one() {
    assert_eq!(message("mutating: false", "mutatin: false"), "mutatin: unknown key; did you mean mutating?");
    assert_eq!(
        message("mutating: false", "contextAware: true\nmutating: false"),
        "contextAware: unknown key; expected one of annotations, backgroundAudit, contextAwareResources, \
         executionMode, hostCapabilities, minimumKubewardenVersion, mutating, policyType, protocolVersion, rules"
    );
    assert_eq!(
        message("policy.license", "policy.licence"),
        "annotations.io.kubewarden.policy.licence: unknown annotation; \
         did you mean io.kubewarden.policy.license?"
    );
}

#[test]
fn reports_the_place_of_a_syntax_error() {
    assert_eq!(
        Metadata::from_yaml("mutating: false\nmutating: true\n").unwrap_err().to_string(),
        "metadata: duplicate mapping key: mutating not allowed here at line 2, column 1"
    );
    let message = Metadata::from_yaml("rules: [").unwrap_err().to_string();
    assert!(message.starts_with("metadata: ") && message.contains(" at line "), "{message}");
    assert_eq!(
        Metadata::from_yaml("- rules").unwrap_err().to_string(),
        "metadata: expected keys and values, found a list"
    );
    assert_eq!(
        Metadata::from_yaml("").unwrap_err().to_string(),
        "metadata: expected keys and values, found null"
    );
}

#[test]
fn reports_the_path_of_a_wrong_type() {
    assert_eq!(
        message("mutating: false", "mutating: sometimes"),
        "mutating: invalid type: string \"sometimes\", expected a boolean"
    );
    assert_eq!(message("mutating: false\n", ""), "metadata: missing field `mutating`");
    assert_eq!(
        message("[CREATE, UPDATE]", "[CREATE, PATCH]"),
        "rules[0].operations[1]: unknown variant `PATCH`, \
         expected one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, `*`"
    );
    assert_eq!(message("    resources: [services]\n", ""), "rules[0]: missing field `resources`");
    assert_eq!(
        message("\"1.35.0\"", "\"1.35\""),
        "minimumKubewardenVersion: unexpected end of input while parsing minor version number"
    );
    assert_eq!(
        message("policyType: kubernetes", "policyType: cooked"),
        "policyType: unknown variant `cooked`, expected `kubernetes` or `raw`"
    );
    assert_eq!(
        message("policy.version: 0.1.0", "policy.version: 0.1"),
        "annotations.io.kubewarden.policy.version: invalid type: floating point `0.1`, expected a string"
    );
}

#[test]
fn refuses_rules_that_the_api_server_refuses() {
    assert_eq!(message("[v1]", "[]"), "rules[0].apiVersions: is empty; name at least one");
    assert_eq!(
        message("[services]", "[services, \"*\"]"),
        "rules[0].resources: * includes all others; remove it or the others"
    );
    assert_eq!(
        message("[CREATE, UPDATE]", "[CREATE, \"*\"]"),
        "rules[0].operations: * includes all others; remove it or the others"
    );
    assert_eq!(
        message("[services]", "[\"\"]"),
        "rules[0].resources[0]: is empty or starts or ends with a space"
    );
    assert!(Metadata::from_yaml(&GOOD.replacen("[CREATE, UPDATE]", "[\"*\"]", 1)).is_ok());
}

#[test]
fn checks_look_ups_and_host_capabilities() {
    assert_eq!(message("    kind: Service", "    kind: \"\""), "contextAwareResources[1].kind: is empty");
    assert_eq!(
        message("  - kubernetes/get_resource", "  - get_resource"),
        "hostCapabilities[0]: \"get_resource\" is not a host capability; \
         write it as kubernetes/get_resource, oci/v1/* or *"
    );
    for good in ["\"*\"", "oci/*", "oci/v1/*", "net/v1/dns_lookup_host"] {
        let yaml = GOOD.replacen("kubernetes/get_resource", good, 1);
        assert!(Metadata::from_yaml(&yaml).is_ok(), "{good}");
    }
    for bad in ["\"*/*\"", "/", "oci/", "\"oci/*/verify\"", "\"\""] {
        assert!(message("kubernetes/get_resource", bad).contains("is not a host capability"), "{bad}");
    }
}

#[test]
fn refuses_other_execution_modes_and_protocols() {
    assert_eq!(
        message("kubewarden-wapc", "opa"),
        "executionMode: all modules here use waPC; write kubewarden-wapc or remove the key"
    );
    assert_eq!(
        message("mutating", "protocolVersion: v2\nmutating"),
        "protocolVersion: write v1 or remove the key"
    );
}

#[test]
fn requires_the_annotations_of_catalogues() {
    let line = |name: &str| GOOD.lines().find(|line| line.contains(name)).unwrap().trim_start().to_owned();
    let [page, repository] = ["policy.url:", "policy.ociUrl:"]
        .map(|name| line(name).trim_start_matches("io.kubewarden.").to_owned());
    let path = "annotations.io.kubewarden.policy.";
    assert_eq!(
        message("  io.kubewarden.policy.category: Networking\n", ""),
        format!("{path}category: is missing")
    );
    assert_eq!(message("category: Networking", "category: ' '"), format!("{path}category: is empty"));
    assert_eq!(
        message("severity: high", "severity: hihg"),
        format!("{path}severity: \"hihg\" is not a severity; did you mean high?")
    );
    assert_eq!(
        message("severity: high", "severity: catastrophic"),
        format!("{path}severity: \"catastrophic\" is not a severity; use critical, high, medium, low, info")
    );
    for bad in ["External IPs", "External-ips", "-ips", "ips-", "external_ips", "a..b"] {
        let message = message("title: external-ips", &format!("title: {bad}"));
        assert!(
            message.starts_with(&format!("{path}title: \"{bad}\" is not an RFC 1123 name; ")),
            "{message}"
        );
    }
    assert_eq!(
        message("version: 0.1.0", "version: v0.1.0"),
        format!(
            "{path}version: \"v0.1.0\" is not a semantic version such as 1.2.3: \
             unexpected character 'v' while parsing major version number"
        )
    );
    for bad in ["Somebody", "<a@b>", "A <a>", "A <@b>", "A <a@b", "A <a@b>, B", "A <a@b@c>", "A <a @b>"] {
        let message = message("Portcullis developers <portcullis@example.org>", bad);
        assert!(message.starts_with(&format!("{path}author: \"{bad}\" is not an author; ")), "{message}");
    }
    let two = GOOD.replacen("<portcullis@example.org>", "<a@example.org>, B <b@example.org>", 1);
    assert!(Metadata::from_yaml(&two).is_ok());
    for bad in ["example.org", "https://", "ftp://example.org", "https://a b", "https://example.org/a b"] {
        let message = message(&page, &format!("policy.url: {bad}"));
        assert!(message.starts_with(&format!("{path}url: \"{bad}\" is not the URL ")), "{message}");
    }
    for bad in
        ["https://ghcr.io/a", "a", "ghcr.io/", "ghcr.io/A", "ghcr.io/a b", "ghcr.io/a:v1", "ghcr.io//a"]
    {
        let message = message(&repository, &format!("policy.ociUrl: {bad}"));
        assert!(message.starts_with(&format!("{path}ociUrl: \"{bad}\" is not a repository ")), "{message}");
    }
}
