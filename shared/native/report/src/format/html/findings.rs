//! The list of findings.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{Page, namespace, namespace_name};
use crate::escape::markup;
use crate::format::Options;
use crate::format::text::count;
use crate::{Finding, Report, Span, catalogue};

/// The number of findings up to which all groups are open and laid out at once.
const SMALL: usize = 200;

/// The number of lines that are shown of a value, and of an object.
const LINES: usize = 12;
const OBJECT_LINES: usize = 3;

/// The number of characters that are shown of a line.
const CHARACTERS: usize = 200;

pub(super) fn is_large(report: &Report) -> bool {
    report.findings.len() > SMALL
}

/// A file and a namespace: both are small enough to be read at once, even for a dump.
type Group<'r> = (Option<&'r str>, &'r str);

pub(super) fn write(out: &mut dyn Write, page: &Page<'_>, options: &Options<'_>) -> io::Result<()> {
    let findings = &page.view.report.findings;
    let mut groups: BTreeMap<Group<'_>, BTreeMap<_, Vec<&Finding>>> = BTreeMap::new();
    for finding in findings {
        let file = finding.place.as_ref().map(|place| place.file.as_str());
        let objects = groups.entry((file, namespace(finding))).or_default();
        let object = &finding.object;
        let owner = object.owner.as_ref().map(|owner| (owner.kind.as_str(), owner.name.as_str()));
        let identity = (owner, object.kind.as_str(), object.name.as_str(), object.group());
        objects.entry(identity).or_default().push(finding);
    }
    let open = if is_large(page.view.report) { "" } else { " open" };
    for ((file, namespace), objects) in groups {
        let heading = match (file, namespace) {
            (Some("-"), namespace) => format!("standard input, {}", namespace_name(namespace)),
            (Some(file), namespace) => format!("{}, {}", markup(file), namespace_name(namespace)),
            (None, "") => "Cluster-scoped objects".to_owned(),
            (None, namespace) => format!("Namespace {}", markup(namespace)),
        };
        let number = objects.values().map(Vec::len).fold(0, usize::saturating_add);
        writeln!(
            out,
            "<details class=\"group\"{open}><summary><h3>{heading}</h3> <span class=\"soft\">{}</span></summary>",
            count(number as u64, "finding", "findings")
        )?;
        let number = page.namespaces.get(namespace).copied().unwrap_or_default();
        for findings in objects.into_values() {
            write_object(out, page, options, &findings, number)?;
        }
        writeln!(out, "</details>")?;
    }
    Ok(())
}

/// The topmost owner, or the object itself.
pub(super) fn owner(finding: &Finding) -> String {
    match &finding.object.owner {
        Some(owner) => owner.to_string(),
        None => format!("{} {}", finding.object.kind, finding.object.name),
    }
}

/// The state that the page shows and filters by.
pub(super) fn state(finding: &Finding) -> &'static str {
    match finding {
        Finding { excepted: Some(_), .. } => "excepted",
        Finding { is_known: true, .. } => "known",
        finding => finding.status.name(),
    }
}

fn write_object(
    out: &mut dyn Write,
    page: &Page<'_>,
    options: &Options<'_>,
    findings: &[&Finding],
    namespace: usize,
) -> io::Result<()> {
    let Some(first) = findings.first() else { return Ok(()) };
    let owner = markup(&owner(first));
    let of = if first.object.owner.is_some() { format!(" of {owner}") } else { String::new() };
    writeln!(
        out,
        r#"<article data-n="{namespace}" data-o="{owner}"><h4>{}</h4><span class="soft">{of}</span><ul>"#,
        markup(&first.object.to_string())
    )?;
    for finding in findings {
        write_finding(out, page, options, finding)?;
    }
    writeln!(out, "</ul></article>")
}

