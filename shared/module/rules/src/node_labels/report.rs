//! The forbidden changes of a request, as violations or, in `mode: Warn`, as warnings and audit
//! annotations.

use admission::bounds::ANNOTATION;
use admission::{Node, Policy as _, Remedy, Verdict, Violations};
use text::sorted;

use super::NodeLabels;
use super::fields::FieldChange;
use super::settings::Mode;
use crate::summary::summary;

/// The key of the audit annotation that lists the forbidden labels in `mode: Warn`.
const FORBIDDEN_LABELS: &str = "forbidden-labels";

/// The key of the audit annotation that lists the other forbidden fields in `mode: Warn`.
const FORBIDDEN_FIELDS: &str = "forbidden-fields";

#[derive(Debug)]
pub(super) struct Report<'d> {
    mode: Mode,
    /// Denied in every mode if there are any.
    pub(super) violations: Violations<'d>,
    labels: ForbiddenLabels<'d>,
    fields: Vec<&'static str>,
    /// The ids of the rules that labels and fields violate in `mode: Warn`.
    rules: Vec<&'static str>,
}

impl<'d> Report<'d> {
    pub(super) fn new(mode: Mode, violations: Violations<'d>) -> Self {
        Self { mode, violations, labels: ForbiddenLabels::default(), fields: Vec::new(), rules: Vec::new() }
    }

    pub(super) fn label(
        &mut self,
        rank: Rank,
        key: &'d str,
        id: &'static str,
        at: Node<'d>,
        rule: &'static str,
        remedy: Remedy<&'static str>,
    ) {
        match self.mode {
            Mode::Enforce => self.violations.forbid(id, at, rule, remedy),
            Mode::Warn => {
                self.note(id);
                self.labels.add(rank, key);
            }
        }
    }

    pub(super) fn field(&mut self, change: FieldChange<'d>) {
        match self.mode {
            Mode::Enforce => self.violations.forbid(change.id, change.at, change.rule, change.remedy),
            Mode::Warn => {
                self.note(change.id);
                if !self.fields.contains(&change.path) {
                    self.fields.push(change.path);
                }
            }
        }
    }

    fn note(&mut self, rule: &'static str) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    /// `labels` and `fields` are the words before the lists in the warnings.
    pub(super) fn verdict(self, labels: &str, fields: &str) -> Verdict<'d> {
        if !self.violations.is_empty() {
            return self.violations.into();
        }
        let mut verdict = Verdict::admit();
        if let Some((keys, beyond)) = self.labels.first() {
            let warning = summary(labels, &keys, beyond);
            verdict = verdict.warn(warning).annotate(FORBIDDEN_LABELS, list(&keys, beyond));
        }
        if !self.fields.is_empty() {
            let warning = summary(fields, &self.fields, 0);
            verdict = verdict.warn(warning).annotate(FORBIDDEN_FIELDS, list(&self.fields, 0));
        }
        verdict.would_deny(NodeLabels::ID, &self.rules)
    }
}

/// How much a forbidden label matters: the most first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rank {
    /// The settings protect this very label.
    ProtectedKey,
    /// The label is in a reserved or protected domain itself.
    Domain,
    /// The label is in a subdomain of a reserved or protected domain.
    Subdomain,
    Other,
}

/// Forbidden labels by rank.
///
/// A node chooses the labels and could hide the one that it wants behind thousands of others.
#[derive(Debug, Default)]
struct ForbiddenLabels<'d> {
    protected_keys: RankedLabels<'d>,
    domains: RankedLabels<'d>,
    subdomains: RankedLabels<'d>,
    others: RankedLabels<'d>,
}

/// Forbidden labels of a rank, of which those with short keys come first: there are few of them, so
/// that they can hide nothing.
#[derive(Debug, Default)]
struct RankedLabels<'d> {
    /// The first ones, and possibly more.
    first: Vec<ForbiddenLabel<'d>>,
    /// The last one that counts, once there are more than fit.
    last: Option<ForbiddenLabel<'d>>,
    total: usize,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct ForbiddenLabel<'d> {
    /// The length of the key, or 0 if the key alone decides.
    length: usize,
    key: &'d str,
}

/// Room for ` and 18446744073709551615 more` in an annotation.
const MORE: usize = 32;

