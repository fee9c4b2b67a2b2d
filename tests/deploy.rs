//! The manifests in `deploy` are valid and agree with their policies, and the chart renders the
//! same objects.
//!
//! The files `tests/deploy/*.yaml` that begin with a line of inputs are renderings by Helm's
//! engine. If `helm` is on PATH, or `HELM` names a compatible program (`tests/deploy/helm.py`), the
//! tests render the chart and compare the result with these files; with `BLESS` they write the
//! files. Otherwise the line of inputs has to match the current templates and values. The other
//! tests read the files.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use packaging::Metadata;
use serde_json::{Map, Value, json};
use tests::root;

/// The renderings, with the values file of each in addition to the defaults.
const RENDERINGS: &[(&str, Option<&str>)] = &[
    ("default.yaml", None),
    ("changed.yaml", Some("changed.values.yaml")),
    ("group.yaml", Some("group.values.yaml")),
];

/// The kinds that the default permissions of a policy server allow to look up.
const DEFAULT_RIGHTS: &[&str] = &["Namespace", "Pod", "Service", "Ingress"];

/// Resources that the audit scanner, with the role `view`, cannot list by default.
const NOT_LISTED: &[&str] = &["nodes", "persistentvolumes", "podtemplates"];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap()
}

fn parse_one(path: &Path) -> Value {
    parse(&read(path)).remove(0)
}

fn chart() -> PathBuf {
    root().join("charts/portcullis")
}

fn data(name: &str) -> PathBuf {
    root().join("tests/deploy").join(name)
}

/// Returns the objects by kind and name, and panics on a duplicate.
fn by_name(objects: Vec<Value>) -> BTreeMap<(String, String), Value> {
    let mut named = BTreeMap::new();
    for object in objects {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("a name: {object}")).to_owned();
        let key = (text(&object["kind"]), text(&object["metadata"]["name"]));
        assert!(named.insert(key.clone(), object).is_none(), "duplicate {key:?}");
    }
    named
}

/// Returns the resources of the kustomize base.
fn base_files() -> Vec<String> {
    let kustomization = parse_one(&root().join("deploy/kustomization.yaml"));
    texts(&kustomization["resources"])
}

fn base() -> Vec<Value> {
    base_files().iter().flat_map(|file| parse(&read(&root().join("deploy").join(file)))).collect()
}

fn group() -> Vec<Value> {
    parse(&read(&root().join("deploy/group.yaml")))
}

/// The renderings as text. With `BLESS` and a helm program, they are written before they are read.
static RENDERED: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let text = |(name, values): &(&'static str, Option<&str>)| {
        let path = data(name);
        if harness::bless::is_wanted()
            && let Some(rendered) = helm(values.map(data).as_deref())
        {
            let rendered = rendered.unwrap_or_else(|error| panic!("{name}: {error}"));
            fs::write(&path, format!("{}{rendered}", inputs(*values))).unwrap();
        }
        (*name, read(&path))
    };
    RENDERINGS.iter().map(text).collect()
});

fn rendering(name: &str) -> Vec<Value> {
    parse(&RENDERED[name])
}

fn texts(list: &Value) -> Vec<String> {
    let text = |item: &Value| item.as_str().unwrap().to_owned();
    list.as_array().map(|items| items.iter().map(text).collect()).unwrap_or_default()
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

// --- Schemas ---

/// Returns whether a text matches one of the regular expressions of the schemas.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let lower = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let (first, last) = (text.bytes().next(), text.bytes().last());
    match pattern {
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" => {
            text.bytes().all(|c| lower(c) || c == b'-') && first.is_some_and(lower) && last.is_some_and(lower)
        }
        "^[_a-zA-Z][_a-zA-Z0-9]*$" => {
            text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
                && first.is_some_and(|c| !c.is_ascii_digit())
        }
        "^sha256:[0-9a-f]{64}$" => text.strip_prefix("sha256:").is_some_and(|hex| {
            hex.len() == 64 && hex.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
        }),
        other => panic!("{other}: a pattern that this test does not support"),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("{other}: a type that this test does not support"),
    }
}

fn length(value: &Value) -> u64 {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    length.try_into().unwrap()
}

