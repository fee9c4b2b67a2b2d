//! Blessing: what happens becomes what a case wants. Everything else in the file stays, with its
//! comments.

use crate::Mistake;
use crate::compare::Difference;
use crate::cursor::{Cursor, Source};

/// The lines of a file that a case's `want` takes, and the new ones.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The index of the first line, and of the line after the last.
    lines: (usize, usize),
    new: Vec<String>,
}

/// Returns the edit that makes a case want what happens.
///
/// # Errors
/// A case whose `want` does not have lines of its own, and one with a verdict that is not known.
pub(crate) fn edit(case: &Cursor<'_>, differences: &[Difference]) -> Result<Edit, Mistake> {
    let want = case.get("want").ok_or_else(|| case.mistake("has no want"))?;
    let unknown = differences.iter().find(|difference| difference.blessed.is_none());
    if let Some(difference) = unknown {
        let policy = difference.policy.as_deref().unwrap_or_default();
        return Err(want.mistake(format!("a verdict that is not known cannot be blessed: {policy}")));
    }
    let unfit = || want.mistake("to bless the case, write want: on a line of its own");
    let lines: Vec<&str> = case.source.text.lines().collect();
    let at = case.source.exact_position(&want.steps).ok_or_else(unfit)?;
    let first = usize::try_from(at.line).ok().and_then(|line| line.checked_sub(1)).ok_or_else(unfit)?;
    let line = lines.get(first).copied().unwrap_or_default();
    if !line.trim_start().starts_with("want:") {
        return Err(unfit());
    }
    let indent = indentation(line);
    let rest = lines.iter().skip(first.saturating_add(1));
    let mut end = rest
        .take_while(|line| line.trim().is_empty() || indentation(line) > indent)
        .count()
        .saturating_add(first)
        .saturating_add(1);
    while end > first.saturating_add(1)
        && lines.get(end.saturating_sub(1)).is_some_and(|line| line.trim().is_empty())
    {
        end = end.saturating_sub(1);
    }
    let below = |depth: usize, lines: &[String]| {
        let space = " ".repeat(indent.saturating_add(depth));
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
                new.extend(below(2, &[format!("{}:", key(policy))]));
                new.extend(below(4, lines));
            }
            None => new.extend(below(2, &[format!("{}: {}", key(policy), one.value)])),
        }
    }
    for difference in differences {
        let Some(policy) = difference.policy.as_deref().filter(|policy| want.get(policy).is_none()) else {
            continue;
        };
        new.extend(below(2, &[format!("{}:", key(policy))]));
        new.extend(below(4, difference.blessed.as_deref().unwrap_or_default()));
    }
    Ok(Edit { lines: (first, end), new })
}

/// Returns the text of a file with edits.
pub(crate) fn apply(source: &Source, mut edits: Vec<Edit>) -> String {
    let mut lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.lines.0));
    for Edit { lines: (first, end), new } in edits {
        lines.splice(first..end.min(lines.len()), new);
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn indentation(line: &str) -> usize {
    line.len().saturating_sub(line.trim_start_matches(' ').len())
}

/// A key of YAML: `*` alone would be an alias.
fn key(policy: &str) -> String {
    if policy == "*" { "\"*\"".to_owned() } else { policy.to_owned() }
}
