//! The requests whose answers are recorded.

use serde_json::{Value, json};

/// A request.
pub(crate) struct Asked {
    pub(crate) what: &'static str,
    pub(crate) operation: &'static str,
    /// The group, version and resource.
    pub(crate) resource: [&'static str; 3],
    pub(crate) subresource: &'static str,
    /// The group, version and kind of the object.
    pub(crate) kind: [&'static str; 3],
    pub(crate) namespace: &'static str,
    pub(crate) name: &'static str,
    pub(crate) object: Option<Value>,
    /// Fields of the stored object that cannot be changed.
    pub(crate) kept: &'static [&'static str],
    /// The parameters of a connection.
    query: &'static str,
}

impl Asked {
    /// The path of the resource, with the name unless an object is created.
    pub(crate) fn path(&self) -> String {
        let [group, version, resource] = self.resource;
        let mut path = match group {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        if !self.namespace.is_empty() {
            path = format!("{path}/namespaces/{}", self.namespace);
        }
        path = format!("{path}/{resource}");
        if self.operation != "CREATE" || !self.subresource.is_empty() {
            path = format!("{path}/{}", self.name);
        }
        if !self.subresource.is_empty() {
            path = format!("{path}/{}", self.subresource);
        }
        path + self.query
    }
}

/// The custom resources: one with two versions, and one with the name of a resource of Kubernetes.
pub(crate) fn definitions() -> Vec<Value> {
    let version = |name: &str, is_stored: bool| {
        json!({
            "name": name,
            "served": true,
            "storage": is_stored,
            "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
        })
    };
    let definition = |plural: &str, kind: &str, versions: Vec<Value>| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.example.com") },
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": { "kind": kind, "plural": plural },
                "versions": versions,
            },
        })
    };
    vec![
        definition("widgets", "Widget", vec![version("v1", true), version("v1beta1", false)]),
        definition("namespaces", "Space", vec![version("v1", true)]),
    ]
}

/// The stored objects.
pub(crate) const STORED: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"stage": "test"}}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "live", "labels": {"stage": "live"}}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "plain"}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
     "spec": {"containers": [{"name": "a", "image": "b"}]}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare", "namespace": "live"},
     "spec": {"containers": [{"name": "a", "image": "b"}]}},
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": "shop"}},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker", "labels": {"app": "web"}}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
     "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
     "spec": {"containers": [{"name": "a", "image": "b"}]}}}},
    {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one", "namespace": "shop", "labels": {"app": "web"}}}
]}"#;

const POD: [&str; 3] = ["", "v1", "pods"];
const DEPLOYMENT: [&str; 3] = ["apps", "v1", "deployments"];
const NAMESPACE: [&str; 3] = ["", "v1", "namespaces"];
const NODE: [&str; 3] = ["", "v1", "nodes"];

