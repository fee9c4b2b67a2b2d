//! Names of policies and objects, and the order in which formats list findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{
    Finding, ObjectRef, OwnerRef, Place, PolicyRef, PolicyTotals, Report, Severity, Span, Status, catalogue,
};

impl PolicyRef {
    /// Returns the name, after the namespace of an `AdmissionPolicy`, such as `shop/no-root`.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Displays kind, namespace and name: `Deployment shop/web`.
impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

/// Displays kind and name: `Deployment web`.
impl fmt::Display for OwnerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

impl ObjectRef {
    /// Returns the API group, empty for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        group(&self.api_version)
    }
}

impl OwnerRef {
    /// Returns the API group, empty for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        group(&self.api_version)
    }
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Displays file, line and column, as far as they are known: `deploy/web.yaml:12:7`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.span.map_or(Ok(()), |Span { start, .. }| write!(f, ":{}:{}", start.line, start.column))
    }
}

impl Place {
    /// Returns what the place of a finding is if it is not that of the value, to write behind it.
    pub(crate) fn qualifier(&self) -> &'static str {
        match self.span {
            None => " (line unknown)",
            Some(_) if self.is_exact => "",
            Some(_) => " (the object)",
        }
    }
}

impl Severity {
    /// Returns the name, as in `io.kubewarden.policy.severity` and in policy reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl Status {
    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Unknown => "unknown",
            Self::Monitored => "monitored",
            Self::Warned => "warned",
        }
    }
}

impl Finding {
    /// Returns whether neither an exception nor a baseline covers the finding.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.excepted.is_none() && !self.is_known
    }

    /// Returns remarks that the message does not contain.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.concerns_pods {
            remarks.push("concerns the pods that the workload creates".to_owned());
        }
        let others = self.others.len();
        if others > 0 {
            let noun = if others == 1 { "other" } else { "others" };
            let owner = match &self.object.owner {
                Some(owner) => format!(" of {owner}"),
                None => String::new(),
            };
            remarks.push(format!("and {others} {noun}{owner}"));
        }
        if let Some(reason) = &self.excepted {
            remarks.push(format!("excepted: {reason}"));
        }
        remarks
    }

    /// The names of the objects, the first of which is that of the finding.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.object.name).chain(&self.others).map(String::as_str)
    }

    pub(crate) fn objects(&self) -> u64 {
        u64::try_from(self.others.len()).unwrap_or(u64::MAX).saturating_add(1)
    }
}

pub(crate) struct View<'r> {
    pub(crate) report: &'r Report,
    labels: Vec<String>,
}

impl<'r> View<'r> {
    pub(crate) fn new(report: &'r Report) -> Self {
        let plain: Vec<String> = report.policies.iter().map(PolicyRef::label).collect();
        let is_shared = |label| plain.iter().filter(|other| *other == label).nth(1).is_some();
        let labels = plain.iter().zip(&report.policies).map(|(label, policy)| {
            // A group and a policy may have the same name.
            let kind = if policy.kind.is_empty() { "by id" } else { &policy.kind };
            if is_shared(label) { format!("{label} ({kind})") } else { label.clone() }
        });
        Self { report, labels: labels.collect() }
    }

    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    pub(crate) fn label(&self, finding: &Finding) -> &str {
        self.policy_label(finding.policy)
    }

    pub(crate) fn policy_label(&self, policy: usize) -> &str {
        self.labels.get(policy).map_or("", String::as_str)
    }

    /// The label of the policy of a finding and the rule: `pod-security/privileged`.
    pub(crate) fn rule_id(&self, finding: &Finding) -> String {
        format!("{}/{}", self.label(finding), finding.rule)
    }

    /// Returns the policy and the rule of a finding in the [catalogue](crate::catalogue); `None` if
    /// the finding has no rule of Portcullis.
    pub(crate) fn catalogued<'f>(&self, finding: &'f Finding) -> Option<(&'r str, &'f str)> {
        let named = (self.policy(finding)?.id.as_deref()?, finding.rule.as_str());
        // A report that is read can name anything.
        catalogue::has(named.0, named.1).then_some(named)
    }

    pub(crate) fn policy(&self, finding: &Finding) -> Option<&'r PolicyRef> {
        self.report.policies.get(finding.policy)
    }

    pub(crate) fn severity(&self, finding: &Finding) -> Option<Severity> {
        self.policy(finding)?.severity
    }

    /// The findings that neither an exception nor a baseline covers, the worst first.
    pub(crate) fn worst_first(&self) -> Vec<&'r Finding> {
        let mut findings: Vec<&Finding> = self.report.findings.iter().filter(|f| f.is_open()).collect();
        // The sort is stable: equal findings keep the order of the report.
        findings.sort_by_key(|finding| (finding.status, std::cmp::Reverse(self.severity(finding))));
        findings
    }
}

/// The numbers of objects by the verdict of a policy.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Row {
    pub(crate) totals: PolicyTotals,
    /// Denied, or denied in monitor mode, by nothing but findings that are excepted or known. Such
    /// objects are in no other number.
    pub(crate) accepted: u64,
}

/// An object of a finding: its file, namespace, API group, kind and name. Objects with a generated
/// name can have the same.
type Object<'r> = (Option<&'r str>, Option<&'r str>, &'r str, &'r str, &'r str);

/// The findings about an object that deny it.
#[derive(Default)]
struct Denials {
    status: Option<Status>,
    is_open: bool,
}

