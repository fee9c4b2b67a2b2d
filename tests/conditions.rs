//! Match conditions keep no request away that the policy would deny or change.
//!
//! Every case and changed case is a request. The conditions that a deployment has with the settings
//! of the case are evaluated by a CEL implementation. The policy has to admit each request
//! that they keep away, and leave it unchanged. No condition is an error for an object that an API
//! server can send, because the API server would reject the request.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use admission::PolicyEntry;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    Namespace, Node, PersistentVolume, Pod, PodTemplate, ReplicationController, Service,
};
use k8s_openapi::api::policy::v1::Eviction;
use kubewarden::deployment::MatchCondition;
use kubewarden::matching::{Condition, Decision, Variables, Webhook};
use libtest_mimic::{Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use suite::cases::Case;
use tests::{evaluate, laws};

/// Returns the test of the conditions of a policy.
pub(crate) fn trial(entry: &'static PolicyEntry, cases: Vec<Case>) -> Trial {
    Trial::test(entry.id, move || check(entry, &cases)).with_kind("conditions")
}

/// The results of the conditions of a policy.
#[derive(Default)]
pub(crate) struct Seen {
    /// The compiled conditions, by expression.
    compiled: HashMap<String, Condition>,
    /// How often each condition was true and false, by name.
    values: BTreeMap<String, (usize, usize)>,
    /// Requests with a condition that is an error. The API server rejects them.
    errors: usize,
    /// Requests that no rule matches.
    unruled: usize,
    /// Requests that were kept away.
    kept_away: usize,
    /// Requests with an object that an API server cannot send, and that the policy cannot evaluate.
    malformed: usize,
}

impl Seen {
    /// Returns whether one of the conditions keeps a request away.
    pub(crate) fn keep_away(
        &mut self,
        conditions: Vec<MatchCondition>,
        request: &Value,
    ) -> Result<bool, String> {
        let variables = Variables::of(request);
        let (mut is_kept_away, mut is_error) = (false, false);
        for MatchCondition { name, expression } in conditions {
            let condition = match self.compiled.entry(expression) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let condition =
                        Condition::compile(&name, new.key()).map_err(|error| error.to_string())?;
                    new.insert(condition)
                }
            };
            let (is_true, is_false) = self.values.entry(name).or_default();
            match condition.holds(&variables) {
                Ok(true) => *is_true += 1,
                Ok(false) => {
                    *is_false += 1;
                    is_kept_away = true;
                }
                Err(error) if is_sent_by_api_servers(request) => return Err(error.to_string()),
                Err(_) => is_error = true,
            }
        }
        self.errors += usize::from(is_error && !is_kept_away);
        Ok(is_kept_away)
    }
}

fn check(entry: &'static PolicyEntry, cases: &[Case]) -> Result<(), Failed> {
    let mut seen = Seen::default();
    for case in cases {
        keeps_away_only_what_is_admitted(entry, case, &mut seen)
            .map_err(|error| format!("{}: {error}", case.place()))?;
    }
    let seen = changed(entry, cases, seen)?;
    println!(
        "{}: {} kept away, {} malformed, {} with an error, {} without a rule",
        entry.id, seen.kept_away, seen.malformed, seen.errors, seen.unruled
    );
    for (name, (is_true, is_false)) in &seen.values {
        println!("{}: {name}: {is_true} times true, {is_false} times false", entry.id);
        if *is_true == 0 || *is_false == 0 {
            return Err(format!("{name} was not both true and false").into());
        }
    }
    let mut names = kubewarden::deployment::find(entry.id).ok_or("no deployment.yml")?.condition_names();
    match names.find(|name| !seen.values.contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(format!("{name} was never evaluated").into()),
    }
}

/// How a case is changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Another value at one place of its objects.
    Value,
    /// An update of the object to one with another value.
    Update,
    /// An update of the object to one with other metadata.
    Metadata,
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![Just(Self::Value), Just(Self::Update), Just(Self::Metadata)]
    }

    fn of(self, case: &Case, at: usize, value: &Value) -> Case {
        const FIELDS: [&str; 5] = ["annotations", "finalizers", "labels", "managedFields", "ownerReferences"];
        let is_created = case.operation.is_none() && case.old_object.is_none();
        let mut changed = match self {
            Self::Metadata if is_created => case.clone(),
            _ => laws::changed(case, at, value),
        };
        if let (Self::Metadata, Some(metadata)) =
            (self, changed.object.as_mut().and_then(|object| object.get_mut("metadata")?.as_object_mut()))
        {
            metadata.insert(FIELDS[at % FIELDS.len()].to_owned(), value.clone());
        }
        if is_created && !matches!(self, Self::Value) {
            changed.old_object.clone_from(&case.object);
        }
        changed
    }
}

/// Evaluates the conditions for changed cases, too.
fn changed(entry: &'static PolicyEntry, cases: &[Case], seen: Seen) -> Result<Seen, Failed> {
    let seen = RefCell::new(seen);
    let values = prop_oneof![
        Just(json!({})),
        Just(json!([])),
        Just(json!({ "a": "b" })),
        Just(json!([{ "name": "x" }])),
        Just(json!(["192.0.2.1"])),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
    ];
    let mut runner = TestRunner::new(Config { source_file: Some(file!()), ..tests::bounded(1_000) });
    let chosen = (any::<prop::sample::Index>(), any::<usize>(), values, Change::any());
    runner
        .run(&chosen, |(index, at, value, change)| {
            let case = change.of(index.get(cases), at, &value);
            keeps_away_only_what_is_admitted(entry, &case, &mut seen.borrow_mut()).map_err(|error| {
                let objects = (&case.old_object, &case.object);
                TestCaseError::fail(format!("{}: {error}: {objects:?}", case.place()))
            })
        })
        .map_err(|error| Failed::from(error.to_string()))?;
    Ok(seen.into_inner())
}

