//! Each preset of the chart admits what its system does itself, and stops the attacks on it.
//!
//! `charts/portcullis/presets/SYSTEM.yaml` is the preset. `tests/presets/SYSTEM.yaml` holds the
//! requests; the head of `tests/presets/kubeadm.yaml` explains the format. Every request is judged natively with
//! the settings that Helm makes of the default values and the preset, with all instances in
//! `mode: protect`: once as the chart installs them, and once with the guard at the end of its
//! roll-out, when it requires the levels that the mutating instance adds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use admission::PolicyEntry;
use harness::{Case, CaseOutcome, judge};
use serde_json::{Map, Value, json};
use tests::root;

/// The modules whose instances skip namespaces. Nodes and Services are judged everywhere.
const SKIPPING: &[&str] = &["pod-security", "selinux"];

fn parse_one(path: &PathBuf) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    <[Value; 1]>::try_from(documents).map(|[document]| document).expect("one document")
}

/// Lays values over others as Helm does: maps are merged, null removes a key, all else is replaced.
fn lay_over(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    base.remove(key);
                } else {
                    lay_over(base.entry(key.clone()).or_insert_with(|| json!({})), value);
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

// --- Presets and instances ---

/// A policy of the chart, as it is deployed.
#[derive(Clone, Debug)]
struct Instance {
    name: String,
    module: String,
    settings: Value,
    skipped: BTreeSet<String>,
}

impl Instance {
    fn mutates(&self) -> bool {
        self.settings["mode"] == "Mutate" || self.settings["mode"] == "Munge"
    }
}

/// Returns the instances that take part in admission, with their effective settings.
fn instances(values: &Value) -> Vec<Instance> {
    let policies = values["policies"].as_object().expect("policies");
    let taking_part = policies.iter().filter(|(name, policy)| {
        policy["enabled"] == true && policy["audit"] != true && !name.ends_with("-audit")
    });
    taking_part.map(|(name, policy)| instance(values, name, policy)).collect()
}

fn instance(values: &Value, name: &str, policy: &Value) -> Instance {
    let module = policy["module"].as_str().unwrap_or(name).to_owned();
    let mut settings = match &values["settings"][&module] {
        Value::Null => json!({}),
        shared => shared.clone(),
    };
    lay_over(&mut settings, &policy["settings"]);
    // The chart refuses node policies that only warn in `mode: protect`.
    if let Value::Object(settings) = &mut settings {
        settings.retain(|key, value| key != "mode" || value != "Warn");
    }
    let mut skipped: BTreeSet<String> = texts(&policy["skippedNamespaces"]).map(str::to_owned).collect();
    if SKIPPING.contains(&module.as_str()) {
        if values["skipInfrastructureNamespaces"] == true {
            skipped.extend(texts(&values["infrastructureNamespaces"]).map(str::to_owned));
        }
        skipped.extend(texts(&values["skippedNamespaces"]).map(str::to_owned));
    }
    Instance { name: name.to_owned(), module, settings, skipped }
}

fn default_values() -> Value {
    parse_one(&root().join("charts/portcullis/values.yaml"))
}

/// Returns the default values of the chart with those of a preset.
fn values(system: &str) -> Value {
    let mut values = default_values();
    let preset = root().join("charts/portcullis/presets").join(format!("{system}.yaml"));
    lay_over(&mut values, &parse_one(&preset));
    values
}

/// Gives the guard the settings of the mutating instance, as at the end of its roll-out, except for
/// those that only change pods.
fn rolled_out(instances: &[Instance]) -> Vec<Instance> {
    let mut instances = instances.to_vec();
    let settings = instances.iter().find(|instance| instance.name == "selinux-default").map(|i| i.settings.clone());
    for guard in instances.iter_mut().filter(|instance| instance.name == "selinux-guard") {
        if let Some(settings) = &settings {
            guard.settings.clone_from(settings);
            lay_over(&mut guard.settings, &json!({ "mode": "Validate", "volumes": { "changePolicy": null } }));
        }
    }
    instances
}

// --- Requests ---

/// A request, and what should happen to it.
#[derive(Clone, Debug)]
struct Asked {
    case: Case,
    /// The instances that judge it, or all.
    policies: Option<BTreeSet<String>>,
    /// The instances that deny it, each by a rule; none if it is admitted.
    denied_by: BTreeSet<String>,
    /// The default values would deny it.
    by_preset: bool,
    /// It would be denied if its namespace were not skipped.
    by_skipping: bool,
}

/// Reads the requests of a system. Apart from `expect` and `policies`, a request has the fields of a case, and the
/// objects of the file are in the cluster of each.
fn data(system: &str) -> Vec<Asked> {
    let path = root().join("tests/presets").join(format!("{system}.yaml"));
    let mut file = match parse_one(&path) {
        Value::Object(file) => file,
        other => panic!("{}: {other}: expected an object", path.display()),
    };
    let mut take = |name: &str| file.remove(name).unwrap_or_default();
    let (cluster, requests) = (take("cluster"), take("requests"));
    take("shared");
    assert!(file.is_empty(), "{}: unknown {:?}", path.display(), file.keys());
    let Value::Array(requests) = requests else { panic!("{}: no requests", path.display()) };
    requests.into_iter().map(|request| read(system, &cluster, request)).collect()
}

fn read(system: &str, cluster: &Value, request: Value) -> Asked {
    let Value::Object(mut request) = request else { panic!("{system}: {request}: not an object") };
    let place = format!("{system}: {}", request["name"]);
    let names = |list: &Value| texts(list).map(str::to_owned).collect::<BTreeSet<String>>();
    let (mut denied_by, mut reasons) = (BTreeSet::new(), BTreeSet::new());
    match request.remove("expect") {
        Some(Value::String(text)) if text == "admitted" => {}
        Some(Value::Object(expect)) if expect.keys().eq(["admittedBy"]) => {
            reasons = names(&expect["admittedBy"]);
            assert!(!reasons.is_empty(), "{place}: no reason");
        }
        Some(Value::Object(expect)) if expect.keys().eq(["deniedBy"]) => {
            denied_by = names(&expect["deniedBy"]);
            assert!(!denied_by.is_empty(), "{place}: nobody denies it");
        }
        other => panic!("{place}: expect: {other:?}"),
    }
    let policies = request.remove("policies").as_ref().map(names);
    let (by_preset, by_skipping) = (reasons.remove("preset"), reasons.remove("skipping"));
    assert!(reasons.is_empty(), "{place}: admittedBy: {reasons:?}");
    request.insert("cluster".to_owned(), cluster.clone());
    // The parser of cases wants an outcome, which the requests of presets state for each instance.
    request.insert("want".to_owned(), json!({ "admitted": true }));
    let case: Case = serde_json::from_value(Value::Object(request)).unwrap_or_else(|e| panic!("{place}: {e}"));
    Asked { case, policies, denied_by, by_preset, by_skipping }
}

// --- Judging ---

fn entry(instance: &Instance) -> &'static PolicyEntry {
    rules::CATALOG.iter().find(|entry| entry.id == instance.module).expect("a module")
}

