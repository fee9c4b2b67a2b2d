//! Properties of every case of the policy and of generated pods.

use harness::{Case, CaseOutcome, judge as judging, load_dir};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use tests::bounded;

use super::generate::{self, LISTS, named};
use super::model::{Action, Fixed, Mode, Settings, Source};
use super::policy::{Verdict, entry, judge, outcome, own_level};

/// All cases with valid settings.
fn cases() -> Vec<Case> {
    let cases = load_dir(&tests::root().join("policies/selinux/cases")).unwrap();
    assert!(cases.len() > 20, "{}", cases.len());
    cases.into_iter().filter(|case| case.want.settings_error.is_none()).collect()
}

/// The settings of a case with another mode. Settings that only change pods are removed for a
/// guard.
fn with_mode(settings: &Value, mode: &str) -> Value {
    let mut settings = if settings.is_null() { json!({}) } else { settings.clone() };
    settings["mode"] = json!(mode);
    if mode == "Validate"
        && let Some(volumes) = settings.get_mut("volumes").and_then(Value::as_object_mut)
    {
        volumes.remove("changePolicy");
        volumes.remove("crioTrySkip");
    }
    settings
}

/// A case with another object under review.
fn with_object(case: &Case, object: Value) -> Case {
    let mut case = case.clone();
    let request = case.request_value();
    for name in ["kind", "resource", "name", "namespace", "operation"] {
        if let Some(value) = request.get(name) {
            case.request.insert(name.to_owned(), value.clone());
        }
    }
    case.object = Some(object);
    case
}

fn is_admitted(outcome: &CaseOutcome) -> bool {
    outcome.admitted.is_some() || outcome.mutated.is_some()
}

fn mutating(case: &Case) -> Case {
    let mut case = case.clone();
    case.settings = with_mode(&case.settings, "Mutate");
    case
}

/// Whether a case has an object and a well-formed request.
fn has_object(case: &Case) -> bool {
    case.object.as_ref().is_some_and(Value::is_object) && !case.request.contains_key("object")
}

/// The path of the pod specification, if a case creates a pod or an object with a template.
fn created_spec(case: &Case) -> Option<&'static str> {
    let object = case.object.as_ref()?;
    let is_plain = case.request.is_empty() && case.subresource.is_none() && case.old_object.is_none();
    let is_created = case.operation.as_deref().is_none_or(|operation| operation == "CREATE");
    if !is_plain || !is_created {
        return None;
    }
    let at = match object["kind"].as_str()? {
        "Pod" => Some("/spec"),
        "PodTemplate" => Some("/template/spec"),
        "CronJob" => Some("/spec/jobTemplate/spec/template/spec"),
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "ReplicationController" | "Job" => {
            Some("/spec/template/spec")
        }
        _ => None,
    };
    at.filter(|at| object.pointer(at).is_some_and(Value::is_object))
}

/// A list of containers as an array, if it is one or absent.
fn containers(spec: &Value, list: &str) -> Option<Vec<Value>> {
    match spec.get(list) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => Some(items.clone()),
        Some(_) => None,
    }
}

/// The paths at which two values differ, as short as possible. An absent value equals null and an
/// empty object.
fn differences(one: &Value, other: &Value) -> Vec<String> {
    fn visit(one: &Value, other: &Value, path: &str, found: &mut Vec<String>) {
        let none = Map::new();
        let fields = |value: &Value| match value {
            Value::Object(fields) => Some(fields.clone()),
            Value::Null => Some(none.clone()),
            _ => None,
        };
        if one == other {
            return;
        }
        match (one, other) {
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (index, (one, other)) in one.iter().zip(other).enumerate() {
                    visit(one, other, &format!("{path}/{index}"), found);
                }
            }
            _ if fields(one).is_some() && fields(other).is_some() => {
                let (one, other) = (fields(one).unwrap(), fields(other).unwrap());
                let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
                names.sort();
                names.dedup();
                for name in names {
                    let below = |fields: &Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                    visit(&below(&one), &below(&other), &format!("{path}/{name}"), found);
                }
            }
            _ => found.push(path.to_owned()),
        }
    }
    let mut found = Vec::new();
    visit(one, other, "", &mut found);
    found
}

