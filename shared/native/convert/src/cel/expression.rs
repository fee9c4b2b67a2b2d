//! Boolean expressions.

use std::fmt;

#[derive(Clone, Debug)]
pub(crate) enum CelExpression {
    /// A comparison or a call, which needs no parentheses.
    Plain(String),
    /// A conjunction; true if it is empty.
    All(Vec<Self>),
    /// A disjunction; false if it is empty.
    Any(Vec<Self>),
    Not(Box<Self>),
}

use CelExpression::{All, Any, Not, Plain};

impl CelExpression {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Plain(text.into())
    }

    /// Whether the expression is true for every request.
    pub(crate) fn is_always_true(&self) -> bool {
        match self {
            All(parts) => parts.iter().all(Self::is_always_true),
            Any(parts) => parts.iter().any(Self::is_always_true),
            Plain(_) | Not(_) => false,
        }
    }

    pub(crate) fn negated(self) -> Self {
        Not(Box::new(self))
    }

    /// Requires that the new object or, in an update, the old object meets an expression.
    pub(crate) fn of_either_object(expression: impl Fn(&str) -> Self) -> Self {
        Any(vec![expression("object"), All(vec![Self::plain("oldObject != null"), expression("oldObject")])])
    }

    /// Requires that the new object and, in an update, the old object meet an expression.
    pub(crate) fn of_both_objects(expression: impl Fn(&str) -> Self) -> Self {
        All(vec![expression("object"), Any(vec![Self::plain("oldObject == null"), expression("oldObject")])])
    }

    /// Unwraps lists with a single part, and merges lists into lists of the same kind.
    fn simplified(&self) -> Self {
        let flat = |parts: &[Self], nested: fn(Self) -> Vec<Self>| -> Vec<Self> {
            parts.iter().flat_map(|part| nested(part.simplified())).collect()
        };
        let (mut parts, whole): (_, fn(Vec<Self>) -> Self) = match self {
            Plain(text) => return Self::plain(text),
            Not(expression) => return expression.simplified().negated(),
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
        let (parts, operator, empty) = match self {
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
            return f.write_str(empty);
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

impl fmt::Display for CelExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.simplified().write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_only_the_necessary_parentheses() {
        let (a, b, c) =
            (|| CelExpression::plain("a"), || CelExpression::plain("b"), || CelExpression::plain("c"));
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
}
