//! Tests of the policy `selinux`: a second implementation of its decision table, and properties
//! that must always hold.

mod generate;
mod images;
mod laws;
mod model;
mod policy;

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::bounded;

use self::model::{Action, Answer, Match, Mode, Settings, Source};
use self::policy::{Verdict, evaluate};

const MODES: [Mode; 2] = [Mode::Mutate, Mode::Validate];

/// Settings without a contradiction: not a fixed level for every pod together with another level
/// for pods in host namespaces.
fn settings() -> impl Strategy<Value = Settings> {
    generate::settings().prop_map(|settings| {
        let is_fixed = matches!(&settings.source, Source::Fixed(fixed) if fixed.level.is_some());
        Settings { lowest: settings.lowest && !is_fixed, ..settings }
    })
}

fn typed(pod: &Value) -> Pod {
    let typed: Pod = serde_json::from_value(pod.clone()).unwrap_or_else(|error| panic!("{error}: {pod}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *pod, "the types cannot hold the pod");
    typed
}

/// The verdict of the model.
fn expected(pod: &Value, settings: &Settings, mode: Mode) -> Verdict {
    let typed = typed(pod);
    match model::evaluate(&typed, settings, mode) {
        Answer::Denied(_) => Verdict::Denied,
        Answer::Admitted(completed) if *completed == typed => Verdict::Admitted,
        Answer::Admitted(completed) => Verdict::Mutated(serde_json::to_value(completed).unwrap()),
    }
}

fn pod(spec: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "shop" }, "spec": spec })
}

/// Ensures that the properties cover every outcome and every rule.
#[test]
fn generated_pods_cover_all_outcomes_and_reasons() {
    let mut runner = TestRunner::deterministic();
    let (mut admitted, mut mutated, mut denied) = (0, 0, 0);
    let mut seen = BTreeSet::new();
    for _ in 0..3_000 {
        let (pod, settings) = (generate::pod(), settings()).new_tree(&mut runner).unwrap().current();
        let typed = typed(&pod);
        for mode in MODES {
            match model::evaluate(&typed, &settings, mode) {
                Answer::Denied(reasons) => {
                    denied += usize::from(mode == Mode::Mutate);
                    // Only single reasons count: with several, a model without the rule would give
                    // the same verdict.
                    if reasons.len() == 1 {
                        seen.extend(reasons);
                    }
                }
                Answer::Admitted(completed) if *completed != typed => mutated += 1,
                Answer::Admitted(_) => admitted += usize::from(mode == Mode::Mutate),
            }
        }
    }
    assert!([admitted, mutated, denied].iter().all(|count| *count > 300), "{admitted} {mutated} {denied}");
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), model::REASONS);
}

proptest! {
    #![proptest_config(bounded(750))]

    /// Also with the defaults of the policy written out.
    #[test]
    fn the_policy_agrees_with_the_model_by_default(pod in generate::pod(), is_written: bool) {
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
        for mode in MODES {
            let expected = expected(&pod, &Settings::default(), mode);
            let settings = if is_written { written.json(mode) } else { Settings::default().json(mode) };
            prop_assert_eq!(evaluate(&pod, &settings), expected, "{}", settings);
        }
    }
}

proptest! {
    #![proptest_config(bounded(1_500))]

    /// Pods that the policy completes are not changed again and pass the guard. The guard denies
    /// what the policy denies, and admits what the policy leaves as it is.
    #[test]
    fn the_policy_agrees_with_the_model_under_other_settings(
        pod in generate::pod(), settings in settings(), adds: (bool, bool),
    ) {
        let settings = Settings { recursive: adds.0, crio_try_skip: adds.1, ..settings };
        let json = MODES.map(|mode| settings.json(mode));
        let [policy, guard] = json.each_ref().map(|json| evaluate(&pod, json));
        prop_assert_eq!(&policy, &expected(&pod, &settings, Mode::Mutate), "{}", json[0]);
        prop_assert_eq!(&guard, &expected(&pod, &settings, Mode::Validate), "{}", json[1]);
        match policy {
            Verdict::Denied => prop_assert!(!guard.is_admitted(), "{}", json[1]),
            Verdict::Admitted => prop_assert!(guard.is_admitted(), "{}", json[1]),
            Verdict::Mutated(object) => {
                for json in &json {
                    prop_assert_eq!(evaluate(&object, json), Verdict::Admitted, "{}", json);
                }
            }
        }
    }
}
