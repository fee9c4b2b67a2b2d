//! Comparisons: what changes if other policies or settings evaluate the same objects.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::moves::{self, Files};
use crate::{Exit, FailOn, Finding, Level, Notice, ObjectRef, PolicyRef, Report, Status, fingerprint};

/// The differences between two reports about the same objects.
///
/// Findings and changes name a policy by its index in [`Comparison::policies`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The policies of both reports, those of the report after first.
    pub policies: Vec<Pair>,
    /// The numbers of differences.
    pub totals: ComparisonTotals,
    /// The verdicts that changed, by object and policy.
    pub verdicts: Vec<Change>,
    /// The findings that only the report after has.
    pub new: Vec<Finding>,
    /// The findings that only the report before has.
    pub gone: Vec<Finding>,
    /// Problems in either report. The message says which one if only one has the problem.
    pub notices: Vec<Notice>,
    /// Whether everything that counts was evaluated in both reports.
    pub is_complete: bool,
}

/// A policy before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The policy before; `None` if only the report after has it.
    pub before: Option<PolicyRef>,
    /// The policy after; `None` if only the report before has it.
    pub after: Option<PolicyRef>,
}

/// The numbers of differences.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct ComparisonTotals {
    /// New findings, with those that are folded into others.
    pub new: u64,
    /// Findings that are gone, with those that are folded into others.
    pub gone: u64,
    /// Findings in both reports, with those that are folded into others.
    pub stayed: u64,
    /// Verdicts that changed.
    pub verdicts: u64,
}

/// A verdict that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The object; one of several if they have the same owner.
    pub object: ObjectRef,
    /// The index of the policy.
    pub policy: usize,
    /// The verdict before.
    pub before: Verdict,
    /// The verdict after.
    pub after: Verdict,
}

/// The verdict of a policy about an object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase", into = "&'static str")]
pub enum Verdict {
    /// The worst finding.
    Found(Status),
    /// No open finding: the policy admits the object or does not look at it.
    Admitted,
    /// The report does not have the policy.
    NoPolicy,
}

impl Verdict {
    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Found(status) => status.name(),
            Self::Admitted => "admitted",
            Self::NoPolicy => "no policy",
        }
    }
}

impl From<Verdict> for &'static str {
    fn from(verdict: Verdict) -> Self {
        verdict.name()
    }
}

impl Comparison {
    /// Compares two reports about the same objects. Findings that an exception or a baseline covers
    /// take no part.
    #[must_use]
    pub fn of(before: &Report, after: &Report) -> Self {
        let pairs = pairs(&before.policies, &after.policies);
        let get = |policies: &[PolicyRef], index: Option<usize>| policies.get(index?).cloned();
        let policies: Vec<Pair> = pairs
            .iter()
            .map(|pair| Pair {
                before: get(&before.policies, pair.before),
                after: get(&after.policies, pair.after),
            })
            .collect();
        let named = named(&policies);
        let before_findings = paired(&named, before, &pairs, |pair| pair.before);
        let mut after_findings = paired(&named, after, &pairs, |pair| pair.after);
        follow_moves(&before_findings, &mut after_findings, &after.files);
        let new = without(&after_findings, &before_findings);
        let gone = without(&before_findings, &after_findings);
        let silent: Vec<[Verdict; 2]> = pairs
            .iter()
            .map(|pair| [without_finding(before, pair.before), without_finding(after, pair.after)])
            .collect();
        let verdicts = changes(&silent, &before_findings, &after_findings);
        let number = |findings: &[Finding]| findings.iter().map(Finding::objects).sum();
        let all =
            after_findings.iter().fold(0, |sum: u64, (_, finding)| sum.saturating_add(finding.objects()));
        let totals = ComparisonTotals {
            new: number(&new),
            gone: number(&gone),
            stayed: all.saturating_sub(number(&new)),
            verdicts: verdicts.len() as u64,
        };
        // A scan before that evaluated nothing hides no denial. One after it would.
        let is_complete = [before, after].into_iter().all(is_complete) && after.totals.evaluations > 0;
        let notices = notices(before, after);
        Self { policies, totals, verdicts, new, gone, notices, is_complete }
    }

