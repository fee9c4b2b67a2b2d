//! `metadata.yml`: what is understood, and what each mistake is told.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use packaging::{ExecutionMode, Metadata, Operation, PolicyType};

const GOOD: &str = include_str!("../../../../policies/external-ips/metadata.yml");

/// The message about metadata in which one text is replaced.
fn told(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    Metadata::from_yaml(&GOOD.replacen(old, new, 1)).unwrap_err().to_string()
}

#[test]
fn metadata_of_a_policy_is_understood() {
    let metadata = Metadata::from_yaml(GOOD).unwrap();
    assert_eq!(metadata.rules.len(), 1);
    assert_eq!(metadata.rules[0].api_groups, [""]);
    assert_eq!(metadata.rules[0].operations, [Operation::Create, Operation::Update]);
    assert!(!metadata.mutating && metadata.background_audit);
    assert_eq!(metadata.execution_mode, ExecutionMode::KubewardenWapc);
    assert_eq!(metadata.policy_type, PolicyType::Kubernetes);
    assert_eq!(metadata.context_aware_resources[1].kind, "Service");
    assert_eq!(metadata.host_capabilities, ["kubernetes/get_resource", "kubernetes/list_resources_all"]);
    assert_eq!(metadata.minimum_kubewarden_version.unwrap().to_string(), "1.35.0");
    assert_eq!(metadata.annotations["io.kubewarden.policy.title"], "external-ips");
}

#[test]
fn absent_keys_have_the_defaults_of_the_host() {
    let mut yaml = GOOD.to_owned();
    for line in ["backgroundAudit: true\n", "executionMode: kubewarden-wapc\n", "policyType: kubernetes\n"] {
        assert!(yaml.contains(line), "{line}");
        yaml = yaml.replace(line, "");
    }
    assert_eq!(Metadata::from_yaml(&yaml).unwrap(), Metadata::from_yaml(GOOD).unwrap());
}

#[test]
fn what_the_host_ignores_inside_of_a_key_is_ignored() {
    let yaml = GOOD.replacen("    kind: Namespace", "    kind: Namespace\n    note: looked up", 1);
    assert_eq!(Metadata::from_yaml(&yaml).unwrap(), Metadata::from_yaml(GOOD).unwrap());
}

#[test]
fn unknown_keys_are_told_with_the_nearest_known_one() {
    assert_eq!(told("mutating: false", "mutatin: false"), "mutatin: unknown key; did you mean mutating?");
    assert_eq!(
        told("mutating: false", "contextAware: true\nmutating: false"),
        "contextAware: unknown key; known are annotations, backgroundAudit, contextAwareResources, \
         executionMode, hostCapabilities, minimumKubewardenVersion, mutating, policyType, protocolVersion, rules"
    );
    assert_eq!(
        told("policy.license", "policy.licence"),
        "annotations.io.kubewarden.policy.licence: unknown annotation; \
         did you mean io.kubewarden.policy.license?"
    );
}

