//! Fingerprints, by which findings are recognized in another scan.

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::model::GENERAL;
use crate::{Finding, Report};

/// The number of hexadecimal digits of a fingerprint: 128 bits.
const DIGITS: usize = 32;

/// Returns the fingerprint of a finding: a prefix of a SHA-256 digest in hexadecimal digits.
///
/// Findings have the same fingerprint if the same policy reports the same rule, or the same text of
/// a module without rules, about the same value at the same path of the same object. Words, files,
/// lines and the version of the API take no part, and neither do the indices of values, so that a
/// fingerprint survives changes elsewhere in a file. An object with an owner is identified by its
/// kind and its owner, because the names of pods change with each rollout.
///
/// Different findings can have the same fingerprint, such as those about an object that two files
/// have. Formats that need unique fingerprints count equal ones; baselines and comparisons tell
/// them apart by their files.
#[must_use]
pub fn fingerprint(report: &Report, finding: &Finding) -> String {
    let policy = report.policies.get(finding.policy);
    let object = &finding.object;
    let identity = match &object.owner {
        Some(owner) => json!([owner.group(), owner.kind, owner.name]),
        None => json!(object.name),
    };
    // Behind an underscore stands the level of a check, which a setting raises.
    let rule = finding.rule.split('_').next();
    let text = GENERAL.contains(&finding.rule.as_str()).then_some(finding.reason.as_str());
    // A value that is missing, or is not known, is known by its place.
    let path = match (&finding.stable_path, &finding.path) {
        (Some(path), _) if finding.value_digest.is_none() => Some(path.clone()),
        (path, other) => path.as_deref().or(other.as_deref()).map(without_indices),
    };
    // JSON, so that two lists of parts cannot give the same text.
    digest(&json!([
        policy.map(|policy| [Some(&policy.kind), policy.namespace.as_ref(), Some(&policy.name)]),
        [rule, text],
        [Some(object.group()), Some(&object.kind), object.namespace.as_deref()],
        identity,
        path,
        finding.value_digest,
    ]))
}

/// Returns the first 32 hexadecimal digits of the SHA-256 digest of a value.
#[must_use]
pub fn digest(value: &serde_json::Value) -> String {
    let mut digest = format!("{:x}", Sha256::digest(value.to_string()));
    digest.truncate(DIGITS);
    digest
}

/// Returns a path with `[]` in the place of each index.
fn without_indices(path: &str) -> String {
    let mut parts = path.split('[');
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let key = part.split_once(']').map_or(part, |(key, _)| key);
        let is_index = key.bytes().all(|byte| byte.is_ascii_digit());
        stable.push('[');
        stable.push_str(part.get(if is_index { key.len() } else { 0 }..).unwrap_or_default());
    }
    stable
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::DENIED;
    use crate::{ObjectRef, OwnerRef, PolicyRef, sample};

    fn of(finding: &Finding) -> String {
        fingerprint(&sample::report(), finding)
    }

    #[test]
    fn a_fingerprint_survives_what_may_change() {
        let finding = sample::finding();
        let same = [
            Finding { place: None, ..finding.clone() },
            Finding { path: Some("spec.template.spec.containers[4].x".to_owned()), ..finding.clone() },
            Finding {
                message: "other words".to_owned(),
                reason: "other words".to_owned(),
                ..finding.clone()
            },
            Finding { others: vec!["web-2".to_owned()], is_known: true, ..finding.clone() },
            Finding { rule: "privileged_restricted".to_owned(), ..finding.clone() },
            Finding {
                object: ObjectRef { api_version: "apps/v1beta1".to_owned(), ..finding.object.clone() },
                ..finding.clone()
            },
        ];
        for other in same {
            assert_eq!(of(&other), of(&finding), "{other:?}");
        }
        // Baselines are stored: this value may only change with the version of their format.
        assert_eq!(of(&finding), "50c3cc48f62f9ea36f2e2545f67cee55");
    }

    #[test]
    fn a_fingerprint_tells_findings_apart() {
        let finding = sample::finding();
        let object = |change: fn(&mut ObjectRef)| {
            let mut other = sample::finding();
            change(&mut other.object);
            other
        };
        let others = [
            finding.clone(),
            Finding { policy: 1, ..finding.clone() },
            Finding { rule: "x".to_owned(), ..finding.clone() },
            Finding { rule: DENIED.to_owned(), ..finding.clone() },
            Finding { rule: DENIED.to_owned(), reason: "x".to_owned(), ..finding.clone() },
            Finding { stable_path: Some("spec".to_owned()), ..finding.clone() },
            Finding { stable_path: None, path: None, ..finding.clone() },
            Finding { value_digest: Some(digest(&json!("x"))), ..finding.clone() },
            Finding { value_digest: None, ..finding.clone() },
            object(|object| object.name = "b".to_owned()),
            object(|object| object.namespace = Some("b".to_owned())),
            object(|object| object.namespace = None),
            object(|object| object.kind = "StatefulSet".to_owned()),
            object(|object| object.api_version = "v1".to_owned()),
        ];
        let fingerprints: BTreeSet<String> = others.iter().map(of).collect();
        assert_eq!(fingerprints.len(), others.len());
    }

    #[test]
    fn policies_are_told_apart_by_kind_and_namespace() {
        let with = |change: fn(&mut PolicyRef)| {
            let mut report = sample::report();
            report.policies.iter_mut().for_each(change);
            fingerprint(&report, &sample::finding())
        };
        let fingerprints = BTreeSet::from([
            with(|_| ()),
            with(|policy| policy.kind.push_str("Group")),
            with(|policy| policy.namespace = Some("shop".to_owned())),
        ]);
        assert_eq!(fingerprints.len(), 3);
        assert_eq!(with(|policy| policy.module.clear()), with(|_| ()));
    }

    #[test]
    fn pods_of_an_owner_share_a_fingerprint() {
        let pod = |name: &str, owner: &str| {
            let owner = OwnerRef {
                api_version: "apps/v1".to_owned(),
                kind: "Deployment".to_owned(),
                name: owner.to_owned(),
            };
            let object = sample::finding().object;
            let object = ObjectRef { name: name.to_owned(), owner: Some(owner), ..object };
            of(&Finding { object, ..sample::finding() })
        };
        assert_eq!(pod("web-1", "web"), pod("web-2", "web"));
        assert_ne!(pod("web-1", "web"), pod("web-1", "api"));
    }

    #[test]
    fn indices_take_no_part() {
        assert_eq!(without_indices("spec.a[10].b[x1][1x][2]"), "spec.a[].b[x1][1x][]");
        assert_eq!(without_indices("spec"), "spec");
    }
}
