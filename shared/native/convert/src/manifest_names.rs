//! The names of manifests.

use std::collections::BTreeSet;

use rules::name::is_subdomain;

use crate::{PolicyManifest, PolicyMetadata, PolicySpec};

#[derive(Debug, Default)]
pub(crate) struct ManifestNames(BTreeSet<(String, String)>);

impl ManifestNames {
    /// Returns a name near `wanted` that no other manifest in the namespace has; `otherwise` if
    /// nothing of `wanted` can be part of a name.
    pub(crate) fn unique(&mut self, namespace: Option<&str>, wanted: &str, otherwise: &str) -> String {
        let namespace = namespace.unwrap_or_default();
        let name = subdomain(wanted).unwrap_or_else(|| otherwise.to_owned());
        let mut unique = name.clone();
        let mut count = 1_usize;
        while !self.0.insert((namespace.to_owned(), unique.clone())) {
            count += 1;
            unique = format!("{name}-{count}");
        }
        unique
    }

    /// Returns a manifest with a name near `wanted`, for a namespace or for the cluster.
    pub(crate) fn manifest(
        &mut self,
        namespace: Option<&str>,
        wanted: &str,
        spec: PolicySpec,
    ) -> PolicyManifest {
        let name = self.unique(namespace, wanted, spec.module.policy);
        PolicyManifest {
            api_version: "policies.kubewarden.io/v1",
            kind: if namespace.is_some() { "AdmissionPolicy" } else { "ClusterAdmissionPolicy" },
            metadata: PolicyMetadata { name, namespace: namespace.map(str::to_owned) },
            spec,
        }
    }
}

/// Returns the nearest DNS subdomain name (RFC 1123), with room for a prefix and a number.
fn subdomain(text: &str) -> Option<String> {
    const MAX_LENGTH: usize = 230;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let name: String = text.chars().map(plain).take(MAX_LENGTH).collect();
    let parts: Vec<&str> =
        name.split('.').map(|part| part.trim_matches('-')).filter(|part| !part.is_empty()).collect();
    let name = parts.join(".");
    is_subdomain(&name).then_some(name)
}
