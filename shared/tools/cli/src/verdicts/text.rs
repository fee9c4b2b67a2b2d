//! Verdicts as text.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use kubernetes::review::AdmissionResponse;
use report::one_line;
use scan::diff::{DiffLine, LineKind};

use super::{EvaluatedRequest, Verdict};
use crate::input::named;

const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default();

/// The number of characters of an audit annotation that are shown.
const ANNOTATION: usize = 160;

/// Writes a paragraph for each request: verdict, messages, warnings, audit annotations and the
/// patch. With several requests, each verdict names its place, and the last line counts them.
pub(super) fn write(out: &mut dyn Write, evaluated: &[EvaluatedRequest]) -> io::Result<()> {
    let are_several = evaluated.len() > 1;
    for one @ EvaluatedRequest { place, request, response, not_evaluated } in evaluated {
        let (verdict, style) = Verdict::of(one).shown();
        let place = if are_several { format!("{}: ", named(place)) } else { String::new() };
        writeln!(out, "{style}{verdict:<8}{style:#}  {}", one_line(&format!("{place}{request}")))?;
        if let Some(why) = not_evaluated {
            writeln!(out, "  {}", one_line(why))?;
        }
        write_details(out, response)?;
        if let Some(patch) = &response.patch {
            for DiffLine { kind, text } in scan::diff::of_patch(request.object(), patch) {
                let style = match kind {
                    LineKind::Added => AnsiColor::Green.on_default(),
                    LineKind::Removed => AnsiColor::Red.on_default(),
                    LineKind::Header => CYAN,
                    LineKind::Unchanged | LineKind::Operation => Style::new(),
                };
                writeln!(out, "  {style}{}{style:#}", one_line(&text))?;
            }
        }
        let has_details = response.status.is_some()
            || response.patch.is_some()
            || response.warnings.is_some()
            || response.audit_annotations.is_some()
            || not_evaluated.is_some();
        if has_details && are_several {
            writeln!(out)?;
        }
    }
    if are_several { writeln!(out, "{}", total(evaluated)) } else { Ok(()) }
}

/// Returns the number of requests with each verdict: `3 requests: 2 admitted, 1 denied.`
fn total(evaluated: &[EvaluatedRequest]) -> String {
    let count = |wanted: Verdict| {
        let count = evaluated.iter().filter(|evaluated| Verdict::of(evaluated) == wanted).count();
        (count > 0).then(|| format!("{count} {}", wanted.shown().0.to_lowercase()))
    };
    let all = [Verdict::Admitted, Verdict::Mutated, Verdict::Denied, Verdict::Fault, Verdict::NotEvaluated];
    let counts: Vec<String> = all.into_iter().filter_map(count).collect();
    format!("{} requests: {}.", evaluated.len(), counts.join(", "))
}

impl Verdict {
    fn shown(self) -> (&'static str, Style) {
        match self {
            Self::Admitted => ("ADMITTED", GREEN),
            Self::Mutated => ("MUTATED", YELLOW),
            Self::Denied => ("DENIED", RED),
            Self::Fault => ("FAULT", RED),
            Self::NotEvaluated => ("NOT EVALUATED", YELLOW),
        }
    }
}

fn write_details(out: &mut dyn Write, response: &AdmissionResponse) -> io::Result<()> {
    let message = response.status.as_ref().and_then(|status| status.message.as_deref());
    for line in message.unwrap_or_default().lines() {
        writeln!(out, "  {}", one_line(line))?;
    }
    for warning in response.warnings.iter().flatten() {
        writeln!(out, "  {YELLOW}warning:{YELLOW:#} {}", one_line(warning))?;
    }
    for (key, value) in response.audit_annotations.iter().flatten() {
        writeln!(out, "  {CYAN}audit:{CYAN:#} {}: {}", one_line(key), shortened(value))?;
    }
    Ok(())
}

/// Returns the start of a long value: annotations are for programs.
fn shortened(value: &str) -> String {
    let shown = one_line(&value.chars().take(ANNOTATION).collect::<String>());
    match value.chars().count() {
        count if count > ANNOTATION => format!("{shown}… ({count} characters; -o json shows all)"),
        _ => shown,
    }
}