/// Whether the policy may change a path.
fn may_change(kind: &str, path: &str, settings: &Value) -> bool {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let is_option = |field: &str| ["user", "role", "type", "level"].contains(&field);
    match (kind, steps.as_slice()) {
        ("Pod", ["spec", "securityContext", "seLinuxOptions", field]) => is_option(field),
        ("Pod", ["spec", list, index, "securityContext", "seLinuxOptions", field]) => {
            LISTS.contains(list) && index.parse::<usize>().is_ok() && is_option(field)
        }
        ("Pod", ["spec", "securityContext", "seLinuxChangePolicy"]) => {
            !matches!(settings["volumes"]["changePolicy"].as_str(), None | Some("Leave"))
        }
        ("Pod", ["metadata", "annotations", "try-skip-volume-selinux-label.crio.io"]) => {
            settings["volumes"]["crioTrySkip"] == true
        }
        ("Namespace", ["metadata", "annotations", rest @ ..]) => {
            let key = settings["allocation"]["annotations"][0].as_str();
            settings["allocation"]["source"] == "NamespaceAnnotation"
                && rest.join("/") == key.unwrap_or("portcullis.dev/selinux-level")
        }
        _ => false,
    }
}

fn changes_only_contexts(object: &Value, mutated: &Value, settings: &Value) -> Result<(), String> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let all = differences(object, mutated);
    let strange: Vec<_> = all.into_iter().filter(|path| !may_change(kind, path, settings)).collect();
    if strange.is_empty() { Ok(()) } else { Err(format!("changed {strange:?} of {object} into {mutated}")) }
}

#[test]
fn a_guard_admits_the_objects_that_the_policy_completes() {
    let mut changed = 0;
    for case in cases().iter().map(mutating).filter(has_object) {
        let first = outcome(&case);
        if !is_admitted(&first) {
            continue;
        }
        changed += usize::from(first.mutated.is_some());
        let object = first.mutated.unwrap_or_else(|| case.object.clone().unwrap());
        let mut guard = with_object(&case, object);
        guard.settings = with_mode(&guard.settings, "Validate");
        let second = outcome(&guard);
        assert_eq!(second.admitted, Some(true), "{}: {second:?}", case.place());
    }
    assert!(changed > 10, "{changed}");
}

#[test]
fn completed_objects_are_not_changed_again() {
    for case in cases().iter().map(mutating).filter(has_object) {
        if let Some(mutated) = outcome(&case).mutated {
            let again = outcome(&with_object(&case, mutated));
            assert_eq!(again.admitted, Some(true), "{}: {again:?}", case.place());
        }
    }
}

#[test]
fn only_contexts_change() {
    let (mut changed, mut refused) = (0, 0);
    for case in cases().into_iter().filter(has_object) {
        for case in [mutating(&case), case] {
            // `outcome` panics if a denied object is changed.
            let outcome = outcome(&case);
            refused += usize::from(!is_admitted(&outcome));
            if let Some(mutated) = outcome.mutated {
                let judged = changes_only_contexts(case.object.as_ref().unwrap(), &mutated, &case.settings);
                assert_eq!(judged, Ok(()), "{}", case.place());
                changed += 1;
            }
        }
    }
    assert!(changed > 20 && refused > 20, "{changed} {refused}");
}

#[test]
fn a_guard_changes_nothing() {
    for mut case in cases().into_iter().filter(has_object) {
        case.settings = with_mode(&case.settings, "Validate");
        let outcome = judging::natively(entry(), &case).unwrap().outcome;
        assert_eq!(outcome.mutated, None, "{}", case.place());
        assert!(!outcome.audit_annotations.contains_key("defaulted"), "{}", case.place());
    }
}

/// For shared claims, the level of the first container applies, as in the kubelet. The order
/// matters only if containers may have different levels.
#[test]
fn the_order_of_containers_does_not_matter_in_cases() {
    let mut turned = 0;
    for case in cases() {
        let Some(at) = created_spec(&case) else { continue };
        let before = outcome(&case);
        let mut object = case.object.clone().unwrap();
        let spec = object.pointer_mut(at).unwrap();
        for list in LISTS {
            if let Some(items) = spec.get_mut(list).and_then(Value::as_array_mut) {
                turned += usize::from(items.len() > 1);
                items.reverse();
            }
        }
        let after = outcome(&with_object(&case, object));
        assert_eq!(is_admitted(&after), is_admitted(&before), "{}: {after:?}", case.place());
    }
    assert!(turned > 5, "{turned}");
}

#[test]
fn the_list_of_containers_does_not_matter_in_cases() {
    let mut moved = 0;
    for case in cases() {
        let Some(at) = created_spec(&case) else { continue };
        let before = outcome(&case);
        let spec = case.object.as_ref().unwrap().pointer(at).unwrap();
        let lists = LISTS.map(|list| containers(spec, list));
        let [Some(a), Some(b), Some(c)] = lists else { continue };
        let all = Value::Array([a, b, c].concat());
        for list in LISTS {
            let mut object = case.object.clone().unwrap();
            let spec = object.pointer_mut(at).unwrap();
            for other in LISTS {
                spec[other] = json!([]);
            }
            spec[list] = all.clone();
            let after = outcome(&with_object(&case, object));
            assert_eq!(is_admitted(&after), is_admitted(&before), "{} in {list}: {after:?}", case.place());
            moved += 1;
        }
    }
    assert!(moved > 60, "{moved}");
}

