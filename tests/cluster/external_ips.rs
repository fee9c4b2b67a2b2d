//! The manual tests of KEP-2200, "Were upgrade and rollback tested?".

use serde_json::{Value, json};

use crate::cluster::{Cluster, Expect as _, create, patch};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

fn is_new(index: usize, address: &str) -> String {
    format!(
        "spec.externalIPs[{index}]: Invalid value: \"{address}\": Services may not claim new external IPs; remove it \
         and use a Service of type LoadBalancer, an Ingress or a Gateway"
    )
}

fn service(name: &str, addresses: &[&str]) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": name, "namespace": "shop" },
        "spec": { "ports": [{ "port": 80 }], "externalIPs": addresses },
    })
}

fn claim(addresses: &[&str]) -> Value {
    json!({ "spec": { "externalIPs": addresses } })
}

pub(crate) fn manual_tests(cluster: &Cluster) {
    const PATH: &str = "/api/v1/namespaces/shop/services/extip";
    const POLICY: &str = "external-ips";
    let (first, second, other) = ("192.0.2.1", "192.0.2.2", "192.0.2.3");
    cluster.namespace("shop", &json!({}));
    let jane = cluster.user("jane");
    let change = |changes: &Value| patch(&jane, "shop", "service/extip", changes);
    let addresses = || cluster.stored(PATH, "/spec/externalIPs");
    create(&jane, &service("extip", &[first, second])).succeeded();

    let policy = Policy::protect(POLICY, POLICY, &json!({}));
    let kubewarden = Kubewarden::deploy(cluster, std::slice::from_ref(&policy));
    create(&jane, &service("new", &[other])).denied_by(POLICY, &is_new(0, other));
    // Administrators are denied as well.
    create(&cluster.admin(), &service("new", &[first])).denied_by(POLICY, &is_new(0, first));
    change(&json!({ "metadata": { "labels": { "app": "shop" } } })).succeeded();
    change(&claim(&[first, other])).denied_by(POLICY, &is_new(1, other));
    // One tolerated value does not license another one, and each new value has its line.
    let both = format!("{}\n{}", is_new(1, "192.0.2.8"), is_new(2, "192.0.2.9"));
    change(&claim(&[first, "192.0.2.8", "192.0.2.9"])).denied_by(POLICY, &both);
    assert_eq!(addresses(), json!([first, second]));
    change(&claim(&[second])).succeeded();
    change(&claim(&[first, second])).denied_by(POLICY, &is_new(0, first));
    change(&claim(&[])).succeeded();
    change(&claim(&[second])).denied_by(POLICY, &is_new(0, second));
    assert_eq!(addresses(), Value::Null);

    drop(kubewarden);
    change(&claim(&[second])).succeeded();
    let kubewarden = Kubewarden::deploy(cluster, &[policy]);
    change(&claim(&[second, first])).denied_by(POLICY, &is_new(1, first));
    change(&json!({ "spec": { "ports": [{ "port": 81 }] } })).succeeded();
    assert_eq!(addresses(), json!([second]));
    drop(kubewarden);
}
