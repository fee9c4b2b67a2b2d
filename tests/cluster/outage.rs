//! The policy server ends and starts again while users create Services.
//!
//! With `failurePolicy: Fail`, a request is refused while nobody evaluates it. Nothing forbidden is
//! stored, and what the API server has acknowledged is stored.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};
use tests::api_server::User;
use tests::process::wait_until;

use crate::cluster::Cluster;
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const POLICY: &str = "external-ips";
const NAMESPACE: &str = "outage";

const OUTAGES: usize = 3;
/// The users who create Services at the same time.
const WRITERS: usize = 3;
/// The Services of a writer at once: half of them are forbidden.
const BATCH: usize = 10;

#[derive(Clone, Debug, Default)]
struct Tally {
    /// The names that the API server has acknowledged.
    created: BTreeSet<String>,
    denied: usize,
    /// How many were refused because the policy server did not answer.
    refused: usize,
}

fn service(name: &str, is_allowed: bool) -> Value {
    let address = if is_allowed { "192.0.2.7" } else { "203.0.113.7" };
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": name, "namespace": NAMESPACE, "labels": { "allowed": is_allowed.to_string() } },
        "spec": { "type": "ExternalName", "externalName": "shop.example", "externalIPs": [address] },
    })
}

/// Creates Services until the end, and counts the answers.
fn write(user: &User<'_>, writer: usize, tally: &Mutex<Tally>, is_over: &AtomicBool) {
    let mut round = 0;
    while !is_over.load(Ordering::SeqCst) {
        let services = (0..BATCH).map(|number| {
            let is_allowed = number % 2 == 0;
            let word = if is_allowed { "good" } else { "bad" };
            service(&format!("{word}-{writer}-{round}-{number}"), is_allowed)
        });
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": services.collect::<Vec<_>>() });
        let answer = user.kubectl_with(&list.to_string(), &["create", "--validate=false", "--filename", "-"]);
        let created = answer.output.lines().map(|line| {
            let name = line.strip_prefix("service/").and_then(|line| line.strip_suffix(" created"));
            name.unwrap_or_else(|| panic!("{line}")).to_owned()
        });
        let created: Vec<String> = created.collect();
        let count = |text: &str| answer.errors.matches(text).count();
        let denied = count("no rule allows this address");
        let refused = count("failed calling webhook \"clusterwide-external-ips.kubewarden.admission\"");
        assert_eq!(created.len() + denied + refused, BATCH, "{}", answer.errors);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.created.extend(created);
        tally.denied += denied;
        tally.refused += refused;
        round += 1;
    }
}

pub(crate) fn restarts(cluster: &Cluster) {
    cluster.namespace(NAMESPACE, &json!({}));
    let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }] });
    let mut kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &settings)]);
    let jane = cluster.user("jane");
    let (tally, is_over) = (Mutex::new(Tally::default()), AtomicBool::new(false));
    let now = || tally.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // Waits until Services are created and denied again, by a policy server that answers.
    let wait_for_verdicts = || {
        let before = now();
        wait_until("verdicts under load", || {
            let now = now();
            now.created.len() >= before.created.len() + BATCH && now.denied >= before.denied + BATCH
        });
    };
    thread::scope(|scope| {
        // The writers end if the test fails, too.
        let end = End(&is_over);
        for writer in 0..WRITERS {
            let (jane, tally, is_over) = (&jane, &tally, &is_over);
            scope.spawn(move || write(jane, writer, tally, is_over));
        }
        for _ in 0..OUTAGES {
            wait_for_verdicts();
            let before = now();
            kubewarden.server.kill();
            wait_until("refusals during the outage", || now().refused >= before.refused + BATCH);
            kubewarden.server.restart();
        }
        wait_for_verdicts();
        drop(end);
    });

    let tally = now();
    let list = [
        "get",
        "services",
        "--namespace",
        NAMESPACE,
        "--output",
        "jsonpath={range .items[*]}{.metadata.name} {.spec.externalIPs}{\"\\n\"}{end}",
    ];
    let stored = cluster.server.kubectl(&list).unwrap();
    let stored: BTreeSet<String> = stored
        .lines()
        .map(|line| {
            let (name, addresses) = line.split_once(' ').unwrap();
            assert_eq!(addresses, "[\"192.0.2.7\"]", "{name} is forbidden");
            name.to_owned()
        })
        .collect();
    assert_eq!(stored, tally.created, "stored, and acknowledged");
    let least = OUTAGES * BATCH;
    assert!(tally.created.len() > least && tally.denied > least && tally.refused >= least, "{tally:?}");
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
