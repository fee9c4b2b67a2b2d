//! The manifests for `external-ips`, held against models of their sources.

use std::net::IpAddr;

use harness::{Case, judge};
use matching::{Decision, Webhook};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{convert, converted_from, documents, folder, missing, refused, without_place};

/// Documents, the lines about them, and requests with their verdicts.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Conversion {
    name: String,
    /// The source of the facts.
    source: String,
    input: Vec<Value>,
    /// The beginning of each line about what is not converted: the path and the reason.
    #[serde(default)]
    not_converted: Vec<String>,
    /// The settings of each manifest.
    settings: Vec<Value>,
    #[serde(default)]
    spec: Value,
    #[serde(default)]
    requests: Vec<Asked>,
}

/// A request, and the verdict that the source gives.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Asked {
    verdict: String,
    #[serde(default)]
    old: Option<Vec<String>>,
    new: Vec<String>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    groups: Vec<String>,
    /// The addresses in the status of the stored Service.
    #[serde(default)]
    ingress: Vec<String>,
    /// Whether the Service is being deleted.
    #[serde(default)]
    deleted: bool,
}

/// Converts documents; returns the status and the JSON output.
fn converted(input: &str) -> (i32, Value) {
    converted_from("external-ips", &[], input)
}

#[test]
fn policies_of_kyverno_are_converted_with_its_configuration() {
    let policy = json!({
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": { "name": "p" },
        "spec": {
            "background": false,
            "rules": [{
                "name": "r",
                "match": { "any": [{ "resources": { "kinds": ["Service"] } }] },
                "validate": { "failureAction": "Enforce", "pattern": { "spec": { "X(externalIPs)": "null" } } },
            }],
        },
    });
    let folder = folder("external-ips-kyverno");
    let configuration = folder.join("configuration.yaml").display().to_string();
    let text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kyverno}, data: {resourceFilters: '[*/*,quiet,*]'}}\n";
    std::fs::write(&configuration, text).unwrap();
    let options = ["--kyverno-config", &*configuration];
    let of = |source| converted_from(source, &options, &policy.to_string()).1["items"].clone();
    let manifests = of("external-ips");
    assert_eq!(manifests, of("kyverno"));
    assert_eq!(manifests[0]["spec"]["namespaceSelector"]["matchExpressions"][0]["values"], json!(["quiet"]));
}

/// Whether one of the manifests refuses a request.
fn is_refused(manifests: &[Value], request: &Asked) -> bool {
    let service = |addresses: &[String], ingress: &[String]| {
        let ingress: Vec<Value> = ingress.iter().map(|ip| json!({ "ip": ip })).collect();
        let mut service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "type": "LoadBalancer", "ports": [{ "port": 80 }] },
            "status": { "loadBalancer": { "ingress": ingress } },
        });
        if !addresses.is_empty() {
            service["spec"]["externalIPs"] = json!(addresses);
        }
        if request.deleted {
            service["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        service
    };
    let (new, old) = (
        service(&request.new, &request.ingress),
        request.old.as_ref().map(|old| service(old, &request.ingress)),
    );
    let user = json!({ "username": request.user.as_deref().unwrap_or("ann"), "groups": request.groups });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop", "labels": { "kubernetes.io/metadata.name": "shop" } } });
    let sent = json!({
        "uid": "u",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "resource": { "group": "", "version": "v1", "resource": "services" },
        "name": "web",
        "namespace": "shop",
        "userInfo": user,
        "object": new,
        "oldObject": old,
    });
    // The permission that overrides OpenShift's plugin, for the whole cluster.
    let objects = json!([
        namespace,
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": { "name": "external-ips" },
            "rules": [{ "apiGroups": ["network.openshift.io"], "resources": ["service/externalips"], "verbs": ["create"] }],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": { "name": "external-ips" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "external-ips" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "address-admins" }],
        },
    ]);
    manifests.iter().any(|manifest| {
        let spec = &manifest["spec"];
        let decision = Webhook::from_spec(spec).unwrap().decide(&sent, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => return false,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "user": user,
            "object": new,
            "oldObject": old,
            "cluster": { "objects": objects },
            "want": {},
        }))
        .unwrap();
        let outcome = judge::natively(rules::find("external-ips").unwrap(), &case).unwrap().outcome;
        assert!(outcome.fault.is_none() && outcome.settings_error.is_none(), "{outcome:?}");
        outcome.denied.is_some()
    })
}

