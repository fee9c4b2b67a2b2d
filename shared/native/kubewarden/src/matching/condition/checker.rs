//! Whether API servers compile an expression as a match condition.
//!
//! An API server gives each part of an expression a type, and refuses an expression whose parts do
//! not fit each other, whatever the value would be. Kubewarden's webhook compiles the match
//! conditions of a policy with the same code, and refuses the policy.
//!
//! Sources: `CompileCELExpression` in `pkg/admission/plugin/cel/compile.go` of k8s.io/apiserver
//! 1.37, with the checker, the validators and the planner of cel-go.

mod constants;
mod declarations;
mod expressions;
mod format;
mod literals;
mod macros;
mod problem;
pub(crate) mod signatures;
mod types;
mod unification;

use cel::Env;
use cel::common::ast::IdedExpr;
use cel::parser::ParseErrors;

use self::problem::{Problem, refused};
use self::types::Type;

pub(crate) use self::problem::Refusal;

/// The most characters of an expression (`expressionSizeCodePointLimit` in `parser/parser.go`).
const MOST_CHARACTERS: usize = 100_000;

/// Checks an expression; an error if API servers refuse it, or if that is not known.
pub(crate) fn check(expression: &str) -> Result<(), Refusal> {
    if expression.chars().count() > MOST_CHARACTERS {
        return Err(Refusal::Refused(format!("it has more than {MOST_CHARACTERS} characters")));
    }
    // Without macros, the parser leaves them as calls, which have the places that users see.
    let parsed = Env::default().parser().parse_with_source_info(expression);
    let (parsed, source) = parsed.map_err(|errors: ParseErrors| Refusal::of_parser(&errors))?;
    check_parsed(&parsed).map_err(|problem| problem.located(&source))
}

fn check_parsed(expression: &IdedExpr) -> Result<(), Problem> {
    let types = expressions::check(expression)?;
    literals::check(expression, &types)?;
    match types.get(expression) {
        Type::Bool => Ok(()),
        other => Err(refused(expression, not_bool(&other))),
    }
}

fn not_bool(of: &Type) -> String {
    match of {
        Type::Dyn => {
            "a condition is a bool, and this is a value of any type; compare it, such as with == true"
                .to_owned()
        }
        other => format!("a condition is a bool, and this is {other}"),
    }
}

#[cfg(test)]
mod tests;
