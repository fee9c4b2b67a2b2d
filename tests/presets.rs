//! Each preset of the chart admits what its system does itself, and stops the attacks on it.
//!
//! `charts/portcullis/presets/SYSTEM.yaml` is the preset. `tests/presets/SYSTEM.yaml` holds the
//! requests; the head of `tests/presets/kubeadm.yaml` explains the format.
//!
//! Every request is judged with what Helm makes of the default values and the preset, with all
//! instances in `mode: protect`: the rules, selectors and match conditions decide whether it
//! reaches an instance, and the module judges it with the settings of the instance. This happens
//! with the guard as it is installed, with the guard at the end of its roll-out, when it requires
//! the levels that the mutating instance adds, and then also without skipped namespaces.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use admission::PolicyEntry;
use harness::{Case, CaseOutcome, judge};
use matching::{Decision, Webhook};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tests::root;

/// The label with the name of a Namespace, which the API server sets.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

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

/// A policy of the chart, as it is deployed in `mode: protect`.
#[derive(Debug)]
struct Instance {
    name: String,
    module: String,
    settings: Value,
    /// The rules, match conditions and selector of its webhook.
    spec: Value,
    webhook: Webhook,
}

impl Instance {
    fn new(name: &str, module: &str, settings: Value, skipped: &BTreeSet<String>) -> Self {
        let needs = deployment::find(module).expect("a policy").needs(&settings);
        let spec = json!({
            "rules": needs.rules,
            "matchConditions": needs.match_conditions,
            "namespaceSelector": selector(skipped),
        });
        let webhook = Webhook::from_spec(&spec).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), module: module.to_owned(), settings, spec, webhook }
    }

    fn entry(&self) -> &'static PolicyEntry {
        rules::CATALOG.iter().find(|entry| entry.id == self.module).expect("a module")
    }

    fn has_valid_settings(&self) -> bool {
        (self.entry().check_settings)(self.settings.to_string().as_bytes()).is_ok()
    }

    fn mutates(&self) -> bool {
        deployment::find(&self.module).expect("a policy").needs(&self.settings).mutating
    }

    /// Returns the same instance for all namespaces.
    fn everywhere(&self) -> Self {
        Self::new(&self.name, &self.module, self.settings.clone(), &BTreeSet::new())
    }

    /// Returns whether the API server sends the request to the instance.
    fn is_reached_by(&self, case: &Case) -> bool {
        let request = case.request_value();
        let namespace = request["namespace"].as_str().and_then(|name| {
            let is_named =
                |object: &&Value| object["kind"] == "Namespace" && object["metadata"]["name"] == name;
            case.cluster.objects.iter().find(is_named)
        });
        match self.webhook.decide(&request, namespace) {
            Decision::Called => true,
            Decision::ConditionFailed(error) => panic!("{}: {}: {error}", case.name, self.name),
            _ => false,
        }
    }
}

fn selector(skipped: &BTreeSet<String>) -> Value {
    if skipped.is_empty() {
        return json!({});
    }
    json!({ "matchExpressions": [{ "key": NAME_LABEL, "operator": "NotIn", "values": skipped }] })
}

/// Returns the instances that take part in admission, with their effective settings.
fn instances(values: &Value) -> Vec<Instance> {
    let policies = values["policies"].as_object().expect("policies");
    let taking_part =
        policies.iter().filter(|(_, policy)| policy["enabled"] == true && policy["audit"] != true);
    taking_part.map(|(name, policy)| instance(values, name, policy)).collect()
}

fn instance(values: &Value, name: &str, policy: &Value) -> Instance {
    let module = policy["module"].as_str().unwrap_or(name);
    let mut settings = match &values["settings"][module] {
        Value::Null => json!({}),
        shared => shared.clone(),
    };
    lay_over(&mut settings, &policy["settings"]);
    let mut skipped = BTreeSet::new();
    if deployment::find(module).expect("a policy").skips_infrastructure_namespaces() {
        let mut skip = |list: &Value| skipped.extend(texts(list).map(str::to_owned));
        skip(&values["skippedNamespaces"]);
        skip(&policy["skippedNamespaces"]);
        if values["skipInfrastructureNamespaces"] == true {
            skip(&values["infrastructureNamespaces"]);
        }
    }
    Instance::new(name, module, settings, &skipped)
}

fn default_values() -> Value {
    parse_one(&root().join("charts/portcullis/values.yaml"))
}

fn preset_of(system: &str) -> Value {
    parse_one(&root().join("charts/portcullis/presets").join(format!("{system}.yaml")))
}

/// Returns the default values of the chart with those of a preset.
fn values(system: &str) -> Value {
    let mut values = default_values();
    lay_over(&mut values, &preset_of(system));
    values
}

/// Returns the values at the end of the roll-out of `selinux`: the guard has the settings that all
/// instances share, without those of its first step.
fn rolled_out(values: &Value) -> Value {
    let mut values = values.clone();
    values["policies"]["selinux-guard"]["settings"] = json!({ "mode": "Validate" });
    values
}

// --- Requests ---

/// A request, and what should happen to it.
#[derive(Clone, Debug)]
struct Asked {
    case: Case,
    /// The instances that judge it, or all.
    policies: Option<BTreeSet<String>>,
    expect: Expect,
    /// JSON pointers to places that have no value when all instances have judged the object.
    unset: Vec<String>,
}

/// The expected outcome of a request; see `tests/presets/kubeadm.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Expect {
    Admitted,
    AdmittedBy(BTreeSet<Reason>),
    DeniedBy(BTreeSet<String>),
    DeniedUnlessSkipped(BTreeSet<String>),
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "camelCase")]
enum Reason {
    Preset,
    Skipping,
}

