//! The nesting of expressions, which the parser of CEL follows with its stack.

use std::thread;

use cel::parser::ParseErrors;

use super::checker::Refusal;

/// The most brackets and conditional operators within each other: the limit of the crate `cel`,
/// which applies it only after it has parsed the expression.
const MOST_LEVELS: usize = 96;

/// The most operators. Each can be a level of the parsed expression.
const MOST_OPERATORS: usize = 10_000;

/// Enough for as many levels. A debug build of the parser needs more than 100 KiB for a level, and
/// a thread of a test has 2 MiB.
const STACK: usize = 32 * 1024 * 1024;

/// Runs a parser of an expression with a stack that suffices. The error is that the expression is
/// nested too deeply for the parser, and not for those of API servers.
pub(crate) fn parse<T: Send>(expression: &str, parser: impl FnOnce() -> T + Send) -> Result<T, String> {
    if levels(expression) > MOST_LEVELS {
        return Err(too_deep());
    }
    if expression.bytes().filter(|one| b"!%*+-./<=>[".contains(one)).count() > MOST_OPERATORS {
        return Err(format!("has more than {MOST_OPERATORS} operators; shorten it"));
    }
    // The stack of a browser is that of the module, and there are no threads.
    if cfg!(target_family = "wasm") {
        return Ok(parser());
    }
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parser);
        let worker = worker.map_err(|cause| format!("cannot be parsed: {cause}"))?;
        worker.join().map_err(|_| "cannot be parsed".to_owned())
    })
}

fn too_deep() -> String {
    format!("has more than {MOST_LEVELS} levels of brackets and conditions; shorten it")
}

/// Returns what an error of the parser means. It counts more levels than [`levels`] does.
pub(crate) fn refusal(errors: &ParseErrors) -> Refusal {
    let problem = errors.to_string();
    if problem.contains("Recursion limit of ") {
        Refusal::Unknown(too_deep())
    } else {
        Refusal::Refused(format!("is not a CEL expression: {problem}"))
    }
}

/// Counts levels. Brackets in texts count as well, because only the parser knows texts, and so do
/// all `? :`, because it goes one level deeper with each of them until the bracket ends.
fn levels(expression: &str) -> usize {
    let (mut level, mut most, mut before) = (0_usize, 0, 0);
    let mut outside = Vec::new();
    for one in expression.bytes() {
        match one {
            b'(' | b'[' | b'{' => {
                outside.push(level);
                level = level.saturating_add(1);
            }
            // `a.?b` and `a[?b]` are optional values.
            b'?' if !matches!(before, b'.' | b'[') => level = level.saturating_add(1),
            b')' | b']' | b'}' => level = outside.pop().unwrap_or(level),
            _ => {}
        }
        before = one;
        most = most.max(level);
    }
    most
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::matching::Condition;
    use crate::matching::condition::Variables;

    /// Compiles an expression and returns why its value is not known.
    fn problem(expression: &str) -> Result<(), String> {
        let condition = Condition::compile("c", expression).unwrap();
        let error = condition.holds(&Variables::of(&Value::Null)).err().filter(|error| error.is_unknown);
        error.map_or(Ok(()), |error| Err(error.problem))
    }

    #[test]
    fn an_expression_that_is_nested_too_deeply_for_the_parser_is_unknown() {
        let brackets = |levels: usize| format!("{}true{}", "(".repeat(levels), ")".repeat(levels));
        let conditions = |levels: usize| format!("{}true", "true ? true : ".repeat(levels));
        for levels in [97, 100_000] {
            for expression in [brackets(levels), conditions(levels)] {
                let problem = problem(&expression).unwrap_err();
                assert!(problem.contains("more than 96 levels"), "{problem}");
            }
        }
        for expression in
            [brackets(40), conditions(90), format!("[{}].size() == 300", ["(1)"; 300].join(", "))]
        {
            assert_eq!(problem(&expression), Ok(()), "{expression}");
        }
        for operators in
            [format!("1{} == 1", " + 1".repeat(49_000)), format!("object{}", ".a".repeat(49_000))]
        {
            assert!(problem(&operators).unwrap_err().contains("more than 10000 operators"));
        }
        let sum = format!("1{} == 1", " + 1".repeat(1000));
        assert!(problem(&sum).unwrap_err().ends_with("nested too deeply to be checked here"));
        // Whether the parser accepts it or not, its stack suffices.
        drop(problem(&brackets(96)));
        // A level ends with its bracket.
        let side_by_side = format!("[{}].size() == 300", ["(true ? 1 : 2)"; 300].join(", "));
        assert_eq!(problem(&side_by_side), Ok(()));
        // The parser counts these, and `levels` does not.
        let with_brackets_in_texts = format!("{}true{}", "(')' == '' || ".repeat(96), ")".repeat(96));
        assert!(problem(&with_brackets_in_texts).unwrap_err().contains("levels"));
    }
}
