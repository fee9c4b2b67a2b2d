//! SARIF 2.1.0 for GitHub code scanning.
//!
//! The properties are those of GitHub's page "SARIF support for code scanning" (github/docs,
//! `content/code-security`). GitHub refuses a whole file if one result has no location, and shows
//! suppressed results as open alerts; hence excepted and known findings are only counted, and an
//! object that is in no file is a location without a region.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::Options;
use super::text::count;
use crate::escape::uri;
use crate::names::{Counts, View};
use crate::{
    Exit, Finding, Level, Notice, Place, Report, Severity, Span, Status, catalogue, exit, fingerprint,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The largest number of results that GitHub accepts in a run.
const RESULTS: usize = 25_000;

/// The largest number of rules and remedies in the help of a SARIF rule.
const HELP_LINES: usize = 20;

#[derive(Serialize)]
struct Log<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    tool: Value,
    automation_details: Value,
    invocations: [Value; 1],
    column_kind: &'static str,
    results: Vec<SarifResult<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'r> {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location<'r>; 1],
    partial_fingerprints: Fingerprints,
    properties: Properties<'r>,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'r> {
    physical_location: PhysicalLocation,
    logical_locations: [LogicalLocation<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u64,
    end_line: u64,
    end_column: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'r> {
    name: &'r str,
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    primary_location_line_hash: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'r> {
    object: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'r str>,
    /// Whether the region is that of the value, not that of the object.
    is_exact: bool,
    concerns_pods: bool,
    others: usize,
}

pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let view = View::new(report);
    let mut findings = view.worst_first();
    let left_out = findings.len().saturating_sub(RESULTS);
    findings.truncate(RESULTS);
    let rules = Rules::new(&view, &findings);
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let results = findings.iter().map(|finding| result(&view, &rules, finding, options, &mut seen)).collect();
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: json!({ "driver": {
                "name": "Portcullis",
                "semanticVersion": options.version,
                "informationUri": "https://github.com/portcullis/portcullis",
                "rules": rules.described,
            } }),
            automation_details: json!({ "id": match options.category {
                Some(category) => format!("portcullis/{category}/"),
                None => "portcullis/".to_owned(),
            } }),
            invocations: [json!({
                "executionSuccessful": exit(report, options.fail_on) != Exit::NotEvaluated,
                "toolExecutionNotifications": notifications(report, options, left_out),
            })],
            // A column counts characters, not UTF-16 code units.
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn result<'r>(
    view: &View<'_>,
    rules: &Rules,
    finding: &'r Finding,
    options: &Options<'_>,
    seen: &mut BTreeMap<String, u64>,
) -> SarifResult<'r> {
    let rule_id = view.rule_id(finding);
    let fingerprint = fingerprint(view.report, finding);
    let number = seen.entry(fingerprint.clone()).or_default();
    *number += 1;
    let mut text = match finding.status {
        Status::Unknown => format!("Not evaluated: {}", finding.message),
        _ => finding.message.clone(),
    };
    for remark in finding.remarks() {
        text.push_str(" (");
        text.push_str(&remark);
        text.push(')');
    }
    SarifResult {
        rule_index: rules.index.get(&rule_id).copied().unwrap_or_default(),
        rule_id,
        level: match finding.status {
            Status::Denied => "error",
            Status::Unknown | Status::Monitored | Status::Warned => "warning",
        },
        // `](` would make a link (SARIF 2.1.0, 3.11.6).
        message: Message { text: text.replace("](", "] (") },
        locations: [Location {
            physical_location: physical(finding, options),
            logical_locations: [LogicalLocation {
                name: &finding.object.name,
                fully_qualified_name: qualified(finding),
                kind: "resource",
            }],
        }],
        partial_fingerprints: Fingerprints { primary_location_line_hash: format!("{fingerprint}:{number}") },
        properties: Properties {
            object: finding.object.to_string(),
            status: finding.status.name(),
            path: finding.path.as_deref(),
            is_exact: finding.place.as_ref().is_some_and(|place| place.is_exact),
            concerns_pods: finding.concerns_pods,
            others: finding.others.len(),
        },
    }
}

fn physical(finding: &Finding, options: &Options<'_>) -> PhysicalLocation {
    if let Some(place) = &finding.place {
        return in_file(place, options);
    }
    let artifact_location = ArtifactLocation { uri: uri(&qualified(finding)) };
    PhysicalLocation { artifact_location, region: None }
}

fn in_file(place: &Place, options: &Options<'_>) -> PhysicalLocation {
    let name = if place.file == "-" { "stdin".to_owned() } else { options.in_repository(&place.file) };
    PhysicalLocation { artifact_location: ArtifactLocation { uri: uri(&name) }, region: region(place) }
}

/// The region of a value, or the first character of an object: GitHub shows an alert in a pull
/// request only if the request changes every line of the region. A line that is not known has no
/// region.
fn region(place: &Place) -> Option<Region> {
    let Span { start, mut end } = place.span?;
    if !place.is_exact && end.line > start.line {
        end.line = start.line;
        end.column = start.column + 1;
    }
    Some(Region {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
    })
}