/// A container that violates the policy under any settings.
fn violating(name: &str) -> Value {
    let options = json!({ "type": "container_ro_file_t", "role": "nobody_r", "level": "s0-s0:c0.c1023" });
    json!({ "name": name, "securityContext": { "privileged": true, "seLinuxOptions": options } })
}

#[test]
fn an_additional_violating_container_never_helps_in_cases() {
    let mut worse = 0;
    for case in cases() {
        let Some(at) = created_spec(&case) else { continue };
        let before = outcome(&case);
        for list in LISTS {
            let mut object = case.object.clone().unwrap();
            let spec = object.pointer_mut(at).unwrap();
            let Some(mut items) = containers(spec, list) else { continue };
            items.push(violating("worse"));
            spec[list] = items.into();
            let after = outcome(&with_object(&case, object));
            // Exempt requests stay exempt; all others are denied.
            let was_judged = !is_admitted(&before) || before.mutated.is_some();
            assert!(!was_judged || !is_admitted(&after), "{} in {list}: {after:?}", case.place());
            worse += usize::from(was_judged);
        }
    }
    assert!(worse > 30, "{worse}");
}

/// All settings, including those that add to volumes.
fn settings() -> impl Strategy<Value = Settings> {
    (super::settings(), any::<(bool, bool)>()).prop_map(|(settings, (recursive, crio_try_skip))| Settings {
        recursive,
        crio_try_skip,
        ..settings
    })
}

/// A pod with another order of containers in each list.
fn rearranged(pod: &Value, how: impl Fn(&str, Vec<Value>) -> Vec<Value>) -> Value {
    let mut pod = pod.clone();
    for list in LISTS {
        if let Some(items) = pod["spec"].get(list).and_then(Value::as_array).cloned() {
            pod["spec"][list] = how(list, items).into();
        }
    }
    pod
}

fn is_not_judged(pod: &Value) -> bool {
    pod["spec"]["os"]["name"] == "windows"
        || pod["spec"]["nodeSelector"]["kubernetes.io/os"] == "windows"
        || pod["metadata"]["annotations"].get("kubernetes.io/config.mirror").is_some()
}

