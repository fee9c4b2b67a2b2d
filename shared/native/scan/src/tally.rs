//! The report, as it grows.

use std::collections::{BTreeMap, BTreeSet};

use report::{Finding, Level, Notice, OwnerRef, PolicyRef, PolicyTotals, Report, Totals, digest};
use serde_json::json;

use crate::evaluate::{Output, Owned};
use crate::old::Seen;

/// The report of the pieces so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    report: Report,
    folded: Folded,
    owners: BTreeMap<Owned, OwnerRef>,
    pub(crate) seen: BTreeSet<Seen>,
    unseen_templates: BTreeMap<(String, String), u64>,
    pub(crate) bytes: u64,
}

impl Tally {
    pub(crate) fn new(policies: Vec<PolicyRef>) -> Self {
        let totals = Totals { policies: vec![PolicyTotals::default(); policies.len()], ..Totals::default() };
        let report = Report { policies, totals, ..Report::default() };
        Self { report, ..Self::default() }
    }

    pub(crate) fn objects(&self) -> u64 {
        self.report.totals.objects
    }

    pub(crate) fn findings(&self) -> u64 {
        u64::try_from(self.folded.findings.len()).unwrap_or(u64::MAX)
    }

    pub(crate) fn notices(&self) -> usize {
        self.report.notices.len()
    }

    pub(crate) fn notice(&mut self, notice: Notice) {
        self.report.notices.push(notice);
    }

    pub(crate) fn interrupt(&mut self) {
        self.report.is_partial = true;
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.report.is_partial
    }

    pub(crate) fn add(&mut self, output: Output) {
        self.report.totals.add(output.totals);
        self.report.mutations.extend(output.mutations);
        self.report.notices.extend(output.notices);
        self.seen.extend(output.seen);
        for (kind, count) in output.unseen_templates {
            let known = self.unseen_templates.entry(kind).or_default();
            *known = known.saturating_add(count);
        }
        self.report.files.extend(output.files);
        self.owners.extend(output.owners);
        self.bytes += output.bytes;
        output.findings.into_iter().for_each(|finding| self.folded.add(finding));
    }

    /// Returns the report, with the topmost owners of all objects, sorted.
    pub(crate) fn finish(self) -> Report {
        let Self { mut report, folded, owners, unseen_templates, .. } = self;
        let mut findings = folded.findings;
        let mut has_moved = false;
        for finding in &mut findings {
            let namespace = finding.object.namespace.clone().unwrap_or_default();
            if let Some(owner) = &mut finding.object.owner {
                let top = topmost(owner.clone(), &namespace, &owners);
                has_moved |= *owner != top;
                *owner = top;
            }
        }
        // Objects with different owners can have the same topmost one.
        report.findings = if has_moved { Folded::of(findings).findings } else { findings };
        for ((kind, group), count) in unseen_templates {
            let objects = if count == 1 { "1 object".to_owned() } else { format!("{count} objects") };
            let message = format!("no policy looks at the pods of {objects} of the kind {kind}.{group}");
            report.notices.push(Notice { level: Level::Note, place: None, message });
        }
        report.findings.iter_mut().for_each(|finding| finding.others.sort());
        report.finish();
        report
    }
}

/// Follows the owners of an object to the topmost one that is known. A cycle ends where it began.
fn topmost(owner: OwnerRef, namespace: &str, owners: &BTreeMap<Owned, OwnerRef>) -> OwnerRef {
    let mut top = owner;
    let mut passed = BTreeSet::new();
    while passed.insert(top.clone()) {
        let key = (namespace.to_owned(), top.kind.clone(), top.name.clone());
        match owners.get(&key) {
            Some(above) => top = above.clone(),
            None => break,
        }
    }
    top
}

/// Findings, in which objects of a file with one owner and the same finding are one: the first of
/// them by its place in the report, whatever their order.
#[derive(Debug, Default)]
struct Folded {
    findings: Vec<Finding>,
    /// The findings of objects with owners, by what those that are folded have in common.
    of_owners: BTreeMap<String, usize>,
}

/// Returns the digest of the values that folded findings have in common: as values, they would take
/// more memory than the findings. `None` if the object of a finding has no owner.
fn common(finding: &Finding) -> Option<String> {
    let object = &finding.object;
    Some(digest(&json!([
        finding.policy,
        finding.status,
        object.namespace,
        object.owner.as_ref()?,
        finding.stable_path,
        // Messages about a value with a name of its own are different, and stay.
        finding.message,
        // An exception of one pod is not one of the others.
        finding.excepted,
        // A file can be that of another cluster.
        finding.place.as_ref().map(|place| &place.file),
    ])))
}

impl Folded {
    fn of(findings: Vec<Finding>) -> Self {
        let mut folded = Self::default();
        for finding in findings {
            folded.add(finding);
        }
        folded
    }

    fn add(&mut self, finding: Finding) {
        if let Some(key) = common(&finding) {
            if let Some(known) = self.of_owners.get(&key).and_then(|known| self.findings.get_mut(*known)) {
                return merge(known, finding);
            }
            self.of_owners.insert(key, self.findings.len());
        }
        self.findings.push(finding);
    }
}

/// Adds a finding to one with the same key.
fn merge(known: &mut Finding, mut other: Finding) {
    // Pieces are evaluated in an order that depends on what others look up.
    if other.place_in_report() < known.place_in_report() {
        std::mem::swap(known, &mut other);
    }
    known.others.append(&mut other.others);
    known.others.push(other.object.name);
}

#[cfg(test)]
mod tests {
    use report::{ObjectRef, Place, Position, Span, Status};

    use super::*;

    fn finding(line: u64) -> Finding {
        let position = Position { line, column: 1 };
        let owner = OwnerRef { kind: "ReplicaSet".to_owned(), name: "web".to_owned(), ..OwnerRef::default() };
        Finding {
            status: Status::Denied,
            policy: 0,
            rule: "no".to_owned(),
            rule_name: None,
            object: ObjectRef { name: format!("web-{line}"), owner: Some(owner), ..ObjectRef::default() },
            path: None,
            stable_path: None,
            message: "no".to_owned(),
            reason: "no".to_owned(),
            remedy: None,
            place: Some(Place {
                file: "a.yaml".to_owned(),
                span: Some(Span { start: position, end: position }),
                is_exact: true,
            }),
            restricted_field: None,
            concerns_pods: false,
            others: Vec::new(),
            value_digest: None,
            excepted: None,
            is_known: false,
        }
    }

    #[test]
    fn the_first_of_folded_findings_does_not_depend_on_their_order() {
        let of = |lines: &[u64]| {
            let mut tally = Tally::new(vec![PolicyRef::default()]);
            for line in lines {
                tally.add(Output { findings: vec![finding(*line)], ..Output::default() });
            }
            tally.finish().findings
        };
        let first = Finding { others: vec!["web-2".to_owned(), "web-3".to_owned()], ..finding(1) };
        for lines in [[1, 2, 3], [3, 1, 2], [2, 3, 1]] {
            assert_eq!(of(&lines), std::slice::from_ref(&first), "{lines:?}");
        }
    }
}