impl<'r> View<'r> {
    /// Returns the numbers of objects for each policy.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut objects: BTreeMap<(usize, Object<'r>), Denials> = BTreeMap::new();
        let mut has_open = vec![false; self.report.policies.len()];
        for finding in self.report.findings.iter().filter(|finding| finding.status != Status::Warned) {
            for object in finding.each_object() {
                let denials = objects.entry((finding.policy, object)).or_default();
                denials.is_open |= finding.is_open();
                denials.status =
                    denials.status.or(Some(finding.status).filter(|one| *one != Status::Unknown));
            }
            if let Some(has_open) = has_open.get_mut(finding.policy) {
                *has_open |= finding.is_open();
            }
        }
        let totals = self.report.totals.policies.iter();
        let mut rows: Vec<Row> = totals.map(|totals| Row { totals: totals.clone(), accepted: 0 }).collect();
        for (Row { totals, accepted }, has_open) in rows.iter_mut().zip(&has_open) {
            if !has_open {
                *accepted = totals.denied + totals.monitored;
                (totals.denied, totals.monitored) = (0, 0);
            }
        }
        for ((policy, _), Denials { status, .. }) in objects.into_iter().filter(|(_, one)| !one.is_open) {
            let Some(Row { totals, accepted }) = rows.get_mut(policy) else { continue };
            let number =
                if status == Some(Status::Denied) { &mut totals.denied } else { &mut totals.monitored };
            if *number > 0 && has_open.get(policy) == Some(&true) {
                *number -= 1;
                *accepted += 1;
            }
        }
        rows
    }

    /// Returns how many objects have findings; `None` if some have generated names, which do not
    /// tell them apart.
    pub(crate) fn objects(&self) -> Option<usize> {
        let objects: BTreeSet<Object<'r>> =
            self.report.findings.iter().flat_map(Finding::each_object).collect();
        let is_generated = |(.., name): &Object<'_>| name.is_empty() || name.ends_with('-');
        (!objects.iter().any(is_generated)).then_some(objects.len())
    }
}

impl Finding {
    fn each_object(&self) -> impl Iterator<Item = Object<'_>> {
        let file = self.place.as_ref().map(|place| place.file.as_str());
        let ObjectRef { namespace, kind, .. } = &self.object;
        let group = self.object.group();
        self.names().map(move |name| (file, namespace.as_deref(), group, kind.as_str(), name))
    }
}

/// How many findings there are, by state. A finding about several objects counts as often.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) denied: u64,
    pub(crate) unknown: u64,
    pub(crate) monitored: u64,
    pub(crate) warned: u64,
    pub(crate) excepted: u64,
    pub(crate) known: u64,
}

impl Counts {
    pub(crate) fn of(report: &Report) -> Self {
        let mut counts = Self::default();
        for finding in &report.findings {
            let count = match (finding.status, finding.excepted.is_some(), finding.is_known) {
                (_, true, _) => &mut counts.excepted,
                (_, _, true) => &mut counts.known,
                (Status::Denied, ..) => &mut counts.denied,
                (Status::Unknown, ..) => &mut counts.unknown,
                (Status::Monitored, ..) => &mut counts.monitored,
                (Status::Warned, ..) => &mut counts.warned,
            };
            *count += finding.objects();
        }
        counts
    }

    /// The counts with their names; the statuses always, the rest if there is any.
    pub(crate) fn named(self) -> Vec<(&'static str, u64)> {
        let statuses = [
            ("denied", self.denied),
            ("unknown", self.unknown),
            ("monitored", self.monitored),
            ("warned", self.warned),
        ];
        let covered = [("excepted", self.excepted), ("known", self.known)];
        statuses.into_iter().chain(covered.into_iter().filter(|(_, count)| *count > 0)).collect()
    }

    /// The number of all findings.
    pub(crate) fn all(self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }

    /// The counts as a phrase: `3 denied, 1 unknown, 0 monitored, 2 warned`.
    pub(crate) fn phrase(self) -> String {
        let counts: Vec<String> =
            self.named().iter().map(|(name, count)| format!("{count} {name}")).collect();
        counts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn policies_with_the_same_name_are_told_apart() {
        let policy =
            |kind: &str| PolicyRef { name: "a".to_owned(), kind: kind.to_owned(), ..PolicyRef::default() };
        let report = Report {
            policies: vec![policy("ClusterAdmissionPolicy"), policy("ClusterAdmissionPolicyGroup")],
            ..Report::default()
        };
        assert_eq!(
            View::new(&report).labels(),
            ["a (ClusterAdmissionPolicy)", "a (ClusterAdmissionPolicyGroup)"]
        );
    }

    #[test]
    fn the_worst_open_findings_come_first() {
        let report = sample::report();
        let view = View::new(&report);
        let keys: Vec<_> = view
            .worst_first()
            .into_iter()
            .map(|finding| (finding.status, std::cmp::Reverse(view.severity(finding))))
            .collect();
        assert!(keys.is_sorted());
        assert_eq!(keys.len(), report.findings.iter().filter(|finding| finding.is_open()).count());
        assert!(keys.len() < report.findings.len());
    }

    #[test]
    fn objects_are_counted_once_by_state() {
        let counts = Counts::of(&sample::report());
        let all = counts.named().iter().map(|(_, count)| count).sum::<u64>();
        assert_eq!(all, sample::report().findings.iter().map(Finding::objects).sum::<u64>());
        assert_eq!(counts.phrase(), "5 denied, 13 unknown, 1 monitored, 1 warned, 1 excepted, 1 known");
    }
}
