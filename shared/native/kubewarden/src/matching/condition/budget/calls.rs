//! The costs of calls that grow with their operands.
//!
//! Sources: `costCall` in `interpreter/runtimecost.go`, `ext/lists.go` and `ext/sets.go` of
//! cel-go, and `CallCost` in `pkg/cel/library/cost.go` of k8s.io/apiserver, at version 1.37.2.

use cel::common::ast::operators;

use super::meter::Measure;
use super::meter::Measure::{Added, Compared, Deep, Items, Part, Pattern, Product, Square, Tenths, Value};
use crate::matching::condition::functions::{
    EQUAL, FORMAT, INDEX_OF, INSERT, LAST_INDEX_OF, MERGE, NOT_EQUAL,
};
use crate::matching::condition::rewrite::CONTAINED_IN;

/// A cost that grows with an operand. The target of a call is its first operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    pub(super) operand: usize,
    pub(super) measure: Measure,
    /// The factor; unused for measures with a slot.
    pub(super) number: u64,
    /// Whether servers count it, too. A bound for the work of this crate, and a cost that servers
    /// count differently, belong only to the bound above.
    pub(super) is_counted: bool,
}

const fn counted(operand: usize, measure: Measure, number: u64) -> Charge {
    Charge { operand, measure, number, is_counted: true }
}

const fn bound(operand: usize, measure: Measure, number: u64) -> Charge {
    Charge { operand, measure, number, is_counted: false }
}

/// The constant cost of a call without its operands: most calls cost 1 if no other cost is known.
pub(super) fn constant(name: &str) -> u64 {
    match name {
        // A comparison and a sum cost as much as their operands are long.
        operators::LOGICAL_AND
        | operators::LOGICAL_OR
        | operators::CONDITIONAL
        | operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | operators::ADD
        | EQUAL
        | NOT_EQUAL => 0,
        "check" => 350_000,
        "fieldSelector"
        | "labelSelector"
        | "lists.range"
        | "flatten"
        | "distinct"
        | "sort"
        | "slice"
        | "reverse"
        | "@sortByAssociatedKeys" => 11,
        "containsIP" | "containsCIDR" => 8,
        "validate" => 600,
        _ => 1,
    }
}

pub(super) fn is_step(name: &str) -> bool {
    matches!(name, operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT)
}

pub(super) fn may_skip(name: &str) -> bool {
    matches!(name, operators::LOGICAL_AND | operators::LOGICAL_OR | operators::CONDITIONAL) || is_step(name)
}

/// The cost of a call of an operator, if it is a constant for operands that are numbers or
/// booleans.
pub(super) fn of_operator(name: &str, is_of_numbers: bool) -> u64 {
    match name {
        operators::LOGICAL_NOT
        | operators::NOT_STRICTLY_FALSE
        | operators::NEGATE
        | operators::SUBSTRACT
        | operators::MULTIPLY
        | operators::DIVIDE
        | operators::MODULO => 1,
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
            u64::from(is_of_numbers)
        }
        _ => 0,
    }
}

pub(super) fn charges(name: &str, operands: usize) -> &'static [Charge] {
    const FIRST: &[Charge] = &[counted(0, Tenths, 1)];
    const AFFIX: &[Charge] = &[counted(1, Tenths, 1)];
    const FIRST_OF_MANY: &[Charge] = &[bound(0, Tenths, 1)];
    const TWICE: &[Charge] = &[bound(0, Tenths, 2)];
    const REPLACED: &[Charge] = &[bound(0, Tenths, 2), bound(0, Product, 0), bound(2, Product, 0)];
    const JOINED: &[Charge] = &[bound(0, Deep, 2), bound(0, Product, 0), bound(1, Product, 0)];
    const INSIDE: &[Charge] = &[bound(0, Deep, 1)];
    const MATCHED: &[Charge] = &[counted(0, Pattern, 0), counted(1, Pattern, 0)];
    const CONTAINED: &[Charge] = &[counted(0, Part, 0), counted(1, Part, 0)];
    const COMPARED: &[Charge] = &[counted(0, Compared, 0), counted(1, Compared, 0)];
    const ADDED: &[Charge] = &[bound(0, Added, 0), bound(1, Added, 0)];
    const MERGED: &[Charge] = &[bound(0, Tenths, 1), bound(1, Tenths, 1)];
    const SEARCHED: &[Charge] = &[bound(1, Items, 1)];
    const OF_SETS: &[Charge] = &[bound(0, Product, 0), bound(1, Product, 0)];
    const SECOND: &[Charge] = &[bound(1, Tenths, 1)];
    const VALIDATED: &[Charge] = &[bound(1, Tenths, 280)];
    const SELECTED: &[Charge] = &[bound(1, Tenths, 260)];
    const COPIED: &[Charge] = &[bound(0, Items, 1)];
    const SORTED: &[Charge] = &[bound(0, Square, 1)];
    const FLATTENED: &[Charge] = &[bound(0, Deep, 1), bound(0, Product, 0), bound(1, Product, 0)];
    const COUNTED: &[Charge] = &[bound(0, Value, 1)];
    const FORMATTED: &[Charge] = &[bound(0, Tenths, 1), bound(1, Deep, 4)];
    match name {
        operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | EQUAL
        | NOT_EQUAL => COMPARED,
        operators::ADD => ADDED,
        CONTAINED_IN => SEARCHED,
        MERGE => MERGED,
        "startsWith" | "endsWith" => AFFIX,
        "lowerAscii" | "upperAscii" | "trim" | "url" | "quantity" | "isQuantity" | "semver" | "isSemver"
        | "cidr" | "isIP" | "isCIDR" => FIRST,
        INSERT | "substring" | "bytes" | "string" | "ip" | "strings.quote" | "isURL" => FIRST_OF_MANY,
        "split" | "ip.isCanonical" => TWICE,
        "replace" => REPLACED,
        "join" if operands > 1 => JOINED,
        "join" => INSIDE,
        FORMAT => FORMATTED,
        "matches" | "find" | "findAll" => MATCHED,
        "contains" => CONTAINED,
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | INDEX_OF | LAST_INDEX_OF => INSIDE,
        "containsIP" | "containsCIDR" => SECOND,
        "validate" => VALIDATED,
        "fieldSelector" | "labelSelector" => SELECTED,
        "sets.contains" | "sets.equivalent" | "sets.intersects" => OF_SETS,
        "lists.range" => COUNTED,
        "flatten" if operands > 1 => FLATTENED,
        "flatten" => INSIDE,
        "slice" | "reverse" => COPIED,
        "distinct" | "sort" | "@sortByAssociatedKeys" => SORTED,
        _ => &[],
    }
}
