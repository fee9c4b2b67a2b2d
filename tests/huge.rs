//! Requests of several megabytes, evaluated by the modules in the embedded host: each gets a
//! verdict within the time and the memory of an instance.

use std::sync::Arc;

use admission::{PolicyEntry, Read};
use kubernetes::objects::Objects;
use rules::selinux::pool::Pool;
use serde_json::{Map, Value, json};
use tests::services::{many_ips, service};
use wapc_host::{AdmissionRequest, AdmissionResponse, Deployment, Module, Resource};

/// The module of a policy, in a cluster.
struct Subject {
    entry: &'static PolicyEntry,
    module: Module,
    cluster: Arc<Objects>,
    user: Value,
}

impl Subject {
    fn new(id: &str, cluster: Vec<Value>) -> Self {
        let node = json!({ "username": "system:node:worker-1", "groups": ["system:nodes"] });
        Self {
            entry: rules::find(id).unwrap(),
            module: tests::compiled(id).unwrap(),
            cluster: Arc::new(Objects::from_values(cluster).unwrap()),
            user: if id.starts_with("node-") { node } else { json!({ "username": "dev" }) },
        }
    }

    fn created(&self, settings: &Value, object: &Value) -> AdmissionResponse {
        self.evaluated(settings, &self.creation(object.clone()))
    }

    fn updated(&self, settings: &Value, subresource: &str, old: &Value, new: &Value) -> AdmissionResponse {
        self.evaluated(settings, &self.update(subresource, old.clone(), new.clone()))
    }

    fn creation(&self, object: Value) -> AdmissionRequest {
        self.request("CREATE", "", object, Value::Null)
    }

    fn update(&self, subresource: &str, old: Value, new: Value) -> AdmissionRequest {
        self.request("UPDATE", subresource, new, old)
    }

    fn request(&self, operation: &str, subresource: &str, object: Value, old: Value) -> AdmissionRequest {
        let kind = object["kind"].as_str().unwrap();
        let mut request = json!({
            "uid": "1",
            "kind": { "group": "", "version": "v1", "kind": kind },
            "resource": { "group": "", "version": "v1", "resource": format!("{}s", kind.to_lowercase()) },
            "subResource": subresource,
            "operation": operation,
            "name": object["metadata"]["name"],
            "namespace": object["metadata"].get("namespace"),
            "userInfo": self.user,
        });
        // The macro would serialize them.
        request["object"] = object;
        request["oldObject"] = old;
        AdmissionRequest::from_value(request).unwrap()
    }

    fn evaluated(&self, settings: &Value, request: &AdmissionRequest) -> AdmissionResponse {
        let reads = self.entry.reads.0;
        let objects = reads.iter().filter(|read| read.how.reads_objects());
        let deployment = Deployment {
            settings: settings.clone(),
            allowed_to_mutate: self.entry.mutates,
            host_capabilities: reads.iter().map(|read| read.how.capability().to_owned()).collect(),
            context_aware_resources: objects.map(resource).collect(),
            timeout: tests::PATIENCE,
            ..Deployment::new(self.entry.id)
        };
        self.module.deploy(deployment).unwrap().validate(request, &self.cluster).response
    }
}

fn resource(read: &Read) -> Resource {
    Resource { api_version: read.api_version.to_owned(), kind: read.kind.to_owned() }
}

/// Fails unless a response is a verdict. That to a trap has no code and another message.
fn assert_verdict(what: &str, settings: &Value, response: &AdmissionResponse) {
    let is_verdict = response.allowed
        || response.status.as_ref().is_some_and(|status| {
            let message = status.message.as_deref().unwrap_or_default();
            status.code == Some(403) || message.contains(": cannot evaluate this request: ")
        });
    assert!(is_verdict, "{what}, under {settings}: {:?}", response.status);
}

fn message(response: AdmissionResponse) -> String {
    response.status.unwrap().message.unwrap()
}

