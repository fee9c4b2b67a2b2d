//! The kinds with which a Kyverno policy matches resources.

use std::collections::BTreeSet;

use rules::pattern::Pattern;

use crate::target::Target;

/// A kind as Kyverno spells it: `Pod`, `v1/Pod`, `apps/v1/Deployment`, `Pod/ephemeralcontainers`.
///
/// Each part may contain wildcards.
#[derive(Debug)]
pub(super) struct KindPattern<'k> {
    group: &'k str,
    version: &'k str,
    kind: &'k str,
    subresource: Option<&'k str>,
}

impl<'k> KindPattern<'k> {
    /// Splits a kind into its parts; `None` if there are too many.
    pub(super) fn parse(text: &'k str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, kind, subresource) = match parts.as_slice() {
            [kind] => ("*", "*", *kind, None),
            [version, kind] if is_version(version) => ("*", *version, *kind, None),
            [kind, subresource] => ("*", "*", *kind, Some(*subresource)),
            [group, version, kind] if is_version(version) => (*group, *version, *kind, None),
            [version, kind, subresource] => ("*", *version, *kind, Some(*subresource)),
            [group, version, kind, subresource] => (*group, *version, *kind, Some(*subresource)),
            _ => return None,
        };
        Some(Self { group, version, kind, subresource })
    }

    /// Returns the targets that the pattern matches.
    pub(super) fn targets(&self) -> BTreeSet<Target> {
        let matches = |target: &Target| {
            Pattern::of(self.kind).matches(target.kind())
                && Pattern::of(self.group).matches(target.group())
                && match (self.subresource, target.subresource()) {
                    // A pod includes its subresources.
                    (None, _) => true,
                    (Some(pattern), Some(subresource)) => Pattern::of(pattern).matches(subresource),
                    (Some(_), None) => false,
                }
        };
        Target::ALL.into_iter().filter(matches).collect()
    }

    /// Whether this is the kind Pod, without a subresource.
    pub(super) fn is_pod(&self) -> bool {
        self.kind == "Pod" && self.subresource.is_none()
    }

    /// Whether the pattern names a subresource.
    pub(super) fn has_subresource(&self) -> bool {
        self.subresource.is_some()
    }

    /// The version, if it does not match `v1`, in which the API server serves all targets.
    pub(super) fn obsolete_version(&self) -> Option<&'k str> {
        Some(self.version).filter(|version| !Pattern::of(version).matches("v1"))
    }
}

fn is_version(text: &str) -> bool {
    let mut chars = text.chars();
    text == "*" || chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit() || c == '*')
}
