//! The requests of kubelets, controllers and people, with the policies in protect mode: those that
//! the policies deny, and those that are stopped while no policy server answers.
//!
//! `requests.yaml` has the requests, and `docs/rolling-out.md` lists those that are stopped.
//! `BLESS=1` writes these lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use json_patch::merge;
use live::{Connection, Method, Request};
use serde::Deserialize;
use serde_json::{Value, json};
use tests::root;

use crate::cluster::{Cluster, create};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const NAMESPACE: &str = "matrix";

/// The policies, and the instance of each as `artifacthub/deploy/` has it.
const INSTANCES: [(&str, &str); 6] = [
    ("external-ips", "external-ips"),
    ("node-labels", "node-labels"),
    ("node-pods", "node-pods"),
    ("pod-security", "pod-security"),
    ("selinux", "selinux-default"),
    ("selinux", "selinux-guard"),
];

#[derive(Debug, Deserialize)]
struct Data {
    stored: Vec<Value>,
    requests: Vec<Group>,
}

/// Requests that the same policies stop.
#[derive(Debug, Deserialize)]
struct Group {
    words: String,
    requests: Vec<Asked>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    what: String,
    user: String,
    /// The policies that deny the request while a policy server answers.
    #[serde(default)]
    denied_by: BTreeSet<String>,
    /// Whether the object to create exists: the server says so after the admission.
    #[serde(default)]
    exists: bool,
    #[serde(default)]
    post: Option<String>,
    #[serde(default)]
    put: Option<String>,
    #[serde(default)]
    patch: Option<String>,
    #[serde(default)]
    delete: Option<String>,
    /// An object, empty by default.
    #[serde(default = "empty")]
    body: Value,
}

fn empty() -> Value {
    json!({})
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Admitted,
    Denied,
    Stopped,
}

fn data() -> Data {
    let text = include_str!("requests.yaml");
    serde_saphyr::from_str(text).unwrap()
}

/// The user of a name in `requests.yaml`, with the group to which roles are bound.
fn user(name: &str) -> (String, String) {
    let (name, group) = match name {
        "admin" => ("admin".to_owned(), "system:masters"),
        "jane" => ("jane".to_owned(), "developers"),
        "kubelet" => ("system:node:worker-1".to_owned(), "system:nodes"),
        "second kubelet" => ("system:node:worker-2".to_owned(), "system:nodes"),
        "scheduler" => ("system:kube-scheduler".to_owned(), "system:authenticated"),
        controller => (format!("system:serviceaccount:kube-system:{controller}"), "system:serviceaccounts"),
    };
    (name, group.to_owned())
}

pub(crate) fn users() -> BTreeSet<(String, String)> {
    data().requests.iter().flat_map(|group| &group.requests).map(|asked| user(&asked.user)).collect()
}

impl Asked {
    fn method(&self) -> (Method, &str) {
        let methods = [
            (Method::POST, &self.post),
            (Method::PUT, &self.put),
            (Method::PATCH, &self.patch),
            (Method::DELETE, &self.delete),
        ];
        let mut given = methods.into_iter().filter_map(|(method, path)| Some((method, path.as_deref()?)));
        let (Some(given), None) = (given.next(), given.next()) else { panic!("{}: one method", self.what) };
        given
    }

    fn send(&self, admin: &Connection, user: &Connection) -> Result<Outcome, String> {
        let (method, path) = self.method();
        let body = match method {
            Method::PUT => {
                let read = path.strip_suffix("/finalize").unwrap_or(path);
                let stored = admin.get(read).map_err(|error| format!("{}: {error}", self.what))?;
                let mut object: Value = serde_json::from_str(&stored).unwrap();
                merge(&mut object, &self.body);
                object
            }
            // With a body, the server ignores the options of the query.
            Method::DELETE => {
                let mut options = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"] });
                merge(&mut options, &self.body);
                options
            }
            _ => self.body.clone(),
        };
        let body = body.to_string().into_bytes();
        let path = format!("{path}?dryRun=All");
        let is_patch = method == Method::PATCH;
        let mut request = Request::new(method, &path, body);
        if is_patch {
            request.content_type = "application/merge-patch+json";
        }
        let Err(error) = user.send(&request) else { return Ok(Outcome::Admitted) };
        let text = error.to_string();
        match error.status() {
            Some(409) if self.exists => Ok(Outcome::Admitted),
            _ if text.contains("denied the request: ") => Ok(Outcome::Denied),
            Some(500) if text.contains("failed calling webhook") => Ok(Outcome::Stopped),
            _ => Err(format!("{}: {text}", self.what)),
        }
    }
}