/// Appends the violations of a schema by a value.
fn check(root: &Value, schema: &Value, path: &str, value: &Value, found: &mut Vec<String>) {
    let fields = value.as_object();
    for (keyword, rule) in schema.as_object().unwrap() {
        let size = || rule.as_u64().unwrap();
        let kept = match keyword.as_str() {
            "$ref" => {
                check(root, root.pointer(&rule.as_str().unwrap()[1..]).unwrap(), path, value, found);
                true
            }
            "type" => has_type(value, rule.as_str().unwrap()),
            "enum" => items(rule).contains(value),
            "pattern" => value.as_str().is_some_and(|text| matches_pattern(rule.as_str().unwrap(), text)),
            "minLength" | "minItems" | "minProperties" => length(value) >= size(),
            "maxLength" | "maxItems" => length(value) <= size(),
            "minimum" => value.as_u64().is_some_and(|number| number >= size()),
            "maximum" => value.as_u64().is_some_and(|number| number <= size()),
            "uniqueItems" => {
                let items = items(value);
                items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
            }
            "items" => {
                for (at, item) in items(value).iter().enumerate() {
                    check(root, rule, &format!("{path}[{at}]"), item, found);
                }
                true
            }
            "required" => texts(rule).iter().all(|name| value.get(name).is_some()),
            "properties" => {
                for (name, below) in rule.as_object().unwrap() {
                    if let Some(field) = value.get(name) {
                        check(root, below, &format!("{path}.{name}"), field, found);
                    }
                }
                true
            }
            "additionalProperties" => {
                for (name, field) in fields.into_iter().flatten() {
                    if schema["properties"].get(name).is_some() {
                        continue;
                    }
                    let path = format!("{path}.{name}");
                    match rule.as_bool() {
                        Some(allowed) if allowed => {}
                        Some(_) => found.push(format!("{path}: unknown")),
                        None => check(root, rule, &path, field, found),
                    }
                }
                true
            }
            "propertyNames" => {
                for (name, _) in fields.into_iter().flatten() {
                    check(root, rule, &format!("{path}.{name}"), &json!(name), found);
                }
                true
            }
            "description" | "$schema" | "definitions" => true,
            other => panic!("{other}: a keyword that this test does not support"),
        };
        if !kept {
            found.push(format!("{path}: {keyword}: {rule}"));
        }
    }
}

fn violations(root: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, schema, "", value, &mut found);
    found
}

// --- Manifests ---

/// Returns the reasons for which the API server or Kubewarden's webhooks would reject an object.
fn invalid(schemas: &Value, object: &Value) -> Vec<String> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let Some(schema) = schemas["definitions"].get(kind) else { return vec![format!("{kind}: unknown kind")] };
    let mut found = violations(schemas, schema, object);
    let spec = &object["spec"];
    let seconds = |of: &Value, field: &str| of[field].as_u64();
    let limit = seconds(spec, "timeoutSeconds").unwrap_or(10);
    let members = spec["policies"].as_object().into_iter().flatten();
    let of_members = members.filter_map(|(_, member)| seconds(member, "timeoutEvalSeconds"));
    if seconds(spec, "timeoutEvalSeconds").into_iter().chain(of_members).sum::<u64>() > limit {
        found.push("spec: timeoutEvalSeconds: more than timeoutSeconds".to_owned());
    }
    let names: Vec<&Value> =
        items(&spec["matchConditions"]).iter().map(|condition| &condition["name"]).collect();
    if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
        found.push("spec.matchConditions: duplicate name".to_owned());
    }
    for requirement in items(&spec["namespaceSelector"]["matchExpressions"]) {
        let takes_values = ["In", "NotIn"].contains(&requirement["operator"].as_str().unwrap_or_default());
        if takes_values != requirement.get("values").is_some() {
            found.push("spec.namespaceSelector: values".to_owned());
        }
    }
    if let Some(expression) = spec["expression"].as_str() {
        for (name, _) in spec["policies"].as_object().into_iter().flatten() {
            if !expression.contains(&format!("{name}()")) {
                found.push(format!("spec.expression: does not use {name}()"));
            }
        }
    }
    found
}

#[test]
fn every_object_is_valid_for_the_api_server() {
    let schemas = parse_one(&data("schemas.yaml"));
    let rendered = RENDERINGS.iter().flat_map(|(name, _)| rendering(name));
    for object in base().into_iter().chain(group()).chain(rendered) {
        let found = invalid(&schemas, &object);
        assert!(found.is_empty(), "{}: {found:#?}", object["metadata"]["name"]);
    }
}

