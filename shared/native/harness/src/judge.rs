//! Judging a case in two ways, which must agree.

use std::cell::RefCell;

use admission::{
    CanI, Cluster, Decision, Get, How, List, Outcome, PolicyEntry, Reads, Response, Unreachable,
};
use cluster_objects::Objects;
use serde_json::Value;
#[cfg(feature = "modules")]
use wapc_host::{Deployment, Module, Resource};

use crate::{Case, CaseOutcome};

/// The result of judging a case.
#[derive(Debug)]
pub struct Judged {
    /// The outcome, which is compared with that of the case.
    pub outcome: CaseOutcome,
    /// The response as the host receives it; `None` if the settings are rejected.
    pub response: Option<Vec<u8>>,
}

/// Judges a case natively.
///
/// # Errors
/// Returns an error if the case is not a valid request, or if the policy makes a look-up that it
/// does not declare.
pub fn natively(entry: &PolicyEntry, case: &Case) -> Result<Judged, String> {
    let settings = settings(case);
    if let Err(error) = (entry.check_settings)(settings.to_string().as_bytes()) {
        return Ok(refused(error.to_string()));
    }
    let objects = case.objects()?;
    let recorded = Recorded {
        objects: &objects,
        reads: entry.reads,
        asked: RefCell::default(),
        undeclared: RefCell::default(),
    };
    let payload = case.admission_request()?.payload(&settings);
    let judged = (entry.judge)(&payload, &recorded);
    if let Some(question) = recorded.undeclared.into_inner() {
        return Err(format!("{question} is not declared in READS of {}", entry.id));
    }
    let response = (entry.render)(judged.clone());
    let bytes = response.to_json();
    let outcome = outcome(judged, response, recorded.asked.into_inner())?;
    Ok(Judged { outcome, response: Some(bytes) })
}

/// Judges a case by the module of the policy in the embedded host, with the permissions that the
/// policy declares.
///
/// # Errors
/// Returns an error if the case is not a valid request, if the module fails, or if its response
/// differs from the native one.
#[cfg(feature = "modules")]
pub fn through(module: &Module, entry: &PolicyEntry, case: &Case) -> Result<Judged, String> {
    let mut deployment = Deployment::new(entry.id);
    deployment.settings = settings(case);
    deployment.allowed_to_mutate = entry.mutates;
    for read in entry.reads.0 {
        deployment.host_capabilities.push(read.how.capability().to_owned());
        if !read.how.reads_objects() {
            continue;
        }
        deployment
            .context_aware_resources
            .push(Resource { api_version: read.api_version.to_owned(), kind: read.kind.to_owned() });
    }
    let policy = match module.deploy(deployment) {
        Ok(policy) => policy,
        Err(wapc_host::HostError::Settings(message)) => return Ok(refused(message)),
        Err(error) => return Err(error.to_string()),
    };
    let evaluation = policy.validate(&case.admission_request()?, &case.objects()?);
    let response = evaluation.raw.ok_or_else(|| format!("no response: {:?}", evaluation.response))?;
    let Judged { outcome, response: native } = natively(entry, case)?;
    if native.as_ref() != Some(&response) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let native = native.map(|native| text(&native));
        return Err(format!("the module responds {}, natively {native:?}", text(&response)));
    }
    let asked = evaluation.calls.iter().map(|call| asked(&call.operation, &call.payload)).collect();
    Ok(Judged { outcome: CaseOutcome { asked, ..outcome }, response: Some(response) })
}

/// Returns the settings as the host passes them to a module.
#[must_use]
pub fn settings(case: &Case) -> Value {
    if case.settings.is_null() { Value::Object(serde_json::Map::new()) } else { case.settings.clone() }
}

fn refused(message: String) -> Judged {
    let outcome = CaseOutcome { settings_error: Some(message), ..CaseOutcome::default() };
    Judged { outcome, response: None }
}

/// Returns the outcome of a request as a case file states it.
fn outcome(judged: Outcome, response: Response, asked: Vec<String>) -> Result<CaseOutcome, String> {
    let audit_annotations = judged.audit_annotations().iter();
    let mut outcome = CaseOutcome {
        warnings: judged.warnings().to_vec(),
        audit_annotations: audit_annotations.map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        asked,
        ..CaseOutcome::default()
    };
    match judged.decision {
        Decision::NotMatched | Decision::Admitted => outcome.admitted = Some(true),
        Decision::Mutated(object) => {
            let object = serde_json::from_str(&object);
            outcome.mutated = Some(object.map_err(|error| format!("the changed object: {error}"))?);
        }
        Decision::Denied(findings) => outcome.denied = Some(findings.lines()),
        Decision::Fault(_) => outcome.fault = response.message,
    }
    Ok(outcome)
}

/// Returns a host call as case files show it.
#[cfg(feature = "modules")]
fn asked(operation: &str, payload: &Value) -> String {
    let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let what = format!("{} {}", text("api_version"), text("kind"));
    match operation {
        "get_resource" => format!("get {what} {}", text("name")),
        "list_resources_all" => format!("list {what}"),
        "list_resources_by_namespace" => format!("list {what} in {}", text("namespace")),
        "can_i" => {
            let at = |path: &str| {
                let path = format!("/subject_access_review/{path}");
                payload.pointer(&path).and_then(Value::as_str).unwrap_or_default()
            };
            can_i(&CanI {
                user: at("user"),
                groups: &[],
                verb: at("resource_attributes/verb"),
                group: at("resource_attributes/group"),
                resource: at("resource_attributes/resource"),
                subresource: at("resource_attributes/subresource"),
                name: at("resource_attributes/name"),
                namespace: at("resource_attributes/namespace"),
            })
        }
        other => format!("{other} {what}"),
    }
}

/// Returns a question about a permission as case files show it.
fn can_i(wanted: &CanI<'_>) -> String {
    let what = wanted.to_string().replacen("permission to", "", 1);
    format!("can {}{what} in {}", wanted.user, wanted.namespace)
}

/// The objects of a case, with a record of the look-ups.
struct Recorded<'a> {
    objects: &'a Objects,
    reads: Reads,
    asked: RefCell<Vec<String>>,
    undeclared: RefCell<Option<String>>,
}

impl Recorded<'_> {
    fn record(&self, question: String, api_version: &str, kind: &str, how: How) {
        let declared =
            |read: &admission::Read| read.api_version == api_version && read.kind == kind && read.how == how;
        if !self.reads.0.iter().any(declared) {
            self.undeclared.replace(Some(question.clone()));
        }
        self.asked.borrow_mut().push(question);
    }
}

impl Cluster for Recorded<'_> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        let question = format!("get {} {} {}", wanted.api_version, wanted.kind, wanted.name);
        self.record(question, wanted.api_version, wanted.kind, How::Get);
        self.objects.get(wanted)
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        let List { api_version, kind, .. } = *wanted;
        let (question, how) = match wanted.namespace {
            None => (format!("list {api_version} {kind}"), How::ListAll),
            Some(namespace) => (format!("list {api_version} {kind} in {namespace}"), How::ListIn),
        };
        self.record(question, api_version, kind, how);
        Cluster::list(self.objects, wanted)
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        self.record(can_i(wanted), "authorization.k8s.io/v1", "SubjectAccessReview", How::CanI);
        Cluster::can_i(self.objects, wanted)
    }
}
