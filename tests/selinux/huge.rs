//! Objects of several megabytes, judged by the module within the time and memory limits of an
//! instance.

use std::sync::Arc;

use cluster_objects::Objects;
use serde_json::{Map, Value, json};
use wapc_host::{AdmissionRequest, AdmissionResponse, Deployment, Host, Module, Resource};

use super::policy::{entry, own_level};

fn module() -> Module {
    Host::new().unwrap().load(&tests::module("selinux").unwrap()).unwrap()
}

fn judged(
    module: &Module,
    settings: &Value,
    object: &Value,
    old: Option<&Value>,
    cluster: &Arc<Objects>,
) -> AdmissionResponse {
    let kind = object["kind"].as_str().unwrap();
    let mut request = json!({
        "uid": "1",
        "kind": { "group": "", "version": "v1", "kind": kind },
        "resource": { "group": "", "version": "v1", "resource": format!("{}s", kind.to_lowercase()) },
        "subResource": if old.is_some() && kind == "Pod" { "ephemeralcontainers" } else { "" },
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "namespace": if kind == "Pod" { json!("shop") } else { json!(null) },
        "userInfo": { "username": "dev" },
    });
    // The macro would serialize them.
    request["object"] = object.clone();
    request["oldObject"] = old.cloned().unwrap_or_default();
    let mut deployment = Deployment {
        settings: settings.clone(),
        allowed_to_mutate: true,
        timeout: tests::PATIENCE,
        ..Deployment::new("selinux")
    };
    for read in entry().reads.0 {
        deployment.host_capabilities.push(read.how.capability().to_owned());
        let (api_version, kind) = (read.api_version.to_owned(), read.kind.to_owned());
        deployment.context_aware_resources.push(Resource { api_version, kind });
    }
    let request = AdmissionRequest::from_value(request).unwrap();
    module.deploy(deployment).unwrap().validate(&request, cluster).response
}

/// Whether a response is a verdict. The response to a trap has no code and another message.
fn is_a_verdict(response: &AdmissionResponse) -> bool {
    response.allowed
        || response.status.as_ref().is_some_and(|status| {
            let message = status.message.as_deref().unwrap_or_default();
            status.code == Some(403) || message.contains(": cannot judge this request: ")
        })
}

fn pod(metadata: &Value, spec: &Value) -> Value {
    let mut metadata = metadata.clone();
    metadata["name"] = json!("a");
    metadata["namespace"] = json!("shop");
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec })
}

fn many(count: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..count).map(make).collect()
}

fn keys(count: usize) -> Value {
    (0..count).map(|index| (format!("example.com/{index:x}"), json!("x"))).collect::<Map<_, _>>().into()
}

/// A pod with options.
fn with_options(options: &Value) -> Value {
    pod(
        &json!({}),
        &json!({ "securityContext": { "seLinuxOptions": options }, "containers": [{ "name": "a" }] }),
    )
}

fn containers(count: usize, options: impl Fn(usize) -> Value) -> Value {
    let container = |index: usize| json!({ "name": format!("c{index:x}"), "securityContext": { "seLinuxOptions": options(index) } });
    pod(&json!({}), &json!({ "containers": many(count, container) }))
}