fn write_finding(
    out: &mut dyn Write,
    page: &Page<'_>,
    options: &Options<'_>,
    finding: &Finding,
) -> io::Result<()> {
    let state = state(finding);
    let control = page.rules.get(finding.rule_title());
    let control = control.map(|number| format!(r#" data-c="{number}""#)).unwrap_or_default();
    let severity = page.view.severity(finding);
    let (data, shown) = match severity {
        Some(severity) => (format!(r#" data-s="{}""#, severity.name()), format!(", {}", severity.name())),
        None => (String::new(), String::new()),
    };
    write!(
        out,
        r#"<li class="{state}" data-p="{}"{control}{data} data-r="{state}"><b>{state}</b> <span>{}{shown}</span><p>{}</p>"#,
        finding.policy,
        rule(page, finding),
        markup(&finding.message)
    )?;
    let mut about: Vec<String> = Vec::new();
    if let Some(place) = &finding.place {
        about.push(format!("<code>{}</code>{}", markup(&place.to_string()), place.qualifier()));
    }
    about.extend(finding.remarks().iter().map(|remark| markup(remark)));
    if !about.is_empty() {
        write!(out, r#"<p class="soft">{}</p>"#, about.join("; "))?;
    }
    if let Some(place) = &finding.place
        && let Some(span) = place.span
        && finding.may_be_shown()
        && let Some(text) = options.sources.and_then(|sources| sources(place))
    {
        write_lines(out, span, place.is_exact, &text)?;
    }
    writeln!(out, "</li>")
}

/// The id of the rule, with a link to its page.
fn rule(page: &Page<'_>, finding: &Finding) -> String {
    let id = markup(&page.view.rule_id(finding));
    let address = page.view.catalogued(finding).map(|(policy, rule)| catalogue::address(policy, rule));
    address.map_or(id.clone(), |address| format!(r#"<a href="{}">{id}</a>"#, markup(&address)))
}

/// Writes the lines of a span, with their numbers. The span of a value is marked if it is on one
/// line.
fn write_lines(out: &mut dyn Write, span: Span, is_exact: bool, text: &str) -> io::Result<()> {
    write!(out, "<pre>")?;
    let all = text.lines().count();
    let most = if is_exact { LINES } else { OBJECT_LINES };
    for (number, line) in (span.start.line..).zip(text.lines()).take(most) {
        let is_marked = is_exact && span.start.line == span.end.line && number == span.start.line;
        let cut = Cut::of(line, if is_marked { span.start.column } else { 1 });
        let shown = if is_marked { cut.marked(span) } else { cut.plain() };
        writeln!(out, "{number:>5}  {shown}")?;
    }
    let more = all.saturating_sub(most);
    if more > 0 {
        write!(out, "       {}", count(more as u64, "more line", "more lines"))?;
    }
    write!(out, "</pre>")
}

struct Cut {
    characters: Vec<char>,
    /// The number of characters before the part.
    before: usize,
    is_cut_at_end: bool,
}

impl Cut {
    fn of(line: &str, column: u64) -> Self {
        let column = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        let before = if column < CHARACTERS / 2 { 0 } else { column.saturating_sub(CHARACTERS / 4) };
        let mut rest = line.chars().skip(before);
        let characters: Vec<char> = rest.by_ref().take(CHARACTERS).collect();
        Self { characters, before, is_cut_at_end: rest.next().is_some() }
    }

    fn text(&self, from: usize, to: usize) -> String {
        let length = self.characters.len();
        let to = to.min(length);
        let characters = self.characters.get(from.min(to)..to).unwrap_or_default();
        // A tab is the only control character of a line that is shown as it is.
        let parts = characters.split(|c| *c == '\t').map(|part| markup(&part.iter().collect::<String>()));
        parts.collect::<Vec<_>>().join("\t")
    }

    fn framed(&self, shown: &str) -> String {
        let start = if self.before > 0 { "…" } else { "" };
        let end = if self.is_cut_at_end { "…" } else { "" };
        format!("{start}{shown}{end}")
    }

    fn plain(&self) -> String {
        self.framed(&self.text(0, usize::MAX))
    }

    fn marked(&self, span: Span) -> String {
        let index = |column: u64| {
            usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1).saturating_sub(self.before)
        };
        let (start, end) = (index(span.start.column), index(span.end.column));
        let (before, after) = (self.text(0, start), self.text(end.max(start), usize::MAX));
        self.framed(&format!("{before}<mark>{}</mark>{after}", self.text(start, end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Place, sample};

    fn lines(place: &Place, text: &str) -> String {
        let mut bytes = Vec::new();
        write_lines(&mut bytes, place.span.unwrap(), place.is_exact, text).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_value_is_marked_in_its_line() {
        let place = sample::place("a", (7, 9), (7, 11), true);
        assert_eq!(
            lines(&place, "\tsecond: <é> # x\n"),
            "<pre>    7  \tsecond:<mark> &lt;</mark>é&gt; # x\n</pre>"
        );
        let object = Place { is_exact: false, ..place };
        assert_eq!(lines(&object, "a: 1\nb: 2\r\n"), "<pre>    7  a: 1\n    8  b: 2\n</pre>");
    }

    #[test]
    fn long_texts_are_cut() {
        let place = sample::place("a", (1, 1000), (1, 1003), true);
        let line = format!("{}abc{}", "-".repeat(999), "-".repeat(9000));
        let shown = lines(&place, &line);
        assert!(shown.contains("-<mark>abc</mark>-") && shown.chars().count() < 250, "{shown}");
        assert_eq!(shown.matches('…').count(), 2);
        let place = sample::place("a", (1, 1), (40, 1), true);
        let shown = lines(&place, &"x\n".repeat(40));
        assert!(shown.ends_with("   12  x\n       28 more lines</pre>"), "{shown}");
        let shown = lines(&Place { is_exact: false, ..place }, &"x\n".repeat(40));
        assert!(shown.ends_with("    3  x\n       37 more lines</pre>"), "{shown}");
    }

    #[test]
    fn columns_beyond_the_line_mark_nothing() {
        let place = sample::place("a", (1, 90), (1, 80), true);
        assert_eq!(lines(&place, "abc"), "<pre>    1  abc<mark></mark>\n</pre>");
    }

    #[test]
    fn lines_of_secrets_are_not_shown() {
        let mut finding = sample::finding();
        assert!(finding.may_be_shown());
        finding.object.kind = "Secret".to_owned();
        assert!(finding.may_be_shown());
        finding.object.api_version = "v1".to_owned();
        assert!(!finding.may_be_shown());
    }
}