impl<'d> ForbiddenLabels<'d> {
    fn add(&mut self, rank: Rank, key: &'d str) {
        match rank {
            Rank::ProtectedKey => self.protected_keys.add(ForbiddenLabel { length: 0, key }),
            Rank::Domain => self.domains.add(ForbiddenLabel { length: key.len(), key }),
            Rank::Subdomain => self.subdomains.add(ForbiddenLabel { length: key.len(), key }),
            Rank::Other => self.others.add(ForbiddenLabel { length: 0, key }),
        }
    }

    /// Returns the keys that an annotation has room for, in order, and the number of the others;
    /// `None` if there are none at all. Each rank gets an equal share of the room that the ranks
    /// before it leave.
    fn first(&self) -> Option<(Vec<&'d str>, usize)> {
        let ranks = [&self.protected_keys, &self.domains, &self.subdomains, &self.others];
        let mut left = ranks.iter().filter(|rank| rank.total > 0).count();
        let mut room = ANNOTATION.saturating_sub(MORE);
        let mut keys = Vec::new();
        let mut beyond = 0_usize;
        for rank in ranks {
            let mut share = room.checked_div(left)?;
            room = room.saturating_sub(share);
            beyond = beyond.saturating_add(rank.total);
            for ForbiddenLabel { key, .. } in sorted(&rank.first) {
                if let Some(rest) = share.checked_sub(key.len().saturating_add(1)) {
                    share = rest;
                    beyond = beyond.saturating_sub(1);
                    keys.push(key);
                }
            }
            room = room.saturating_add(share);
            left = left.saturating_sub(usize::from(rank.total > 0)).max(1);
        }
        Some((keys, beyond))
    }
}

impl<'d> RankedLabels<'d> {
    /// The number of keys that an annotation can hold, each with a comma.
    const ROOM: usize = ANNOTATION / 2;

    fn add(&mut self, label: ForbiddenLabel<'d>) {
        self.total = self.total.saturating_add(1);
        if self.last.is_some_and(|last| last < label) {
            return;
        }
        self.first.push(label);
        if self.first.len() >= Self::ROOM.saturating_mul(2) {
            self.first = sorted(&self.first);
            self.first.truncate(Self::ROOM);
            self.last = self.first.last().copied();
        }
    }
}

