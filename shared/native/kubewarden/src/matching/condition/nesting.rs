//! The nesting of expressions, which the parser of CEL follows with its stack.

use std::thread;

/// The most brackets and conditional operators within each other: the limit of the crate `cel`,
/// which applies it only after it has parsed the expression.
const MOST_LEVELS: usize = 96;

/// The most operators. Each can be a level of the parsed expression.
const MOST_OPERATORS: usize = 10_000;

/// Enough for as many levels. A debug build of the parser needs more than 100 KiB for a level, and
/// a thread of a test has 2 MiB.
const STACK: usize = 32 * 1024 * 1024;

/// Runs a parser of an expression with a stack that suffices, unless the expression is nested too
/// deeply.
pub(crate) fn parse<T: Send>(expression: &str, parser: impl FnOnce() -> T + Send) -> Result<T, String> {
    if levels(expression) > MOST_LEVELS {
        return Err(format!("has more than {MOST_LEVELS} levels of brackets and conditions; shorten it"));
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

/// Counts levels. Brackets in texts count as well, because only the parser knows texts, and so do
/// all `? :`, because it goes one level deeper with each of them.
fn levels(expression: &str) -> usize {
    let (mut level, mut most, mut before) = (0_usize, 0, 0);
    for one in expression.bytes() {
        match one {
            b'(' | b'[' | b'{' => level = level.saturating_add(1),
            // `a.?b` and `a[?b]` are optional values.
            b'?' if !matches!(before, b'.' | b'[') => level = level.saturating_add(1),
            b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        before = one;
        most = most.max(level);
    }
    most
}

#[cfg(test)]
mod tests {
    use crate::matching::Condition;

    fn problem(expression: &str) -> Result<(), String> {
        Condition::compile("c", expression).map(|_| ()).map_err(|error| error.problem)
    }

    #[test]
    fn an_expression_that_is_nested_too_deeply_is_refused_before_it_is_parsed() {
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
        assert_eq!(problem(&format!("1{} == 1", " + 1".repeat(1000))), Ok(()));
        // Whether the parser accepts it or not, its stack suffices.
        assert!(problem(&brackets(96)).map_or_else(|problem| !problem.contains("levels"), |()| true));
    }
}
