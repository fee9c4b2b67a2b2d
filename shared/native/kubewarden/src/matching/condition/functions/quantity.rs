//! Quantities, such as `500m` and `2Gi`.
//!
//! Source: `pkg/api/resource` of k8s.io/apimachinery at eed236cee. A quantity has one of two forms
//! there, and `isInteger`, `asInteger` and `asApproximateFloat` depend on the form: `1.0` is not an
//! integer.

use std::cmp::Ordering;
use std::sync::LazyLock;

use cel::common::types::{CelBool, CelDouble, CelInt, CelString, Type};
use cel::common::value::Val;
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

use super::{NOT_KNOWN, Of, Opaque, failed, mark_unsure};

#[derive(Clone, Copy, Debug)]
struct Quantity {
    /// The value in units of 10⁻⁹, the smallest that Kubernetes knows.
    value: i128,
    form: Form,
    /// Whether it is a result of `add` or `sub`, to which API servers compare no quantity.
    is_sum: bool,
}

/// The form of a quantity in an API server.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// `int64Amount`: a number and its power of ten.
    Scaled(i64, i32),
    /// `inf.Dec` with this number of decimals; negative if the number ends with zeros.
    Decimals(i32),
}

/// The units of 10⁻⁹ in one.
const ONE: i128 = 1_000_000_000;

/// The bound for values: Kubernetes treats larger ones in another way.
const BOUND: i128 = ONE * i64::MAX as i128;

enum Problem {
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
        if self.is_sum || other.is_sum {
            // An API server has an error here, which lists, maps and searches treat differently.
            mark_unsure();
        }
        self.value == other.value
    }
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn quantity: (CelString) -> Result<Of<Quantity>>)?;
    add_overload!(env, fn is_quantity: (CelString) -> Result<CelBool>)?;
    add_overload!(env, fn sign: (Of<Quantity>) -> CelInt)?;
    add_member_overload!(env, fn is_integer: (Of<Quantity>) -> CelBool)?;
    add_member_overload!(env, fn as_integer: (Of<Quantity>) -> Result<CelInt>)?;
    add_member_overload!(env, fn as_approximate_float: (Of<Quantity>) -> CelDouble)?;
    add_member_overload!(env, fn is_greater_than: (Of<Quantity>, Of<Quantity>) -> CelBool, id = "quantity_is_greater_than")?;
    add_member_overload!(env, fn is_less_than: (Of<Quantity>, Of<Quantity>) -> CelBool, id = "quantity_is_less_than")?;
    add_member_overload!(env, fn compare_to: (Of<Quantity>, Of<Quantity>) -> CelInt, id = "quantity_compare_to")?;
    add_member_overload!(env, fn add: (Of<Quantity>, Of<Quantity>) -> Result<Of<Quantity>>)?;
    add_member_overload!(env, fn add_int: (Of<Quantity>, CelInt) -> Result<Of<Quantity>>, name = "add")?;
    add_member_overload!(env, fn sub: (Of<Quantity>, Of<Quantity>) -> Result<Of<Quantity>>)?;
    add_member_overload!(env, fn sub_int: (Of<Quantity>, CelInt) -> Result<Of<Quantity>>, name = "sub")
}

/// Returns whether two quantities are equal; `None` for other values.
pub(super) fn are_equal(left: &dyn Val, right: &dyn Val) -> Option<bool> {
    let quantity = |value: &dyn Val| value.downcast_ref::<Of<Quantity>>().map(|quantity| quantity.0.value);
    Some(quantity(left)? == quantity(right)?)
}

pub(super) fn is_sum(value: &dyn Val) -> bool {
    value.downcast_ref::<Of<Quantity>>().is_some_and(|quantity| quantity.0.is_sum)
}

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
    if fraction.contains('.') {
        return Err(Problem::Malformed);
    }
    if text.is_empty() {
        return Err(Problem::Malformed);
    }
    let (base, exponent) = suffix(unit)?;
    if number.is_empty() && base != 10 {
        return Err(Problem::Malformed);
    }
    if whole.is_empty() && fraction.is_empty() {
        return Err(Problem::NotKnown);
    }
    let is_negative = text.starts_with('-');
    let form = scaled(is_negative, whole, fraction, base, exponent).unwrap_or(Form::Decimals(9));
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
    Ok(Quantity { value: if is_negative { value.saturating_neg() } else { value }, form, is_sum: false })
}

/// Returns the form of a short number: up to 18 digits, and no decimals with a binary suffix.
fn scaled(is_negative: bool, whole: &str, fraction: &str, base: i128, exponent: i32) -> Option<Form> {
    let whole = whole.trim_start_matches('0');
    let digits = i32::try_from(whole.len().max(1).checked_add(fraction.len())?).ok()?;
    let (factor, scale) = if base == 10 {
        let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        (1, Some(scale).filter(|scale| digits <= 18 && *scale >= -9)?)
    } else {
        // A power of two has about three digits for ten bits.
        let factor_digits = exponent.checked_mul(3)?;
        let is_short = fraction.is_empty() && digits.checked_add(factor_digits)? <= 14;
        (i64::try_from(base.checked_pow(exponent.unsigned_abs())?).ok()?, is_short.then_some(0)?)
    };
    let number: i64 = format!("0{whole}{fraction}").parse().ok()?;
    let number = number.checked_mul(factor)?;
    Some(Form::Scaled(if is_negative { number.checked_neg()? } else { number }, scale))
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
    CelInt::from(quantity.0.value.cmp(&0) as i64)
}

