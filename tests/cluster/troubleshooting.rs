//! The outages of `docs/troubleshooting.md` and `docs/before-you-enforce.md`, with the ways out.

use serde_json::json;
use tests::process::wait_until;
use tests::root;

use crate::cluster::{Cluster, Expect as _, create};
use crate::kubewarden::Kubewarden;
use crate::node_labels::{add_node, delete_nodes};
use crate::policy::Policy;
use crate::{policy_server, policyserver_controller_configmap as config_map};

const POLICY: &str = "node-pods";

fn document() -> String {
    std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap()
}

/// The words of the commands of the section about outages, without `kubectl`, in their order.
fn emergency_exits() -> Vec<Vec<String>> {
    let document = document();
    let (_, section) = document.split_once("### While no policy server answers").unwrap();
    let (section, _) = section.split_once("\n### ").unwrap();
    let blocks = section.split("```console\n").skip(1).map(|block| block.split_once("```").unwrap().0);
    let words = |command: &str| {
        let words = command.split_whitespace().filter(|word| *word != "\\").skip(2);
        words.map(|word| word.trim_matches('\'').to_owned()).collect()
    };
    blocks.map(words).collect()
}

pub(crate) fn outages(cluster: &Cluster) {
    let namespace = "emergency";
    let kubelet = cluster.kubelet("worker-1");
    add_node(cluster, "worker-1");
    cluster.namespace(namespace, &json!({}));
    let pod = |name: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name, "namespace": namespace, "annotations": { "kubernetes.io/config.mirror": "0c7f1b" },
            },
            "spec": { "nodeName": "worker-1", "containers": [{ "name": "app", "image": "registry.example/app:1" }] },
        })
    };
    let policy = Policy::protect(POLICY, POLICY, &json!({}));
    let mut kubewarden = Kubewarden::deploy(cluster, std::slice::from_ref(&policy));
    create(&kubelet, &pod("before")).succeeded();

    // A policy with invalid settings keeps a new server from starting. The old one continues.
    let invalid = Policy::protect(POLICY, POLICY, &json!({ "mode": "Rejct" }));
    let reason = policy_server::refuse(&cluster.server, &config_map::policies(&[invalid]));
    assert_eq!(reason, "mode: \"Rejct\" is not a valid value; did you mean Reject?");
    create(&kubelet, &pod("meanwhile")).succeeded();

    // No policy server answers.
    kubewarden.server.kill();
    let refused = create(&kubelet, &pod("refused"));
    let webhook = "failed calling webhook \"clusterwide-node-pods.kubewarden.admission\": ";
    assert!(
        document().contains(
            "`failed calling webhook \"clusterwide-….kubewarden.admission\": … connection refused`"
        )
    );
    assert!(refused.errors.contains(webhook), "{}", refused.errors);
    assert!(refused.errors.trim_end().ends_with("connection refused"), "{}", refused.errors);

    // A change of the policy has no effect, because the controller waits for the policy server.
    let mut ignoring = policy.clone();
    ignoring.manifest["spec"]["failurePolicy"] = json!("Ignore");
    kubewarden.store(&[ignoring]);
    kubewarden.reconcile();
    assert!(!create(&kubelet, &pod("refused")).is_success);
    kubewarden.store(std::slice::from_ref(&policy));

    let [ignore, delete_policy, delete] = <[Vec<String>; 3]>::try_from(emergency_exits()).unwrap();
    let kubectl = |command: &[String]| {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        cluster.server.kubectl(&words).unwrap();
    };
    kubectl(&ignore);
    wait_until("admission without a verdict", || create(&kubelet, &pod("ignored")).is_success);
    // The controller sees the change, and restores the webhook once the policy server is ready.
    kubewarden.reconcile();
    create(&kubelet, &pod("still-ignored")).succeeded();
    kubewarden.server.restart();
    kubewarden.reconcile();
    kubewarden.server.kill();
    assert!(!create(&kubelet, &pod("refused")).is_success);

    assert_eq!(delete_policy, ["delete", "clusteradmissionpolicy", POLICY]);
    kubewarden.reconcile_deletion(&policy);
    wait_until("admission without a policy", || create(&kubelet, &pod("without-policy")).is_success);
    kubewarden.server.restart();
    kubewarden.reconcile();
    kubewarden.server.kill();
    assert!(!create(&kubelet, &pod("refused")).is_success);

    kubectl(&delete);
    wait_until("admission without a webhook", || create(&kubelet, &pod("deleted")).is_success);
    kubewarden.server.restart();
    kubewarden.change(&[policy]);
    create(&kubelet, &pod("after")).succeeded();
    drop(kubewarden);
    delete_nodes(cluster);
}
