//! The scans of `scans.yaml`, with the lines of their reports.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeMap;

use kubewarden::matching::Webhook;
use report::{Finding, Notice, Place, Report};
use scan::{Date, ExceptionsOf, Files, Input, Old, Operation, Options, Origin, Pods, Policy, Scan};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Scans {
    texts: BTreeMap<String, String>,
    scans: Vec<Case>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Case {
    name: String,
    /// The default one, if there are none.
    policies: Vec<Described>,
    pods: String,
    is_strict: bool,
    is_update: bool,
    exceptions_on: Option<String>,
    exceptions_of_stored: bool,
    /// Names in [`Scans::texts`], and other texts.
    texts: Vec<String>,
    before: Option<Vec<String>>,
    cluster: Option<Vec<String>>,
    /// Patterns of all findings and of all notices.
    findings: Option<Vec<String>>,
    notices: Option<Vec<String>>,
    /// Patterns that a line of the report fits, exactly one line, or none.
    some: Vec<String>,
    once: Vec<String>,
    none: Vec<String>,
    /// Numbers by their place in the totals.
    totals: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Described {
    id: String,
    settings: Value,
    /// The resource of the only rule, if the rules are not those of the policy.
    resource: Option<String>,
    /// Further fields of the specification of this webhook.
    webhook: Map<String, Value>,
    is_monitor: bool,
    fails_open: bool,
    message: Option<String>,
}

impl Default for Described {
    fn default() -> Self {
        Self {
            id: "pod-security".to_owned(),
            settings: json!({ "level": "baseline" }),
            resource: None,
            webhook: Map::new(),
            is_monitor: false,
            fails_open: false,
            message: None,
        }
    }
}

impl Described {
    fn policy(&self) -> Policy {
        let mut policy = Policy::of_id(&self.id, &self.settings).unwrap();
        if let Some(resource) = &self.resource {
            let rule = json!({
                "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource], "operations": ["CREATE", "UPDATE"],
            });
            let mut spec = Map::from_iter([("rules".to_owned(), json!([rule]))]);
            spec.extend(self.webhook.clone());
            policy.webhook = Webhook::from_spec(&spec.into()).unwrap();
        }
        policy.reference.protects = !self.is_monitor;
        policy.fails_closed = !self.fails_open;
        policy.message.clone_from(&self.message);
        policy
    }
}

impl Case {
    fn run(&self, named: &BTreeMap<String, String>) -> Report {
        let files = |texts: &[String]| {
            let mut files = Files::default();
            for (index, text) in texts.iter().enumerate() {
                files.add_text(
                    Origin::file(format!("{index}.yaml")),
                    named.get(text).unwrap_or(text).as_str(),
                );
            }
            files
        };
        let options = Options {
            pods: match self.pods.as_str() {
                "always" => Pods::On,
                "never" => Pods::Off,
                _ => Pods::Auto,
            },
            is_strict: self.is_strict,
            operation: if self.is_update { Operation::Update } else { Operation::Create },
            exceptions_on: self.exceptions_on.as_deref().and_then(Date::parse),
            exceptions_of: if self.exceptions_of_stored {
                ExceptionsOf::All
            } else {
                ExceptionsOf::Manifests
            },
            ..Options::default()
        };
        let (old, of_old) = self.before.as_deref().map(|texts| Old::read(&mut files(texts))).unzip();
        let mut cluster = self.cluster.as_deref().map(files);
        let cluster = cluster.as_mut().map(|files| files as &mut dyn Input);
        let mut policies: Vec<Policy> = self.policies.iter().map(Described::policy).collect();
        if policies.is_empty() {
            policies.push(Described::default().policy());
        }
        let scan = Scan::new(policies, options);
        let mut report = scan.run(&mut files(&self.texts), old.as_ref(), cluster, &mut ());
        report.notices.extend(of_old.unwrap_or_default());
        report
    }

    /// Returns the report, if it is not the expected one.
    fn difference(&self, report: &Report) -> Option<String> {
        let findings: Vec<String> = report.findings.iter().map(of_finding).collect();
        let notices: Vec<String> = report.notices.iter().map(of_notice).collect();
        let all = [findings.as_slice(), notices.as_slice()].concat();
        let count = |pattern: &String| all.iter().filter(|line| fits(line, pattern)).count();
        let are = |lines: &[String], patterns: Option<&[String]>| {
            patterns.is_none_or(|patterns| {
                lines.len() == patterns.len() && lines.iter().zip(patterns).all(|(line, one)| fits(line, one))
            })
        };
        let totals = serde_json::to_value(&report.totals).unwrap();
        let is_met = are(&findings, self.findings.as_deref())
            && are(&notices, self.notices.as_deref())
            && self.some.iter().all(|pattern| count(pattern) > 0)
            && self.once.iter().all(|pattern| count(pattern) == 1)
            && self.none.iter().all(|pattern| count(pattern) == 0)
            && self.totals.iter().all(|(place, number)| totals.pointer(place) == Some(&json!(number)));
        (!is_met).then(|| format!("{}:\n{}\n{totals}", self.name, all.join("\n")))
    }
}

fn of_finding(finding: &Finding) -> String {
    let Finding { status, policy, object, path, message, .. } = finding;
    let owner = object.owner.as_ref().map(|owner| format!(" of {} {}", owner.kind, owner.name));
    let excepted = finding.excepted.as_ref().map(|reason| format!(" (excepted: {reason})"));
    format!(
        "{status:?} {} {} {}{} {}{}{}{} (policy {policy}): {message}",
        of_place(finding.place.as_ref()),
        object.kind,
        object.name,
        owner.unwrap_or_default(),
        path.as_deref().unwrap_or("-"),
        if finding.concerns_pods { " (pods)" } else { "" },
        excepted.unwrap_or_default(),
        if finding.others.is_empty() { String::new() } else { format!(" +{}", finding.others.len()) },
    )
}

fn of_notice(notice: &Notice) -> String {
    format!("{:?} {} {}", notice.level, of_place(notice.place.as_ref()), notice.message)
}

/// Displays a place; one that is not exact ends with `~`.
fn of_place(place: Option<&Place>) -> String {
    place.map_or("-".to_owned(), |Place { file, span, is_exact }| {
        let start = span.map_or("-".to_owned(), |span| format!("{}:{}", span.start.line, span.start.column));
        format!("{file}:{start}{}", if *is_exact { "" } else { "~" })
    })
}

/// Returns whether a line is a pattern with any text for each `*`.
fn fits(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    for (index, part) in pattern.split('*').enumerate() {
        match rest.split_once(part) {
            Some((before, after)) if index > 0 || before.is_empty() => rest = after,
            _ => return false,
        }
    }
    rest.is_empty() || pattern.ends_with('*')
}

#[test]
fn scans_have_the_described_reports() {
    let [described] = manifest::documents(include_str!("scans.yaml")).unwrap().try_into().unwrap();
    let Scans { texts, scans } = serde_json::from_value(described).unwrap();
    let different: Vec<String> = scans.iter().filter_map(|case| case.difference(&case.run(&texts))).collect();
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