/// Pods of several megabytes, with a description.
fn pods() -> Vec<(&'static str, Value)> {
    let none = json!({});
    let owner = |index: usize| json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("o{index:x}"), "uid": "1", "controller": index == 59_999 });
    let volumes = many(
        40_000,
        |index| json!({ "name": format!("v{index:x}"), "hostPath": { "path": "/" }, "persistentVolumeClaim": { "claimName": "c" } }),
    );
    let mounts = many(60_000, |index| json!({ "name": format!("v{index:x}"), "mountPath": "/x" }));
    let claims = many(
        50_000,
        |index| json!({ "name": format!("v{index:x}"), "persistentVolumeClaim": { "claimName": format!("c{index:x}"), "readOnly": true } }),
    );
    vec![
        (
            "containers",
            pod(
                &none,
                &json!({ "containers": many(100_000, |index| json!({ "name": format!("c{index}"), "image": "i" })) }),
            ),
        ),
        ("empty containers", pod(&none, &json!({ "containers": many(400_000, |_| json!({})) }))),
        (
            "containers in a host namespace",
            pod(
                &none,
                &json!({ "hostPID": true, "shareProcessNamespace": true, "initContainers": many(100_000, |index| json!({ "name": format!("c{index}") })) }),
            ),
        ),
        ("containers with empty options", containers(65_000, |_| json!({}))),
        ("containers with partial options", containers(65_000, |_| json!({ "type": "container_t" }))),
        ("containers with the level of the pod", containers(65_000, |_| json!({ "level": own_level() }))),
        (
            "containers with different levels",
            containers(65_000, |index| json!({ "level": format!("s0:c{}", index % 1024) })),
        ),
        (
            "containers with different types",
            containers(65_000, |index| json!({ "type": format!("t{index}") })),
        ),
        ("a level of 4 MB", with_options(&json!({ "level": "s".repeat(4_000_000) }))),
        (
            "a level of 4 MB of ranges",
            with_options(&json!({ "level": format!("s0:{}c1", "c0.c1023,".repeat(440_000)) })),
        ),
        (
            "levels of 4 KB of ranges",
            containers(900, |_| json!({ "level": format!("s0:{}c1", "c0.c1023,".repeat(440)) })),
        ),
        ("a type of 4 MB", with_options(&json!({ "type": "t".repeat(4_000_000), "level": own_level() }))),
        ("a level of escape sequences", with_options(&json!({ "level": "\u{1}".repeat(700_000) }))),
        (
            "volumes",
            pod(
                &none,
                &json!({ "volumes": volumes, "containers": [{ "name": "a", "volumeMounts": mounts }] }),
            ),
        ),
        (
            "mounts",
            pod(
                &none,
                &json!({ "volumes": [{ "name": "v1", "hostPath": {} }], "containers": many(30, |_| json!({ "name": "a", "volumeMounts": many(3_000, |index| json!({ "name": format!("v{index:x}") })) })) }),
            ),
        ),
        (
            "claims",
            pod(
                &none,
                &json!({ "volumes": claims, "containers": [{ "name": "a", "volumeMounts": mounts }] }),
            ),
        ),
        (
            "annotations",
            pod(&json!({ "annotations": keys(150_000) }), &json!({ "containers": [{ "name": "a" }] })),
        ),
        (
            "owners",
            pod(
                &json!({ "ownerReferences": many(60_000, owner), "labels": { "pod-template-hash": "x" } }),
                &json!({ "containers": [{ "name": "a" }] }),
            ),
        ),
        (
            "a node selector",
            pod(&none, &json!({ "nodeSelector": keys(150_000), "containers": [{ "name": "a" }] })),
        ),
    ]
}

/// Judges every second pod, so that two tests can run in parallel.
fn every_second_gets_a_verdict(first: usize) {
    let module = module();
    let cluster = Arc::new(Objects::from_values(Vec::new()).unwrap());
    let settings = [
        json!({}),
        json!({
            "allocation": { "scope": "Workload" },
            "intraPod": "Warn",
            "volumes": { "changePolicy": "Recursive", "crioTrySkip": true, "hostPath": "Reject", "readOnlyClaims": "Reject", "sharedClaims": "Reject" },
            "exempt": { "pods": [
                { "namespaces": ["shop"], "images": ["a/*", "i"], "lifts": ["Type"] },
                { "serviceAccounts": ["shop/x"], "lifts": ["Type"] },
            ] },
        }),
        json!({ "mode": "Validate", "levels": { "match": "Format" }, "types": { "allowed": ["t*"] } }),
    ];
    let mut sizes = 0;
    for (number, (what, pod)) in pods().into_iter().enumerate().skip(first).step_by(2) {
        let bytes = pod.to_string().len();
        sizes += bytes;
        // The defaults, and alternately one of the other settings.
        for settings in [&settings[0], &settings[1 + number / 2 % 2]] {
            let created = judged(&module, settings, &pod, None, &cluster);
            assert!(is_a_verdict(&created), "{what}, {bytes} bytes, under {settings}: {:?}", created.status);
        }
        let mut old = pod.clone();
        old["spec"]["containers"] = json!([{ "name": "a" }]);
        let mut new = pod;
        let all = new["spec"]["containers"].take();
        new["spec"]["ephemeralContainers"] = all;
        new["spec"]["containers"] = old["spec"]["containers"].clone();
        let updated = judged(&module, &settings[0], &new, Some(&old), &cluster);
        assert!(is_a_verdict(&updated), "update of {what}: {:?}", updated.status);
    }
    assert!(sizes > 10_000_000, "{sizes}");
}

