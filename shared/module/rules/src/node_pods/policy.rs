//! The review of what a node writes on pods.

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict, Violation, Violations,
};

use super::labels::Reason;
use super::lookups::Lookups;
use super::ranked::Ranked;
use super::references::{self, ApiObjectReferences};
use super::rule;
use super::settings::{self, Mode, Settings};
use super::{annotations, claims, munge, owners, ownership};
use crate::caller::{Caller, nameless};
use crate::label::changes;
use crate::summary::summary;
use crate::view::{OwnerReference, Pod};

/// The annotation that makes a pod a mirror pod, whatever its value.
pub const MIRROR: &str = "kubernetes.io/config.mirror";

/// The key of the audit annotation that lists the violations in `mode: Warn`.
const VIOLATIONS: &str = "violations";

/// The policy with its parsed settings.
#[derive(Debug)]
pub struct NodePods {
    settings: Settings,
}

impl Policy for NodePods {
    const ID: &'static str = "node-pods";

    const SCOPE: Scope = Scope(&[
        ScopeRule::new("", "Pod", "pods", &[Operation::Create, Operation::Delete]),
        ScopeRule::new("", "Pod", "pods/status", &[Operation::Update]),
        ScopeRule::new("policy", "Eviction", "pods/eviction", &[Operation::Create]),
        // RBAC grants nodes none of the following, but may grant them to pods, for whose tokens
        // there is a setting.
        ScopeRule::new("", "Pod", "pods", &[Operation::Update]).unregistered(),
        ScopeRule::new("", "Pod", "pods/ephemeralcontainers", &[Operation::Update]).unregistered(),
        ScopeRule::new("", "Pod", "pods/resize", &[Operation::Update]).unregistered(),
        ScopeRule::new("", "PodAttachOptions", "pods/attach", &[Operation::Connect]).unregistered(),
        ScopeRule::new("", "PodExecOptions", "pods/exec", &[Operation::Connect]).unregistered(),
        ScopeRule::new("", "PodPortForwardOptions", "pods/portforward", &[Operation::Connect]).unregistered(),
        ScopeRule::new("", "PodProxyOptions", "pods/proxy", &[Operation::Connect]).unregistered(),
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Node", how: How::Get },
        Read { api_version: "v1", kind: "Pod", how: How::Get },
    ]);

    const MUTATES: bool = true;

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_NODE_PODS;

    const USER: Shape<'static> = Caller::USER;

    const USERS: &'static [&'static str] = Caller::TEXTS;

    const RULES: &'static [(&'static str, &'static str)] = rule::ALL;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        Settings::read(settings).map(|settings| Self { settings })
    }

    fn evaluates(request: &Request<'_>) -> Result<bool, Fault> {
        Caller::can_be_restricted(request)
    }

    fn evaluates_user(&self, request: &Request<'_>) -> Result<Option<bool>, Fault> {
        Caller::of(request, &self.settings.bound_tokens).map(|caller| Some(caller != Caller::Other))
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let caller = Caller::of(request, &self.settings.bound_tokens)?;
        let (own, is_node) = match caller {
            Caller::Other => return Ok(Verdict::admit()),
            Caller::Nameless => return Ok(nameless(rule::NAMELESS_NODE, request).into()),
            Caller::Node(own) => (own, true),
            Caller::Bound(own) => (own, false),
        };
        match (request.operation, request.subresource) {
            (Operation::Create, "") => {
                let pod = Pod::of(request.object()?);
                if !is_node {
                    return Ok(ownership::of_new(own, pod)?.into());
                }
                let violations = not_a_mirror_pod_of(own, pod)?;
                if !violations.is_empty() {
                    return Ok(violations.into());
                }
                self.review_mirror_pod(pod, Lookups::new(own, pod, request, cluster))
            }
            // The request has only the name of the pod.
            (Operation::Create | Operation::Connect, _) => {
                Ok(ownership::of_named(caller, request, cluster)?.into())
            }
            (Operation::Update | Operation::Delete, subresource) => {
                let old = Pod::of(request.stored_object()?);
                let violations = ownership::of_stored(caller, old, request.operation)?;
                if !violations.is_empty() {
                    return Ok(violations.into());
                }
                match request.operation {
                    Operation::Update if subresource == "status" => {
                        Ok(self.verdict(self.review_status(old, Pod::of(request.object()?))?))
                    }
                    Operation::Update if is_node => Ok(ownership::not_a_status(old).into()),
                    _ => Ok(Verdict::admit()),
                }
            }
        }
    }
}

impl NodePods {
    fn review_mirror_pod<'d>(&self, pod: Pod<'d>, mut lookups: Lookups<'_>) -> Result<Verdict<'d>, Fault> {
        let settings = &self.settings;
        let metadata = pod.metadata();
        let mut found = Ranked::default();
        let munges = settings.mode == Mode::Munge;
        if let Some(annotations) = &settings.annotations {
            for (key, at) in metadata.annotations().fields()? {
                // This module may have munged the pod already, under this or another policy.
                if !annotations.allow(key) && !munge::is_record(key) {
                    found.annotations.push(annotations::violation(at, true));
                }
            }
        }
        if !munges {
            for (key, at) in metadata.labels().fields()? {
                if let Some(reason) = settings.labels.reason(key, at, &mut lookups)? {
                    let rank = match reason {
                        Reason::DeniedKey => &mut found.limited,
                        Reason::DeniedDomain => &mut found.denied,
                        Reason::Unlisted(_) => &mut found.labels,
                    };
                    rank.push(reason.violation(at));
                }
            }
        }
        if settings.references == ApiObjectReferences::Deny {
            references::review(pod, &mut found.references)?;
        }
        // In mode Munge, a pod that is denied anyway causes no further look-ups.
        let is_denied = munges && !(found.annotations.is_empty() && found.references.is_empty());
        if settings.restrict_namespaces && !is_denied && !lookups.namespace()?.permits_mirror_pods() {
            found.limited.push(Violation::forbidden(
                rule::MIRROR_NAMESPACE,
                metadata.namespace(),
                lookups.namespace()?.no_mirror_pods_rule(),
                "annotate the Namespace with node.kubernetes.io/mirror.allowed=true, or use another one",
            ));
        }
        if munges {
            return munge::munge(pod, &settings.labels, found.into_violations(), &mut lookups);
        }
        owners::review(pod, settings.require_owner_reference, &mut lookups, &mut found.limited)?;
        Ok(self.verdict(found))
    }

