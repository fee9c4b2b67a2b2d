//! Properties of every case of the policy.

use serde_json::{Map, Value, json};
use suite::cases::{Case, CaseOutcome, load_dir};
use tests::laws::with;

use super::generate::LISTS;
use super::model::{Action, Fixed, Mode, Settings, Source};
use super::policy::{Verdict, evaluate, outcome};

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
        let mut guard = with(&case, "object", object);
        guard.settings = with_mode(&guard.settings, "Validate");
        let second = outcome(&guard);
        assert_eq!(second.admitted, Some(true), "{}: {second:?}", case.place());
    }
    assert!(changed > 10, "{changed}");
}

#[test]
fn only_contexts_change_and_a_guard_changes_nothing() {
    let (mut changed, mut refused) = (0, 0);
    for case in cases().into_iter().filter(has_object) {
        let guarded = outcome(&Case { settings: with_mode(&case.settings, "Validate"), ..case.clone() });
        assert_eq!(guarded.mutated, None, "{}", case.place());
        assert!(!guarded.audit_annotations.contains_key("defaulted"), "{}", case.place());
        for case in [mutating(&case), case] {
            let outcome = outcome(&case);
            refused += usize::from(!is_admitted(&outcome));
            if let Some(mutated) = outcome.mutated {
                let evaluated =
                    changes_only_contexts(case.object.as_ref().unwrap(), &mutated, &case.settings);
                assert_eq!(evaluated, Ok(()), "{}", case.place());
                changed += 1;
            }
        }
    }
    assert!(changed > 20 && refused > 20, "{changed} {refused}");
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
        let after = outcome(&with(&case, "object", object));
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
            let after = outcome(&with(&case, "object", object));
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
            let after = outcome(&with(&case, "object", object));
            // Exempt requests stay exempt; all others are denied.
            let was_evaluated = !is_admitted(&before) || before.mutated.is_some();
            assert!(!was_evaluated || !is_admitted(&after), "{} in {list}: {after:?}", case.place());
            worse += usize::from(was_evaluated);
        }
    }
    assert!(worse > 30, "{worse}");
}

/// The policy can parse every level that it writes.
#[test]
fn a_guard_admits_a_fixed_level_of_any_width() {
    for level in ["s0", "s0-s0:c0.c1023", "s0:c0.c1023", "s0:c0.c820", "s0:c1.c3,c9", "s0-s0:c1,c2"] {
        let allocation = json!({ "source": "Fixed", "fixed": { "level": level } });
        let settings = |mode: &str| json!({ "mode": mode, "allocation": allocation });
        let pod = super::pod(&json!({ "containers": [{ "name": "a" }] }));
        let object = evaluate(&pod, &settings("Mutate")).object(&pod).unwrap();
        assert_eq!(evaluate(&object, &settings("Mutate")), Verdict::Admitted, "{level} again");
        assert_eq!(evaluate(&object, &settings("Validate")), Verdict::Admitted, "{level}");
    }
}

/// Two settings determine the level; the completed pod is admitted.
#[test]
fn a_fixed_level_and_the_lowest_host_level_do_not_contradict() {
    let source = Source::Fixed(Fixed { level: Some("s0:c7,c9"), ..Fixed::default() });
    let settings = Settings { source, lowest: true, ..Settings::default() };
    let pod = super::pod(&json!({ "hostPID": true, "containers": [{ "name": "a" }] }));
    let object = evaluate(&pod, &settings.json(Mode::Mutate)).object(&pod).unwrap();
    for mode in [Mode::Mutate, Mode::Validate] {
        assert_eq!(evaluate(&object, &settings.json(mode)), Verdict::Admitted, "{mode:?}: {object}");
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
                evaluate(&super::pod(&spec), &settings.json(mode)),
                Verdict::Denied,
                "{action:?} {mode:?}"
            );
        }
    }
}
