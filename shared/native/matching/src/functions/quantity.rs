//! Quantities, such as `500m` and `2Gi`.
//!
//! `isInteger`, `asInteger` and `asApproximateFloat` are missing: their values depend on the
//! representation inside the API server (`pkg/api/resource` of k8s.io/apimachinery).

use std::cmp::Ordering;
use std::sync::LazyLock;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

use super::{NOT_KNOWN, Of, Opaque, failed};

pub(super) const NAMES: &[&str] = &["add", "isQuantity", "quantity", "sign", "sub"];

/// A quantity in units of 10⁻⁹, the smallest that Kubernetes knows.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Quantity(i128);

/// The units of 10⁻⁹ in one.
const ONE: i128 = 1_000_000_000;

/// The bound for values: Kubernetes treats larger ones in another way.
const BOUND: i128 = ONE * i64::MAX as i128;

/// The reason why a text is not read.
enum Problem {
    /// It is not a quantity.
    Malformed,
    /// It is a quantity that is too large, or has too many digits.
    NotKnown,
}

impl Opaque for Quantity {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("kubernetes.Quantity"));
        &TYPE
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn quantity: (CelString) -> Result<Of<Quantity>>)?;
    add_overload!(env, fn is_quantity: (CelString) -> Result<CelBool>)?;
    add_member_overload!(env, fn sign: (Of<Quantity>) -> CelInt)?;
    add_member_overload!(env, fn is_greater_than: (Of<Quantity>, Of<Quantity>) -> CelBool, id = "quantity_is_greater_than")?;
    add_member_overload!(env, fn is_less_than: (Of<Quantity>, Of<Quantity>) -> CelBool, id = "quantity_is_less_than")?;
    add_member_overload!(env, fn compare_to: (Of<Quantity>, Of<Quantity>) -> CelInt, id = "quantity_compare_to")?;
    add_member_overload!(env, fn add: (Of<Quantity>, Of<Quantity>) -> Result<Of<Quantity>>)?;
    add_member_overload!(env, fn add_int: (Of<Quantity>, CelInt) -> Result<Of<Quantity>>, name = "add")?;
    add_member_overload!(env, fn sub: (Of<Quantity>, Of<Quantity>) -> Result<Of<Quantity>>)?;
    add_member_overload!(env, fn sub_int: (Of<Quantity>, CelInt) -> Result<Of<Quantity>>, name = "sub")
}

/// Returns the base and the exponent of a suffix.
fn suffix(text: &str) -> Result<(i128, i32), Problem> {
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const DECIMAL: [(&str, i32); 10] = [
        ("n", -9),
        ("u", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == text) {
        return Ok((10, *exponent));
    }
    if let Some(at) = BINARY.iter().position(|name| *name == text) {
        return Ok((1024, i32::try_from(at.saturating_add(1)).unwrap_or(i32::MAX)));
    }
    let exponent = text.strip_prefix(['e', 'E']).ok_or(Problem::Malformed)?;
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if digits.is_empty() || !digits.chars().all(|one| one.is_ascii_digit()) {
        return Err(Problem::Malformed);
    }
    exponent.parse().map(|exponent| (10, exponent)).map_err(|_| Problem::NotKnown)
}

fn read(text: &str) -> Result<Quantity, Problem> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |one: char| one.is_ascii_digit() || one == '.';
    let end = unsigned.find(|one| !is_part(one)).unwrap_or(unsigned.len());
    let (number, unit) = unsigned.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if number.is_empty() || fraction.contains('.') {
        return Err(Problem::Malformed);
    }
    let (base, exponent) = suffix(unit)?;
    if whole.is_empty() && fraction.is_empty() {
        return Err(Problem::NotKnown);
    }
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let mut value: i128 =
        if digits.is_empty() { 0 } else { digits.parse().map_err(|_| Problem::NotKnown)? };
    let decimals = i32::try_from(fraction.len()).map_err(|_| Problem::NotKnown)?;
    // The value is now without its decimals and its suffix, in units of 10⁻⁹.
    let mut tens = 9_i32.checked_sub(decimals).ok_or(Problem::NotKnown)?;
    if base == 10 {
        tens = tens.checked_add(exponent).ok_or(Problem::NotKnown)?;
    } else {
        let factor = base.checked_pow(exponent.unsigned_abs()).ok_or(Problem::NotKnown)?;
        value = value.checked_mul(factor).ok_or(Problem::NotKnown)?;
    }
    let factor = 10_i128.checked_pow(tens.unsigned_abs());
    value = match (value, factor) {
        (0, _) => 0,
        (_, None) if tens > 0 => return Err(Problem::NotKnown),
        // Smaller values are rounded up.
        (_, None) => 1,
        (value, Some(factor)) if tens < 0 => {
            let quotient = value.checked_div(factor).ok_or(Problem::NotKnown)?;
            let has_rest = value.checked_rem(factor).is_some_and(|rest| rest != 0);
            quotient.saturating_add(i128::from(has_rest))
        }
        (value, Some(factor)) => value.checked_mul(factor).ok_or(Problem::NotKnown)?,
    };
    if value > BOUND {
        return Err(Problem::NotKnown);
    }
    Ok(Quantity(if text.starts_with('-') { value.saturating_neg() } else { value }))
}

