//! Edits of a text of YAML or JSON, so that it says another value. Comments and formatting stay.
//!
//! The edits follow the layout of the text by simple rules, and count only if the new text says
//! exactly the wanted value: a text with a layout that the rules do not know is not edited.

use manifest::{Places, Position, Step, documents};
use serde_json::{Map, Value};

use crate::text::yaml;

/// The replacement of a part of a text, by bytes.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

struct Page<'t> {
    text: &'t str,
    places: Places,
    value: usize,
    lines: Vec<usize>,
    is_json: bool,
}

/// Returns the text with `after` in the place of the value `before` at `root`; `None` if the layout
/// of the text is not known.
pub(crate) fn edited(
    text: &str,
    value: usize,
    root: &[Step],
    before: &Value,
    after: &Value,
) -> Option<String> {
    let all = documents(text).ok()?;
    let mut wanted = all.clone();
    let place = manifest::value_at_mut(wanted.get_mut(value)?, root)?;
    // The items of a list inherit what the list says; only what differs is written.
    merge(place, before, after);
    let page = Page {
        text,
        places: Places::of(text),
        value,
        lines: [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at.saturating_add(1))).collect(),
        is_json: text.trim_start().starts_with(['{', '[']),
    };
    let mut edits = Vec::new();
    page.compare(&mut root.to_vec(), before, after, &mut edits)?;
    edits.sort();
    let mut new = String::new();
    let mut at = 0_usize;
    for edit in edits {
        new.push_str(text.get(at..edit.start)?);
        new.push_str(&edit.text);
        at = edit.end;
    }
    new.push_str(text.get(at..)?);
    (documents(&new).ok()? == wanted).then_some(new)
}

/// Makes the changes from one value to another in a third one.
fn merge(place: &mut Value, before: &Value, after: &Value) {
    match (place, before, after) {
        (Value::Object(place), Value::Object(before), Value::Object(after)) => {
            place.retain(|name, _| !before.contains_key(name) || after.contains_key(name));
            for (name, new) in after {
                match (place.get_mut(name), before.get(name)) {
                    (Some(known), Some(old)) => merge(known, old, new),
                    (None, Some(_)) => {}
                    (_, None) => {
                        place.insert(name.clone(), new.clone());
                    }
                }
            }
        }
        (place, before, after) if before != after => *place = after.clone(),
        _ => {}
    }
}

