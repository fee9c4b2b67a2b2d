//! Laws over all cases of the policies: a scan of an object gives the verdict that the case wants,
//! and a module gives the findings that the native policy gives.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kubernetes::kinds::Kinds;
use report::{Finding, Report, Status};
use scan::{Files, Observer, Options, Origin, Pods, Policy, Question, Scan};
use serde_json::{Value, json};
use suite::cases::Case;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn cases(id: &str) -> Vec<Case> {
    suite::cases::load_dir(&root().join("policies").join(id).join("cases")).unwrap()
}

/// Returns whether the case is about the creation of an object, and nothing but the object and its
/// user tells the request.
fn is_creation(case: &Case) -> bool {
    let user = case.user.as_ref().and_then(Value::as_object);
    let is_known = |key: &String| ["username", "groups"].contains(&key.as_str());
    let object = case.object.as_ref().unwrap_or(&Value::Null);
    case.operation.as_ref().is_none_or(|operation| operation == "CREATE")
        && case.old_object.is_none()
        && case.subresource.is_none()
        && case.request.is_empty()
        && case.cluster.unreachable.is_none()
        && user.is_none_or(|user| user.len() == 2 && user.keys().all(is_known))
        // API servers would convert objects of the removed group extensions.
        && object["apiVersion"].as_str().is_some_and(|version| !version.starts_with("extensions/"))
        && object.get("kind").is_some_and(Value::is_string)
        // The API server gives every namespaced object a namespace, and objects names.
        && (object["metadata"]["namespace"].as_str().is_some_and(|namespace| !namespace.is_empty())
            || ["Node", "Namespace", "PersistentVolume"].contains(&object["kind"].as_str().unwrap_or_default()))
}

fn options(case: &Case) -> Options {
    let user = case.user.clone().unwrap_or_else(kubernetes::review::Draft::ordinary_user);
    let groups = user["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Options {
        user: user["username"].as_str().unwrap_or_default().to_owned(),
        groups: groups.map(str::to_owned).collect(),
        pods: Pods::Off,
        workers: 1,
        ..Options::default()
    }
}

/// Returns the policy with the conditions that its settings need, and with all rules: by some
/// settings it is not deployed for all kinds that its module evaluates.
fn policy(id: &str, settings: &Value) -> Policy {
    let deployment = kubewarden::deployment::find(id).unwrap();
    let rules: Vec<_> = deployment.all_rules().collect();
    let conditions = deployment.needs(settings).match_conditions;
    let spec = json!({ "rules": rules, "matchConditions": conditions });
    let mut policy = Policy::of_id(id, settings).unwrap();
    policy.webhook = kubewarden::matching::Webhook::from_spec(&spec).unwrap();
    policy
}

/// Returns the cases in groups with the same settings and user. A scan for all of a group compiles
/// the conditions once.
fn groups<'c>(cases: impl Iterator<Item = &'c Case>) -> impl Iterator<Item = Vec<&'c Case>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for case in cases {
        groups.entry(format!("{} {:?}", case.settings, case.user)).or_default().push(case);
    }
    groups.into_values()
}

/// Scans the request of a case: a case is about what a webhook receives.
fn report(scan: &Scan, case: &Case) -> Report {
    let user = case.user.clone().unwrap_or_else(kubernetes::review::Draft::ordinary_user);
    let question = Question { user, object: case.object.clone(), ..Question::default() };
    let request = question.request(&Kinds::default()).unwrap();
    let review =
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request });
    report_of(scan, case, &review)
}

fn report_of(scan: &Scan, case: &Case, text: &Value) -> Report {
    let mut input = Files::default();
    input.add_text(Origin::file("case.json"), text.to_string());
    let mut cluster = Files::default();
    for (number, object) in case.cluster.objects.iter().enumerate() {
        cluster.add_text(Origin::file(format!("cluster-{number}.json")), object.to_string());
    }
    scan.run(&mut input, None, Some(&mut cluster), &mut ())
}

fn messages(report: &Report, is_one: impl Fn(&Finding) -> bool) -> Vec<String> {
    let mut messages: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| is_one(finding))
        .map(|finding| finding.message.clone())
        .collect();
    messages.sort();
    messages
}

/// Returns the control of a warning that names violations of it.
fn control(warning: &str) -> Option<&str> {
    let named = warning.strip_prefix("would violate PodSecurity ")?;
    named.split_once("\": ")?.1.split(": ").next()
}

