//! `portcullis explain`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use admission::PolicyEntry;
use anstyle::{AnsiColor, Style};
use report::catalogue::{self, Rule};
use serde::Serialize;
use text::nearest;

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::stdout::{print, write_one};

const BOLD: Style = Style::new().bold();
const WIDTH: usize = 80;

/// The ids of texts that name no rule: of denials, warnings and errors.
const TEXTS: [&str; 3] = ["denied", "warning", "fault"];

/// A rule with its id and its name.
#[derive(Serialize)]
struct Named<'r> {
    id: String,
    name: &'r str,
    address: String,
    #[serde(flatten)]
    rule: &'r Rule,
}

impl<'r> Named<'r> {
    fn of(entry: &'static PolicyEntry, id: &str, rule: &'r Rule) -> Self {
        Self {
            id: format!("{}/{id}", entry.id),
            name: entry.name_of(id).unwrap_or_default(),
            address: catalogue::address(entry.id, id),
            rule,
        }
    }
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let rules = match &args.rule {
        None => rules::CATALOG.iter().flat_map(all).collect(),
        Some(text) => named(text)?,
    };
    let is_one = args.rule.as_ref().is_some_and(|text| rules::find(text).is_none());
    print(|out| match rules.as_slice() {
        [rule] if is_one => write_one(out, args.output, rule, |out| page(out, rule)),
        rules => write_one(out, args.output, &rules, |out| list(out, rules)),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn all(entry: &'static PolicyEntry) -> impl Iterator<Item = Named<'static>> {
    catalogue::rules(entry.id).iter().map(move |(id, rule)| Named::of(entry, id, rule))
}

/// Returns the rules that an argument names: those of a policy, or one, which can lack its policy.
fn named(text: &str) -> Result<Vec<Named<'static>>, Failure> {
    let every = || rules::CATALOG.iter().flat_map(all);
    if let Some(entry) = rules::find(text) {
        return Ok(all(entry).collect());
    }
    // A report has the name of the manifest in the place of the id.
    let part = text.split_once('/').filter(|(policy, _)| rules::find(policy).is_none());
    let part = part.map_or(text, |(_, rule)| rule);
    let is_named = |rule: &Named<'_>| rule.id == text || rule.id.split('/').nth(1) == Some(part);
    let found: Vec<Named<'_>> = every().filter(is_named).collect();
    if found.len() == 1 {
        return Ok(found);
    }
    let ids: Vec<String> = every().map(|rule| rule.id).collect();
    let known: BTreeMap<&str, &str> = ids
        .iter()
        .flat_map(|id| [(id.as_str(), id.as_str()), (id.split('/').nth(1).unwrap_or(id), id)])
        .chain(rules::CATALOG.iter().map(|entry| (entry.id, entry.id)))
        .collect();
    let names: Vec<&str> = known.keys().copied().collect();
    if text.rsplit('/').next().is_some_and(|rule| TEXTS.contains(&rule)) {
        let problem = "stands for a text that names no rule; the message of the finding has the reason";
        return Err(Failure::about(text, problem));
    }
    let advice = match (found.as_slice(), nearest(text, &names).and_then(|near| known.get(near))) {
        ([one, ..], _) => format!("is a rule of several policies; write {}, for example", one.id),
        ([], Some(near)) => format!("is not a rule; did you mean {near}?"),
        ([], None) => "is not a rule; `portcullis explain` lists all".to_owned(),
    };
    Err(Failure::about(text, advice))
}

fn list(out: &mut dyn Write, rules: &[Named<'_>]) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    rules.iter().try_for_each(|rule| writeln!(out, "{:<width$}  {}", rule.id, rule.name))
}

/// Writes a rule: the reason first, then an example, its correction, and what else helps.
fn page(out: &mut dyn Write, Named { id, name, address, rule }: &Named<'_>) -> io::Result<()> {
    writeln!(out, "{BOLD}{id}{BOLD:#}: {name}\n")?;
    paragraph(out, &rule.reason)?;
    writeln!(out, "\n{BOLD}Denied{BOLD:#}\n")?;
    for line in rule.example.lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "\n{BOLD}Instead{BOLD:#}\n")?;
    paragraph(out, &rule.remedy)?;
    writeln!(out)?;
    for line in rule.change() {
        let style = match line.chars().next() {
            Some('+') => AnsiColor::Green.on_default(),
            Some('-') => AnsiColor::Red.on_default(),
            _ => Style::new(),
        };
        writeln!(out, "{style}{line}{style:#}")?;
    }
    let settings = Some(rule.settings.join(", ")).filter(|settings| !settings.is_empty());
    let elsewhere = rule.elsewhere.iter().map(|(system, name)| (system.as_str(), name.clone()));
    let rows = settings.map(|settings| ("Settings", settings)).into_iter().chain(elsewhere);
    let rows: Vec<(&str, String)> = rows.chain([("Page", address.clone())]).collect();
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
    writeln!(out)?;
    rows.iter().try_for_each(|(key, value)| writeln!(out, "{BOLD}{key:<width$}{BOLD:#}  {value}"))
}

/// Writes a paragraph in lines.
fn paragraph(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            writeln!(out)?;
            column = 0;
        }
        if column > 0 {
            write!(out, " ")?;
            column += 1;
        }
        write!(out, "{word}")?;
        column += length;
    }
    writeln!(out)
}
