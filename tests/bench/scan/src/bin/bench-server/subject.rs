//! The modules to measure, and the requests that they get.

use std::path::{Path, PathBuf};

use bench_scan::{Call, Module};
use serde_json::{Value, json};

/// The requests of `tests/bench/requests` for each module. None needs a look-up, because there is
/// no cluster.
const REQUESTS: [(&str, &[&str]); 5] = [
    ("external-ips", &["service-create", "pod-create"]),
    ("node-labels", &["node-update"]),
    ("node-pods", &["pod-create"]),
    ("pod-security", &["pod-create", "pod-create-large"]),
    ("selinux", &["pod-create"]),
];

/// The requests for the modules that the user names.
const OTHERS: &[&str] = &["pod-create", "pod-create-large"];

#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) modules: Vec<Module>,
    pub(crate) rows: Vec<Row>,
}

/// Requests that are sent in turn: the names of the module and of the request.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    requests: Vec<(String, &'static str)>,
}

/// Returns the modules to measure: each, all in one server, and those of files.
pub(crate) fn subjects(files: impl Iterator<Item = String>) -> Result<Vec<Subject>, String> {
    let mut subjects = Vec::new();
    for (id, requests) in REQUESTS {
        subjects.push(Subject::single(own(id)?, requests));
    }
    let requests = REQUESTS.iter().filter_map(|(id, requests)| Some(((*id).to_owned(), *requests.first()?)));
    subjects.push(Subject {
        name: format!("all {}, in turn", REQUESTS.len()),
        modules: REQUESTS.iter().map(|(id, _)| own(id)).collect::<Result<_, _>>()?,
        rows: vec![Row { name: "the first of each".to_owned(), requests: requests.collect() }],
    });
    for file in files {
        let path = Path::new(&file).canonicalize().map_err(|error| format!("{file}: {error}"))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        subjects.push(Subject::single(Module { name, file: path, settings: json!({}) }, OTHERS));
    }
    Ok(subjects)
}

pub(crate) fn floor() -> Result<Module, String> {
    built("floor", "target/server-floor.wasm")
}

fn own(id: &str) -> Result<Module, String> {
    built(id, &format!("target/policies/{id}.wasm"))
}

fn built(name: &str, path: &str) -> Result<Module, String> {
    let file = root().join(path).canonicalize();
    let file = file.map_err(|error| format!("{path}: {error}; run ./justw modules server-floor"))?;
    Ok(Module { name: name.to_owned(), file, settings: json!({}) })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

impl Subject {
    fn single(module: Module, requests: &[&'static str]) -> Self {
        let row = |request: &&'static str| Row {
            name: format!("`{request}`"),
            requests: vec![(module.name.clone(), *request)],
        };
        Self {
            name: format!("`{}`", module.name),
            rows: requests.iter().map(row).collect(),
            modules: vec![module],
        }
    }
}

impl Row {
    /// Returns the calls, to the policies of the row or all to `policy`.
    pub(crate) fn calls(&self, policy: Option<&str>) -> Result<Vec<Call>, String> {
        let call = |(own, request): &(String, &str)| {
            Ok(Call { policy: policy.unwrap_or(own).to_owned(), review: review(request)?, is_audit: false })
        };
        self.requests.iter().map(call).collect()
    }
}

/// Returns a request of `tests/bench/requests` as the API server sends it.
fn review(request: &str) -> Result<String, String> {
    let path = format!("tests/bench/requests/{request}.json");
    let text = std::fs::read(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
    let request: Value = serde_json::from_slice(&text).map_err(|error| format!("{path}: {error}"))?;
    let review =
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request });
    Ok(review.to_string())
}
