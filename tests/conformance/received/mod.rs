//! The objects that webhooks receive, compared with those that policies evaluate here.
//!
//! An API server with its controllers creates pods, workloads and Services. A webhook of each phase
//! records what it receives: the objects, and the pods that the controllers make of workloads.

mod conditions;
mod objects;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use kubernetes::completion::Phase;
use live::{Connection, Method, Request};
use scan::{Cluster, Pods, Policy, Question};
use serde_json::{Value, json};
use tests::api_server::ApiServer;
use tests::process::wait_until;
use tests::random::Random;
use tests::webhooks::WebhookServer;

use self::objects::Parts;
use super::comparison::{Outcome, Plan, Row};

const NAMESPACE: &str = "received";

/// The most objects, which the server and its controllers keep in memory.
const OBJECTS: u64 = 5_000;

/// A request, of the fields that are compared.
type Received = BTreeMap<String, Value>;

/// The subject of a request: an object, or the pod that its controller makes.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum About {
    Object,
    Pod,
}

/// The first request about each object, by its name, in each phase.
type Recorded = BTreeMap<(String, About, String), Value>;

/// Compares both sides.
///
/// # Errors
/// The programs of the API server are missing, or it refuses an object.
pub fn compare(plan: Plan) -> Result<Row, String> {
    // The plugin would taint the node until a kubelet says that it is ready.
    let arguments = ["--allow-privileged=true", "--disable-admission-plugins=TaintNodesByCondition"];
    let mut server = ApiServer::try_start(Path::new(env!("CARGO_TARGET_TMPDIR")), &arguments)?;
    server.start_controllers();
    let recorded = Arc::<Mutex<Recorded>>::default();
    let into = Arc::clone(&recorded);
    let answer = move |path: &str, request: &Value| {
        if let Some((name, about)) = subject(&request["object"]) {
            let key = (name.to_owned(), about, path.trim_start_matches('/').to_owned());
            into.lock().unwrap().entry(key).or_insert_with(|| request.clone());
        }
        json!({ "uid": request["uid"], "allowed": true })
    };
    let webhooks = WebhookServer::start(&server, Box::new(answer));
    prepare(&server, webhooks.port());

    let connection = server.connection();
    let parts = Parts::read();
    let mut random = Random::new(plan.seed);
    let mut ours = Vec::new();
    let mut refused = Vec::new();
    for number in 0..plan.cases.min(OBJECTS) {
        let name = format!("case-{number}");
        let object = parts.object(&mut random, &name);
        if let Err(problem) = create(&connection, &object) {
            refused.push(problem);
            continue;
        }
        for (about, phase, request) in requests(&object) {
            ours.push(((name.clone(), about, phase.to_owned()), request, object.clone()));
        }
    }
    if !refused.is_empty() {
        return Err(format!(
            "parts.yaml: the server refuses {} objects:\n{}",
            refused.len(),
            refused.join("\n")
        ));
    }
    let mut row = Row::default();
    for (key, request, object) in ours {
        wait_until(&format!("the request {key:?} about {object}"), || {
            recorded.lock().unwrap().contains_key(&key)
        });
        let outcome = compare_one(&mut random, &recorded.lock().unwrap()[&key], &request);
        if let Some(how) = row.count(outcome) {
            row.show(&object, &format!("{:?}, {}: {how}", key.1, key.2));
        }
    }
    Ok(row)
}

/// Registers the webhooks, and writes what the objects refer to.
fn prepare(server: &ApiServer, port: u16) {
    let rule = json!({
        "apiGroups": ["", "apps", "batch"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": [
            "cronjobs", "daemonsets", "deployments", "jobs", "pods", "podtemplates", "replicasets",
            "replicationcontrollers", "services", "statefulsets",
        ],
    });
    let configuration = |kind: &str, path: &str| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": { "name": path },
            "webhooks": [{
                "name": format!("{path}.portcullis.dev"),
                "clientConfig": { "url": format!("https://127.0.0.1:{port}/{path}"), "caBundle": server.authority() },
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": NAMESPACE } },
                "rules": [rule],
            }],
        })
    };
    let metadata = |name: &str| json!({ "name": name, "namespace": NAMESPACE });
    let items = [
        configuration("MutatingWebhookConfiguration", "mutating"),
        configuration("ValidatingWebhookConfiguration", "validating"),
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } }),
        // DaemonSets make a pod for each.
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker" } }),
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata("robot") }),
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": { "name": "high" }, "value": 7,
        }),
    ];
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
    server.kubectl_with(&list.to_string(), &["create", "--filename", "-"]).unwrap();
    wait_until("the service account of the namespace", || {
        server.kubectl(&["get", "serviceaccounts", "default", "--namespace", NAMESPACE]).is_ok()
    });
}