    fn review_status<'d>(&self, old_pod: Pod<'d>, new_pod: Pod<'d>) -> Result<Ranked<'d>, Fault> {
        let (old, new) = (old_pod.metadata(), new_pod.metadata());
        let settings = &self.settings;
        let mut found = Ranked::default();
        let munges = settings.mode == Mode::Munge;
        if munges || settings.annotations.is_some() {
            changes(Some(old.annotations()), new.annotations(), &mut |change| {
                if munges && munge::is_record(change.key) {
                    found.limited.forbid(
                        rule::REMOVAL_RECORD,
                        change.at,
                        "a node may not change the record of what was removed from a pod",
                        "leave it unchanged",
                    );
                } else if settings.annotations.as_ref().is_some_and(|known| !known.allow(change.key)) {
                    found.annotations.push(annotations::violation(change.at, change.added));
                }
            })?;
        }
        changes(Some(old.labels()), new.labels(), &mut |change| {
            let rank =
                if settings.labels.denies(change.key) { &mut found.limited } else { &mut found.labels };
            rank.forbid(
                rule::STATUS_LABEL,
                change.at,
                "a node may not set, change or remove labels through pods/status",
                "leave the labels of the pod unchanged",
            );
        })?;
        if !OwnerReference::are_equal(old.owner_references(), new.owner_references())? {
            found.limited.forbid(
                rule::STATUS_OWNER,
                new.owner_references(),
                "a node may not change the owners of a pod",
                "leave the owner references unchanged",
            );
        }
        claims::review(old_pod.status(), new_pod.status(), &mut found.limited)?;
        Ok(found)
    }

    /// Denies the violations or, in `mode: Warn`, admits them with a warning.
    fn verdict<'d>(&self, found: Ranked<'d>) -> Verdict<'d> {
        if self.settings.mode != Mode::Warn {
            return found.into_violations().into();
        }
        let annotation = found.annotation();
        if annotation.is_empty() {
            return Verdict::admit();
        }
        let violations = found.into_violations();
        let paths = violations.paths();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let warning = summary("node-pods would deny this pod", &paths, violations.more());
        let verdict = Verdict::admit().warn(warning).annotate(VIOLATIONS, annotation);
        verdict.would_deny(Self::ID, violations.rules())
    }
}

fn not_a_mirror_pod_of<'d>(caller: &str, pod: Pod<'d>) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    let mirror = pod.metadata().annotations().at(MIRROR);
    if mirror.text()?.is_none() {
        violations.require(
            rule::NOT_A_MIRROR_POD,
            mirror,
            "a node may create only mirror pods of its static pods",
            "use the credentials of a controller or a user",
        );
    }
    let node = pod.node_name();
    let (rule, remedy) = ("a node may create only its own mirror pods", "set the name of the node");
    match node.filled_text()? {
        None => violations.require(rule::FOREIGN_MIRROR_POD, node, rule, remedy),
        Some(name) if name != caller => violations.refuse(rule::FOREIGN_MIRROR_POD, node, rule, remedy),
        Some(_) => {}
    }
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use crate::no_cluster::NoCluster;

    /// Returns whether a request to delete a pod of the node `b` is admitted.
    fn is_admitted(user: &str, backwards: bool) -> bool {
        let object = r#""oldObject":{"metadata":{"labels":{"userInfo":"x"}},"spec":{"nodeName":"b"}}"#;
        let user = [r#""userInfo":{"#, user, "}"].concat();
        let [one, other] = if backwards { [user.as_str(), object] } else { [object, user.as_str()] };
        let payload = [
            r#"{"request":{"kind":{"group":"","kind":"Pod"},"operation":"DELETE","#,
            one,
            ",",
            other,
            r#"},"settings":{"nodeBoundTokens":"Restrict"}}"#,
        ]
        .concat();
        crate::find("node-pods").unwrap().respond(payload.as_bytes(), &NoCluster).accepted
    }

    /// The object is kept only for some users, which are guessed by the text of the payload.
    #[test]
    fn reads_the_object_of_every_restricted_user() {
        for backwards in [false, true] {
            for user in [
                r#""username":"system:node:a","groups":["system:nodes"]"#,
                r#""groups":["system:nodes"],"username":"\u0073ystem\u003anode:a""#,
                r#""username":"x","extra":{"authentication.kubernetes.io/node-name":["a"]}"#,
                r#""username":"x","extra":{"authentication.kubernetes.io\/node-name":["a"]}"#,
            ] {
                assert!(!is_admitted(user, backwards), "{user}");
            }
            for user in [r#""username":"x""#, r#""username":"system:node:a""#, r#""username":"system:node""#]
            {
                assert!(is_admitted(user, backwards), "{user}");
            }
        }
    }
}
