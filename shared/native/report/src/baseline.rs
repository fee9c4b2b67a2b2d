//! Baselines: findings that are known and do not fail a scan.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::moves::{self, Files};
use crate::names::View;
use crate::{Finding, Report, Status, fingerprint};

const VERSION: u64 = 3;

const ABOUT: &str =
    "Known findings, which do not fail a scan. portcullis scan --write-baseline writes this file.";

/// Known findings.
///
/// A finding with the status "unknown" never becomes known: it can hide any number of denials.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Baseline {
    /// The entries, by fingerprint and file.
    entries: BTreeMap<(String, String), Entry>,
}

/// A known finding.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The policy, for readers.
    pub policy: String,
    /// The object, for readers.
    pub object: String,
    /// The rule, for readers.
    pub rule: String,
    /// The path, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The file; `None` for an object of a cluster. It tells findings with the same fingerprint
    /// apart: a copy of a file is new, and a file that is moved is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The namespace of an object of a cluster; `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The fingerprint, which identifies the finding.
    pub fingerprint: String,
    /// The number of findings with this fingerprint in an object; in the object with the most of
    /// them, if they are about several objects of one owner.
    pub count: u64,
}

/// The first line of the file.
#[derive(Deserialize, Serialize)]
struct Header {
    version: u64,
    about: String,
}

/// The result of applying a baseline to a report.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Applied {
    /// The number of findings that are known now.
    pub known: u64,
    /// The number of those in other files than in the baseline.
    pub moved: u64,
    /// The number of findings that are gone. The next baseline can be written without them.
    pub gone: u64,
}

impl Baseline {
    /// Returns the findings of a report as a baseline. Those that an exception covers take no part,
    /// and neither do those with the status "unknown".
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let view = View::new(report);
        let mut entries: BTreeMap<(String, String), Entry> = BTreeMap::new();
        let mut in_objects = InObjects::default();
        for finding in report.findings.iter().filter(|finding| can_be_known(finding)) {
            let fingerprint = fingerprint(report, finding);
            let number = in_objects.next(&fingerprint, finding);
            let key = (fingerprint.clone(), finding.file().to_owned());
            let entry = entries.entry(key).or_insert_with(|| Entry {
                policy: view.label(finding).to_owned(),
                object: match &finding.object.owner {
                    Some(owner) => format!("{} of {owner}", finding.object.kind),
                    None => finding.object.to_string(),
                },
                rule: finding.rule.clone(),
                path: finding.stable_path.clone().or_else(|| finding.path.clone()),
                file: Some(finding.file()).filter(|file| !file.is_empty()).map(str::to_owned),
                namespace: finding.object.namespace.clone().filter(|_| finding.file().is_empty()),
                fingerprint,
                count: 0,
            });
            entry.count = entry.count.max(number);
        }
        Self { entries }
    }

    /// Adds the entries of an earlier baseline that a report cannot have: those of files,
    /// namespaces and policies that were not evaluated.
    ///
    /// `is_elsewhere` says whether a file exists that is not part of the input.
    pub fn keep(&mut self, earlier: Self, report: &Report, is_elsewhere: &dyn Fn(&str) -> bool) {
        let evaluated = Evaluated { report, view: View::new(report), is_elsewhere };
        let others = earlier.entries.into_iter().filter(|(_, entry)| !evaluated.has(entry));
        for (key, entry) in others {
            self.entries.entry(key).or_insert(entry);
        }
    }

    /// Returns the baseline with other names of its files.
    #[must_use]
    pub fn renamed(self, name: &dyn Fn(&str) -> String) -> Self {
        let entries = self.entries.into_iter().map(|((fingerprint, file), entry)| {
            let file = if file.is_empty() { file } else { name(&file) };
            let named = Some(file.clone()).filter(|file| !file.is_empty());
            ((fingerprint, file), Entry { file: named, ..entry })
        });
        Self { entries: entries.collect() }
    }

    /// Marks the findings of a report that the baseline has as known.
    ///
    /// An entry covers as many findings of each object as it counts, in the order of the report. If
    /// its file is gone, it covers those of another file, to which the object may have moved. More
    /// objects of the same owner, such as the pods of a workload that was scaled up, are covered,
    /// too.
    ///
    /// `exists` says whether a file exists that the report may not have, and `is_elsewhere` whether
    /// it is also not part of the input. Entries of such a file, and of policies that the report
    /// does not have, are not gone.
    #[must_use]
    pub fn apply(
        &self,
        report: &mut Report,
        exists: &dyn Fn(&str) -> bool,
        is_elsewhere: &dyn Fn(&str) -> bool,
    ) -> Applied {
        let fingerprints: Vec<Option<String>> = report
            .findings
            .iter()
            .map(|finding| can_be_known(finding).then(|| fingerprint(report, finding)))
            .collect();
        let keys = self.keys(report, &fingerprints, exists);
        let mut used: BTreeMap<&(String, String), u64> = BTreeMap::new();
        let mut in_objects = InObjects::default();
        let (mut known, mut moved): (u64, u64) = (0, 0);
        for (finding, key) in report.findings.iter_mut().zip(keys) {
            let Some((key, entry)) = key.and_then(|key| self.entries.get_key_value(&key)) else { continue };
            let number = in_objects.next(&entry.fingerprint, finding);
            if number <= entry.count {
                let used = used.entry(key).or_default();
                *used = number.max(*used);
                finding.is_known = true;
                known += 1;
                moved += u64::from(entry.file.as_deref().unwrap_or_default() != finding.file());
            }
        }
        let evaluated = Evaluated { report, view: View::new(report), is_elsewhere };
        let gone = self.entries.iter().filter_map(|(key, entry)| {
            let used = used.get(key).copied().unwrap_or_default();
            evaluated.has(entry).then(|| entry.count.saturating_sub(used))
        });
        let gone = gone.sum();
        Applied { known, moved, gone }
    }

    /// Returns the key of the entry of each finding; `None` for a finding without one.
    fn keys(
        &self,
        report: &Report,
        fingerprints: &[Option<String>],
        exists: &dyn Fn(&str) -> bool,
    ) -> Vec<Option<(String, String)>> {
        let Report { findings, files, .. } = report;
        let is_present = |file: &str| files.contains(file) || exists(file);
        let (mut before, mut now) = (Files::new(), Files::new());
        for (fingerprint, file) in self.entries.keys() {
            before.entry(fingerprint.as_str()).or_default().insert(file.as_str());
        }
        for (finding, fingerprint) in findings.iter().zip(fingerprints) {
            if let Some(fingerprint) = fingerprint {
                now.entry(fingerprint.as_str()).or_default().insert(finding.file());
            }
        }
        let earlier: BTreeMap<&str, BTreeMap<&str, &str>> = now
            .iter()
            .filter_map(|(fingerprint, now)| {
                Some((*fingerprint, moves::earlier(before.get(fingerprint)?, now, &is_present)))
            })
            .collect();
        let key = |(finding, fingerprint): (&Finding, &Option<String>)| {
            let fingerprint = fingerprint.as_deref()?;
            let file = earlier.get(fingerprint)?.get(finding.file())?;
            Some((fingerprint.to_owned(), (*file).to_owned()))
        };
        findings.iter().zip(fingerprints).map(key).collect()
    }

    /// Reads a file that [`write`](Self::write) returned.
    ///
    /// # Errors
    /// The text is not a baseline of this version.
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let header = lines.next().and_then(|(_, line)| serde_json::from_str(line).ok());
        let Some(Header { version, .. }) = header else { return Err(BaselineError::NotABaseline) };
        if version != VERSION {
            return Err(BaselineError::Version(version));
        }
        let mut entries = BTreeMap::new();
        for (number, line) in lines {
            let at = |problem: String| BaselineError::Line(number, problem);
            let entry: Entry = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
            let key = (entry.fingerprint.clone(), entry.file.clone().unwrap_or_default());
            if let Some(first) = entries.insert(key, entry) {
                return Err(at(format!("the fingerprint {} is listed twice", first.fingerprint)));
            }
        }
        Ok(Self { entries })
    }

    /// Returns the baseline as lines of JSON: a header, then an entry a line, sorted by policy and
    /// object, so that changes are readable as a diff.
    #[must_use]
    pub fn write(&self) -> String {
        let mut entries: Vec<&Entry> = self.entries.values().collect();
        entries.sort();
        let header = json(&Header { version: VERSION, about: ABOUT.to_owned() });
        entries.into_iter().map(json).fold(header, |text, line| text + &line)
    }
}

