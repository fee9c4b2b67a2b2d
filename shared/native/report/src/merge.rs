//! The report of a scan from those of its shards.

use std::collections::BTreeMap;
use std::fmt;

use crate::shard::{Shard, Share};
use crate::{PolicyTotals, Report, Totals};

/// Makes the report of a scan from the reports of all its shards, which have names for messages.
///
/// It is the report that a scan without shards gives, whatever the order of the shards. If one of
/// them was interrupted, it is not complete.
///
/// # Errors
/// A report that is not of a shard, shards of different scans, a shard that is missing, and one
/// that is given twice.
pub fn merge(reports: Vec<(String, Report)>) -> Result<Report, MergeError> {
    let mut shards: BTreeMap<u32, (String, Report)> = BTreeMap::new();
    let mut first: Option<(String, Shard)> = None;
    for (name, report) in reports {
        let Some(shard) = report.shard.clone() else { return Err(MergeError::NoShard(name)) };
        let (of_first, expected) = first.get_or_insert_with(|| (name.clone(), shard.clone()));
        let both = [of_first.clone(), name.clone()];
        if shard.share.count() != expected.share.count() {
            return Err(MergeError::Counts(both, [expected.share, shard.share]));
        }
        if shard.scan != expected.scan {
            return Err(MergeError::Scans(both));
        }
        if let Some((other, _)) = shards.insert(shard.share.index(), (name.clone(), report)) {
            return Err(MergeError::Twice(shard.share, [other, name]));
        }
    }
    let Some((_, Shard { share, .. })) = first else { return Err(MergeError::Nothing) };
    let missing: Vec<Share> = share.all().filter(|share| !shards.contains_key(&share.index())).collect();
    if !missing.is_empty() {
        return Err(MergeError::Missing(missing));
    }
    let mut merged = Report::default();
    for (_, report) in shards.into_values() {
        merged.add(report);
    }
    merged.finish();
    Ok(merged)
}

impl Report {
    /// Adds the report of a shard.
    fn add(&mut self, shard: Self) {
        self.policies = shard.policies;
        self.findings.extend(shard.findings);
        self.mutations.extend(shard.mutations);
        self.notices.extend(shard.notices);
        self.totals.add(shard.totals);
        self.is_partial |= shard.is_partial;
        self.namespace = self.namespace.take().or(shard.namespace);
    }
}

impl Totals {
    /// Adds the totals of other objects, which the same policies judged.
    pub fn add(&mut self, other: Self) {
        add(&mut self.objects, other.objects);
        add(&mut self.not_judged, other.not_judged);
        add(&mut self.evaluations, other.evaluations);
        add(&mut self.exceptions_ignored, other.exceptions_ignored);
        add(&mut self.exceptions_stored, other.exceptions_stored);
        self.policies.resize(self.policies.len().max(other.policies.len()), PolicyTotals::default());
        for (sum, more) in self.policies.iter_mut().zip(other.policies) {
            add(&mut sum.admitted, more.admitted);
            add(&mut sum.mutated, more.mutated);
            add(&mut sum.denied, more.denied);
            add(&mut sum.monitored, more.monitored);
            add(&mut sum.unknown, more.unknown);
            add(&mut sum.skipped, more.skipped);
        }
        for (namespace, counts) in other.by_namespace {
            let sums = self.by_namespace.entry(namespace).or_default();
            for (policy, count) in counts {
                add(sums.entry(policy).or_default(), count);
            }
        }
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// The reason why reports are not the shards of one scan. It names the reports.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MergeError {
    /// There are no reports.
    Nothing,
    /// A report is that of a whole scan.
    NoShard(String),
    /// Two reports are of scans with different numbers of shards.
    Counts([String; 2], [Share; 2]),
    /// Two reports are of scans with different policies or options.
    Scans([String; 2]),
    /// Two reports are of the same shard.
    Twice(Share, [String; 2]),
    /// Shards are missing.
    Missing(Vec<Share>),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("there are no reports to merge; name those of all shards"),
            Self::NoShard(name) => {
                write!(f, "{name} is not the report of a shard; write shards with scan --shard I/N")
            }
            Self::Counts([one, other], [first, second]) => {
                write!(f, "{one} is shard {first}, but {other} is shard {second}; merge shards of one scan")
            }
            Self::Scans([one, other]) => write!(
                f,
                "{one} and {other} are of scans with different policies, options or versions of portcullis; scan \
                 again with the same ones"
            ),
            Self::Twice(share, [one, other]) => {
                write!(f, "{one} and {other} are both shard {share}; name each shard once")
            }
            Self::Missing(missing) => {
                let shards: Vec<String> = missing.iter().map(Share::to_string).collect();
                let (noun, verb) = if shards.len() == 1 { ("shard", "is") } else { ("shards", "are") };
                write!(f, "{noun} {} {verb} missing; name the reports of all shards", shards.join(", "))
            }
        }
    }
}

impl std::error::Error for MergeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn shard(share: &str, scan: &str) -> (String, Report) {
        let of = Shard { share: share.parse().unwrap(), scan: scan.to_owned() };
        (format!("{share}.json"), Report { shard: Some(of), ..sample::clean() })
    }

    /// `tests/shards.rs` of the crate `scan` compares merged reports with those of whole scans.
    #[test]
    fn totals_are_added() {
        let mut interrupted = shard("1/2", "a");
        interrupted.1.is_partial = true;
        let merged = merge(vec![interrupted, shard("0/2", "a")]).unwrap();
        assert_eq!((merged.totals.objects, merged.totals.policies[0].skipped), (4, 2));
        assert!(merged.is_partial && merged.shard.is_none());
        let mut limited = shard("1/2", "a");
        limited.1.namespace = Some("shop".to_owned());
        let merged = merge(vec![limited, shard("0/2", "a")]).unwrap();
        assert_eq!(merged.namespace.as_deref(), Some("shop"));
        assert_eq!(merged.policies, sample::clean().policies);
    }

    #[test]
    fn what_is_not_all_shards_of_one_scan_is_refused() {
        let whole = ("whole.json".to_owned(), sample::clean());
        for (reports, want) in [
            (vec![], "there are no reports to merge; name those of all shards"),
            (vec![whole], "whole.json is not the report of a shard; write shards with scan --shard I/N"),
            (
                vec![shard("0/2", "a"), shard("0/2", "a")],
                "0/2.json and 0/2.json are both shard 0/2; name each shard once",
            ),
            (
                vec![shard("0/2", "a"), shard("1/3", "a")],
                "0/2.json is shard 0/2, but 1/3.json is shard 1/3; merge shards of one scan",
            ),
            (
                vec![shard("0/2", "a"), shard("1/2", "b")],
                "0/2.json and 1/2.json are of scans with different policies, options or versions of portcullis; scan again \
                 with the same ones",
            ),
            (
                vec![shard("2/4", "a"), shard("0/4", "a")],
                "shards 1/4, 3/4 are missing; name the reports of all shards",
            ),
        ] {
            assert_eq!(merge(reports).unwrap_err().to_string(), want);
        }
    }
}
