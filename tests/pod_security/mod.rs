//! The policy `pod-security` compared with a second implementation of the Pod Security Standards.

mod exclusions;
mod generate;
#[cfg(feature = "modules")]
mod huge;
mod limits;
mod oracle;
mod policy;
mod tweaks;

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use rules::pod_security::standard::CHECKS;
use serde_json::{Value, json};
use tests::bounded;

use self::exclusions::CONTROLS;
use self::generate::{WORKLOADS, versions, workload};
use self::oracle::{Level, Version};
use self::policy::{TestRequest, Verdict, create, judge, settings};
use self::tweaks::{LISTS, Place};

const LEVELS: [Level; 3] = [Level::Privileged, Level::Baseline, Level::Restricted];

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

#[test]
fn the_oracle_accepts_the_compliant_pod() {
    for version in versions() {
        assert_eq!(expected(&tweaks::pod(), Level::Restricted, version), BTreeSet::new(), "{version}");
    }
}

#[test]
fn the_oracle_finds_the_listed_violations_of_every_tweak() {
    for tweak in tweaks::all() {
        for pod in tweak.applied(&tweaks::pod()) {
            for version in versions() {
                for level in LEVELS {
                    let violated = expected(&pod, level, version);
                    assert_eq!(violated, tweak.violates(level, version), "{level} {version} {tweak:?} {pod}");
                }
            }
        }
    }
}

/// Lists the checks of each level before and after every version that changed them.
#[test]
fn the_oracle_runs_the_checks_of_the_version() {
    let mut baseline = vec![
        "appArmorProfile",
        "capabilities_baseline",
        "hostNamespaces",
        "hostPathVolumes",
        "hostPorts",
        "privileged",
        "procMount",
        "seLinuxOptions",
        "seccompProfile_baseline",
        "sysctls",
        "windowsHostProcess",
    ];
    let running = |level, minor| oracle::running(level, Version::Minor(minor));
    assert_eq!(running(Level::Baseline, 33), baseline.iter().copied().collect());
    let mut restricted: BTreeSet<&str> = baseline.iter().copied().collect();
    baseline.push("hostProbesAndHostLifecycle");
    assert_eq!(running(Level::Baseline, 34), baseline.into_iter().collect());

    restricted.remove("hostPathVolumes");
    restricted.extend(["restrictedVolumes", "runAsNonRoot"]);
    assert_eq!(running(Level::Restricted, 7), restricted);
    restricted.insert("allowPrivilegeEscalation");
    assert_eq!(running(Level::Restricted, 8), restricted);
    assert_eq!(running(Level::Restricted, 18), restricted);
    restricted.remove("seccompProfile_baseline");
    restricted.insert("seccompProfile_restricted");
    assert_eq!(running(Level::Restricted, 19), restricted);
    assert_eq!(running(Level::Restricted, 21), restricted);
    restricted.remove("capabilities_baseline");
    restricted.insert("capabilities_restricted");
    assert_eq!(running(Level::Restricted, 22), restricted);
    restricted.insert("runAsUser");
    assert_eq!(running(Level::Restricted, 23), restricted);
    assert_eq!(running(Level::Restricted, 33), restricted);
    restricted.insert("hostProbesAndHostLifecycle");
    assert_eq!(running(Level::Restricted, 34), restricted);
    restricted.remove("procMount");
    restricted.insert("procMount_restricted");
    assert_eq!(running(Level::Restricted, 35), restricted);
    assert_eq!(oracle::running(Level::Restricted, Version::Latest), restricted);
    assert_eq!(running(Level::Restricted, 99), restricted);
    assert_eq!(running(Level::Privileged, 30), BTreeSet::new());
}

