//! The fields that a server sets before it stores an object.
//!
//! Sources: `Create` in `pkg/registry/generic/registry/store.go` of k8s.io/apiserver, and
//! `PrepareForCreate` in the strategies of `pkg/registry` of Kubernetes.

use serde_json::{Map, Value, json};

use super::made_up::{ADDRESS, NODE_PORT, OF_SERVERS, SUFFIX, TIME, UID};
use super::{Kind, object_in, objects_in, set_absent, text_in, types};
use crate::fields::Type;

/// The kinds of Kubernetes whose objects have a generation.
const WITH_GENERATION: [&str; 13] = [
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "Ingress",
    "Job",
    "NetworkPolicy",
    "Pod",
    "PodDisruptionBudget",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
];

/// Sets what an object needs, unless it has it.
pub(super) fn prepare(object: &mut Map<String, Value>, kind: &Kind) {
    if let Some(metadata) = object_in(object, "metadata") {
        let prefix = text_in(metadata, "generateName").to_owned();
        if text_in(metadata, "name").is_empty() && !prefix.is_empty() {
            metadata.insert("name".to_owned(), format!("{prefix}{SUFFIX}").into());
        }
    }
    match kind.names() {
        ("", "Namespace") => {
            if let Some(spec) = object_in(object, "spec") {
                set_absent(spec, "finalizers", json!(["kubernetes"]));
            }
        }
        ("", "Pod") => copy_profiles(object),
        ("", "Service") => allocate(object),
        _ => {}
    }
}

/// Makes an object a new one.
pub(super) fn identify(object: &mut Map<String, Value>, kind: &Kind) {
    let names @ (_, name) = kind.names();
    set_metadata(object, kind.of.is_none() || WITH_GENERATION.contains(&name));
    // A kubelet creates its Node with a status.
    if let Some(Type::Object(status)) = kind.of.and_then(|of| of.get("status")).filter(|_| name != "Node") {
        let mut fields = Map::new();
        types::complete(&mut fields, status);
        object.insert("status".to_owned(), fields.into());
    }
    match names {
        ("", "Pod") => {
            let class = object_in(object, "spec").map(quality);
            if let (Some(status), Some(class)) = (object_in(object, "status"), class) {
                status.insert("phase".to_owned(), "Pending".into());
                status.insert("qosClass".to_owned(), class.into());
            }
        }
        ("apps", "DaemonSet") => {
            if let Some(annotations) =
                object_in(object, "metadata").and_then(|fields| object_in(fields, "annotations"))
            {
                annotations.insert(super::TEMPLATE_GENERATION.to_owned(), "1".into());
            }
        }
        ("batch", "Job") => select(object),
        _ => {}
    }
}

fn set_metadata(object: &mut Map<String, Value>, has_generation: bool) {
    let Some(metadata) = object_in(object, "metadata") else { return };
    metadata.retain(|name, _| !OF_SERVERS.contains(&name.as_str()));
    metadata.insert("uid".to_owned(), UID.into());
    metadata.insert("creationTimestamp".to_owned(), TIME.into());
    if has_generation {
        metadata.insert("generation".to_owned(), 1.into());
    }
}

/// Sets the `AppArmor` profile of a container that only its annotation has, since Kubernetes 1.30.
///
/// Source: `applyAppArmorVersionSkew` in `pkg/registry/core/pod/strategy.go`.
fn copy_profiles(pod: &mut Map<String, Value>) {
    let annotations = pod.get("metadata").and_then(|metadata| metadata.get("annotations")?.as_object());
    let Some(annotations) = annotations.cloned() else { return };
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if spec.get("os").is_some_and(|os| os["name"] == "windows") {
        return;
    }
    let of_pod = spec.get("securityContext").and_then(|context| context.get("appArmorProfile")).cloned();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in objects_in(spec, list) {
            let key =
                format!("container.apparmor.security.beta.kubernetes.io/{}", text_in(container, "name"));
            let Some(profile) = annotations.get(&key).and_then(Value::as_str).and_then(profile) else {
                continue;
            };
            if of_pod.as_ref() == Some(&profile) {
                continue;
            }
            if let Some(context) = object_in(container, "securityContext") {
                set_absent(context, "appArmorProfile", profile);
            }
        }
    }
}