#[test]
fn large_pods_get_a_verdict() {
    every_second_gets_a_verdict(0);
}

#[test]
fn other_large_pods_get_a_verdict() {
    every_second_gets_a_verdict(1);
}

fn namespace(name: &str, annotations: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "annotations": annotations } })
}

fn described(response: &AdmissionResponse) -> String {
    format!("{:?} {:?}", response.status, response.patch)
}

#[test]
fn a_level_is_allocated_among_twenty_thousand_namespaces() {
    let module = module();
    let key = "portcullis.dev/selinux-level";
    let pair = |index: usize| format!("s0:c{},c{}", index % 512, 512 + index / 512);
    let others = (0..20_000).map(|index| match index % 3 {
        0 => namespace(&format!("n{index}"), &json!({ key: pair(index), "other": "x".repeat(50) })),
        1 => namespace(&format!("n{index}"), &json!({ "openshift.io/sa.scc.mcs": "s0:c27,c14" })),
        _ => namespace(&format!("n{index}"), &Value::Null),
    });
    let cluster = Arc::new(Objects::from_values(others.collect()).unwrap());
    let settings = json!({ "allocation": { "source": "NamespaceAnnotation" } });
    let created = judged(&module, &settings, &namespace("new", &Value::Null), None, &cluster);
    assert!(created.allowed && created.patch.is_some(), "{}", described(&created));
    let guard = json!({ "mode": "Validate", "allocation": { "source": "NamespaceAnnotation" } });
    let guarded = judged(&module, &guard, &namespace("new", &Value::Null), None, &cluster);
    assert!(guarded.allowed && guarded.patch.is_none(), "{}", described(&guarded));
    // A chosen level, and a level that another Namespace has.
    let stolen = namespace("new", &json!({ key: pair(0) }));
    let refused = judged(&module, &settings, &stolen, None, &cluster);
    assert_eq!(refused.status.as_ref().and_then(|status| status.code), Some(403), "{}", described(&refused));
    let old = namespace("new", &Value::Null);
    let refused = judged(&module, &settings, &stolen, Some(&old), &cluster);
    assert_eq!(refused.status.as_ref().and_then(|status| status.code), Some(403), "{}", described(&refused));
}

#[test]
fn a_large_namespace_gets_a_verdict() {
    let module = module();
    let cluster = Arc::new(Objects::from_values(Vec::new()).unwrap());
    let settings = json!({ "allocation": { "source": "NamespaceAnnotation" } });
    let long = json!({ "portcullis.dev/selinux-level": "s".repeat(4_000_000) });
    for annotations in [keys(150_000), long] {
        let object = namespace("new", &annotations);
        let created = judged(&module, &settings, &object, None, &cluster);
        assert!(is_a_verdict(&created), "{:?}", created.status);
        let updated = judged(&module, &settings, &object, Some(&namespace("new", &Value::Null)), &cluster);
        assert!(is_a_verdict(&updated), "{:?}", updated.status);
    }
}

/// Compares many claims of a pod with many pods of its Namespace.
#[test]
fn claims_are_compared_with_thousands_of_pods() {
    let module = module();
    let other = |index: usize| {
        let mut pod = pod(
            &json!({}),
            &json!({
                "containers": [{ "name": "a" }],
                "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": format!("c{index:x}") } }],
            }),
        );
        pod["metadata"]["name"] = json!(format!("p{index}"));
        pod
    };
    let cluster = Arc::new(Objects::from_values((0..5_000).map(other).collect()).unwrap());
    let settings = json!({ "volumes": { "sharedClaims": "Reject" } });
    for count in [1, 100, 3_000] {
        let claims = many(
            count,
            |index| json!({ "name": format!("v{index:x}"), "persistentVolumeClaim": { "claimName": format!("c{index:x}") } }),
        );
        let new = pod(&json!({}), &json!({ "containers": [{ "name": "a" }], "volumes": claims }));
        let judged = judged(&module, &settings, &new, None, &cluster);
        assert!(is_a_verdict(&judged), "{count} claims: {:?}", judged.status);
    }
}