fn described(response: &AdmissionResponse) -> String {
    format!("{:?} {:?}", response.status, response.patch)
}

fn many(count: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..count).map(make).collect()
}

/// Labels or annotations with short keys, so that many fit into a request.
fn keys(count: usize, domain: &str, value: &str) -> Map<String, Value> {
    (0..count).map(|index| (format!("{domain}/{index:x}"), json!(value))).collect()
}

fn pod() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "a", "namespace": "shop" },
        "spec": { "containers": [{ "name": "a" }] },
    })
}

fn pod_with_metadata(field: &str, value: Value) -> Value {
    let mut pod = pod();
    pod["metadata"][field] = value;
    pod
}

/// A pod with one container and this field.
fn pod_with(field: &str, value: Value) -> Value {
    let mut pod = pod();
    pod["spec"][field] = value;
    pod
}

/// A pod with a container that has this field.
fn pod_of(field: &str, value: Value) -> Value {
    let mut pod = pod();
    pod["spec"]["containers"][0][field] = value;
    pod
}

/// Gives an item of a list a name of its own.
fn named(index: usize, mut item: Value) -> Value {
    item["name"] = json!(format!("n{index:x}"));
    item
}

fn containers(count: usize, make: impl Fn(usize) -> Value) -> Value {
    pod_with("containers", many(count, make))
}

fn with_options(count: usize, options: impl Fn(usize) -> Value) -> Value {
    let context = |index: usize| json!({ "securityContext": { "seLinuxOptions": options(index) } });
    containers(count, |index| named(index, context(index)))
}

