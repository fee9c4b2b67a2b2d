//! Markdown, for the summary of a job.

use std::io::{self, Write};

use super::Options;
use super::text::{COLUMNS, POLICIES, change, count, result, sentences};
use crate::escape::{markdown, markup, one_line};
use crate::names::{Counts, View};
use crate::notices::for_people;
use crate::{Exit, Finding, Level, Notice, Report, exit};

/// The size at which the list of findings ends. GitHub refuses summaries of more than 1 MiB.
const LIMIT: usize = 900_000;

/// The headers of the tables of problems and findings.
pub(super) const NOTICES: &str = "| level | place | problem |\n|---|---|---|";
pub(super) const FINDINGS: &str =
    "| result | severity | policy | object | place | message |\n|---|---|---|---|---|---|";

/// Writes the result, the totals, problems of the input, and the open findings, the worst first.
pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let view = View::new(report);
    let symbol = match exit(report, options.fail_on) {
        Exit::Clean => "✅",
        Exit::Failed => "❌",
        Exit::NotEvaluated => "⚠️",
    };
    let counts = Counts::of(report).phrase();
    writeln!(
        out,
        "## {symbol} Portcullis scan: {}\n\n**{counts}**\n",
        result(report, options).to_lowercase()
    )?;
    writeln!(out, "{}\n", sentences(report, options).join(" "))?;
    write_totals(out, &view)?;
    let mut size: usize = 0;
    // Errors may hide any number of findings; warnings and notes do not.
    let (errors, others): (Vec<_>, Vec<_>) =
        for_people(&report.notices).into_iter().partition(|notice| notice.level == Level::Error);
    write_table(out, "Problems", NOTICES, errors.iter().map(notice), &mut size)?;
    let findings = view.worst_first();
    let rows = findings.iter().map(|finding| row(&view, finding));
    write_table(out, "Findings", FINDINGS, rows, &mut size)?;
    write_table(out, "Warnings and notes", NOTICES, others.iter().map(notice), &mut size)?;
    write_changes(out, &view, &mut size)
}

pub(super) fn notice(notice: &Notice) -> String {
    let level = match notice.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let place = notice.place.as_ref().map(|place| markdown(&place.to_string())).unwrap_or_default();
    format!("| {level} | {place} | {} |", markdown(&notice.message))
}

fn write_totals(out: &mut dyn Write, view: &View<'_>) -> io::Result<()> {
    if view.labels().is_empty() {
        return Ok(());
    }
    writeln!(out, "| {POLICIES} | {} |", COLUMNS.map(|(name, _)| name).join(" | "))?;
    writeln!(out, "|---|{}", "---:|".repeat(COLUMNS.len()))?;
    for (label, row) in view.labels().iter().zip(view.rows()) {
        let numbers = COLUMNS.map(|(_, number)| number(&row).to_string());
        writeln!(out, "| {} | {} |", markdown(label), numbers.join(" | "))?;
    }
    writeln!(out)
}

pub(super) fn write_table(
    out: &mut dyn Write,
    heading: &str,
    header: &str,
    rows: impl ExactSizeIterator<Item = String>,
    size: &mut usize,
) -> io::Result<()> {
    let all = rows.len();
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "### {heading}\n\n{header}")?;
    let mut written: usize = 0;
    for row in rows {
        *size += row.len();
        if *size > LIMIT {
            break;
        }
        writeln!(out, "{row}")?;
        written += 1;
    }
    writeln!(out)?;
    match all.saturating_sub(written) {
        0 => Ok(()),
        more => writeln!(out, "{} left out.\n", count(more as u64, "more row is", "more rows are")),
    }
}

/// Writes the changes of objects, each closed.
fn write_changes(out: &mut dyn Write, view: &View<'_>, size: &mut usize) -> io::Result<()> {
    let changes = &view.report.mutations;
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Changes\n")?;
    let mut written: usize = 0;
    for mutation in changes {
        let lines: Vec<String> = mutation.diff.iter().map(|line| one_line(line)).collect();
        let diff = lines.join("\n");
        // The fence is longer than each one in the diff.
        let mut fence = "```".to_owned();
        while diff.contains(&fence) {
            fence.push('`');
        }
        let heading = markup(&change(view, mutation));
        let block =
            format!("<details><summary>{heading}</summary>\n\n{fence}diff\n{diff}\n{fence}\n\n</details>\n");
        *size += block.len();
        if *size > LIMIT {
            break;
        }
        writeln!(out, "{block}")?;
        written += 1;
    }
    match changes.len().saturating_sub(written) {
        0 => Ok(()),
        more => writeln!(out, "{} left out.\n", count(more as u64, "more change is", "more changes are")),
    }
}

pub(super) fn row(view: &View<'_>, finding: &Finding) -> String {
    let place = match &finding.place {
        Some(place) => format!("{}{}", markdown(&place.to_string()), place.qualifier()),
        None => String::new(),
    };
    let mut message = markdown(&finding.message);
    for remark in finding.remarks() {
        message.push_str("<br>");
        message.push_str(&markdown(&remark));
    }
    format!(
        "| {} | {} | {} | {} | {place} | {message} |",
        finding.status.name(),
        view.severity(finding).map_or("", crate::Severity::name),
        markdown(&view.rule_id(finding)),
        markdown(&finding.object.to_string()),
    )
}

#[cfg(test)]
mod tests {
    use crate::format::tests::written;
    use crate::{Format, Mutation, sample};

    #[test]
    fn every_row_has_the_cells_of_its_header() {
        let text = written(&sample::report(), Format::Markdown);
        let mut cells = None;
        for line in text.lines() {
            let unescaped = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
            if unescaped == 0 {
                cells = None;
            } else {
                assert_eq!(*cells.get_or_insert(unescaped), unescaped, "{line}");
            }
        }
    }

    #[test]
    fn changes_are_diffs_that_nothing_in_them_ends() {
        let mut report = sample::clean();
        assert!(!written(&report, Format::Markdown).contains("### Changes"));
        let diff = vec!["-  a: b".to_owned(), "+```".to_owned(), "+````".to_owned()];
        report.mutations = vec![Mutation { diff, ..sample::mutation() }];
        let text = written(&report, Format::Markdown);
        let block = "### Changes\n\n<details><summary>Deployment shop/web, the pods to come: changed by pod-security, \
                     deploy/web.yaml:1:1</summary>\n\n`````diff\n-  a: b\n+```\n+````\n`````\n\n</details>\n";
        assert!(text.contains(block), "{text}");
        report.mutations = vec![sample::mutation(); 10_000];
        let text = written(&report, Format::Markdown);
        assert!(text.len() < 1_000_000 && text.contains(" more changes are left out."));
    }

    #[test]
    fn a_summary_stays_below_the_limit_and_counts_the_rest() {
        let mut report = sample::clean();
        report.findings = vec![sample::finding(); 10_000];
        let text = written(&report, Format::Markdown);
        assert!(text.len() < 1_000_000);
        let rows = text.lines().filter(|line| line.starts_with("| denied ")).count();
        assert!(text.contains(&format!("\n{} more rows are left out.", 10_000 - rows)), "{rows}");
    }
}
