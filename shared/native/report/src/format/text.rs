//! Text for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Options, excerpt};
use crate::escape::one_line;
use crate::names::{Counts, Row, View};
use crate::notices::for_people;
use crate::{Exit, FailOn, Finding, Level, Mutation, Place, Report, Status, exit};

pub(super) const GREEN: Style = AnsiColor::Green.on_default().bold();
pub(super) const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const MAGENTA: Style = AnsiColor::Magenta.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default();
pub(super) const BOLD: Style = Style::new().bold();

/// Writes the open findings by file, or by namespace and owner for objects that are in no file.
/// Changes, problems of the input, the totals of each policy, and the result follow.
///
/// Messages are not wrapped: a line that is broken cannot be searched for.
pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let mut writer = Writer::new(options);
    let paint = writer.paint;
    let view = View::new(report);
    let open: Vec<&Finding> = report.findings.iter().filter(|finding| finding.is_open()).collect();
    let mut groups: BTreeMap<String, BTreeMap<String, Vec<&Finding>>> = BTreeMap::new();
    for finding in open {
        groups.entry(group(finding)).or_default().entry(subject(finding)).or_default().push(finding);
    }
    for (group, subjects) in groups {
        writeln!(out, "{}", paint.with(BOLD, &one_line(&group)))?;
        for (subject, findings) in subjects {
            writeln!(out, "  {}", one_line(&subject))?;
            for finding in findings {
                writer.finding(out, &view, finding)?;
            }
        }
        writeln!(out)?;
    }
    write_excepted(out, &view, paint)?;
    write_mutations(out, &view, paint)?;
    write_notices(out, report, paint)?;
    write_totals(out, &view)?;
    write_result(out, report, options, paint)
}

fn group(finding: &Finding) -> String {
    match (&finding.place, &finding.object.namespace) {
        (Some(place), _) if place.file == "-" => "standard input".to_owned(),
        (Some(place), _) => place.file.clone(),
        (None, Some(namespace)) => format!("namespace {namespace}"),
        (None, None) => "cluster-scoped objects".to_owned(),
    }
}

/// The object, with its owner if it is in no file.
fn subject(finding: &Finding) -> String {
    match (&finding.place, &finding.object.owner) {
        (None, Some(owner)) => format!("{owner}: {}", finding.object),
        _ => finding.object.to_string(),
    }
}

/// Writes findings.
pub(super) struct Writer<'o> {
    options: &'o Options<'o>,
    pub(super) paint: Paint,
    /// The rules that were explained.
    explained: BTreeSet<String>,
}

impl<'o> Writer<'o> {
    pub(super) fn new(options: &'o Options<'o>) -> Self {
        Self { options, paint: Paint(options.colors), explained: BTreeSet::new() }
    }

    /// Writes a finding: the rule and the place, the message, the line with the value, and what
    /// helps. The page of a rule is named once.
    pub(super) fn finding(
        &mut self,
        out: &mut dyn Write,
        view: &View<'_>,
        finding: &Finding,
    ) -> io::Result<()> {
        write_head(out, view, finding, self.paint)?;
        let remedy = finding.remedy.as_deref().filter(|remedy| !remedy.is_empty());
        let message = remedy
            .and_then(|remedy| finding.message.strip_suffix(remedy)?.strip_suffix("; "))
            .unwrap_or(&finding.message);
        writeln!(out, "      {}", one_line(message))?;
        let is_shown = |place: &&Place| place.is_exact && place.file != "-" && finding.may_be_shown();
        let place = finding.place.as_ref().filter(is_shown);
        let lines = place.and_then(|place| self.options.sources.and_then(|sources| sources(place)));
        let excerpt = place.and_then(|place| place.span).zip(lines);
        if let Some([line, marks]) = excerpt.and_then(|(span, lines)| excerpt::excerpt(finding, span, &lines))
        {
            writeln!(out, "    {line}\n    {}", self.paint.with(RED, &marks))?;
        }
        if let Some(remedy) = remedy {
            writeln!(out, "      {} {}", self.paint.with(CYAN, "help:"), one_line(remedy))?;
        }
        for remark in finding.remarks() {
            writeln!(out, "      {}", self.paint.with(CYAN, &one_line(&remark)))?;
        }
        if let Some((policy, rule)) = view.catalogued(finding) {
            let id = one_line(&format!("{policy}/{rule}"));
            if self.explained.insert(id.clone()) {
                writeln!(out, "      {} portcullis explain {id}", self.paint.with(CYAN, "see:"))?;
            }
        }
        Ok(())
    }
}