/// Returns whether the API server sends the request to the instance.
fn reaches(instance: &Instance, request: &Value) -> bool {
    let namespace = request["namespace"].as_str();
    namespace.is_none_or(|namespace| !instance.skipped.contains(namespace))
}

/// Judges a request by all instances that mutate, one after another, and then by all others, with
/// the object that those have left. Returns who denies it and why. The API server would stop at the
/// first denial; here, all are seen.
fn denials<'a>(instances: impl Iterator<Item = &'a Instance>, case: &Case) -> BTreeMap<String, Vec<String>> {
    let (mutating, validating): (Vec<_>, Vec<_>) = instances.partition(|instance| instance.mutates());
    let mut case = case.clone();
    let mut denials = BTreeMap::new();
    for instance in mutating.into_iter().chain(validating) {
        if !reaches(instance, &case.request_value()) {
            continue;
        }
        case.settings = instance.settings.clone();
        let judged = judge::natively(entry(instance), &case).unwrap_or_else(|error| panic!("{}: {error}", case.place()));
        let CaseOutcome { admitted, denied, mutated, fault, settings_error, .. } = judged.outcome;
        match (denied, mutated) {
            (Some(lines), _) => _ = denials.insert(instance.name.clone(), lines),
            (_, Some(object)) => case.object = Some(object),
            _ => assert!(
                admitted == Some(true),
                "{}: {}: {:?}",
                case.place(),
                instance.name,
                fault.or(settings_error)
            ),
        }
    }
    denials
}

/// Returns what is wrong with the outcome of a request.
fn problem(stage: &str, instances: &[Instance], asked: &Asked) -> Option<String> {
    let judging = |instance: &&Instance| asked.policies.as_ref().is_none_or(|names| names.contains(&instance.name));
    let denials = denials(instances.iter().filter(judging), &asked.case);
    let fits = match asked.denied_by.is_empty() {
        true => denials.is_empty(),
        false => asked.denied_by.iter().all(|name| denials.contains_key(name)),
    };
    (!fits).then(|| format!("{stage}: {}: {denials:#?}", asked.case.name))
}

/// Returns the instances without the namespaces that they skip.
fn not_skipping(instances: &[Instance]) -> Vec<Instance> {
    let all = |instance: &Instance| Instance { skipped: BTreeSet::new(), ..instance.clone() };
    instances.iter().map(all).collect()
}