/// Returns the profile in the value of an annotation.
fn profile(value: &str) -> Option<Value> {
    Some(match value {
        "unconfined" => json!({ "type": "Unconfined" }),
        "runtime/default" => json!({ "type": "RuntimeDefault" }),
        _ => {
            let name = value
                .strip_prefix("localhost/")
                .filter(|name| !name.trim().is_empty() && name.len() <= 4096)?;
            json!({ "type": "Localhost", "localhostProfile": name })
        }
    })
}

/// Returns the class of the quality of service.
///
/// Source: `ComputePodQOS` in `pkg/apis/core/v1/helper/qos/qos.go`.
fn quality(spec: &mut Map<String, Value>) -> &'static str {
    let (mut is_bounded, mut has_resources) = (true, false);
    for list in ["containers", "initContainers"] {
        for container in objects_in(spec, list) {
            let value = |of: &str, name: &str| {
                let value = container.get("resources")?.get(of)?.get(name)?;
                (*value != "0" && *value != 0).then_some(value)
            };
            for name in ["cpu", "memory"] {
                let (limit, request) = (value("limits", name), value("requests", name));
                has_resources |= limit.is_some() || request.is_some();
                is_bounded &= limit.is_some() && limit == request;
            }
        }
    }
    match (has_resources, is_bounded) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Sets the addresses and ports that the server allocates.
fn allocate(service: &mut Map<String, Value>) {
    let Some(spec) = object_in(service, "spec") else { return };
    let kind = text_in(spec, "type").to_owned();
    if kind == "ExternalName" {
        return;
    }
    set_absent(spec, "clusterIP", ADDRESS);
    let address = spec.get("clusterIP").cloned();
    // Nobody knows the families of addresses that others write into the endpoints.
    let is_open =
        address.as_ref().is_some_and(|address| *address == "None") && !spec.contains_key("selector");
    set_absent(spec, "clusterIPs", Value::Array(address.into_iter().collect()));
    set_absent(spec, "ipFamilyPolicy", if is_open { "RequireDualStack" } else { "SingleStack" });
    set_absent(spec, "ipFamilies", if is_open { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) });
    let allocates = kind == "NodePort"
        || kind == "LoadBalancer" && spec.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false));
    for port in objects_in(spec, "ports").filter(|_| allocates) {
        set_absent(port, "nodePort", NODE_PORT);
    }
}

/// Lets a Job select its pods by its UID.
///
/// Source: `generateSelector` in `pkg/registry/batch/job/strategy.go`.
fn select(job: &mut Map<String, Value>) {
    let metadata = job.get("metadata").cloned().unwrap_or_default();
    let Some(spec) = object_in(job, "spec") else { return };
    if spec.get("manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    spec.insert(
        "selector".to_owned(),
        json!({ "matchLabels": { "batch.kubernetes.io/controller-uid": UID } }),
    );
    let template = object_in(spec, "template").and_then(|fields| object_in(fields, "metadata"));
    let Some(labels) = template.and_then(|fields| object_in(fields, "labels")) else { return };
    // A Job without labels shares those of its template.
    let is_shared = metadata["labels"].as_object() == Some(labels);
    for (key, value) in [("controller-uid", UID.into()), ("job-name", metadata["name"].clone())] {
        set_absent(labels, key, value.clone());
        set_absent(labels, &format!("batch.kubernetes.io/{key}"), value);
    }
    let labels = labels.clone();
    if let Some(metadata) = object_in(job, "metadata").filter(|_| is_shared) {
        metadata.insert("labels".to_owned(), labels.into());
    }
}
