//! The policy `pod-security` compared with a second implementation of the Pod Security Standards.

mod exclusions;
mod limits;
mod oracle;

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use rules::pod_security::standard::CHECKS;
use serde_json::{Value, json};
use tests::bounded;
use tests::pods::generate::{self, WORKLOADS, versions, workload};
use tests::pods::policy::{TestRequest, Verdict, create, evaluate, settings};
use tests::pods::tweaks::{self, Place};
use tests::pods::{Level, Version};

use self::exclusions::CONTROLS;

fn typed(pod: &Value) -> Pod {
    serde_json::from_value(pod.clone()).unwrap_or_else(|error| panic!("{error}: {pod}"))
}

/// Returns the checks that a pod violates according to the oracle.
fn expected(pod: &Value, level: Level, version: Version) -> BTreeSet<&'static str> {
    let pod = typed(pod);
    oracle::violated(&pod.metadata, &pod.spec.unwrap(), level, version)
}

#[test]
fn the_oracle_has_the_checks_of_the_policy() {
    let of_policy: BTreeSet<oracle::Summary> = CHECKS
        .iter()
        .map(|check| oracle::Summary {
            id: check.id,
            level: check.level.name().to_owned(),
            since: check.revisions.iter().map(|revision| u32::from(revision.since)).collect(),
            superseded_by: check.superseded_by.map(|stricter| stricter.id),
        })
        .collect();
    assert_eq!(oracle::summaries(), of_policy);
}

/// Each container is in every list. The tweaks have no gap: they violate every check in each place
/// that it restricts.
#[test]
fn the_policy_agrees_with_the_oracle_on_every_tweak() {
    let of_pod = ["hostNamespaces", "hostPathVolumes", "sysctls", "restrictedVolumes"];
    let of_both = [
        "windowsHostProcess",
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile_baseline",
        "seccompProfile_restricted",
        "runAsNonRoot",
        "runAsUser",
    ];
    let mut seen = BTreeSet::new();
    for tweak in tweaks::all() {
        let pods = tweak.applied(&tweaks::pod());
        let Pod { metadata, spec, .. } = typed(&pods[0]);
        let spec = spec.unwrap();
        for version in versions() {
            for level in [Level::Baseline, Level::Restricted] {
                let violated = oracle::violated(&metadata, &spec, level, version);
                seen.extend(violated.iter().map(|id| (tweak.place, *id)));
                let verdict = Verdict::of(violated);
                for pod in &pods {
                    assert_eq!(create(pod, level, version), verdict, "{level} {version} {pod}");
                }
            }
        }
    }
    for id in oracle::ids() {
        let is_of_pod = of_pod.contains(&id);
        let is_in_pod = is_of_pod || of_both.contains(&id);
        assert_eq!(seen.contains(&(Place::Pod, id)), is_in_pod, "{id} in the pod");
        assert_eq!(seen.contains(&(Place::Container, id)), !is_of_pod, "{id} in containers");
    }
}

/// The types of the oracle cannot represent such a volume.
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
    #![proptest_config(bounded(1_000))]

    #[test]
    fn the_policy_agrees_with_the_oracle_on_random_pods(
        pod in generate::pod(), level in generate::level(), version in generate::version(),
    ) {
        prop_assert_eq!(create(&pod, level, version), Verdict::of(expected(&pod, level, version)));
    }

    #[test]
    fn significant_updates_of_pods_are_evaluated_like_creations(
        (old, new) in generate::update(),
        subresource in prop::sample::select(vec!["", "ephemeralcontainers", "resize"]),
        level in generate::level(),
        version in generate::version(),
    ) {
        let significant = oracle::is_significant(&typed(&old).spec.unwrap(), &typed(&new).spec.unwrap());
        let violated = if significant { expected(&new, level, version) } else { BTreeSet::new() };
        let update = TestRequest { subresource, ..TestRequest::update(&old, &new) };
        prop_assert_eq!(evaluate(&update, &settings(level, version)), Verdict::of(violated));
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
        let verdict = Verdict::of(expected(&pod, level, version));
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
        let violated = expected(&pod, level, version);
        let baseline = expected(&pod, Level::Baseline, version);
        let mut rest = &control.uncovered(&violated) & &baseline;
        rest.extend(violated.iter().filter(|id| !control.ids.contains(id)));
        settings["exclude"] = control.full_exclusion(version).into();
        prop_assert_eq!(evaluate(&TestRequest::create(&pod), &settings), Verdict::of(rest), "{}", settings);
    }
}