#[test]
fn invalid_objects_are_detected() {
    let schemas = parse_one(&data("schemas.yaml"));
    let objects = by_name(base().into_iter().chain(group()).collect());
    let policy = ("ClusterAdmissionPolicy", "pod-security");
    let of_group = ("ClusterAdmissionPolicyGroup", "restricted-or-confined");
    let role = ("ClusterRole", "portcullis-node-pods");
    let twice = json!([{ "name": "a", "expression": "true" }, { "name": "a", "expression": "true" }]);
    let many: Vec<Value> =
        (0..65).map(|at| json!({ "name": format!("c{at}"), "expression": "true" })).collect();
    for ((kind, name), path, value) in [
        (policy, "/apiVersion", json!("policies.kubewarden.io/v2")),
        (policy, "/kind", json!("Policy")),
        (policy, "/metadata/name", json!("Pod_Security")),
        (policy, "/spec/mode", json!("audit")),
        (policy, "/spec/mutating", json!("false")),
        (policy, "/spec/failurePolicy", json!("fail")),
        (policy, "/spec/timeoutSeconds", json!(31)),
        (policy, "/spec/timeoutSeconds", json!("5")),
        (policy, "/spec/timeoutEvalSeconds", json!(1)),
        (policy, "/spec/timeoutEvalSeconds", json!(6)),
        (policy, "/spec/settings", json!([])),
        (policy, "/spec/rules", json!([])),
        (policy, "/spec/rules/0/resources", json!([])),
        (policy, "/spec/rules/0/operations", json!(["PATCH"])),
        (
            policy,
            "/spec/rules/0",
            json!({ "apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"] }),
        ),
        (policy, "/spec/matchConditions", twice),
        (policy, "/spec/matchConditions", json!(many)),
        (policy, "/spec/matchConditions/0/expression", json!("")),
        (policy, "/spec/matchConditions/0", json!({ "name": "a", "expressions": "true" })),
        (policy, "/spec/namespaceSelector/matchExpressions/0/operator", json!("Exists")),
        (policy, "/spec/namespaceSelector/matchExpressions/0/operator", json!("Not")),
        (policy, "/spec/contextAwareResources/0", json!({ "kind": "Namespace" })),
        (policy, "/spec", json!({ "module": "registry://a", "mutating": false })),
        (of_group, "/spec/message", json!("")),
        (of_group, "/spec/policies", json!({})),
        (of_group, "/spec/policies", json!({ "a-b": { "module": "registry://a" } })),
        (of_group, "/spec/expression", json!("restricted() || baseline()")),
        (of_group, "/spec/timeoutSeconds", json!(5)),
        (role, "/rules/0/verbs", json!([])),
    ] {
        let mut object = objects[&(kind.to_owned(), name.to_owned())].clone();
        *object.pointer_mut(path).unwrap_or_else(|| panic!("{name}: no {path}")) = value.clone();
        assert!(!invalid(&schemas, &object).is_empty(), "{name}: {path}: {value}");
    }
}

type Requests = BTreeSet<(String, String, String, String)>;

/// Expands rules to single requests: group, version, resource and operation.
fn expand(rules: &Value) -> Requests {
    let mut requests = Requests::new();
    for rule in items(rules) {
        for group in texts(&rule["apiGroups"]) {
            for version in texts(&rule["apiVersions"]) {
                for resource in texts(&rule["resources"]) {
                    for operation in texts(&rule["operations"]) {
                        requests.insert((group.clone(), version.clone(), resource.clone(), operation));
                    }
                }
            }
        }
    }
    requests
}

fn metadata(id: &str) -> Metadata {
    Metadata::from_yaml(&read(&root().join("policies").join(id).join("metadata.yml"))).unwrap()
}

/// Returns the id of the module in an address, without registry, tag and digest.
fn module_id(module: &Value) -> &str {
    let (_, name) = module.as_str().unwrap().rsplit_once('/').unwrap();
    name.split_once(['@', ':']).unwrap().0
}