    /// Compares the reports of two scans by the same policies at different times. Other than with
    /// [`Comparison::of`], what was not known before and is not known after does not make the
    /// comparison incomplete: it did not get worse.
    #[must_use]
    pub fn since(before: &Report, after: &Report) -> Self {
        let comparison = Self::of(before, after);
        let known: BTreeSet<&Notice> = before.notices.iter().collect();
        let is_new_error = |notice: &Notice| notice.level == Level::Error && !known.contains(notice);
        let is_complete = !before.is_partial
            && !after.is_partial
            && after.totals.evaluations > 0
            && !after.notices.iter().any(is_new_error)
            && !comparison.new.iter().any(|finding| finding.status == Status::Unknown);
        Self { is_complete, ..comparison }
    }

    /// Returns whether the comparison fails: new findings count as in a scan, and one that is not
    /// complete outweighs them.
    #[must_use]
    pub fn exit(&self, fail_on: FailOn) -> Exit {
        if fail_on == FailOn::Never {
            Exit::Clean
        } else if !self.is_complete {
            Exit::NotEvaluated
        } else if self.new.iter().any(|finding| fail_on.fails(finding)) {
            Exit::Failed
        } else {
            Exit::Clean
        }
    }

    /// Returns a report with the policies of the comparison, which gives its findings their names.
    pub(crate) fn named(&self) -> Report {
        named(&self.policies)
    }
}

fn named(pairs: &[Pair]) -> Report {
    let policies = pairs.iter().filter_map(|pair| pair.after.as_ref().or(pair.before.as_ref()));
    Report { policies: policies.cloned().collect(), ..Report::default() }
}

/// The indices of a policy in both reports.
struct Indices {
    before: Option<usize>,
    after: Option<usize>,
}

/// Pairs policies by namespace and name. Of several with the same name, those of the same kind
/// belong together; otherwise the kind does not count, so that an id and a manifest are a pair.
fn pairs(before: &[PolicyRef], after: &[PolicyRef]) -> Vec<Indices> {
    let mut free: BTreeSet<usize> = (0..before.len()).collect();
    let mut pairs: Vec<Indices> =
        (0..after.len()).map(|index| Indices { before: None, after: Some(index) }).collect();
    for needs_kind in [true, false] {
        for (pair, policy) in pairs.iter_mut().zip(after).filter(|(pair, _)| pair.before.is_none()) {
            let fits = |index: &usize| {
                before.get(*index).is_some_and(|other| {
                    (&other.name, &other.namespace) == (&policy.name, &policy.namespace)
                        && (!needs_kind || other.kind == policy.kind)
                })
            };
            pair.before = free.iter().copied().find(fits);
            pair.before.map(|index| free.remove(&index));
        }
    }
    pairs.extend(free.into_iter().map(|index| Indices { before: Some(index), after: None }));
    pairs
}

/// The identity of a finding, and its file. The status is part of it: a denial that was a warning
/// is new.
type Key = (Identity, String);
type Identity = (usize, String, Status);

/// The open findings of a report, with the indices of pairs in the place of those of policies.
fn paired(
    named: &Report,
    report: &Report,
    pairs: &[Indices],
    side: fn(&Indices) -> Option<usize>,
) -> Vec<(Key, Finding)> {
    let open = report.findings.iter().filter(|finding| finding.is_open());
    let findings = open.filter_map(|finding| {
        let policy = pairs.iter().position(|pair| side(pair) == Some(finding.policy))?;
        let finding = Finding { policy, ..finding.clone() };
        let identity = (policy, fingerprint(named, &finding), finding.status);
        Some(((identity, finding.file().to_owned()), finding))
    });
    findings.collect()
}

/// Gives findings that moved the file that they were in.
fn follow_moves(before: &[(Key, Finding)], after: &mut [(Key, Finding)], all: &BTreeSet<String>) {
    let (from, to) = (files(before), files(after));
    let earlier = to.into_iter().filter_map(|(identity, now)| {
        let before = from.get(&identity)?;
        Some((identity, moves::earlier(before, &now, &|file| all.contains(file))))
    });
    let owned = |files: BTreeMap<&str, &str>| {
        files.into_iter().map(|(now, before)| (now.to_owned(), before.to_owned())).collect()
    };
    let earlier: BTreeMap<Identity, BTreeMap<String, String>> =
        earlier.map(|(identity, files)| (identity.clone(), owned(files))).collect();
    for ((identity, file), _) in after {
        if let Some(before) = earlier.get(identity).and_then(|files| files.get(file)) {
            file.clone_from(before);
        }
    }
}

fn files(findings: &[(Key, Finding)]) -> Files<'_, &Identity> {
    let mut files = Files::new();
    for ((identity, file), _) in findings {
        files.entry(identity).or_default().insert(file);
    }
    files
}