#[test]
fn the_oracle_lets_containers_inherit_fields() {
    const UNSET: Value = Value::Null;
    let runtime = || json!({ "type": "RuntimeDefault" });
    let unconfined = || json!({ "type": "Unconfined" });
    for (field, check, of_pod, of_containers, bad) in [
        ("runAsNonRoot", "runAsNonRoot", UNSET, [UNSET, UNSET], true),
        ("runAsNonRoot", "runAsNonRoot", UNSET, [json!(true), json!(true)], false),
        ("runAsNonRoot", "runAsNonRoot", UNSET, [json!(true), UNSET], true),
        ("runAsNonRoot", "runAsNonRoot", json!(true), [json!(true), UNSET], false),
        ("runAsNonRoot", "runAsNonRoot", json!(true), [json!(true), json!(false)], true),
        ("runAsNonRoot", "runAsNonRoot", json!(false), [json!(true), json!(true)], true),
        ("runAsUser", "runAsUser", UNSET, [UNSET, UNSET], false),
        ("runAsUser", "runAsUser", json!(0), [json!(1000), json!(1000)], true),
        ("runAsUser", "runAsUser", json!(1000), [UNSET, json!(0)], true),
        ("seccompProfile", "seccompProfile_restricted", UNSET, [runtime(), runtime()], false),
        ("seccompProfile", "seccompProfile_restricted", UNSET, [runtime(), UNSET], true),
        ("seccompProfile", "seccompProfile_restricted", runtime(), [UNSET, UNSET], false),
        ("seccompProfile", "seccompProfile_restricted", runtime(), [UNSET, unconfined()], true),
        ("seccompProfile", "seccompProfile_restricted", unconfined(), [runtime(), runtime()], true),
    ] {
        let mut pod = tweaks::pod();
        tweaks::set(&mut pod, &format!("/spec/securityContext/{field}"), &of_pod);
        let containers = of_containers.clone().map(|value| {
            let mut container = tweaks::container("app");
            tweaks::set(&mut container, &format!("/securityContext/{field}"), &value);
            container
        });
        pod["spec"]["containers"] = json!(containers);
        pod["spec"]["initContainers"] = json!([]);
        pod["spec"]["ephemeralContainers"] = json!([]);
        let wanted = if bad { BTreeSet::from([check]) } else { BTreeSet::new() };
        let violated = expected(&pod, Level::Restricted, Version::Latest);
        assert_eq!(violated, wanted, "{field}: {of_pod} {of_containers:?}");
    }
}

#[test]
fn the_oracle_distinguishes_significant_updates() {
    let old = tweaks::pod();
    for (pointer, value, significant) in [
        ("/metadata/labels", json!({ "a": "b" }), false),
        ("/spec/tolerations", json!([{ "operator": "Exists" }]), false),
        ("/spec/containers/0/resources", json!({ "limits": { "cpu": "1" } }), false),
        ("/spec/containers/0/securityContext/privileged", json!(true), false),
        ("/spec/ephemeralContainers", json!([]), false),
        ("/spec/containers/0/image", json!("registry.example/app:2"), true),
        ("/spec/initContainers/0/image", json!("registry.example/app:2"), true),
        ("/spec/ephemeralContainers/0/image", json!("registry.example/app:2"), true),
        ("/spec/initContainers", json!([]), true),
        ("/spec/containers", json!([tweaks::container("app-0"), tweaks::container("app-1")]), true),
        (
            "/spec/ephemeralContainers",
            json!([tweaks::container("debug-0"), tweaks::container("debug-1")]),
            true,
        ),
    ] {
        let mut new = old.clone();
        tweaks::set(&mut new, pointer, &value);
        let judged = oracle::is_significant(&typed(&old).spec.unwrap(), &typed(&new).spec.unwrap());
        assert_eq!(judged, significant, "{pointer}: {value}");
    }
}

/// Prevents gaps in the table of tweaks.
#[test]
fn tweaks_break_every_check_in_each_place_that_it_restricts() {
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
    for id in oracle::ids() {
        let breaks = |place: Place| {
            let breaks_it = |tweak: &tweaks::Tweak| tweak.breaks.iter().any(|(check, _)| *check == id);
            tweaks::all().iter().any(|tweak| tweak.place == place && breaks_it(tweak))
        };
        assert_eq!(breaks(Place::Pod), of_pod.contains(&id) || of_both.contains(&id), "{id} in the pod");
        assert_eq!(breaks(Place::Container), !of_pod.contains(&id), "{id} in containers");
    }
}

#[test]
fn the_policy_agrees_with_the_oracle_on_every_tweak_at_every_version() {
    let tweaked = tweaks::all().into_iter().flat_map(|tweak| tweak.applied(&tweaks::pod()));
    for pod in tweaked.chain([tweaks::pod()]) {
        for version in versions() {
            for level in LEVELS {
                let verdict = Verdict::of(expected(&pod, level, version));
                assert_eq!(create(&pod, level, version), verdict, "{level} {version} {pod}");
            }
        }
    }
}