/// The number as an integer, if the API server finds one without a loss.
fn integer(quantity: Quantity) -> Option<i64> {
    match quantity.form {
        Form::Scaled(0, scale) => (scale >= 0).then_some(0),
        Form::Scaled(number, scale) => number.checked_mul(10_i64.checked_pow(u32::try_from(scale).ok()?)?),
        Form::Decimals(_) => None,
    }
}

fn is_integer(quantity: &Of<Quantity>) -> CelBool {
    CelBool::from(integer(quantity.0).is_some())
}

fn as_integer(quantity: &Of<Quantity>) -> Result<CelInt, ExecutionError> {
    integer(quantity.0).map(CelInt::from).ok_or_else(|| failed("asInteger", "not an integer"))
}

#[expect(clippy::cast_precision_loss, reason = "the function rounds as the API server does")]
fn as_approximate_float(quantity: &Of<Quantity>) -> CelDouble {
    let (number, scale) = match quantity.0.form {
        Form::Scaled(number, scale) => (number as f64, scale),
        Form::Decimals(decimals) => {
            let tens = u32::try_from(9_i32.saturating_sub(decimals)).unwrap_or_default();
            let number = 10_i128.checked_pow(tens).and_then(|tens| quantity.0.value.checked_div(tens));
            (number.unwrap_or_default() as f64, decimals.saturating_neg())
        }
    };
    // Powers of ten up to 10²² are exact.
    let power = 10_f64.powi(scale.saturating_abs());
    CelDouble::from(if scale < 0 { number * (1.0 / power) } else { number * power })
}

fn is_greater_than(left: &Of<Quantity>, right: &Of<Quantity>) -> CelBool {
    CelBool::from(left.0.value.cmp(&right.0.value) == Ordering::Greater)
}

fn is_less_than(left: &Of<Quantity>, right: &Of<Quantity>) -> CelBool {
    CelBool::from(left.0.value.cmp(&right.0.value) == Ordering::Less)
}

fn compare_to(left: &Of<Quantity>, right: &Of<Quantity>) -> CelInt {
    CelInt::from(left.0.value.cmp(&right.0.value) as i64)
}

/// Adds numbers as the API server does: the form is kept if the sum fits into it.
fn sum(left: Quantity, right: Quantity, function: &str) -> Result<Of<Quantity>, ExecutionError> {
    let value = left.value.checked_add(right.value).filter(|value| (-BOUND..=BOUND).contains(value));
    let value = value.ok_or_else(|| failed(function, NOT_KNOWN))?;
    let decimals = |form: Form| match form {
        Form::Scaled(_, scale) => scale.saturating_neg(),
        Form::Decimals(decimals) => decimals,
    };
    let form = match (left.form, right.form) {
        (Form::Scaled(left, scale), Form::Scaled(right, of_right)) => {
            sum_scaled((left, scale), (right, of_right))
        }
        _ => None,
    };
    let longest = decimals(left.form).max(decimals(right.form));
    Ok(Of(Quantity { value, form: form.unwrap_or(Form::Decimals(longest)), is_sum: true }))
}

fn sum_scaled(left: (i64, i32), right: (i64, i32)) -> Option<Form> {
    if right.0 == 0 {
        return Some(Form::Scaled(left.0, left.1));
    }
    if left.0 == 0 {
        return Some(Form::Scaled(right.0, right.1));
    }
    let scale = left.1.min(right.1);
    let at_scale = |(number, of): (i64, i32)| {
        number.checked_mul(10_i64.checked_pow(of.checked_sub(scale)?.unsigned_abs())?)
    };
    Some(Form::Scaled(at_scale(left)?.checked_add(at_scale(right)?)?, scale))
}

fn negated(quantity: Quantity) -> Quantity {
    let form = match quantity.form {
        Form::Scaled(number, scale) => Form::Scaled(number.wrapping_neg(), scale),
        decimals @ Form::Decimals(_) => decimals,
    };
    Quantity { value: quantity.value.saturating_neg(), form, ..quantity }
}

fn of_int(number: &CelInt) -> Quantity {
    let number = *number.inner();
    Quantity { value: i128::from(number).saturating_mul(ONE), form: Form::Scaled(number, 0), is_sum: false }
}

fn add(left: &Of<Quantity>, right: &Of<Quantity>) -> Result<Of<Quantity>, ExecutionError> {
    sum(left.0, right.0, "add")
}

fn add_int(left: &Of<Quantity>, right: &CelInt) -> Result<Of<Quantity>, ExecutionError> {
    sum(left.0, of_int(right), "add")
}

fn sub(left: &Of<Quantity>, right: &Of<Quantity>) -> Result<Of<Quantity>, ExecutionError> {
    sum(left.0, negated(right.0), "sub")
}

fn sub_int(left: &Of<Quantity>, right: &CelInt) -> Result<Of<Quantity>, ExecutionError> {
    sum(left.0, negated(of_int(right)), "sub")
}