fn difference(report: &Report, case: &Case) -> Option<String> {
    let totals = &report.totals.policies[0];
    let of = |status| messages(report, |finding| finding.status == status);
    let (denied, unknown, mut warned) = (of(Status::Denied), of(Status::Unknown), of(Status::Warned));
    let want = &case.want;
    // A fault is about an object that no API server stores, and that conditions may not be able to
    // read.
    if want.fault.is_some()
        && (totals.skipped == 1 || denied.iter().any(|one| one.contains("match condition")))
    {
        return None;
    }
    let is_same = if let Some(lines) = &want.denied {
        let mut lines = lines.clone();
        lines.sort();
        // Long denials are counted in other words.
        denied == lines || !denied.is_empty() && lines.iter().any(|line| line.contains("further"))
    } else if let Some(fault) = &want.fault {
        // A condition keeps an object away that no API server sends.
        let spec = case.object.as_ref().and_then(|object| object.get("spec"));
        let labels = case.object.as_ref().and_then(|object| object.pointer("/metadata/labels"));
        let is_text_by_key =
            |labels: &Value| labels.as_object().is_some_and(|labels| labels.values().all(Value::is_string));
        let is_malformed = spec.is_some_and(|spec| !spec.is_object())
            || labels.is_some_and(|labels| !is_text_by_key(labels));
        unknown == [fault.clone()] || is_malformed && totals.admitted == 1
    } else if want.mutated.is_some() {
        totals.mutated == 1
    } else {
        totals.admitted == 1 && totals.mutated == 0 || totals.skipped == 1
    };
    let mut warnings = want.warnings.clone();
    warnings.sort();
    // A warning of violations names their controls; a finding has one of them.
    let named: BTreeSet<&str> = warnings.iter().filter_map(|warning| control(warning)).collect();
    let is_warned = |finding: &&Finding| finding.status == Status::Warned;
    let found = report.findings.iter().filter(is_warned).filter_map(|one| one.rule_name.as_deref());
    let are_named = !named.is_empty() && found.collect::<BTreeSet<_>>() == named;
    if are_named {
        warned = messages(report, |finding| finding.status == Status::Warned && finding.rule_name.is_none());
        warnings.retain(|warning| control(warning).is_none());
    }
    let is_same = is_same && (warned == warnings || totals.skipped == 1);
    (!is_same).then(|| format!("{}: {denied:?} {unknown:?} {warned:?} {totals:?}", case.place()))
}

#[test]
fn a_scan_gives_the_verdict_that_a_case_wants() {
    let mut compared = 0;
    let mut differences = Vec::new();
    for entry in rules::CATALOG {
        let cases = cases(entry.id);
        let creations = cases.iter().filter(|case| is_creation(case) && case.want.settings_error.is_none());
        for group in groups(creations) {
            let scan = Scan::new(vec![policy(entry.id, &group[0].settings)], options(group[0]));
            for case in &group {
                differences.extend(difference(&report(&scan, case), case));
                // A manifest is not clean if the policy denies its object, but for the status.
                let of_manifest = report_of(&scan, case, case.object.as_ref().unwrap());
                let has_status = case.object.as_ref().unwrap().get("status").is_some();
                if case.want.denied.is_some() && !has_status && of_manifest.findings.is_empty() {
                    differences.push(format!("{}: a manifest is clean", case.place()));
                }
            }
            compared += group.len();
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {compared} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(compared > 500, "{compared} cases");
}

#[test]
fn settings_that_a_case_rejects_evaluate_nothing() {
    for entry in rules::CATALOG {
        for case in cases(entry.id) {
            if let Some(message) = &case.want.settings_error {
                let policy = Policy::of_id(entry.id, &case.settings);
                // Rules and conditions do not depend on settings that have another type.
                let Some(policy) = policy else { panic!("{}: no policy", case.place()) };
                let report = Scan::new(vec![policy], Options::default()).run(
                    &mut Files::default(),
                    None,
                    None,
                    &mut (),
                );
                assert!(
                    report.notices[0].message.contains(message),
                    "{}: {:?}",
                    case.place(),
                    report.notices
                );
            }
        }
    }
}

/// Watches a scan that evaluates every object as a whole, after it has collected what it may need.
struct Explained;

impl Observer for Explained {
    fn wants_explanations(&self) -> bool {
        true
    }
}

/// Objects that are evaluated from what policies read of them, while others are collected, get the
/// same report as whole ones.
#[test]
fn a_report_does_not_depend_on_how_objects_are_read() {
    let definition = |scope: &str| {
        let names = json!({ "kind": "Thing", "plural": "things" });
        let versions = json!([{ "name": "v1", "served": true, "storage": true }]);
        let spec = json!({ "group": "example.com", "names": names, "scope": scope, "versions": versions });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "things.example.com" }, "spec": spec,
        })
    };
    let thing = json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "a" } });
    let mut all = vec![thing.clone()];
    let mut findings = 0;
    // Conditions remember their values, so that each way of reading has its own.
    let twice = |policies: &dyn Fn() -> Vec<Policy>, options: Options| {
        [Scan::new(policies(), options.clone()), Scan::new(policies(), options)]
    };
    let mut compare = |[quick, whole]: &[Scan; 2], objects: &[Value]| {
        let report = |scan: &Scan, observer: &mut dyn Observer| {
            let mut input = Files::default();
            let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
            input.add_text(Origin::file("all.json"), list.to_string());
            scan.run(&mut input, None, None, observer)
        };
        let (quick, whole) = (report(quick, &mut ()), report(whole, &mut Explained));
        assert!(quick == whole, "{quick:#?}\nas a whole:\n{whole:#?}");
        findings += quick.findings.len();
    };
    for entry in rules::CATALOG {
        let cases = cases(entry.id);
        for group in groups(cases.iter().filter(|case| case.object.is_some())) {
            let by_id = || Policy::of_id(entry.id, &group[0].settings).into_iter().collect();
            let scans = twice(&by_id, Options { pods: Pods::Auto, ..options(group[0]) });
            for (number, case) in group.iter().enumerate() {
                let objects: Vec<Value> = case.object.iter().chain(&case.cluster.objects).cloned().collect();
                // The list of all objects has the others.
                if number % 4 == 0 {
                    compare(&scans, &objects);
                }
                all.extend(objects);
            }
        }
    }
    let every = || {
        let default = rules::CATALOG.iter().filter_map(|entry| Policy::of_id(entry.id, &json!({})));
        default.chain(Policy::of_rules("pod-security", &json!({ "level": "restricted" }))).collect()
    };
    let mut compare = |objects: &[Value]| compare(&twice(&every, Options::default()), objects);
    // The definition comes after the object, and in several states.
    let some = all.get(..200).unwrap();
    compare(some);
    compare(&[some, &[definition("Cluster")]].concat());
    all.extend([definition("Cluster"), definition("Namespaced")]);
    // More than what is kept in memory.
    all.extend((0..3_000).map(|number| {
        let text = "x".repeat(5_000);
        json!({ "apiVersion": "example.com/v2", "kind": "Thing", "metadata": { "name": format!("a{number}") }, "text": text })
    }));
    compare(&all);
    assert!(findings > 5_000, "{findings} findings");
}

