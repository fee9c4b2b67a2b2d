//! Files in which findings of two reports are the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::Finding;

/// Files, by the findings that they have.
pub(crate) type Files<'f, K> = BTreeMap<K, BTreeSet<&'f str>>;

/// Pairs the files of a report that have a finding with those of an earlier one. A file that had
/// the finding is paired with itself, and the others with files that are gone, in their order,
/// because files move. A file more than before is new, because files are copied, too.
///
/// `is_present` says whether a file still exists.
pub(crate) fn earlier<'f>(
    before: &BTreeSet<&'f str>,
    now: &BTreeSet<&'f str>,
    is_present: &dyn Fn(&str) -> bool,
) -> BTreeMap<&'f str, &'f str> {
    let stayed = now.intersection(before).map(|file| (*file, *file));
    let gone = before.difference(now).copied().filter(|file| !is_present(file));
    let moved = now.difference(before).copied().zip(gone);
    stayed.chain(moved).collect()
}

impl Finding {
    /// Returns the file; "" for an object of a cluster.
    pub(crate) fn file(&self) -> &str {
        self.place.as_ref().map_or("", |place| &place.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_move_and_copies_are_new() {
        for (before, now, clean, want) in [
            (&["a"][..], &["a"][..], &[][..], &[("a", "a")][..]),
            (&["a"], &["b"], &[], &[("b", "a")]),
            (&["a"], &["b"], &["a"], &[]),
            (&["a"], &["a", "b"], &[], &[("a", "a")]),
            (&["a"], &["b", "c"], &[], &[("b", "a")]),
            (&["a", "b"], &["b", "c"], &[], &[("b", "b"), ("c", "a")]),
            (&["a", "b"], &["b", "c"], &["a"], &[("b", "b")]),
            (&[], &["a"], &[], &[]),
        ] {
            let set = |files: &[&'static str]| files.iter().copied().collect();
            let is_present = |file: &str| now.contains(&file) || clean.contains(&file);
            assert_eq!(earlier(&set(before), &set(now), &is_present), want.iter().copied().collect());
        }
    }
}
