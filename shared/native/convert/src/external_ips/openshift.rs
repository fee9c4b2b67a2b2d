//! The admission plugin `network.openshift.io/ExternalIPRanger` of `OpenShift`, and the `Network`
//! configuration that its operator writes it from.
//!
//! Sources: `openshift-kube-apiserver/admission/network/externalipranger/externalip_admission.go`
//! in openshift/kubernetes (1dff559), `ObserveExternalIPPolicy` in
//! `pkg/operator/configobservation/network/observe_network.go` of
//! openshift/cluster-kube-apiserver-operator (11341d1), `GetExternalIPPolicy` in
//! openshift/library-go.

use ipnet::IpNet;
use serde_json::json;

use super::manifest::{Manifests, Restriction, rechecked};
use super::{ranges, unconverted};
use crate::InputError;
use crate::conversion::{Conversion, FieldProblem};
use crate::fields::{Fields, UNKNOWN};

/// The version of the configuration of the plugin.
pub(super) const RANGER_VERSION: &str = "network.openshift.io/v1";

/// The kind of the configuration of the plugin.
pub(super) const RANGER_KIND: &str = "ExternalIPRangerAdmissionConfig";

/// The name of the only `Network` that the operator reads.
const NETWORK: &str = "cluster";

/// The consequence of a block that the operator cannot read.
const KEEPS_PREVIOUS: &str = "the operator keeps the previous configuration until you correct it";

/// The consequence of a block that the plugin cannot read.
const DOES_NOT_START: &str = "the API server does not start with it";

/// The problem with the permission that overrides the plugin.
const OVERRIDE: &str = "the permission to create service/externalips of network.openshift.io, which overrides \
                        everything, counts in the plugin only if it holds in the whole cluster, and in the policy \
                        also if it holds in the namespace of the Service; grant it, and roles with wildcards, only \
                        with ClusterRoleBindings";

/// The permission that the service account of the policy server needs.
const NEEDS_PERMISSION: &str = "The policy asks the API server for this permission: the service account of the policy server \
                                must be permitted to create subjectaccessreviews of authorization.k8s.io.";

/// The problem with load balancer addresses.
const ANY_INGRESS: &str = "the plugin lets a Service of type LoadBalancer claim the first address of its status, and \
                       without ranges only that one; the policy lets it claim every address of its status. \
                       Assigning addresses is up to OpenShift's controller, as before";

/// The field of the plugin with the blocks.
const BLOCKS: &str = "externalIPNetworkCIDRs";

/// The field of the plugin about load balancer addresses.
const INGRESS: &str = "allowIngressIP";

/// The configuration of the plugin.
struct Ranger {
    admitted: Vec<IpNet>,
    rejected: Vec<IpNet>,
    /// The path of what lets load balancer addresses be external IPs.
    ingress: Option<String>,
    /// The path of the whole.
    path: String,
}

/// Converts the `Network` configuration.
///
/// # Errors
/// Fields that the operator would not accept.
pub(super) fn network(
    object: &Fields<'_>,
    title: &str,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    let metadata = object.required_object("metadata")?;
    if metadata.text("name")? != Some(NETWORK) {
        let problem = format!("OpenShift reads only the Network {NETWORK}");
        return Ok(unconverted(object, title, FieldProblem::new(metadata.path("name"), problem)));
    }
    let spec = object.required_object("spec")?;
    let external = spec.object("externalIP")?;
    let policy = external.as_ref().map(|external| external.object("policy")).transpose()?.flatten();
    let blocks = |key: &str| match &policy {
        Some(policy) => ranges::read(policy, key, KEEPS_PREVIOUS),
        None => Ok(Vec::new()),
    };
    let mut problems = Vec::new();
    let mut ingress = None;
    if let Some(external) = &external {
        problems.extend(external.unknown(&["policy", "autoAssignCIDRs"]));
        if !ranges::read(external, "autoAssignCIDRs", KEEPS_PREVIOUS)?.is_empty() {
            ingress = Some(external.path("autoAssignCIDRs"));
        }
    }
    if let Some(policy) = &policy {
        problems.extend(policy.unknown(&["allowedCIDRs", "rejectedCIDRs"]));
    }
    let ranger = Ranger {
        admitted: blocks("allowedCIDRs")?,
        rejected: blocks("rejectedCIDRs")?,
        ingress,
        path: spec.path("externalIP"),
    };
    manifests.add(object, title, ranger.restriction(problems))
}

/// Converts the configuration of the plugin itself.
///
/// # Errors
/// Fields that the plugin would not accept.
pub(super) fn ranger(
    object: &Fields<'_>,
    configuration: &Fields<'_>,
    title: &str,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    if configuration.text("apiVersion")? != Some(RANGER_VERSION) {
        return Err(configuration.error("apiVersion", format!("expected {RANGER_VERSION}")));
    }
    let known = ["apiVersion", "kind", "metadata", BLOCKS, INGRESS];
    if let Some((key, _)) = configuration.others(&known).next() {
        return Err(configuration.error(key, UNKNOWN));
    }
    let (mut admitted, mut rejected) = (Vec::new(), Vec::new());
    for (index, text) in configuration.texts(BLOCKS)?.into_iter().enumerate() {
        let (list, text) = match text.strip_prefix('!') {
            Some(text) => (&mut rejected, text),
            None => (&mut admitted, text),
        };
        let block = ranges::block(text, DOES_NOT_START);
        list.push(block.map_err(|problem| configuration.element_error(BLOCKS, index, problem))?);
    }
    let ingress = configuration.boolean(INGRESS)?.unwrap_or_default();
    let ranger = Ranger {
        admitted,
        rejected,
        ingress: ingress.then(|| configuration.path(INGRESS)),
        path: configuration.path("kind"),
    };
    manifests.add(object, title, ranger.restriction(Vec::new()))
}

impl Ranger {
    /// The plugin judges every address of every request again: rejected blocks first, then admitted
    /// ones, if there are any. The permission overrides rejected blocks, too, which `reject` does
    /// not allow; so the rule has the admitted addresses without the rejected ones.
    fn restriction(self, mut problems: Vec<FieldProblem>) -> Restriction {
        let Self { admitted, rejected, ingress, path } = self;
        let admitted = if admitted.is_empty() && !rejected.is_empty() { ranges::all() } else { admitted };
        let admitted = ranges::without(&admitted, &rejected);
        let ranges = (!admitted.is_empty()).then(|| json!({ "cidrs": ranges::setting(&admitted) }));
        let permission = json!({
            "cidrs": ranges::setting(&ranges::all()),
            "can": {
                "verb": "create",
                "group": "network.openshift.io",
                "resource": "service",
                "subresource": "externalips",
            },
        });
        let rules: Vec<_> = ranges.into_iter().chain([permission]).collect();
        let mut settings = rechecked(rules);
        problems.push(FieldProblem::new(path, OVERRIDE));
        if let Some(path) = ingress {
            settings.insert("loadBalancerIngress".to_owned(), "AllowAsExternalIP".into());
            problems.push(FieldProblem::new(path, ANY_INGRESS));
        }
        Restriction { problems, notes: vec![NEEDS_PERMISSION.to_owned()], ..Restriction::of(settings) }
    }
}