fn create(connection: &Connection, object: &Value) -> Result<(), String> {
    let text = |field: &str| object[field].as_str().unwrap();
    let kinds = kubernetes::kinds::Kinds::default();
    let resource = kinds.resource(text("apiVersion"), text("kind"));
    let root = if resource.group.is_empty() { "api" } else { "apis" };
    let path = format!("/{root}/{}/namespaces/{NAMESPACE}/{}", text("apiVersion"), resource.plural);
    let request = Request::new(Method::POST, &path, object.to_string().into_bytes());
    connection.send(&request).map(drop).map_err(|error| format!("{error}: {object}"))
}

/// Returns the name of the case, and whether a request is about its object or the pod of its
/// workload; `None` for the `ReplicaSet` of a Deployment and the Job of a `CronJob`.
fn subject(object: &Value) -> Option<(&str, About)> {
    let metadata = &object["metadata"];
    match metadata["ownerReferences"].is_null() {
        true => Some((metadata["name"].as_str()?, About::Object)),
        false if object["kind"] == "Pod" => Some((metadata["labels"]["app"].as_str()?, About::Pod)),
        false => None,
    }
}

/// Returns the requests in which policies of each phase evaluate an object here.
fn requests(object: &Value) -> Vec<(About, &'static str, Value)> {
    let user = json!({ "username": "admin" });
    let cluster = Cluster::of_objects(Vec::new()).unwrap();
    let question = Question { user: user.clone(), object: Some(object.clone()), ..Question::default() };
    let mut asked = scan::Request::of_files(question.request(cluster.kinds()).unwrap());
    let policies = [true, false].map(|is_mutating| {
        let policy = Policy::of_rules("external-ips", &json!({})).unwrap();
        Policy { is_mutating, ..policy }
    });
    let mut requests = Vec::new();
    let mut receive = |answer: &scan::Answer, asked: scan::Asked<'_>| {
        let about = if asked.concerns_pods() { About::Pod } else { About::Object };
        let phase = if policies[answer.policy].is_mutating { "mutating" } else { "validating" };
        requests.push((about, phase, asked.request.clone()));
    };
    scan::ask_with_pods(&policies, &mut asked, Pods::On, &user, &cluster, &mut receive);
    // Nothing makes pods of a PodTemplate.
    requests.retain(|(about, ..)| *about == About::Object || object["kind"] != "PodTemplate");
    requests
}

/// Returns the fields that are compared, by their JSON pointers.
fn received(request: &Value) -> Received {
    let mut fields = Received::new();
    let mut request = request.clone();
    if let Some(managed) = request.pointer_mut("/object/metadata/managedFields/0/fieldsV1") {
        // The fields of a manager are not known.
        managed.take();
    }
    for name in ["kind", "resource", "name", "namespace", "operation", "object"] {
        leaves(&request[name], &format!("/{name}"), &mut fields);
    }
    leaves(&request["userInfo"]["username"], "/userInfo/username", &mut fields);
    fields
}

/// Adds the values without fields and items of their own.
fn leaves(value: &Value, pointer: &str, fields: &mut Received) {
    match value {
        Value::Object(inner) if !inner.is_empty() => {
            for (name, value) in inner {
                leaves(value, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), fields);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, &format!("{pointer}/{index}"), fields);
            }
        }
        value => drop(fields.insert(pointer.to_owned(), value.clone())),
    }
}

/// Returns how completion changes an object that a server has stored; `None` if it stays as it is.
fn changed_as_stored(object: &Value) -> Option<String> {
    // A webhook of the first phase receives it without a UID.
    object["metadata"].get("uid")?;
    let mut completed = object.clone();
    kubernetes::completion::complete(&mut completed, Phase::Validating);
    (completed != *object).then(|| format!("stored as {object}, completed to {completed}"))
}

/// Compares what a webhook received with the request here, but for the values that are made up.
fn compare_one(random: &mut Random, request: &Value, here: &Value) -> Outcome {
    let (theirs, ours) = (received(request), received(here));
    let other = kubernetes::completion::otherwise(here).map(|other| received(&other));
    let is_known =
        |pointer: &String| other.as_ref().is_none_or(|other| other.get(pointer) == ours.get(pointer));
    let mut differing = Vec::new();
    for pointer in theirs.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let values = [theirs.get(pointer), ours.get(pointer)];
        let may_differ = !is_known(pointer) && values.iter().all(Option::is_some);
        if values[0] != values[1] && !may_differ {
            let [their, our] =
                values.map(|value| value.map_or_else(|| "absent".to_owned(), Value::to_string));
            differing.push(format!("{pointer}: {their}, here {our}"));
        }
    }
    if !differing.is_empty() {
        return Outcome::Different(differing.join("\n"));
    }
    if let Some(how) = changed_as_stored(&request["object"]) {
        return Outcome::Different(how);
    }
    let difference = conditions::difference(random, (request, &theirs), (here, &ours), is_known);
    difference.map_or(Outcome::Equal, Outcome::Different)
}
