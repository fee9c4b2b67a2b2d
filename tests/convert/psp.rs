//! Objects of the kind `PodSecurityPolicy`, and the manifests that `convert psp` prints for them.

use std::collections::BTreeMap;

use admission::PolicyEntry;
use convert::{Conversion, Document, NotConverted, pod_security_policies};
use harness::{Case, judge};
use matching::{Decision, Webhook};
use regex::RegexSet;
use serde_json::{Value, json};

use crate::psp_pods::{Cases, stored};

/// The conversions of documents.
fn conversions(documents: &[Value]) -> Vec<Conversion> {
    let named =
        |(index, value): (usize, &Value)| Document { name: format!("d{index}"), value: value.clone() };
    pod_security_policies(&documents.iter().enumerate().map(named).collect::<Vec<_>>()).unwrap()
}

fn manifests(conversions: &[Conversion]) -> Vec<Value> {
    let manifests = conversions.iter().filter_map(|conversion| conversion.manifest.as_ref());
    manifests.map(|manifest| serde_json::to_value(manifest).unwrap()).collect()
}

fn not_converted(conversions: &[Conversion]) -> Vec<&NotConverted> {
    conversions.iter().flat_map(|conversion| &conversion.not_converted).collect()
}

/// A manifest, ready to judge.
struct Judge {
    manifest: Value,
    webhook: Webhook,
    policy: &'static PolicyEntry,
}

/// The manifests of documents, ready to judge. Those that change pods come first.
fn judges(conversions: &[Conversion]) -> Vec<Judge> {
    let judge = |manifest: Value| {
        let spec = &manifest["spec"];
        assert_eq!(spec["mode"], "protect", "{manifest}");
        let module = spec["module"].as_str().unwrap();
        let policy = if module.contains("/selinux:") { "selinux" } else { "pod-security" };
        Judge { webhook: Webhook::from_spec(spec).unwrap(), policy: rules::find(policy).unwrap(), manifest }
    };
    let mut judges: Vec<Judge> = manifests(conversions).into_iter().map(judge).collect();
    judges.sort_by_key(|judge| judge.manifest["spec"]["mutating"] != true);
    judges
}

/// The violations for which manifests refuse the creation of a pod.
fn violations(judges: &[Judge], pod: &Value, user: &str, groups: &[String]) -> Vec<String> {
    let namespace = &pod["metadata"]["namespace"];
    let user = json!({ "username": user, "groups": groups });
    let mut pod = pod.clone();
    let mut violations = Vec::new();
    for Judge { manifest, webhook, policy } in judges {
        let request = json!({
            "uid": "u",
            "operation": "CREATE",
            "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "name": "p",
            "namespace": namespace,
            "userInfo": user,
            "object": pod,
        });
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        let decision = webhook.decide(&request, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => continue,
        }
        let case = json!({
            "name": "converted",
            "settings": manifest["spec"]["settings"],
            "object": pod,
            "user": user,
            "want": {},
        });
        let case: Case = serde_json::from_value(case).unwrap();
        let outcome = judge::natively(policy, &case).unwrap().outcome;
        assert!(outcome.fault.is_none() && outcome.settings_error.is_none(), "{manifest}: {outcome:?}");
        violations.extend(outcome.denied.into_iter().flatten());
        pod = outcome.mutated.unwrap_or(pod);
    }
    violations
}