/// Pods for the rules of `pod-security`.
fn pods_of_fields() -> [(&'static str, Value); 12] {
    let add = many(400_000, |index| json!(format!("C{index}")));
    let path = |index: usize| format!("/var/lib/data/{index}");
    let sysctls = many(200_000, |index| named(index, json!({})));
    let long = json!({ "name": "a", "image": "i".repeat(4_000_000), "securityContext": { "procMount": "p".repeat(1_000_000) } });
    let annotations = keys(70_000, "container.apparmor.security.beta.kubernetes.io", "x");
    let pod_of_volumes = |count: usize, path: &dyn Fn(usize) -> String| {
        let volume = |index: usize| named(index, json!({ "hostPath": { "path": path(index) } }));
        pod_with("volumes", many(count, volume))
    };
    [
        ("containers", containers(100_000, |index| named(index, json!({ "image": format!("i{index}") })))),
        ("empty containers", containers(500_000, |_| json!({}))),
        ("more empty containers", containers(1_000_000, |_| json!({}))),
        ("ports", pod_of("ports", many(200_000, |index| json!({ "hostPort": index % 65_536 })))),
        ("capabilities", pod_of("securityContext", json!({ "capabilities": { "add": add } }))),
        ("volumes", pod_of_volumes(150_000, &|_| "/".to_owned())),
        ("volumes with different paths", pod_of_volumes(100_000, &path)),
        ("sysctls", pod_with("securityContext", json!({ "sysctls": sysctls }))),
        (
            "a volume with a type of 4 MB",
            pod_with("volumes", json!([{ "name": "v", "x".repeat(4_000_000): {} }])),
        ),
        ("a long image", containers(1, |_| long.clone())),
        ("an environment", pod_of("env", many(150_000, |index| named(index, json!({ "value": "x" }))))),
        ("annotations", pod_with_metadata("annotations", annotations.into())),
    ]
}

#[test]
fn pod_security_evaluates_huge_pods() {
    let subject = Subject::new("pod-security", Vec::new());
    let values = |count: usize| -> Value {
        many(count, |index| match index % 10 {
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
    for (number, (what, pod)) in pods_of_fields().into_iter().enumerate() {
        sizes += pod.to_string().len();
        // The patterns are about volumes and capabilities. Other pods have the defaults and one of
        // the other settings.
        let has_patterns = (4..=6).contains(&number);
        let creation = subject.creation(pod.clone());
        // The additional container makes the update significant.
        let mut new = pod.clone();
        new["spec"]["initContainers"] = json!([{ "name": "new" }]);
        let update = subject.update("", pod, new);
        for (index, settings) in settings.iter().enumerate() {
            if !has_patterns && ![0, 1 + number % 4].contains(&index) {
                continue;
            }
            assert_verdict(what, settings, &subject.evaluated(settings, &creation));
            if index > 0 {
                assert_verdict(what, settings, &subject.evaluated(settings, &update));
            }
        }
    }
    assert!(sizes > 30_000_000, "{sizes}");
}

/// Pods for the rules of `selinux`.
fn pods_of_contexts() -> Vec<(&'static str, Value)> {
    let level = |text: String| json!({ "seLinuxOptions": { "level": text } });
    let ranges = |count: usize| format!("s0:{}c1", "c0.c1023,".repeat(count));
    let owner = |index: usize| {
        named(
            index,
            json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "uid": "1", "controller": index == 59_999 }),
        )
    };
    let mut of_owners = pod_with_metadata("ownerReferences", many(60_000, owner));
    of_owners["metadata"]["labels"] = json!({ "pod-template-hash": "x" });
    let mounts = |count: usize| many(count, |index| named(index, json!({ "mountPath": "/x" })));
    let mounting = |count: usize, volume: &dyn Fn(usize) -> Value| {
        let mut pod = pod_of("volumeMounts", mounts(60_000));
        pod["spec"]["volumes"] = many(count, |index| named(index, volume(index)));
        pod
    };
    let shared = json!({ "hostPath": { "path": "/" }, "persistentVolumeClaim": { "claimName": "c" } });
    let claim = |index: usize| json!({ "persistentVolumeClaim": { "claimName": format!("c{index:x}"), "readOnly": true } });
    let all_mount = |_: usize| json!({ "name": "a", "volumeMounts": mounts(3_000) });
    let mut in_host = pod_with("initContainers", many(100_000, |index| named(index, json!({}))));
    in_host["spec"]["hostPID"] = json!(true);
    in_host["spec"]["shareProcessNamespace"] = json!(true);
    let mut mounted = containers(30, all_mount);
    mounted["spec"]["volumes"] = json!([{ "name": "n1", "hostPath": {} }]);
    // Of the Namespace `shop`.
    let own = Pool::default().level("namespace:shop").text();
    let long = json!({ "seLinuxOptions": { "type": "t".repeat(4_000_000), "level": own } });
    vec![
        ("containers", containers(100_000, |index| named(index, json!({ "image": "i" })))),
        ("empty containers", containers(400_000, |_| json!({}))),
        ("containers in a host namespace", in_host),
        ("containers with empty options", with_options(65_000, |_| json!({}))),
        ("containers with partial options", with_options(65_000, |_| json!({ "type": "container_t" }))),
        ("containers with the level of the pod", with_options(65_000, |_| json!({ "level": own }))),
        (
            "containers with different levels",
            with_options(65_000, |index| json!({ "level": format!("s0:c{}", index % 1024) })),
        ),
        (
            "containers with different types",
            with_options(65_000, |index| json!({ "type": format!("t{index}") })),
        ),
        ("a level of 4 MB", pod_with("securityContext", level("s".repeat(4_000_000)))),
        ("a level of 4 MB of ranges", pod_with("securityContext", level(ranges(440_000)))),
        ("levels of 4 KB of ranges", with_options(900, |_| json!({ "level": ranges(440) }))),
        ("a type of 4 MB", pod_with("securityContext", long)),
        ("a level of escape sequences", pod_with("securityContext", level("\u{1}".repeat(700_000)))),
        ("volumes", mounting(40_000, &|_| shared.clone())),
        ("mounts", mounted),
        ("claims", mounting(50_000, &claim)),
        ("annotations", pod_with_metadata("annotations", keys(150_000, "example.com", "x").into())),
        ("owners", of_owners),
        ("a node selector", pod_with("nodeSelector", keys(150_000, "example.com", "x").into())),
    ]
}

#[test]
fn selinux_evaluates_huge_pods() {
    let subject = Subject::new("selinux", Vec::new());
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
    for (number, (what, pod)) in pods_of_contexts().into_iter().enumerate() {
        sizes += pod.to_string().len();
        let creation = subject.creation(pod.clone());
        // The defaults, and alternately one of the other settings.
        for settings in [&settings[0], &settings[1 + number / 2 % 2]] {
            assert_verdict(what, settings, &subject.evaluated(settings, &creation));
        }
        let mut old = pod;
        let all = std::mem::replace(&mut old["spec"]["containers"], json!([{ "name": "a" }]));
        let mut new = old.clone();
        new["spec"]["ephemeralContainers"] = all;
        let update = subject.update("ephemeralcontainers", old, new);
        assert_verdict(what, &settings[0], &subject.evaluated(&settings[0], &update));
    }
    assert!(sizes > 20_000_000, "{sizes}");
}

#[test]
fn selinux_compares_each_of_many_images() {
    let subject = Subject::new("selinux", Vec::new());
    let settings = json!({
        "mode": "Validate",
        "exempt": { "pods": [{ "namespaces": ["shop"], "images": ["a/*"], "lifts": ["Type", "Level"] }] },
    });
    let options = json!({ "seLinuxOptions": { "type": "spc_t", "level": "s0:c1,c2" } });
    let pod = |image: &str| {
        containers(
            10_000,
            |index| json!({ "name": format!("c{index}"), "image": image, "securityContext": options }),
        )
    };
    assert!(subject.updated(&settings, "", &pod("a/b"), &pod("a/c")).allowed);
    let message = message(subject.updated(&settings, "", &pod("a/b"), &pod("b/a")));
    assert!(message.starts_with("spec.containers[0].image: Invalid value: \"b/a\""), "{message}");
    assert!(message.ends_with("more violations"), "{message}");
}

fn namespace(name: &str, annotations: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "annotations": annotations } })
}

