//! Laws of `pod-security`. `tests/conformance` compares its verdicts with those of Kubernetes.

mod exclusions;
mod limits;

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use tests::bounded;
use tests::pods::generate::{self, WORKLOADS, versions, workload};
use tests::pods::policy::{TestRequest, Verdict, create, evaluate, settings};
use tests::pods::{Level, Version, tweaks};

use self::exclusions::CONTROLS;

/// The types of Kubernetes cannot represent such a volume.
#[test]
fn the_restricted_level_refuses_unknown_volume_types() {
    let mut pod = tweaks::pod();
    pod["spec"]["volumes"] = json!([{ "name": "v", "teleport": { "to": "/" } }]);
    for version in versions() {
        let refused = Verdict::of(BTreeSet::from(["restrictedVolumes"]));
        assert_eq!(create(&pod, Level::Restricted, version), refused, "{version}");
        assert!(create(&pod, Level::Baseline, version).admitted, "{version}");
    }
}

#[test]
fn only_updates_that_change_the_template_of_a_workload_are_evaluated() {
    let mut old = tweaks::pod();
    old["spec"]["hostPID"] = json!(true);
    let mut new = old.clone();
    new["spec"]["containers"][0]["image"] = json!("registry.example/app:2");
    let settings = settings(Level::Restricted, Version::Latest);
    let is_admitted = |request: &TestRequest<'_>| evaluate(request, &settings).admitted;
    for kind in WORKLOADS {
        let (old, new) = (workload(kind, &old), workload(kind, &new));
        assert!(!is_admitted(&TestRequest::update(&old, &new)), "{new}");
        let mut scaled = old.clone();
        scaled["spec"]["replicas"] = json!(0);
        scaled["metadata"]["labels"] = json!({ "scaled": "true" });
        assert!(is_admitted(&TestRequest::update(&old, &scaled)), "{scaled}");
        for subresource in ["status", "scale"] {
            let update = TestRequest { subresource, ..TestRequest::update(&old, &new) };
            assert!(is_admitted(&update), "{subresource} of {new}");
        }
    }
}

proptest! {
    #![proptest_config(bounded(250))]

    #[test]
    fn templates_of_workloads_are_evaluated_like_pods(
        pod in generate::pod(),
        kind in prop::sample::select(&WORKLOADS[..]),
        level in generate::level(),
        version in generate::version(),
    ) {
        let verdict = create(&pod, level, version);
        prop_assert_eq!(create(&workload(kind, &pod), level, version), verdict, "{}", kind.1);
    }

    #[test]
    fn an_exclusion_removes_only_checks_of_its_control(
        pod in generate::pod(),
        entries in prop::collection::vec(exclusions::entry(), 1..4),
        level in generate::level(),
        version in generate::version(),
    ) {
        let mut settings = settings(level, version);
        let mut before = evaluate(&TestRequest::create(&pod), &settings);
        settings["exclude"] = json!([]);
        for (control, entry) in entries {
            // Entries that can never match are refused, and no entry here is about annotations.
            if !control.is_checked(level, version) || control.is_about_annotations(version) {
                continue;
            }
            settings["exclude"].as_array_mut().unwrap().push(entry);
            let after = evaluate(&TestRequest::create(&pod), &settings);
            let what = format!("{settings} {before:?} {after:?}");
            prop_assert!(after.admitted || !before.admitted, "{}", what);
            prop_assert_eq!(after.admitted, after.violated.is_empty(), "{}", &what);
            let mut removed = before.violated.difference(&after.violated);
            prop_assert!(removed.all(|id| control.ids.contains(id)), "{}", what);
            let uncovered = control.uncovered(&before.violated);
            let mut added = after.violated.difference(&before.violated);
            prop_assert!(added.all(|id| uncovered.contains(id)), "{}", what);
            before = after;
        }
    }

    /// A superseded check counts again once the check that supersedes it is excluded.
    #[test]
    fn excluding_a_control_equals_removing_it(
        pod in generate::pod(),
        control in prop::sample::select(CONTROLS.iter().collect::<Vec<_>>()),
        level in generate::level(),
        version in generate::version(),
    ) {
        if !control.is_checked(level, version) {
            return Ok(());
        }
        let mut settings = settings(level, version);
        let violated = create(&pod, level, version).violated;
        let baseline = create(&pod, Level::Baseline, version).violated;
        let mut rest = &control.uncovered(&violated) & &baseline;
        rest.extend(violated.iter().filter(|id| !control.ids.contains(id)));
        settings["exclude"] = control.full_exclusion(version).into();
        prop_assert_eq!(evaluate(&TestRequest::create(&pod), &settings), Verdict::of(rest), "{}", settings);
    }
}
