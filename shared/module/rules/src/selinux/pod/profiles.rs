//! SELinux types from the profiles of security-profiles-operator.
//!
//! Source: `api/selinuxprofile` of security-profiles-operator 0.4.0 to 1.0.0, API version v1alpha2.
//! The kinds are namespaced before 0.9.0 and cluster-wide since. The operator writes the type,
//! whose form also differs between versions, to `status.usage`.

use admission::{Cluster, Fault, List, Shape};

pub(in crate::selinux) const API_VERSION: &str = "security-profiles-operator.x-k8s.io/v1alpha2";

/// The kinds of the profiles that `types.fromSelinuxProfiles` looks up.
pub const KINDS: [&str; 2] = ["SelinuxProfile", "RawSelinuxProfile"];

const FIELDS: Shape<'static> = Shape::Fields(&[
    ("metadata", Shape::Fields(&[("namespace", Shape::ALL)])),
    ("spec", Shape::Fields(&[("mode", Shape::ALL), ("permissive", Shape::ALL)])),
    ("status", Shape::Fields(&[("status", Shape::ALL), ("usage", Shape::ALL)])),
]);

/// The types of the profiles of a kind that are installed for the whole cluster or for a Namespace.
///
/// Permissive profiles, with `spec.mode: Permissive` or, before 1.0.0, `spec.permissive: true`, do
/// not confine their processes and are left out.
pub(super) fn installed(
    cluster: &dyn Cluster,
    kind: &'static str,
    namespace: &str,
) -> Result<Vec<String>, Fault> {
    let list = List { api_version: API_VERSION, kind, namespace: None, shape: FIELDS };
    let mut types = Vec::new();
    list.each(cluster, &mut |profile| {
        let (spec, status) = (profile.at("spec"), profile.at("status"));
        let place = profile.at("metadata").at("namespace").filled_text()?;
        if status.at("status").text()? == Some("Installed")
            && place.is_none_or(|place| place == namespace)
            && spec.at("mode").text()? != Some("Permissive")
            && spec.at("permissive").boolean()? != Some(true)
        {
            types.extend(status.at("usage").text()?.map(str::to_owned));
        }
        Ok(())
    })?;
    Ok(types)
}
