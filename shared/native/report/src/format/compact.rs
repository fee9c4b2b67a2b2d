//! A line for each finding, as compilers print them, for editors and other programs that search.

use std::io::{self, Write};

use crate::escape::one_line;
use crate::names::View;
use crate::{Finding, Level, Place, Report, Status};

/// Writes the open findings and then the problems of the input:
/// `web.yaml:7:5: error: MESSAGE [POLICY/RULE, Service shop/web]`.
pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let view = View::new(report);
    for finding in report.findings.iter().filter(|finding| finding.is_open()) {
        let (level, state) = match finding.status {
            Status::Denied => ("error", ""),
            Status::Unknown => ("error", "not evaluated: "),
            Status::Monitored => ("warning", "monitored: "),
            Status::Warned => ("warning", ""),
        };
        let Finding { place, message, object, .. } = finding;
        let qualifier = place.as_ref().map(Place::qualifier).unwrap_or_default();
        let place = place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let mut line = format!("{place}{level}: {state}{message} [{}, {object}", view.rule_id(finding));
        if !qualifier.is_empty() {
            line.push_str(", ");
            line.push_str(qualifier.trim_matches([' ', '(', ')']));
        }
        for remark in finding.remarks() {
            line.push_str(", ");
            line.push_str(&remark);
        }
        writeln!(out, "{}]", one_line(&line))?;
    }
    for notice in &report.notices {
        let level = match notice.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        };
        let place = notice.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        writeln!(out, "{}", one_line(&format!("{place}{level}: {}", notice.message)))?;
    }
    Ok(())
}
