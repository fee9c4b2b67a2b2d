//! The policies `node-labels` and `node-pods` beyond their cases: properties of all requests.

use admission::PolicyEntry;
use proptest::prelude::*;
use rules::node_labels::NodeLabels;
use serde_json::json;
use suite::cases::{Case, load_dir};
use tests::evaluate;

fn entry(id: &str) -> &'static PolicyEntry {
    rules::find(id).unwrap()
}

fn cases(id: &str) -> Vec<Case> {
    load_dir(&tests::root().join("policies").join(id).join("cases")).unwrap()
}

#[test]
fn users_other_than_nodes_are_not_restricted() {
    let others = [
        json!({ "username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"] }),
        json!({ "username": "system:node:worker-1", "groups": ["system:authenticated"] }),
        json!({ "username": "worker-1", "groups": ["system:nodes", "system:authenticated"] }),
        json!({ "username": "System:node:worker-1", "groups": ["system:nodes"] }),
        json!({ "username": "system:node:worker-1", "groups": ["system:nodes:x", "System:nodes"] }),
        json!({ "username": "system:bootstrap:abcdef", "groups": ["system:bootstrappers", "system:nodes"] }),
        json!({}),
    ];
    for id in ["node-labels", "node-pods"] {
        for case in cases(id) {
            // A malformed request cannot be evaluated for any user.
            if case.want.settings_error.is_some() || case.request.contains_key("operation") {
                continue;
            }
            for user in &others {
                let mut case = case.clone();
                case.user = Some(user.clone());
                case.request.remove("userInfo");
                let outcome = evaluate::natively(entry(id), &case).unwrap().outcome;
                assert_eq!(outcome.admitted, Some(true), "{} as {user}: {outcome:?}", case.place());
                assert!(
                    outcome.asked.is_empty() && outcome.warnings.is_empty(),
                    "{}: {outcome:?}",
                    case.place()
                );
            }
        }
    }
}

#[test]
fn warnings_fit_on_one_line() {
    for entry in rules::CATALOG {
        for case in cases(entry.id) {
            for warning in &case.want.warnings {
                let fits = warning.chars().count() <= 120 && !warning.contains(char::is_control);
                assert!(fits, "{}: {warning:?}", case.place());
            }
        }
    }
}

/// The rule for labels as KEP-279 and the in-tree plugin state it, with the list of each.
fn is_forbidden(key: &str, profile: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    let within = |other: &str| domain == other || domain.ends_with(&format!(".{other}"));
    if within("node-restriction.kubernetes.io") {
        return true;
    }
    let is_in = |keys: &str| keys.split(' ').any(|listed| listed == key);
    let kep = "kubernetes.io/hostname kubernetes.io/instance-type kubernetes.io/os kubernetes.io/arch \
               beta.kubernetes.io/instance-type beta.kubernetes.io/os beta.kubernetes.io/arch \
               failure-domain.beta.kubernetes.io/zone failure-domain.beta.kubernetes.io/region \
               failure-domain.kubernetes.io/zone failure-domain.kubernetes.io/region";
    let in_tree = "kubernetes.io/hostname kubernetes.io/os kubernetes.io/arch beta.kubernetes.io/os \
                   beta.kubernetes.io/arch beta.kubernetes.io/instance-type \
                   node.kubernetes.io/instance-type failure-domain.beta.kubernetes.io/zone \
                   failure-domain.beta.kubernetes.io/region topology.kubernetes.io/zone \
                   topology.kubernetes.io/region";
    let listed = match profile {
        "Kep279" => is_in(kep),
        "InTree" => is_in(in_tree),
        _ => is_in(kep) || is_in(in_tree),
    };
    let unrestricted = within("kubelet.kubernetes.io") || within("node.kubernetes.io");
    (within("kubernetes.io") || within("k8s.io")) && !listed && !unrestricted
}

proptest! {
    #[test]
    fn evaluates_labels_like_the_kep_and_the_plugin(
        prefix in prop::sample::select(vec![
            "", "x.", "evil", "node-restriction.", "x.node-restriction.", "kubelet.", "node.", "mynode.", "beta.",
            "failure-domain.", "failure-domain.beta.", "topology.", "kubelet.node-restriction.",
            "node-restriction.node.", "node-role.",
        ]),
        domain in prop::sample::select(vec!["kubernetes.io", "k8s.io", "x-k8s.io", "kubernetes.io.example", "Kubernetes.io"]),
        name in prop::sample::select(vec![
            "/hostname", "/os", "/arch", "/instance-type", "/zone", "/region", "/x", "/a/b", "/", "",
        ]),
        profile in prop::sample::select(vec!["Union", "Kep279", "InTree"]),
    ) {
        let key = format!("{prefix}{domain}{name}");
        let settings = json!({ "labelProfile": profile }).to_string();
        let policy = admission::configure::<NodeLabels>(settings.as_bytes()).unwrap();
        prop_assert_eq!(policy.objection(&key).is_some(), is_forbidden(&key, profile), "{}", key);
    }
}

#[test]
fn munged_pods_are_admitted_with_the_same_settings() {
    let mut munged = 0;
    for case in cases("node-pods") {
        let Some(object) = case.want.mutated.clone() else { continue };
        let mut guard = case.clone();
        guard.object = Some(object);
        guard.settings["mode"] = json!("Reject");
        let outcome = evaluate::natively(entry("node-pods"), &guard).unwrap().outcome;
        assert_eq!(outcome.admitted, Some(true), "{}: {outcome:?}", case.place());
        munged += 1;
    }
    assert!(munged > 5);
}
