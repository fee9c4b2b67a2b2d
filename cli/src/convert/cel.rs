//! Expressions in CEL, as match conditions hold them.

use std::collections::BTreeSet;
use std::fmt;

use super::manifest::{Requirement, Selector};
use super::target::{Operation, Target};

/// An expression that is true or false.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    /// A comparison, a call: what needs no parentheses.
    Plain(String),
    /// All of some; true if there are none.
    All(Vec<Self>),
    /// Any of some; false if there are none.
    Any(Vec<Self>),
    Not(Box<Self>),
}

use Expression::{All, Any, Not, Plain};

impl Expression {
    /// Whether it is true whatever is asked.
    pub(super) fn is_always(&self) -> bool {
        match self {
            All(parts) => parts.iter().all(Self::is_always),
            Any(parts) => parts.iter().any(Self::is_always),
            Plain(_) | Not(_) => false,
        }
    }

    /// The opposite.
    pub(super) fn negated(self) -> Self {
        Not(Box::new(self))
    }

    /// The same about the new object or, in an update, the old one.
    pub(super) fn of_either(expression: impl Fn(&str) -> Self) -> Self {
        Any(vec![expression("object"), All(vec![plain("oldObject != null"), expression("oldObject")])])
    }

    /// The same about the new object and, in an update, the old one.
    pub(super) fn of_both(expression: impl Fn(&str) -> Self) -> Self {
        All(vec![expression("object"), Any(vec![plain("oldObject == null"), expression("oldObject")])])
    }

    /// The same with no more parts than needed: none in which there is one only, no list in a list of its kind.
    fn simple(&self) -> Self {
        let flat = |parts: &[Self], nested: fn(Self) -> Vec<Self>| -> Vec<Self> {
            parts.iter().flat_map(|part| nested(part.simple())).collect()
        };
        let (mut parts, whole): (_, fn(Vec<Self>) -> Self) = match self {
            Plain(text) => return plain(text),
            Not(expression) => return expression.simple().negated(),
            All(parts) => (flat(parts, |part| if let All(parts) = part { parts } else { vec![part] }), All),
            Any(parts) => (flat(parts, |part| if let Any(parts) = part { parts } else { vec![part] }), Any),
        };
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                parts.extend(last);
                whole(parts)
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, operator, none) = match self {
            Plain(text) => return f.write_str(text),
            Not(expression) => {
                f.write_str("!(")?;
                expression.write(f)?;
                return f.write_str(")");
            }
            All(parts) => (parts, " && ", "true"),
            Any(parts) => (parts, " || ", "false"),
        };
        if parts.is_empty() {
            return f.write_str(none);
        }
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(operator)?;
            }
            match part {
                All(_) | Any(_) => {
                    f.write_str("(")?;
                    part.write(f)?;
                    f.write_str(")")?;
                }
                Plain(_) | Not(_) => part.write(f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.simple().write(f)
    }
}

fn plain(text: impl Into<String>) -> Expression {
    Plain(text.into())
}

/// A text.
pub(super) fn text(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '\'' => literal.push_str("\\'"),
            c if c.is_control() => literal.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

fn texts<'t>(items: impl IntoIterator<Item = &'t str>) -> String {
    let items: Vec<String> = items.into_iter().map(text).collect();
    format!("[{}]", items.join(", "))
}

/// Whether `*` or `?` stand for something in a text.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The regular expression of a pattern with `*` and `?`.
fn regex(pattern: &str) -> String {
    let mut regex = String::from("^");
    for c in pattern.chars() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            c if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '/' | ':' | '@') => {
                regex.push('\\');
                regex.push(c);
            }
            c => regex.push(c),
        }
    }
    regex.push('$');
    regex
}

/// That a value fits one of some patterns.
pub(super) fn fits(value: &str, patterns: &[&str]) -> Expression {
    let literal: Vec<&str> = patterns.iter().copied().filter(|pattern| !is_pattern(pattern)).collect();
    let mut ways = Vec::new();
    match literal.as_slice() {
        [] => {}
        [one] => ways.push(plain(format!("{value} == {}", text(one)))),
        several => ways.push(plain(format!("{value} in {}", texts(several.iter().copied())))),
    }
    let wild = patterns.iter().filter(|pattern| is_pattern(pattern));
    ways.extend(wild.map(|pattern| plain(format!("{value}.matches({})", text(&regex(pattern))))));
    Any(ways)
}

/// That the user who asks is one of some, or in one of some groups.
pub(super) fn subject(users: &[&str], groups: &[&str]) -> Expression {
    const USERNAME: &str = "request.userInfo.username";
    const GROUPS: &str = "request.userInfo.groups";
    let mut ways = Vec::new();
    if !users.is_empty() {
        ways.push(All(vec![plain(format!("has({USERNAME})")), fits(USERNAME, users)]));
    }
    if !groups.is_empty() {
        let group = |pattern: &&str| {
            plain(if is_pattern(pattern) {
                format!("{GROUPS}.exists(group, group.matches({}))", text(&regex(pattern)))
            } else {
                format!("{} in {GROUPS}", text(pattern))
            })
        };
        let member = Any(groups.iter().map(group).collect());
        ways.push(All(vec![plain(format!("has({GROUPS})")), member]));
    }
    Any(ways)
}