proptest! {
    #![proptest_config(bounded(500))]

    #[test]
    fn completed_pods_are_not_changed_again_and_pass_the_guard(pod in generate::pod(), settings in settings()) {
        let json = settings.json(Mode::Mutate);
        if let Some(object) = judge(&pod, &json).object(&pod) {
            prop_assert_eq!(judge(&object, &json), Verdict::Admitted, "again {}", json);
            let guard = judge(&object, &settings.json(Mode::Validate));
            prop_assert_eq!(guard, Verdict::Admitted, "guard {}", json);
        }
    }

    /// A guard is at least as strict as the policy.
    #[test]
    fn pods_that_a_guard_admits_are_admitted_by_the_policy(pod in generate::pod(), settings in settings()) {
        let guard = judge(&pod, &settings.json(Mode::Validate));
        let policy = judge(&pod, &settings.json(Mode::Mutate));
        prop_assert!(!guard.is_admitted() || policy.is_admitted(), "{:?}", policy);
    }

    #[test]
    fn only_the_context_of_a_pod_changes(pod in generate::pod(), settings in settings()) {
        let json = settings.json(Mode::Mutate);
        if let Verdict::Mutated(object) = judge(&pod, &json) {
            prop_assert_eq!(changes_only_contexts(&pod, &object, &json), Ok(()));
        }
    }

    #[test]
    fn the_order_of_containers_does_not_matter(
        pod in generate::pod(), settings in settings(), turns in 0_usize..4, mode in select(vec![Mode::Mutate, Mode::Validate]),
    ) {
        let turn = |_: &str, mut items: Vec<Value>| {
            let length = items.len().max(1);
            items.rotate_left(turns % length);
            items.reverse();
            items
        };
        let json = settings.json(mode);
        let before = match judge(&pod, &json) {
            Verdict::Mutated(object) => Verdict::Mutated(rearranged(&object, turn)),
            other => other,
        };
        prop_assert_eq!(judge(&rearranged(&pod, turn), &json), before, "{}", json);
    }

    #[test]
    fn the_list_of_containers_does_not_matter(
        pod in generate::pod(), settings in settings(), mode in select(vec![Mode::Mutate, Mode::Validate]),
    ) {
        let all = |pod: &Value| -> Vec<Value> {
            LISTS.iter().flat_map(|list| containers(&pod["spec"], list).unwrap()).collect()
        };
        let into = |pod: &Value, list: &str| {
            let mut moved = pod.clone();
            for other in LISTS {
                moved["spec"][other] = json!([]);
            }
            moved["spec"][list] = all(pod).into();
            moved
        };
        let json = settings.json(mode);
        let before = judge(&pod, &json);
        for list in LISTS {
            let wanted = match before.clone() {
                Verdict::Mutated(object) => Verdict::Mutated(into(&object, list)),
                other => other,
            };
            prop_assert_eq!(judge(&into(&pod, list), &json), wanted, "{} {}", list, json);
        }
    }

    #[test]
    fn an_additional_violating_container_is_never_admitted(
        pod in generate::pod(), settings in settings(), list in select(LISTS.to_vec()), at: Index,
        mode in select(vec![Mode::Mutate, Mode::Validate]),
    ) {
        prop_assume!(!is_not_judged(&pod));
        let mut worse = pod;
        let mut items = containers(&worse["spec"], list).unwrap();
        items.insert(at.index(items.len() + 1), violating("worse"));
        worse["spec"][list] = items.into();
        prop_assert_eq!(judge(&named(worse), &settings.json(mode)), Verdict::Denied);
    }

    /// A container cannot justify violations of another one.
    #[test]
    fn an_additional_valid_container_never_helps(
        pod in generate::pod(), settings in settings(), list in select(LISTS.to_vec()), options in generate::options(),
        mode in select(vec![Mode::Mutate, Mode::Validate]),
    ) {
        // A pod without containers gets a level even though no container inherits it.
        let mut pod = pod;
        if containers(&pod["spec"], "containers").unwrap().is_empty() {
            pod["spec"]["containers"] = json!([{ "name": "containers-0" }]);
        }
        let before = judge(&pod, &settings.json(mode));
        let mut more = pod;
        let mut items = containers(&more["spec"], list).unwrap();
        let mut options = options.unwrap_or_else(|| json!({}));
        options["level"] = json!(own_level());
        items.push(json!({ "name": "", "securityContext": { "privileged": true, "seLinuxOptions": options } }));
        more["spec"][list] = items.into();
        let after = judge(&named(more), &settings.json(mode));
        prop_assert!(before.is_admitted() || !after.is_admitted(), "{:?}", after);
    }
}

/// The policy can parse every level that it writes.
#[test]
fn a_guard_admits_a_fixed_level_of_any_width() {
    for level in ["s0", "s0-s0:c0.c1023", "s0:c0.c1023", "s0:c0.c820", "s0:c1.c3,c9", "s0-s0:c1,c2"] {
        let allocation = json!({ "source": "Fixed", "fixed": { "level": level } });
        let settings = |mode: &str| json!({ "mode": mode, "allocation": allocation });
        let pod = super::pod(&json!({ "containers": [{ "name": "a" }] }));
        let object = judge(&pod, &settings("Mutate")).object(&pod).unwrap();
        assert_eq!(judge(&object, &settings("Mutate")), Verdict::Admitted, "{level} again");
        assert_eq!(judge(&object, &settings("Validate")), Verdict::Admitted, "{level}");
    }
}

/// Two settings determine the level; the completed pod is admitted.
#[test]
fn a_fixed_level_and_the_lowest_host_level_do_not_contradict() {
    let source = Source::Fixed(Fixed { level: Some("s0:c7,c9"), ..Fixed::default() });
    let settings = Settings { source, lowest: true, ..Settings::default() };
    let pod = super::pod(&json!({ "hostPID": true, "containers": [{ "name": "a" }] }));
    let object = judge(&pod, &settings.json(Mode::Mutate)).object(&pod).unwrap();
    for mode in [Mode::Mutate, Mode::Validate] {
        assert_eq!(judge(&object, &settings.json(mode)), Verdict::Admitted, "{mode:?}: {object}");
    }
}

/// The level `s0` for host namespaces applies to unconfined containers only.
#[test]
fn a_confined_container_is_never_admitted_at_the_lowest_level() {
    for action in [Action::Default, Action::Require, Action::Ignore] {
        let settings = Settings { action, lowest: true, ..Settings::default() };
        for mode in [Mode::Mutate, Mode::Validate] {
            let options = json!({ "seLinuxOptions": { "type": "container_t", "level": "s0" } });
            let spec =
                json!({ "hostPID": true, "containers": [{ "name": "a", "securityContext": options }] });
            assert_eq!(
                judge(&super::pod(&spec), &settings.json(mode)),
                Verdict::Denied,
                "{action:?} {mode:?}"
            );
        }
    }
}
