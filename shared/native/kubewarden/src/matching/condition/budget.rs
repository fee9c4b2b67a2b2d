//! The cost of expressions, which API servers limit.
//!
//! A server stops a condition that costs more than 1,000,000 units (`PerCallLimit` in
//! `pkg/apis/cel/config.go` of k8s.io/apiserver). Here, two bounds of the cost are counted. A
//! condition whose bound above is within the limit has its value. One whose bound below is not is
//! an error, as on a server. Between them, the value is not known.
//!
//! Functions around ranges, rounds and operands count while the expression is evaluated.
//!
//! Source of the costs: `interpreter/runtimecost.go` of cel-go. A name, a field and a call cost 1,
//! a new list 10, a new map 30, and a text a tenth of its length.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use calls::Charge;
use meter::{CHARGE, Measure, RANGE, ROUND, ROUNDS, count};

use crate::matching::condition::references::TYPES;
use crate::matching::condition::rewrite::HAS;

mod calls;
mod meter;

pub use meter::Cost;
pub(crate) use meter::{OF_ONE, declare, has_ended};

/// The highest cost of all conditions of a webhook (`RuntimeCELCostBudgetMatchConditions`).
const OF_ALL: u64 = 2_500_000;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Spent {
    /// A server evaluates the expression.
    Within,
    /// A server may stop.
    Unknown,
    Above,
}

#[derive(Debug)]
pub(crate) struct Metered {
    pub(crate) expression: IdedExpr,
    /// The cost outside of loops.
    pub(crate) fixed: Cost,
}

impl Metered {
    pub(crate) fn new(expression: &IdedExpr) -> Self {
        let mut expression = expression.clone();
        let fixed = Meter::default().of(&mut expression);
        Self { expression, fixed }
    }
}

impl Cost {
    /// Compares the cost of an evaluation with the limits, for one of some conditions.
    pub(crate) fn within(self, conditions: usize) -> Spent {
        let Self { least, most } = self;
        let share = OF_ALL.checked_div(count(conditions)).unwrap_or(OF_ONE).min(OF_ONE);
        if least > OF_ONE {
            Spent::Above
        } else if most > share {
            Spent::Unknown
        } else {
            Spent::Within
        }
    }
}

/// Measures an expression, and wraps its parts.
#[derive(Debug, Default)]
struct Meter {
    slots: u64,
}

impl Meter {
    /// Measures one evaluation without its loops and without what grows with operands.
    fn of(&mut self, expression: &mut IdedExpr) -> Cost {
        let mut most = 0_u64;
        let least = match &mut expression.expr {
            Expr::Unspecified | Expr::Literal(_) => 0,
            Expr::Ident(name) => {
                most = 1;
                u64::from(!TYPES.contains(&name.as_str()))
            }
            Expr::Select(select) => {
                let step = step_cost(&select.operand);
                let operand = self.of(&mut select.operand);
                most = operand.most.saturating_add(step);
                operand.least
            }
            Expr::Call(call) => {
                let cost = self.of_call(call);
                most = cost.most;
                cost.least
            }
            // The server makes it once.
            Expr::List(list) if list.elements.iter().all(is_literal) => 0,
            Expr::List(list) => {
                let items = list.elements.iter_mut().map(|item| self.of(item).most);
                most = items.fold(10, u64::saturating_add);
                0
            }
            Expr::Map(map) => {
                let entries = map.entries.iter_mut().map(|entry| self.of_entry(&mut entry.expr));
                most = entries.fold(30, u64::saturating_add);
                0
            }
            Expr::Struct(of_type) => {
                let entries = of_type.entries.iter_mut().map(|entry| self.of_entry(&mut entry.expr));
                most = entries.fold(40, u64::saturating_add);
                0
            }
            Expr::Comprehension(_) => {
                let cost = self.of_loop(expression);
                most = cost.most;
                cost.least
            }
        };
        Cost { least, most }
    }

    fn of_entry(&mut self, entry: &mut EntryExpr) -> u64 {
        match entry {
            EntryExpr::StructField(field) => self.of(&mut field.value).most,
            EntryExpr::MapEntry(entry) => {
                self.of(&mut entry.key).most.saturating_add(self.of(&mut entry.value).most)
            }
        }
    }

    /// Measures a loop without its rounds, and wraps its range and what is evaluated in each
    /// round.
    fn of_loop(&mut self, expression: &mut IdedExpr) -> Cost {
        let Expr::Comprehension(fold) = &mut expression.expr else { return Cost::default() };
        let mut cost = self.of(&mut fold.iter_range);
        for part in [&mut fold.accu_init, &mut fold.result] {
            cost.most = cost.most.saturating_add(self.of(part).most);
        }
        let is_binding = matches!(&fold.iter_range.expr, Expr::List(list) if list.elements.is_empty());
        if is_binding {
            // The list of the range; whether servers make it once depends on the macro.
            cost.most = cost.most.saturating_add(10);
            return cost;
        }
        let mut condition = self.of(&mut fold.loop_cond);
        if matches!(&fold.loop_cond.expr, Expr::Call(call) if call.func_name == operators::LOGICAL_NOT) {
            // cel-go has `@not_strictly_false(!result)`.
            condition.add(Cost { least: 1, most: 1 });
        }
        let mut round = self.of(&mut fold.loop_step);
        round.add(condition);
        let slot = self.slot();
        wrap(&mut fold.iter_range, RANGE, &[round.most, slot]);
        if matches!(fold.loop_cond.expr, Expr::Literal(_)) {
            wrap(expression, ROUNDS, &[round.least, slot]);
        } else if let Expr::Call(step) = &mut fold.loop_step.expr
            && let Some(last) = step.args.last_mut()
        {
            // The last operand of `result && test` is evaluated in each round.
            let is_fold = matches!(step.func_name.as_str(), operators::LOGICAL_AND | operators::LOGICAL_OR);
            wrap(last, ROUND, &[if is_fold { round.least } else { 0 }]);
        }
        cost
    }

