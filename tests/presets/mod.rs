//! Each preset of the chart admits what its system does itself, and stops the attacks on it.
//!
//! `artifacthub/charts/portcullis/presets/SYSTEM.yaml` is the preset. `tests/presets/SYSTEM.yaml`
//! holds the requests; the head of `tests/presets/kubeadm.yaml` explains the format.
//!
//! Every request is evaluated with what Helm makes of the default values and the preset, with all
//! instances in `mode: protect`: the rules, selectors and match conditions decide whether it
//! reaches an instance, and the module evaluates it with the settings of the instance. This happens
//! with the guard as it is installed, with the guard at the end of its roll-out, when it requires
//! the levels that the mutating instance adds, and then also without skipped namespaces.

mod instances;
mod rendering;
mod requests;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::chart::lay_over;
use tests::root;

pub(crate) use self::instances::values;
use self::instances::{Instance, default_values, everywhere, instances, preset_of, rolled_out};
use self::requests::{Asked, Reason, Skips, data, problem};
use crate::files::{names, read};

fn check(system: &str) {
    let requests = data(system);
    let values = values(system);
    let installed = instances(&values);
    let rolled_out = instances(&rolled_out(&values));
    let not_skipping = everywhere(&rolled_out);
    let defaults = instances(&default_values());
    let defaults_not_skipping = everywhere(&defaults);
    let mut problems: Vec<String> = Vec::new();
    for asked in &requests {
        let mut evaluate = |stage: &str, skips, instances: &[Instance]| {
            problems.extend(problem(skips, instances, asked).map(|problem| format!("{stage}: {problem}")));
        };
        evaluate("as installed", Skips::AsInTheValues, &installed);
        evaluate("rolled out", Skips::AsInTheValues, &rolled_out);
        let is_skipped = asked.expect.is_admitted_by(Reason::Skipping);
        if !is_skipped {
            evaluate("rolled out, without skipped namespaces", Skips::Nothing, &not_skipping);
        }
        // The reasons that the file states admit the request.
        let (skips, defaults) = asked.expect.stage(&defaults, &defaults_not_skipping);
        if asked.expect.is_admitted_by(Reason::Preset) && problem(skips, defaults, asked).is_none() {
            problems.push(format!("admitted without the preset: {}", asked.case.name));
        }
        if is_skipped && problem(Skips::Nothing, &not_skipping, asked).is_none() {
            problems.push(format!("admitted without skipped namespaces: {}", asked.case.name));
        }
    }
    assert!(problems.is_empty(), "{system}:\n{}", problems.join("\n"));
    let attacks = requests.iter().filter(|asked| !asked.expect.is_admitted()).count();
    assert!(attacks > 0 && attacks < requests.len(), "{system}: requests of the system and attacks");
}

