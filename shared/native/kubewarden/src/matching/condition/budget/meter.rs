//! The units that an evaluation has spent, and the functions that count them.

use std::cell::{Cell, RefCell};

use cel::common::types::{CelInt, CelOptional, DYN_TYPE, Kind};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use crate::matching::condition::functions::{NOT_KNOWN, arguments};

/// The function around the range of a loop: `@range(range, units of a round, slot)`.
pub(super) const RANGE: &str = "@range";
/// The function around a part of each round: `@round(part, units)`.
pub(super) const ROUND: &str = "@round";
/// The function around a loop without a break: `@rounds(loop, units of a round, slot)`.
pub(super) const ROUNDS: &str = "@rounds";
/// The function around an operand: `@charge(operand, measure, number, whether servers count it)`.
pub(super) const CHARGE: &str = "@charge";

/// The highest cost of a condition (`PerCallLimit`).
pub(crate) const OF_ONE: u64 = 1_000_000;

/// An evaluation ends once servers surely stop it. It goes on while they may, up to so many times
/// the limit.
const PATIENCE: u64 = 2;

thread_local! {
    /// A bound above the units that servers count.
    static MOST: Cell<u64> = const { Cell::new(0) };
    /// A bound below them.
    static LEAST: Cell<u64> = const { Cell::new(0) };
    /// Sizes of ranges, and of operands until those of the other operands are known.
    static HELD: RefCell<Vec<[Option<u64>; 2]>> = const { RefCell::new(Vec::new()) };
}

/// How the cost of a call grows with an operand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Measure {
    /// So many tenths of the size.
    Tenths,
    /// The items of a list, so many times.
    Items,
    /// All texts and items inside, so many times.
    Deep,
    Value,
    /// The square of the size, twice.
    Square,
    /// A text and a pattern, which share a slot. The number is twice the slot, and one more for the
    /// second of both. They are evaluated in any order.
    Pattern,
    /// A text and a part of it, which share a slot.
    Part,
    Compared,
    Added,
    /// Two values whose sizes are multiplied, twice.
    Product,
}

const MEASURES: [Measure; 10] = [
    Measure::Tenths,
    Measure::Items,
    Measure::Deep,
    Measure::Value,
    Measure::Square,
    Measure::Pattern,
    Measure::Part,
    Measure::Compared,
    Measure::Added,
    Measure::Product,
];

impl Measure {
    /// Returns the number that stands for the measure in an expression.
    pub(super) fn number(self) -> u64 {
        count(MEASURES.iter().position(|measure| *measure == self).unwrap_or_default())
    }

    fn of(self, value: &dyn Val, number: u64) -> u64 {
        match self {
            Self::Tenths => size(value).saturating_mul(number).div_ceil(10),
            Self::Items if value.get_type().kind() == Kind::List => size(value).saturating_mul(number),
            Self::Items => 1,
            Self::Deep => deep(value).saturating_mul(number),
            Self::Value => {
                let value = value.downcast_ref::<CelInt>().map(|number| *number.inner());
                value.and_then(|value| u64::try_from(value).ok()).unwrap_or_default()
            }
            Self::Square => size(value).saturating_mul(size(value)).saturating_mul(3),
            Self::Pattern | Self::Part | Self::Compared | Self::Added | Self::Product => {
                let (slot, at) = (number.div_euclid(2), number.rem_euclid(2));
                complete(slot, at == 1, size(value)).map_or(0, |sizes| self.of_both(sizes))
            }
        }
    }

    /// Whether two operands share a slot.
    pub(super) fn is_of_two(self) -> bool {
        matches!(self, Self::Pattern | Self::Part | Self::Compared | Self::Added | Self::Product)
    }

    fn of_both(self, [first, second]: [u64; 2]) -> u64 {
        match self {
            Self::Pattern => first.saturating_add(1).div_ceil(10).saturating_mul(second.div_ceil(4)),
            Self::Part => first.div_ceil(10).saturating_mul(second.div_ceil(10)),
            Self::Compared => first.min(second).div_ceil(10),
            Self::Added => first.saturating_add(second).div_ceil(10),
            _ => first.saturating_mul(second).saturating_mul(2),
        }
    }
}

/// Bounds for the cost of an evaluation, in units of API servers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Cost {
    /// A server counts at least so many units.
    pub least: u64,
    /// A server counts at most so many units.
    pub most: u64,
}

impl Cost {
    pub(super) fn add(&mut self, other: Self) {
        self.least = self.least.saturating_add(other.least);
        self.most = self.most.saturating_add(other.most);
    }

    /// Begins an evaluation with a cost that it has anyway.
    pub(crate) fn begin(self) {
        HELD.with_borrow_mut(Vec::clear);
        LEAST.set(self.least);
        MOST.set(self.most);
    }

    /// The cost of the evaluation of this thread.
    pub(crate) fn spent() -> Self {
        Self { least: LEAST.get(), most: MOST.get() }
    }
}