    fn of_call(&mut self, call: &mut CallExpr) -> Cost {
        let namespace = match call.target.as_deref() {
            Some(IdedExpr { expr: Expr::Ident(name), .. })
                if matches!(name.as_str(), "sets" | "lists" | "strings" | "ip" | "format") =>
            {
                Some(name.clone())
            }
            _ => None,
        };
        let mut cost = Cost::default();
        let name = match namespace {
            Some(namespace) => format!("{namespace}.{}", call.func_name),
            None => call.func_name.clone(),
        };
        let is_qualified = name != call.func_name;
        let target = call.target.as_deref_mut().filter(|_| !is_qualified);
        let mut operands: Vec<&mut IdedExpr> = target.into_iter().chain(&mut call.args).collect();
        if calls::is_step(&name) {
            cost.most = operands.first().map_or(0, |first| step_cost(first).saturating_sub(1));
        }
        let is_of_numbers = operands.iter().any(|operand| is_number(operand));
        // The test of a round is evaluated unless the loop has ended before. Other operators
        // evaluate both operands, even if the first is an error.
        let are_evaluated = operands.first().is_some_and(|first| is_sum(first))
            || operands.len() <= 2 && !calls::may_skip(&name);
        let literals: Vec<Option<u64>> = operands.iter().map(|operand| literal_size(operand)).collect();
        for (at, operand) in operands.iter_mut().enumerate() {
            let operand = self.of(operand);
            cost.most = cost.most.saturating_add(operand.most);
            if (at == 0 || are_evaluated) && name != HAS {
                cost.least = cost.least.saturating_add(operand.least);
            }
        }
        cost.most = cost.most.saturating_add(calls::constant(&name));
        let charges = calls::charges(&name, operands.len());
        // The server evaluates conversions of literals once.
        if !literals.iter().all(Option::is_some) {
            cost.least = cost.least.saturating_add(calls::of_operator(&name, is_of_numbers));
        }
        // A comparison costs no more than its shorter side.
        if charges.iter().any(|charge| charge.measure == Measure::Compared)
            && let Some(size) = literals.iter().flatten().min()
        {
            cost.most = cost.most.saturating_add(size.div_ceil(10).max(1));
            return cost;
        }
        let slot = if charges.iter().any(|charge| charge.measure.is_of_two()) { self.slot() } else { 0 };
        for charge in charges {
            if let Some(operand) = operands.get_mut(charge.operand) {
                charge.wrap(operand, slot);
            }
        }
        cost
    }

    fn slot(&mut self) -> u64 {
        self.slots = self.slots.saturating_add(1);
        self.slots
    }
}

impl Charge {
    fn wrap(self, operand: &mut IdedExpr, slot: u64) {
        let second = u64::from(self.operand > 0);
        let number = if self.measure.is_of_two() {
            slot.saturating_mul(2).saturating_add(second)
        } else {
            self.number
        };
        wrap(operand, CHARGE, &[self.measure.number(), number, u64::from(self.is_counted)]);
    }
}

/// Puts a function with more arguments around an expression.
fn wrap(expression: &mut IdedExpr, name: &str, numbers: &[u64]) {
    let id = expression.id;
    let inside = std::mem::take(expression);
    let number = |number: &u64| {
        let number = i64::try_from(*number).unwrap_or(i64::MAX);
        IdedExpr { id, expr: Expr::Literal(LiteralValue::Int(number.into())) }
    };
    let args = std::iter::once(inside).chain(numbers.iter().map(number)).collect();
    *expression =
        IdedExpr { id, expr: Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }) };
}

fn is_literal(expression: &IdedExpr) -> bool {
    matches!(expression.expr, Expr::Literal(_))
}

fn is_number(expression: &IdedExpr) -> bool {
    let Expr::Literal(literal) = &expression.expr else { return false };
    matches!(literal, LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_))
}

/// Returns the cost of a field or an item of a value: one more unless the value is one of a
/// variable.
fn step_cost(of: &IdedExpr) -> u64 {
    match &of.expr {
        Expr::Ident(_) | Expr::Select(_) => 1,
        Expr::Call(call) if calls::is_step(&call.func_name) => 1,
        _ => 2,
    }
}

/// Returns whether an expression is the sum of a loop over which its rounds go.
fn is_sum(expression: &IdedExpr) -> bool {
    matches!(&expression.expr, Expr::Ident(name) if name.starts_with('@'))
}

/// Returns the size of a literal: 1 for a number.
fn literal_size(expression: &IdedExpr) -> Option<u64> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(count(text.inner().len()).max(1)),
        Expr::Literal(_) => Some(1),
        Expr::List(list) => Some(count(list.elements.len()).max(1)),
        Expr::Map(map) => Some(count(map.entries.len()).max(1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
