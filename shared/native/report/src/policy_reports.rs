//! Comparisons with the policy reports of other engines.
//!
//! Engines find different fields and word them differently, so that their reports answer only one
//! question in common: which objects are refused. Fields and enumerations follow
//! `apis/openreports.io/v1alpha1/report_types.go` of openreports/reports-api, whose forerunner has
//! the group `wgpolicyk8s.io`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::read::ReadError;
use crate::{
    Comparison, DENIED, FAULT, Finding, Level, Notice, ObjectRef, PolicyRef, PolicyTotals, Report, Status,
    Totals, read,
};

/// The report of a scan, or policy reports of another engine.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyReport {
    /// The report of a scan.
    Scan(Report),
    /// Policy reports, with one finding for each object that is refused.
    Objects(Report),
}

impl AnyReport {
    /// Reads the report of a scan, or policy reports in JSON: one, several, or a list.
    ///
    /// # Errors
    /// The text is neither, or a refusal in it names no object.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        if text.trim_ascii().is_empty() {
            return Err(ReadError::empty());
        }
        match serde_json::Deserializer::from_str(text).into_iter::<Header>().next() {
            Some(Ok(Header { api_version: Some(_) })) => {
                let documents = serde_json::Deserializer::from_str(text).into_iter::<Document>();
                objects(documents.collect::<Result<_, _>>().map_err(ReadError::of_policy_reports)?)
                    .map(Self::Objects)
            }
            _ => read(text).map(Self::Scan),
        }
    }

    /// Compares two reports: those of two scans by their findings, as at different times, and
    /// others by the objects that are refused.
    ///
    /// Two engines evaluate the same objects at the same time, so an object that either could not
    /// evaluate makes the comparison incomplete. If one is limited to a namespace, so is the other.
    #[must_use]
    pub fn compare(before: &Self, after: &Self) -> Comparison {
        let (mut reports, compare): (_, fn(&Report, &Report) -> Comparison) = match (before, after) {
            (Self::Scan(before), Self::Scan(after)) if before.namespace == after.namespace => {
                return Comparison::since(before, after);
            }
            (Self::Scan(before), Self::Scan(after)) => ([before.clone(), after.clone()], Comparison::since),
            (before, after) => ([before.by_object(), after.by_object()], Comparison::of),
        };
        let namespaces = reports.each_ref().map(|report| report.namespace.clone());
        let limits: BTreeSet<&String> = namespaces.iter().flatten().collect();
        for report in &mut reports {
            report.findings.retain(|finding| {
                limits.iter().all(|limit| finding.object.namespace.as_ref() == Some(limit))
            });
            if limits.len() > 1 {
                let message =
                    "the reports are about different namespaces, and have no object in common".to_owned();
                report.notices.push(Notice { level: Level::Error, place: None, message });
            }
        }
        let [before, after] = &reports;
        let comparison = compare(before, after);
        Comparison { is_complete: comparison.is_complete && limits.len() < 2, ..comparison }
    }

    fn by_object(&self) -> Report {
        match self {
            Self::Scan(report) => by_object(report),
            Self::Objects(report) => report.clone(),
        }
    }
}

/// Returns a report with one finding for each object that a policy refuses, in monitor mode or not,
/// or cannot evaluate. Exceptions and baselines do not count, as in a cluster.
fn by_object(report: &Report) -> Report {
    let mut refused = Refused::default();
    for finding in &report.findings {
        let status = match finding.status {
            Status::Denied | Status::Monitored => Status::Denied,
            Status::Unknown => Status::Unknown,
            Status::Warned => continue,
        };
        let policy = report.policies.get(finding.policy).map_or("", |policy| policy.name.as_str());
        for name in finding.names() {
            let object =
                ObjectRef { name: name.to_owned(), uid: None, owner: None, ..finding.object.clone() };
            refused.add(object, status, policy, &finding.rule);
        }
    }
    // A policy that could not be loaded has no findings.
    let unknown: u64 = report.totals.policies.iter().map(|totals| totals.unknown).sum();
    let found = report.findings.iter().any(|finding| finding.status == Status::Unknown);
    let mut by_object = refused.report(report.totals.evaluations);
    by_object.notices.clone_from(&report.notices);
    by_object.namespace.clone_from(&report.namespace);
    by_object.is_partial = report.is_partial || (unknown > 0 && !found);
    by_object
}

/// Group, kind, namespace and name.
type Identity = (String, String, Option<String>, String);

/// The objects that are refused, and why.
#[derive(Default)]
struct Refused(BTreeMap<Identity, Refusal>);