/// A request without what its object decides.
fn ask(
    what: &'static str,
    operation: &'static str,
    resource: [&'static str; 3],
    at: [&'static str; 2],
) -> Asked {
    let [namespace, name] = at;
    Asked {
        what,
        operation,
        resource,
        subresource: "",
        kind: ["", "", ""],
        namespace,
        name,
        object: None,
        kept: &[],
        query: "",
    }
}

fn group_of(api_version: &'static str) -> [&'static str; 2] {
    api_version.split_once('/').map_or(["", api_version], |(group, version)| [group, version])
}

/// A request with an object, which has these fields and labels.
fn with(mut asked: Asked, of: [&'static str; 2], labels: &Value, fields: Value) -> Asked {
    let [api_version, kind] = of;
    let [group, version] = group_of(api_version);
    asked.kind = [group, version, kind];
    let mut metadata = json!({ "name": asked.name });
    if !asked.namespace.is_empty() {
        metadata["namespace"] = json!(asked.namespace);
    }
    if !labels.is_null() {
        metadata["labels"] = labels.clone();
    }
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
    if let Value::Object(fields) = fields {
        object.as_object_mut().unwrap().extend(fields);
    }
    asked.object = Some(object);
    asked
}

/// A request without an object.
fn bare(mut asked: Asked, of: [&'static str; 2]) -> Asked {
    let [group, version] = group_of(of[0]);
    asked.kind = [group, version, of[1]];
    asked
}

fn sub(mut asked: Asked, subresource: &'static str) -> Asked {
    asked.subresource = subresource;
    asked
}

fn keep(mut asked: Asked, kept: &'static [&'static str]) -> Asked {
    asked.kept = kept;
    asked
}

/// Returns the requests.
pub(crate) fn requests() -> Vec<Asked> {
    [pods(), workloads(), cluster_scoped(), namespaces(), equivalents()].into_iter().flatten().collect()
}

fn pods() -> Vec<Asked> {
    let of = ["v1", "Pod"];
    let (web, db, none) = (json!({ "app": "web" }), json!({ "app": "db" }), Value::Null);
    let spec = || json!({ "spec": { "containers": [{ "name": "a", "image": "b" }] } });
    let mut connection = sub(ask("connect to a pod", "CONNECT", POD, ["shop", "web"]), "exec");
    connection.query = "?command=ls";
    connection.kind = ["", "v1", "PodExecOptions"];
    connection.object = None;
    let binding = json!({ "target": { "kind": "Node", "name": "worker" } });
    vec![
        with(ask("create a labelled pod", "CREATE", POD, ["shop", "new"]), of, &web, spec()),
        with(ask("create a pod without labels", "CREATE", POD, ["shop", "new"]), of, &none, spec()),
        with(ask("create a pod in another namespace", "CREATE", POD, ["live", "new"]), of, &web, spec()),
        with(
            ask("create a pod in a namespace without labels", "CREATE", POD, ["plain", "new"]),
            of,
            &db,
            spec(),
        ),
        keep(
            with(
                ask("keep the label of a pod", "UPDATE", POD, ["shop", "web"]),
                of,
                &web,
                json!({ "spec": {} }),
            ),
            &["/spec"],
        ),
        keep(
            with(
                ask("change the label of a pod", "UPDATE", POD, ["shop", "web"]),
                of,
                &db,
                json!({ "spec": {} }),
            ),
            &["/spec"],
        ),
        keep(
            with(
                ask("remove the label of a pod", "UPDATE", POD, ["shop", "web"]),
                of,
                &none,
                json!({ "spec": {} }),
            ),
            &["/spec"],
        ),
        keep(
            with(ask("label a pod", "UPDATE", POD, ["live", "bare"]), of, &web, json!({ "spec": {} })),
            &["/spec"],
        ),
        keep(
            with(
                sub(ask("write the status of a pod", "UPDATE", POD, ["shop", "web"]), "status"),
                of,
                &web,
                json!({ "spec": {}, "status": { "phase": "Running" } }),
            ),
            &["/spec"],
        ),
        bare(ask("delete a labelled pod", "DELETE", POD, ["shop", "web"]), of),
        bare(ask("delete a pod without labels", "DELETE", POD, ["live", "bare"]), of),
        with(
            sub(ask("bind a pod", "CREATE", POD, ["shop", "web"]), "binding"),
            ["v1", "Binding"],
            &none,
            binding,
        ),
        with(
            sub(ask("evict a pod", "CREATE", POD, ["shop", "web"]), "eviction"),
            ["policy/v1beta1", "Eviction"],
            &none,
            json!({}),
        ),
        with(
            sub(ask("evict a pod by the current version", "CREATE", POD, ["shop", "web"]), "eviction"),
            ["policy/v1", "Eviction"],
            &none,
            json!({}),
        ),
        keep(
            with(
                sub(ask("debug a pod", "UPDATE", POD, ["shop", "web"]), "ephemeralcontainers"),
                of,
                &web,
                json!({ "spec": {} }),
            ),
            &["/spec"],
        ),
        keep(
            with(
                sub(ask("resize a pod", "UPDATE", POD, ["shop", "web"]), "resize"),
                of,
                &web,
                json!({ "spec": {} }),
            ),
            &["/spec"],
        ),
        connection,
    ]
}

fn workloads() -> Vec<Asked> {
    let of = ["apps/v1", "Deployment"];
    let (web, none) = (json!({ "app": "web" }), Value::Null);
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "a", "image": "b" }] } });
    let spec = || json!({ "spec": { "selector": { "matchLabels": { "a": "b" } }, "template": template } });
    let port = json!({ "spec": { "ports": [{ "port": 80 }] } });
    let service = ["v1", "Service"];
    let robot = ["", "v1", "serviceaccounts"];
    vec![
        with(ask("create a deployment", "CREATE", DEPLOYMENT, ["shop", "new"]), of, &web, spec()),
        with(ask("update a deployment", "UPDATE", DEPLOYMENT, ["shop", "web"]), of, &none, spec()),
        bare(ask("delete a deployment", "DELETE", DEPLOYMENT, ["shop", "web"]), of),
        with(
            sub(ask("scale a deployment", "UPDATE", DEPLOYMENT, ["shop", "web"]), "scale"),
            ["autoscaling/v1", "Scale"],
            &none,
            json!({ "spec": { "replicas": 2 } }),
        ),
        with(
            sub(ask("write the status of a deployment", "UPDATE", DEPLOYMENT, ["shop", "web"]), "status"),
            of,
            &web,
            spec(),
        ),
        with(
            ask("create a service", "CREATE", ["", "v1", "services"], ["shop", "new"]),
            service,
            &none,
            port,
        ),
        with(
            ask("create a config map", "CREATE", ["", "v1", "configmaps"], ["live", "new"]),
            ["v1", "ConfigMap"],
            &web,
            json!({}),
        ),
        with(
            sub(ask("request a token", "CREATE", robot, ["shop", "robot"]), "token"),
            ["authentication.k8s.io/v1", "TokenRequest"],
            &none,
            json!({ "spec": { "audiences": ["a"] } }),
        ),
    ]
}

