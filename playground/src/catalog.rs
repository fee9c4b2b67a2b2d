//! What there is: the catalog, with what the policies' folders say about it.

use std::collections::BTreeSet;

use admission::by_path;
use manifest::documents;
use serde_json::Value;

use crate::types::{Restriction, Sample, Setting};

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Where a policy's metadata says what it restricts.
const DESCRIPTION: &str = "io.kubewarden.policy.description";

/// What the folder of a policy holds.
struct Source {
    id: &'static str,
    /// `metadata.yml`.
    metadata: &'static str,
    /// `samples/README.md`.
    readme: &'static str,
    samples: &'static [SampleFiles],
}

/// The files of a sample; those that are not there are empty.
pub(crate) struct SampleFiles {
    pub(crate) name: &'static str,
    pub(crate) request: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) cluster: &'static str,
}

/// Every restriction.
pub(crate) fn restrictions() -> Vec<Restriction> {
    rules::CATALOG.iter().map(restriction).collect()
}

/// A sample of a restriction.
pub(crate) fn sample(restriction: &str, name: &str) -> Option<&'static SampleFiles> {
    source(restriction)?.samples.iter().find(|sample| sample.name == name)
}

fn source(id: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|source| source.id == id)
}

fn restriction(entry: &admission::PolicyEntry) -> Restriction {
    let source = source(entry.id);
    let rules = || entry.scope.0.iter();
    let kinds: BTreeSet<&str> = rules().map(|rule| rule.kind).collect();
    let subresources: BTreeSet<&str> = rules().map(admission::ScopeRule::subresource).collect();
    let settings = by_path(entry.settings).into_iter().zip(entry.docs);
    Restriction {
        id: entry.id.to_owned(),
        description: source.and_then(description).unwrap_or_default(),
        kinds: kinds.into_iter().map(str::to_owned).collect(),
        subresources: subresources.into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        settings: settings
            .map(|((path, kind), (_, text))| Setting {
                path,
                takes: kind.to_string(),
                text: (*text).to_owned(),
            })
            .collect(),
        samples: source.map(samples).unwrap_or_default(),
    }
}

fn description(source: &Source) -> Option<String> {
    let metadata = documents(source.metadata).ok()?.into_iter().next()?;
    metadata.get("annotations")?.get(DESCRIPTION).and_then(Value::as_str).map(str::to_owned)
}

/// The samples in the order of their README, which says what each shows.
fn samples(source: &Source) -> Vec<Sample> {
    let rows = source.readme.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let mut cell = || Some(cells.next()?.to_owned());
        let name = cell()?.trim_matches('`').to_owned();
        Some(Sample { name, shows: cell()?, verdict: cell()? })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_restriction_says_what_it_is_and_has_every_sample() {
        let restrictions = restrictions();
        assert_eq!(restrictions.len(), rules::CATALOG.len());
        assert_eq!(SOURCES.len(), rules::CATALOG.len());
        for restriction in restrictions {
            let id = &restriction.id;
            assert!(restriction.description.len() > 20, "{id}");
            assert!(!restriction.kinds.is_empty(), "{id}");
            assert!(restriction.settings.iter().all(|setting| !setting.text.is_empty()), "{id}");
            let listed: BTreeSet<&str> = restriction.samples.iter().map(|s| s.name.as_str()).collect();
            let files: BTreeSet<&str> = source(id).unwrap().samples.iter().map(|s| s.name).collect();
            assert_eq!(listed, files, "{id}");
            assert!(restriction.samples.iter().all(|sample| sample.shows.len() > 5), "{id}");
        }
    }
}