#[test]
fn converts_the_cases() {
    let cases: Vec<Conversion> = serde_saphyr::from_str(include_str!("external-ips-cases.yaml")).unwrap();
    let mut requests = 0;
    for case in &cases {
        assert!(!case.source.is_empty());
        let input = json!({ "apiVersion": "v1", "kind": "List", "items": case.input }).to_string();
        let (status, list) = converted(&input);
        let is_of_kyverno = |item: &Value| item["apiVersion"].as_str().unwrap().contains("kyverno.io");
        if case.input.iter().all(is_of_kyverno) {
            let (other, stdout, stderr) = convert(&tests::root(), &["kyverno", "-", "-o", "json"], &input);
            assert_eq!(
                (status, list.to_string()),
                (other, stdout.parse::<Value>().unwrap().to_string()),
                "{stderr}"
            );
        }
        let lines = missing(&list);
        assert_eq!(lines.len(), case.not_converted.len(), "{}: {lines:#?}", case.name);
        for (line, expected) in lines.iter().zip(&case.not_converted) {
            assert!(line.starts_with(&format!("items[{expected}")), "{}: {line}", case.name);
        }
        let manifests = list["items"].as_array().unwrap();
        let settings: Vec<&Value> = manifests.iter().map(|manifest| &manifest["spec"]["settings"]).collect();
        assert_eq!(settings, case.settings.iter().collect::<Vec<_>>(), "{}", case.name);
        for (key, value) in case.spec.as_object().into_iter().flatten() {
            assert_eq!(manifests[0]["spec"][key], *value, "{}: {key}", case.name);
        }
        for request in &case.requests {
            let verdict = if is_refused(manifests, request) { "Denied" } else { "Admitted" };
            assert_eq!(verdict, request.verdict, "{}: {:?}", case.name, request.new);
            requests += 1;
        }
    }
    assert_eq!((cases.len(), requests), (22, 47));
}

/// A model of OpenShift's plugin: what its source says, without the exceptions of the policy's own
/// (notations, and Services that are being deleted).
fn ranger_refuses(admitted: &[String], rejected: &[String], auto_assign: bool, request: &Asked) -> bool {
    let contains = |blocks: &[String], address: IpAddr| {
        blocks.iter().any(|block| block.parse::<ipnet::IpNet>().unwrap().contains(&address))
    };
    let own = match (&request.old, request.ingress.first()) {
        (Some(_), Some(first)) if auto_assign => Some(first.as_str()),
        _ => None,
    };
    let violates = if request.new.is_empty() {
        false
    } else if admitted.is_empty() && rejected.is_empty() {
        !(request.new.len() == 1 && own == Some(&request.new[0]))
    } else {
        request.new.iter().any(|text| {
            let address = text.parse().unwrap();
            own != Some(text)
                && (contains(rejected, address) || (!admitted.is_empty() && !contains(admitted, address)))
        })
    };
    violates && !request.groups.iter().any(|group| group == "address-admins")
}

fn addresses(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let address = prop_oneof![
        (0..16_u8).prop_map(|last| format!("192.0.2.{last}")),
        (0..4_u8).prop_map(|last| format!("2001:db8::{last:x}"))
    ];
    prop::collection::vec(address, range)
}

