//! The defaults of fields that depend on others.

use serde_json::{Map, Value, json};

use super::{object_in, objects_in, set_absent, text_in};

const ROLLING_UPDATE: &str = "rollingUpdate";

/// Sets the defaults of the object of a type. Returns a field that it may have added, whose own
/// fields the caller completes.
///
/// Source: the functions `SetDefaults_` in `pkg/apis/{core,apps,batch}/v1/defaults.go` of
/// Kubernetes.
pub(super) fn complete(fields: &mut Map<String, Value>, of: &str) -> Option<&'static str> {
    match of {
        "Container" | "EphemeralContainer" => set_pull_policy(fields, "image", "imagePullPolicy"),
        "ImageVolumeSource" => set_pull_policy(fields, "reference", "pullPolicy"),
        "DaemonSet" => {
            if let Some(annotations) =
                object_in(fields, "metadata").and_then(|of| object_in(of, "annotations"))
            {
                set_absent(annotations, super::TEMPLATE_GENERATION, "0");
            }
        }
        "DaemonSetUpdateStrategy" | "DeploymentStrategy" if text_in(fields, "type") == "RollingUpdate" => {
            set_absent(fields, ROLLING_UPDATE, json!({}));
            return Some(ROLLING_UPDATE);
        }
        "StatefulSetUpdateStrategy" if text_in(fields, "type").is_empty() => {
            fields.insert("type".to_owned(), "RollingUpdate".into());
            set_absent(fields, ROLLING_UPDATE, json!({}));
            return Some(ROLLING_UPDATE);
        }
        "Job" => {
            take_labels(fields);
            if let Some(spec) = object_in(fields, "spec") {
                complete_job(spec);
            }
        }
        "ReplicationController" => {
            let labels = take_labels(fields);
            if let (Some(spec), Some(labels)) = (object_in(fields, "spec"), labels) {
                set_absent(spec, "selector", labels);
            }
        }
        "Pod" => complete_pod(fields),
        "PodSpec" => complete_account(fields),
        "ServiceSpec" => complete_service(fields),
        "Volume" if fields.keys().all(|name| name == "name") => {
            fields.insert("emptyDir".to_owned(), json!({}));
        }
        _ => {}
    }
    None
}

/// Images without a tag have the tag `latest`, unless they have a digest.
fn set_pull_policy(fields: &mut Map<String, Value>, image: &str, policy: &str) {
    let reference = text_in(fields, image);
    let (name, is_digested) = reference.split_once('@').map_or((reference, false), |(name, _)| (name, true));
    let tag = name.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    let is_latest = tag.map_or(!is_digested, |tag| tag == "latest");
    let value = if is_latest { "Always" } else { "IfNotPresent" };
    set_absent(fields, policy, value);
}

/// Gives a workload the labels of its template if it has none. Returns the labels of the template.
fn take_labels(fields: &mut Map<String, Value>) -> Option<Value> {
    let labels = fields.get("spec")?.pointer("/template/metadata/labels")?.clone();
    set_absent(object_in(fields, "metadata")?, "labels", labels.clone());
    Some(labels)
}

/// Sets what a Job has, and the template of a `CronJob` lacks.
fn complete_job(spec: &mut Map<String, Value>) {
    if !spec.contains_key("parallelism") {
        set_absent(spec, "completions", 1);
    }
    set_absent(spec, "parallelism", 1);
    let limit = if spec.contains_key("backoffLimitPerIndex") { i32::MAX } else { 6 };
    set_absent(spec, "backoffLimit", limit);
    let policy = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set_absent(spec, "podReplacementPolicy", policy);
    set_absent(spec, "completionMode", "NonIndexed");
    set_absent(spec, "suspend", false);
    set_absent(spec, "manualSelector", false);
}

/// Sets what pods have and templates lack.
fn complete_pod(pod: &mut Map<String, Value>) {
    let Some(spec) = object_in(pod, "spec") else { return };
    if spec.get("terminationGracePeriodSeconds").and_then(Value::as_i64).is_some_and(i64::is_negative) {
        spec.insert("terminationGracePeriodSeconds".to_owned(), 1.into());
    }
    set_absent(spec, "enableServiceLinks", true);
    let is_in_host = spec.get("hostNetwork") == Some(&Value::Bool(true));
    for list in ["containers", "initContainers"] {
        for container in objects_in(spec, list) {
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut)
                && let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned()
                && let Some(requests) = object_in(resources, "requests")
            {
                limits.into_iter().for_each(|(name, limit)| set_absent(requests, &name, limit));
            }
            for port in objects_in(container, "ports").filter(|_| is_in_host) {
                if let Some(number) = port.get("containerPort").cloned() {
                    set_absent(port, "hostPort", number);
                }
            }
        }
    }
}

/// `serviceAccount` is the former name of `serviceAccountName`.
fn complete_account(spec: &mut Map<String, Value>) {
    let name = ["serviceAccountName", "serviceAccount"].iter().find_map(|name| spec.get(*name)).cloned();
    if let Some(name) = name {
        spec.insert("serviceAccount".to_owned(), name.clone());
        spec.insert("serviceAccountName".to_owned(), name);
    }
}

fn complete_service(spec: &mut Map<String, Value>) {
    match text_in(spec, "sessionAffinity") {
        "None" => drop(spec.remove("sessionAffinityConfig")),
        "ClientIP" => {
            if let Some(config) = object_in(spec, "sessionAffinityConfig") {
                set_absent(config, "clientIP", json!({ "timeoutSeconds": 10800 }));
            }
        }
        _ => {}
    }
    for port in objects_in(spec, "ports") {
        let is_zero = port.get("targetPort").is_none_or(|target| *target == 0 || *target == "");
        if let Some(number) = port.get("port").cloned().filter(|_| is_zero) {
            port.insert("targetPort".to_owned(), number);
        }
    }
    let kind = text_in(spec, "type").to_owned();
    let has_addresses = spec.contains_key("externalIPs");
    if matches!(kind.as_str(), "LoadBalancer" | "NodePort") || kind == "ClusterIP" && has_addresses {
        set_absent(spec, "externalTrafficPolicy", "Cluster");
    }
    if kind != "ExternalName" {
        set_absent(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        set_absent(spec, "allocateLoadBalancerNodePorts", true);
    }
}