/// The parts of a policy that a field of a pod is about, by the end of its path.
const PARTS: [(&str, &[&str]); 25] = [
    ("runAsUser", &["spec.runAsUser"]),
    ("runAsNonRoot", &["spec.runAsUser"]),
    ("readOnlyRootFilesystem", &["spec.readOnlyRootFilesystem"]),
    ("allowPrivilegeEscalation", &["spec.allowPrivilegeEscalation", "spec.defaultAllowPrivilegeEscalation"]),
    ("capabilities.add", &["spec.allowedCapabilities"]),
    ("capabilities.drop", &["spec.requiredDropCapabilities"]),
    ("capabilities", &["spec.requiredDropCapabilities"]),
    ("fsGroup", &["spec.fsGroup"]),
    ("supplementalGroups", &["spec.supplementalGroups"]),
    ("seLinuxOptions", &["spec.seLinux"]),
    ("seLinuxOptions.user", &["spec.seLinux"]),
    ("seLinuxOptions.role", &["spec.seLinux"]),
    ("seLinuxOptions.type", &["spec.seLinux"]),
    ("seLinuxOptions.level", &["spec.seLinux"]),
    ("procMount", &["spec.allowedProcMountTypes"]),
    ("runtimeClassName", &["spec.runtimeClass"]),
    ("seccompProfile.type", &[SECCOMP, "metadata"]),
    (".driver", &["spec.allowedFlexVolumes"]),
    (".csi.driver", &["spec.allowedCSIDrivers"]),
    ("hostPath.pathPrefix", &["spec.allowedHostPaths"]),
    ("readOnly", &["spec.allowedHostPaths"]),
    ("hostPort", &["spec.hostPorts"]),
    ("privileged", &["spec.privileged"]),
    // Groups of containers have no path of their own.
    ("securityContext", &["spec.runAsGroup"]),
    ("hostNetwork", &["spec.hostNetwork"]),
];

const SECCOMP: &str = "metadata.annotations[\"seccomp.security.alpha.kubernetes.io";
const APP_ARMOR: &str = "metadata.annotations[\"apparmor.security.beta.kubernetes.io";

/// The parts of a policy that a field of a pod is about.
fn parts(field: &str) -> &'static [&'static str] {
    for (word, parts) in [
        ("apparmor", &[APP_ARMOR][..]),
        ("seccomp.security", &[SECCOMP, "metadata"]),
        ("sysctls", &["spec.forbiddenSysctls"]),
    ] {
        if field.contains(word) {
            return parts;
        }
    }
    if field.ends_with(']') {
        return &["spec.volumes"];
    }
    let known = PARTS.iter().filter(|(end, _)| field.ends_with(end)).max_by_key(|(end, _)| end.len());
    known.unwrap_or_else(|| panic!("{field}")).1
}

/// Whether a part of a policy that a field is about is listed.
fn is_listed(field: &str, listed: &[&NotConverted]) -> bool {
    let is_about = |part: &&str, line: &NotConverted| match line.path.strip_prefix(part) {
        Some(rest) => rest.is_empty() || rest.starts_with('.') || part.contains('['),
        None => false,
    };
    parts(field).iter().any(|part| listed.iter().any(|line| is_about(part, line)))
}

/// The refused values that the standards can refuse, too: the manifests have to.
const EXPRESSIBLE: [&str; 15] = [
    r"\.(privileged|hostNetwork|hostPID|hostIPC|allowPrivilegeEscalation)=true$",
    r"\.hostPort=\d+$",
    r"\.hostPath\.pathPrefix=",
    r"\.volumeMounts\[\d\]\.readOnly=false$",
    r"\.volumes\[\d\]=(hostPath|nfs|flexVolume)$",
    r"\.procMount=Unmasked$",
    r"\.capabilities\.add=(CHOWN|NET_ADMIN|SYS_ADMIN|SYS_TIME)$",
    r"\.runAsNonRoot=false$",
    r"\.runAsUser=0$",
    r"sysctls.*=unsafe ",
    r"sysctls.*=sysctl (kernel\.msgmax|net\.core\.somaxconn)$",
    r"seccomp.*=unconfined$",
    r"apparmor.*=unconfined$",
    r"\.seLinuxOptions\.(user|role)=.",
    r"\.seLinuxOptions\.type=.",
];

/// Another level, where the policy has one.
const LEVEL: &str = r"\.seLinuxOptions\.level=.";