impl Expect {
    fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted | Self::AdmittedBy(_))
    }

    fn is_admitted_by(&self, reason: Reason) -> bool {
        matches!(self, Self::AdmittedBy(reasons) if reasons.contains(&reason))
    }

    /// Returns the instances that deny the request: none if it is admitted.
    fn denied_by(&self, skips: Skips) -> BTreeSet<String> {
        match self {
            Self::DeniedBy(names) => names.clone(),
            Self::DeniedUnlessSkipped(names) if skips == Skips::Nothing => names.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// Returns the instances that see the request: those that skip no namespace, unless a skipped
    /// namespace is what admits it.
    fn stage<'a>(&self, skipping: &'a [Instance], not_skipping: &'a [Instance]) -> (Skips, &'a [Instance]) {
        if self.is_admitted_by(Reason::Skipping) {
            (Skips::AsInTheValues, skipping)
        } else {
            (Skips::Nothing, not_skipping)
        }
    }

    fn names_nothing(&self) -> bool {
        match self {
            Self::Admitted => false,
            Self::AdmittedBy(reasons) => reasons.is_empty(),
            Self::DeniedBy(names) | Self::DeniedUnlessSkipped(names) => names.is_empty(),
        }
    }
}

/// The namespaces that the policies for pods skip.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Skips {
    AsInTheValues,
    Nothing,
}

/// Reads the requests of a system. Apart from `expect`, `policies` and `unset`, a request has the
/// fields of a case, and the objects of the file are in the cluster of each.
fn data(system: &str) -> Vec<Asked> {
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

fn read(system: &str, cluster: &Value, request: Value) -> Asked {
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

// --- Judging ---

/// The messages of the instances that deny a request, by name.
type Denials = BTreeMap<String, Vec<String>>;

/// Judges a request by all instances that mutate, one by one, and then by all others, with the
/// object that those have left. Returns the denials and that object. The API server would stop at
/// the first denial; here, all are seen.
fn judged<'a>(instances: impl Iterator<Item = &'a Instance>, case: &Case) -> (Denials, Option<Value>) {
    let (mutating, validating): (Vec<_>, Vec<_>) = instances.partition(|instance| instance.mutates());
    let mut case = case.clone();
    let mut denials = Denials::new();
    for instance in mutating.into_iter().chain(validating) {
        if !instance.is_reached_by(&case) {
            continue;
        }
        case.settings = instance.settings.clone();
        let judged = judge::natively(instance.entry(), &case)
            .unwrap_or_else(|error| panic!("{}: {error}", case.place()));
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
    (denials, case.object)
}

/// Returns what is wrong with the outcome of a request.
fn problem(skips: Skips, instances: &[Instance], asked: &Asked) -> Option<String> {
    let judging =
        |instance: &&Instance| asked.policies.as_ref().is_none_or(|names| names.contains(&instance.name));
    let (denials, object) = judged(instances.iter().filter(judging), &asked.case);
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

fn everywhere(instances: &[Instance]) -> Vec<Instance> {
    instances.iter().map(Instance::everywhere).collect()
}

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
        let mut judge = |stage: &str, skips, instances: &[Instance]| {
            problems.extend(problem(skips, instances, asked).map(|problem| format!("{stage}: {problem}")));
        };
        judge("as installed", Skips::AsInTheValues, &installed);
        judge("rolled out", Skips::AsInTheValues, &rolled_out);
        let is_skipped = asked.expect.is_admitted_by(Reason::Skipping);
        if !is_skipped {
            judge("rolled out, without skipped namespaces", Skips::Nothing, &not_skipping);
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
        const SYSTEMS: &[&str] = &[$($system),*];

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
    const ADDONS: [&str; 3] = ["calico", "cilium", "longhorn"];
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

/// Renders the chart with values in addition to the defaults, or returns `None` without helm.
fn rendered(name: &str, values: &Value) -> Option<Vec<Value>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("preset-{name}.yaml"));
    fs::write(&file, values.to_string()).unwrap();
    let program = env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
    // A path is relative to the root of the repository.
    let program = if program.components().count() > 1 { root().join(program) } else { program };
    let output = Command::new(program)
        .args(["template", "portcullis", "charts/portcullis", "--namespace", "kubewarden", "--values"])
        .arg(&file)
        .current_dir(root())
        .output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.unwrap(),
    };
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_saphyr::from_multiple(&String::from_utf8(output.stdout).unwrap()).unwrap())
}

#[test]
fn helm_renders_each_preset_as_it_is_judged() {
    for system in SYSTEMS {
        let mut protecting = preset_of(system);
        lay_over(&mut protecting, &json!({ "mode": "protect" }));
        let Some(objects) = rendered(system, &protecting) else {
            let why = "helm is not installed";
            tests::not_run("HELM", "the comparison of presets with what helm renders", why).unwrap();
            return;
        };
        let instances = instances(&values(system));
        assert!(!instances.is_empty());
        for Instance { name, settings, spec, .. } in instances {
            let is_it = |object: &&Value| {
                object["kind"] == "ClusterAdmissionPolicy" && object["metadata"]["name"] == name.as_str()
            };
            let policy = objects.iter().find(is_it).unwrap_or_else(|| panic!("{system}: no {name}"));
            assert_eq!(policy["spec"]["settings"], settings, "{system}: {name}");
            for (field, value) in spec.as_object().unwrap() {
                let is_set = |value: &&Value| **value != json!([]) && **value != json!({});
                let rendered = policy["spec"].get(field).filter(is_set);
                assert_eq!(rendered, Some(value).filter(is_set), "{system}: {name}: {field}");
            }
        }
    }
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
            let known = case
                .cluster
                .objects
                .iter()
                .any(|object| object["kind"] == "Namespace" && object["metadata"]["name"] == namespace);
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
