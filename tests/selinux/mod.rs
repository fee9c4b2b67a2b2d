//! Tests of the policy `selinux`: a second implementation of its decision table, and properties
//! that must always hold.

mod generate;
#[cfg(feature = "modules")]
mod huge;
mod images;
mod laws;
mod levels;
mod lossless;
mod model;
mod policy;

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::bounded;

use self::model::{Action, Answer, Match, Mode, Settings, Source};
use self::policy::{Verdict, judge, own_level};

/// Settings without a contradiction: not a fixed level for every pod together with another level
/// for pods in host namespaces.
fn settings() -> impl Strategy<Value = Settings> {
    generate::settings().prop_map(|settings| {
        let is_fixed = matches!(&settings.source, Source::Fixed(fixed) if fixed.level.is_some());
        Settings { lowest: settings.lowest && !is_fixed, ..settings }
    })
}

/// The verdict of the model.
fn expected(pod: &Value, settings: &Settings, mode: Mode) -> Verdict {
    let typed: Pod = serde_json::from_value(pod.clone()).unwrap_or_else(|error| panic!("{error}: {pod}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *pod, "the types cannot hold the pod");
    match model::judge(&typed, settings, mode) {
        Answer::Denied(_) => Verdict::Denied,
        Answer::Admitted(completed) if *completed == typed => Verdict::Admitted,
        Answer::Admitted(completed) => Verdict::Mutated(serde_json::to_value(completed).unwrap()),
    }
}

/// The reasons for which the model denies a pod.
fn reasons(pod: &Value, settings: &Settings, mode: Mode) -> Vec<&'static str> {
    let typed: Pod = serde_json::from_value(pod.clone()).unwrap();
    match model::judge(&typed, settings, mode) {
        Answer::Denied(reasons) => reasons.into_iter().collect(),
        Answer::Admitted(_) => Vec::new(),
    }
}

fn pod(spec: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "shop" }, "spec": spec })
}

/// A row of the decision table: the specification of a pod, and the expected outcome in both modes.
type Row = (Value, Wanted, Wanted);

/// The expected outcome of a row.
#[derive(Clone, Debug)]
enum Wanted {
    Admitted,
    Denied,
    /// Admitted; the pod has these options afterwards.
    Options(Value),
}

/// The rows of the decision table for pods with one container.
fn table() -> Vec<Row> {
    use Wanted::{Admitted, Denied, Options};
    let own = own_level();
    let with = |options: &Value, more: &Value| {
        let mut spec = more.clone();
        spec["containers"] = json!([{ "name": "c" }]);
        if !options.is_null() {
            spec["securityContext"] = json!({ "seLinuxOptions": options });
        }
        spec
    };
    let host = json!({ "hostPID": true });
    let none = json!({});
    let same = |spec: Value| (spec, Admitted, Admitted);
    let bad = |spec: Value| (spec, Denied, Denied);
    let [first, second] = levels::categories(&own)[..] else { panic!("{own}") };
    let turned = format!("s0:c{second},c{first},c{second}");
    vec![
        (with(&Value::Null, &none), Options(json!({ "level": own })), Denied),
        (with(&none, &none), Options(json!({ "level": own })), Denied),
        (
            with(&json!({ "type": "container_t" }), &none),
            Options(json!({ "type": "container_t", "level": own })),
            Denied,
        ),
        same(with(&json!({ "level": own }), &none)),
        same(with(&json!({ "level": turned }), &none)),
        same(with(&json!({ "type": "container_kvm_t", "level": own }), &none)),
        bad(with(&json!({ "level": "s0:c1,c2" }), &none)),
        bad(with(&json!({ "level": "s0" }), &none)),
        bad(with(&json!({ "level": format!("s0-{own}") }), &none)),
        bad(with(&json!({ "level": format!("{own},c1") }), &none)),
        bad(with(&json!({ "level": "s0:c0.c1023" }), &none)),
        bad(with(&json!({ "level": "somevalue" }), &none)),
        bad(with(&json!({ "type": "spc_t", "level": own }), &none)),
        bad(with(&json!({ "type": "container_file_t", "level": own }), &none)),
        bad(with(&json!({ "type": "svirt_lxc_net_t", "level": own }), &none)),
        bad(with(&json!({ "user": "system_u", "level": own }), &none)),
        bad(with(&json!({ "role": "object_r", "level": own }), &none)),
        (with(&Value::Null, &host), Options(json!({ "type": "spc_t", "level": own })), Denied),
        (
            with(&Value::Null, &json!({ "hostIPC": true })),
            Options(json!({ "type": "spc_t", "level": own })),
            Denied,
        ),
        (with(&Value::Null, &json!({ "hostNetwork": true })), Options(json!({ "level": own })), Denied),
        (
            with(&Value::Null, &json!({ "shareProcessNamespace": true })),
            Options(json!({ "level": own })),
            Denied,
        ),
        (
            with(&json!({ "type": "container_t" }), &host),
            Options(json!({ "type": "container_t", "level": own })),
            Denied,
        ),
        same(with(&json!({ "type": "container_t", "level": own }), &host)),
        same(with(&json!({ "type": "spc_t", "level": own }), &host)),
        same(with(&json!({ "type": "spc_t", "level": "s0" }), &host)),
        bad(with(&json!({ "type": "container_t", "level": "s0" }), &host)),
        bad(with(&json!({ "type": "spc_t", "level": "s0:c1,c2" }), &host)),
        same(with(&Value::Null, &json!({ "os": { "name": "windows" } }))),
        same(with(&Value::Null, &json!({ "nodeSelector": { "kubernetes.io/os": "windows" } }))),
        (
            with(&Value::Null, &json!({ "nodeSelector": { "kubernetes.io/os": "linux" } })),
            Options(json!({ "level": own })),
            Denied,
        ),
    ]
}