/// That the name of an object fits one of some patterns. Where a name is yet to be made up, what it begins
/// with counts.
pub(super) fn name(object: &str, patterns: &[&str]) -> Expression {
    let name = format!("{object}.metadata.name");
    let stem = format!("{object}.metadata.generateName");
    fits(&format!("(has({name}) && {name} != '' ? {name} : has({stem}) ? {stem} : '')"), patterns)
}

/// That the labels or annotations of an object have some pairs, of which both parts may be patterns.
pub(super) fn pairs<'p>(
    object: &str,
    field: &str,
    pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
) -> Expression {
    let map = format!("{object}.metadata.{field}");
    let mut parts = Vec::new();
    for (key, value) in pairs {
        if is_pattern(key) {
            let value = fits(&format!("{map}[key]"), &[value]);
            let key = text(&regex(key));
            parts.push(plain(format!("{map}.exists(key, key.matches({key}) && {value})")));
        } else {
            let key = text(key);
            parts.push(plain(format!("{key} in {map}")));
            parts.push(fits(&format!("{map}[{key}]"), &[value]));
        }
    }
    if !parts.is_empty() {
        parts.insert(0, plain(format!("has({map})")));
    }
    All(parts)
}

/// That the labels of an object fit a selector.
pub(super) fn selected(object: &str, selector: &Selector) -> Expression {
    let labels =
        selector.match_labels.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
    let mut parts = vec![pairs(object, "labels", labels)];
    let map = format!("{object}.metadata.labels");
    parts.extend(selector.match_expressions.iter().map(|requirement| required(&map, requirement)));
    All(parts)
}

fn required(map: &str, Requirement { key, operator, values }: &Requirement) -> Expression {
    let key = text(key);
    let mut parts = vec![plain(format!("has({map})")), plain(format!("{key} in {map}"))];
    if !values.is_empty() {
        let values = texts(values.iter().map(String::as_str));
        parts.push(plain(format!("{map}[{key}] in {values}")));
    }
    let there = All(parts);
    if matches!(operator.as_str(), "In" | "Exists") { there } else { there.negated() }
}

/// That a request is for one of some resources.
pub(super) fn resource(targets: &BTreeSet<Target>) -> Expression {
    const RESOURCE: &str = "request.resource.resource";
    let pods = Target::ALL.into_iter().filter(|target| target.is_pod());
    if pods.clone().all(|target| targets.contains(&target)) {
        // What is below a pod is asked for with the same resource.
        let templates = targets.iter().filter(|target| !target.is_pod()).map(|target| target.resource());
        return fits(RESOURCE, &[&["pods"][..], &templates.collect::<Vec<_>>()].concat());
    }
    let way = |target: &Target| {
        let whole = target.resource();
        let (resource, subresource) = whole.split_once('/').unwrap_or((whole, ""));
        let mut parts = vec![fits(RESOURCE, &[resource])];
        if target.is_pod() {
            let named = "has(request.subResource) ? request.subResource : ''";
            parts.push(fits(&format!("({named})"), &[subresource]));
        }
        All(parts)
    };
    Any(targets.iter().map(way).collect())
}

/// That a request is for one of some operations.
pub(super) fn operation(operations: &BTreeSet<Operation>) -> Expression {
    let names: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
    fits("request.operation", &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_has_no_more_parentheses_than_needed() {
        let (a, b, c) = (|| plain("a"), || plain("b"), || plain("c"));
        for (expression, text) in [
            (All(vec![All(vec![a()]), All(vec![b(), Any(vec![c()])])]), "a && b && c"),
            (Any(vec![All(vec![a(), b()]), c()]), "(a && b) || c"),
            (All(vec![Any(vec![a(), b()])]), "a || b"),
            (All(vec![Any(vec![a(), b()]), c().negated()]), "(a || b) && !(c)"),
            (All(vec![]), "true"),
            (Any(vec![]), "false"),
        ] {
            assert_eq!(expression.to_string(), text);
        }
    }

    #[test]
    fn a_pattern_is_a_regular_expression_and_the_rest_is_taken_as_it_is() {
        for (pattern, text) in [
            ("team-*", "n.matches('^team-.*$')"),
            ("a.b?", "n.matches('^a\\\\.b.$')"),
            (
                "a+(b)|[c]{1}^$\\*",
                "n.matches('^a\\\\+\\\\(b\\\\)\\\\|\\\\[c\\\\]\\\\{1\\\\}\\\\^\\\\$\\\\\\\\.*$')",
            ),
            ("it's", "n == 'it\\'s'"),
            ("a\nb", "n == 'a\\u000ab'"),
        ] {
            assert_eq!(fits("n", &[pattern]).to_string(), text);
        }
    }
}
