//! Which requests concern a policy, and what it may ask the cluster.

use crate::{Operation, Request};

/// The requests that a policy judges; everything else is admitted unseen.
///
/// Tests hold it against the `rules` of the policy's `metadata.yml`.
#[derive(Clone, Copy, Debug)]
pub struct Scope(pub &'static [ScopeRule]);

/// Requests for one kind of object.
#[derive(Clone, Copy, Debug)]
pub struct ScopeRule {
    /// The API group, empty for the core group.
    pub group: &'static str,
    /// The API versions that the metadata registers.
    pub versions: &'static [&'static str],
    /// The kind in the request: what is matched, together with the group.
    pub kind: &'static str,
    /// The resource that the metadata registers; with a subresource `services/status`.
    pub resource: &'static str,
    /// The operations.
    pub operations: &'static [Operation],
    /// Whether `metadata.yml` registers it. Where not, an operator adds it for a setting that needs it.
    pub registered: bool,
}

impl Scope {
    /// Whether a request is the policy's business.
    #[must_use]
    pub fn covers(&self, request: &Request<'_>) -> bool {
        self.0.iter().any(|rule| {
            rule.kind == request.kind
                && rule.group == request.group
                && rule.subresource() == request.subresource
                && rule.operations.contains(&request.operation)
        })
    }
}

impl ScopeRule {
    /// The subresource, empty for the object itself.
    #[must_use]
    pub fn subresource(&self) -> &'static str {
        self.resource.split_once('/').map_or("", |(_, subresource)| subresource)
    }
}

/// What a policy may ask the cluster, at most.
///
/// Tests hold it against `contextAwareResources` and `hostCapabilities` of the policy's `metadata.yml`, and
/// fail a case in which something else is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Reads(pub &'static [Read]);

impl Reads {
    /// Nothing: the verdict depends on the request alone.
    pub const NONE: Reads = Reads(&[]);

    /// Whether something is asked for in this way.
    #[must_use]
    pub const fn ask(self, how: How) -> bool {
        let mut reads = self.0;
        while let [read, rest @ ..] = reads {
            if read.how as u8 == how as u8 {
                return true;
            }
            reads = rest;
        }
        false
    }
}

/// Objects of one kind.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Read {
    /// `v1`, `apps/v1`.
    pub api_version: &'static str,
    /// `Namespace`.
    pub kind: &'static str,
    /// One by name, or all of the cluster or of a namespace.
    pub how: How,
}

/// How objects are asked for.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum How {
    /// One, by name: the host capability `kubernetes/get_resource`.
    Get,
    /// All of the cluster: `kubernetes/list_resources_all`.
    ListAll,
    /// All of a namespace: `kubernetes/list_resources_by_namespace`.
    ListIn,
}

impl How {
    /// The host capability that it takes.
    #[must_use]
    pub fn capability(self) -> &'static str {
        match self {
            How::Get => "kubernetes/get_resource",
            How::ListAll => "kubernetes/list_resources_all",
            How::ListIn => "kubernetes/list_resources_by_namespace",
        }
    }
}