/// Checks a policy or a member of a group: its module accepts the settings, and declares the kinds
/// to look up.
fn check_evaluation(name: &str, evaluation: &Value) {
    let id = module_id(&evaluation["module"]);
    let entry = rules::find(id).unwrap_or_else(|| panic!("{name}: {id} is not a policy"));
    let settings = evaluation["settings"].to_string();
    (entry.check_settings)(settings.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let declared = serde_json::to_value(metadata(id).context_aware_resources).unwrap();
    for kind in items(&evaluation["contextAwareResources"]) {
        assert!(items(&declared).contains(kind), "{name}: {kind}");
    }
}

/// Returns whether a module with these settings changes objects.
fn changes(id: &str, settings: &Value) -> bool {
    match (id, settings["mode"].as_str()) {
        ("selinux", mode) => mode != Some("Validate"),
        ("node-pods", mode) => mode == Some("Munge"),
        _ => false,
    }
}

#[test]
fn every_policy_declares_the_needs_of_its_module_and_settings() {
    for objects in [base(), group(), rendering("changed.yaml")] {
        let named = by_name(objects);
        for ((kind, name), object) in &named {
            let spec = &object["spec"];
            match kind.as_str() {
                "ClusterAdmissionPolicy" => {
                    check_evaluation(name, spec);
                    let id = module_id(&spec["module"]);
                    assert_eq!(spec["mutating"], json!(changes(id, &spec["settings"])), "{name}: mutating");
                    let needs_role = items(&spec["contextAwareResources"])
                        .iter()
                        .any(|read| !DEFAULT_RIGHTS.contains(&read["kind"].as_str().unwrap()));
                    let role = ("ClusterRole".to_owned(), format!("portcullis-{name}"));
                    assert_eq!(named.contains_key(&role), needs_role, "{name}: permissions");
                }
                "ClusterAdmissionPolicyGroup" => {
                    for (member, policy) in spec["policies"].as_object().unwrap() {
                        check_evaluation(&format!("{name}: {member}"), policy);
                        assert!(!changes(module_id(&policy["module"]), &policy["settings"]), "{member}");
                    }
                }
                "ClusterRoleBinding" => {
                    let role =
                        ("ClusterRole".to_owned(), object["roleRef"]["name"].as_str().unwrap().to_owned());
                    assert!(named.contains_key(&role), "{name}: {role:?}");
                }
                _ => {
                    let kinds = items(&object["rules"]).iter().flat_map(|rule| texts(&rule["resources"]));
                    assert!(kinds.count() > 0);
                    let binding = ("ClusterRoleBinding".to_owned(), name.clone());
                    assert!(named.contains_key(&binding), "{name}: has no binding");
                }
            }
        }
    }
}

#[test]
fn the_base_has_every_policy_with_its_rules_in_monitor_mode() {
    let mut requests: BTreeMap<&str, Requests> = BTreeMap::new();
    let (objects, of_group) = (base(), group());
    for object in objects.iter().chain(&of_group) {
        let (name, spec) = (object["metadata"]["name"].as_str().unwrap(), &object["spec"]);
        let Some(mode) = spec.get("mode") else { continue };
        assert_eq!(mode, "monitor", "{name}");
        let rules = expand(&spec["rules"]);
        // The audit scanner sends CREATE, and cannot list subresources and some other resources.
        if spec["backgroundAudit"] == json!(true) {
            for (_, _, resource, _) in &rules {
                let listed = !resource.contains('/') && !NOT_LISTED.contains(&resource.as_str());
                assert!(listed, "{name}: backgroundAudit, {resource}");
            }
            assert!(
                rules.iter().any(|(_, _, _, operation)| operation == "CREATE"),
                "{name}: backgroundAudit"
            );
        }
        let Some(module) = spec.get("module") else { continue };
        let id = module_id(module);
        let metadata = metadata(id);
        let version = env!("CARGO_PKG_VERSION");
        let address =
            format!("registry://{}:v{version}", metadata.annotations["io.kubewarden.policy.ociUrl"]);
        assert_eq!(module, &json!(address), "{name}");
        for key in ["io.kubewarden.policy.category", "io.kubewarden.policy.severity"] {
            assert_eq!(object["metadata"]["annotations"][key], json!(metadata.annotations[key]), "{name}");
        }
        if !metadata.background_audit && !name.ends_with("-audit") {
            assert_eq!(spec["backgroundAudit"], json!(false), "{name}");
        }
        let known = expand(&serde_json::to_value(&metadata.rules).unwrap());
        assert!(rules.is_subset(&known), "{name}: {:?}", rules.difference(&known));
        requests.entry(id).or_default().extend(rules);
    }
    let known: BTreeMap<&str, Requests> = rules::CATALOG
        .iter()
        .map(|entry| (entry.id, expand(&serde_json::to_value(metadata(entry.id).rules).unwrap())))
        .collect();
    assert_eq!(requests, known);
}

#[test]
fn both_instances_of_selinux_match_the_same_pods() {
    let objects = by_name(base());
    let spec = |name: &str| &objects[&("ClusterAdmissionPolicy".to_owned(), name.to_owned())]["spec"];
    let (default, guard) = (spec("selinux-default"), spec("selinux-guard"));
    assert!(expand(&default["rules"]).is_subset(&expand(&guard["rules"])));
    for field in ["module", "policyServer", "namespaceSelector", "contextAwareResources"] {
        assert_eq!(default[field], guard[field], "{field}");
    }
}

/// The match conditions of the policies for pods exclude updates that do not change the spec. The
/// module would not deny any of these.
#[test]
fn requests_excluded_by_match_conditions_are_not_denied() {
    let mut excluded = 0;
    for entry in rules::CATALOG.iter().filter(|entry| ["pod-security", "selinux"].contains(&entry.id)) {
        for case in harness::load_dir(&root().join("policies").join(entry.id).join("cases")).unwrap() {
            let (Some(object), Some(old)) = (&case.object, &case.old_object) else { continue };
            let is_excluded = object.get("spec").is_some() && object.get("spec") == old.get("spec");
            if is_excluded && object["kind"] != "Namespace" && case.subresource.is_none() {
                assert!(case.want.denied.is_none(), "{}: {}", entry.id, case.name);
                excluded += 1;
            }
        }
    }
    assert!(excluded > 0);
}

#[test]
fn every_file_except_the_example_is_in_the_base() {
    let mut files = base_files();
    files.extend(["group.yaml", "kustomization.yaml", "README.md"].map(str::to_owned));
    let present: BTreeSet<String> = fs::read_dir(root().join("deploy"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(BTreeSet::from_iter(files), present);
}

// --- Renderings ---

/// Returns a line with a hash of all files that a rendering depends on.
fn inputs(values: Option<&str>) -> String {
    let mut files = vec![chart().join("Chart.yaml"), chart().join("values.yaml")];
    files.extend(fs::read_dir(chart().join("templates")).unwrap().map(|entry| entry.unwrap().path()));
    files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    files.extend(values.map(data));
    // FNV-1a, because the hashes of the standard library can change.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in files.iter().flat_map(|path| read(path).into_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("# inputs: {hash:016x}\n")
}

/// Returns the output of a program, or `None` if the program is not installed.
fn output(program: &Path, arguments: &[&str]) -> Option<Result<String, String>> {
    let output = match Command::new(program).args(arguments).current_dir(root()).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.unwrap_or_else(|error| panic!("{}: {error}", program.display())),
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Some(if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) })
}

fn helm(values: Option<&Path>) -> Option<Result<String, String>> {
    let program = env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
    // A path is relative to the root of the repository.
    let program = if program.components().count() > 1 { root().join(program) } else { program };
    let mut arguments = vec!["template", "portcullis", "charts/portcullis"];
    arguments.extend(values.into_iter().flat_map(|path| ["--values", path.to_str().unwrap()]));
    output(&program, &arguments)
}

#[test]
fn the_renderings_are_current() {
    for (name, values) in RENDERINGS {
        if let Some(rendered) = helm(values.map(data).as_deref()) {
            let rendered = rendered.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(by_name(parse(&rendered)), by_name(rendering(name)), "{name}: render it again");
        }
        assert!(
            RENDERED[name].starts_with(&inputs(*values)),
            "{name} is outdated: install helm, or helm-python-sdk with pip; then run \
             HELM=tests/deploy/helm.py BLESS=1 cargo test -p tests --test deploy"
        );
    }
}

#[test]
fn the_chart_renders_the_manifests() {
    assert_eq!(by_name(rendering("default.yaml")), by_name(base()));
    assert_eq!(by_name(rendering("group.yaml")), by_name(group()));
}

#[test]
fn kustomize_builds_the_manifests() {
    let built = output(Path::new("kustomize"), &["build", "deploy"])
        .or_else(|| output(Path::new("kubectl"), &["kustomize", "deploy"]));
    if let Some(built) = built {
        assert_eq!(by_name(parse(&built.unwrap())), by_name(base()));
    }
}

#[test]
fn every_changed_value_is_rendered() {
    let schema = parse_one(&chart().join("values.schema.json"));
    let changed = parse_one(&data("changed.values.yaml"));
    // Every value of the schema is changed.
    let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let mut missing = keys(&schema["properties"]);
    missing.retain(|key| !["global", "groups"].contains(&key.as_str()) && changed.get(key).is_none());
    assert!(missing.is_empty(), "{missing:?}");
    let mut missing = keys(&schema["definitions"]["policy"]["properties"]);
    for policy in changed["policies"].as_object().unwrap().values().filter(|policy| policy.is_object()) {
        missing.retain(|key| policy.get(key).is_none());
    }
    assert!(missing.is_empty(), "{missing:?}");

    let objects = by_name(rendering("changed.yaml"));
    let find = |name: &str| objects.get(&("ClusterAdmissionPolicy".to_owned(), name.to_owned()));
    let spec = |name: &str| &find(name).unwrap_or_else(|| panic!("{name}"))["spec"];
    assert!(find("node-labels").is_none() && find("selinux-audit").is_none());
    let skipped = json!({ "matchExpressions": [
        { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "monitoring"] },
    ] });
    for (name, field, want) in [
        ("external-ips", "module", json!("registry://ghcr.io/portcullis/mirror/external-ips:v0.2.0")),
        ("node-pods", "module", json!("registry://ghcr.io/portcullis/mirror/node-pods:v0.2.1")),
        (
            "selinux-guard",
            "module",
            json!(format!(
                "registry://ghcr.io/portcullis/mirror/selinux@sha256:{}",
                "0123456789abcdef".repeat(4)
            )),
        ),
        ("external-ips", "policyServer", json!("tenants")),
        ("pod-security", "policyServer", json!("default")),
        ("external-ips", "mode", json!("protect")),
        ("node-pods", "mode", json!("monitor")),
        ("pod-security-audit", "mode", json!("monitor")),
        ("external-ips", "failurePolicy", json!("Ignore")),
        ("pod-security", "failurePolicy", json!("Fail")),
        ("external-ips", "timeoutSeconds", json!(12)),
        ("external-ips", "timeoutEvalSeconds", json!(4)),
        ("pod-security", "timeoutSeconds", json!(20)),
        ("pod-security", "timeoutEvalSeconds", json!(10)),
        ("pod-security-audit", "backgroundAudit", json!(false)),
        ("pod-security", "namespaceSelector", skipped),
        ("pod-security", "matchConditions", Value::Null),
        ("node-pods", "namespaceSelector", Value::Null),
        ("node-pods", "mutating", json!(true)),
        ("node-pods", "settings", json!({ "mode": "Munge" })),
        (
            "selinux-default",
            "settings",
            json!({ "mode": "Mutate", "allocation": { "source": "NamespaceAnnotation" } }),
        ),
    ] {
        assert_eq!(spec(name)[field], want, "{name}: {field}");
    }
    let binding = &objects[&("ClusterRoleBinding".to_owned(), "portcullis-node-pods".to_owned())];
    let account = json!({ "kind": "ServiceAccount", "name": "tenants-policy-server", "namespace": "policy" });
    assert_eq!(binding["subjects"][0], account);
}

