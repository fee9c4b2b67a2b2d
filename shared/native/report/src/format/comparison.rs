//! A comparison as text, Markdown and JSON.

use std::io::{self, Write};

use super::text::{BOLD, GREEN, MAGENTA, Paint, RED, Writer, count, write_notices};
use super::{Format, Options};
use crate::escape::{markdown, one_line};
use crate::names::View;
use crate::notices::for_people;
use crate::{Comparison, Exit, Finding, PolicyRef, Report};

impl Comparison {
    /// The names of the formats of a comparison. The others are made for findings of one scan.
    pub const FORMATS: [&'static str; 3] = ["text", "json", "markdown"];

    /// Writes the comparison, and returns whether it has the format.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, out: &mut dyn Write, format: Format, options: &Options<'_>) -> io::Result<bool> {
        match format {
            Format::Text => write_text(out, self, options)?,
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                writeln!(out)?;
            }
            Format::Markdown => write_markdown(out, self, options)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The names of the policies that only one side has, with that side, and of those with
    /// different modules, with both.
    fn different(&self) -> impl Iterator<Item = (String, String)> {
        self.policies.iter().filter_map(|pair| match (&pair.before, &pair.after) {
            (Some(policy), None) => Some((policy.label(), "only before".to_owned())),
            (None, Some(policy)) => Some((policy.label(), "only after".to_owned())),
            (Some(before), Some(after)) if !has_same_module(before, after) => {
                Some((after.label(), format!("{} -> {}", module(before), module(after))))
            }
            _ => None,
        })
    }

    fn phrase(&self) -> String {
        let totals = self.totals;
        format!(
            "{}, {} gone, {} stayed, {} changed",
            count(totals.new, "new finding", "new findings"),
            totals.gone,
            totals.stayed,
            count(totals.verdicts, "verdict", "verdicts")
        )
    }

    fn lists(&self) -> [(&'static str, &[Finding]); 2] {
        [("New", &self.new), ("Gone", &self.gone)]
    }
}

/// The digest decides, if both are known: tags move, and one module can have several names.
fn has_same_module(before: &PolicyRef, after: &PolicyRef) -> bool {
    match (&before.digest, &after.digest) {
        (Some(before), Some(after)) => before == after,
        (None, None) => before.module == after.module,
        _ => false,
    }
}

fn module(policy: &PolicyRef) -> String {
    match &policy.digest {
        Some(digest) => format!("{} ({digest})", policy.module),
        None => policy.module.clone(),
    }
}

/// The result in words and for Markdown.
fn result(exit: Exit) -> (&'static str, &'static str) {
    match exit {
        Exit::Clean => ("Not worse", "✅"),
        Exit::Failed => ("Worse", "❌"),
        Exit::NotEvaluated => ("Not evaluated", "⚠️"),
    }
}

fn write_text(out: &mut dyn Write, comparison: &Comparison, options: &Options<'_>) -> io::Result<()> {
    // Findings that are gone have no lines.
    let without_lines = Options { sources: None, ..*options };
    let mut writer = Writer::new(&without_lines);
    let paint = writer.paint;
    let named = comparison.named();
    let view = View::new(&named);
    for (heading, findings) in comparison.lists() {
        if findings.is_empty() {
            continue;
        }
        writeln!(out, "{}", paint.with(BOLD, heading))?;
        for finding in findings {
            writeln!(out, "  {}", one_line(&finding.object.to_string()))?;
            writer.finding(out, &view, finding)?;
        }
        writeln!(out)?;
    }
    let verdicts = comparison.verdicts.iter().map(|change| {
        let policy = view.labels().get(change.policy).map_or("", String::as_str);
        format!("{}, {policy}: {} -> {}", change.object, change.before.name(), change.after.name())
    });
    write_lines(out, paint, "Verdicts", verdicts)?;
    let different = comparison.different().map(|(label, what)| format!("{label}: {what}"));
    write_lines(out, paint, "Policies", different)?;
    write_notices(out, &Report { notices: comparison.notices.clone(), ..Report::default() }, paint)?;
    let exit = comparison.exit(options.fail_on);
    let style = match exit {
        Exit::Clean => GREEN,
        Exit::Failed => RED,
        Exit::NotEvaluated => MAGENTA,
    };
    let result = paint.with(style, &result(exit).0.to_uppercase());
    writeln!(out, "{result}  {}", comparison.phrase())
}

fn write_lines(
    out: &mut dyn Write,
    paint: Paint,
    heading: &str,
    lines: impl Iterator<Item = String>,
) -> io::Result<()> {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "{}", paint.with(BOLD, heading))?;
    for line in lines {
        writeln!(out, "  {}", one_line(&line))?;
    }
    writeln!(out)
}

fn write_markdown(out: &mut dyn Write, comparison: &Comparison, options: &Options<'_>) -> io::Result<()> {
    let named = comparison.named();
    let view = View::new(&named);
    let (result, symbol) = result(comparison.exit(options.fail_on));
    let phrase = comparison.phrase();
    writeln!(out, "## {symbol} Portcullis comparison: {}\n\n**{phrase}**\n", result.to_lowercase())?;
    let mut size = 0;
    let verdicts = comparison.verdicts.iter().map(|change| {
        let policy = view.labels().get(change.policy).map_or("", String::as_str);
        let (object, policy) = (markdown(&change.object.to_string()), markdown(policy));
        format!("| {object} | {policy} | {} | {} |", change.before.name(), change.after.name())
    });
    let header = "| object | policy | before | after |\n|---|---|---|---|";
    super::markdown::write_table(out, "Verdicts", header, verdicts, &mut size)?;
    for (heading, findings) in comparison.lists() {
        let rows = findings.iter().map(|finding| super::markdown::row(&view, finding));
        super::markdown::write_table(out, heading, super::markdown::FINDINGS, rows, &mut size)?;
    }
    let different: Vec<(String, String)> = comparison.different().collect();
    let rows = different.iter().map(|(label, what)| format!("| {} | {} |", markdown(label), markdown(what)));
    super::markdown::write_table(out, "Policies", "| policy | difference |\n|---|---|", rows, &mut size)?;
    let notices = for_people(&comparison.notices);
    let notices = notices.iter().map(super::markdown::notice);
    super::markdown::write_table(out, "Problems", super::markdown::NOTICES, notices, &mut size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn written(format: Format) -> Option<String> {
        let comparison = Comparison::of(&Report::default(), &sample::report());
        let mut bytes = Vec::new();
        let has = comparison.write(&mut bytes, format, &Options::default()).unwrap();
        has.then(|| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_comparison_has_the_formats_that_it_names() {
        for name in Format::NAMES {
            let text = written(name.parse().unwrap());
            assert_eq!(text.is_some(), Comparison::FORMATS.contains(&name), "{name}");
            assert!(text.is_none_or(|text| !text.contains('\u{1b}')), "{name}");
        }
    }

    #[test]
    fn modules_are_told_apart_by_digest() {
        let with = |module: &str, digest: Option<&str>| {
            let (module, digest) = (module.to_owned(), digest.map(str::to_owned));
            let policy = PolicyRef { module, digest, ..sample::policy("a", None) };
            Report { policies: vec![policy], ..Report::default() }
        };
        let text = |before: &Report, after: &Report| {
            let mut bytes = Vec::new();
            Comparison::of(before, after).write(&mut bytes, Format::Text, &Options::default()).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        let one = with("a:v1", Some("sha256:1"));
        let moved = text(&one, &with("a:v1", Some("sha256:2")));
        assert!(moved.contains("Policies\n  a: a:v1 (sha256:1) -> a:v1 (sha256:2)\n"), "{moved}");
        let native = text(&one, &with("a", None));
        assert!(native.contains("  a: a:v1 (sha256:1) -> a\n"), "{native}");
        let renamed = text(&one, &with("a:latest", Some("sha256:1")));
        assert!(!renamed.contains("Policies"), "{renamed}");
    }

    #[test]
    fn text_and_markdown_name_changes_and_policies_on_one_side() {
        let text = written(Format::Text).unwrap();
        assert!(text.contains("  Deployment shop/web, pod-security: no policy -> denied\n"), "{text}");
        assert!(text.contains("  pod-security: only after\n"), "{text}");
        let text = written(Format::Markdown).unwrap();
        assert!(text.contains("| Deployment shop/web | pod-security | no policy | denied |\n"), "{text}");
    }
}