#[test]
fn manifests_judge_as_the_plugin_does_except_where_a_line_says_so() {
    let recorded: BTreeMap<String, Vec<Value>> =
        serde_json::from_str(include_str!("psp-recorded.json")).unwrap();
    let cases = Cases::read();
    let pods: BTreeMap<String, Value> = cases.pods().into_iter().collect();
    let mut differences = Vec::new();
    let mut counts = [0; 5];
    let groups = ["system:authenticated".to_owned()];
    for (name, policy) in cases.policies() {
        let has_level = !policy["spec"]["seLinux"]["seLinuxOptions"]["level"].is_null();
        let expressible = EXPRESSIBLE.into_iter().chain(has_level.then_some(LEVEL));
        let expressible = RegexSet::new(expressible).unwrap();
        let conversions = conversions(&[policy]);
        let (judges, listed) = (judges(&conversions), not_converted(&conversions));
        for group in &recorded[&name] {
            for pod in group["pods"].as_array().unwrap() {
                let (pod, title) = (&pods[pod.as_str().unwrap()], format!("{name}: {pod}"));
                let refusal = violations(&judges, pod, "ann", &groups);
                if let Some(fields) = group["refused"].as_array() {
                    counts[0] += 1;
                    let fields: Vec<&str> = fields.iter().map(|field| field.as_str().unwrap()).collect();
                    if refusal.is_empty() {
                        counts[1] += 1;
                        let explained = |field: &&str| {
                            !expressible.is_match(field)
                                && is_listed(field.split('=').next().unwrap(), &listed)
                        };
                        if !fields.iter().all(explained) {
                            differences.push(format!("{title} is admitted: {group}"));
                        }
                    }
                    continue;
                }
                counts[2] += 1;
                let stored = stored(pod, &group["set"]);
                let of_stored = violations(&judges, &stored, "ann", &groups);
                if !of_stored.is_empty() {
                    differences.push(format!("{title} is refused as it is stored: {of_stored:?}"));
                }
                // As submitted, pods are refused only where a line says what the policy sets.
                counts[3] += usize::from(!group["set"].is_null());
                for violation in refusal {
                    counts[4] += 1;
                    let field = violation.split(": ").next().unwrap();
                    let is_set = group["set"].to_string().contains(field.rsplit('.').next().unwrap());
                    let is_set = is_set
                        || field.contains("seccompProfile") && group["set"].to_string().contains("seccomp");
                    if !is_set || !is_listed(field, &listed) {
                        differences.push(format!("{title} is refused: {violation}"));
                    }
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} of {counts:?}:\n{}", differences.len(), differences.join("\n"));
    // Refused, and admitted by the manifests; admitted, of which the policy changes some, and the
    // violations of these as they are submitted.
    assert_eq!(counts, [1451, 446, 1399, 800, 514]);
}

#[test]
fn manifests_judge_the_pods_of_those_who_may_use_policies() {
    let recorded: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("psp-usage.json")).unwrap();
    let cases = Cases::read();
    let conversions = conversions(&cases.usage_documents());
    let judges = judges(&conversions);
    let mut differences = Vec::new();
    let mut counts = [0; 2];
    for (user, groups, pods) in cases.usage_requests() {
        for (name, pod) in pods {
            let is_admitted = recorded[&user].contains(&name);
            counts[usize::from(is_admitted)] += 1;
            let violations = violations(&judges, &pod, &user, &groups);
            if violations.is_empty() != is_admitted {
                differences.push(format!("{user}: {name}: {violations:?}"));
            }
        }
    }
    // They may use network and process, and neither allows the pod. A line says so.
    let combined = [
        "bob: shop-agent",
        "eve: shop-agent",
        "eve: shop-debugger",
        "eve: shop-default",
        "system:serviceaccount:till:debugger: shop-agent",
    ];
    differences.sort();
    assert_eq!(differences, combined.map(|request| format!("{request}-host-both: []")));
    let listed = not_converted(&conversions);
    let lines = listed.iter().filter(|line| line.problem.contains("what they allow together"));
    assert!(
        lines.clone().all(|line| line.problem.starts_with("where network and process may be used, ")),
        "{listed:#?}"
    );
    assert_eq!(lines.count(), 1);
    assert_eq!(counts, [42, 138]);
}

/// A policy with further fields.
fn policy(name: &str, fields: Value) -> Value {
    let any = json!({ "rule": "RunAsAny" });
    let mut spec = json!({ "seLinux": any, "runAsUser": any, "supplementalGroups": any, "fsGroup": any });
    let Value::Object(fields) = fields else { panic!("{fields}") };
    spec.as_object_mut().unwrap().extend(fields);
    json!({ "apiVersion": "policy/v1beta1", "kind": "PodSecurityPolicy", "metadata": { "name": name }, "spec": spec })
}

fn problem(document: &Value) -> String {
    let document = Document { name: "d".to_owned(), value: document.clone() };
    pod_security_policies(&[document]).unwrap_err().to_string()
}

/// Source: `pkg/apis/policy/validation` of kubernetes 1.20.2.
#[test]
fn rejects_policies_that_the_api_server_rejects() {
    for (fields, message) in [
        (json!({ "runAsUser": null }), "spec.runAsUser: is missing"),
        (
            json!({ "runAsUser": { "rule": "Never" } }),
            "spec.runAsUser.rule: expected RunAsAny, MustRunAs, MustRunAsNonRoot",
        ),
        (
            json!({ "fsGroup": { "rule": "MustRunAs", "ranges": [{ "min": 2, "max": 1 }] } }),
            "spec.fsGroup.ranges[0].min: must not be negative or greater than max",
        ),
        (json!({ "volumes": ["storageOS"] }), "spec.volumes: \"storageOS\" is not a type of volume"),
        (
            json!({ "allowedCapabilities": ["*"], "requiredDropCapabilities": ["ALL"] }),
            "spec.requiredDropCapabilities: must be empty if allowedCapabilities contains *",
        ),
        (
            json!({ "allowedCapabilities": ["A"], "requiredDropCapabilities": ["A"] }),
            "spec.allowedCapabilities: \"A\" is also in requiredDropCapabilities",
        ),
        (
            json!({ "allowedHostPaths": [{ "pathPrefix": "/a/../b" }] }),
            "spec.allowedHostPaths[0].pathPrefix: must not contain '..'",
        ),
        (json!({ "allowedHostPaths": [{}] }), "spec.allowedHostPaths[0].pathPrefix: is missing"),
        (
            json!({ "allowPrivilegeEscalation": false, "defaultAllowPrivilegeEscalation": true }),
            "spec.defaultAllowPrivilegeEscalation: requires allowPrivilegeEscalation: true",
        ),
        (
            json!({ "allowedUnsafeSysctls": ["kernel.*.a"] }),
            "spec.allowedUnsafeSysctls: \"kernel.*.a\" is not a sysctl, nor the beginning of one with a final *",
        ),
        (
            json!({ "runtimeClass": { "allowedRuntimeClassNames": ["a"], "defaultRuntimeClassName": "b" } }),
            "spec.runtimeClass.defaultRuntimeClassName: must be in allowedRuntimeClassNames",
        ),
        (
            json!({ "hostPorts": [{ "min": "a" }] }),
            "spec.hostPorts[0].min: expected an integer, found a string",
        ),
        (json!({ "privileged": "yes" }), "spec.privileged: expected true or false, found a string"),
    ] {
        assert_eq!(problem(&policy("p", fields)), format!("d: {message}"));
    }
    let mut unknown = policy("p", json!({}));
    unknown["metadata"]["annotations"] =
        json!({ "seccomp.security.alpha.kubernetes.io/allowedProfileNames": "default" });
    let key = "metadata.annotations[\"seccomp.security.alpha.kubernetes.io/allowedProfileNames\"]";
    assert_eq!(problem(&unknown), format!("d: {key}: \"default\" is not a profile of seccomp"));
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "r" } });
    let problem_of_role = "d: the input contains no PodSecurityPolicy; expected PodSecurityPolicies, and the roles and bindings that permit their use";
    assert_eq!(problem(&role), problem_of_role);
    assert_eq!(
        problem(&json!({ "spec": {} })),
        "d: kind: is missing; expected PodSecurityPolicies, and the roles and bindings that permit their use"
    );
}