fn quantity(text: &CelString<'_>) -> Result<Of<Quantity>, ExecutionError> {
    read(text.inner()).map(Of).map_err(|problem| match problem {
        Problem::Malformed => failed("quantity", "not a quantity"),
        Problem::NotKnown => failed("quantity", NOT_KNOWN),
    })
}

fn is_quantity(text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    match read(text.inner()) {
        Ok(_) => Ok(CelBool::from(true)),
        Err(Problem::Malformed) => Ok(CelBool::from(false)),
        Err(Problem::NotKnown) => Err(failed("isQuantity", NOT_KNOWN)),
    }
}

fn sign(quantity: &Of<Quantity>) -> CelInt {
    CelInt::from(quantity.0.cmp(&Quantity(0)) as i64)
}

fn is_greater_than(left: &Of<Quantity>, right: &Of<Quantity>) -> CelBool {
    CelBool::from(left.0.cmp(&right.0) == Ordering::Greater)
}

fn is_less_than(left: &Of<Quantity>, right: &Of<Quantity>) -> CelBool {
    CelBool::from(left.0.cmp(&right.0) == Ordering::Less)
}

fn compare_to(left: &Of<Quantity>, right: &Of<Quantity>) -> CelInt {
    CelInt::from(left.0.cmp(&right.0) as i64)
}

fn bounded(value: Option<i128>, function: &str) -> Result<Of<Quantity>, ExecutionError> {
    let value = value.filter(|value| (-BOUND..=BOUND).contains(value));
    value.map(|value| Of(Quantity(value))).ok_or_else(|| failed(function, NOT_KNOWN))
}

fn of_int(number: &CelInt) -> i128 {
    i128::from(*number.inner()).saturating_mul(ONE)
}

fn add(left: &Of<Quantity>, right: &Of<Quantity>) -> Result<Of<Quantity>, ExecutionError> {
    bounded(left.0.0.checked_add(right.0.0), "add")
}

fn add_int(left: &Of<Quantity>, right: &CelInt) -> Result<Of<Quantity>, ExecutionError> {
    bounded(left.0.0.checked_add(of_int(right)), "add")
}

fn sub(left: &Of<Quantity>, right: &Of<Quantity>) -> Result<Of<Quantity>, ExecutionError> {
    bounded(left.0.0.checked_sub(right.0.0), "sub")
}

fn sub_int(left: &Of<Quantity>, right: &CelInt) -> Result<Of<Quantity>, ExecutionError> {
    bounded(left.0.0.checked_sub(of_int(right)), "sub")
}
