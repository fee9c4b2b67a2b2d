//! `pod-security`, compared with the plugin `PodSecurity` of Kubernetes.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::kubernetes::Kubernetes;
use tests::pods::generate::{self, WORKLOADS, workload};
use tests::pods::policy::{TestRequest, evaluate, settings};
use tests::pods::{Level, Version, tweaks};

use super::comparison::{Outcome, Plan, Row};

/// The ids of the checks that a request violates.
type Violated = BTreeSet<String>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    violated: Violated,
    /// The objects as webhooks receive them.
    object: Value,
    old_object: Value,
}

const UPDATES: &str =
    "updates of workloads: the plugin warns of each, and pod-security reviews them like those of pods";

/// Generates pods, workloads, and updates of pods and workloads: requests and, for an update of a
/// workload, the same update of its pod, with levels and versions.
fn cases() -> impl Strategy<Value = Value> {
    let subresources = select(&["", "ephemeralcontainers", "resize", "status"][..]);
    let workloads = || select(&WORKLOADS[..]);
    let request = |subresource: &str, object: Value, old: Option<Value>, of_pod: Option<[Value; 2]>| json!({ "subResource": subresource, "object": object, "oldObject": old, "ofPod": of_pod });
    let requests = prop_oneof![
        2 => generate::pod().prop_map(move |pod| request("", pod, None, None)),
        1 => (generate::pod(), workloads()).prop_map(move |(pod, kind)| request("", workload(kind, &pod), None, None)),
        2 => (generate::update(), subresources)
            .prop_map(move |((old, new), subresource)| request(subresource, new, Some(old), None)),
        1 => (generate::update(), workloads()).prop_map(move |((old, new), kind)| {
            request("", workload(kind, &new), Some(workload(kind, &old)), Some([old, new]))
        }),
    ];
    let settings =
        (generate::level(), generate::version()).prop_map(|(level, version)| settings(level, version));
    (requests, vec(settings, 1..4)).prop_map(|(mut request, settings)| {
        request["settings"] = settings.into();
        request
    })
}

/// Returns every tweak of a compliant pod, in each list of containers, at the newest version and at
/// one that changes a check.
fn tweaked() -> Vec<Value> {
    let mut versions = generate::versions().into_iter().cycle();
    let mut case = |pod| {
        let versions = [Version::Latest, versions.next().unwrap_or(Version::Latest)];
        let settings = versions
            .map(|version| [Level::Baseline, Level::Restricted].map(|level| settings(level, version)));
        json!({ "subResource": "", "object": pod, "oldObject": null, "ofPod": null, "settings": settings.concat() })
    };
    let pods = tweaks::all().into_iter().flat_map(|tweak| tweak.applied(&tweaks::pod()));
    pods.map(&mut case).collect()
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("pod-security")?;
    Row::compare(plan, tweaked(), &cases(), |case| {
        let mut outcome = Outcome::Equal;
        for settings in case["settings"].as_array().into_iter().flatten() {
            match compare_at(settings, case, &mut server)? {
                Outcome::Equal => {}
                Outcome::Named(reason) => outcome = Outcome::Named(reason),
                different @ Outcome::Different(_) => return Ok(different),
            }
        }
        Ok(outcome)
    })
}

/// Compares both sides at a level and a version.
fn compare_at(settings: &Value, case: &Value, server: &mut Kubernetes) -> Result<Outcome, String> {
    let mut ask = |subresource: &Value, object: &Value, old: &Value| {
        let mut question = settings.clone();
        question["subResource"] = subresource.clone();
        question["object"] = object.clone();
        question["oldObject"] = old.clone();
        server.ask::<Answer>(&question)
    };
    let theirs = ask(&case["subResource"], &case["object"], &case["oldObject"])?;
    let old = Some(&theirs.old_object).filter(|old| !old.is_null());
    let operation = if old.is_some() { "UPDATE" } else { "CREATE" };
    let subresource = case["subResource"].as_str().unwrap_or_default();
    let ours = evaluate(&TestRequest { operation, subresource, object: &theirs.object, old }, settings);
    let violated: Violated = ours.violated.iter().map(ToString::to_string).collect();
    if ours.admitted != violated.is_empty() {
        return Ok(Outcome::Different(format!("here: {ours:?}")));
    }
    if violated == theirs.violated {
        return Ok(Outcome::Equal);
    }
    if let [old, new] = case["ofPod"].as_array().map(Vec::as_slice).unwrap_or_default()
        && violated == ask(&"".into(), new, old)?.violated
    {
        return Ok(Outcome::Named(UPDATES));
    }
    Ok(Outcome::Different(format!("Kubernetes: {:?}; here: {violated:?}", theirs.violated)))
}