// --- Values ---

/// Collects the places in values that the schema of the chart describes, except the settings of
/// modules.
fn places(path: &str, value: &Value, found: &mut Vec<String>) {
    if !path.is_empty() {
        found.push(path.to_owned());
    }
    match value {
        Value::Object(fields) if !path.ends_with("/settings") => {
            for (name, field) in fields {
                places(&format!("{path}/{}", name.replace('/', "~1")), field, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(&format!("{path}/{at}"), item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn rejects_values_of_a_wrong_type() {
    let schema = parse_one(&chart().join("values.schema.json"));
    let values = parse_one(&chart().join("values.yaml"));
    let rejected = |values: &Value| violations(&schema, &schema, values);
    assert_eq!(rejected(&values), Vec::<String>::new());
    let mut paths = Vec::new();
    places("", &values, &mut paths);
    assert!(paths.len() > 200);
    for path in paths {
        let mut wrong = values.clone();
        let value = wrong.pointer_mut(&path).unwrap();
        *value = if value.is_string() { json!(7) } else { json!("wrong") };
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(&path).unwrap());
    }
    for (path, key) in
        [("", "modes"), ("/module", "digest"), ("/rbac", "roles"), ("/policies/node-pods", "setting")]
    {
        let mut wrong = values.clone();
        let fields = wrong.pointer_mut(path).unwrap().as_object_mut().unwrap();
        fields.insert(key.to_owned(), json!("a"));
        assert!(!rejected(&wrong).is_empty(), "{path}/{key}");
    }
    for (path, value) in [
        ("/mode", json!("audit")),
        ("/timeoutSeconds", json!(31)),
        ("/policies/node-pods/severity", json!("severe")),
        ("/module/digests", json!({ "selinux": "sha256:short" })),
        ("/policies", json!({ "Node_Pods": values["policies"]["node-pods"] })),
        ("/policies/node-pods", json!({ "enabled": true })),
    ] {
        let mut wrong = values.clone();
        *wrong.pointer_mut(path).unwrap() = value;
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(path).unwrap());
    }
}

/// The chart rejects values that a schema cannot describe.
#[test]
fn helm_rejects_invalid_values() {
    for (at, (values, message)) in [
        ("mode: 7", "mode"),
        ("timeoutEvalSeconds: 9", "timeoutEvalSeconds is greater than timeoutSeconds"),
        (
            "policies: { external-ips: { settings: { fields: [spec.loadBalancerIP] } } }",
            "do not match its requests",
        ),
        ("groups: { restricted-or-confined: { enabled: true, timeoutSeconds: 5 } }", "add up to more"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = env::temp_dir().join(format!("portcullis-values-{}-{at}.yaml", std::process::id()));
        fs::write(&file, values).unwrap();
        let rendered = helm(Some(&file));
        fs::remove_file(&file).unwrap();
        let Some(rendered) = rendered else { return };
        let error = rendered.expect_err(values);
        assert!(error.contains(message), "{values}: {error}");
    }
}

#[test]
fn the_chart_has_the_version_of_its_policies() {
    let chart = parse_one(&chart().join("Chart.yaml"));
    assert_eq!(chart["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(chart["appVersion"], env!("CARGO_PKG_VERSION"));
}

/// Appends the rows for the values below a schema, with their defaults.
fn rows(schema: &Value, values: &Value, path: &str, table: &mut String) {
    let properties: BTreeMap<&String, &Value> = schema["properties"].as_object().unwrap().iter().collect();
    for (name, below) in properties {
        let path = format!("{path}{name}");
        let value = &values[name];
        if below.get("properties").is_some() {
            rows(below, value, &format!("{path}."), table);
        } else {
            let short = value.is_null() || (value.is_object() && *value != json!({}));
            let value = if short { String::new() } else { format!("`{value}`") };
            writeln!(table, "| `{path}` | {value} | {} |", below["description"].as_str().unwrap()).unwrap();
        }
    }
}

#[test]
fn the_readme_of_the_chart_describes_every_value() {
    const START: &str = "<!-- values: written by `./justw bless` -->\n";
    const END: &str = "<!-- end of values -->";
    let schema = parse_one(&chart().join("values.schema.json"));
    let values = parse_one(&chart().join("values.yaml"));
    let mut table = String::from("| value | default | |\n|---|---|---|\n");
    rows(&schema, &values, "", &mut table);
    for (kind, definition) in [("policies", "policy"), ("groups", "group")] {
        rows(&schema["definitions"][definition], &Value::Null, &format!("{kind}.*."), &mut table);
    }
    table.push_str("\n| policy | module | judges | audits | settings |\n|---|---|---|---|---|\n");
    let policies: BTreeMap<&String, &Value> = values["policies"].as_object().unwrap().iter().collect();
    for (name, policy) in policies {
        let judged: BTreeSet<String> =
            items(&policy["rules"]).iter().flat_map(|rule| texts(&rule["resources"])).collect();
        let judged = Vec::from_iter(judged).join(", ");
        let audits = if policy.get("backgroundAudit") == Some(&json!(false)) { "no" } else { "yes" };
        let module = policy["module"].as_str().unwrap();
        let sorted: Map<String, Value> = policy["settings"].as_object().unwrap().clone();
        writeln!(table, "| `{name}` | {module} | {judged} | {audits} | `{}` |", Value::Object(sorted))
            .unwrap();
    }
    let path = chart().join("README.md");
    let readme = read(&path);
    let (before, rest) = readme.split_once(START).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    if harness::bless::is_wanted() {
        fs::write(&path, format!("{before}{START}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, table, "README.md is not current; run ./justw bless");
    }
}