/// Returns a list for an annotation, with the number of items that are not in it.
fn list(items: &[&str], beyond: usize) -> String {
    let mut list = items.join(",");
    if beyond > 0 {
        list.push_str(if list.is_empty() { "" } else { " and " });
        list.push_str(&beyond.to_string());
        list.push_str(" more");
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::no_cluster::NoCluster;

    fn annotation(labels: &[(Rank, &str)]) -> String {
        let mut forbidden = ForbiddenLabels::default();
        for (rank, key) in labels {
            forbidden.add(*rank, key);
        }
        let (keys, beyond) = forbidden.first().unwrap();
        list(&keys, beyond)
    }

    #[test]
    fn names_the_keys_that_matter_most_first() {
        let found = annotation(&[
            (Rank::Other, "a.k8s.io/longer"),
            (Rank::Other, "b.k8s.io/x"),
            (Rank::Subdomain, "a.example.com/x"),
            (Rank::Domain, "example.com/longer"),
            (Rank::Domain, "example.com/z"),
            (Rank::ProtectedKey, "foo/dedicated"),
        ]);
        assert_eq!(
            found,
            "foo/dedicated,example.com/z,example.com/longer,a.example.com/x,a.k8s.io/longer,b.k8s.io/x"
        );
    }

    /// N1: a node cannot hide a key behind others, however many there are.
    #[test]
    fn decoys_hide_nothing() {
        for decoys in [1_000, 100_000] {
            let keys: Vec<String> = (0..decoys)
                .map(|n| format!("{}.node-restriction.kubernetes.io/{n:063}", "a".repeat(200)))
                .collect();
            for (rank, key) in [
                (Rank::Domain, "node-restriction.kubernetes.io/tenant"),
                (Rank::ProtectedKey, "foo/dedicated"),
            ] {
                for at in [0, decoys / 2, decoys] {
                    let mut labels: Vec<(Rank, &str)> =
                        keys.iter().map(|key| (Rank::Subdomain, key.as_str())).collect();
                    labels.insert(at, (rank, key));
                    let found = annotation(&labels);
                    assert!(found.starts_with(&format!("{key},")), "{at}");
                    assert!(found.len() <= ANNOTATION, "{}", found.len());
                    let listed = found.matches("restriction.kubernetes.io/0").count();
                    assert!(found.ends_with(&format!(" and {} more", decoys - listed)), "{listed}");
                }
            }
        }
    }

    /// N1: 1,000 long decoys in the reserved domain, and two labels that matter.
    #[test]
    fn a_request_with_decoys_reports_what_it_takes() {
        let decoys: Vec<String> = (0..1_000)
            .map(|n| format!("\"{}.node-restriction.kubernetes.io/{n:063}\":\"s3cret\"", "a".repeat(220)))
            .collect();
        let labels = format!(
            "{},\"foo/dedicated\":\"s3cret\",\"node-restriction.kubernetes.io/tenant\":\"s3cret\"",
            decoys.join(",")
        );
        let user = r#""userInfo":{"username":"system:node:a","groups":["system:nodes"]}"#;
        let kind = r#""kind":{"group":"","kind":"Node"}"#;
        let settings = r#"{"mode":"Warn","protectedLabelKeys":["foo/dedicated"]}"#;
        let with = format!(r#"{{"metadata":{{"name":"a","labels":{{{labels}}}}}}}"#);
        let without = r#"{"metadata":{"name":"a"}}"#;
        for (operation, object, old, warning) in [
            ("CREATE", with.as_str(), "null", "node-labels would deny these labels of the Node"),
            ("UPDATE", &with, without, "node-labels would deny these labels of the Node"),
            ("UPDATE", without, &with, "node-labels would deny these labels of the Node"),
            ("DELETE", "null", &with, "node-labels would deny the deletion of a Node with"),
        ] {
            let payload = format!(
                r#"{{"request":{{{kind},"name":"a","operation":"{operation}",{user},"object":{object},"oldObject":{old}}},"settings":{settings}}}"#
            );
            let policy = crate::find("node-labels").unwrap();
            let outcome = (policy.evaluate)(payload.as_bytes(), &NoCluster);
            let response = (policy.render)(outcome);
            assert!(response.accepted, "{operation}: {:?}", response.message);
            let text = String::from_utf8(response.to_json()).unwrap();
            let expected = format!(
                r#""warnings":["{warning}: foo/dedicated, node-restriction.kubernetes.io/tenant and 1000 more"]"#
            );
            assert!(text.contains(&expected), "{operation}: {text}");
            let listed = text.matches(".node-restriction.kubernetes.io/0").count();
            let start = r#"{"forbidden-labels":"foo/dedicated,node-restriction.kubernetes.io/tenant,aaa"#;
            assert!(text.contains(start), "{operation}: {text}");
            assert!(
                text.contains(&format!(" and {} more\",\"rules\":", 1_000 - listed)),
                "{operation}: {text}"
            );
            assert!(text.len() < ANNOTATION + 400 && !text.contains("s3cret"), "{operation}: {text}");
        }
    }

    /// N1: decoys of each rank leave room for the others.
    #[test]
    fn every_rank_has_a_share() {
        let keys: Vec<String> = (0..10_000).map(|n| format!("example.com/{n}")).collect();
        for (decoys, rank) in [
            (Rank::ProtectedKey, Rank::Domain),
            (Rank::Domain, Rank::Subdomain),
            (Rank::Domain, Rank::Other),
            (Rank::Subdomain, Rank::Other),
        ] {
            let mut labels: Vec<(Rank, &str)> = keys.iter().map(|key| (decoys, key.as_str())).collect();
            labels.push((rank, "a.example.org/tenant"));
            let found = annotation(&labels);
            assert!(found.contains(",a.example.org/tenant and "), "{rank:?}");
            assert!(found.len() <= ANNOTATION && found.len() > ANNOTATION / 3, "{}", found.len());
            let listed = found.matches("example.com/").count();
            assert!(found.ends_with(&format!(" and {} more", 10_000 - listed)), "{listed}");
        }
        assert!(ForbiddenLabels::default().first().is_none());
    }

    #[test]
    fn long_decoys_of_the_same_domain_come_later() {
        let keys: Vec<String> =
            (0..1_000).map(|n| format!("node-restriction.kubernetes.io/a{n:062}")).collect();
        let mut labels: Vec<(Rank, &str)> = keys.iter().map(|key| (Rank::Domain, key.as_str())).collect();
        labels.push((Rank::Domain, "node-restriction.kubernetes.io/tenant"));
        assert!(annotation(&labels).starts_with("node-restriction.kubernetes.io/tenant,"));
    }
}