fn qualified(finding: &Finding) -> String {
    let object = &finding.object;
    let parts = [object.namespace.as_deref(), Some(object.kind.as_str()), Some(object.name.as_str())];
    parts.into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn notifications(report: &Report, options: &Options<'_>, left_out: usize) -> Vec<Value> {
    let mut notifications = Vec::new();
    let mut say = |level: &str, text: String| {
        notifications.push(json!({ "level": level, "message": { "text": text } }));
    };
    if report.is_partial {
        say("error", "The scan was interrupted: the report is not complete.".to_owned());
    }
    if left_out > 0 {
        let results = count(left_out as u64, "result is", "results are");
        say("warning", format!("{results} left out: a file has at most {RESULTS}, the worst first."));
    }
    let Counts { excepted, known, .. } = Counts::of(report);
    for (number, reason) in [(excepted, "an exception covers them"), (known, "the baseline has them")] {
        if number > 0 {
            say("note", format!("{} not listed: {reason}.", count(number, "finding is", "findings are")));
        }
    }
    notifications.extend(report.notices.iter().map(|notice| notification(notice, options)));
    notifications
}

fn notification(notice: &Notice, options: &Options<'_>) -> Value {
    let level = match notice.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut notification =
        json!({ "level": level, "message": { "text": notice.message.replace("](", "] (") } });
    if let (Some(place), Some(fields)) = (&notice.place, notification.as_object_mut()) {
        let location = in_file(place, options);
        fields.insert("locations".to_owned(), json!([{ "physicalLocation": location }]));
    }
    notification
}

struct Rules {
    described: Vec<Value>,
    index: BTreeMap<String, usize>,
}

impl Rules {
    /// A rule for each policy, and one for each rule with a result.
    fn new(view: &View<'_>, findings: &[&Finding]) -> Self {
        // The lines of help of each rule, and the name of the rule.
        let mut help = BTreeMap::<_, (Option<&str>, BTreeSet<String>)>::new();
        for policy in 0..view.report.policies.len() {
            help.entry((policy, None::<&str>)).or_default();
        }
        for finding in findings {
            let (title, lines) = help.entry((finding.policy, Some(finding.rule.as_str()))).or_default();
            *title = Some(finding.rule_title());
            if lines.len() < HELP_LINES {
                lines.insert(match &finding.remedy {
                    Some(remedy) => format!("{}; {remedy}", finding.reason),
                    None => finding.reason.clone(),
                });
            }
        }
        let mut rules = Self { described: Vec::new(), index: BTreeMap::new() };
        for ((policy, id), (title, lines)) in help {
            let label = view.labels().get(policy).map_or("", String::as_str);
            let of_policy = id;
            let id = id.map_or_else(|| label.to_owned(), |id| format!("{label}/{id}"));
            if !rules.index.contains_key(&id) {
                rules.described.push(rule(view, policy, of_policy, title, &id, &lines));
                rules.index.insert(id, rules.described.len() - 1);
            }
        }
        rules
    }
}

fn rule(
    view: &View<'_>,
    policy: usize,
    of_policy: Option<&str>,
    title: Option<&str>,
    id: &str,
    lines: &BTreeSet<String>,
) -> Value {
    let Some(policy) = view.report.policies.get(policy) else { return json!({ "id": id }) };
    let short = match title {
        Some(title) => format!("{title}: a rule of the policy {}", policy.label()),
        None => format!("The policy {}", policy.label()),
    };
    let mode = if policy.protects { "denies violations" } else { "reports violations (mode: monitor)" };
    let kind = if policy.kind.is_empty() { "policy" } else { &policy.kind };
    let full = format!("The {kind} {} with the module {} {mode}.", policy.label(), policy.module);
    let mut help = full.clone();
    for line in lines {
        help.push_str("\n\n");
        help.push_str(line);
    }
    let mut tags = BTreeSet::from(["kubernetes".to_owned(), "security".to_owned()]);
    tags.extend(policy.category.clone());
    let mut properties = json!({ "tags": tags });
    if let (Some(score), Some(fields)) = (policy.severity.and_then(score), properties.as_object_mut()) {
        fields.insert("security-severity".to_owned(), json!(score));
    }
    let mut rule = json!({
        "id": id,
        "name": id,
        "shortDescription": { "text": short },
        "fullDescription": { "text": full },
        "help": { "text": help },
        "defaultConfiguration": { "level": if policy.protects { "error" } else { "warning" } },
        "properties": properties,
    });
    let own = policy.id.as_deref().zip(of_policy).filter(|(policy, rule)| catalogue::has(policy, rule));
    if let (Some((policy, own)), Some(fields)) = (own, rule.as_object_mut()) {
        fields.insert("helpUri".to_owned(), catalogue::address(policy, own).into());
    }
    rule
}

/// Returns a score that GitHub shows as the severity: critical above 9.0, high from 7.0, medium
/// from 4.0, and low above 0. Returns `None` for information, which GitHub does not score.
fn score(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Critical => Some("9.5"),
        Severity::High => Some("8.0"),
        Severity::Medium => Some("5.5"),
        Severity::Low => Some("2.0"),
        Severity::Info => None,
    }
}

#[cfg(test)]
mod tests;