/// Returns the findings that others do not have as often.
fn without(findings: &[(Key, Finding)], others: &[(Key, Finding)]) -> Vec<Finding> {
    let mut known: BTreeMap<&Key, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for (key, finding) in others {
        let (number, names) = known.entry(key).or_default();
        *number += finding.objects();
        names.extend(finding.names());
    }
    let more = findings.iter().filter_map(|(key, finding)| {
        let (number, names) = known.entry(key).or_default();
        let same = finding.objects().min(*number);
        *number = number.saturating_sub(same);
        let left = usize::try_from(finding.objects().saturating_sub(same)).unwrap_or(usize::MAX);
        // Pods get other names with each rollout: some that are not known are as new as others.
        let (old, new): (Vec<&str>, Vec<&str>) = finding.names().partition(|name| names.contains(name));
        let mut new = new.into_iter().chain(old).take(left).map(str::to_owned);
        let object = ObjectRef { name: new.next()?, ..finding.object.clone() };
        Some(Finding { object, others: new.collect(), ..finding.clone() })
    });
    more.collect()
}

/// An object as a fingerprint identifies it, its file, and a policy.
type Evaluated<'f> = (Option<String>, String, String, String, &'f str, usize);

fn evaluated<'f>(file: &'f str, finding: &Finding) -> Evaluated<'f> {
    let object = &finding.object;
    let name = match &object.owner {
        Some(owner) => format!("{} {owner}", owner.group()),
        None => object.name.clone(),
    };
    (object.namespace.clone(), object.group().to_owned(), object.kind.clone(), name, file, finding.policy)
}

fn worst(findings: &[(Key, Finding)]) -> BTreeMap<Evaluated<'_>, &Finding> {
    let mut worst: BTreeMap<Evaluated<'_>, &Finding> = BTreeMap::new();
    for ((_, file), finding) in findings {
        let known = worst.entry(evaluated(file, finding)).or_insert(finding);
        if finding.status < known.status {
            *known = finding;
        }
    }
    worst
}

/// The verdict of a policy about the objects without a finding. A policy that could not be loaded
/// has no findings either: only its totals say that its verdicts are unknown.
fn without_finding(report: &Report, policy: Option<usize>) -> Verdict {
    let Some(policy) = policy else { return Verdict::NoPolicy };
    let is_unknown = |finding: &Finding| finding.policy == policy && finding.status == Status::Unknown;
    let unknown = report.totals.policies.get(policy).map_or(0, |totals| totals.unknown);
    if unknown > 0 && !report.findings.iter().any(is_unknown) {
        Verdict::Found(Status::Unknown)
    } else {
        Verdict::Admitted
    }
}

/// `silent` has the verdicts of each pair about objects without a finding, before and after.
fn changes(silent: &[[Verdict; 2]], before: &[(Key, Finding)], after: &[(Key, Finding)]) -> Vec<Change> {
    let (before, after) = (worst(before), worst(after));
    let all: BTreeSet<&Evaluated<'_>> = before.keys().chain(after.keys()).collect();
    let verdict = |finding: Option<&&Finding>, silent: Verdict| {
        finding.map_or(silent, |finding| Verdict::Found(finding.status))
    };
    let changes = all.into_iter().filter_map(|key| {
        let (old, new) = (before.get(key), after.get(key));
        let finding = new.or(old)?;
        let [before, after] = *silent.get(finding.policy)?;
        let (before, after) = (verdict(old, before), verdict(new, after));
        let object = finding.object.clone();
        (before != after).then_some(Change { object, policy: finding.policy, before, after })
    });
    changes.collect()
}

fn is_complete(report: &Report) -> bool {
    let is_unknown = |finding: &Finding| finding.status == Status::Unknown && finding.is_open();
    !report.is_partial
        && !report.notices.iter().any(|notice| notice.level == Level::Error)
        && !report.findings.iter().any(is_unknown)
}

/// The notices of both reports. Most are about the input, which is the same.
fn notices(before: &Report, after: &Report) -> Vec<Notice> {
    let [of_before, of_after] =
        [before, after].map(|report| report.notices.iter().collect::<BTreeSet<&Notice>>());
    let only = |notice: &Notice, side: &str| {
        let message = format!("{side}: {}", notice.message);
        Notice { message, ..notice.clone() }
    };
    let now = after
        .notices
        .iter()
        .map(|notice| if of_before.contains(notice) { notice.clone() } else { only(notice, "after") });
    let gone = before.notices.iter().filter(|notice| !of_after.contains(notice));
    now.chain(gone.map(|notice| only(notice, "before"))).collect()
}

#[cfg(test)]
mod tests;
