//! Annotations of GitHub Actions.

use std::io::{self, Write};

use super::Options;
use super::text::count;
use crate::names::{Counts, View};
use crate::notices::for_people;
use crate::{Level, Place, Report, Span, Status};

/// The number of annotations of a kind that GitHub shows for a step.
const SHOWN: usize = 10;

const KINDS: [&str; 3] = ["error", "warning", "notice"];

/// Writes the worst findings as workflow commands, and then how many there are beyond.
pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let view = View::new(report);
    let place = |place: &Option<Place>| {
        place.as_ref().map(|place| Place { file: options.in_repository(&place.file), ..place.clone() })
    };
    let notices = for_people(&report.notices);
    let notices = notices.iter().map(|notice| {
        let kind = match notice.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let title = if notice.place.is_some() { "input" } else { "scan" };
        (kind, command(kind, place(&notice.place).as_ref(), title, &notice.message))
    });
    let findings = view.worst_first();
    let findings = findings.iter().map(|finding| {
        let (kind, state) = match finding.status {
            Status::Denied => ("error", ""),
            Status::Unknown => ("error", "Not evaluated: "),
            Status::Monitored => ("warning", "Monitored: "),
            Status::Warned => ("warning", ""),
        };
        let mut message = format!("{state}{}: {}", finding.object, finding.message);
        for remark in finding.remarks() {
            message.push('\n');
            message.push_str(&remark);
        }
        (kind, command(kind, place(&finding.place).as_ref(), &view.rule_id(finding), &message))
    });
    // Errors of the scan come first: they may hide any number of findings.
    let (unread, noted): (Vec<_>, Vec<_>) = notices.partition(|(kind, _)| *kind == "error");
    let commands: Vec<(&str, String)> = unread.into_iter().chain(findings).chain(noted).collect();
    for kind in KINDS {
        let of_kind: Vec<&String> =
            commands.iter().filter(|(other, _)| *other == kind).map(|(_, command)| command).collect();
        for command in of_kind.iter().take(SHOWN) {
            writeln!(out, "{command}")?;
        }
        let more = of_kind.len().saturating_sub(SHOWN);
        if more > 0 {
            let (one, many) = (format!("more {kind} is"), format!("more {kind}s are"));
            writeln!(out, "{} not annotated, because GitHub shows {SHOWN}", count(more as u64, &one, &many))?;
        }
    }
    writeln!(out, "portcullis scan: {}", Counts::of(report).phrase())
}

/// Returns a workflow command of GitHub Actions, which annotates a place: `kind` is `error`,
/// `warning` or `notice`. The place of an object is its first line.
#[must_use]
pub fn command(kind: &str, place: Option<&Place>, title: &str, message: &str) -> String {
    let mut properties = Vec::new();
    if let Some(place) = place.filter(|place| place.file != "-") {
        properties.push(format!("file={}", property(&place.file)));
        if let Some(Span { start, end }) = place.span {
            properties.push(format!("line={}", start.line));
            if place.is_exact {
                properties.push(format!("endLine={}", end.line));
                // GitHub accepts columns only within a line.
                if end.line == start.line {
                    properties.push(format!("col={},endColumn={}", start.column, end.column));
                }
            }
        }
    }
    properties.push(format!("title={}", property(title)));
    format!("::{kind} {}::{}", properties.join(","), data(message))
}

/// Escapes the message of a command, as `@actions/core` does.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // The runner decodes these; everything else that a terminal interprets is made visible.
    crate::one_line(&text)
}

/// Escapes a property of a command, as `@actions/core` does.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::written;
    use crate::{Finding, Format, sample};

    #[test]
    fn text_cannot_end_a_command_or_begin_another() {
        let text = written(&sample::report(), Format::Github);
        let commands = text.lines().filter(|line| line.starts_with("::")).count();
        let wanted = sample::report().notices.len() + View::new(&sample::report()).worst_first().len();
        assert_eq!(commands, wanted);
        assert_eq!(
            command("error", Some(&sample::place("a,b:c%", (1, 2), (1, 3), true)), "t:1", "a:\n::b,%"),
            "::error file=a%2Cb%3Ac%25,line=1,endLine=1,col=2,endColumn=3,title=t%3A1::a:%0A::b,%25"
        );
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let mut report = sample::clean();
        report.findings = vec![sample::finding(); 12];
        report.findings.push(Finding { status: Status::Warned, ..sample::finding() });
        let text = written(&report, Format::Github);
        assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), SHOWN);
        assert_eq!(text.lines().filter(|line| line.starts_with("::warning ")).count(), 1);
        assert!(text.contains("\n2 more errors are not annotated, because GitHub shows 10\n"), "{text}");
    }

    #[test]
    fn the_place_of_an_object_is_its_line() {
        let text = command("error", Some(&sample::place("a", (3, 1), (9, 1), false)), "t", "m");
        assert_eq!(text, "::error file=a,line=3,title=t::m");
        let text = command("error", Some(&sample::place("a", (3, 1), (9, 1), true)), "t", "m");
        assert_eq!(text, "::error file=a,line=3,endLine=9,title=t::m");
        assert_eq!(command("error", None, "t", "m"), "::error title=t::m");
    }
}
