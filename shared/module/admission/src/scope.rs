//! The requests that a policy matches, and the look-ups that it declares.

use crate::{Operation, Request};

/// The requests that a policy matches. All other requests are admitted without being evaluated.
///
/// Tests compare it with the `rules` in the policy's `metadata.yml`.
#[derive(Clone, Copy, Debug)]
pub struct Scope(pub &'static [ScopeRule]);

/// The requests for one kind of object.
#[derive(Clone, Copy, Debug)]
pub struct ScopeRule {
    /// The API group of the kind, empty for the core group.
    pub group: &'static str,
    /// The kind in the request, which is matched together with the group.
    pub kind: &'static str,
    /// The resource that `metadata.yml` registers; with a subresource, `services/status`.
    pub resource: &'static str,
    /// The operations.
    pub operations: &'static [Operation],
    /// Whether `metadata.yml` registers the rule. Otherwise an operator adds it for a setting that
    /// needs it.
    pub registered: bool,
}

impl Scope {
    /// Returns whether a request matches the policy.
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
    /// The API version that `metadata.yml` registers.
    pub const VERSION: &'static str = "v1";

    /// Creates a rule that `metadata.yml` registers.
    #[must_use]
    pub const fn new(
        group: &'static str,
        kind: &'static str,
        resource: &'static str,
        operations: &'static [Operation],
    ) -> Self {
        Self { group, kind, resource, operations, registered: true }
    }

    /// Returns a rule that an operator adds.
    #[must_use]
    pub const fn unregistered(self) -> Self {
        Self { registered: false, ..self }
    }

    /// Returns the subresource, empty for the object itself.
    #[must_use]
    pub fn subresource(&self) -> &'static str {
        self.resource.split_once('/').map_or("", |(_, subresource)| subresource)
    }
}

/// The look-ups that a policy may make.
///
/// Tests compare it with `contextAwareResources` and `hostCapabilities` in the policy's
/// `metadata.yml`, and fail a case with any other look-up.
#[derive(Clone, Copy, Debug)]
pub struct Reads(pub &'static [Read]);

impl Reads {
    /// No look-ups: the verdict depends on the request alone.
    pub const NONE: Reads = Reads(&[]);

    /// Returns whether there is a look-up of this type.
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

/// The look-ups of one kind of object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Read {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: &'static str,
    /// The kind, such as `Namespace`.
    pub kind: &'static str,
    /// The type of the look-ups.
    pub how: How,
}

/// The type of a look-up.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum How {
    /// One object by name: the host capability `kubernetes/get_resource`.
    Get,
    /// All objects in the cluster: `kubernetes/list_resources_all`.
    ListAll,
    /// All objects in a namespace: `kubernetes/list_resources_by_namespace`.
    ListIn,
    /// Whether a user has a permission: `kubernetes/can_i`. The kind is `SubjectAccessReview`,
    /// which no look-up reads as an object.
    CanI,
}

impl How {
    /// Returns the host capability that the look-up needs.
    #[must_use]
    pub fn capability(self) -> &'static str {
        match self {
            How::Get => "kubernetes/get_resource",
            How::ListAll => "kubernetes/list_resources_all",
            How::ListIn => "kubernetes/list_resources_by_namespace",
            How::CanI => "kubernetes/can_i",
        }
    }

    /// Returns whether the host checks the kind against `contextAwareResources`.
    #[must_use]
    pub fn reads_objects(self) -> bool {
        self != How::CanI
    }
}
