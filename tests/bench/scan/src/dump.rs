//! A dump of a cluster as `kubectl get -o json` writes it: the same bytes for the same number of
//! objects.

use std::io::{self, Write};

use serde_json::{Value, json};

const NAMESPACES: u64 = 100;

/// Writes a list of objects: 60 % pods, and the rest as in a cluster, with `managedFields`.
pub(crate) fn write(objects: u64, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [")?;
    for number in 0..objects {
        let separator = if number == 0 { "" } else { ",\n" };
        write!(writer, "{separator}        ")?;
        let text = pretty(&object(number))?;
        writer.write_all(text.replace('\n', "\n        ").as_bytes())?;
    }
    writeln!(
        writer,
        "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {{\n        \"resourceVersion\": \"\"\n    }}\n}}"
    )
}

fn pretty(value: &Value) -> io::Result<String> {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    serde::Serialize::serialize(value, &mut serializer)?;
    String::from_utf8(text).map_err(io::Error::other)
}

pub(crate) fn object(number: u64) -> Value {
    if number < NAMESPACES {
        return with(
            number,
            json!({ "apiVersion": "v1", "kind": "Namespace", "spec": { "finalizers": ["kubernetes"] } }),
        );
    }
    with(
        number,
        match number % 20 {
            0..12 => pod(number),
            12 | 13 => json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet",
                "spec": { "replicas": 2, "selector": { "matchLabels": labels(number) }, "template": template(number) },
                "status": { "availableReplicas": 2, "observedGeneration": 1, "readyReplicas": 2, "replicas": 2 },
            }),
            14 => json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "spec": { "replicas": 2, "selector": { "matchLabels": labels(number) }, "template": template(number) },
                "status": { "availableReplicas": 2, "observedGeneration": 1, "readyReplicas": 2, "replicas": 2 },
            }),
            15 | 16 => json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "data": { "config.yaml": "a: b\n".repeat(100), "name": format!("value {number}") },
            }),
            17 => json!({
                "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": { "token": "c2VjcmV0".repeat(20) },
            }),
            18 => service(number),
            _ => json!({
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "endpoints": [{ "addresses": [format!("10.0.{}.{}", number % 250, number % 199)], "conditions": { "ready": true } }],
                "ports": [{ "name": "http", "port": 8080, "protocol": "TCP" }],
            }),
        },
    )
}

fn with(number: u64, mut object: Value) -> Value {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let is_namespace = kind == "namespace";
    let name = if is_namespace { format!("ns-{number}") } else { format!("{kind}-{number}") };
    let mut metadata = json!({
        "name": name,
        "uid": format!("00000000-0000-4000-8000-{number:012}"),
        "resourceVersion": number.to_string(),
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": labels(number),
        "managedFields": [{
            "apiVersion": "v1", "fieldsType": "FieldsV1", "manager": "kubelet", "operation": "Update",
            "fieldsV1": {
                "f:metadata": { "f:annotations": { ".": {}, "f:example.com/a": {} }, "f:labels": { ".": {}, "f:app": {}, "f:tier": {} } },
                "f:spec": { "f:containers": { "k:{\"name\":\"app\"}": { ".": {}, "f:image": {}, "f:name": {}, "f:ports": { ".": {} }, "f:resources": {} } } },
                "f:status": { "f:conditions": { ".": {}, "k:{\"type\":\"Ready\"}": { ".": {}, "f:status": {}, "f:type": {} } }, "f:phase": {} },
            },
        }],
    });
    if !is_namespace {
        set(&mut metadata, "namespace", json!(format!("ns-{}", number % NAMESPACES)));
        set(&mut metadata, "annotations", json!({ "example.com/a": "b".repeat(40) }));
    }
    if kind == "pod" {
        let owners = json!([{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("replicaset-{}", (number / 20).saturating_mul(20) + 12),
            "uid": "00000000-0000-4000-8000-000000000000", "controller": true, "blockOwnerDeletion": true,
        }]);
        set(&mut metadata, "ownerReferences", owners);
    }
    set(&mut object, "metadata", metadata);
    object
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

fn labels(number: u64) -> Value {
    json!({ "app": format!("app-{}", number / 20), "tier": "back" })
}

fn template(number: u64) -> Value {
    json!({ "metadata": { "labels": labels(number) }, "spec": spec(number) })
}

fn pod(number: u64) -> Value {
    let mut spec = spec(number);
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(|one| {
        json!({ "type": one, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:00Z" })
    });
    set(&mut spec, "nodeName", json!(format!("node-{}", number % 50)));
    json!({
        "apiVersion": "v1", "kind": "Pod", "spec": spec,
        "status": {
            "phase": "Running", "hostIP": "192.0.2.1", "podIP": format!("10.1.{}.{}", number % 250, number % 199),
            "conditions": conditions,
            "containerStatuses": [{
                "name": "app", "ready": true, "restartCount": 0, "image": "registry.example/app:1",
                "imageID": format!("sha256:{number:064}"), "containerID": format!("containerd://{number:064}"),
                "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } },
            }],
        },
    })
}

/// A specification of which one in fifty violates a standard.
fn spec(number: u64) -> Value {
    let privileged = number % 1000 < 20;
    json!({
        "containers": [{
            "name": "app", "image": "registry.example/app:1", "imagePullPolicy": "IfNotPresent",
            "ports": [{ "containerPort": 8080, "name": "http", "protocol": "TCP" }],
            "env": [{ "name": "A", "value": "b" }, { "name": "C", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } }],
            "resources": { "limits": { "cpu": "1", "memory": "1Gi" }, "requests": { "cpu": "100m", "memory": "128Mi" } },
            "readinessProbe": { "httpGet": { "path": "/ready", "port": 8080, "scheme": "HTTP" }, "periodSeconds": 10 },
            "securityContext": { "allowPrivilegeEscalation": privileged, "privileged": privileged, "capabilities": { "drop": ["ALL"] } },
            "volumeMounts": [{ "mountPath": "/data", "name": "data" }, { "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token", "readOnly": true }],
        }],
        "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
        "serviceAccountName": "default", "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
        "tolerations": [{ "effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300 }],
        "volumes": [{ "name": "data", "emptyDir": {} }, { "name": "token", "projected": { "defaultMode": 420, "sources": [{ "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } }] } }],
    })
}

fn service(number: u64) -> Value {
    let mut spec = json!({
        "clusterIP": format!("10.2.{}.{}", number % 250, number % 199), "type": "ClusterIP",
        "ports": [{ "name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080 }],
        "selector": labels(number), "sessionAffinity": "None",
    });
    if number.is_multiple_of(40) {
        set(&mut spec, "externalIPs", json!(["192.0.2.10"]));
    }
    json!({ "apiVersion": "v1", "kind": "Service", "spec": spec, "status": { "loadBalancer": {} } })
}
