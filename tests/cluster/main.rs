//! The answers of a real API server: about the policies in a cluster, where it asks a policy
//! server, which runs the modules; to a live scan; and to requests that webhooks receive.
//!
//! The scenarios are those of the documents that the policies follow, with whole messages. They run
//! where the programs of an API server are on PATH, as `scripts/servers` builds them. The policy
//! server is Kubewarden's where that is on PATH, too.
//!
//! Kubewarden's controller needs a cluster with nodes. Its part, the configuration of webhooks and
//! of the policy server, is in `policy_subreconciler_webhook.rs` and
//! `policyserver_controller_configmap.rs`. All scenarios have the same API server, and run in
//! turn, because their policies evaluate the whole cluster.

mod cluster;
mod external_ips;
mod kubewarden;
mod ladder;
mod live;
mod mirror_pods;
mod node_labels;
mod outage;
mod pod_security;
mod pod_updates;
mod policy;
mod policy_server;
mod policy_subreconciler_webhook;
mod policyserver_controller_configmap;
mod requests;
mod selinux;
mod troubleshooting;

use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};
use tests::api_server;

use crate::cluster::Cluster;

type Scenario = fn(&Cluster);

const SCENARIOS: &[(&str, Scenario)] = &[
    ("existing_external_ips_are_tolerated_and_new_ones_denied", external_ips::manual_tests),
    ("a_kubelet_registers_and_updates_its_node", node_labels::a_kubelet),
    ("a_kubelet_registers_its_node_without_a_policy_server", node_labels::without_a_policy_server),
    ("mirror_pods_have_the_labels_that_the_namespace_lists", mirror_pods::labels),
    ("nodes_write_only_the_status_of_their_pods", pod_updates::statuses),
    ("exclusions_cover_single_findings", pod_security::exclusions),
    ("old_violations_are_tolerated", pod_security::updates),
    ("levels_are_given_and_guarded", selinux::levels),
    ("the_ladder_leads_up_and_down", ladder::rungs),
    ("emergency_exits_lead_out_of_an_outage", troubleshooting::outages),
    ("an_outage_stops_the_documented_requests", requests::answers),
    ("nothing_forbidden_is_stored_and_nothing_acknowledged_lost", outage::restarts),
];

/// The tests without a policy server. Those that need an API server start one of their own, and
/// report that they do not run where there is none.
const OTHERS: &[(&str, fn())] =
    &[("a_live_scan_is_the_scan_of_the_dump_and_names_missing_rights", live::compare_with_the_dump)];

fn main() {
    // The scenarios run in this order: some leave objects behind.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let scenarios = if api_server::can_run("the scenarios in a cluster") { SCENARIOS } else { &[] };
    // The API server starts with the first scenario, and ends after the last one.
    let cluster: Arc<Mutex<Option<Cluster>>> = Arc::default();
    let trials = scenarios.iter().map(|&(name, scenario)| {
        let cluster = Arc::clone(&cluster);
        Trial::test(name, move || {
            let mut cluster = cluster.lock().unwrap_or_else(PoisonError::into_inner);
            scenario(cluster.get_or_insert_with(Cluster::start));
            Ok(())
        })
    });
    let others = OTHERS.iter().map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.chain(others).collect());
    drop(cluster.lock().unwrap_or_else(PoisonError::into_inner).take());
    conclusion.exit();
}
