//! The report, as it grows.

use std::collections::{BTreeMap, BTreeSet};

use report::{Finding, Level, Notice, OwnerRef, PolicyRef, PolicyTotals, Report, Totals};

use crate::judge::{Output, Owned};
use crate::subject::Identity;

/// The report of the pieces so far.
#[derive(Debug)]
pub(crate) struct Tally {
    report: Report,
    folded: Folded,
    owners: BTreeMap<Owned, OwnerRef>,
    pub(crate) seen: BTreeSet<Identity>,
    pub(crate) bytes: u64,
}

impl Tally {
    pub(crate) fn new(policies: Vec<PolicyRef>) -> Self {
        let totals = Totals { policies: vec![PolicyTotals::default(); policies.len()], ..Totals::default() };
        let report = Report { policies, totals, ..Report::default() };
        Self { report, folded: Folded::default(), owners: BTreeMap::new(), seen: BTreeSet::new(), bytes: 0 }
    }

    pub(crate) fn objects(&self) -> u64 {
        self.report.totals.objects
    }

    pub(crate) fn findings(&self) -> u64 {
        u64::try_from(self.folded.findings.len()).unwrap_or(u64::MAX)
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

    /// Adds the output of a piece.
    pub(crate) fn add(&mut self, output: Output) {
        let totals = &mut self.report.totals;
        add(&mut totals.objects, output.objects);
        add(&mut totals.not_judged, output.not_judged);
        add(&mut totals.evaluations, output.evaluations);
        for (sum, more) in totals.policies.iter_mut().zip(output.policies) {
            add(&mut sum.admitted, more.admitted);
            add(&mut sum.mutated, more.mutated);
            add(&mut sum.denied, more.denied);
            add(&mut sum.monitored, more.monitored);
            add(&mut sum.unknown, more.unknown);
            add(&mut sum.skipped, more.skipped);
        }
        for (namespace, counts) in output.by_namespace {
            let sums = totals.by_namespace.entry(namespace).or_default();
            for (policy, count) in counts {
                add(sums.entry(policy).or_default(), count);
            }
        }
        self.report.mutations.extend(output.mutations);
        self.report.notices.extend(output.notices);
        self.seen.extend(output.seen);
        self.owners.extend(output.owners);
        add(&mut self.bytes, output.bytes);
        output.findings.into_iter().for_each(|finding| self.folded.add(finding));
    }

    /// Returns the report, with the topmost owners of all objects, sorted.
    pub(crate) fn finish(self) -> Report {
        let Self { mut report, folded, owners, .. } = self;
        // Objects with different owners can have the same topmost one.
        let mut once_more = Folded::default();
        for mut finding in folded.findings {
            let namespace = finding.object.namespace.clone().unwrap_or_default();
            finding.object.owner = finding.object.owner.map(|owner| topmost(owner, &namespace, &owners));
            once_more.add(finding);
        }
        report.findings = once_more.findings;
        report.findings.sort_by(|a, b| {
            let key = |finding: &Finding| {
                let Finding { place, object, policy, path, message, .. } = finding;
                (place.clone(), object.clone(), *policy, path.clone(), message.clone())
            };
            key(a).cmp(&key(b))
        });
        // Changes of one object keep the order of the policies.
        report.mutations.sort_by(|a, b| (&a.place, &a.object).cmp(&(&b.place, &b.object)));
        report.notices.extend(about_exceptions(&report.findings));
        report.notices.sort_by(|a, b| (&a.place, a.level, &a.message).cmp(&(&b.place, b.level, &b.message)));
        report.notices.dedup();
        report
    }
}

/// Returns the notice that a cluster does not know the exceptions of a scan.
fn about_exceptions(findings: &[Finding]) -> Option<Notice> {
    let excepted = findings.iter().filter(|finding| finding.excepted.is_some());
    let count = excepted.fold(0_u64, |sum, finding| sum.saturating_add(finding.others).saturating_add(1));
    let subject = if count == 1 { "1 finding is".to_owned() } else { format!("{count} findings are") };
    let message =
        format!("{subject} excepted by annotations of the objects, which a cluster does not honour");
    (count > 0).then_some(Notice { level: Level::Note, place: None, message })
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
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

/// Findings, in which objects of one owner with the same finding are one.
#[derive(Debug, Default)]
struct Folded {
    findings: Vec<Finding>,
    of_owners: BTreeMap<Fold, usize>,
}

/// The values that folded findings have in common.
type Fold = (usize, report::Status, Option<String>, OwnerRef, Option<String>, String, Option<String>);

impl Folded {
    fn add(&mut self, finding: Finding) {
        let index = self.findings.len();
        if let Some(owner) = &finding.object.owner {
            // Messages about a value with a name of its own are different, and stay.
            let Finding { policy, status, stable_path, message, object, excepted, .. } = &finding;
            let key = (
                *policy,
                *status,
                object.namespace.clone(),
                owner.clone(),
                stable_path.clone(),
                message.clone(),
                // An exception of one pod is not one of the others.
                excepted.clone(),
            );
            if let Some(known) = self.of_owners.get(&key).and_then(|known| self.findings.get_mut(*known)) {
                known.others = known.others.saturating_add(finding.others).saturating_add(1);
                return;
            }
            self.of_owners.insert(key, index);
        }
        self.findings.push(finding);
    }
}