#[test]
fn selinux_allocates_a_level_among_twenty_thousand_namespaces() {
    let key = "portcullis.dev/selinux-level";
    let pair = |index: usize| format!("s0:c{},c{}", index % 512, 512 + index / 512);
    let others = (0..20_000).map(|index| match index % 3 {
        0 => namespace(&format!("n{index}"), &json!({ key: pair(index), "other": "x".repeat(50) })),
        1 => namespace(&format!("n{index}"), &json!({ "openshift.io/sa.scc.mcs": "s0:c27,c14" })),
        _ => namespace(&format!("n{index}"), &Value::Null),
    });
    let subject = Subject::new("selinux", others.collect());
    let settings = json!({ "allocation": { "source": "NamespaceAnnotation" } });
    let new = namespace("new", &Value::Null);
    let created = subject.created(&settings, &new);
    assert!(created.allowed && created.patch.is_some(), "{}", described(&created));
    let guard = json!({ "mode": "Validate", "allocation": { "source": "NamespaceAnnotation" } });
    let guarded = subject.created(&guard, &new);
    assert!(guarded.allowed && guarded.patch.is_none(), "{}", described(&guarded));
    // A chosen level, and a level that another Namespace has.
    let stolen = namespace("new", &json!({ key: pair(0) }));
    for refused in [subject.created(&settings, &stolen), subject.updated(&settings, "", &new, &stolen)] {
        let code = refused.status.as_ref().and_then(|status| status.code);
        assert_eq!(code, Some(403), "{}", described(&refused));
    }
    let subject = Subject::new("selinux", Vec::new());
    let large = [json!(keys(150_000, "example.com", "x")), json!({ key: "s".repeat(4_000_000) })];
    for object in large.map(|annotations| namespace("new", &annotations)) {
        assert_verdict("a large Namespace", &settings, &subject.created(&settings, &object));
        assert_verdict("its update", &settings, &subject.updated(&settings, "", &new, &object));
    }
}