/// The table is written by hand, so that the model and the policy cannot share an error.
#[test]
fn the_model_and_the_policy_agree_with_the_table() {
    for (spec, mutate, validate) in table() {
        for (mode, wanted) in [(Mode::Mutate, mutate), (Mode::Validate, validate)] {
            let pod = pod(&spec);
            let settings = Settings::default();
            let wanted = match wanted {
                Wanted::Admitted => Verdict::Admitted,
                Wanted::Denied => Verdict::Denied,
                Wanted::Options(options) => {
                    let mut changed = pod.clone();
                    changed["spec"]["securityContext"] = json!({ "seLinuxOptions": options });
                    Verdict::Mutated(changed)
                }
            };
            assert_eq!(expected(&pod, &settings, mode), wanted, "the model, {mode:?}: {pod}");
            assert_eq!(judge(&pod, &settings.json(mode)), wanted, "the policy, {mode:?}: {pod}");
        }
    }
}

/// The rows for several containers.
#[test]
fn the_model_and_the_policy_agree_with_the_table_for_containers() {
    use Wanted::{Admitted, Denied};
    let own = own_level();
    let container = |name: &str, context: Value| json!({ "name": name, "securityContext": context });
    let options = |options: Value| json!({ "seLinuxOptions": options });
    let privileged = |options: Value| json!({ "privileged": true, "seLinuxOptions": options });
    for (containers, mutate, validate) in [
        // Two effective levels in one pod, of which categories do not constrain one.
        (
            json!([
                container("a", privileged(json!({ "type": "spc_t", "level": "s0" }))),
                container("b", options(json!({ "level": own })))
            ]),
            Admitted,
            Admitted,
        ),
        // A privileged container with spc_t next to a confined one.
        (
            json!([
                container("a", privileged(json!({ "type": "spc_t", "level": own }))),
                container("b", options(json!({ "type": "container_t", "level": own })))
            ]),
            Admitted,
            Admitted,
        ),
        (
            json!([
                container("a", privileged(json!({ "level": own }))),
                container("b", options(json!({ "type": "spc_t", "level": own })))
            ]),
            Denied,
            Denied,
        ),
        // Different types.
        (
            json!([
                container("a", options(json!({ "type": "container_init_t", "level": own }))),
                container("b", options(json!({ "type": "container_t", "level": own })))
            ]),
            Admitted,
            Admitted,
        ),
    ] {
        for (mode, wanted) in [(Mode::Mutate, mutate), (Mode::Validate, validate)] {
            let pod = pod(&json!({ "containers": containers }));
            let wanted = if matches!(wanted, Admitted) { Verdict::Admitted } else { Verdict::Denied };
            assert_eq!(expected(&pod, &Settings::default(), mode), wanted, "the model, {mode:?}: {pod}");
            let settings = Settings::default().json(mode);
            assert_eq!(judge(&pod, &settings), wanted, "the policy, {mode:?}: {pod}");
        }
    }
}

