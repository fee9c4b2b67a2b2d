//! The review of a Service.

use std::net::IpAddr;

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict, Violations,
};

use super::allow::AllowedRanges;
use super::claim::{Claim, Field, Objection, StoredValues};
use super::conflict::Endpoints;
use super::rule;
use super::settings::{self, Conflicts, ExistingValues, LoadBalancerIngress, Settings};
use crate::address::{Ambiguity, ParsedAddress, covered, parse};
use crate::view::Service;

/// The policy with its parsed settings.
#[derive(Debug)]
pub struct ExternalIps {
    settings: Settings,
}

impl Policy for ExternalIps {
    const ID: &'static str = "external-ips";

    const SCOPE: Scope = Scope(&[
        ScopeRule::new("", "Service", "services", &[Operation::Create, Operation::Update]),
        // For the field status.loadBalancer.ingress. The metadata does not register the
        // subresource, because the audit scanner cannot map it.
        ScopeRule::new("", "Service", "services/status", &[Operation::Update]).unregistered(),
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Service", how: How::ListAll },
        Read { api_version: "authorization.k8s.io/v1", kind: "SubjectAccessReview", how: How::CanI },
    ]);

    const OBJECT: Shape<'static> = Service::REVIEWED;

    const RULES: &'static [(&'static str, &'static str)] = rule::ALL;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        Settings::read(settings).map(|settings| Self { settings })
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let fields = self.fields(request);
        let conflicts = self.settings.conflicts == Conflicts::DenySamePort;
        if fields.is_empty() && !conflicts {
            return Ok(Verdict::admit());
        }
        let service = Service::of(request.object()?);
        let old = Service::of(request.old_object()?);
        let claims = self.claims_to_review(fields, service, old)?;
        // A request leaves the addresses of other fields unchanged, but it may add a port to them.
        let all = self.settings.fields.as_slice();
        if claims.is_empty() && !(conflicts && Endpoints::of(all, service, old)?.are_new()) {
            return Ok(Verdict::admit());
        }
        if let Some(exempt) = &self.settings.exempt
            && exempt.contain(request)?
        {
            return Ok(Verdict::admit());
        }
        let violations = self.violations(&claims, request, (service, old), cluster)?;
        // The claims and the endpoints of a huge Service together would exceed the memory of an
        // instance.
        drop(claims);
        if conflicts && violations.is_empty() {
            let endpoints = Endpoints::of(all, service, old)?;
            // Services are looked up only if the verdict depends on them.
            if endpoints.are_new() {
                return Ok(endpoints.violations(request, cluster)?.into());
            }
        }
        Ok(violations.into())
    }
}

impl ExternalIps {
    /// Returns the fields to review: a write of the status leaves the stored spec unchanged, and an
    /// update of the Service itself leaves the stored status unchanged. Both can change
    /// annotations.
    ///
    /// Source: `svcStrategy` and `serviceStatusStrategy` of
    /// k8s.io/kubernetes/pkg/registry/core/service
    fn fields(&self, request: &Request<'_>) -> &[Field] {
        let fields = self.settings.fields.as_slice();
        let before = |field: Field| fields.partition_point(|known| *known < field);
        let part = match (request.operation, request.subresource) {
            (_, "status") => fields.get(before(Field::Annotation(""))..),
            (Operation::Update, _) => fields.get(..before(Field::Ingress)),
            _ => None,
        };
        part.unwrap_or(fields)
    }

