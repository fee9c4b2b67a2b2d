//! Expressions of groups, evaluated by Rhai as the policy server evaluates them.
//!
//! Source: `validate` in `crates/policy-evaluator/src/policy_group_evaluator/evaluator.rs` of
//! kubewarden/kubewarden-controller at 3460bb71. The engine is Rhai's raw one, which has operators
//! and no library; the members are functions; only an expression is evaluated, no script.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use rhai::{Engine, EvalAltResult, Position};

/// The most levels of an expression and, unused here, of one in a function: the defaults of Rhai
/// where it is compiled for release, as in the policy server.
const MOST_LEVELS: (usize, usize) = (64, 32);

/// An engine with the members of a group as its functions.
pub(super) struct Evaluator {
    engine: Engine,
    /// The values that the functions return.
    values: Rc<RefCell<BTreeMap<String, bool>>>,
}

/// Why an evaluation has no value.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Stop {
    /// The expression calls this member, whose value is not given.
    Needs(String),
    /// Rhai refuses the expression, with the reason.
    Refused(String),
}

impl Display for Stop {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needs(member) => write!(formatter, "it calls {member}"),
            Self::Refused(reason) => formatter.write_str(reason),
        }
    }
}

impl Evaluator {
    pub(super) fn new<'m>(members: impl IntoIterator<Item = &'m String>) -> Self {
        let mut engine = Engine::new_raw();
        let (expression, function) = MOST_LEVELS;
        engine.set_max_expr_depths(expression, function);
        let values: Rc<RefCell<BTreeMap<String, bool>>> = Rc::default();
        for member in members {
            let (name, values) = (member.clone(), Rc::clone(&values));
            engine.register_fn(member, move || match values.borrow().get(&name) {
                Some(value) => Ok(*value),
                // The only error that no expression can cause.
                None => Err(Box::new(EvalAltResult::ErrorTerminated(name.clone().into(), Position::NONE))),
            });
        }
        Self { engine, values }
    }

    /// Evaluates an expression with these values of members.
    pub(super) fn evaluate(&self, expression: &str, values: BTreeMap<String, bool>) -> Result<bool, Stop> {
        self.values.replace(values);
        self.engine.eval_expression(expression).map_err(|error| match *error {
            EvalAltResult::ErrorTerminated(member, _) => Stop::Needs(member.to_string()),
            other => Stop::Refused(other.to_string()),
        })
    }

    /// Says whether Rhai reads `name()` as a call of the member, and not as a word of its own.
    pub(super) fn calls(&self, name: &str) -> bool {
        let returns = |value| {
            self.evaluate(&format!("{name}()"), BTreeMap::from([(name.to_owned(), value)])) == Ok(value)
        };
        returns(true) && returns(false)
    }
}