/// Ensures that the properties cover every outcome and every rule.
#[test]
fn generated_pods_cover_all_outcomes_and_reasons() {
    let mut runner = TestRunner::deterministic();
    let mut counts = [0_usize; 3];
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3_000 {
        let (pod, settings) = (generate::pod(), settings()).new_tree(&mut runner).unwrap().current();
        let index = match expected(&pod, &settings, Mode::Mutate) {
            Verdict::Admitted => 0,
            Verdict::Mutated(_) => 1,
            Verdict::Denied => 2,
        };
        counts[index] += 1;
        // Only single reasons count: with several, a model without the rule would give the same
        // verdict.
        for mode in [Mode::Mutate, Mode::Validate] {
            if let [reason] = reasons(&pod, &settings, mode)[..] {
                seen.insert(reason);
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), model::REASONS);
}

proptest! {
    #![proptest_config(bounded(750))]

    #[test]
    fn the_policy_agrees_with_the_model_by_default(pod in generate::pod()) {
        for mode in [Mode::Mutate, Mode::Validate] {
            let settings = Settings::default();
            prop_assert_eq!(judge(&pod, &settings.json(mode)), expected(&pod, &settings, mode), "{:?}", mode);
        }
    }

    #[test]
    fn the_policy_agrees_with_the_model_under_other_settings(
        pod in generate::pod(), settings in settings(),
    ) {
        for mode in [Mode::Mutate, Mode::Validate] {
            let json = settings.json(mode);
            prop_assert_eq!(judge(&pod, &json), expected(&pod, &settings, mode), "{:?} {}", mode, json);
        }
    }
}

proptest! {
    #![proptest_config(bounded(500))]

    /// Empty options replace those of the pod, so they are completed in place.
    #[test]
    fn empty_options_of_containers_are_completed(
        pod in generate::pod(), settings in settings(), list in prop::sample::select(generate::LISTS.to_vec()),
    ) {
        let mut pod = pod;
        let mut items = pod["spec"].get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        items.push(json!({ "name": "", "securityContext": { "seLinuxOptions": {} } }));
        pod["spec"][list] = items.into();
        let pod = generate::named(pod);
        for mode in [Mode::Mutate, Mode::Validate] {
            let json = settings.json(mode);
            prop_assert_eq!(judge(&pod, &json), expected(&pod, &settings, mode), "{:?} {}", mode, json);
        }
    }

    #[test]
    fn pods_that_get_a_level_get_the_change_policy(
        pod in generate::pod(), settings in settings(),
    ) {
        let settings = Settings { recursive: true, ..settings };
        let json = settings.json(Mode::Mutate);
        prop_assert_eq!(judge(&pod, &json), expected(&pod, &settings, Mode::Mutate), "{}", json);
    }

    #[test]
    fn pods_with_a_level_get_the_annotation_for_crio(pod in generate::pod(), settings in settings()) {
        let settings = Settings { crio_try_skip: true, ..settings };
        let json = settings.json(Mode::Mutate);
        prop_assert_eq!(judge(&pod, &json), expected(&pod, &settings, Mode::Mutate), "{}", json);
    }
}

#[test]
fn the_model_has_the_defaults_of_the_policy() {
    let written = Settings {
        source: Source::Hash,
        matching: Match::Exact,
        allowed: Some(vec!["container_t", "container_init_t", "container_kvm_t", "container_engine_t"]),
        unconfined: Some(vec!["spc_t"]),
        triggers: Some(vec!["HostPID", "HostIPC"]),
        action: Action::Default,
        host_type: Some("spc_t"),
        ..Settings::default()
    };
    for (spec, ..) in table() {
        let pod = pod(&spec);
        for mode in [Mode::Mutate, Mode::Validate] {
            assert_eq!(
                judge(&pod, &written.json(mode)),
                judge(&pod, &Settings::default().json(mode)),
                "{pod}"
            );
        }
    }
}