    /// Returns the claims that are not tolerated as stored values.
    fn claims_to_review<'d>(
        &self,
        fields: &[Field],
        service: Service<'d>,
        old: Service<'d>,
    ) -> Result<Vec<Claim<'d>>, Fault> {
        let mut claims = Vec::new();
        for field in fields {
            let mut in_field = field.claims(service)?;
            if !in_field.is_empty() && !self.rechecks(old)? {
                let stored = StoredValues::of(*field, old, self.settings.comparison)?;
                in_field.retain(|claim| !stored.contain(claim.text));
            }
            claims.extend(in_field);
        }
        Ok(claims)
    }

    /// Returns whether stored values are reviewed like new ones. Those of a Service that is being
    /// deleted are not, because its finalizers could never be removed; its new values are.
    fn rechecks(&self, old: Service<'_>) -> Result<bool, Fault> {
        Ok(match self.settings.existing_values {
            ExistingValues::Tolerate => false,
            ExistingValues::Recheck => old.deletion_timestamp().filled_text()?.is_none(),
        })
    }

    fn violations<'d>(
        &self,
        claims: &[Claim<'d>],
        request: &Request<'d>,
        (service, old): (Service<'d>, Service<'d>),
        cluster: &dyn Cluster,
    ) -> Result<Violations<'d>, Fault> {
        let mut violations = Violations::default();
        if claims.is_empty() {
            return Ok(violations);
        }
        let own_ingress = self.own_ingress(request, old)?;
        let is_ignored = service.ignores_external_ips();
        let mut allowed = AllowedRanges::new(&self.settings.allow, request, cluster)?;
        for claim in claims {
            if let Some(objection) = self.objection(claim, is_ignored, own_ingress.as_ref(), &mut allowed)? {
                violations.push(claim.violation(objection));
            }
        }
        Ok(violations)
    }

    /// Returns the load balancer addresses of the stored Service if it may use them as external
    /// IPs.
    fn own_ingress<'d>(
        &self,
        request: &Request<'d>,
        old: Service<'d>,
    ) -> Result<Option<StoredValues<'d>>, Fault> {
        let applies = self.settings.load_balancer_ingress == LoadBalancerIngress::AllowAsExternalIP
            && request.operation == Operation::Update
            && old.kind().text()? == Some("LoadBalancer");
        if !applies {
            return Ok(None);
        }
        StoredValues::of(Field::Ingress, old, self.settings.comparison).map(Some)
    }

    /// Returns the objection to a claim, or `None` if the claim is allowed. `is_ignored` is whether
    /// Kubernetes ignores the external IPs of the Service.
    fn objection(
        &self,
        claim: &Claim<'_>,
        is_ignored: bool,
        own_ingress: Option<&StoredValues<'_>>,
        allowed: &mut AllowedRanges<'_, '_>,
    ) -> Result<Option<Objection>, Fault> {
        let own = claim.field == Field::ExternalIps && own_ingress.is_some_and(|own| own.contain(claim.text));
        let address = unambiguous(claim.text);
        if self.settings.allow.is_empty() && !own {
            // The rule is the one that the claim breaks with other settings, too.
            let id = address.map_or_else(|objection| objection.id, |_| claim.field.not_allowed());
            return Ok(Some(claim.field.default_denial(id, is_ignored)));
        }
        let address = match address {
            Ok(address) => address,
            Err(objection) => return Ok(Some(objection)),
        };
        if covered(&self.settings.reject, address) {
            let rule = "no Service may claim this address";
            let remedy = "use another address or remove it";
            return Ok(Some(Objection::new(rule::REJECTED_RANGE, rule, remedy)));
        }
        if own || allowed.contain(address)? {
            return Ok(None);
        }
        let remedy = "use an address that a rule allows, or remove it";
        Ok(Some(Objection::new(claim.field.not_allowed(), allowed.denial(address), remedy)))
    }
}

/// Parses an address that all programs read alike, or returns the objection to another text.
fn unambiguous(text: &str) -> Result<IpAddr, Objection> {
    let (id, rule, remedy) = match parse(text) {
        Some(ParsedAddress { address, ambiguity: None }) => return Ok(address),
        Some(ParsedAddress { ambiguity: Some(Ambiguity::LeadingZeros), .. }) => (
            rule::AMBIGUOUS_NOTATION,
            "programs read leading zeros differently",
            "write the address without them",
        ),
        Some(ParsedAddress { ambiguity: Some(Ambiguity::Ipv4Mapped), .. }) => (
            rule::AMBIGUOUS_NOTATION,
            "programs read IPv4-mapped IPv6 addresses differently",
            "write the IPv4 address",
        ),
        None => (
            rule::NOT_AN_ADDRESS,
            "not an IP address",
            "use a form such as 192.0.2.1 or 2001:db8::1, or remove the value",
        ),
    };
    Err(Objection::new(id, rule, remedy))
}
