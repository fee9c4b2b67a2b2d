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
    ///
    /// Source: `ParseKindSelector` in `pkg/utils/kube/kind.go`.
    pub(super) fn parse(text: &'k str) -> Option<Self> {
        // A dot after the last slash separates the subresource, too.
        let (head, last) = text.rsplit_once('/').map_or((None, text), |(head, last)| (Some(head), last));
        let parts: Vec<&str> =
            head.into_iter().flat_map(|head| head.split('/')).chain(last.split('.')).collect();
        let (group, version, kind, subresource) = match parts.as_slice() {
            [kind] => ("*", "*", *kind, None),
            ["*", "*"] => ("*", "*", "*", Some("*")),
            // `*/Kind` has a version, `*/subresource` a kind.
            ["*", subresource] if *subresource == subresource.to_lowercase() => {
                ("*", "*", "*", Some(*subresource))
            }
            [version, kind] if is_version(version) => ("*", *version, *kind, None),
            [kind, subresource] => ("*", "*", *kind, Some(*subresource)),
            [version, kind, subresource] if is_version(version) => ("*", *version, *kind, Some(*subresource)),
            [group, version, kind] => (*group, *version, *kind, None),
            [group, version, kind, subresource] => (*group, *version, *kind, Some(*subresource)),
            _ => return None,
        };
        Some(Self { group, version, kind, subresource })
    }

    pub(super) fn targets(&self) -> BTreeSet<Target> {
        let matches = |target: &Target| {
            Pattern::of(self.kind).matches(target.kind())
                && Pattern::of(self.group).matches(target.group())
                && match (self.subresource, target.subresource()) {
                    // A pod includes its ephemeral containers, but no other subresource.
                    (None, subresource) => subresource.is_none_or(|name| name == "ephemeralcontainers"),
                    (Some(pattern), subresource) => {
                        Pattern::of(pattern).matches(subresource.unwrap_or_default())
                    }
                }
        };
        Target::all().filter(matches).collect()
    }

    /// Returns the targets that the pattern names. A pod does not include its ephemeral containers.
    pub(super) fn exact_targets(&self) -> BTreeSet<Target> {
        let is_named = |target: &Target| self.subresource.is_some() || target.subresource().is_none();
        self.targets().into_iter().filter(is_named).collect()
    }

    /// Whether this is the kind Pod by name, with or without a subresource.
    pub(super) fn is_pod(&self) -> bool {
        self.kind == "Pod"
    }

    /// The version, if it does not match `v1`, in which the API server serves all targets.
    pub(super) fn obsolete_version(&self) -> Option<&'k str> {
        Some(self.version).filter(|version| !Pattern::of(version).matches("v1"))
    }
}

/// Whether a part is a version: `v1`, `v2beta1` or `*`.
fn is_version(text: &str) -> bool {
    let Some(number) = text.strip_prefix('v') else { return text == "*" };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match number.split_once("alpha").or_else(|| number.split_once("beta")) {
        Some((major, minor)) => digits(major) && digits(minor),
        None => digits(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_match_the_targets_that_kyverno_matches() {
        let templates =
            "ReplicationController PodTemplate DaemonSet Deployment ReplicaSet StatefulSet CronJob Job";
        for (kind, targets) in [
            ("Pod", "Pod EphemeralContainers".to_owned()),
            ("v1/Pod", "Pod EphemeralContainers".to_owned()),
            ("/v1/Pod", "Pod EphemeralContainers".to_owned()),
            ("Pod/ephemeralcontainers", "EphemeralContainers".to_owned()),
            ("Pod.ephemeralcontainers", "EphemeralContainers".to_owned()),
            ("v1/Pod.resize", "Resize".to_owned()),
            ("*/v1/Pod/resize", "Resize".to_owned()),
            ("*/ephemeralcontainers", "EphemeralContainers".to_owned()),
            ("*/Pod", "Pod EphemeralContainers".to_owned()),
            ("Pod/*", "Pod EphemeralContainers Resize".to_owned()),
            ("Service", "Service".to_owned()),
            ("v1/Service", "Service".to_owned()),
            ("Service/status", String::new()),
            ("*/*", format!("Pod EphemeralContainers Resize {templates} Service")),
            ("*", format!("Pod EphemeralContainers {templates} Service")),
            ("apps/v1/*Set", "DaemonSet ReplicaSet StatefulSet".to_owned()),
            ("apps/*/Deployment", "Deployment".to_owned()),
            ("batch/v1beta1/CronJob", "CronJob".to_owned()),
            ("a/b/c/d/e", String::new()),
        ] {
            let found = KindPattern::parse(kind).map(|kind| kind.targets()).unwrap_or_default();
            let found: Vec<String> = found.iter().map(|target| format!("{target:?}")).collect();
            assert_eq!(found.join(" "), targets, "{kind}");
        }
    }
}