fn cluster_scoped() -> Vec<Asked> {
    let of = ["v1", "Node"];
    let (web, none) = (json!({ "app": "web" }), Value::Null);
    let role = ["rbac.authorization.k8s.io", "v1", "clusterroles"];
    let hooks = ["admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"];
    let review = ["authorization.k8s.io", "v1", "selfsubjectaccessreviews"];
    let path = json!({ "spec": { "nonResourceAttributes": { "path": "/", "verb": "get" } } });
    vec![
        with(ask("create a node", "CREATE", NODE, ["", "new"]), of, &web, json!({})),
        with(ask("update a node", "UPDATE", NODE, ["", "worker"]), of, &none, json!({})),
        with(
            sub(ask("write the status of a node", "UPDATE", NODE, ["", "worker"]), "status"),
            of,
            &web,
            json!({}),
        ),
        bare(ask("delete a node", "DELETE", NODE, ["", "worker"]), of),
        with(
            ask("create a cluster role", "CREATE", role, ["", "new"]),
            ["rbac.authorization.k8s.io/v1", "ClusterRole"],
            &none,
            json!({ "rules": [] }),
        ),
        with(
            ask("create a webhook configuration", "CREATE", hooks, ["", "new"]),
            ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
            &web,
            json!({ "webhooks": [] }),
        ),
        with(
            ask("review access", "CREATE", review, ["", ""]),
            ["authorization.k8s.io/v1", "SelfSubjectAccessReview"],
            &none,
            path,
        ),
    ]
}

fn namespaces() -> Vec<Asked> {
    let of = ["v1", "Namespace"];
    let (test, live, none) = (json!({ "stage": "test" }), json!({ "stage": "live" }), Value::Null);
    let custom = ["example.com", "v1", "namespaces"];
    vec![
        with(ask("create a selected namespace", "CREATE", NAMESPACE, ["", "new"]), of, &test, json!({})),
        with(ask("create another namespace", "CREATE", NAMESPACE, ["", "new"]), of, &live, json!({})),
        with(
            ask("create a namespace without labels", "CREATE", NAMESPACE, ["", "new"]),
            of,
            &none,
            json!({}),
        ),
        with(
            ask("relabel a selected namespace", "UPDATE", NAMESPACE, ["", "shop"]),
            of,
            &live,
            json!({ "spec": { "finalizers": ["kubernetes"] } }),
        ),
        with(
            ask("select a namespace by a new label", "UPDATE", NAMESPACE, ["", "live"]),
            of,
            &test,
            json!({ "spec": { "finalizers": ["kubernetes"] } }),
        ),
        with(
            sub(ask("write the status of a namespace", "UPDATE", NAMESPACE, ["", "shop"]), "status"),
            of,
            &test,
            json!({ "spec": { "finalizers": ["kubernetes"] }, "status": { "phase": "Active" } }),
        ),
        bare(ask("delete a selected namespace", "DELETE", NAMESPACE, ["", "shop"]), of),
        bare(ask("delete another namespace", "DELETE", NAMESPACE, ["", "live"]), of),
        // The selector of namespaces looks at the labels of any resource with this name.
        with(
            ask("create a custom namespace", "CREATE", custom, ["shop", "new"]),
            ["example.com/v1", "Space"],
            &none,
            json!({}),
        ),
        with(
            ask("create a labelled custom namespace", "CREATE", custom, ["live", "new"]),
            ["example.com/v1", "Space"],
            &test,
            json!({}),
        ),
    ]
}

