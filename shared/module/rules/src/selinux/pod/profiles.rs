//! SELinux types from SelinuxProfile objects.
//!
//! Source: SelinuxProfile of security-profiles-operator.x-k8s.io/v1alpha2; `status.usage` is the
//! type.

use admission::{Cluster, Fault, List, Shape};

/// The API version of the profiles.
pub(in crate::selinux) const API_VERSION: &str = "security-profiles-operator.x-k8s.io/v1alpha2";

/// The kind of the profiles.
pub(in crate::selinux) const KIND: &str = "SelinuxProfile";

const FIELDS: Shape<'static> = Shape::Fields(&[
    ("metadata", Shape::Fields(&[("namespace", Shape::ALL)])),
    ("status", Shape::Fields(&[("status", Shape::ALL), ("usage", Shape::ALL)])),
]);

/// The types of the profiles that are installed for the whole cluster or for a Namespace.
///
/// # Errors
/// Profiles that cannot be looked up or read.
pub(super) fn installed(cluster: &dyn Cluster, namespace: &str) -> Result<Vec<String>, Fault> {
    let list = List { api_version: API_VERSION, kind: KIND, namespace: None, shape: FIELDS };
    let answer = list.ask(cluster)?;
    let document = answer.document()?;
    let mut types = Vec::new();
    for profile in document.root().at("items").required_items()? {
        let status = profile.at("status");
        let place = profile.at("metadata").at("namespace").filled_text()?;
        if status.at("status").text()? == Some("Installed") && place.is_none_or(|place| place == namespace) {
            types.extend(status.at("usage").text()?.map(str::to_owned));
        }
    }
    Ok(types)
}
