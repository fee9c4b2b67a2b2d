//! Evaluating a case in two ways, which must agree. Both ask the engine of `scan`, as
//! `portcullis scan` and `portcullis test` do.

use admission::PolicyEntry;
use scan::{Cluster, Effect, Engine, Module, Request};
use serde_json::Value;
use suite::cases::{Case, CaseOutcome};
#[cfg(feature = "modules")]
use wapc_host::{Deployment, Module as WasmModule, Resource};

/// The result of evaluating a case.
#[derive(Debug)]
pub struct Evaluated {
    /// The outcome, which is compared with that of the case.
    pub outcome: CaseOutcome,
    /// The response of the module in the embedded host; `None` if it was not asked.
    pub response: Option<Vec<u8>>,
}

/// A policy with the settings and the cluster of a case, which evaluates the case and changed ones.
#[derive(Debug)]
pub struct Native {
    entry: &'static PolicyEntry,
    module: Module,
    cluster: Cluster,
}

impl Native {
    /// Creates the policy for a case.
    ///
    /// # Errors
    /// Returns an error if the objects of the cluster are not valid.
    pub fn new(entry: &'static PolicyEntry, case: &Case) -> Result<Self, String> {
        let look_ups = granted(entry).map(|(version, kind)| (version.to_owned(), kind.to_owned())).collect();
        let module = Module::new(&settings(case), Engine::Native(entry), look_ups);
        Ok(Self { entry, module, cluster: cluster(case)? })
    }

    /// Evaluates the request of a case, which has the same settings and cluster.
    ///
    /// # Errors
    /// Returns an error if the case is not a valid request, or if the policy makes a look-up that
    /// it does not declare.
    pub fn evaluate(&self, case: &Case) -> Result<Evaluated, String> {
        evaluated(&self.module, self.entry, case, &self.cluster)
    }
}

/// Evaluates a case natively.
///
/// # Errors
/// Returns an error if the case is not a valid request, or if the policy makes a look-up that it
/// does not declare.
pub fn natively(entry: &'static PolicyEntry, case: &Case) -> Result<Evaluated, String> {
    Native::new(entry, case)?.evaluate(case)
}

fn granted(entry: &PolicyEntry) -> impl Iterator<Item = (&'static str, &'static str)> {
    let reads = entry.reads.0.iter().filter(|read| read.how.reads_objects());
    reads.map(|read| (read.api_version, read.kind))
}

/// Evaluates a case by the module of the policy in the embedded host, with the permissions that the
/// policy declares.
///
/// # Errors
/// Returns an error if the case is not a valid request, if the module fails, or if its response
/// differs from the native one.
#[cfg(feature = "modules")]
pub fn through(module: &WasmModule, entry: &'static PolicyEntry, case: &Case) -> Result<Evaluated, String> {
    let mut deployment = Deployment::new(entry.id);
    deployment.settings = settings(case);
    deployment.allowed_to_mutate = entry.mutates;
    deployment.host_capabilities =
        entry.reads.0.iter().map(|read| read.how.capability().to_owned()).collect();
    deployment.context_aware_resources = granted(entry)
        .map(|(version, kind)| Resource { api_version: version.to_owned(), kind: kind.to_owned() })
        .collect();
    let engine = match module.deploy(deployment) {
        // Without the twin, the answer is that of the module alone.
        Ok(policy) => Engine::Deployed { policy: Box::new(policy), twin: None },
        Err(wapc_host::HostError::Settings(message)) => Engine::Refused(message),
        Err(error) => return Err(error.to_string()),
    };
    let module = Module::new(&settings(case), engine, Vec::new());
    let deployed = evaluated(&module, entry, case, &cluster(case)?)?;
    if deployed.outcome.settings_error.is_some() {
        return Ok(deployed);
    }
    let response =
        deployed.response.as_ref().ok_or_else(|| format!("no response: {:?}", deployed.outcome))?;
    let payload = case.admission_request()?.payload(&settings(case));
    let native = entry.respond(&payload, &*case.objects()?).to_json();
    if native != *response {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return Err(format!("the module responds {}, natively {}", text(response), text(&native)));
    }
    Ok(deployed)
}

/// Returns the settings as the host passes them to a module.
#[must_use]
pub fn settings(case: &Case) -> Value {
    if case.settings.is_null() { Value::Object(serde_json::Map::new()) } else { case.settings.clone() }
}

fn cluster(case: &Case) -> Result<Cluster, String> {
    match &case.cluster.unreachable {
        Some(reason) => Ok(Cluster::unreachable(reason)),
        None => Cluster::of_objects(case.cluster.objects.clone()).map_err(|error| error.to_string()),
    }
}

fn evaluated(
    module: &Module,
    entry: &PolicyEntry,
    case: &Case,
    cluster: &Cluster,
) -> Result<Evaluated, String> {
    if let Engine::Refused(message) = &module.engine {
        let outcome = CaseOutcome { settings_error: Some(message.clone()), ..CaseOutcome::default() };
        return Ok(Evaluated { outcome, response: None });
    }
    let request = Request::new(case.admission_request()?.as_value().clone());
    let verdict = module.evaluate(&request, cluster);
    let is_declared = |look_up: &scan::LookUp| {
        entry.reads.0.iter().any(|read| {
            read.api_version == look_up.api_version
                && read.kind == look_up.kind
                && Some(read.how) == look_up.how
        })
    };
    if let Some(look_up) = verdict.look_ups.iter().find(|look_up| !is_declared(look_up)) {
        return Err(format!("{look_up} is not declared in READS of {}", entry.id));
    }
    let mut audit_annotations = verdict.audit_annotations;
    // The test `rule_ids` is about it.
    audit_annotations.remove(admission::RULES);
    let mut outcome = CaseOutcome {
        warnings: verdict.warnings,
        audit_annotations,
        asked: verdict.look_ups.iter().map(ToString::to_string).collect(),
        ..CaseOutcome::default()
    };
    match verdict.effect {
        Effect::Admitted => outcome.admitted = Some(true),
        Effect::Mutated(object) => outcome.mutated = Some(object),
        Effect::Denied(denial) => outcome.denied = Some(denial.lines()),
        Effect::Fault(message) => outcome.fault = Some(message),
        Effect::Unknown(reason) => return Err(reason),
        Effect::Skipped | Effect::Monitored(_) => return Err("a module alone has no deployment".to_owned()),
    }
    Ok(Evaluated { outcome, response: verdict.answer })
}
