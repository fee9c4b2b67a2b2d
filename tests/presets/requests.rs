//! The requests of a system, and their verdicts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};
use suite::cases::{Case, CaseOutcome};
use tests::chart::texts;
use tests::{evaluate, root};

use super::instances::{Instance, NAME_LABEL};
use crate::files::parse_one;

/// A request, and what should happen to it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) case: Case,
    /// The instances that evaluate it, or all.
    pub(crate) policies: Option<BTreeSet<String>>,
    pub(crate) expect: Expect,
    /// JSON pointers to places that have no value when all instances have evaluated the object.
    pub(crate) unset: Vec<String>,
}

/// The expected outcome of a request; see `tests/presets/kubeadm.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Expect {
    Admitted,
    AdmittedBy(BTreeSet<Reason>),
    DeniedBy(BTreeSet<String>),
    DeniedUnlessSkipped(BTreeSet<String>),
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Reason {
    Preset,
    Skipping,
}

impl Expect {
    pub(crate) fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted | Self::AdmittedBy(_))
    }

    pub(crate) fn is_admitted_by(&self, reason: Reason) -> bool {
        matches!(self, Self::AdmittedBy(reasons) if reasons.contains(&reason))
    }

    /// Returns the instances that deny the request: none if it is admitted.
    pub(crate) fn denied_by(&self, skips: Skips) -> BTreeSet<String> {
        match self {
            Self::DeniedBy(names) => names.clone(),
            Self::DeniedUnlessSkipped(names) if skips == Skips::Nothing => names.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// Returns the instances that see the request: those that skip no namespace, unless a skipped
    /// namespace is what admits it.
    pub(crate) fn stage<'a>(
        &self,
        skipping: &'a [Instance],
        not_skipping: &'a [Instance],
    ) -> (Skips, &'a [Instance]) {
        if self.is_admitted_by(Reason::Skipping) {
            (Skips::AsInTheValues, skipping)
        } else {
            (Skips::Nothing, not_skipping)
        }
    }

    pub(crate) fn names_nothing(&self) -> bool {
        match self {
            Self::Admitted => false,
            Self::AdmittedBy(reasons) => reasons.is_empty(),
            Self::DeniedBy(names) | Self::DeniedUnlessSkipped(names) => names.is_empty(),
        }
    }
}

/// The namespaces that the policies for pods skip.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Skips {
    AsInTheValues,
    Nothing,
}

/// Reads the requests of a system. Apart from `expect`, `policies` and `unset`, a request has the
/// fields of a case, and the objects of the file are in the cluster of each.
pub(crate) fn data(system: &str) -> Vec<Asked> {
    let path = root().join("tests/presets").join(format!("{system}.yaml"));
    let mut file = match parse_one(&path) {
        Value::Object(file) => file,
        other => panic!("{}: {other}: expected an object", path.display()),
    };
    let mut take = |name: &str| file.remove(name).unwrap_or_default();
    let (mut cluster, requests) = (take("cluster"), take("requests"));
    for object in cluster["objects"].as_array_mut().into_iter().flatten() {
        if object["kind"] == "Namespace" {
            object["metadata"]["labels"][NAME_LABEL] = object["metadata"]["name"].clone();
        }
    }
    take("shared");
    assert!(file.is_empty(), "{}: unknown {:?}", path.display(), file.keys());
    let Value::Array(requests) = requests else { panic!("{}: no requests", path.display()) };
    requests.into_iter().map(|request| read(system, &cluster, request)).collect()
}

pub(crate) fn read(system: &str, cluster: &Value, request: Value) -> Asked {
    let Value::Object(mut request) = request else { panic!("{system}: {request}: not an object") };
    let place = format!("{system}: {}", request["name"]);
    let expect = request.remove("expect").unwrap_or_default();
    let expect = Expect::deserialize(expect).unwrap_or_else(|error| panic!("{place}: expect: {error}"));
    assert!(!expect.names_nothing(), "{place}: {expect:?}");
    let names = |list: Value| texts(&list).map(str::to_owned).collect();
    let policies = request.remove("policies").map(names);
    let unset = texts(&request.remove("unset").unwrap_or_default()).map(str::to_owned).collect();
    request.insert("cluster".to_owned(), cluster.clone());
    // The parser of cases wants an outcome, which the requests of presets state for each instance.
    request.insert("want".to_owned(), json!({ "admitted": true }));
    let case: Case =
        serde_json::from_value(Value::Object(request)).unwrap_or_else(|e| panic!("{place}: {e}"));
    Asked { case, policies, expect, unset }
}

/// The messages of the instances that deny a request, by name.
pub(crate) type Denials = BTreeMap<String, Vec<String>>;

/// Evaluates a request by all instances that mutate, one by one, and then by all others, with the
/// object that those have left. Returns the denials and that object. The API server would stop at
/// the first denial; here, all are seen.
pub(crate) fn evaluated<'a>(
    instances: impl Iterator<Item = &'a Instance>,
    case: &Case,
) -> (Denials, Option<Value>) {
    let (mutating, validating): (Vec<_>, Vec<_>) = instances.partition(|instance| instance.mutates());
    let mut case = case.clone();
    let mut denials = Denials::new();
    for instance in mutating.into_iter().chain(validating) {
        if !instance.is_reached_by(&case) {
            continue;
        }
        case.settings = instance.settings().clone();
        let evaluated = evaluate::natively(instance.entry(), &case)
            .unwrap_or_else(|error| panic!("{}: {error}", case.place()));
        let CaseOutcome { admitted, denied, mutated, fault, settings_error, .. } = evaluated.outcome;
        match (denied, mutated) {
            (Some(lines), _) => _ = denials.insert(instance.name().to_owned(), lines),
            (_, Some(object)) => case.object = Some(object),
            _ => assert!(
                admitted == Some(true),
                "{}: {}: {:?}",
                case.place(),
                instance.name(),
                fault.or(settings_error)
            ),
        }
    }
    (denials, case.object)
}

/// Returns what is wrong with the outcome of a request.
pub(crate) fn problem(skips: Skips, instances: &[Instance], asked: &Asked) -> Option<String> {
    let evaluating =
        |instance: &&Instance| asked.policies.as_ref().is_none_or(|names| names.contains(instance.name()));
    let (denials, object) = evaluated(instances.iter().filter(evaluating), &asked.case);
    let is_set = |place: &&String| object.as_ref().is_some_and(|object| object.pointer(place).is_some());
    if let Some(place) = asked.unset.iter().find(is_set) {
        return Some(format!("{}: {place} is set", asked.case.name));
    }
    let wanted = asked.expect.denied_by(skips);
    let fits = if wanted.is_empty() {
        denials.is_empty()
    } else {
        wanted.iter().all(|name| denials.contains_key(name))
    };
    (!fits).then(|| format!("{}: want {wanted:?}, got {denials:#?}", asked.case.name))
}