/// The lines about a list of documents, each with its path.
fn lines(documents: &[Value]) -> Vec<String> {
    let conversions = conversions(documents);
    not_converted(&conversions)
        .iter()
        .map(|line| format!("{}: {}: {}", line.policy, line.path, line.problem))
        .collect()
}

#[test]
fn lists_what_no_manifest_can_be_about() {
    let has = |lines: &[String], wanted: &str| {
        assert!(lines.iter().any(|line| line.starts_with(wanted)), "{wanted}: {lines:#?}");
    };
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "s" } });
    let unusable = policy("u", json!({ "runAsUser": { "rule": "MustRunAs" }, "spare": 1 }));
    let found = lines(&[service, unusable.clone()]);
    has(&found, "Service s: kind: expected PodSecurityPolicies");
    has(&found, "PodSecurityPolicy u: spec.spare: unknown field");
    has(&found, "PodSecurityPolicy u: spec.runAsUser.ranges: the API server cannot use a policy without it");
    assert!(manifests(&conversions(&[unusable])).is_empty());
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "b" },
        "roleRef": { "kind": "ClusterRole", "name": "r" },
        "subjects": [{ "kind": "User", "name": "ann" }],
    });
    let documents = [policy("p", json!({})), binding];
    for manifest in manifests(&conversions(&documents)) {
        assert_eq!(manifest["spec"]["mode"], "monitor");
    }
    let found = lines(&documents);
    has(&found, "ClusterRoleBinding b: roleRef.name: the input does not contain the role \"r\"");
}