fn blocks() -> impl Strategy<Value = Vec<String>> {
    let block = prop_oneof![
        (0..16_u8, 28..=32_u8).prop_map(|(last, prefix)| format!("192.0.2.{last}/{prefix}")),
        (0..4_u8, 126..=128_u8).prop_map(|(last, prefix)| format!("2001:db8::{last:x}/{prefix}")),
    ];
    prop::collection::vec(block, 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn manifests_judge_as_openshifts_plugin_does(
        admitted in blocks(),
        rejected in blocks(),
        auto_assign: bool,
        requests in prop::collection::vec((addresses(0..3), prop::option::of(addresses(0..3)), addresses(0..2), prop::bool::weighted(0.2)), 12),
    ) {
        let mut external = json!({ "policy": { "allowedCIDRs": admitted, "rejectedCIDRs": rejected } });
        if auto_assign {
            external["autoAssignCIDRs"] = json!(["192.0.2.0/28"]);
        }
        let network = json!({
            "apiVersion": "config.openshift.io/v1",
            "kind": "Network",
            "metadata": { "name": "cluster" },
            "spec": { "externalIP": external },
        });
        let (_, list) = converted(&network.to_string());
        let manifests = list["items"].as_array().unwrap();
        for (new, old, ingress, overrides) in requests {
            let groups = if overrides { vec!["address-admins".to_owned()] } else { Vec::new() };
            let request = Asked { verdict: String::new(), old, new, user: None, groups, ingress, deleted: false };
            let wanted = ranger_refuses(&admitted, &rejected, auto_assign, &request);
            // The policy compares the addresses of the status one by one.
            let own_twice = request.new.len() > 1 && request.new.iter().all(|new| request.ingress.contains(new));
            if !(auto_assign && own_twice) {
                prop_assert_eq!(is_refused(manifests, &request), wanted, "{:?} {:?} {:?}", request.old, request.new, request.ingress);
            }
        }
    }
}

#[test]
fn conditions_are_those_of_the_deployment() {
    let network = "{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}, spec: {}}";
    let (_, list) = converted(network);
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: k}, spec: {containers: [{command: [kube-apiserver, --enable-admission-plugins=DenyServiceExternalIPs]}]}}";
    let (status, in_tree) = converted(pod);
    assert_eq!(status, 0, "{in_tree}");
    let deployed = std::fs::read_to_string(tests::root().join("deploy/external-ips.yaml")).unwrap();
    let deployed = documents(&deployed)[0]["spec"]["matchConditions"].clone();
    let words = |value: &Value| -> Vec<String> {
        let text = |condition: &Value| {
            condition["expression"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        value.as_array().unwrap().iter().map(text).collect()
    };
    assert_eq!(words(&in_tree["items"][0]["spec"]["matchConditions"]), words(&deployed));
    // Stored values are judged on every update.
    assert_eq!(words(&list["items"][0]["spec"]["matchConditions"]), words(&deployed)[..1]);
}

#[test]
fn refuses_what_the_sources_would_refuse() {
    let network = |external: &str| {
        format!(
            "---\n{{apiVersion: config.openshift.io/v1, kind: Network, metadata: {{name: cluster}}, spec: {{externalIP: {external}}}}}"
        )
    };
    let pod = |words: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{image: externalip-webhook, args: [{words}]}}]}}}}"
        )
    };
    for (input, message) in [
        (
            network("{policy: {allowedCIDRs: [192.0.2.7]}}"),
            "spec.externalIP.policy.allowedCIDRs[0]: \"192.0.2.7\" is not a CIDR block such as 192.0.2.0/24 or 2001:db8::/64; the operator keeps the previous configuration until you correct it",
        ),
        (network("{policy: []}"), "spec.externalIP.policy: expected an object, found a list"),
        (network("{autoAssignCIDRs: {}}"), "spec.externalIP.autoAssignCIDRs: expected a list, found an object"),
        (
            pod("--allowed-external-ip-cidrs=10"),
            "spec.containers[0].args: \"10\" is not a CIDR block such as 192.0.2.0/24 or 2001:db8::/64; the webhook does not start with it",
        ),
        (
            pod("--enable-admission-plugins=DenyServiceExternalIPs, --disable-admission-plugins=DenyServiceExternalIPs").replace("externalip-webhook", "kube-apiserver"),
            "spec.containers[0].args: DenyServiceExternalIPs is enabled and disabled, so the API server does not start",
        ),
        (
            "---\n{apiVersion: network.openshift.io/v1, kind: ExternalIPRangerAdmissionConfig, cidrs: []}".to_owned(),
            "cidrs: unknown field",
        ),
    ] {
        let message = format!("standard input: {message}");
        assert_eq!(without_place(&refused(&["external-ips", "-"], &input)), message);
    }
}

#[test]
fn the_migration_page_shows_what_the_tool_prints() {
    let page = std::fs::read_to_string(tests::root().join("docs/migrate-external-ips.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
    let [before, after] = blocks.as_slice() else { panic!("{blocks:?}") };
    let folder = super::folder("external-ips-page");
    std::fs::write(folder.join("network.yaml"), before).unwrap();
    let (status, stdout, stderr) = convert(&folder, &["external-ips", "network.yaml"], "");
    assert_eq!(stdout, *after);
    let console = format!(
        "$ portcullis convert external-ips network.yaml > manifests.yaml\n{stderr}$ echo $?\n{status}\n"
    );
    assert!(page.contains(&console), "{console}");
}