#[test]
fn selinux_compares_claims_with_thousands_of_pods() {
    let claim = |index: usize| json!({ "persistentVolumeClaim": { "claimName": format!("c{index:x}") } });
    let volume = |index: usize| named(index, claim(index));
    let other = |index: usize| {
        let mut pod = pod_with("volumes", json!([volume(index)]));
        pod["metadata"]["name"] = json!(format!("p{index}"));
        pod
    };
    let subject = Subject::new("selinux", (0..5_000).map(other).collect());
    let settings = json!({ "volumes": { "sharedClaims": "Reject" } });
    for count in [1, 100, 3_000] {
        let created = subject.created(&settings, &pod_with("volumes", many(count, volume)));
        assert_verdict("claims", &settings, &created);
    }
}

#[test]
fn external_ips_evaluates_five_megabytes() {
    let subject = Subject::new("external-ips", Vec::new());
    // The policy does not read this text.
    let padded = |external_ips: Value| {
        let mut service = service(&external_ips);
        service["metadata"]["annotations"] = json!({ "example.com/note": "é\"\\ ".repeat(1 << 20) });
        service
    };
    let object = padded(json!(["192.0.2.1"]));
    assert!(object.to_string().len() > 5_000_000);
    let denied = subject.created(&json!({}), &object);
    assert_eq!(denied.status.as_ref().and_then(|status| status.code), Some(403));
    assert!(message(denied).starts_with("spec.externalIPs[0]: Invalid value: \"192.0.2.1\": "));
    assert!(subject.created(&json!({}), &padded(json!([]))).allowed);
    let conflicts = json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["192.0.2.0/24"] }] });
    assert!(subject.created(&conflicts, &object).allowed);

    let object = service(&json!(many_ips(400_000)));
    assert!(object.to_string().len() > 5_000_000);
    let denied = message(subject.created(&json!({}), &object));
    assert!(tests::counts_the_rest(&denied, 400_000), "{denied}");
    let denied = message(subject.updated(&json!({}), "", &service(&json!(many_ips(1))), &object));
    assert!(tests::counts_the_rest(&denied, 399_999), "{denied}");
}

#[test]
fn external_ips_finds_conflicts_among_many_addresses_and_ports() {
    let with_ports = |name: &str, addresses: usize, ports: usize| {
        let mut service = service(&json!(many_ips(addresses)));
        service["metadata"]["name"] = json!(name);
        service["spec"]["ports"] = many(ports, |port| json!({ "port": port }));
        service
    };
    let settings = json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["10.0.0.0/8"] }] });
    let object = with_ports("extip", 1_000, 500);
    let alone = Subject::new("external-ips", Vec::new());
    assert!(alone.created(&settings, &object).allowed);
    let response = alone.created(&settings, &with_ports("extip", 300_000, 1));
    assert!(response.allowed, "{:?}", response.status);
    let subject = Subject::new("external-ips", vec![with_ports("big", 20_000, 5_000)]);
    let denied = message(subject.created(&settings, &object));
    assert!(tests::counts_the_rest(&denied, 1_000), "{denied}");
    let first = "spec.externalIPs[0]: Invalid value: \"10.0.0.0\": port 0/TCP of this address is in use by Service \"big\"; ";
    assert!(denied.starts_with(first), "{denied}");
}

/// The modules of `node-labels` and `node-pods`.
fn of_nodes() -> [Subject; 2] {
    let namespace = namespace("kube-system", &Value::Null);
    let node =
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker-1", "uid": "1b2c" } });
    ["node-labels", "node-pods"].map(|id| Subject::new(id, vec![namespace.clone(), node.clone()]))
}

fn node(labels: &Map<String, Value>) -> Value {
    let mut node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker-1" } });
    node["metadata"]["labels"] = labels.clone().into();
    node
}

