//! Blessing: what happens becomes what a case wants. Everything outside of the rewritten `want`
//! stays, with its comments.

use manifest::{Cursor, Mistake, Source};
use serde_json::Value;
use text::Step;

use crate::compare::Difference;
use crate::scalar::scalar;

/// The lines of a file that a case's `want` takes, and the new ones.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The index of the first line, and of the line after the last.
    lines: (usize, usize),
    new: Vec<String>,
}

/// Returns the edit that makes a case want what happens. A case whose `want` does not have lines of
/// its own, and a verdict that is not known, are mistakes.
///
/// `lines` are those of the file.
pub(crate) fn edit(case: &Cursor<'_>, lines: &[&str], differences: &[Difference]) -> Result<Edit, Mistake> {
    let want = case.get("want").ok_or_else(|| case.mistake("has no want"))?;
    let unknown = differences.iter().find(|difference| difference.blessed.is_none());
    if let Some(difference) = unknown {
        let policy = difference.policy.as_deref().unwrap_or_default();
        return Err(want.mistake(format!("a verdict that is not known cannot be blessed: {policy}")));
    }
    let (first, end) = place(case, &want, lines)
        .ok_or_else(|| want.mistake("to bless the case, write want: on a line of its own"))?;
    let indent = lines.get(first).map_or(0, |line| indentation(line));
    let below = |depth: usize, lines: &[String]| {
        let space = " ".repeat(indent + depth);
        lines.iter().map(|line| format!("{space}{line}")).collect::<Vec<_>>()
    };
    let mut new = vec![format!("{}want:", " ".repeat(indent))];
    let is_keyed = |difference: &&Difference| {
        difference
            .policy
            .as_deref()
            .is_some_and(|policy| want.get(policy).is_some() || want.get("*").is_some())
    };
    let is_flat = !differences.iter().any(|difference| is_keyed(&difference))
        && differences.len() == 1
        && want.entries()?.iter().any(|(key, _)| crate::want::KEYS.contains(key));
    if is_flat {
        let blessed = differences.iter().filter_map(|difference| difference.blessed.as_ref());
        new.extend(blessed.flat_map(|lines| below(2, lines)));
        return Ok(Edit { lines: (first, end), new });
    }
    let of = |policy: &str| differences.iter().find(|one| one.policy.as_deref() == Some(policy));
    for (policy, one) in want.entries()? {
        match of(policy).and_then(|difference| difference.blessed.as_ref()) {
            Some(lines) => {
                new.extend(below(2, &[format!("{}:", scalar(policy))]));
                new.extend(below(4, lines));
            }
            None => new.extend(below(2, &[format!("{}: {}", scalar(policy), one.value)])),
        }
    }
    for difference in differences {
        let Some(policy) = difference.policy.as_deref().filter(|policy| want.get(policy).is_none()) else {
            continue;
        };
        new.extend(below(2, &[format!("{}:", scalar(policy))]));
        new.extend(below(4, difference.blessed.as_deref().unwrap_or_default()));
    }
    Ok(Edit { lines: (first, end), new })
}

/// Returns the lines of a want: the first, and the one behind the last; `None` if it does not begin
/// a line.
fn place(case: &Cursor<'_>, want: &Cursor<'_>, lines: &[&str]) -> Option<(usize, usize)> {
    let at = case.source.exact_position(&want.steps)?;
    let first = usize::try_from(at.line).ok()?.checked_sub(1)?;
    let line = lines.get(first).filter(|line| line.trim_start().starts_with("want:"))?;
    let indent = indentation(line);
    let is_below = |line: &str| line.trim().is_empty() || indentation(line) > indent;
    let below: Vec<&str> = lines.iter().copied().skip(first + 1).take_while(|line| is_below(line)).collect();
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let innermost = below.iter().rev().find(|line| is_content(line)).map_or(0, |line| indentation(line));
    // A comment that is outside of the last value can be about the next case.
    let is_behind =
        |line: &&str| line.trim().is_empty() || !is_content(line) && indentation(line) < innermost;
    let behind = below.iter().rev().take_while(|line| is_behind(line)).count();
    let end = first + 1 + below.len() - behind;
    Some((first, end))
}

/// Returns the text of a file with edits, each for the case with an index. It is a mistake if
/// something else than the edited wants would change: the edits know lines, and a want can be
/// written in ways that do not keep to lines.
pub(crate) fn apply(source: &Source, cases: &[Step], edits: &[(usize, Edit)]) -> Result<String, Mistake> {
    let end = if source.text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = source.text.split_inclusive('\n').map(str::to_owned).collect();
    let mut sorted: Vec<&Edit> = edits.iter().map(|(_, edit)| edit).collect();
    sorted.sort_by_key(|edit| std::cmp::Reverse(edit.lines.0));
    for Edit { lines: (first, behind), new } in sorted {
        let new = new.iter().map(|line| format!("{line}{end}"));
        lines.splice(*first..(*behind).min(lines.len()), new);
    }
    let text = lines.concat();
    if wanted(source, cases, edits).is_some_and(|wanted| manifest::own_documents(&text) == Ok(wanted)) {
        return Ok(text);
    }
    let problem = "blessing would damage the file; write each want: as a block of its own, without anchors";
    Err(Mistake::new(&source.name, None, problem))
}

fn wanted(source: &Source, cases: &[Step], edits: &[(usize, Edit)]) -> Option<Vec<Value>> {
    let mut documents = manifest::own_documents(&source.text).ok()?;
    for (index, edit) in edits {
        let new = manifest::own_documents(&edit.new.join("\n")).ok()?;
        let value = manifest::value_at_mut(documents.first_mut()?, cases)?;
        *value.get_mut(*index)?.get_mut("want")? = new.first()?.get("want")?.clone();
    }
    Some(documents)
}

fn indentation(line: &str) -> usize {
    line.len().saturating_sub(line.trim_start_matches(' ').len())
}
