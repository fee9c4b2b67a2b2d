//! Fixes of the violations of a cell.

use std::collections::BTreeMap;

use admission::Change;
use manifest::Step;
use scan::Content;
use similar::{DiffOp, TextDiff};

use super::evaluated::{Evaluated, Place};
use super::{Playground, number, summary};
use crate::exchange::{Fix, TextEdit};
use crate::fix::{self, edit};
use crate::workspace::Workspace;

pub(super) fn fix(playground: &Playground, evaluated: &Evaluated, policy: usize, controls: &[String]) -> Fix {
    let text = &playground.workspace.objects;
    let mut fix = Fix { text: text.clone(), ..Fix::default() };
    let mut changes: Vec<(Vec<Step>, Change)> = Vec::new();
    let mut lists_all = true;
    // An object without a request has no violations.
    let _ = summary::ask_about(playground, evaluated, &mut |prepared, answer, asked| {
        if usize::try_from(prepared.index) != Ok(policy) {
            return;
        }
        let Some(denial) = summary::denial(answer) else { return };
        lists_all &= denial.more == 0;
        for violation in &denial.violations {
            let control = violation.rule.map_or(violation.reason.as_str(), |rule| rule.name);
            if !controls.is_empty() && !controls.iter().any(|one| one == control) {
                continue;
            }
            let (place, message) = summary::locate(evaluated, violation, asked);
            let change = violation.remedy.as_ref().and_then(|remedy| remedy.change.clone());
            match (place, change) {
                (Some(Place::Object(path)), Some(change)) => changes.push((path, change)),
                _ => fix.left.push(message),
            }
        }
    });
    if !lists_all {
        fix.left.push("the policy does not list all violations; fix these, and evaluate again".to_owned());
    }
    if changes.is_empty() {
        return fix;
    }
    let new = apply(evaluated, changes).and_then(|new| replaced(playground, evaluated, &new));
    let Some(new) = new else {
        fix.left.push("the layout of this document does not allow an edit; follow the remedies".to_owned());
        return fix;
    };
    fix.edits = edits(text, &new);
    fix.fixed = fixed(playground, evaluated, policy, &new);
    fix.text = new;
    fix
}

/// Returns the changed text of the document.
fn apply(evaluated: &Evaluated, mut changes: Vec<(Vec<Step>, Change)>) -> Option<String> {
    let entry = evaluated.entry()?;
    let (Content::Object(before) | Content::Review(before)) = &entry.content else { return None };
    let mut after = before.clone();
    // Removals come last, the last items of lists first.
    changes.sort_by(|(left, one), (right, other)| {
        let is_removal = |change: &Change| matches!(change, Change::Remove | Change::RemoveItem);
        is_removal(one).cmp(&is_removal(other)).then_with(|| compare(right, left))
    });
    changes.dedup();
    for (path, change) in &changes {
        fix::apply(change, &mut after, path)?;
    }
    let document = &evaluated.placed.document;
    edit::edited(&document.text, entry.document, &entry.steps, before, &after)
}

fn compare(left: &[Step], right: &[Step]) -> std::cmp::Ordering {
    let key = |step: &Step| match step {
        Step::Field(name) => (name.clone(), 0),
        Step::Index(index) => (String::new(), *index),
    };
    left.iter().map(key).cmp(right.iter().map(key))
}

/// Returns the whole text with another text of the document.
fn replaced(playground: &Playground, evaluated: &Evaluated, new: &str) -> Option<String> {
    let text = &playground.workspace.objects;
    let old = &evaluated.placed.document.text;
    let at = evaluated.placed.at;
    let mut lines = text.split_inclusive('\n');
    let before: usize =
        lines.by_ref().take(usize::try_from(at.line).ok()?.checked_sub(1)?).map(str::len).sum();
    let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
    let rest = text.get(before..)?;
    let start = before.saturating_add(rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at));
    let end = start + old.len();
    // The text of an item of a long list has a space in the place of its hyphen.
    (text.get(start..end) == Some(old.as_str()))
        .then(|| Some([text.get(..start)?, new, text.get(end..)?].concat()))
        .flatten()
}

fn edits(old: &str, new: &str) -> Vec<TextEdit> {
    let diff = TextDiff::from_lines(old, new);
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let changed = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed
        .map(|op| TextEdit {
            line: number(op.old_range().start + 1),
            lines: number(op.old_range().len()),
            text: new_lines.get(op.new_range()).map(<[&str]>::concat).unwrap_or_default(),
        })
        .collect()
}

/// Returns how many violations of the cell a new text does not have.
fn fixed(playground: &Playground, evaluated: &Evaluated, policy: usize, new: &str) -> u32 {
    let index = playground
        .evaluated
        .iter()
        .position(|one| one.key == evaluated.key && one.state.line == evaluated.state.line);
    let violations = |text: &str| -> BTreeMap<usize, u32> {
        let workspace = Workspace { objects: text.to_owned(), ..playground.workspace.clone() };
        let matrix = Playground::new().evaluate(workspace);
        let cells = index.and_then(|index| matrix.cells.get(index));
        cells.into_iter().flatten().map(|cell| cell.violations).enumerate().collect()
    };
    let of_policy = |text: &str| violations(text).get(&policy).copied().unwrap_or_default();
    of_policy(&playground.workspace.objects).saturating_sub(of_policy(new))
}
