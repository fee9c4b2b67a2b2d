//! Who may claim which external IP addresses for a Service.
//!
//! # Why
//! Whoever may write a Service can claim any address in `spec.externalIPs`, and every node then sends the
//! traffic for that address to the pods of the Service: other people's traffic, in plain text
//! (CVE-2020-8554).
//!
//! # Denied
//! By default what the in-tree plugin `DenyServiceExternalIPs` denies: a value that is not among the stored
//! ones. Values that are stored are tolerated, one by one, and may be removed. Settings open ranges to
//! namespaces, users and groups, and close further holes.
//!
//! # Order
//! Nothing new → admitted, before anything is looked up or parsed. Then: exempt subjects, addresses that
//! readers understand differently, rejected ranges, allow rules, conflicts with other Services.
//!
//! # Sources
//! - KEP-2200: <https://github.com/kubernetes/enhancements/tree/master/keps/sig-network/2200-block-external-ips>
//! - `DenyServiceExternalIPs`: k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips

mod allow;
mod claim;
mod conflict;
mod settings;

use std::borrow::Cow;

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict, Violation, Violations,
};

use crate::address::{Oddity, Range, Reading, covered, read};
use crate::subject::Subjects;
use crate::view::Service;
use allow::{AllowRules, Coverage};
use claim::{Claim, Field, Stored};
use conflict::Endpoints;
pub use settings::{Comparison, Conflicts, ExistingValues, LoadBalancerIngress};

/// The policy: its settings, understood.
#[derive(Debug)]
pub struct ExternalIps {
    allow: AllowRules,
    reject: Vec<Range>,
    exempt: Option<Subjects>,
    existing_values: ExistingValues,
    comparison: Comparison,
    ingress: LoadBalancerIngress,
    conflicts: Conflicts,
    fields: Vec<Field>,
}

impl Policy for ExternalIps {
    const ID: &'static str = "external-ips";

    const SCOPE: Scope = Scope(&[
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Service",
            resource: "services",
            operations: &[Operation::Create, Operation::Update],
            registered: true,
        },
        // For the field status.loadBalancer.ingress. Not in the metadata: the audit scanner cannot map it.
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Service",
            resource: "services/status",
            operations: &[Operation::Update],
            registered: false,
        },
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Service", how: How::ListAll },
    ]);

    const OBJECT: Shape<'static> = Service::REVIEWED;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        // A write of the status leaves the spec as it is stored, and a write of the rest the status.
        let (of_spec, of_status) =
            self.fields.split_at(self.fields.partition_point(|field| *field != Field::Ingress));
        let fields = match (request.operation, request.subresource) {
            (_, "status") => of_status,
            (Operation::Update, _) => of_spec,
            _ => self.fields.as_slice(),
        };
        if fields.is_empty() {
            return Ok(Verdict::admit());
        }
        let service = Service::of(request.object()?);
        let old = Service::of(request.old_object()?);
        let mut fresh = Vec::new();
        for field in fields {
            let mut claims = field.claims(service)?;
            if !claims.is_empty() && !self.rechecks(old)? {
                let stored = Stored::of(*field, old, self.comparison)?;
                claims.retain(|claim| !stored.has(claim.text));
            }
            fresh.extend(claims);
        }
        let conflicts = self.conflicts == Conflicts::DenySamePort;
        let nothing_new = fresh.is_empty() && !(conflicts && Endpoints::of(fields, service, old)?.are_new());
        if nothing_new {
            return Ok(Verdict::admit());
        }
        if let Some(exempt) = &self.exempt
            && exempt.contain(request)?
        {
            return Ok(Verdict::admit());
        }
        let violations = self.judge(&fresh, request, old, cluster)?;
        // Of a huge Service, claims and endpoints together would be more than an instance has room for.
        drop(fresh);
        if conflicts && violations.is_empty() {
            let endpoints = Endpoints::of(fields, service, old)?;
            // The cluster is asked only where the verdict depends on it.
            if endpoints.are_new() {
                return Ok(endpoints.violations(request, cluster)?.into());
            }
        }
        Ok(violations.into())
    }
}

impl ExternalIps {
    /// Whether stored values are judged like new ones. Not those of a Service that is being deleted, or its
    /// finalizers could never be removed; what such a Service claims anew is judged all the same.
    fn rechecks(&self, old: Service<'_>) -> Result<bool, Fault> {
        Ok(match self.existing_values {
            ExistingValues::Tolerate => false,
            ExistingValues::Recheck => old.deletion_timestamp().filled_text()?.is_none(),
        })
    }

    fn judge<'d>(
        &self,
        fresh: &[Claim<'d>],
        request: &Request<'d>,
        old: Service<'d>,
        cluster: &dyn Cluster,
    ) -> Result<Violations<'d>, Fault> {
        let mut violations = Violations::default();
        if fresh.is_empty() {
            return Ok(violations);
        }
        let own_ingress = self.own_ingress(request, old)?;
        let mut coverage = Coverage::new(&self.allow, request, cluster)?;
        for claim in fresh {
            if let Some((rule, remedy)) = self.objection(claim, own_ingress.as_ref(), &mut coverage) {
                violations.push(Violation::invalid(claim.at, rule, remedy));
            }
        }
        Ok(violations)
    }

    /// The addresses that load balancers gave the stored Service, where it may use them as external IPs.
    fn own_ingress<'d>(&self, request: &Request<'d>, old: Service<'d>) -> Result<Option<Stored<'d>>, Fault> {
        let applies = self.ingress == LoadBalancerIngress::AllowAsExternalIP
            && request.operation == Operation::Update
            && old.kind().text()? == Some("LoadBalancer");
        if applies { Stored::of(Field::Ingress, old, self.comparison).map(Some) } else { Ok(None) }
    }

    /// Why a new value may not be claimed, and what to do instead.
    fn objection(
        &self,
        claim: &Claim<'_>,
        own_ingress: Option<&Stored<'_>>,
        coverage: &mut Coverage<'_, '_>,
    ) -> Option<(Cow<'static, str>, &'static str)> {
        let own = claim.field == Field::ExternalIps && own_ingress.is_some_and(|own| own.has(claim.text));
        if self.allow.is_empty() && !own {
            return Some((claim.field.closed().into(), claim.field.way_out()));
        }
        let Some(Reading { address, oddity }) = read(claim.text) else {
            return Some(("not an IP address".into(), "write it as 192.0.2.1 or 2001:db8::1, or remove it"));
        };
        match oddity {
            Some(Oddity::LeadingZeros) => {
                return Some((
                    "leading zeros mean different addresses to different readers".into(),
                    "write it without them",
                ));
            }
            Some(Oddity::Mapped) => {
                return Some((
                    "an IPv4-mapped IPv6 address means different addresses to different readers".into(),
                    "write the IPv4 address",
                ));
            }
            None => {}
        }
        if covered(&self.reject, address) {
            return Some(("no Service may claim this address".into(), "use another address or remove it"));
        }
        if own || coverage.of(address) {
            return None;
        }
        Some((coverage.refusal(address).into(), "use one that is set aside for this use, or remove it"))
    }
}