impl Page<'_> {
    fn compare(&self, path: &mut Vec<Step>, old: &Value, new: &Value, edits: &mut Vec<Edit>) -> Option<()> {
        match (old, new) {
            _ if old == new => Some(()),
            (Value::Object(old), Value::Object(new)) => {
                for (name, value) in old {
                    path.push(Step::Field(name.clone()));
                    match new.get(name) {
                        Some(new) => self.compare(path, value, new, edits)?,
                        None => edits.push(self.removal(path)?),
                    }
                    path.pop();
                }
                let added: Map<String, Value> = new
                    .iter()
                    .filter(|(name, _)| !old.contains_key(*name))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                if !added.is_empty() {
                    edits.push(self.insertion(path, old, added)?);
                }
                Some(())
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                (0..).zip(old.iter().zip(new)).try_for_each(|(index, (old, new))| {
                    path.push(Step::Index(index));
                    self.compare(path, old, new, edits)?;
                    path.pop();
                    Some(())
                })
            }
            (Value::Array(old), Value::Array(new)) => self.compare_items(path, old, new, edits),
            _ => {
                edits.push(self.replacement(path, new)?);
                Some(())
            }
        }
    }

    /// Removes and appends items. The items that stay keep their order.
    fn compare_items(
        &self,
        path: &mut Vec<Step>,
        old: &[Value],
        new: &[Value],
        edits: &mut Vec<Edit>,
    ) -> Option<()> {
        let mut left = new;
        for (index, item) in (0..).zip(old) {
            path.push(Step::Index(index));
            match left.split_first() {
                Some((first, rest)) if first == item => left = rest,
                // An item that changed looks like a removed one.
                _ => edits.push(self.removal(path)?),
            }
            path.pop();
        }
        for item in left {
            let last = old.len().checked_sub(1)?;
            path.push(Step::Index(u32::try_from(last).ok()?));
            edits.push(self.append(path, item)?);
            path.pop();
        }
        Some(())
    }

    fn offset(&self, at: Position) -> Option<usize> {
        let line = *self.lines.get(usize::try_from(at.line).ok()?.checked_sub(1)?)?;
        let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
        let rest = self.text.get(line..)?;
        Some(line.saturating_add(rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)))
    }

    fn start(&self, path: &[Step]) -> Option<usize> {
        self.offset(self.places.find_exactly(self.value, path)?.start)
    }

    /// Returns the beginning and the end of the line of an offset, with its line break.
    fn line(&self, at: usize) -> (usize, usize) {
        let index = self.lines.partition_point(|start| *start <= at).saturating_sub(1);
        let start = self.lines.get(index).copied().unwrap_or_default();
        let end = self.lines.get(index + 1).copied().unwrap_or(self.text.len());
        (start, end)
    }

    fn before(&self, at: usize) -> &str {
        self.text.get(self.line(at).0..at).unwrap_or_default()
    }

    /// Returns whether a key or an item is on lines of its own: before it are spaces and hyphens.
    fn is_block(&self, at: usize) -> bool {
        !self.is_json && self.before(at).chars().all(|one| matches!(one, ' ' | '-'))
    }

    /// Returns the end of a block that begins at an offset with a column: the next line that is not
    /// further inside, without the comments and blank lines before it.
    fn block_end(&self, at: usize, column: usize) -> usize {
        let (_, mut end) = self.line(at);
        let mut last = end;
        while end < self.text.len() {
            let (start, next) = self.line(end);
            let line = self.text.get(start..next).unwrap_or_default();
            let spaces = line.chars().take_while(|one| *one == ' ').count();
            let is_blank = line.trim().is_empty() || line.trim_start().starts_with('#');
            // The items of a list may be in the column of its key.
            let is_item = line.trim_start().starts_with("- ") || line.trim() == "-";
            let of_list = is_item && spaces == column && self.value_begins_below(at);
            if !is_blank && spaces <= column && !of_list || line.starts_with("---") {
                break;
            }
            end = next;
            if !is_blank {
                last = end;
            }
        }
        last
    }

    /// Returns whether the line of a key ends behind its colon.
    fn value_begins_below(&self, at: usize) -> bool {
        let line = self.text.get(at..self.line(at).1).unwrap_or_default();
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        line.ends_with(':')
    }

    /// Returns the end of a value within brackets: the comma or bracket behind it.
    fn flow_end(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut quote = None;
        let mut is_escaped = false;
        for (offset, one) in self.text.get(at..)?.char_indices() {
            match (quote, one) {
                (Some('"'), '\\') if !is_escaped => {
                    is_escaped = true;
                    continue;
                }
                (Some(open), one) if open == one && !is_escaped => quote = None,
                (None, '"' | '\'') => quote = Some(one),
                (None, '{' | '[') => depth += 1,
                (None, '}' | ']' | ',') if depth == 0 => return Some(at + offset),
                (None, '}' | ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_escaped = false;
        }
        None
    }

    fn removal(&self, path: &[Step]) -> Option<Edit> {
        let at = self.start(path)?;
        if !self.is_block(at) {
            return self.flow_removal(at);
        }
        let before = self.before(at);
        let column = before.chars().count();
        let is_item = matches!(path.last(), Some(Step::Index(_)));
        // The hyphen of an item is before its first field.
        let outer = if is_item { before.rfind('-')? } else { column };
        let end = self.block_end(at, outer);
        if is_item || !before.contains('-') {
            return Some(Edit { start: self.line(at).0, end, text: String::new() });
        }
        // The next field takes the place of the first one, behind the hyphen.
        let next = self.text.get(end..)?;
        let spaces = next.chars().take_while(|one| *one == ' ').count();
        (spaces == column).then(|| Edit { start: at, end: end + spaces, text: String::new() })
    }

    fn flow_removal(&self, at: usize) -> Option<Edit> {
        let end = self.flow_end(at)?;
        let rest = self.text.get(end..)?;
        if let Some(behind) = rest.strip_prefix(',') {
            let blank = behind.len().saturating_sub(behind.trim_start().len());
            let end = end.saturating_add(1) + blank;
            return Some(Edit { start: at, end, text: String::new() });
        }
        // The last one: the comma before it goes.
        let before = self.text.get(..at)?.trim_end();
        let start = before.strip_suffix(',').map_or(before.len(), |before| before.trim_end().len());
        let end = start + self.text.get(start..end)?.trim_end().len();
        Some(Edit { start, end, text: String::new() })
    }

    fn insertion(
        &self,
        path: &mut Vec<Step>,
        old: &Map<String, Value>,
        added: Map<String, Value>,
    ) -> Option<Edit> {
        let mut firsts = Vec::new();
        for name in old.keys() {
            path.push(Step::Field(name.clone()));
            firsts.push(self.start(path));
            path.pop();
        }
        // Behind the last field, as somebody would write it.
        let Some(at) = firsts.into_iter().collect::<Option<Vec<usize>>>()?.into_iter().max() else {
            return self.fill(path, added);
        };
        if !self.is_block(at) {
            let end = self.flow_end(at)?;
            let end = self.text.get(..end)?.trim_end().len();
            let quotes = self.is_json || self.text.get(at..)?.starts_with('"');
            return Some(Edit {
                start: end,
                end,
                text: format!(", {}", flow(&Value::Object(added), quotes)),
            });
        }
        let column = self.before(at).chars().count();
        let end = self.block_end(at, column);
        let mut text = indented(&Value::Object(added), column);
        if !self.text.get(..end)?.ends_with('\n') {
            text = format!("\n{}", text.trim_end());
        }
        Some(Edit { start: end, end, text })
    }

    fn fill(&self, path: &[Step], added: Map<String, Value>) -> Option<Edit> {
        self.replacement(path, &Value::Object(added))
    }

    fn replacement(&self, path: &[Step], new: &Value) -> Option<Edit> {
        let at = self.start(path)?;
        let is_item = matches!(path.last(), Some(Step::Index(_)));
        let value = if is_item {
            at
        } else {
            let key = self.text.get(at..)?;
            let colon = key.find(':')?;
            let blank = key.get(colon.saturating_add(1)..)?;
            let spaces = blank.len().saturating_sub(blank.trim_start_matches(' ').len());
            at.saturating_add(colon).saturating_add(1).saturating_add(spaces)
        };
        let quotes = self.is_json;
        if !self.is_block(at) {
            let end = self.flow_end(value)?;
            let end = self.text.get(..end)?.trim_end().len();
            return Some(Edit { start: value, end, text: bracketed(new, quotes) });
        }
        let (_, line_end) = self.line(value);
        let line = self.text.get(value..line_end)?;
        let said = line.split(" #").next().unwrap_or_default().trim_end();
        // A value of several lines has a layout of its own.
        let column = self.before(at).chars().count();
        if self.block_end(at, column) != line_end {
            return None;
        }
        let space = if self.text.get(..value)?.ends_with(' ') { "" } else { " " };
        let end = value + said.len();
        Some(Edit { start: value, end, text: format!("{space}{}", bracketed(new, quotes)) })
    }

    fn append(&self, last: &[Step], item: &Value) -> Option<Edit> {
        let at = self.start(last)?;
        if !self.is_block(at) {
            let end = self.flow_end(at)?;
            let end = self.text.get(..end)?.trim_end().len();
            return Some(Edit { start: end, end, text: format!(", {}", bracketed(item, self.is_json)) });
        }
        let before = self.before(at);
        let hyphen = before.rfind('-')?;
        let end = self.block_end(at, hyphen);
        let mut text = indented(&Value::Array(vec![item.clone()]), hyphen);
        if !self.text.get(..end)?.ends_with('\n') {
            text = format!("\n{}", text.trim_end());
        }
        Some(Edit { start: end, end, text })
    }
}

/// Returns a value as lines of YAML with an indentation.
fn indented(value: &Value, column: usize) -> String {
    let spaces = " ".repeat(column);
    yaml(value).lines().flat_map(|line| [&spaces, line, "\n"]).collect()
}

/// Returns the fields of an object, or another value, without the outer brackets.
fn flow(value: &Value, quotes: bool) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let name = if quotes {
                    Value::from(name.as_str()).to_string()
                } else {
                    scalar(&name.as_str().into())
                };
                format!("{name}: {}", bracketed(value, quotes))
            });
            fields.collect::<Vec<_>>().join(", ")
        }
        value => bracketed(value, quotes),
    }
}

fn bracketed(value: &Value, quotes: bool) -> String {
    match value {
        Value::Object(_) => format!("{{{}}}", flow(value, quotes)),
        Value::Array(items) => {
            let items = items.iter().map(|item| bracketed(item, quotes));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        value if quotes => value.to_string(),
        value => scalar(value),
    }
}

/// Returns a scalar of YAML, which stays the same within brackets.
fn scalar(value: &Value) -> String {
    let plain = yaml(value).trim_end().to_owned();
    let is_safe =
        plain.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.' | '/'));
    if is_safe { plain } else { value.to_string() }
}

#[cfg(test)]
mod tests;