/// The policies, and the files or namespaces, that a report is about.
struct Evaluated<'r> {
    report: &'r Report,
    view: View<'r>,
    is_elsewhere: &'r dyn Fn(&str) -> bool,
}

impl Evaluated<'_> {
    /// Returns whether the report would have the finding of an entry, if there still were one.
    fn has(&self, entry: &Entry) -> bool {
        let Report { files, namespace, .. } = self.report;
        let is_evaluated = match &entry.file {
            Some(file) => files.contains(file) || !(self.is_elsewhere)(file),
            // A scan of a cluster names no files.
            None => files.is_empty() && (namespace.is_none() || *namespace == entry.namespace),
        };
        self.report.totals.objects > 0 && is_evaluated && self.view.labels().contains(&entry.policy)
    }
}

/// Numbers the findings with the same fingerprint in each object.
#[derive(Default)]
struct InObjects(BTreeMap<(String, String, String), u64>);

impl InObjects {
    /// Returns the number of a finding: 1 for the first.
    fn next(&mut self, fingerprint: &str, finding: &Finding) -> u64 {
        let key = (fingerprint.to_owned(), finding.file().to_owned(), finding.object.name.clone());
        let number = self.0.entry(key).or_default();
        *number += 1;
        *number
    }
}

fn json(value: &impl Serialize) -> String {
    // Strings and numbers always serialize.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

fn can_be_known(finding: &Finding) -> bool {
    finding.status != Status::Unknown && finding.excepted.is_none()
}

/// The reason why a text is not a baseline.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum BaselineError {
    /// The first line is not the header of a baseline.
    NotABaseline,
    /// The baseline has another version.
    Version(u64),
    /// A line is not an entry: its number and the problem.
    Line(u64, String),
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotABaseline => {
                f.write_str("not a baseline: the first line has no version; write the baseline again")
            }
            Self::Version(version) => {
                write!(
                    f,
                    "the baseline has version {version}, this program knows {VERSION}; write the baseline again"
                )
            }
            Self::Line(line, problem) => write!(f, "line {line} is not an entry of a baseline: {problem}"),
        }
    }
}

impl std::error::Error for BaselineError {}

#[cfg(test)]
mod tests;