#[cfg(feature = "modules")]
mod modules {
    use std::thread;

    use super::*;
    use ::scan::{Engine, Evaluator};
    use admission::PolicyEntry;
    use wapc_host::{Deployment, Host, Resource};

    /// Runs a policy by its module, which `./justw modules` builds.
    fn in_host(host: &wapc_host::Module, mut policy: Policy, settings: &Value) -> Policy {
        let Evaluator::Module(module) = &mut policy.evaluator else { return policy };
        let Engine::Native(entry) = module.engine else { return policy };
        let resources = module.look_ups.iter();
        let resources = resources
            .map(|(api_version, kind)| Resource { api_version: api_version.clone(), kind: kind.clone() });
        let deployment = Deployment {
            settings: if settings.is_null() { json!({}) } else { settings.clone() },
            allowed_to_mutate: entry.mutates,
            host_capabilities: vec!["kubernetes/*".to_owned()],
            context_aware_resources: resources.collect(),
            ..Deployment::new(entry.id)
        };
        let policy_in_host = Box::new(host.deploy(deployment).unwrap());
        module.engine = Engine::Deployed { policy: policy_in_host, twin: Some(entry) };
        policy
    }

    #[test]
    fn a_module_gives_the_findings_of_the_native_policy() {
        let host = Host::new().unwrap();
        let compared = |entry: &PolicyEntry| {
            let mut compared = 0;
            let file = root().join("target/policies").join(format!("{}.wasm", entry.id));
            let wasm = std::fs::read(&file).unwrap_or_else(|error| {
                panic!("{}: {error}; build the modules with ./justw modules", file.display())
            });
            let module = host.load(&wasm).unwrap();
            let cases = cases(entry.id);
            let cases = cases.iter().filter(|case| is_creation(case) && case.want.settings_error.is_none());
            // With the look-ups that the settings need and, if there are objects, without them.
            let both = |group: Vec<_>| [(group.clone(), true), (group, false)];
            for (mut group, is_granted) in groups(cases).flat_map(both) {
                group.retain(|case| is_granted || !case.cluster.objects.is_empty());
                let Some(first) = group.first() else { continue };
                let policy = || {
                    let mut policy = policy(entry.id, &first.settings);
                    if let Evaluator::Module(module) = &mut policy.evaluator
                        && !is_granted
                    {
                        module.look_ups.clear();
                    }
                    policy
                };
                let scans = [policy(), in_host(&module, policy(), &first.settings)]
                    .map(|policy| Scan::new(vec![policy], options(first)));
                for case in &group {
                    let [native, hosted] = scans.each_ref().map(|scan| {
                        let report = report(scan, case);
                        let mut findings: Vec<_> = report
                            .findings
                            .iter()
                            .filter(|finding| !finding.message.contains("further"))
                            .map(|finding| {
                                (
                                    finding.status,
                                    finding.rule.clone(),
                                    finding.path.clone(),
                                    finding.place.clone(),
                                    // Natively, the reason of an unknown verdict names the policy.
                                    finding.message.trim_start_matches(&format!("{}: ", entry.id)).to_owned(),
                                )
                            })
                            .collect();
                        findings.sort();
                        (findings, report.totals)
                    });
                    assert_eq!(native, hosted, "{}, granted: {is_granted}", case.place());
                    compared += 1;
                }
            }
            compared
        };
        let compared: usize = thread::scope(|scope| {
            let of_policy = |entry: &'static PolicyEntry| scope.spawn(|| compared(entry));
            let threads: Vec<_> = rules::CATALOG.iter().map(of_policy).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(compared > 500, "{compared} cases");
    }
}
