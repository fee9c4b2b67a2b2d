//! PodSecurityPolicies, and the manifests that `convert psp` prints for them.

use std::collections::BTreeMap;

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

/// A user who requests the creation of pods.
struct User(&'static str, &'static [&'static str]);

const ANN: User = User("ann", &["system:authenticated"]);

/// The violations for which manifests in mode protect refuse the creation of a pod. Policies that
/// change pods are asked first.
fn violations(manifests: &[Value], pod: &Value, User(user, groups): &User) -> Vec<String> {
    let namespace = &pod["metadata"]["namespace"];
    let mut pod = pod.clone();
    let mut violations = Vec::new();
    let (changing, judging): (Vec<&Value>, Vec<&Value>) =
        manifests.iter().partition(|manifest| manifest["spec"]["mutating"] == true);
    for manifest in changing.into_iter().chain(judging) {
        let spec = &manifest["spec"];
        assert_eq!(spec["mode"], "protect", "{manifest}");
        let user = json!({ "username": user, "groups": groups });
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
        let decision = Webhook::from_spec(spec).unwrap().decide(&request, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => continue,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "object": pod,
            "user": user,
            "want": {},
        }))
        .unwrap();
        let module = spec["module"].as_str().unwrap();
        let policy = if module.contains("/selinux:") { "selinux" } else { "pod-security" };
        let outcome = judge::natively(rules::find(policy).unwrap(), &case).unwrap().outcome;
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
    for (name, policy) in cases.policies() {
        let has_level = !policy["spec"]["seLinux"]["seLinuxOptions"]["level"].is_null();
        let expressible = EXPRESSIBLE.into_iter().chain(has_level.then_some(LEVEL));
        let expressible = RegexSet::new(expressible).unwrap();
        let conversions = conversions(&[policy]);
        let (manifests, listed) = (manifests(&conversions), not_converted(&conversions));
        for group in &recorded[&name] {
            for pod in group["pods"].as_array().unwrap() {
                let (pod, title) = (&pods[pod.as_str().unwrap()], format!("{name}: {pod}"));
                let refusal = violations(&manifests, pod, &ANN);
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
                let of_stored = violations(&manifests, &stored, &ANN);
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
