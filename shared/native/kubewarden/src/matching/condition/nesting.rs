//! The nesting of expressions, which the parser of CEL follows with its stack.

use std::thread;

/// The most operators. Each can be a level of the parsed expression.
const MOST_OPERATORS: usize = 10_000;

/// Enough for as many levels. A debug build of the parser needs more than 100 KiB for a level, and
/// a thread of a test has 2 MiB.
const STACK: usize = 32 * 1024 * 1024;

/// Runs a parser of an expression with a stack that suffices. The error is that the expression is
/// nested too deeply for the parser, and not for those of API servers.
pub(crate) fn parse<T: Send>(expression: &str, parser: impl FnOnce() -> T + Send) -> Result<T, String> {
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
                assert!(problem.contains("nested too deeply"), "{problem}");
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
        assert_eq!(problem(&brackets(90)), Ok(()));
        assert!(problem(&brackets(96)).unwrap_err().contains("nested too deeply"));
        for one in ["true ? 1 : 2", "(true ? 1 : 2)"] {
            let side_by_side = format!("[{}].size() == 300", [one; 300].join(", "));
            assert_eq!(problem(&side_by_side), Ok(()));
        }
        let with_brackets_in_texts = format!("{}true{}", "(')' == '' || ".repeat(96), ")".repeat(96));
        assert!(problem(&with_brackets_in_texts).unwrap_err().contains("nested too deeply"));
    }

    #[test]
    fn an_error_at_the_end_of_a_long_line_has_its_place() {
        let error = Condition::compile("c", &format!("true{} &&& true", " ".repeat(70_000))).unwrap_err();
        assert!(error.problem.starts_with("is not a CEL expression: line 1, column 700"), "{error}");
    }
}
