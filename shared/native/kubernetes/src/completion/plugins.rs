//! The fields that the default admission plugins of a server set.

use serde_json::{Map, Value, json};

use super::made_up::{PRIORITY, SUFFIX};
use super::{Kind, object_in, objects_in, set_absent, text_in};

/// The directory of the token of a service account in containers.
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_VOLUME: &str = "kube-api-access-";

/// Sets what plugins set in an object.
pub(super) fn admit(object: &mut Map<String, Value>, kind: &Kind) {
    match kind.names() {
        ("", "Pod") => admit_pod(object),
        ("", "PersistentVolume") => protect(object, "kubernetes.io/pv-protection"),
        ("", "PersistentVolumeClaim") => protect(object, "kubernetes.io/pvc-protection"),
        _ => {}
    }
}

fn admit_pod(pod: &mut Map<String, Value>) {
    let is_mirror = is_mirror(pod);
    let Some(spec) = object_in(pod, "spec") else { return };
    if !is_mirror {
        set_absent(spec, "serviceAccount", "default");
        set_absent(spec, "serviceAccountName", "default");
    }
}

/// Sets what plugins add to every pod.
pub(super) fn equip(pod: &mut Map<String, Value>) {
    let is_mirror = is_mirror(pod);
    let Some(spec) = object_in(pod, "spec") else { return };
    if !is_mirror && spec.get("automountServiceAccountToken") != Some(&Value::Bool(false)) {
        mount_token(spec);
    }
    set_priority(spec);
    tolerate(spec);
}

/// Returns whether a pod is a mirror pod, which kubelets make without accounts.
fn is_mirror(pod: &Map<String, Value>) -> bool {
    let metadata = pod.get("metadata");
    metadata.is_some_and(|metadata| metadata.pointer("/annotations/kubernetes.io~1config.mirror").is_some())
}

/// Source: the plugin `ServiceAccount`, `mountServiceAccountToken` in
/// `plugin/pkg/admission/serviceaccount/admission.go` of Kubernetes.
fn mount_token(spec: &mut Map<String, Value>) {
    let known = objects_in(spec, "volumes").find(|volume| text_in(volume, "name").starts_with(TOKEN_VOLUME));
    let known = known.map(|volume| text_in(volume, "name").to_owned());
    let is_known = known.is_some();
    let name = known.unwrap_or_else(|| format!("{TOKEN_VOLUME}{SUFFIX}"));
    let mut is_mounted = false;
    for list in ["initContainers", "containers"] {
        for container in objects_in(spec, list) {
            let has_mount = objects_in(container, "volumeMounts")
                .any(|mount| text_in(mount, "mountPath").trim_end_matches('/') == TOKEN_PATH);
            let mounts = container.entry("volumeMounts").or_insert_with(|| json!([]));
            if let Some(mounts) = mounts.as_array_mut().filter(|_| !has_mount) {
                mounts.push(json!({ "name": name, "readOnly": true, "mountPath": TOKEN_PATH }));
                is_mounted = true;
            }
        }
    }
    if is_known || !is_mounted {
        return;
    }
    let volume = json!({
        "name": name,
        "projected": {
            "defaultMode": 420,
            "sources": [
                { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
                {
                    "downwardAPI": {
                        "items": [{
                            "path": "namespace",
                            "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" },
                        }],
                    },
                },
            ],
        },
    });
    if let Some(volumes) = spec.entry("volumes").or_insert_with(|| json!([])).as_array_mut() {
        volumes.push(volume);
    }
}

/// The plugin Priority.
fn set_priority(spec: &mut Map<String, Value>) {
    let priority = match text_in(spec, "priorityClassName") {
        "" => 0,
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => PRIORITY,
    };
    set_absent(spec, "priority", priority);
    set_absent(spec, "preemptionPolicy", "PreemptLowerPriority");
}

/// The plugin `DefaultTolerationSeconds`.
fn tolerate(spec: &mut Map<String, Value>) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let is_tolerated = objects_in(spec, "tolerations").any(|toleration| {
            ["", key].contains(&text_in(toleration, "key"))
                && ["", "NoExecute"].contains(&text_in(toleration, "effect"))
        });
        let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
        if let Some(tolerations) = tolerations.as_array_mut().filter(|_| !is_tolerated) {
            tolerations.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
            }));
        }
    }
}

/// The plugin `StorageObjectInUseProtection`.
fn protect(object: &mut Map<String, Value>, finalizer: &str) {
    let Some(metadata) = object_in(object, "metadata") else { return };
    let finalizers = metadata.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(finalizers) = finalizers.as_array_mut().filter(|known| !known.contains(&finalizer.into())) {
        finalizers.push(finalizer.into());
    }
}
