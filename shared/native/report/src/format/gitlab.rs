//! GitLab Code Quality: an array of issues.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serializer as _;
use serde_json::{Value, json};

use super::Options;
use crate::fingerprint::digest;
use crate::names::View;
use crate::{Finding, Report, Severity, Status, fingerprint};

/// Writes the open findings, the worst first. The format has no place for others, nor for problems
/// of the input.
///
/// GitLab shows one of several issues with the same fingerprint, so that the second and further
/// ones get another. It demands a line: that of an object that is in no file, whose path is its
/// name, is 1. So is a line that is not known, which the description then says.
pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let view = View::new(report);
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let issues = view.worst_first().into_iter().map(|finding| issue(&view, finding, options, &mut seen));
    // One at a time: all of them as values take more memory than the report.
    serde_json::Serializer::pretty(&mut *out).collect_seq(issues)?;
    writeln!(out)
}

fn issue(
    view: &View<'_>,
    finding: &Finding,
    options: &Options<'_>,
    seen: &mut BTreeMap<String, u64>,
) -> Value {
    let mut fingerprint = fingerprint(view.report, finding);
    let earlier = seen.entry(fingerprint.clone()).or_default();
    if *earlier > 0 {
        fingerprint = digest(&json!([fingerprint, earlier]));
    }
    *earlier += 1;
    let path = match &finding.place {
        Some(place) if place.file == "-" => "stdin".to_owned(),
        Some(place) => options.in_repository(&place.file),
        None => finding.object.to_string(),
    };
    let span = finding.place.as_ref().and_then(|place| place.span);
    let line = span.map_or(1, |span| span.start.line);
    let state = if finding.status == Status::Unknown { "not evaluated: " } else { "" };
    let mut description = format!("{}: {state}{}", finding.object, finding.message);
    for remark in finding.remarks() {
        description.push_str("; ");
        description.push_str(&remark);
    }
    if finding.place.is_some() && span.is_none() {
        description.push_str("; the line is not known");
    }
    json!({
        "description": description,
        "check_name": view.rule_id(finding),
        "fingerprint": fingerprint,
        "severity": severity(finding.status, view.severity(finding)),
        "location": { "path": path, "lines": { "begin": line } },
    })
}

/// GitLab's severity. Without one of the policy, a denial is major and everything else minor.
fn severity(status: Status, severity: Option<Severity>) -> &'static str {
    match (severity, status) {
        (Some(Severity::Critical), _) => "blocker",
        (Some(Severity::High), _) => "critical",
        (Some(Severity::Medium), _) | (None, Status::Denied | Status::Unknown) => "major",
        (Some(Severity::Low), _) | (None, Status::Monitored | Status::Warned) => "minor",
        (Some(Severity::Info), _) => "info",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::format::tests::written;
    use crate::{Format, sample};

    #[test]
    fn no_issue_swallows_another() {
        let text = written(&sample::report(), Format::Gitlab);
        let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
        let fingerprints: BTreeSet<&str> =
            issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
        assert_eq!(fingerprints.len(), issues.len());
        assert_eq!(issues.len(), View::new(&sample::report()).worst_first().len());
    }
}