fn keeps_away_only_what_is_admitted(
    entry: &'static PolicyEntry,
    case: &Case,
    seen: &mut Seen,
) -> Result<(), String> {
    let settings = evaluate::settings(case);
    let (Ok(request), Ok(())) =
        (case.admission_request(), (entry.check_settings)(settings.to_string().as_bytes()))
    else {
        return Ok(());
    };
    let deployment = kubewarden::deployment::find(entry.id).ok_or("no deployment.yml")?;
    let needs = deployment.needs(&settings);
    let request = request.as_value();
    let rules = Webhook::from_spec(&json!({ "rules": needs.rules })).map_err(|error| error.to_string())?;
    if rules.decide(request, None) == Decision::NoRuleMatches {
        seen.unruled += 1;
        let denied = evaluate::natively(entry, case)?.outcome.denied;
        return match denied {
            Some(lines) if is_sent_by_api_servers(request) && !is_left_out(entry.id, request, &settings) => {
                Err(format!("no rule, but {lines:?}"))
            }
            _ => Ok(()),
        };
    }
    let in_manifest = deployment.manifest_needs(&settings).match_conditions;
    let is_kept_away = [needs.match_conditions, in_manifest]
        .into_iter()
        .map(|conditions| seen.keep_away(conditions, request))
        .try_fold(false, |before, is_kept_away| Ok::<_, String>(is_kept_away? || before))?;
    if !is_kept_away {
        return Ok(());
    }
    let outcome = evaluate::natively(entry, case)?.outcome;
    if outcome.admitted.is_some() {
        seen.kept_away += 1;
    } else if outcome.fault.is_some() && !is_sent_by_api_servers(request) {
        seen.malformed += 1;
    } else {
        return Err(format!("kept away, but {outcome:?}"));
    }
    Ok(())
}

/// Returns whether the rules leave out a request on purpose although the policy evaluates it.
fn is_left_out(id: &str, request: &Value, settings: &Value) -> bool {
    let subresource = &request["subResource"];
    match id {
        // The guard evaluates it.
        "selinux" => settings["mode"] != "Validate",
        // RBAC grants nodes no other updates of pods.
        "node-pods" => settings["nodeBoundTokens"] != "Restrict" && *subresource != "status",
        // API servers have no such subresource of pods.
        "pod-security" => {
            !["", "ephemeralcontainers", "resize"].contains(&subresource.as_str().unwrap_or(""))
        }
        _ => false,
    }
}

/// Returns whether an API server can send the request. It decodes objects to the types of their
/// kind and encodes them again before it calls webhooks, so absent fields are never null, and a
/// stored object and a user have names.
fn is_sent_by_api_servers(request: &Value) -> bool {
    fn is_a<T: DeserializeOwned>(object: &Value) -> bool {
        object["metadata"].is_object() && !has_null(object) && T::deserialize(object).is_ok()
    }
    fn has_null(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(items) => items.iter().any(has_null),
            Value::Object(fields) => fields.values().any(has_null),
            _ => false,
        }
    }
    let is_of_kind: fn(&Value) -> bool = match request["kind"]["kind"].as_str().unwrap_or_default() {
        "CronJob" => is_a::<CronJob>,
        "DaemonSet" => is_a::<DaemonSet>,
        "Deployment" => is_a::<Deployment>,
        "Eviction" => is_a::<Eviction>,
        "Job" => is_a::<Job>,
        "Namespace" => is_a::<Namespace>,
        "Node" => is_a::<Node>,
        "PersistentVolume" => is_a::<PersistentVolume>,
        "Pod" => is_a::<Pod>,
        "PodTemplate" => is_a::<PodTemplate>,
        "ReplicaSet" => is_a::<ReplicaSet>,
        "ReplicationController" => is_a::<ReplicationController>,
        "Service" => is_a::<Service>,
        "StatefulSet" => is_a::<StatefulSet>,
        "PodAttachOptions" | "PodExecOptions" | "PodPortForwardOptions" | "PodProxyOptions" => {
            Value::is_object
        }
        _ => |_| false,
    };
    let has = |field: &str| is_of_kind(&request[field]);
    let is_named = |field: &str| {
        let names = [&request["name"], &request[field]["metadata"]["name"]];
        names.iter().all(|name| name.as_str().is_some_and(|name| !name.is_empty()))
    };
    // Kubewarden's audit scanner sends the kind instead.
    let is_plural = |name: &str| name.ends_with('s') && name.chars().all(|char| char.is_ascii_lowercase());
    let is_of_resource = request["resource"]["resource"].as_str().is_some_and(is_plural);
    let is_authenticated = request["userInfo"]["username"].as_str().is_some_and(|name| !name.is_empty());
    is_authenticated
        && is_of_resource
        && match request["operation"].as_str() {
            Some("UPDATE") => is_named("object") && has("object") && has("oldObject"),
            Some("DELETE") => is_named("oldObject") && has("oldObject"),
            _ => has("object") && request["oldObject"].is_null(),
        }
}
