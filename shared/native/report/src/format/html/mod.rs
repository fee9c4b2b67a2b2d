//! A page of HTML that needs no other file and sends no request.
//!
//! It is readable without its script, which only filters. The content security policy names the
//! hashes of the script and the style, so that nothing from a report can become either.

mod findings;
mod map;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::Options;
use super::text::{COLUMNS, change, result, sentences};
use crate::escape::markup;
use crate::names::{Counts, View};
use crate::notices::for_people;
use crate::{Exit, Finding, Level, Notice, Report, Severity, exit};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The largest number of owners that the page suggests; every one can be searched for.
const OWNERS: usize = 500;

/// A report with numbers for the names that the filters compare.
struct Page<'r> {
    view: View<'r>,
    namespaces: BTreeMap<&'r str, usize>,
    rules: BTreeMap<&'r str, usize>,
}

impl<'r> Page<'r> {
    fn new(report: &'r Report) -> Self {
        let of_findings = report.findings.iter().map(namespace);
        let namespaces = of_findings.chain(report.totals.by_namespace.keys().map(String::as_str));
        let rules = report.findings.iter().map(Finding::rule_title);
        Self { view: View::new(report), namespaces: numbered(namespaces), rules: numbered(rules) }
    }
}

fn numbered<'r>(names: impl Iterator<Item = &'r str>) -> BTreeMap<&'r str, usize> {
    names.collect::<BTreeSet<&str>>().into_iter().zip(0..).collect()
}

fn namespace(finding: &Finding) -> &str {
    finding.object.namespace.as_deref().unwrap_or_default()
}

fn namespace_name(namespace: &str) -> String {
    if namespace.is_empty() { "(cluster-scoped)".to_owned() } else { markup(namespace) }
}

pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let page = Page::new(report);
    let result_name = result(report, options);
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    write!(
        out,
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portcullis scan: {lower}</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#findings">Skip to the findings</a>
<header>
<h1>Portcullis scan</h1>
<p><span class="result {class}">{result_name}.</span> {sentences}</p>
</header>
<main{large}>
"##,
        large = if findings::is_large(report) { r#" class="large""# } else { "" },
        lower = result_name.to_lowercase(),
        class = match exit(report, options.fail_on) {
            Exit::Clean => "clean",
            Exit::Failed => "denied",
            Exit::NotEvaluated => "unknown",
        },
        sentences = markup(&sentences(report, options).join(" ")),
    )?;
    write_totals(out, &page)?;
    map::write(out, &page)?;
    // Errors may hide any number of findings; warnings and notes do not.
    let (errors, others): (Vec<_>, Vec<_>) =
        for_people(&report.notices).into_iter().partition(|notice| notice.level == Level::Error);
    write_notices(out, "problems", "Problems", &errors)?;
    writeln!(out, r#"<section id="findings" aria-labelledby="findings-heading">"#)?;
    writeln!(out, r#"<h2 id="findings-heading">Findings</h2>"#)?;
    if report.findings.is_empty() {
        writeln!(out, "<p>There are no findings.</p>")?;
    } else {
        write_filters(out, &page)?;
        findings::write(out, &page, options)?;
    }
    writeln!(out, "</section>")?;
    write_notices(out, "notes", "Warnings and notes", &others)?;
    write_changes(out, &page.view)?;
    let version = markup(options.version);
    writeln!(out, "</main>\n<footer><p class=\"soft\">Portcullis {version}</p></footer>")?;
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn write_totals(out: &mut dyn Write, page: &Page<'_>) -> io::Result<()> {
    writeln!(
        out,
        "<section aria-labelledby=\"totals\">\n<h2 id=\"totals\">Totals</h2>\n<dl class=\"tiles\">"
    )?;
    for (name, number) in Counts::of(page.view.report).named() {
        writeln!(out, r#"<div><dt>{name}</dt><dd class="{name}">{number}</dd></div>"#)?;
    }
    writeln!(out, "</dl>")?;
    write!(
        out,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Objects by policy\">\n\
         <table>\n<thead><tr><th scope=\"col\">Policy</th>"
    )?;
    for (name, _) in COLUMNS {
        write!(out, r#"<th scope="col">{name}</th>"#)?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (label, row) in page.view.labels().iter().zip(page.view.rows()) {
        write!(out, r#"<tr><th scope="row">{}</th>"#, markup(label))?;
        for (_, number) in COLUMNS {
            write!(out, "<td>{}</td>", number(&row))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>\n</div>\n</section>")
}

fn write_notices(out: &mut dyn Write, id: &str, heading: &str, notices: &[Notice]) -> io::Result<()> {
    if notices.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n<ul>")?;
    for notice in notices {
        let (name, class) = match notice.level {
            Level::Error => ("error", "denied"),
            Level::Warning => ("warning", "warned"),
            Level::Note => ("note", "known"),
        };
        let place =
            notice.place.as_ref().map(|place| format!("<code>{}</code> ", markup(&place.to_string())));
        let (place, message) = (place.unwrap_or_default(), markup(&notice.message));
        writeln!(out, r#"<li class="{class}"><b>{name}</b> <span>{place}{message}</span></li>"#)?;
    }
    writeln!(out, "</ul>\n</section>")
}

/// Writes the changes of objects, each closed.
fn write_changes(out: &mut dyn Write, view: &View<'_>) -> io::Result<()> {
    if view.report.mutations.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes</h2>")?;
    for mutation in &view.report.mutations {
        let heading = markup(&change(view, mutation));
        writeln!(out, "<details class=\"change\"><summary>{heading}</summary>")?;
        write!(out, "<pre>")?;
        for line in &mutation.diff {
            let text = markup(line);
            match line.chars().next() {
                Some('+') => writeln!(out, "<ins>{text}</ins>")?,
                Some('-') => writeln!(out, "<del>{text}</del>")?,
                _ => writeln!(out, "{text}")?,
            }
        }
        writeln!(out, "</pre>\n</details>")?;
    }
    writeln!(out, "</section>")
}

fn write_filters(out: &mut dyn Write, page: &Page<'_>) -> io::Result<()> {
    let numbers = |names: &BTreeMap<&str, usize>, name: fn(&str) -> String| -> Vec<(String, String)> {
        names.iter().map(|(text, number)| (number.to_string(), name(text))).collect()
    };
    let findings = &page.view.report.findings;
    let severities: BTreeSet<Severity> =
        findings.iter().filter_map(|finding| page.view.severity(finding)).collect();
    let severities =
        severities.into_iter().rev().map(|severity| (severity.name().to_owned(), severity.name().to_owned()));
    let states: BTreeSet<&str> = findings.iter().map(findings::state).collect();
    let policies = page.view.labels().iter().enumerate();
    let selects = [
        ("n", "Namespace", numbers(&page.namespaces, namespace_name)),
        ("p", "Policy", policies.map(|(index, label)| (index.to_string(), markup(label))).collect()),
        ("c", "Rule", numbers(&page.rules, markup)),
        ("s", "Severity", severities.collect()),
        ("r", "Result", states.into_iter().map(|state| (state.to_owned(), state.to_owned())).collect()),
    ];
    writeln!(out, r#"<form id="filters" aria-label="Filters" autocomplete="off" hidden>"#)?;
    for (name, label, options) in selects {
        writeln!(out, r#"<label>{label}<select name="{name}"><option value="">All</option>"#)?;
        for (value, text) in options {
            writeln!(out, r#"<option value="{value}">{text}</option>"#)?;
        }
        writeln!(out, "</select></label>")?;
    }
    writeln!(out, r#"<label>Owner or object<input name="o" type="search" list="owners"></label>"#)?;
    writeln!(out, r#"<label>Text<input name="t" type="search"></label>"#)?;
    writeln!(out, r#"<button type="reset">Show all</button>"#)?;
    writeln!(out, r#"<datalist id="owners">"#)?;
    let owners: BTreeSet<String> = findings.iter().map(findings::owner).collect();
    for owner in owners.iter().take(OWNERS) {
        writeln!(out, r#"<option value="{}"></option>"#, markup(owner))?;
    }
    writeln!(out, "</datalist>\n</form>\n<p id=\"shown\" role=\"status\" class=\"soft\"></p>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::written;
    use crate::{Format, sample};

    #[test]
    fn a_hostile_report_adds_no_markup() {
        let hostile_report = || Report { mutations: vec![sample::mutation()], ..sample::report() };
        let mut plain = hostile_report();
        let text = serde_json::to_string(&plain).unwrap();
        let hostile = serde_json::to_string(sample::HOSTILE).unwrap();
        let harmless = text.replace(hostile.trim_matches('"'), "harmless");
        assert_ne!(harmless, text);
        plain = serde_json::from_str(&harmless).unwrap();
        let tags = |report| {
            let text = written(&report, Format::Html);
            let tags = text.split('<').skip(1).map(|rest| rest.split([' ', '>']).next().unwrap().to_owned());
            tags.collect::<Vec<_>>()
        };
        let hostile_tags = tags(hostile_report());
        assert_eq!(hostile_tags, tags(plain));
        assert_eq!(hostile_tags.iter().filter(|tag| *tag == "script").count(), 1);
    }

    #[test]
    fn changes_have_their_lines() {
        let report = Report { mutations: vec![sample::mutation()], ..sample::clean() };
        let text = written(&report, Format::Html);
        let pods = "Deployment shop/web, the pods to come: changed by pod-security, deploy/web.yaml:1:1";
        assert!(text.contains(&format!("<details class=\"change\"><summary>{pods}</summary>")), "{text}");
        assert!(text.contains(" labels:\n<del>-  a: b</del>\n<ins>+  a: x&lt;/script&gt;"), "{text}");
        assert!(!written(&sample::clean(), Format::Html).contains("<h2 id=\"changes\">"));
    }

    #[test]
    fn the_groups_of_a_large_report_are_closed() {
        let is_closed = |findings| {
            let report = Report { findings: vec![sample::finding(); findings], ..sample::clean() };
            let text = written(&report, Format::Html);
            assert_eq!(text.matches("<li ").count(), findings);
            assert_eq!(text.contains("<main class=\"large\">"), !text.contains(" open><summary>"));
            text.contains("<main class=\"large\">")
        };
        assert_eq!([1, 200, 201, 5000].map(is_closed), [false, false, true, true]);
    }

    #[test]
    fn the_page_names_no_other_file() {
        // A link loads nothing until a reader follows it.
        let text = written(&sample::report(), Format::Html)
            .replace("<a href=\"https://github.com/portcullis/", "<a ");
        for part in [" src=", "url(", "@import", "<link", "http://", "https://"] {
            let outside = text.matches(part).count();
            // The hostile text has an escaped tag with this attribute.
            let quoted = text.matches("&lt;img src=x").count();
            assert_eq!(outside, if part == " src=" { quoted } else { 0 }, "{part}");
        }
    }

    #[test]
    fn the_style_and_the_script_cannot_end_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
    }
}