#[test]
fn verdicts_do_not_depend_on_the_list_of_a_violating_container() {
    for tweak in tweaks::all() {
        let pods = tweak.applied(&tweaks::pod());
        for version in versions() {
            for level in LEVELS {
                let mut verdicts = pods.iter().map(|pod| create(pod, level, version));
                let first = verdicts.next().unwrap();
                assert!(verdicts.all(|verdict| verdict == first), "{level} {version} {tweak:?}");
            }
        }
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

/// Returns a violating pod before and after a significant update.
fn violating_update() -> (Value, Value) {
    let mut old = tweaks::pod();
    old["spec"]["hostPID"] = json!(true);
    let mut new = old.clone();
    new["spec"]["containers"][0]["image"] = json!("registry.example/app:2");
    (old, new)
}

fn is_admitted(request: &TestRequest<'_>) -> bool {
    judge(request, &settings(Level::Restricted, Version::Latest)).admitted
}

#[test]
fn violating_pods_can_be_deleted() {
    let (violating, _) = violating_update();
    assert!(!is_admitted(&TestRequest::create(&violating)));
    assert!(is_admitted(&TestRequest {
        operation: "DELETE",
        subresource: "",
        object: None,
        old: Some(&violating)
    }));
}

#[test]
fn harmless_subresources_of_pods_are_not_judged() {
    let (old, new) = violating_update();
    for subresource in ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"] {
        assert!(
            is_admitted(&TestRequest { subresource, ..TestRequest::update(&old, &new) }),
            "{subresource}"
        );
    }
}

#[test]
fn other_subresources_of_pods_are_judged_like_pods() {
    let (old, new) = violating_update();
    for subresource in ["", "ephemeralcontainers", "resize", "not-invented-yet"] {
        assert!(
            !is_admitted(&TestRequest { subresource, ..TestRequest::update(&old, &new) }),
            "{subresource:?}"
        );
    }
}

#[test]
fn only_updates_that_change_the_template_of_a_workload_are_judged() {
    let (old, new) = violating_update();
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
    fn significant_updates_of_pods_are_judged_like_creations(
        (old, new) in generate::update(),
        subresource in prop::sample::select(vec!["", "ephemeralcontainers", "resize"]),
        level in generate::level(),
        version in generate::version(),
    ) {
        let significant = oracle::is_significant(&typed(&old).spec.unwrap(), &typed(&new).spec.unwrap());
        let violated = if significant { expected(&new, level, version) } else { BTreeSet::new() };
        let update = TestRequest { subresource, ..TestRequest::update(&old, &new) };
        prop_assert_eq!(judge(&update, &settings(level, version)), Verdict::of(violated));
    }
}

proptest! {
    #![proptest_config(bounded(250))]

    #[test]
    fn templates_of_workloads_are_judged_like_pods(
        pod in generate::pod(), level in generate::level(), version in generate::version(),
    ) {
        let verdict = Verdict::of(expected(&pod, level, version));
        for kind in WORKLOADS {
            let object = workload(kind, &pod);
            prop_assert_eq!(&create(&object, level, version), &verdict, "{}", kind.1);
        }
    }

    /// Windows pods are an exception: since v1.25, some restricted checks do not apply to them but
    /// still supersede baseline checks.
    #[test]
    fn a_stricter_level_admits_no_more(pod in generate::pod(), version in generate::version()) {
        let [privileged, baseline, restricted] = LEVELS.map(|level| create(&pod, level, version).admitted);
        prop_assert!(privileged);
        let windows = pod.pointer("/spec/os/name") == Some(&json!("windows"));
        prop_assert!(!restricted || baseline || windows && version.minor() >= 25);
    }

    #[test]
    fn an_additional_privileged_container_never_removes_violations(
        pod in generate::pod(),
        list in prop::sample::select(LISTS.to_vec()),
        level in generate::level(),
        version in generate::version(),
    ) {
        let before = create(&pod, level, version).violated;
        let mut worse = pod;
        let mut container = tweaks::container("worse");
        container["securityContext"]["privileged"] = json!(true);
        worse["spec"][list.0].as_array_mut().unwrap().push(container);
        let after = create(&worse, level, version).violated;
        prop_assert!(after.is_superset(&before));
        prop_assert_eq!(after.contains("privileged"), level != Level::Privileged);
    }

    #[test]
    fn verdicts_do_not_depend_on_the_list_of_containers(
        pod in generate::pod(), level in generate::level(), version in generate::version(),
    ) {
        let verdict = create(&pod, level, version);
        let lists = LISTS.map(|(list, _)| pod["spec"][list].as_array().cloned().unwrap_or_default());
        let all: Value = lists.concat().into();
        for (list, _) in LISTS {
            let mut moved = pod.clone();
            for (other, _) in LISTS {
                moved["spec"][other] = json!([]);
            }
            moved["spec"][list] = all.clone();
            prop_assert_eq!(&create(&moved, level, version), &verdict, "{}", list);
        }
    }

    #[test]
    fn an_exclusion_removes_only_checks_of_its_control(
        pod in generate::pod(),
        entries in prop::collection::vec(exclusions::entry(), 1..4),
        level in generate::level(),
        version in generate::version(),
    ) {
        let mut settings = settings(level, version);
        let mut before = judge(&TestRequest::create(&pod), &settings);
        settings["exclude"] = json!([]);
        for (control, entry) in entries {
            // Entries that can never match are refused, and no entry here is about annotations.
            if !control.is_checked(level, version) || control.is_about_annotations(version) {
                continue;
            }
            settings["exclude"].as_array_mut().unwrap().push(entry);
            let after = judge(&TestRequest::create(&pod), &settings);
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
        prop_assert_eq!(judge(&TestRequest::create(&pod), &settings), Verdict::of(rest), "{}", settings);
    }
}
