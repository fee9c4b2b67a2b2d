//! The registration of a node stays away from `node-labels` whenever the settings admit it.
//!
//! A kubelet repeats its registration until the API server answers, and reports nothing before. So
//! a match condition that lets a registration through without need loses nodes that restart while
//! no policy server answers. `conditions` shows the reverse: what stays away is admitted.

use std::cell::Cell;
use std::collections::BTreeMap;

use libtest_mimic::{Failed, Trial};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use suite::cases::Case;
use tests::evaluate;

use crate::conditions::Seen;

const KEYS: [&str; 8] = [
    "team",
    "foo/dedicated",
    "example.com/pool",
    "kubernetes.io/role",
    "kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
    "node.kubernetes.io/pool",
    "pool.example.com/a",
];

/// Settings may end a domain with a slash.
const DOMAINS: [&str; 6] =
    ["foo", "example.com", "example.com/", "topology.kubernetes.io", "node.kubernetes.io", "k8s.io"];

pub(crate) fn trials() -> [Trial; 2] {
    [
        Trial::test("node-labels", stay_away_if_admitted).with_kind("registrations"),
        Trial::test("node-labels with many labels", with_many_labels).with_kind("registrations"),
    ]
}

/// Many labels do not hide one: the conditions stay within the cost that API servers allow, both
/// for as many labels as they look at, with the longest keys, and for more.
fn with_many_labels() -> Result<(), Failed> {
    let deployment = kubewarden::deployment::find("node-labels").ok_or("no deployment.yml")?;
    let domain = vec!["a".repeat(63); 3].join(".");
    let keys = |begin: &str| (0..20).map(|number| format!("{begin}{number}")).collect::<Vec<_>>();
    let settings = json!({
        "protectedLabelKeys": keys("foo/protected-"),
        "protectedLabelPrefixes": keys("protected.example.com"),
        "allowedLabelKeys": keys("kubernetes.io/allowed-"),
        "createOnlyLabelKeys": keys("foo/create-only-"),
        "createOnlyLabelPrefixes": keys("create-only.example.com"),
    });
    for (number, is_reserved, wanted) in [(64, false, true), (63, true, false), (20_000, true, false)] {
        let labels = (0..number).map(|number| (format!("{domain}/{number:0>63}"), String::new()));
        let reserved =
            is_reserved.then(|| ("node-restriction.kubernetes.io/team".to_owned(), "a".to_owned()));
        let labels = labels.chain(reserved).collect();
        let request = registration(&settings, &labels, false)?.admission_request()?;
        let conditions = deployment.needs(&settings).match_conditions;
        if Seen::default().keep_away(conditions, request.as_value())? != wanted {
            return Err(format!("{number} labels").into());
        }
    }
    Ok(())
}

fn stay_away_if_admitted() -> Result<(), Failed> {
    let entry = rules::find("node-labels").ok_or("no policy")?;
    let deployment = kubewarden::deployment::find(entry.id).ok_or("no deployment.yml")?;
    let (admitted, others) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config { source_file: Some(file!()), ..tests::bounded(2_000) });
    runner
        .run(
            &(settings(), prop::collection::btree_map(label(), "[a-z]?", 0..3), any::<bool>()),
            |(settings, labels, has_owner)| {
                if (entry.check_settings)(settings.to_string().as_bytes()).is_err() {
                    return Ok(());
                }
                let fail = |error: String| TestCaseError::fail(format!("{settings} {labels:?}: {error}"));
                let case = registration(&settings, &labels, has_owner).map_err(fail)?;
                let request = case.admission_request().map_err(fail)?;
                let conditions = deployment.needs(&settings).match_conditions;
                let is_kept_away = Seen::default().keep_away(conditions, request.as_value()).map_err(fail)?;
                let is_admitted = evaluate::natively(entry, &case).map_err(fail)?.outcome.admitted.is_some();
                let count = if is_admitted { &admitted } else { &others };
                count.set(count.get() + 1);
                prop_assert_eq!(is_kept_away, is_admitted, "{} {:?}", settings, labels);
                Ok(())
            },
        )
        .map_err(|error| Failed::from(error.to_string()))?;
    println!("{} admitted and kept away, {} for the policy", admitted.get(), others.get());
    if admitted.get().min(others.get()) < 10 { Err("too few of one kind".into()) } else { Ok(()) }
}

fn settings() -> impl Strategy<Value = Value> {
    let keys = || subsequence(KEYS.to_vec(), 0..2);
    let domains = || subsequence(DOMAINS.to_vec(), 0..2);
    let choices = (
        select(vec!["Union", "Kep279", "InTree"]),
        select(vec!["Full", "NodeRestrictionOnly"]),
        select(vec!["Allow", "Deny"]),
    );
    let lists = (domains(), keys(), keys(), domains(), keys());
    (choices, lists).prop_map(|((profile, enforcement, owners), lists)| {
        json!({
            "labelProfile": profile,
            "createEnforcement": enforcement,
            "ownerReferenceChanges": owners,
            "protectedLabelPrefixes": lists.0,
            "protectedLabelKeys": lists.1,
            "allowedLabelKeys": lists.2,
            "createOnlyLabelPrefixes": lists.3,
            "createOnlyLabelKeys": lists.4,
        })
    })
}

fn label() -> impl Strategy<Value = String> {
    let subdomains = ["", "a.", "x", "node.", "a.node.", "kubelet.", "topology.", "failure-domain.beta."];
    let more = ["failure-domain.", "node-restriction.", "a.node-restriction.", "pool."];
    let domains = ["kubernetes.io/", "k8s.io/", "example.com/", "example.community/", "foo/", ""];
    let names =
        ["hostname", "os", "zone", "region", "instance-type", "role", "pool", "dedicated", "a", "team"];
    let composed = (select([&subdomains[..], &more[..]].concat()), select(domains.to_vec()));
    prop_oneof![
        select(KEYS.to_vec()).prop_map(str::to_owned),
        (composed, select(names.to_vec())).prop_map(|((subdomain, domain), name)| if domain.is_empty() {
            name.to_owned()
        } else {
            format!("{subdomain}{domain}{name}")
        }),
    ]
}

fn registration(
    settings: &Value,
    labels: &BTreeMap<String, String>,
    has_owner: bool,
) -> Result<Case, String> {
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "1" });
    let owners = if has_owner { vec![owner] } else { Vec::new() };
    let metadata = json!({ "name": "worker-1", "labels": labels, "ownerReferences": owners });
    let case = json!({
        "name": "a registration",
        "settings": settings,
        "user": { "username": "system:node:worker-1", "groups": ["system:nodes"] },
        "object": { "apiVersion": "v1", "kind": "Node", "metadata": metadata },
        "want": { "admitted": true },
    });
    serde_json::from_value(case).map_err(|error| error.to_string())
}