/// The policy instances of `artifacthub/deploy/` in protect mode.
fn instances() -> Vec<Policy> {
    let instance = |(id, name): (&str, &str)| {
        let text = fs::read_to_string(root().join(format!("artifacthub/deploy/{name}.yaml"))).unwrap();
        let documents: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
        let manifest = documents.iter().find(|document| document["kind"] == "ClusterAdmissionPolicy");
        Policy::protect(id, name, &manifest.unwrap()["spec"]["settings"])
    };
    INSTANCES.map(instance).into()
}

pub(crate) fn answers(cluster: &Cluster) {
    let data = data();
    let asked: Vec<&Asked> = data.requests.iter().flat_map(|group| &group.requests).collect();
    cluster.namespace(NAMESPACE, &json!({}));
    for object in &data.stored {
        let answer = create(&cluster.admin(), object);
        assert!(answer.is_success, "{}", answer.errors);
    }
    let connections: BTreeMap<String, Connection> = users()
        .into_iter()
        .map(|(name, _)| {
            let connection = cluster.user(&name).connection();
            (name, connection)
        })
        .collect();
    let admin = &connections["admin"];
    let send = |expected: &Outcome| -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut problems = Vec::new();
        for asked in &asked {
            match asked.send(admin, &connections[&user(&asked.user).0]) {
                Ok(outcome) if outcome == *expected => {
                    found.insert(asked.what.clone());
                }
                Ok(Outcome::Admitted) => {}
                Ok(outcome) => problems.push(format!("{}: {outcome:?}", asked.what)),
                Err(problem) => problems.push(problem),
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
        found
    };
    // Without policies, the server admits all of them.
    assert_eq!(send(&Outcome::Admitted).len(), asked.len(), "each request has a name of its own");

    let mut denied: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut stopped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for instance in instances() {
        let name = instance.manifest["metadata"]["name"].as_str().unwrap().to_owned();
        let mut kubewarden = Kubewarden::deploy(cluster, &[instance]);
        for what in send(&Outcome::Denied) {
            denied.entry(what).or_default().insert(name.clone());
        }
        kubewarden.server.kill();
        for what in send(&Outcome::Stopped) {
            stopped.entry(what).or_default().insert(name.clone());
        }
        drop(kubewarden);
    }
    for asked in asked {
        assert_eq!(denied.remove(&asked.what).unwrap_or_default(), asked.denied_by, "{}", asked.what);
    }
    document(&lists(&data.requests, &stopped, &cluster.version));
}

/// Compares the lists of `docs/rolling-out.md` with others, or writes them with `BLESS`.
fn document(lists: &str) {
    const START: &str = "<!-- requests: written by `./justw bless` -->\n";
    const END: &str = "<!-- end of requests -->";
    let path = root().join("docs/rolling-out.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    if tests::blesses() {
        fs::write(&path, format!("{before}{START}{lists}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, lists, "docs/rolling-out.md is out of date; run ./justw bless");
    }
}

/// The words of the requests that pass, and those that each policy stops.
fn lists(groups: &[Group], stopped: &BTreeMap<String, BTreeSet<String>>, version: &str) -> String {
    let mut passes = Vec::new();
    let mut stops: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for group in groups {
        let outcomes: BTreeSet<Option<&BTreeSet<String>>> =
            group.requests.iter().map(|asked| stopped.get(&asked.what)).collect();
        assert_eq!(outcomes.len(), 1, "{}: several outcomes: {outcomes:?}", group.words);
        let Some(names) = outcomes.into_iter().flatten().next() else {
            passes.push(group.words.as_str());
            continue;
        };
        for name in names {
            stops.entry(name).or_default().push(&group.words);
        }
    }
    let all: usize = groups.iter().map(|group| group.requests.len()).sum();
    let mut text = format!(
        "On Kubernetes {}, {} of {all} requests of kubelets, controllers and people pass with\n\
         `mode: protect`, `failurePolicy: Fail` and no policy server:\n\n",
        version.trim_start_matches('v'),
        all - stopped.len(),
    );
    for words in &passes {
        writeln!(text, "* {words}").unwrap();
    }
    text.push_str("\nEach policy stops some of the others:\n\n| policy | requests |\n|---|---|\n");
    for (_, name) in INSTANCES {
        let words = stops.get(name).unwrap_or_else(|| panic!("{name} stops no request"));
        writeln!(text, "| `{name}` | {} |", words.join("; ")).unwrap();
    }
    text
}
