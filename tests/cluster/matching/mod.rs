//! Decides which webhooks receive a request as a real API server does.
//!
//! `asked.yaml` has the requests and the webhooks. Webhooks that cannot be reached and are ignored
//! (`failurePolicy: Ignore`) change nothing, and the metrics of the server count the calls of each.

mod asked;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kinds::Kinds;
use live::{Connection, Method, Request};
use matching::{Decision, Reason, Webhook};
use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::process::wait_until;

use self::asked::{Asked, data};

const DOMAIN: &str = "asked.portcullis.dev";

/// The requests whose object the server converts for a webhook, which the decision does not.
const CONVERSIONS: [&str; 4] = [
    "create a newer autoscaler: autoscalers",
    "create a newer autoscaler: scale-by-its-kind",
    "create a newer event: core-events",
    "create a newer event: core-group",
];

fn calls(connection: &Connection) -> BTreeMap<String, u64> {
    let metrics = connection.get("/metrics").unwrap();
    let mut calls = BTreeMap::new();
    for line in metrics.lines() {
        let Some(labels) = line.strip_prefix("apiserver_admission_webhook_admission_duration_seconds_count{")
        else {
            continue;
        };
        let name = labels.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let Some(name) = name.strip_suffix(&format!(".{DOMAIN}")) else { continue };
        let count: u64 = line.rsplit(' ').next().unwrap().parse().unwrap();
        *calls.entry(name.to_owned()).or_default() += count;
    }
    calls
}

/// Registers the webhooks and waits until the server calls them.
fn register(connection: &Connection, webhooks: &BTreeMap<String, Value>) {
    let hooks = webhooks.iter().map(|(name, spec)| {
        let mut hook = json!({
            "name": format!("{name}.{DOMAIN}"),
            "clientConfig": { "url": "https://127.0.0.1:1/" },
            "failurePolicy": "Ignore",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 1,
        });
        hook.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        hook
    });
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "asked" },
        "webhooks": hooks.collect::<Vec<_>>(),
    });
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    write(connection, Method::POST, path, &configuration).unwrap();
    wait_until("the call of the webhooks", || {
        let probe = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "probe" } });
        write(connection, Method::POST, "/api/v1/namespaces/shop/configmaps?dryRun=All", &probe).unwrap();
        calls(connection).contains_key("everything")
    });
}

fn write(connection: &Connection, method: Method, path: &str, object: &Value) -> Result<String, live::Error> {
    connection.send(&Request::new(method, path, object.to_string().into_bytes()))
}

/// Sends a request. Returns the `AdmissionRequest`, and its namespace; null if it has none.
fn send(connection: &Connection, asked: &Asked) -> (Value, Value) {
    let stored = |path: &str| -> Value { serde_json::from_str(&connection.get(path).unwrap()).unwrap() };
    let [group, version, resource] = &asked.resource;
    let [namespace, name] = &asked.at;
    let namespace = if resource == "namespaces" && group.is_empty() { name } else { namespace };
    let labels = match (&*asked.operation, namespace.as_str()) {
        // A Namespace that is created does not exist.
        (_, "") | ("CREATE", "new") => Value::Null,
        _ => stored(&format!("/api/v1/namespaces/{namespace}")),
    };
    let path = asked.path();
    let old = ["UPDATE", "DELETE"].contains(&asked.operation.as_str()).then(|| stored(&path));
    let object = asked.object().map(|mut object| {
        if let Some(old) = old.as_ref().filter(|_| asked.operation == "UPDATE") {
            object["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
            for field in &asked.kept {
                *object.pointer_mut(field).unwrap() = old.pointer(field).unwrap().clone();
            }
        }
        object
    });
    let dry = format!("{path}?dryRun=All");
    let body = object.as_ref().unwrap_or(&Value::Null);
    let result = match asked.operation.as_str() {
        "CREATE" => write(connection, Method::POST, &dry, body),
        "UPDATE" => write(connection, Method::PUT, &dry, body),
        "DELETE" => connection.send(&Request::new(Method::DELETE, &dry, Vec::new())),
        _ => connection.get(&path),
    };
    match result {
        // No kubelet answers, after the admission.
        Err(error) if error.to_string().contains("does not have a host assigned") => {}
        result => drop(result.unwrap_or_else(|error| panic!("{}: {error}", asked.what))),
    }
    let [api_version, kind] = &asked.of;
    let (kind_group, kind_version) = api_version.split_once('/').unwrap_or(("", api_version.as_str()));
    let mut request = json!({
        "operation": asked.operation,
        "kind": { "group": kind_group, "version": kind_version, "kind": kind },
        "resource": { "group": group, "version": version, "resource": resource },
    });
    let fields = request.as_object_mut().unwrap();
    for (name, text) in [("subResource", &asked.subresource), ("namespace", namespace), ("name", name)] {
        if !text.is_empty() {
            fields.insert(name.to_owned(), json!(text));
        }
    }
    for (name, object) in [("object", object), ("oldObject", old)] {
        if let Some(object) = object {
            fields.insert(name.to_owned(), object);
        }
    }
    (request, labels)
}

/// Sends the requests to an API server, and compares which webhooks it calls with the decisions.
pub(crate) fn compare() {
    if !can_run("the comparison of decisions with the calls of an API server") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = ApiServer::start(
        folder,
        &["--disable-admission-plugins=ServiceAccount,DefaultStorageClass", "--runtime-config=api/all=true"],
    );
    let data = data();
    let mut kinds = Kinds::default();
    for definition in &data.definitions {
        assert_eq!(kinds.add_definition(definition), Ok(true));
        server.kubectl_with(&definition.to_string(), &["create", "--filename", "-"]).unwrap();
    }
    server.kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]).unwrap();
    let stored = json!({ "apiVersion": "v1", "kind": "List", "items": data.stored });
    server.kubectl_with(&stored.to_string(), &["create", "--filename", "-"]).unwrap();
    let connection = server.connection();
    register(&connection, &data.webhooks);

    let webhooks: BTreeMap<&str, Webhook> =
        data.webhooks.iter().map(|(name, spec)| (name.as_str(), Webhook::from_spec(spec).unwrap())).collect();
    let mut seen: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut conversions = Vec::new();
    for asked in &data.requests {
        // The server writes objects of its own, such as its Lease, which some webhooks receive,
        // too: a webhook receives a request if it is called each time.
        let mut called: BTreeSet<&str> = webhooks.keys().copied().collect();
        let mut sent = Default::default();
        for _ in 0..2 {
            let before = calls(&connection);
            sent = send(&connection, asked);
            let after = calls(&connection);
            called.retain(|name| before.get(*name) != after.get(*name));
        }
        let (request, namespace) = sent;
        let namespace = Some(&namespace).filter(|namespace| namespace.is_object());
        for (name, webhook) in &webhooks {
            let decision = webhook.decide_with(&kinds, &request, namespace);
            let is_called = match &decision {
                Decision::Unknown(Reason::Conversion { .. }) => {
                    conversions.push(format!("{}: {name}", asked.what));
                    true
                }
                Decision::Unknown(reason) => panic!("{}: {name}: {reason}", asked.what),
                decision => decision.is_called(),
            };
            assert_eq!(is_called, called.contains(name), "{}: {name}: {decision:?}", asked.what);
            seen.entry(name).or_default()[usize::from(is_called)] += 1;
        }
    }
    assert_eq!(conversions, CONVERSIONS);
    // Each webhook is called and left out, but for the one whose version is not served.
    for (name, [left_out, called]) in seen {
        assert!(left_out > 0, "{name}");
        assert_eq!(called > 0, name != "widgets-v0", "{name}");
    }
}