/// Returns whether the evaluation has ended because of its cost, so that its result does not count:
/// the error may have been absorbed.
pub(crate) fn has_ended() -> bool {
    LEAST.get() > OF_ONE || MOST.get() > OF_ONE.saturating_mul(PATIENCE)
}

pub(crate) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(RANGE, "range_of_loop", vec![DYN_TYPE, DYN_TYPE, DYN_TYPE], range)?;
    env.add_overload(ROUND, "round_of_loop", vec![DYN_TYPE, DYN_TYPE], round)?;
    env.add_overload(ROUNDS, "rounds_of_loop", vec![DYN_TYPE, DYN_TYPE, DYN_TYPE], rounds)?;
    env.add_overload(CHARGE, "charge_operand", vec![DYN_TYPE, DYN_TYPE, DYN_TYPE, DYN_TYPE], charge)
}

type Result1<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// Counts a cost, and returns the value, or an error if the evaluation has ended.
fn spend<'b, 'v>(value: CowVal<'b, 'v>, cost: Cost) -> Result1<'b, 'v> {
    let mut spent = Cost::spent();
    spent.add(cost);
    LEAST.set(spent.least);
    MOST.set(spent.most);
    if has_ended() { Err(ExecutionError::function_error(CHARGE, NOT_KNOWN)) } else { Ok(value) }
}

fn range<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result1<'b, 'v> {
    let [range, units, slot] = arguments(args)?;
    let items = size(range.as_ref());
    complete(integer(&slot), false, items);
    let most = items.saturating_mul(integer(&units));
    spend(range, Cost { least: 0, most })
}

fn round<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result1<'b, 'v> {
    let [part, units] = arguments(args)?;
    let least = integer(&units);
    spend(part, Cost { least, most: 0 })
}

fn rounds<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result1<'b, 'v> {
    let [value, units, slot] = arguments(args)?;
    let least = held(integer(&slot)).saturating_mul(integer(&units));
    spend(value, Cost { least, most: 0 })
}

fn charge<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result1<'b, 'v> {
    let [value, measure, number, is_counted] = arguments(args)?;
    let measure = usize::try_from(integer(&measure)).ok().and_then(|at| MEASURES.get(at));
    let most = measure.map_or(u64::MAX, |measure| measure.of(value.as_ref(), integer(&number)));
    let least = if integer(&is_counted) == 0 { 0 } else { most };
    spend(value, Cost { least, most })
}

fn integer(value: &CowVal<'_, '_>) -> u64 {
    let number = value.as_ref().downcast_ref::<CelInt>().map(|number| *number.inner());
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(u64::MAX)
}

/// Keeps a size, and returns both sizes of the slot once they are known.
fn complete(slot: u64, is_second: bool, size: u64) -> Option<[u64; 2]> {
    let slot = usize::try_from(slot).ok()?;
    HELD.with_borrow_mut(|held| {
        if held.len() <= slot {
            held.resize(slot.saturating_add(1), [None; 2]);
        }
        let [first, second] = held.get_mut(slot)?;
        *(if is_second { &mut *second } else { &mut *first }) = Some(size);
        let both = [(*first)?, (*second)?];
        (*first, *second) = (None, None);
        Some(both)
    })
}

fn held(slot: u64) -> u64 {
    let slot = usize::try_from(slot).unwrap_or_default();
    HELD.with_borrow(|held| held.get(slot).and_then(|[size, _]| *size).unwrap_or_default())
}

/// Returns the size of a value as `actualSize` of cel-go does: 1 for a number.
fn size(value: &dyn Val) -> u64 {
    if let Some(optional) = value.downcast_ref::<CelOptional<'_>>() {
        return optional.option().map_or(1, size);
    }
    let size = value.as_sizer().map(|sizer| *sizer.size().inner());
    size.map_or(1, |size| u64::try_from(size).unwrap_or_default())
}

/// Returns a bound for `traversalCost` of Kubernetes: a tenth of each text, and 1 for each other
/// value.
fn deep(value: &dyn Val) -> u64 {
    match (value.get_type().kind(), value.as_iterable()) {
        (Kind::List, Some(items)) => {
            let mut sum = 1_u64;
            let mut items = items.iter();
            while let Some(item) = items.next() {
                sum = sum.saturating_add(deep(item));
            }
            sum
        }
        (Kind::Map, Some(keys)) => {
            let mut sum = 1_u64;
            let mut keys = keys.iter();
            while let Some(key) = keys.next() {
                let value = value.as_indexer().and_then(|fields| fields.get(key).ok());
                let value = value.map_or(0, |value| deep(value.as_ref()));
                sum = sum.saturating_add(deep(key)).saturating_add(value);
            }
            sum
        }
        (Kind::String | Kind::Bytes, _) => size(value).div_ceil(5),
        _ => 1,
    }
}

pub(super) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
