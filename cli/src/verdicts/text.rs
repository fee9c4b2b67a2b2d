//! Verdicts as text.

use std::io::{self, Write};

use admission_review::AdmissionResponse;
use anstyle::{AnsiColor, Style};

use super::JudgedRequest;
use super::diff::{self, DiffLine, LineKind};
use crate::terminal::one_line;

const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default();

/// Writes a paragraph for each request: verdict, messages, warnings, audit annotations and the
/// patch.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write(out: &mut dyn Write, judged: &[JudgedRequest]) -> io::Result<()> {
    for (index, JudgedRequest { request, response }) in judged.iter().enumerate() {
        let (verdict, style) = verdict(response);
        writeln!(out, "{style}{verdict:<8}{style:#}  {}", one_line(&request.to_string()))?;
        write_details(out, response)?;
        if let Some(patch) = &response.patch {
            for DiffLine { kind, text } in diff::lines(request.object(), patch) {
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
            || response.audit_annotations.is_some();
        if has_details && judged.len() > index.saturating_add(1) {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn verdict(response: &AdmissionResponse) -> (&'static str, Style) {
    match response {
        AdmissionResponse { allowed: false, .. } => ("DENIED", RED),
        AdmissionResponse { patch: Some(_), .. } => ("MUTATED", YELLOW),
        _ => ("ADMITTED", GREEN),
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
        writeln!(out, "  {CYAN}audit:{CYAN:#} {}: {}", one_line(key), one_line(value))?;
    }
    Ok(())
}