#[test]
fn text_that_is_no_yaml_is_told_with_its_place() {
    assert_eq!(
        Metadata::from_yaml("mutating: false\nmutating: true\n").unwrap_err().to_string(),
        "metadata: duplicate mapping key: mutating not allowed here at line 2, column 1"
    );
    let told = Metadata::from_yaml("rules: [").unwrap_err().to_string();
    assert!(told.starts_with("metadata: ") && told.contains(" at line "), "{told}");
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
fn values_of_a_wrong_type_are_told_with_their_path() {
    assert_eq!(
        told("mutating: false", "mutating: sometimes"),
        "mutating: invalid type: string \"sometimes\", expected a boolean"
    );
    assert_eq!(told("mutating: false\n", ""), "metadata: missing field `mutating`");
    assert_eq!(
        told("[CREATE, UPDATE]", "[CREATE, PATCH]"),
        "rules[0].operations[1]: unknown variant `PATCH`, \
         expected one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, `*`"
    );
    assert_eq!(told("    resources: [services]\n", ""), "rules[0]: missing field `resources`");
    assert_eq!(
        told("\"1.35.0\"", "\"1.35\""),
        "minimumKubewardenVersion: unexpected end of input while parsing minor version number"
    );
    assert_eq!(
        told("policyType: kubernetes", "policyType: cooked"),
        "policyType: unknown variant `cooked`, expected `kubernetes` or `raw`"
    );
    assert_eq!(
        told("policy.version: 0.1.0", "policy.version: 0.1"),
        "annotations.io.kubewarden.policy.version: invalid type: floating point `0.1`, expected a string"
    );
}

#[test]
fn rules_that_the_api_server_refuses_are_refused() {
    assert_eq!(told("[v1]", "[]"), "rules[0].apiVersions: is empty; name at least one");
    assert_eq!(
        told("[services]", "[services, \"*\"]"),
        "rules[0].resources: * stands for all and may only stand alone; remove it or the others"
    );
    assert_eq!(
        told("[CREATE, UPDATE]", "[CREATE, \"*\"]"),
        "rules[0].operations: * stands for all and may only stand alone; remove it or the others"
    );
    assert_eq!(told("[services]", "[\"\"]"), "rules[0].resources[0]: is empty or has blanks around it");
    assert!(Metadata::from_yaml(&GOOD.replacen("[CREATE, UPDATE]", "[\"*\"]", 1)).is_ok());
}

#[test]
fn what_a_policy_asks_for_has_a_form() {
    assert_eq!(told("    kind: Service", "    kind: \"\""), "contextAwareResources[1].kind: is empty");
    assert_eq!(
        told("  - kubernetes/get_resource", "  - get_resource"),
        "hostCapabilities[0]: \"get_resource\" is no host capability; \
         write it as kubernetes/get_resource, oci/v1/* or *"
    );
    for good in ["\"*\"", "oci/*", "oci/v1/*", "net/v1/dns_lookup_host"] {
        let yaml = GOOD.replacen("kubernetes/get_resource", good, 1);
        assert!(Metadata::from_yaml(&yaml).is_ok(), "{good}");
    }
    for bad in ["\"*/*\"", "/", "oci/", "\"oci/*/verify\"", "\"\""] {
        assert!(told("kubernetes/get_resource", bad).contains("is no host capability"), "{bad}");
    }
}

#[test]
fn modules_that_are_not_wapc_and_other_protocols_are_refused() {
    assert_eq!(
        told("kubewarden-wapc", "opa"),
        "executionMode: the modules here speak waPC; write kubewarden-wapc or leave the key out"
    );
    assert_eq!(
        told("mutating", "protocolVersion: v2\nmutating"),
        "protocolVersion: write v1 or leave the key out"
    );
}

#[test]
fn annotations_are_what_catalogues_need() {
    let path = "annotations.io.kubewarden.policy.";
    assert_eq!(
        told("  io.kubewarden.policy.category: Networking\n", ""),
        format!("{path}category: is missing")
    );
    assert_eq!(told("category: Networking", "category: ' '"), format!("{path}category: is empty"));
    assert_eq!(
        told("severity: high", "severity: hihg"),
        format!("{path}severity: \"hihg\" is no severity; did you mean high?")
    );
    assert_eq!(
        told("severity: high", "severity: catastrophic"),
        format!("{path}severity: \"catastrophic\" is no severity; write critical, high, medium, low, info")
    );
    for bad in ["External IPs", "External-ips", "-ips", "ips-", "external_ips", "a..b"] {
        let told = told("title: external-ips", &format!("title: {bad}"));
        assert!(told.starts_with(&format!("{path}title: \"{bad}\" is no RFC 1123 name; ")), "{told}");
    }
    assert_eq!(
        told("version: 0.1.0", "version: v0.1.0"),
        format!(
            "{path}version: \"v0.1.0\" is no semantic version such as 1.2.3: \
             unexpected character 'v' while parsing major version number"
        )
    );
    for bad in ["Somebody", "<a@b>", "A <a>", "A <@b>", "A <a@b", "A <a@b>, B", "A <a@b@c>", "A <a @b>"] {
        let told = told("Portcullis developers <portcullis@example.org>", bad);
        assert!(told.starts_with(&format!("{path}author: \"{bad}\" is no author; ")), "{told}");
    }
    let two = GOOD.replacen("<portcullis@example.org>", "<a@example.org>, B <b@example.org>", 1);
    assert!(Metadata::from_yaml(&two).is_ok());
    assert!(told("policy.url: https://", "policy.url: ").starts_with(&format!("{path}url: ")));
    assert!(told("ghcr.io/", "https://ghcr.io/").starts_with(&format!("{path}ociUrl: ")));
}