#[test]
fn policies_that_cannot_be_told_apart_or_would_refuse_more_are_in_mode_monitor() {
    let modes = |documents: &[Value]| -> Vec<String> {
        manifests(&conversions(documents))
            .iter()
            .map(|manifest| manifest["spec"]["mode"].to_string())
            .collect()
    };
    assert_eq!(modes(&[policy("a", json!({}))]), ["\"protect\""]);
    assert_eq!(
        modes(&[policy("a", json!({})), policy("b", json!({ "hostPID": true }))]),
        ["\"monitor\"", "\"monitor\""]
    );
    let wild = json!({ "volumes": ["hostPath"], "allowedHostPaths": [{ "pathPrefix": "/a*" }] });
    assert_eq!(modes(&[policy("a", wild.clone())]), ["\"monitor\""]);
    let line = "PodSecurityPolicy a: spec.allowedHostPaths[0].pathPrefix: contains * or ?, which are wildcards for the module; no path below it is allowed; the manifest refuses more than the policy, so it is in mode monitor";
    assert!(lines(&[policy("a", wild)]).iter().any(|found| found == line));
}

#[test]
fn the_migration_page_shows_what_the_tool_prints() {
    let page = std::fs::read_to_string(tests::root().join("docs/migrate-psp.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
    let [before, after] = blocks.as_slice() else { panic!("{blocks:?}") };
    let (status, stdout, stderr) = super::convert(&tests::root(), &["psp", "-"], before);
    assert_eq!((status, stdout.as_str()), (1, *after));
    for line in stderr.lines() {
        assert!(page.contains(&line.replace("standard input", "policies.yaml")), "{line}");
    }
    // The same bytes again, and the same source for documents of unknown origin.
    let again = super::convert(&tests::root(), &["psp", "-"], before).1;
    assert_eq!(again, *after);
    let value = policy("p", json!({}));
    let document = Document { name: "d".to_owned(), value };
    assert_eq!(convert::Source::of(&document).unwrap().name, "psp");
}