fn equivalents() -> Vec<Asked> {
    let (web, none) = (json!({ "app": "web" }), Value::Null);
    let backend = json!({ "spec": { "backend": { "serviceName": "a", "servicePort": 80 } } });
    let current =
        json!({ "spec": { "defaultBackend": { "service": { "name": "a", "port": { "number": 80 } } } } });
    let target = json!({ "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" }, "maxReplicas": 2 });
    let event = json!({
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/a", "reportingInstance": "a", "action": "a",
        "reason": "a", "type": "Normal", "regarding": { "kind": "Pod", "namespace": "shop", "name": "web" },
    });
    let of_core = json!({ "involvedObject": { "kind": "Pod", "namespace": "shop", "name": "web" }, "reason": "a", "type": "Normal" });
    let widget = |version| ["example.com", version, "widgets"];
    vec![
        with(
            ask("create a widget", "CREATE", widget("v1"), ["shop", "new"]),
            ["example.com/v1", "Widget"],
            &web,
            json!({}),
        ),
        with(
            ask("create an older widget", "CREATE", widget("v1beta1"), ["shop", "new"]),
            ["example.com/v1beta1", "Widget"],
            &none,
            json!({}),
        ),
        with(
            sub(
                ask("write the status of an older widget", "UPDATE", widget("v1beta1"), ["shop", "one"]),
                "status",
            ),
            ["example.com/v1beta1", "Widget"],
            &web,
            json!({ "status": {} }),
        ),
        with(
            ask("create an ingress", "CREATE", ["networking.k8s.io", "v1", "ingresses"], ["shop", "new"]),
            ["networking.k8s.io/v1", "Ingress"],
            &none,
            current,
        ),
        with(
            ask("create an older ingress", "CREATE", ["extensions", "v1beta1", "ingresses"], ["shop", "new"]),
            ["extensions/v1beta1", "Ingress"],
            &none,
            backend,
        ),
        with(
            ask(
                "create an autoscaler",
                "CREATE",
                ["autoscaling", "v1", "horizontalpodautoscalers"],
                ["shop", "new"],
            ),
            ["autoscaling/v1", "HorizontalPodAutoscaler"],
            &none,
            json!({ "spec": target }),
        ),
        with(
            ask(
                "create a newer autoscaler",
                "CREATE",
                ["autoscaling", "v2beta2", "horizontalpodautoscalers"],
                ["shop", "new"],
            ),
            ["autoscaling/v2beta2", "HorizontalPodAutoscaler"],
            &none,
            json!({ "spec": target }),
        ),
        with(
            ask(
                "create a current autoscaler",
                "CREATE",
                ["autoscaling", "v2", "horizontalpodautoscalers"],
                ["shop", "new"],
            ),
            ["autoscaling/v2", "HorizontalPodAutoscaler"],
            &none,
            json!({ "spec": target }),
        ),
        with(
            ask("create an event", "CREATE", ["", "v1", "events"], ["shop", "new"]),
            ["v1", "Event"],
            &none,
            of_core,
        ),
        with(
            ask("create a newer event", "CREATE", ["events.k8s.io", "v1", "events"], ["shop", "new"]),
            ["events.k8s.io/v1", "Event"],
            &none,
            event,
        ),
    ]
}
