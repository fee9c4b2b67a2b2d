//! `conflicts: DenySamePort` of `external-ips`: compared with a model that stores every pair of
//! address and port, and with many Services and ports.

use std::collections::BTreeSet;

use admission::{Cluster, Get, List, PolicyEntry, Unreachable};
use proptest::prelude::*;
use serde_json::{Value, json};

fn entry() -> &'static PolicyEntry {
    rules::find("external-ips").expect("the policy is in the catalog")
}

/// A cluster that answers every list with this text.
struct Listed(String);

impl Cluster for Listed {
    fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        Err(Unreachable("only lists".to_owned()))
    }

    fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        Ok(self.0.clone().into_bytes())
    }
}

/// A Service: its namespace, its name, the last byte of each address, and its ports, of which the
/// lowest bit is the protocol.
#[derive(Clone, Debug)]
struct Model {
    namespace: &'static str,
    name: String,
    addresses: Vec<u8>,
    ports: Vec<u32>,
}

impl Model {
    fn object(&self) -> Value {
        let addresses: Vec<String> = self.addresses.iter().map(|last| format!("192.0.2.{last}")).collect();
        let port = |port: &u32| json!({ "port": port >> 1, "protocol": protocol(*port) });
        let ports: Vec<Value> = self.ports.iter().map(port).collect();
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "name": self.name, "namespace": self.namespace },
            "spec": { "externalIPs": addresses, "ports": ports },
        })
    }

    fn pairs(&self) -> BTreeSet<(u8, u32)> {
        let pairs = |address: &u8| self.ports.iter().map(|port| (*address, *port)).collect::<Vec<_>>();
        self.addresses.iter().flat_map(pairs).collect()
    }

    /// The lines of the message.
    fn conflicts(&self, old: Option<&Model>, others: &[Model]) -> Vec<String> {
        let stored = old.map(Model::pairs).unwrap_or_default();
        let new: BTreeSet<(u8, u32)> = self.pairs().difference(&stored).copied().collect();
        let mut lines = Vec::new();
        for (index, address) in self.addresses.iter().enumerate() {
            let others = others.iter().filter(|other| (other.namespace, &other.name) != ("shop", &self.name));
            let holder = others
                .flat_map(|other| {
                    let shared: Vec<(u8, u32)> = other.pairs().intersection(&new).copied().collect();
                    let at_address = shared.into_iter().filter(|(at, _)| at == address);
                    let name = if other.namespace == "shop" { other.name.as_str() } else { "" };
                    at_address
                        .map(|(_, port)| (other.namespace != "shop", name, port >> 1, protocol(port)))
                        .collect::<Vec<_>>()
                })
                .min();
            if let Some((elsewhere, name, port, protocol)) = holder {
                let holder = if elsewhere {
                    "a Service in another namespace".to_owned()
                } else {
                    format!("Service \"{name}\"")
                };
                lines.push(format!(
                    "spec.externalIPs[{index}]: Invalid value: \"192.0.2.{address}\": port {port}/{protocol} of \
                     this address is in use by {holder}; use another address or another port"
                ));
            }
        }
        lines
    }
}

fn protocol(port: u32) -> &'static str {
    if port & 1 == 0 { "TCP" } else { "UDP" }
}

fn list(others: &[Model]) -> Listed {
    let items: Vec<Value> = others.iter().map(Model::object).collect();
    Listed(json!({ "items": items }).to_string())
}

/// Returns the lines of the message on an update, or on a creation.
fn evaluated(web: &Model, old: Option<&Model>, cluster: &dyn Cluster) -> Vec<String> {
    let request = json!({
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "name": web.name,
        "namespace": web.namespace,
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "userInfo": { "username": "alice" },
        "object": web.object(),
        "oldObject": old.map(Model::object),
    });
    let settings = json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["0.0.0.0/0"] }] });
    let payload = json!({ "request": request, "settings": settings }).to_string();
    let response = entry().respond(payload.as_bytes(), cluster);
    assert_ne!(response.code, Some(500), "{:?}", response.message);
    response.message.unwrap_or_default().lines().map(str::to_owned).collect()
}

fn model() -> impl Strategy<Value = Model> {
    let namespace = prop_oneof![Just("shop"), Just("bank"), Just("auth")];
    let addresses = prop::collection::vec(0..12_u8, 0..14);
    // Both more and fewer than a table compares one by one.
    let ports = prop::collection::vec(2..40_u32, 0..20);
    (namespace, "[a-c]{1,2}", addresses, ports).prop_map(|(namespace, name, addresses, ports)| Model {
        namespace,
        name,
        addresses,
        ports,
    })
}

proptest! {
    #[test]
    fn conflicts_are_those_of_all_pairs(
        web in model(),
        old in prop::option::of(model()),
        others in prop::collection::vec(model(), 0..6),
    ) {
        let web = Model { namespace: "shop", ..web };
        prop_assert_eq!(evaluated(&web, old.as_ref(), &list(&others)), web.conflicts(old.as_ref(), &others));
    }
}

fn many(name: &str, ports: impl Iterator<Item = u32>) -> Model {
    Model { namespace: "shop", name: name.to_owned(), addresses: vec![1], ports: ports.collect() }
}

#[test]
fn evaluates_every_port_there_is() {
    let every = || (1..=65_535).map(|port| port << 1);
    let web = many("web", every());
    assert_eq!(evaluated(&web, None, &list(&[many("api", every().rev())])).len(), 1);
    let backwards = many("web", every().rev());
    assert_eq!(evaluated(&backwards, Some(&web), &Listed(String::new())), Vec::<String>::new());
}

#[test]
fn evaluates_a_hundred_thousand_services() {
    let other = |index: u32| many(&format!("api-{index}"), [2, 4, 6].into_iter());
    let others: Vec<Model> = (0..100_000).map(other).collect();
    let cluster = list(&others);
    assert_eq!(evaluated(&many("web", [8].into_iter()), None, &cluster), Vec::<String>::new());
    let lines = evaluated(&many("web", [8, 6].into_iter()), None, &cluster);
    assert!(lines[0].contains("port 3/TCP of this address is in use by Service \"api-0\""), "{lines:?}");
}