struct Refusal {
    object: ObjectRef,
    status: Status,
    /// The rules that refuse the object, or could not evaluate it.
    rules: BTreeSet<String>,
}

impl Refused {
    fn add(&mut self, object: ObjectRef, status: Status, policy: &str, rule: &str) {
        let identity =
            (object.group().to_owned(), object.kind.clone(), object.namespace.clone(), object.name.clone());
        let refusal =
            self.0.entry(identity).or_insert_with(|| Refusal { object, status, rules: BTreeSet::new() });
        refusal.status = refusal.status.min(status);
        refusal.rules.insert(if rule.is_empty() { policy.to_owned() } else { format!("{policy}/{rule}") });
    }

    fn report(self, evaluations: u64) -> Report {
        let findings = self.0.into_values().map(|Refusal { object, status, rules }| {
            let (rule, reason) =
                if status == Status::Denied { (DENIED, "refused") } else { (FAULT, "not evaluated") };
            Finding {
                status,
                policy: 0,
                rule: rule.to_owned(),
                rule_name: None,
                object,
                path: None,
                stable_path: None,
                value_digest: None,
                message: format!("{reason} by {}", Vec::from_iter(rules).join(", ")),
                reason: reason.to_owned(),
                remedy: None,
                restricted_field: None,
                place: None,
                concerns_pods: false,
                others: Vec::new(),
                excepted: None,
                is_known: false,
            }
        });
        Report {
            policies: vec![PolicyRef {
                name: "all policies".to_owned(),
                protects: true,
                ..PolicyRef::default()
            }],
            findings: findings.collect(),
            totals: Totals { evaluations, policies: vec![PolicyTotals::default()], ..Totals::default() },
            ..Report::default()
        }
    }
}

/// The field that distinguishes objects of Kubernetes from reports of scans.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    api_version: Option<String>,
}

/// A document: a policy report, or a list of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    api_version: String,
    kind: String,
    source: Option<String>,
    items: Option<Vec<Document>>,
    scope: Option<Reference>,
    results: Option<Vec<ResultOf>>,
}

impl Document {
    fn is_report(&self) -> bool {
        let group = self.api_version.split('/').next().unwrap_or_default();
        ["Report", "ClusterReport", "PolicyReport", "ClusterPolicyReport"].contains(&self.kind.as_str())
            && ["openreports.io", "wgpolicyk8s.io"].contains(&group)
    }
}

/// The verdict of a rule about objects: those that it names, or that of the report.
#[derive(Deserialize)]
struct ResultOf {
    policy: String,
    rule: Option<String>,
    result: Outcome,
    resources: Option<Vec<Reference>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Pass,
    Fail,
    /// A violation that is not scored.
    Warn,
    Error,
    Skip,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    api_version: String,
    kind: String,
    namespace: Option<String>,
    name: String,
}

fn objects(mut documents: Vec<Document>) -> Result<Report, ReadError> {
    let mut refused = Refused::default();
    let mut evaluations = 0;
    while let Some(document) = documents.pop() {
        let items = document.items.as_ref().map(Vec::len);
        if !document.is_report() && items.unwrap_or_default() == 0 {
            let kind =
                if items.is_some() { "an empty list".to_owned() } else { format!("a {}", document.kind) };
            return Err(ReadError::of_policy_reports(format!("the file has {kind}")));
        }
        // They have neither all objects nor their verdicts.
        if document.source.as_deref() == Some("portcullis") {
            return Err(ReadError::of_policy_reports(
                "they are of portcullis; compare the scan that -o json writes",
            ));
        }
        documents.extend(document.items.into_iter().flatten());
        for ResultOf { policy, rule, result, resources } in document.results.into_iter().flatten() {
            let status = match result {
                Outcome::Fail | Outcome::Warn => Some(Status::Denied),
                Outcome::Error => Some(Status::Unknown),
                Outcome::Pass => None,
                Outcome::Skip => continue,
            };
            evaluations += 1;
            let Some(status) = status else { continue };
            let named = resources.filter(|named| !named.is_empty());
            let named = named.unwrap_or_else(|| document.scope.iter().cloned().collect());
            if named.is_empty() {
                let problem = format!("a result of policy {policy} names no object");
                return Err(ReadError::of_policy_reports(problem));
            }
            for Reference { api_version, kind, namespace, name } in named {
                let namespace = namespace.filter(|namespace| !namespace.is_empty());
                let object = ObjectRef { api_version, kind, namespace, name, ..ObjectRef::default() };
                refused.add(object, status, &policy, rule.as_deref().unwrap_or_default());
            }
        }
    }
    Ok(refused.report(evaluations))
}

#[cfg(test)]
mod tests;