fn check(system: &str) {
    let requests = data(system);
    let installed = instances(&values(system));
    let rolled_out = rolled_out(&installed);
    let everywhere = not_skipping(&rolled_out);
    let defaults = instances(&default_values());
    let defaults_everywhere = not_skipping(&defaults);
    let mut problems: Vec<String> = Vec::new();
    for asked in &requests {
        problems.extend(problem("as installed", &installed, asked));
        problems.extend(problem("rolled out", &rolled_out, asked));
        if !asked.by_skipping {
            problems.extend(problem("rolled out, without skipped namespaces", &everywhere, asked));
        }
        // What admits the request is what the file says.
        let defaults = if asked.by_skipping { &defaults } else { &defaults_everywhere };
        if asked.by_preset && problem("", defaults, asked).is_none() {
            problems.push(format!("admitted without the preset: {}", asked.case.name));
        }
        if asked.by_skipping && problem("", &everywhere, asked).is_none() {
            problems.push(format!("admitted without skipped namespaces: {}", asked.case.name));
        }
    }
    assert!(problems.is_empty(), "{system}:\n{}", problems.join("\n"));
    let attacks = requests.iter().filter(|asked| !asked.denied_by.is_empty()).count();
    assert!(attacks > 0 && attacks < requests.len(), "{system}: requests of the system and attacks");
}

/// Returns the items of lists in the shared settings of a preset that could be left out: those of
/// lists with several items, and objects.
fn items(at: &str, value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (format!("{at}/{key}"), value)).collect(),
        Value::Array(items) => (0..).zip(items).map(|(i, item)| (format!("{at}/{i}"), item)).collect(),
        _ => Vec::new(),
    };
    let can_go = |item: &Value| {
        value.as_array().is_some_and(|list| list.len() > 1 || item.is_object())
    };
    let own = children.iter().filter(|(_, item)| can_go(item)).map(|(at, _)| at.clone());
    own.chain(children.iter().flat_map(|(at, child)| items(at, child))).collect()
}

/// Returns the values without an item of a list; the list, too, if it is empty then.
fn without(values: &Value, item: &str) -> Value {
    let mut values = values.clone();
    let (list, index) = item.rsplit_once('/').expect("an item of a list");
    let items = values.pointer_mut(list).and_then(Value::as_array_mut).expect("a list");
    items.remove(index.parse().expect("an index"));
    if items.is_empty() {
        let (object, key) = list.rsplit_once('/').expect("a list in an object");
        values.pointer_mut(object).and_then(Value::as_object_mut).expect("an object").remove(key);
    }
    values
}

/// Checks that each item of a list in the settings of a preset admits a request.
fn check_that_every_item_is_needed(system: &str) {
    let values = values(system);
    let preset = parse_one(&root().join("charts/portcullis/presets").join(format!("{system}.yaml")));
    let requests = data(system);
    let needless: Vec<String> = items("/settings", &preset["settings"]).into_iter().filter(|item| {
        let instances = instances(&without(&values, item));
        let valid = instances.iter().all(|instance| {
            (entry(instance).check_settings)(instance.settings.to_string().as_bytes()).is_ok()
        });
        let everywhere = not_skipping(&instances);
        let denied = |asked: &Asked| {
            let instances = if asked.by_skipping { &instances } else { &everywhere };
            asked.denied_by.is_empty() && problem("", instances, asked).is_some()
        };
        valid && !requests.iter().any(denied)
    }).collect();
    assert!(needless.is_empty(), "{system}: no request of the system needs {needless:#?}");
}

macro_rules! presets {
    ($($test:ident => $system:literal),* $(,)?) => {
        const SYSTEMS: &[&str] = &[$($system),*];

        $(#[test]
        fn $test() {
            check($system);
            check_that_every_item_is_needed($system);
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
    talos => "talos",
}

fn names_in(directory: &str, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_preset_has_requests_a_test_and_a_row_in_the_documentation() {
    let systems: BTreeSet<String> = SYSTEMS.iter().map(|&system| system.to_owned()).collect();
    assert_eq!(systems, names_in("charts/portcullis/presets", "yaml"));
    assert_eq!(systems, names_in("tests/presets", "yaml"));
    let page = fs::read_to_string(root().join("docs/presets.md")).unwrap();
    for system in systems {
        assert!(page.contains(&format!("| [`{system}`]")), "docs/presets.md: {system}");
    }
}

#[test]
fn a_request_of_a_preset_has_a_namespace_of_the_cluster() {
    for system in SYSTEMS {
        for Asked { case, .. } in data(system) {
            let request = case.request_value();
            let Some(namespace) = request["namespace"].as_str() else { continue };
            let known = case.cluster.objects.iter().any(|object| {
                object["kind"] == "Namespace" && object["metadata"]["name"] == namespace
            });
            assert!(known, "{system}: {}: the cluster has no Namespace {namespace}", case.name);
        }
    }
}

#[test]
fn maps_are_merged_and_lists_replaced_as_helm_does() {
    let mut base = json!({ "a": { "b": [1, 2], "c": 1, "d": 2 } });
    lay_over(&mut base, &json!({ "a": { "b": [3], "c": null }, "e": { "f": 1 } }));
    assert_eq!(base, json!({ "a": { "b": [3], "d": 2 }, "e": { "f": 1 } }));
    assert_eq!(base.as_object().map(Map::len), Some(2));
}
