//! Results for people.

use std::io::{self, Write};

use report::one_line;
use similar::{ChangeTag, TextDiff};

use crate::{CaseResult, Coverage, Difference, FileResult, Mistake, Results, Status};

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Writes the cases that did not pass, and a summary.
pub(super) fn write(out: &mut dyn Write, results: &Results, colors: bool) -> io::Result<()> {
    let mut text = Text { out, colors };
    for mistake in &results.mistakes {
        text.mistake(mistake)?;
    }
    for file in &results.files {
        text.file(file)?;
    }
    text.summary(results)
}

struct Text<'o> {
    out: &'o mut dyn Write,
    colors: bool,
}

impl Text<'_> {
    fn style(&self, style: &'static str) -> &'static str {
        if self.colors { style } else { "" }
    }

    fn line(&mut self, style: &'static str, label: &str, text: &str) -> io::Result<()> {
        let (style, plain) = (self.style(style), self.style(PLAIN));
        writeln!(self.out, "{style}{label}{plain} {}", one_line(text))
    }

    fn mistake(&mut self, mistake: &Mistake) -> io::Result<()> {
        self.line(RED, "BROKEN", &mistake.to_string())?;
        writeln!(self.out)
    }

    fn file(&mut self, file: &FileResult) -> io::Result<()> {
        for mistake in &file.mistakes {
            self.mistake(mistake)?;
        }
        for case in &file.cases {
            self.case(&file.name, case)?;
        }
        for policy in &file.not_reached {
            let problem = "no case reaches the policy, so nothing of it is tested; add one";
            self.line(RED, "FAILED", &format!("{}: policy {policy}: {problem}", file.name))?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn case(&mut self, file: &str, case: &CaseResult) -> io::Result<()> {
        let line = case.line.map(|line| format!(":{line}")).unwrap_or_default();
        match &case.status {
            Status::Passed => Ok(()),
            Status::Broken(mistake) => {
                self.line(RED, "BROKEN", &format!("{file}{line}: {}", case.name))?;
                writeln!(self.out, "  {}\n", one_line(&mistake.to_string()))
            }
            Status::Failed(differences) => {
                self.line(RED, "FAILED", &format!("{file}{line}: {}", case.name))?;
                for difference in differences {
                    self.difference(difference)?;
                }
                writeln!(self.out)
            }
        }
    }

    fn difference(&mut self, difference: &Difference) -> io::Result<()> {
        let Difference { policy, want, got, remark, .. } = difference;
        if let Some(policy) = policy {
            let (bold, plain) = (self.style(BOLD), self.style(PLAIN));
            writeln!(self.out, "  {bold}{}{plain} (- wanted, + got)", one_line(policy))?;
        }
        let (want, got) = (text(want), text(got));
        for change in TextDiff::from_lines(&want, &got).iter_all_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', ""),
                ChangeTag::Delete => ('-', self.style(RED)),
                ChangeTag::Insert => ('+', self.style(GREEN)),
            };
            let plain = if style.is_empty() { "" } else { self.style(PLAIN) };
            let line = one_line(change.value().trim_end_matches('\n'));
            writeln!(self.out, "  {style}{sign} {line}{plain}")?;
        }
        match remark {
            Some(remark) => writeln!(self.out, "  {}", one_line(remark)),
            None => Ok(()),
        }
    }

    fn summary(&mut self, results: &Results) -> io::Result<()> {
        let totals = results.totals();
        let style = if results.exit_status() == 0 { GREEN } else { RED };
        let files = count(results.files.len(), "file", "files");
        let cases = count(totals.cases, "case", "cases");
        let failed = if totals.failed > 0 { format!(", {} failed", totals.failed) } else { String::new() };
        let broken = if totals.broken > 0 { format!(", {} broken", totals.broken) } else { String::new() };
        let (style, plain) = (self.style(style), self.style(PLAIN));
        writeln!(self.out, "{style}{cases} in {files}: {} passed{failed}{broken}{plain}", totals.passed)?;
        let blessed: usize = results.files.iter().map(|file| file.blessed).sum();
        if blessed > 0 {
            let cases = count(blessed, "case was", "cases were");
            writeln!(self.out, "{cases} blessed; read the change before you accept it")?;
        }
        if totals.cases == 0 {
            writeln!(self.out, "nothing was tested")?;
        }
        results.coverage.as_ref().map_or(Ok(()), |coverage| self.coverage(coverage))
    }

    fn coverage(&mut self, coverage: &Coverage) -> io::Result<()> {
        let (seen, all) = coverage.seen();
        let style = self.style(if coverage.is_too_low() { RED } else { "" });
        let plain = if style.is_empty() { "" } else { self.style(PLAIN) };
        let threshold = coverage.threshold.filter(|_| coverage.is_too_low());
        let threshold = threshold.map(|least| format!(", less than {least} %")).unwrap_or_default();
        writeln!(self.out, "{style}coverage: {seen} of {all} ({} %){threshold}{plain}", coverage.percent())?;
        for policy in &coverage.policies {
            for missing in policy.missing() {
                writeln!(self.out, "  {}: {}", one_line(&policy.name), one_line(&missing))?;
            }
        }
        Ok(())
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
