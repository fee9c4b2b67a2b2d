//! The catalog of policies, with descriptions and samples from the folders of the policies.

use std::collections::BTreeSet;

use admission::by_path;
use manifest::documents;
use serde_json::Value;

use crate::types::{Policy, Sample, Setting};

include!(concat!(env!("OUT_DIR"), "/policy_folders.rs"));

/// The metadata annotation that holds the description of a policy.
const DESCRIPTION: &str = "io.kubewarden.policy.description";

struct PolicyFolder {
    id: &'static str,
    metadata: &'static str,
    readme: &'static str,
    #[cfg(feature = "whole")]
    samples: &'static [SampleFiles],
}

/// The files of a sample. A missing file is empty.
#[cfg(feature = "whole")]
pub(crate) struct SampleFiles {
    pub(crate) name: &'static str,
    pub(crate) request: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) cluster: &'static str,
}

/// Returns every policy, in catalog order.
pub(crate) fn policies() -> Vec<Policy> {
    rules::CATALOG.iter().map(policy).collect()
}

#[cfg(feature = "whole")]
pub(crate) fn sample(policy: &str, name: &str) -> Option<&'static SampleFiles> {
    folder(policy)?.samples.iter().find(|sample| sample.name == name)
}

fn folder(id: &str) -> Option<&'static PolicyFolder> {
    POLICY_FOLDERS.iter().find(|folder| folder.id == id)
}

fn policy(entry: &admission::PolicyEntry) -> Policy {
    let folder = folder(entry.id);
    let subresources: BTreeSet<&str> = entry.scope.0.iter().map(admission::ScopeRule::subresource).collect();
    let settings = by_path(entry.settings).into_iter().zip(entry.docs);
    Policy {
        id: entry.id.to_owned(),
        description: annotation(entry.id, DESCRIPTION).unwrap_or_default(),
        subresources: subresources.into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        settings: settings
            .map(|((path, kind), (_, description))| Setting {
                path,
                accepts: kind.to_string(),
                description: (*description).to_owned(),
            })
            .collect(),
        samples: folder.map(samples).unwrap_or_default(),
    }
}

pub(crate) fn annotation(policy: &str, key: &str) -> Option<String> {
    let metadata = documents(folder(policy)?.metadata).ok()?.into_iter().next()?;
    metadata.get("annotations")?.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the samples in the order of the table in their README, which describes each of them.
fn samples(folder: &PolicyFolder) -> Vec<Sample> {
    let rows = folder.readme.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let mut cell = || Some(cells.next()?.to_owned());
        let name = cell()?.trim_matches('`').to_owned();
        Some(Sample { name, description: cell()?, verdict: cell()? })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_has_a_description_and_lists_its_samples() {
        let policies = policies();
        assert_eq!(policies.len(), rules::CATALOG.len());
        assert_eq!(POLICY_FOLDERS.len(), rules::CATALOG.len());
        for policy in policies {
            let id = &policy.id;
            assert!(policy.description.len() > 20, "{id}");
            assert!(policy.settings.iter().all(|setting| !setting.description.is_empty()), "{id}");
            let listed: BTreeSet<&str> = policy.samples.iter().map(|s| s.name.as_str()).collect();
            let files: BTreeSet<&str> = folder(id).unwrap().samples.iter().map(|s| s.name).collect();
            assert_eq!(listed, files, "{id}");
            assert!(policy.samples.iter().all(|sample| sample.description.len() > 5), "{id}");
        }
    }
}
