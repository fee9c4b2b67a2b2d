//! Cases of a list: each asks one module, whatever the rules of its policy are.

use manifest::{Cursor, Mistake};
use scan::{Module, Request};
use serde_json::Value;

use crate::compare::{Difference, Named, compare};
use crate::got::{Got, Verdict};
use crate::policies::{Policies, Settings};
use crate::want::Want;

const KEYS: [&str; 11] = [
    "name",
    "source",
    "settings",
    "operation",
    "subresource",
    "user",
    "object",
    "oldObject",
    "request",
    "cluster",
    "want",
];

const WANT: [&str; 8] =
    ["admitted", "denied", "mutated", "fault", "settingsError", "warnings", "auditAnnotations", "asked"];

/// Runs a case, and returns its verdict and how it differs from what the case wants.
pub(super) fn case(
    at: &Cursor<'_>,
    index: usize,
    policy: &str,
    policies: &mut Policies<'_>,
) -> Result<(Verdict, Vec<Difference>), Mistake> {
    at.check_keys(&KEYS)?;
    if let Some(want) = at.get("want") {
        want.check_keys(&WANT)?;
    }
    if let Some(cluster) = at.get("cluster") {
        cluster.check_keys(&["objects", "unreachable"])?;
    }
    let case = crate::cases::read(index, at.value.clone()).map_err(|problem| at.mistake(problem))?;
    let settings = match &case.settings {
        Value::Null => Settings::new(),
        settings => [(policy.to_owned(), settings.clone())].into(),
    };
    let loaded = policies.with(&settings).map_err(|problem| at.mistake(problem))?;
    let Some(policy) = loaded.first() else { return Err(at.mistake("there is no policy")) };
    let modules: Vec<&Module> = policy.modules().collect();
    let [module] = modules.as_slice() else {
        return Err(at.mistake("a list of cases is about one module; test a group in a file with policies"));
    };
    if let Some(problem) = policy.problem() {
        return Err(at.mistake(format!("policy {policy} cannot be loaded: {problem}")));
    }
    let got = match policy.settings_error() {
        Some(problem) => Got::new(Verdict::SettingsError(problem)),
        None => of_module(module, &case).map_err(|problem| at.mistake(problem))?,
    };
    let name = policy.reference.name.clone();
    let want = Want::of_outcome(case.want);
    let differences = compare(&name, Named::Yes(&want), &got, true).into_iter().collect();
    Ok((got.verdict, differences))
}

/// Asks a module about the request of a case of a list.
fn of_module(module: &Module, case: &crate::cases::Case) -> Result<Got, String> {
    let cluster = match &case.cluster.unreachable {
        Some(reason) => scan::Cluster::unreachable(reason),
        None => scan::Cluster::of_objects(case.cluster.objects.clone()).map_err(|error| error.to_string())?,
    };
    let request = Request::new(case.admission_request()?.as_value().clone());
    Ok(Got::of_module(&module.evaluate(&request, &cluster)))
}