fn mirror_pod(labels: &Map<String, Value>) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "static-worker-1",
            "namespace": "kube-system",
            "annotations": { "kubernetes.io/config.mirror": "x" },
        },
        "spec": { "nodeName": "worker-1" },
    });
    pod["metadata"]["labels"] = labels.clone().into();
    pod
}

#[test]
fn nodes_set_labels_of_five_megabytes() {
    let [on_nodes, on_pods] = of_nodes();
    let among_others = |key: &str| {
        let mut labels = keys(1_000, "example.com", "x");
        labels.insert(key.to_owned(), json!("a"));
        node(&labels)
    };
    let (removed, added) = (among_others("node-restriction.kubernetes.io/team"), among_others("k8s.io/x"));
    let denied = message(on_nodes.updated(&json!({}), "", &removed, &added));
    let places: Vec<&str> = denied.lines().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(
        places,
        ["metadata.labels[k8s.io/x]", "oldObject.metadata.labels[node-restriction.kubernetes.io/team]"],
    );

    let (many, half) = (keys(400_000, "a", ""), keys(200_000, "a", ""));
    assert!(node(&many).to_string().len() > 4_500_000);
    let counted =
        |warning: &str, listed: usize| warning.ends_with(&format!(" and {} more", 400_000 - listed));
    let protected = json!({ "protectedLabelPrefixes": ["a"] });
    let denied = message(on_nodes.created(&protected, &node(&many)));
    assert!(tests::counts_the_rest(&denied, 400_000), "{}", denied.len());
    let warns = json!({ "protectedLabelPrefixes": ["a"], "mode": "Warn" });
    let warned = on_nodes.created(&warns, &node(&many));
    let warning = warned.warnings.as_ref().unwrap();
    assert!(counted(&warning[0], warning[0].matches("a/").count()), "{warning:?}");
    let annotation = &warned.audit_annotations.unwrap()["forbidden-labels"];
    assert!(counted(annotation, annotation.matches("a/").count()) && annotation.len() <= 8 << 10);
    assert!(on_nodes.updated(&protected, "status", &node(&half), &node(&half)).allowed);

    let denied = message(on_pods.created(&json!({}), &mirror_pod(&many)));
    assert!(tests::counts_the_rest(&denied, 400_000), "{}", denied.len());
    let warned = on_pods.created(&json!({ "mode": "Warn" }), &mirror_pod(&many));
    let warning = warned.warnings.unwrap().remove(0);
    assert!(counted(&warning, warning.matches("a/").count()), "{warning}");
    let too_much = message(on_pods.created(&json!({ "mode": "Munge" }), &mirror_pod(&many)));
    let record = "metadata.labels: Forbidden: the record of the removed labels";
    assert!(too_much.starts_with(record), "{too_much}");
    assert!(on_pods.updated(&json!({}), "status", &mirror_pod(&half), &mirror_pod(&half)).allowed);
}

#[test]
fn nodes_set_more_labels_than_memory_holds() {
    let [on_nodes, on_pods] = of_nodes();
    let mut many = keys(250_000, "a", "");
    many.insert("k8s-app".into(), json!("dns"));
    let munges = json!({ "mode": "Munge", "labelMode": "DenyList" });
    let response = on_pods.created(&munges, &mirror_pod(&many));
    assert!(response.allowed && response.patch.is_some(), "{:?}", response.status);
    for (count, domain) in [(300_000, "a"), (500_000, "b"), (600_000, "c")] {
        let labels = keys(count, domain, "");
        let creation = on_pods.creation(mirror_pod(&labels));
        for settings in [json!({}), munges.clone(), json!({ "mode": "Warn", "allowedLabelKeys": ["x"] })] {
            assert_verdict(domain, &settings, &on_pods.evaluated(&settings, &creation));
        }
        let creation = on_nodes.creation(node(&labels));
        for settings in [json!({ "protectedLabelPrefixes": [domain] }), json!({ "mode": "Warn" })] {
            assert_verdict(domain, &settings, &on_nodes.evaluated(&settings, &creation));
        }
    }
}
