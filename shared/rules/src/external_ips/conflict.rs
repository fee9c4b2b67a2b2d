//! Addresses and ports that another Service has already.
//!
//! Best effort: two Services that are created at the same moment do not see each other.

use admission::{Cluster, Fault, ListAll, Lookup, Node, Quoted, Request, Violation, Violations};

use super::claim::Field;
use crate::address::{Octets, octets};
use crate::view::Service;

/// What the data plane tells Services apart by.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Endpoint<'d> {
    address: Octets,
    port: i64,
    protocol: &'d str,
}

/// An endpoint that the stored Service does not have, and where it is claimed.
#[derive(Debug)]
pub(super) struct Binding<'d> {
    endpoint: Endpoint<'d>,
    at: Node<'d>,
}

/// The endpoints that the request adds, in document order: new addresses and new ports of old ones.
pub(super) fn new_bindings<'d>(
    fields: &[Field],
    service: Service<'d>,
    old: Service<'d>,
) -> Result<Vec<Binding<'d>>, Fault> {
    let stored = endpoints(&bindings(fields, old)?);
    let mut new = bindings(fields, service)?;
    new.retain(|binding| stored.position(&binding.endpoint).is_none());
    Ok(new)
}

/// Violations for the endpoints that other Services of the cluster have.
pub(super) fn violations<'d>(
    bindings: &[Binding<'d>],
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Violations<'d>, Fault> {
    let list = ListAll { api_version: "v1", kind: "Service", shape: Service::OTHERS };
    let answer = list.ask(cluster)?;
    let document = answer.document()?;
    let root = document.root();
    root.object()?;
    let wanted = endpoints(bindings);
    // Who has an endpoint, and whether it is of another namespace: of several one of this namespace, and the
    // least by name, as the cluster lists in any order.
    let mut holders: Vec<Option<(bool, &str)>> = vec![None; wanted.len()];
    for item in root.at("items").items()? {
        item.object()?;
        let other = Service::of(item);
        let foreign = other.namespace().filled_text()? != request.namespace()?;
        let name = other.name().filled_text()?;
        // The cluster knows the Service under review itself, by its state before the request.
        if !foreign && name == request.name()? {
            continue;
        }
        let holder = (foreign, name.unwrap_or_default());
        for text in addresses(other)? {
            // `None` of a headless Service is no address.
            let Some(address) = octets(text) else { continue };
            for (port, protocol) in ports(other)? {
                let holder_of = wanted.position(&Endpoint { address, port, protocol });
                if let Some(known) = holder_of.and_then(|index| holders.get_mut(index)) {
                    *known = Some(known.map_or(holder, |known| known.min(holder)));
                }
            }
        }
    }
    let mut violations = Violations::default();
    for Binding { endpoint, at } in bindings {
        let known = wanted.position(endpoint).and_then(|index| holders.get(index));
        let Some(Some((foreign, name))) = known else { continue };
        // What other namespaces run is not this user's business.
        let holder = if *foreign {
            "a Service of another namespace".to_owned()
        } else {
            format!("Service {}", Quoted(name))
        };
        violations.push(Violation::invalid(
            *at,
            format!("port {}/{} of this address belongs to {holder}", endpoint.port, endpoint.protocol),
            "use another address or another port",
        ));
    }
    Ok(violations)
}

fn endpoints<'d>(bindings: &[Binding<'d>]) -> Lookup<Endpoint<'d>> {
    Lookup::of(bindings.iter().map(|binding| binding.endpoint).collect())
}

fn bindings<'d>(fields: &[Field], service: Service<'d>) -> Result<Vec<Binding<'d>>, Fault> {
    let mut bindings = Vec::new();
    let ports = ports(service)?;
    for field in fields {
        for claim in field.claims(service)? {
            // What is no address is nobody's: it is refused as new and harmless as stored.
            let Some(address) = octets(claim.text) else { continue };
            for (port, protocol) in &ports {
                bindings
                    .push(Binding { endpoint: Endpoint { address, port: *port, protocol }, at: claim.at });
            }
        }
    }
    Ok(bindings)
}

fn ports(service: Service<'_>) -> Result<Vec<(i64, &str)>, Fault> {
    let mut ports = Vec::new();
    for item in service.ports().items()? {
        item.object()?;
        if let Some(port) = item.at("port").integer()? {
            ports.push((port, item.at("protocol").filled_text()?.unwrap_or("TCP")));
        }
    }
    Ok(ports)
}

/// Every address at which the data plane serves a Service.
fn addresses(service: Service<'_>) -> Result<Vec<&str>, Fault> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(service.cluster_ip().text()?);
    texts.extend(service.cluster_ips().texts()?.into_iter().map(|(_, text)| text));
    for field in [Field::ExternalIps, Field::Ingress] {
        texts.extend(field.claims(service)?.into_iter().map(|claim| claim.text));
    }
    Ok(texts)
}