/// Returns the places in the shared settings of a preset that could be left out: values of objects
/// outside of lists, items of lists with several items, and objects in lists.
fn places(at: &str, value: &Value) -> Vec<String> {
    let is_one = |value: &Value| !value.is_object() && !value.is_array();
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (format!("{at}/{key}"), value));
            let places = fields.map(|(at, field)| if is_one(field) { vec![at] } else { places(&at, field) });
            places.flatten().collect()
        }
        Value::Array(items) => (0..)
            .zip(items)
            .flat_map(|(index, item)| {
                let at = format!("{at}/{index}");
                let inner = places(&at, item).into_iter().filter(|place| place.ends_with(char::is_numeric));
                let own = (items.len() > 1 || item.is_object()).then(|| at.clone());
                own.into_iter().chain(inner).collect::<Vec<_>>()
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the values without a place, and without the list that would be empty.
fn without(values: &Value, place: &str) -> Value {
    let mut values = values.clone();
    let (outer, key) = place.rsplit_once('/').expect("a place in the values");
    match values.pointer_mut(outer) {
        Some(Value::Object(fields)) => _ = fields.remove(key),
        Some(Value::Array(items)) if items.len() == 1 => return without(&values, outer),
        Some(Value::Array(items)) => _ = items.remove(key.parse().expect("an index")),
        other => panic!("{place}: in {other:?}"),
    }
    values
}

/// Checks that the outcome of a request depends on each setting of a preset, and on each item of
/// its lists.
fn check_that_every_place_is_needed(system: &str) {
    let values = rolled_out(&values(system));
    let requests = data(system);
    let is_needless = |place: &String| {
        let instances = instances(&without(&values, place));
        let not_skipping = everywhere(&instances);
        let differs = |asked: &Asked| {
            let (skips, instances) = asked.expect.stage(&instances, &not_skipping);
            problem(skips, instances, asked).is_some()
        };
        instances.iter().all(Instance::has_valid_settings) && !requests.iter().any(differs)
    };
    let places = places("/settings", &preset_of(system)["settings"]);
    let needless: Vec<String> = places.into_iter().filter(is_needless).collect();
    assert!(needless.is_empty(), "{system}: no request depends on {needless:#?}");
}

macro_rules! presets {
    ($($test:ident => $system:literal),* $(,)?) => {
        pub(crate) const SYSTEMS: &[&str] = &[$($system),*];

        $(#[test]
        fn $test() {
            check($system);
            check_that_every_place_is_needed($system);
        })*
    };
}

presets! {
    bottlerocket_eks => "bottlerocket-eks",
    calico => "calico",
    cilium => "cilium",
    gke_aks => "gke-aks",
    k3s_rke2 => "k3s-rke2",
    kops => "kops",
    kubeadm => "kubeadm",
    longhorn => "longhorn",
    openshift => "openshift",
    prometheus => "prometheus",
    talos => "talos",
}

/// Lays a preset over others as `docs/presets.md` says: lists are appended.
fn append(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(key) {
                    Some(base) => append(base, value),
                    None => _ = base.insert(key.clone(), value.clone()),
                }
            }
        }
        (Value::Array(base), Value::Array(over)) => base.extend(over.iter().cloned()),
        (base, over) => *base = over.clone(),
    }
}

#[test]
fn a_distribution_and_its_addons_are_admitted_with_appended_presets() {
    const ADDONS: [&str; 4] = ["calico", "cilium", "longhorn", "prometheus"];
    for distribution in SYSTEMS.iter().filter(|system| !ADDONS.contains(system)) {
        let mut systems = ADDONS.to_vec();
        systems.push(distribution);
        let mut preset = json!({});
        for system in &systems {
            append(&mut preset, &preset_of(system));
        }
        let mut values = default_values();
        lay_over(&mut values, &preset);
        let instances = instances(&values);
        let not_skipping = everywhere(&instances);
        for asked in systems.iter().flat_map(|system| data(system)).filter(|a| a.expect.is_admitted()) {
            let (skips, instances) = asked.expect.stage(&instances, &not_skipping);
            assert_eq!(problem(skips, instances, &asked), None, "{distribution}");
        }
    }
}

#[test]
fn every_preset_has_requests_a_test_and_a_row_in_the_documentation() {
    let systems: BTreeSet<String> = SYSTEMS.iter().map(|&system| system.to_owned()).collect();
    for folder in ["artifacthub/charts/portcullis/presets", "tests/presets"] {
        let files = names(&root().join(folder));
        let found = files.iter().filter_map(|name| Some(name.strip_suffix(".yaml")?.to_owned()));
        assert_eq!(systems, found.collect(), "{folder}");
    }
    let page = read(&root().join("docs/presets.md"));
    for system in SYSTEMS {
        assert!(page.contains(&format!("| [`{system}`]")), "docs/presets.md: {system}");
    }
}

#[test]
fn a_request_of_a_preset_has_a_namespace_of_the_cluster() {
    for system in SYSTEMS {
        for Asked { case, .. } in data(system) {
            let request = case.request_value();
            let Some(namespace) = request["namespace"].as_str() else { continue };
            let known = case
                .cluster
                .objects
                .iter()
                .any(|object| object["kind"] == "Namespace" && object["metadata"]["name"] == namespace);
            assert!(known, "{system}: {}: the cluster has no Namespace {namespace}", case.name);
        }
    }
}