fn write_head(out: &mut dyn Write, view: &View<'_>, finding: &Finding, paint: Paint) -> io::Result<()> {
    let (name, style) = match finding.status {
        Status::Denied => ("DENIED", RED),
        Status::Unknown => ("UNKNOWN", MAGENTA),
        Status::Monitored => ("MONITORED", YELLOW),
        Status::Warned => ("WARNING", YELLOW),
    };
    let mut line = one_line(&view.rule_id(finding));
    if let Some(severity) = view.severity(finding) {
        line.push_str(", ");
        line.push_str(severity.name());
    }
    if let Some(place) = &finding.place {
        line.push_str(", ");
        line.push_str(&one_line(&place.to_string()));
        line.push_str(place.qualifier());
    }
    writeln!(out, "    {} {line}", paint.with(style, &format!("{name:<9}")))
}

/// Writes the findings that exceptions cover, with the reasons.
fn write_excepted(out: &mut dyn Write, view: &View<'_>, paint: Paint) -> io::Result<()> {
    let excepted = |finding: &Finding| {
        let reason = finding.excepted.as_ref()?;
        Some(one_line(&format!("{}: {}: {reason}", finding.object, view.rule_id(finding))))
    };
    let lines: BTreeSet<String> = view.report.findings.iter().filter_map(excepted).collect();
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint.with(BOLD, "Excepted"))?;
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(out)
}

/// The heading of a change.
pub(super) fn change(view: &View<'_>, mutation: &Mutation) -> String {
    let pods = if mutation.concerns_pods { ", the pods to come" } else { "" };
    let place = mutation.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
    let policy = view.policy_label(mutation.policy);
    format!("{}{pods}: changed by {policy}{place}", mutation.object)
}

