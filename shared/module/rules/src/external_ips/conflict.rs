//! Conflicts: addresses and ports that another Service uses already.
//!
//! The check is best effort: two Services that are created at the same time do not see each other.

use admission::{Cluster, Fault, List, Lookup, Quoted, Request, Violations};

use super::claim::{Claim, Field, Objection};
use super::rule;
use crate::address::{Octets, octets};
use crate::view::Service;

/// A port number with its protocol. The data plane distinguishes Services at one address by both.
type Port<'d> = (i64, &'d str);

/// The addresses and ports of a Service, and those of the stored Service.
///
/// Every address is combined with every port, but the pairs are not stored: a Service of 1,000
/// addresses and 1,000 ports is small, its million pairs are not.
#[derive(Debug)]
pub(super) struct Endpoints<'d> {
    addresses: Vec<(Octets, Claim<'d>)>,
    ports: Lookup<Port<'d>>,
    old_addresses: Lookup<Octets>,
    old_ports: Lookup<Port<'d>>,
}

/// Another Service that uses an address, and a port that both use.
///
/// If several Services do, messages name the least: one of the request's namespace, then the first
/// by name. The cluster lists Services in any order.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Holder<'d> {
    in_other_namespace: bool,
    /// Empty for a Service in another namespace, which no message names.
    name: String,
    port: Port<'d>,
}

/// The holder of each address, by the position of the address. Few addresses have one.
struct Holders<'d> {
    holders: Vec<Holder<'d>>,
    /// The index in `holders` for each position; out of bounds if there is none.
    by_position: Vec<usize>,
}

impl<'d> Holders<'d> {
    fn new(addresses: usize) -> Self {
        Self { holders: Vec::new(), by_position: vec![usize::MAX; addresses] }
    }

    fn add(&mut self, position: usize, holder: Holder<'d>) {
        let Some(index) = self.by_position.get_mut(position) else { return };
        match self.holders.get_mut(*index) {
            Some(known) if *known <= holder => {}
            Some(known) => *known = holder,
            None => {
                *index = self.holders.len();
                self.holders.push(holder);
            }
        }
    }

    fn get(&self, position: usize) -> Option<&Holder<'d>> {
        self.holders.get(*self.by_position.get(position)?)
    }
}

impl<'d> Endpoints<'d> {
    pub(super) fn of(fields: &[Field], service: Service<'d>, old: Service<'d>) -> Result<Self, Fault> {
        let old_addresses = claimed(fields, old)?.into_iter().map(|(address, _)| address).collect();
        Ok(Self {
            addresses: claimed(fields, service)?,
            ports: Lookup::of(ports(service)?),
            old_addresses: Lookup::of(old_addresses),
            old_ports: Lookup::of(ports(old)?),
        })
    }

    /// Returns whether the stored Service lacks some pair of address and port.
    pub(super) fn are_new(&self) -> bool {
        let new_address = self.addresses.iter().any(|(address, _)| self.is_new(address));
        let new_port = || self.ports.values().iter().any(|port| self.is_new_port(port));
        !self.ports.is_empty() && new_address || !self.addresses.is_empty() && new_port()
    }

    fn is_new(&self, address: &Octets) -> bool {
        self.old_addresses.position(address).is_none()
    }

    fn is_new_port(&self, port: &Port<'_>) -> bool {
        self.old_ports.position(port).is_none()
    }

    /// Lists the Services of the cluster, and returns a violation for each address that another one
    /// uses with a port that is new for this Service at that address.
    ///
    /// Of the other Services, only the least holder of each address is kept.
    pub(super) fn violations(
        &self,
        request: &Request<'d>,
        cluster: &dyn Cluster,
    ) -> Result<Violations<'d>, Fault> {
        let list = List { api_version: "v1", kind: "Service", namespace: None, shape: Service::OTHERS };
        let addresses = Lookup::of(self.addresses.iter().map(|(address, _)| *address).collect());
        let mut holders = Holders::new(addresses.len());
        let (own_namespace, own_name) = (request.namespace()?, request.name().filled_text()?);
        list.each(cluster, &mut |item| {
            let other = Service::of(item);
            let in_other_namespace = other.namespace().filled_text()? != own_namespace;
            let name = other.name().filled_text()?;
            // The list contains the stored state of the Service in the request.
            if !in_other_namespace && name == own_name {
                return Ok(());
            }
            let name = name.filter(|_| !in_other_namespace).unwrap_or_default();
            self.find_shared(other, &addresses, &mut |position, port| {
                holders.add(position, Holder { in_other_namespace, name: name.to_owned(), port });
            })
        })?;
        let mut violations = Violations::default();
        for (address, claim) in &self.addresses {
            let holder = addresses.position(address).and_then(|position| holders.get(position));
            let Some(Holder { in_other_namespace, name, port: (port, protocol) }) = holder else { continue };
            // The user may not be permitted to read other namespaces.
            let holder = if *in_other_namespace {
                "a Service in another namespace".to_owned()
            } else {
                ["Service ", &Quoted(name).to_string()].concat()
            };
            let rule = ["port ", &port.to_string(), "/", protocol, " of this address is in use by ", &holder];
            let remedy = "use another address or another port";
            violations.push(claim.violation(Objection::new(rule::PORT_CONFLICT, rule.concat(), remedy)));
        }
        Ok(violations)
    }

    /// Passes the position of each address that another Service uses to `report`, with the least
    /// port that both use. At an address that is stored already, only new ports count.
    fn find_shared(
        &self,
        other: Service<'_>,
        addresses: &Lookup<Octets>,
        report: &mut dyn FnMut(usize, Port<'d>),
    ) -> Result<(), Fault> {
        let mut shared = Vec::new();
        for text in served(other)? {
            // The cluster IP of a headless Service is the text `None`.
            let Some(address) = octets(text) else { continue };
            shared.extend(addresses.position(&address).map(|position| (position, self.is_new(&address))));
        }
        if shared.is_empty() {
            return Ok(());
        }
        let (mut least, mut least_new) = (None, None);
        for port in ports(other)? {
            // The equal port of the request outlives the other Service.
            let position = self.ports.position(&port);
            let Some(port) = position.and_then(|position| self.ports.values().get(position)) else {
                continue;
            };
            keep_least(&mut least, *port);
            if self.is_new_port(port) {
                keep_least(&mut least_new, *port);
            }
        }
        for (position, is_new) in shared {
            if let Some(port) = if is_new { least } else { least_new } {
                report(position, port);
            }
        }
        Ok(())
    }
}

fn keep_least<'d>(least: &mut Option<Port<'d>>, port: Port<'d>) {
    *least = Some(least.map_or(port, |least| least.min(port)));
}

/// Returns the claims of addresses in the reviewed fields. Other values are skipped: new ones are
/// denied anyway, and stored ones have no effect.
fn claimed<'d>(fields: &[Field], service: Service<'d>) -> Result<Vec<(Octets, Claim<'d>)>, Fault> {
    let mut addresses = Vec::new();
    for field in fields {
        let claims = field.claims(service)?;
        addresses.reserve_exact(claims.len());
        addresses.extend(claims.into_iter().filter_map(|claim| Some((octets(claim.text)?, claim))));
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

/// Returns all addresses at which the data plane serves a Service.
fn served(service: Service<'_>) -> Result<Vec<&str>, Fault> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(service.cluster_ip().text()?);
    texts.extend(service.cluster_ips().texts()?.into_iter().map(|(_, text)| text));
    for field in [Field::ExternalIps, Field::Ingress] {
        texts.extend(field.claims(service)?.into_iter().map(|claim| claim.text));
    }
    Ok(texts)
}
