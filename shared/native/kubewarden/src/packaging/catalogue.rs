//! The facts of a policy in the words of catalogues, for Artifact Hub and for Rancher.

use std::collections::BTreeMap;

use crate::packaging::metadata::print;
use crate::packaging::{Metadata, PackagingError};

/// The prefix of the annotations that describe the policy itself.
const POLICY: &str = "io.kubewarden.policy.";

/// Metadata whose annotations a catalogue requires.
pub(crate) struct Entry<'a>(pub(crate) &'a Metadata);

impl<'a> Entry<'a> {
    pub(crate) fn optional(&self, key: &str) -> Option<&'a str> {
        self.0.annotations.get(key).map(String::as_str)
    }

    pub(crate) fn annotation(&self, key: &str) -> Result<&'a str, PackagingError> {
        self.optional(key).ok_or_else(|| PackagingError::new(format!("annotations.{key}"), "is missing"))
    }

    pub(crate) fn policy(&self, name: &str) -> Result<&'a str, PackagingError> {
        self.annotation(&format!("{POLICY}{name}"))
    }

    pub(crate) fn keywords(&self) -> Vec<&'a str> {
        self.optional("io.artifacthub.keywords").map(listed).unwrap_or_default()
    }

    /// The annotations from which catalogues and Rancher make a `ClusterAdmissionPolicy`.
    pub(crate) fn annotations(&self) -> Result<BTreeMap<&'static str, String>, PackagingError> {
        let metadata = self.0;
        let mut annotations = BTreeMap::from([
            ("kubewarden/mutation", metadata.mutating.to_string()),
            ("kubewarden/rules", print("rules", &metadata.rules)?),
        ]);
        if !metadata.context_aware_resources.is_empty() {
            annotations.insert(
                "kubewarden/contextAwareResources",
                print("contextAwareResources", &metadata.context_aware_resources)?,
            );
        }
        for (key, from) in [
            ("kubewarden/resources", "io.artifacthub.resources"),
            ("kubewarden/hidden-ui", "io.kubewarden.hidden-ui"),
        ] {
            if let Some(value) = self.optional(from) {
                annotations.insert(key, value.to_owned());
            }
        }
        Ok(annotations)
    }
}

pub(crate) fn listed(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}