fn write_mutations(out: &mut dyn Write, view: &View<'_>, paint: Paint) -> io::Result<()> {
    for mutation in &view.report.mutations {
        writeln!(out, "{}", paint.with(BOLD, &one_line(&change(view, mutation))))?;
        for line in &mutation.diff {
            let style = match line.chars().next() {
                Some('+') => AnsiColor::Green.on_default(),
                Some('-') => AnsiColor::Red.on_default(),
                Some('@') => CYAN,
                _ => Style::new(),
            };
            writeln!(out, "  {}", paint.with(style, &one_line(line)))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

pub(super) fn write_notices(out: &mut dyn Write, report: &Report, paint: Paint) -> io::Result<()> {
    if report.notices.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint.with(BOLD, "Problems"))?;
    for notice in for_people(&report.notices) {
        let (name, style) = match notice.level {
            Level::Error => ("error:", RED),
            Level::Warning => ("warning:", YELLOW),
            Level::Note => ("note:", CYAN),
        };
        let place = notice.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let message = one_line(&format!("{place}{}", notice.message));
        writeln!(out, "  {} {message}", paint.with(style, name))?;
    }
    writeln!(out)
}

/// A column of the totals: its name and its number.
pub(super) type Column = (&'static str, fn(&Row) -> u64);

pub(super) const COLUMNS: [Column; 7] = [
    ("admitted", |row| row.totals.admitted),
    ("mutated", |row| row.totals.mutated),
    ("denied", |row| row.totals.denied),
    ("monitored", |row| row.totals.monitored),
    ("unknown", |row| row.totals.unknown),
    ("accepted", |row| row.accepted),
    ("skipped", |row| row.totals.skipped),
];

/// The heading of the column of policies: the numbers are those of objects.
pub(super) const POLICIES: &str = "objects by policy";

fn write_totals(out: &mut dyn Write, view: &View<'_>) -> io::Result<()> {
    let labels: Vec<String> = view.labels().iter().map(|label| one_line(label)).collect();
    let Some(width) = labels.iter().map(|label| label.chars().count()).max() else { return Ok(()) };
    let width = width.max(POLICIES.len());
    write!(out, "{:<width$}", POLICIES.to_uppercase())?;
    for (name, _) in COLUMNS {
        write!(out, "  {:>9}", name.to_uppercase())?;
    }
    writeln!(out)?;
    for (label, row) in labels.iter().zip(view.rows()) {
        write!(out, "{label:<width$}")?;
        for (_, number) in COLUMNS {
            write!(out, "  {:>9}", number(&row))?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn write_result(out: &mut dyn Write, report: &Report, options: &Options<'_>, paint: Paint) -> io::Result<()> {
    let style = match exit(report, options.fail_on) {
        Exit::Clean => GREEN,
        Exit::Failed => RED,
        Exit::NotEvaluated => MAGENTA,
    };
    let result = paint.with(style, &result(report, options).to_uppercase());
    writeln!(out, "{result}  {}", Counts::of(report).phrase())?;
    for sentence in sentences(report, options) {
        writeln!(out, "{sentence}")?;
    }
    Ok(())
}

/// The result of the scan in words. A scan with findings that do not fail it is not clean.
pub(super) fn result(report: &Report, options: &Options<'_>) -> &'static str {
    match exit(report, options.fail_on) {
        Exit::Clean if exit(report, FailOn::Warn) == Exit::Clean => "Clean",
        Exit::Clean => "Passed",
        Exit::Failed => "Failed",
        Exit::NotEvaluated => "Not evaluated",
    }
}

/// Sentences about the scan as a whole.
pub(super) fn sentences(report: &Report, options: &Options<'_>) -> Vec<String> {
    let counts = Counts::of(report);
    let totals = &report.totals;
    let mut sentences = Vec::new();
    if report.is_partial {
        sentences.push("The scan was interrupted: the report is not complete.".to_owned());
    }
    let errors = report.notices.iter().filter(|notice| notice.level == Level::Error).count();
    if errors > 0 {
        // They are about the input, about a policy, or about the scan itself.
        sentences.push(format!(
            "{} kept something from being evaluated.",
            count(errors as u64, "error", "errors")
        ));
    }
    if totals.evaluations == 0 {
        sentences.push(format!(
            "Nothing was evaluated: {}, and no policy looked at any.",
            count(totals.objects, "object was read", "objects were read")
        ));
    } else {
        let objects = count(totals.objects, "object", "objects");
        let verdicts = count(totals.evaluations, "verdict", "verdicts");
        let others = match totals.not_evaluated {
            0 => String::new(),
            number => format!("; no policy looked at {}", count(number, "object", "objects")),
        };
        sentences.push(format!("{objects} and {verdicts}{others}."));
    }
    if counts.all() > 0 {
        let findings = count(counts.all(), "finding", "findings");
        sentences.push(match View::new(report).objects() {
            Some(objects) => format!("{findings} in {}.", count(objects as u64, "object", "objects")),
            None => format!("{findings}."),
        });
    }
    if counts.monitored > 0 && options.fail_on == FailOn::Deny {
        sentences
            .push("Denials in monitor mode do not fail the scan; with --fail-on warn, they do.".to_owned());
    }
    sentences
}

/// A number with its noun.
pub(super) fn count(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

#[derive(Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    pub(super) fn with(self, style: Style, text: &str) -> String {
        if self.0 { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sample, write as write_report};

    #[test]
    fn colours_add_nothing_but_escape_sequences() {
        let text = |colors| {
            let options = Options { colors, ..Options::default() };
            let mut bytes = Vec::new();
            write_report(&mut bytes, &sample::report(), crate::Format::Text, &options).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        let (plain, painted) = (text(false), text(true));
        assert!(!plain.contains('\u{1b}'));
        let mut stripped = String::new();
        for (index, part) in painted.split('\u{1b}').enumerate() {
            let part = if index == 0 { part } else { part.split_once('m').unwrap().1 };
            stripped.push_str(part);
        }
        assert_ne!(painted, plain);
        assert_eq!(stripped, plain);
    }

    #[test]
    fn changes_are_shown_as_diffs() {
        let report = Report { mutations: vec![sample::mutation()], ..sample::clean() };
        let mut bytes = Vec::new();
        write(&mut bytes, &report, &Options::default()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let heading = "Deployment shop/web, the pods to come: changed by pod-security, deploy/web.yaml:1:1\n";
        assert!(text.contains(heading), "{text}");
        assert!(text.contains("\n  @@ -1,2 +1,2 @@\n   labels:\n  -  a: b\n  +  a: x</script>"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_scan_that_passes_with_findings_is_not_called_clean() {
        let with = |status| {
            let findings = vec![Finding { status, ..sample::finding() }];
            Report { findings, ..sample::clean() }
        };
        let of = |report: &Report, fail_on| result(report, &Options { fail_on, ..Options::default() });
        assert_eq!(of(&sample::clean(), FailOn::Deny), "Clean");
        assert_eq!(of(&with(Status::Warned), FailOn::Deny), "Passed");
        assert_eq!(of(&with(Status::Warned), FailOn::Warn), "Failed");
        assert_eq!(of(&with(Status::Denied), FailOn::Never), "Passed");
        assert_eq!(of(&with(Status::Unknown), FailOn::Deny), "Not evaluated");
        assert_eq!(of(&Report::default(), FailOn::Never), "Passed");
    }

    #[test]
    fn a_report_of_nothing_says_so() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Report::default(), &Options::default()).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "NOT EVALUATED  0 denied, 0 unknown, 0 monitored, 0 warned\n\
             Nothing was evaluated: 0 objects were read, and no policy looked at any.\n"
        );
    }
}
