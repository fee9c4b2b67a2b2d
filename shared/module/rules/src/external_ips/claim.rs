//! The addresses that a Service claims, and those that it has claimed before.

use admission::{Fault, Lookup, Node};

use super::Comparison;
use crate::address::{Octets, octets};
use crate::view::Service;

/// A field whose values are judged. The order is that of the object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Field {
    ExternalIps,
    LoadBalancerIp,
    Ingress,
}

/// An address in a field.
#[derive(Debug)]
pub(super) struct Claim<'d> {
    pub(super) field: Field,
    pub(super) at: Node<'d>,
    pub(super) text: &'d str,
}

impl Field {
    /// All fields, in the order of the object; the first is the default.
    pub(super) const ALL: [Field; 3] = [Field::ExternalIps, Field::LoadBalancerIp, Field::Ingress];
    /// The paths that settings name them with.
    pub(super) const PATHS: &'static [&'static str] =
        &["spec.externalIPs", "spec.loadBalancerIP", "status.loadBalancer.ingress"];

    /// That no new value may be claimed.
    pub(super) fn closed(self) -> &'static str {
        match self {
            Field::ExternalIps => "Services may not claim new external IPs",
            Field::LoadBalancerIp => "Services may not ask for new load balancer IPs",
            Field::Ingress => "Services may not be given new load balancer addresses",
        }
    }

    /// What to do then.
    pub(super) fn way_out(self) -> &'static str {
        match self {
            Field::ExternalIps => "remove it and use a Service of type LoadBalancer, an Ingress or a Gateway",
            Field::LoadBalancerIp => "remove it and take the address that the load balancer gives",
            Field::Ingress => "leave the status to the load balancer's controller",
        }
    }

    /// What a Service, present or not, claims in this field.
    pub(super) fn claims(self, service: Service<'_>) -> Result<Vec<Claim<'_>>, Fault> {
        let mut claims = Vec::new();
        let mut claim = |at, text| claims.push(Claim { field: self, at, text });
        match self {
            Field::ExternalIps => {
                for at in service.external_ips().items()? {
                    claim(at, at.required_text()?);
                }
            }
            Field::LoadBalancerIp => {
                let at = service.load_balancer_ip();
                if let Some(text) = at.filled_text()? {
                    claim(at, text);
                }
            }
            Field::Ingress => {
                for ingress in service.ingress().items()? {
                    ingress.object()?;
                    let at = ingress.at("ip");
                    // An entry with a hostname only is for name servers, not for the data plane.
                    if let Some(text) = at.filled_text()? {
                        claim(at, text);
                    }
                }
            }
        }
        Ok(claims)
    }
}

/// The stored values of one field, ready to be compared with.
#[derive(Debug)]
pub(super) struct Stored<'d> {
    texts: Lookup<&'d str>,
    /// Only where respelling a stored address is no change.
    addresses: Option<Lookup<Octets>>,
}

impl<'d> Stored<'d> {
    pub(super) fn of(field: Field, old: Service<'d>, comparison: Comparison) -> Result<Self, Fault> {
        let texts: Vec<&str> = field.claims(old)?.into_iter().map(|claim| claim.text).collect();
        let addresses = match comparison {
            Comparison::Text => None,
            Comparison::Address => Some(Lookup::of(texts.iter().filter_map(|text| octets(text)).collect())),
        };
        Ok(Self { texts: Lookup::of(texts), addresses })
    }

    pub(super) fn has(&self, text: &str) -> bool {
        let same = |addresses: &Lookup<Octets>| addresses.position(&octets(text)?);
        self.texts.position(&text).or_else(|| same(self.addresses.as_ref()?)).is_some()
    }
}
