//! The webhooks that an API server calls for a request, compared with the decisions here.
//!
//! `asked.yaml` has the requests, and webhooks that are written by hand; others are generated.
//! Webhooks that cannot be reached and are ignored (`failurePolicy: Ignore`) change nothing, and
//! the metrics of the server count the calls of each.

mod asked;
mod generated;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kubernetes::kinds::Kinds;
use kubewarden::matching::{Decision, Reason, Webhook};
use live::{Connection, Method, Request};
use serde_json::{Value, json};
use tests::api_server::ApiServer;
use tests::process::wait_until;
use tests::random::Random;

use self::asked::{Asked, data};
use super::comparison::{Outcome, Plan, Row};

const CONVERTED: &str = "requests whose object the server converts for the webhook, which is unknown here";

const DOMAIN: &str = "asked.portcullis.dev";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// The most webhooks at once: their configuration is one object.
const BATCH: usize = 250;

/// How often a request is sent. The server also writes objects of its own, such as its Lease: a
/// webhook receives a request if it is called each time.
const ATTEMPTS: usize = 5;

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

/// Registers webhooks and waits until the server calls them.
fn register(connection: &Connection, webhooks: &BTreeMap<String, Value>, batch: usize) {
    let probe = format!("probe-{batch}");
    let rule = json!({
        "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"],
    });
    let of_probe = json!({ "rules": [rule] });
    let hooks = webhooks.iter().chain([(&probe, &of_probe)]).map(|(name, spec)| {
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
        "metadata": { "name": probe },
        "webhooks": hooks.collect::<Vec<_>>(),
    });
    write(connection, Method::POST, CONFIGURATIONS, &configuration).unwrap();
    wait_until("the call of the webhooks", || {
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "probe" } });
        write(connection, Method::POST, "/api/v1/namespaces/shop/configmaps?dryRun=All", &object).unwrap();
        calls(connection).contains_key(&probe)
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
        if asked.of == ["v1", "Namespace"] {
            // The server would set it.
            object["metadata"]["labels"]["kubernetes.io/metadata.name"] = json!(name);
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

/// Compares both sides.
///
/// # Errors
/// The programs of the API server are missing.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = ApiServer::try_start(
        folder,
        &["--disable-admission-plugins=ServiceAccount,DefaultStorageClass", "--runtime-config=api/all=true"],
    )?;
    let data = data();
    let mut kinds = Kinds::default();
    for definition in &data.definitions {
        kinds.add_definition(definition).unwrap();
        server.kubectl_with(&definition.to_string(), &["create", "--filename", "-"])?;
    }
    server.kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"])?;
    let stored = json!({ "apiVersion": "v1", "kind": "List", "items": data.stored });
    server.kubectl_with(&stored.to_string(), &["create", "--filename", "-"])?;
    let connection = server.connection();

    let mut random = Random::new(plan.seed);
    let number = usize::try_from(plan.cases).unwrap().div_ceil(data.requests.len());
    let generated = (0..number).map(|at| (format!("generated-{at}"), generated::webhook(&mut random)));
    let webhooks: Vec<(String, Value)> = data.webhooks.into_iter().chain(generated).collect();
    let mut row = Row::default();
    for (number, batch) in webhooks.chunks(BATCH).enumerate() {
        let batch = batch.iter().cloned().collect();
        register(&connection, &batch, number);
        compare_batch(&connection, &kinds, &batch, &data.requests, &mut row);
        connection.send(&Request::new(Method::DELETE, CONFIGURATIONS, Vec::new())).unwrap();
    }
    Ok(row)
}

fn compare_batch(
    connection: &Connection,
    kinds: &Kinds,
    specs: &BTreeMap<String, Value>,
    requests: &[Asked],
    row: &mut Row,
) {
    let webhooks: BTreeMap<&str, Webhook> =
        specs.iter().map(|(name, spec)| (name.as_str(), Webhook::from_spec(spec).unwrap())).collect();
    for asked in requests {
        let mut called: BTreeSet<&str> = webhooks.keys().copied().collect();
        let mut decisions: BTreeMap<&str, Decision> = BTreeMap::new();
        for _ in 0..ATTEMPTS {
            let before = calls(connection);
            let (request, namespace) = send(connection, asked);
            let after = calls(connection);
            called.retain(|name| before.get(*name) != after.get(*name));
            let namespace = Some(&namespace).filter(|namespace| namespace.is_object());
            let decide = |webhook: &Webhook| webhook.decide_with(kinds, &request, namespace);
            decisions = webhooks.iter().map(|(name, webhook)| (*name, decide(webhook))).collect();
            if called.iter().all(|name| decisions[name].is_called()) {
                break;
            }
        }
        for (name, decision) in &decisions {
            let is_called = called.contains(name);
            let outcome = match decision {
                Decision::Unknown(Reason::Conversion { .. }) if is_called => Outcome::Named(CONVERTED),
                decision if decision.is_called() == is_called => Outcome::Equal,
                decision => {
                    let theirs = if is_called { "called" } else { "not called" };
                    Outcome::Different(format!("Kubernetes: {theirs}; here: {}", decision.explain()))
                }
            };
            if let Some(how) = row.count(outcome) {
                row.show(json!({ "request": asked.what, "webhook": specs[*name] }), &how);
            }
        }
    }
}
