//! The answers of a real API server to the question which webhooks receive a request.
//!
//! `asked.yaml` has the requests and the webhooks. Webhooks that cannot be reached and are ignored
//! (`failurePolicy: Ignore`) change nothing, and the metrics of the server count the calls of each.
//! The answers of each minor version are in `shared/native/matching/tests/recorded/`, with which a
//! test of the crate `matching` compares its decisions. `BLESS=1` writes those of the server on
//! PATH. A server without some of the resources leaves them out.
//!
//! It runs where `kube-apiserver`, `etcd` and `kubectl` are on PATH.

mod asked;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::root;

use self::asked::{Asked, data};

const DOMAIN: &str = "recorded.portcullis.dev";

/// Why a server refuses a resource or a kind that it does not have.
const NOT_SERVED: [&str; 2] = ["could not find the requested resource", "no kind \""];

fn calls(server: &ApiServer) -> BTreeMap<String, u64> {
    let metrics = server.kubectl(&["get", "--raw", "/metrics"]).unwrap();
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
fn register(server: &ApiServer, webhooks: &BTreeMap<String, Value>) {
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
        "metadata": { "name": "recorded" },
        "webhooks": hooks.collect::<Vec<_>>(),
    });
    server.kubectl_with(&configuration.to_string(), &["create", "--filename", "-"]).unwrap();
    for _ in 0..60 {
        sleep(Duration::from_millis(500));
        let probe = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "probe" } });
        let path = "/api/v1/namespaces/shop/configmaps?dryRun=All";
        server.kubectl_with(&probe.to_string(), &["create", "--raw", path, "--filename", "-"]).unwrap();
        if calls(server).contains_key("everything") {
            return;
        }
    }
    panic!("the API server does not call the webhooks");
}

/// The part of an object that decides: its kind, its name and its labels.
fn brief(object: &Value) -> Value {
    let Some(metadata) = object["metadata"].as_object() else {
        return json!({ "apiVersion": object["apiVersion"], "kind": object["kind"] });
    };
    let kept = metadata
        .iter()
        .filter(|(name, _)| ["labels", "name", "namespace", "generateName"].contains(&name.as_str()));
    let metadata: serde_json::Map<String, Value> =
        kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    json!({ "apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": metadata })
}

/// Sends a request. Returns the `AdmissionRequest`, and the labels of its namespace; `None` if the
/// server does not have the resource.
fn send(server: &ApiServer, asked: &Asked) -> Option<(Value, Value)> {
    let stored = |path: &str| -> Option<Value> {
        server.kubectl(&["get", "--raw", path]).ok().map(|text| serde_json::from_str(&text).unwrap())
    };
    let [group, version, resource] = &asked.resource;
    let [namespace, name] = &asked.at;
    let namespace = if resource == "namespaces" && group.is_empty() { name } else { namespace };
    let labels = stored(&format!("/api/v1/namespaces/{namespace}")).filter(|_| !namespace.is_empty());
    let old = if ["UPDATE", "DELETE"].contains(&asked.operation.as_str()) {
        Some(stored(&asked.path())?)
    } else {
        None
    };
    let object = asked.object().map(|mut object| {
        if asked.operation == "UPDATE" {
            let version = &old.as_ref().unwrap()["metadata"]["resourceVersion"];
            object["metadata"]["resourceVersion"] = version.clone();
            for field in &asked.kept {
                *object.pointer_mut(field).unwrap() = old.as_ref().unwrap().pointer(field).unwrap().clone();
            }
        }
        object
    });
    let path = asked.path();
    let dry = format!("{path}?dryRun=All");
    let input = object.as_ref().map(Value::to_string).unwrap_or_default();
    let result = match asked.operation.as_str() {
        "CREATE" => server.kubectl_with(&input, &["create", "--raw", &dry, "--filename", "-"]),
        "UPDATE" => server.kubectl_with(&input, &["replace", "--raw", &dry, "--filename", "-"]),
        "DELETE" => server.kubectl(&["delete", "--raw", &dry]),
        // No kubelet answers, after the admission.
        _ => server.kubectl(&["get", "--raw", &path]).or_else(|error| {
            if error.contains("does not have a host assigned") { Ok(error) } else { Err(error) }
        }),
    };
    match result {
        Err(error) if NOT_SERVED.iter().any(|reason| error.contains(reason)) => return None,
        result => result.unwrap_or_else(|error| panic!("{}: {error}", asked.what)),
    };
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
    for (name, object) in [("object", &object), ("oldObject", &old)] {
        if let Some(object) = object {
            fields.insert(name.to_owned(), brief(object));
        }
    }
    Some((request, labels.map_or(Value::Null, |namespace| brief(&namespace))))
}

/// Sends the requests to an API server, and compares or records which webhooks it calls.
pub(crate) fn record() {
    if !can_run("the record of the answers of an API server") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = ApiServer::start(
        folder,
        &["--disable-admission-plugins=ServiceAccount,DefaultStorageClass", "--runtime-config=api/all=true"],
    );
    let data = data();
    for object in &data.definitions {
        server.kubectl_with(&object.to_string(), &["create", "--filename", "-"]).unwrap();
    }
    server.kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]).unwrap();
    let stored = json!({ "apiVersion": "v1", "kind": "List", "items": data.stored });
    server.kubectl_with(&stored.to_string(), &["create", "--filename", "-"]).unwrap();
    register(&server, &data.webhooks);

    let names: BTreeSet<String> = data.webhooks.keys().cloned().collect();
    let mut recorded = Vec::new();
    for asked in &data.requests {
        // The server writes objects of its own, such as its Lease, which some webhooks receive,
        // too: a webhook receives a request if it is called each time.
        let mut called = names.clone();
        let mut sent = None;
        for _ in 0..2 {
            let before = calls(&server);
            sent = send(&server, asked);
            let after = calls(&server);
            called.retain(|name| before.get(name) != after.get(name));
        }
        let Some((request, namespace)) = sent else { continue };
        recorded.push(
            json!({ "what": asked.what, "request": request, "namespace": namespace, "called": called }),
        );
    }
    let version: Value =
        serde_json::from_str(&server.kubectl(&["get", "--raw", "/version"]).unwrap()).unwrap();
    let answers = json!({
        "server": version["gitVersion"],
        "definitions": data.definitions,
        "webhooks": data.webhooks,
        "requests": recorded,
    });
    compare(version["minor"].as_str().unwrap().trim_end_matches('+'), &answers);
}

/// Compares the answers with the recorded ones of the same minor version, or writes them with
/// `BLESS`.
fn compare(minor: &str, fresh: &Value) {
    let path = root().join(format!("shared/native/matching/tests/recorded/1.{minor}.json"));
    if env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, format!("{}\n", serde_json::to_string_pretty(fresh).unwrap())).unwrap();
        return;
    }
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}: BLESS=1 records the answers of this version", path.display())
    });
    let recorded: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(fresh["webhooks"], recorded["webhooks"], "BLESS=1 records the answers to other webhooks");
    let [known, fresh] = [&recorded, fresh].map(|answers| answers["requests"].as_array().unwrap());
    assert!(fresh.len() > 30, "{}", fresh.len());
    assert_eq!(fresh.len(), known.len(), "BLESS=1 records the answers to other requests");
    for (answer, known) in fresh.iter().zip(known) {
        assert_eq!(answer, known, "{}: BLESS=1 records the new answer", answer["what"]);
    }
}
