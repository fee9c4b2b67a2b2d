//! The addresses that a Service claims, and those that the stored Service claims.

use std::borrow::Cow;

use admission::{Fault, Lookup, Node, Remedy, Violation, choices};

use super::rule;
use crate::address::{Octets, octets};
use crate::view::Service;
use crate::view::address_annotation::{KEYS, addresses};

choices! {
    /// The comparison of a value with the stored values.
    pub enum Comparison {
        /// Values are equal if their texts are equal, as in-tree.
        Text,
        /// Values are equal if the API server reads the same address.
        Address,
    }
}

/// A field whose values the policy reviews. The fields that a request can change are adjacent in
/// this order.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Field {
    ExternalIps,
    LoadBalancerIp,
    /// An annotation, by key.
    Annotation(&'static str),
    Ingress,
}

#[derive(Debug)]
pub(super) struct Claim<'d> {
    pub(super) field: Field,
    /// The place of the value, or of the annotation that lists it.
    pub(super) at: Node<'d>,
    pub(super) text: &'d str,
}

impl Field {
    /// The names of the fields in settings. The name of an annotation has its key in brackets.
    pub(super) const NAMES: [&'static str; 4] =
        ["spec.externalIPs", "spec.loadBalancerIP", ANNOTATIONS, "status.loadBalancer.ingress"];

    pub(super) fn all() -> impl Iterator<Item = Self> {
        let in_spec = [Field::ExternalIps, Field::LoadBalancerIp].into_iter();
        in_spec.chain(KEYS.into_iter().map(Field::Annotation)).chain([Field::Ingress])
    }

    /// Returns whether settings name the field by this text. `metadata.annotations` names every
    /// annotation.
    pub(super) fn is_named(self, name: &str) -> bool {
        let [external_ips, load_balancer_ip, annotations, ingress] = Self::NAMES;
        match self {
            Field::ExternalIps => name == external_ips,
            Field::LoadBalancerIp => name == load_balancer_ip,
            Field::Annotation(key) => name == annotations || annotation_key(name) == Some(key),
            Field::Ingress => name == ingress,
        }
    }

    /// Returns the id of the rule about addresses that are not allowed.
    pub(super) fn not_allowed(self) -> &'static str {
        match self {
            Field::ExternalIps => rule::NOT_ALLOWED,
            Field::LoadBalancerIp | Field::Annotation(_) => rule::REQUESTED_ADDRESS,
            Field::Ingress => rule::ASSIGNED_ADDRESS,
        }
    }

    /// Returns the objection if there are no allow rules, with the id of a rule. `is_ignored` is
    /// whether Kubernetes ignores the external IPs of the Service.
    pub(super) fn default_denial(self, id: &'static str, is_ignored: bool) -> Objection {
        let (rule, remedy) = match self {
            Field::ExternalIps => (
                "Services may not claim new external IPs",
                if is_ignored {
                    Remedy::REMOVE.and(", which changes nothing: Kubernetes ignores it in this Service")
                } else {
                    Remedy::REMOVE.and(" and use a Service of type LoadBalancer, an Ingress or a Gateway")
                },
            ),
            Field::LoadBalancerIp | Field::Annotation(_) => (
                "Services may not request new load balancer IPs",
                Remedy::REMOVE.and(" and use the address that the load balancer assigns"),
            ),
            Field::Ingress => (
                "Services may not receive new load balancer addresses",
                Remedy::in_words("leave the status to the load balancer controller"),
            ),
        };
        Objection::new(id, rule, remedy)
    }

    /// Returns the values of this field of a Service, which may be absent.
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
            Field::Annotation(key) => {
                let at = service.annotations().at(key);
                for text in addresses(at.text()?.unwrap_or_default()) {
                    claim(at, text);
                }
            }
            Field::Ingress => {
                for ingress in service.ingress().items()? {
                    ingress.object()?;
                    let at = ingress.at("ip");
                    // An entry with only a hostname affects DNS, not the data plane.
                    if let Some(text) = at.filled_text()? {
                        claim(at, text);
                    }
                }
            }
        }
        Ok(claims)
    }
}

/// Returns the key in the name of an annotation; `None` for other names.
pub(super) fn annotation_key(name: &str) -> Option<&str> {
    name.strip_prefix(ANNOTATIONS)?.strip_prefix('[')?.strip_suffix(']')
}

const ANNOTATIONS: &str = "metadata.annotations";

/// The reason why a claim is not allowed.
#[derive(Debug)]
pub(super) struct Objection {
    pub(super) id: &'static str,
    rule: Cow<'static, str>,
    remedy: Remedy<&'static str>,
}

impl Objection {
    pub(super) fn new(
        id: &'static str,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Remedy<&'static str>>,
    ) -> Self {
        Self { id, rule: rule.into(), remedy: remedy.into() }
    }
}

impl<'d> Claim<'d> {
    pub(super) fn violation(&self, Objection { id, rule, remedy }: Objection) -> Violation<'d> {
        let mut remedy = Remedy::from(remedy);
        // The change would remove the other addresses of the annotation, too.
        if !self.at.text().is_ok_and(|whole| whole == Some(self.text)) {
            remedy = remedy.to_string().into();
        }
        Violation::invalid(id, self.at, rule, remedy).about(self.text)
    }
}

#[derive(Debug)]
pub(super) struct StoredValues<'d> {
    texts: Lookup<&'d str>,
    /// The addresses in `texts`; `None` for [`Comparison::Text`].
    addresses: Option<Lookup<Octets>>,
}

impl<'d> StoredValues<'d> {
    pub(super) fn of(field: Field, old: Service<'d>, comparison: Comparison) -> Result<Self, Fault> {
        let texts: Vec<&str> = field.claims(old)?.into_iter().map(|claim| claim.text).collect();
        let addresses = match comparison {
            Comparison::Text => None,
            Comparison::Address => Some(Lookup::of(texts.iter().filter_map(|text| octets(text)).collect())),
        };
        Ok(Self { texts: Lookup::of(texts), addresses })
    }

    pub(super) fn contain(&self, text: &str) -> bool {
        let same = |addresses: &Lookup<Octets>| addresses.position(&octets(text)?);
        self.texts.position(&text).or_else(|| same(self.addresses.as_ref()?)).is_some()
    }
}
