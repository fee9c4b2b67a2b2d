//! Pods of several megabytes, judged by the module within the time and memory limits of an
//! instance.

use std::sync::Arc;

use cluster_objects::Objects;
use serde_json::{Value, json};
use wapc_host::{AdmissionRequest, AdmissionResponse, Deployment, Host, Module};

use super::policy::TestRequest;

fn pod(annotations: &Value, spec: &Value) -> Value {
    let metadata = json!({ "name": "a", "namespace": "shop", "annotations": annotations });
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec })
}

fn judged(module: &Module, settings: &Value, test: &TestRequest<'_>) -> AdmissionResponse {
    let mut request = json!({
        "uid": "1",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "subResource": test.subresource,
        "operation": test.operation,
        "namespace": "shop",
        "userInfo": { "username": "dev" },
    });
    // The macro would serialize them.
    request["object"] = test.object.cloned().unwrap_or_default();
    request["oldObject"] = test.old.cloned().unwrap_or_default();
    let deployment = Deployment {
        settings: settings.clone(),
        timeout: tests::PATIENCE,
        ..Deployment::new("pod-security")
    };
    let request = AdmissionRequest::from_value(request).unwrap();
    let cluster = Arc::new(Objects::from_values(Vec::new()).unwrap());
    module.deploy(deployment).unwrap().validate(&request, &cluster).response
}

/// Whether a response is a verdict. The response to a trap has no code and another message.
fn is_a_verdict(response: &AdmissionResponse) -> bool {
    response.allowed
        || response.status.as_ref().is_some_and(|status| {
            let message = status.message.as_deref().unwrap_or_default();
            status.code == Some(403) || message.contains(": cannot judge this request: ")
        })
}

#[test]
fn huge_pods_get_a_verdict() {
    let module = Host::new().unwrap().load(&tests::module("pod-security").unwrap()).unwrap();
    let many = |count: usize, make: &dyn Fn(usize) -> Value| -> Value { (0..count).map(make).collect() };
    let keys = |count: usize| -> Value {
        let key = |index| format!("container.apparmor.security.beta.kubernetes.io/{index}");
        (0..count).map(|index| (key(index), json!("x"))).collect::<serde_json::Map<_, _>>().into()
    };
    let none = json!({});
    let pods = [
        pod(
            &none,
            &json!({ "containers": many(100_000, &|index| json!({ "name": format!("c{index}"), "image": format!("i{index}") })) }),
        ),
        pod(&none, &json!({ "containers": many(500_000, &|_| json!({})) })),
        pod(&none, &json!({ "containers": many(1_000_000, &|_| json!({})) })),
        pod(
            &none,
            &json!({ "containers": [{ "name": "a", "ports": many(200_000, &|index| json!({ "hostPort": index % 65_536 })) }] }),
        ),
        pod(
            &none,
            &json!({ "containers": [{ "name": "a", "securityContext": { "capabilities": { "add": many(400_000, &|index| json!(format!("C{index}"))) } } }] }),
        ),
        pod(
            &none,
            &json!({ "volumes": many(150_000, &|index| json!({ "name": format!("v{index}"), "hostPath": { "path": "/" } })) }),
        ),
        pod(
            &none,
            &json!({ "volumes": many(100_000, &|index| json!({ "name": format!("v{index}"), "hostPath": { "path": format!("/var/lib/data/{index}") } })) }),
        ),
        pod(
            &none,
            &json!({ "securityContext": { "sysctls": many(200_000, &|index| json!({ "name": format!("s{index}") })) } }),
        ),
        pod(&none, &json!({ "volumes": [{ "name": "v", "x".repeat(4_000_000): {} }] })),
        pod(
            &none,
            &json!({ "containers": [{ "name": "a", "image": "i".repeat(4_000_000), "securityContext": { "procMount": "p".repeat(1_000_000) } }] }),
        ),
        pod(
            &none,
            &json!({ "containers": [{ "name": "a", "env": many(150_000, &|index| json!({ "name": format!("E{index}"), "value": "x" })) }] }),
        ),
        pod(&keys(70_000), &json!({ "containers": [{ "name": "a" }] })),
    ];
    let values = |count: usize| -> Value {
        many(count, &|index| match index % 10 {
            0..5 => json!(format!("/var/lib/data/{index}")),
            5..9 => json!(format!("/var/lib/prefix/{index}/*")),
            _ => json!(format!("/var/lib/data/?{index}*/x")),
        })
    };
    let pattern = "*a*a*a*a*a*a*a*b";
    let settings = [
        json!({}),
        json!({ "existingViolations": "Tolerate" }),
        json!({ "level": "baseline", "warn": { "level": "restricted" }, "audit": { "level": "restricted", "version": "v1.10" } }),
        json!({ "exclude": [
            { "controlName": "Capabilities", "images": [pattern], "restrictedField": "spec.containers[*].securityContext.capabilities.add", "values": [pattern, "C1*"] },
            { "controlName": "Volume Types", "restrictedField": "spec.volumes[*].hostPath", "values": [pattern] },
        ] }),
        // S4: each volume and each capability against many patterns, few of them real ones.
        json!({ "exclude": [
            { "controlName": "HostPath Volumes", "restrictedField": "spec.volumes[*].hostPath", "values": values(200) },
            { "controlName": "Volume Types", "restrictedField": "spec.volumes[*].hostPath", "values": values(200) },
            { "controlName": "Capabilities", "images": ["*"], "restrictedField": "spec.containers[*].securityContext.capabilities.add", "values": values(50) },
        ] }),
    ];
    let mut sizes = 0;
    for (number, pod) in pods.iter().enumerate() {
        let bytes = pod.to_string().len();
        sizes += bytes;
        // The patterns are about volumes and capabilities. Other pods have the defaults and one of
        // the other settings.
        let has_patterns = (4..=6).contains(&number);
        let is_judged = |index: usize| has_patterns || index == 0 || index == 1 + number % 4;
        for (_, settings) in settings.iter().enumerate().filter(|(index, _)| is_judged(*index)) {
            let created = judged(&module, settings, &TestRequest::create(pod));
            assert!(
                is_a_verdict(&created),
                "pod {number} of {bytes} bytes under {settings}: {:?}",
                created.status
            );
            // The additional container makes the update significant.
            let mut new = pod.clone();
            new["spec"]["initContainers"] = json!([{ "name": "new" }]);
            let updated = judged(&module, settings, &TestRequest::update(pod, &new));
            assert!(is_a_verdict(&updated), "update of pod {number} under {settings}: {:?}", updated.status);
        }
    }
    assert!(sizes > 30_000_000, "{sizes}");
}
