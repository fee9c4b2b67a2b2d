//! Addresses and ports that another Service has already.
//!
//! Best effort: two Services that are created at the same moment do not see each other.

use admission::{Cluster, Fault, List, Lookup, Node, Quoted, Request, Violation, Violations};

use super::claim::Field;
use crate::address::{Octets, octets};
use crate::view::Service;

/// A port with its protocol: what the data plane tells Services at one address apart by.
type Port<'d> = (i64, &'d str);

/// The addresses and ports of a Service, and which of them are stored already.
///
/// Every address goes with every port. They are kept apart all the same: a Service of 1,000 addresses and 1,000
/// ports is small, its pairs are not.
#[derive(Debug)]
pub(super) struct Endpoints<'d> {
    addresses: Vec<(Octets, Node<'d>)>,
    ports: Vec<Port<'d>>,
    old_addresses: Lookup<Octets>,
    old_ports: Vec<Port<'d>>,
}

impl<'d> Endpoints<'d> {
    pub(super) fn of(fields: &[Field], service: Service<'d>, old: Service<'d>) -> Result<Self, Fault> {
        let old_addresses = claimed(fields, old)?.into_iter().map(|(address, _)| address).collect();
        Ok(Self {
            addresses: claimed(fields, service)?,
            ports: ports(service)?,
            old_addresses: Lookup::of(old_addresses),
            old_ports: ports(old)?,
        })
    }

    /// Whether some pair of address and port is not stored.
    pub(super) fn are_new(&self) -> bool {
        let new_address = self.addresses.iter().any(|(address, _)| self.is_new(address));
        let new_port = self.ports.iter().any(|port| !self.old_ports.contains(port));
        !self.ports.is_empty() && new_address || !self.addresses.is_empty() && new_port
    }

    fn is_new(&self, address: &Octets) -> bool {
        self.old_addresses.position(address).is_none()
    }

    /// Violations for the addresses that another Service of the cluster has, with a port that is new there.
    pub(super) fn violations(
        &self,
        request: &Request<'d>,
        cluster: &dyn Cluster,
    ) -> Result<Violations<'d>, Fault> {
        let list = List { api_version: "v1", kind: "Service", namespace: None, shape: Service::OTHERS };
        let answer = list.ask(cluster)?;
        let document = answer.document()?;
        let items = document.root().at("items").required_items()?;
        let addresses = Lookup::of(self.addresses.iter().map(|(address, _)| *address).collect());
        // Who has an address: whether it is of another namespace, its name, the port. Of several one of this
        // namespace, and the least by name, as the cluster lists in any order.
        let mut holders: Vec<(bool, &str, Port<'_>)> = Vec::new();
        // The position of its holder for each address: few have one.
        let mut holder_of: Vec<usize> = vec![usize::MAX; addresses.len()];
        for item in items {
            let other = Service::of(item);
            let foreign = other.namespace().filled_text()? != request.namespace()?;
            let name = other.name().filled_text()?;
            // The cluster knows the Service under review itself, by its state before the request.
            if !foreign && name == request.name().filled_text()? {
                continue;
            }
            let mut shared = Vec::new();
            for text in served(other)? {
                // `None` of a headless Service is no address.
                let Some(address) = octets(text) else { continue };
                shared.extend(addresses.position(&address).map(|place| (place, self.is_new(&address))));
            }
            if shared.is_empty() {
                continue;
            }
            let (mut least, mut least_new) = (None, None);
            for port in ports(other)? {
                if self.ports.contains(&port) {
                    least = Some(least.map_or(port, |least: Port<'_>| least.min(port)));
                    if !self.old_ports.contains(&port) {
                        least_new = Some(least_new.map_or(port, |least: Port<'_>| least.min(port)));
                    }
                }
            }
            for (place, new) in shared {
                let port = if new { least } else { least_new };
                let (Some(port), Some(at)) = (port, holder_of.get_mut(place)) else { continue };
                let holder = (foreign, name.unwrap_or_default(), port);
                if let Some(known) = holders.get_mut(*at) {
                    *known = holder.min(*known);
                } else {
                    *at = holders.len();
                    holders.push(holder);
                }
            }
        }
        let mut violations = Violations::default();
        for (address, at) in &self.addresses {
            let place = addresses.position(address).and_then(|place| holder_of.get(place));
            let Some((foreign, name, (port, protocol))) = place.and_then(|place| holders.get(*place)) else {
                continue;
            };
            // What other namespaces run is not this user's business.
            let holder = if *foreign {
                "a Service of another namespace".to_owned()
            } else {
                format!("Service {}", Quoted(name))
            };
            violations.push(Violation::invalid(
                *at,
                format!("port {port}/{protocol} of this address belongs to {holder}"),
                "use another address or another port",
            ));
        }
        Ok(violations)
    }
}

/// The addresses in the fields that are judged. What is no address is nobody's: it is refused as new and
/// harmless as stored.
fn claimed<'d>(fields: &[Field], service: Service<'d>) -> Result<Vec<(Octets, Node<'d>)>, Fault> {
    let mut addresses = Vec::new();
    for field in fields {
        let claims = field.claims(service)?;
        addresses.reserve_exact(claims.len());
        addresses.extend(claims.iter().filter_map(|claim| Some((octets(claim.text)?, claim.at))));
    }
    Ok(addresses)
}

fn ports(service: Service<'_>) -> Result<Vec<Port<'_>>, Fault> {
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
fn served(service: Service<'_>) -> Result<Vec<&str>, Fault> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(service.cluster_ip().text()?);
    texts.extend(service.cluster_ips().texts()?.into_iter().map(|(_, text)| text));
    for field in [Field::ExternalIps, Field::Ingress] {
        texts.extend(field.claims(service)?.into_iter().map(|claim| claim.text));
    }
    Ok(texts)
}
