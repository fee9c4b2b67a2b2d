//! The texts of numbers, and the other arguments that functions of the crate `cel` read differently
//! from cel-go. `rewrite` calls these functions around the arguments.

use cel::common::types::{CelBool, CelDouble, CelInt, CelOptional, CelString, DYN_TYPE, Kind};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError, add_member_overload};

use super::{NOT_KNOWN, arguments, failed};

/// The text of a double in the place of the double.
pub(crate) const SPELLED: &str = "@spelled";
/// The double of a text in the place of the text.
pub(crate) const READ: &str = "@read";
/// The boolean of a text in the place of the text.
pub(crate) const FLAG: &str = "@flag";
/// A number that is not negative.
pub(crate) const NATURAL: &str = "@natural";
/// A value whose fields can be taken with `?`.
pub(crate) const WITH_FIELDS: &str = "@withFields";
/// `indexOf` of a text from a position.
pub(crate) const INDEX_OF: &str = "@indexOf";
/// `lastIndexOf` of a text up to a position.
pub(crate) const LAST_INDEX_OF: &str = "@lastIndexOf";

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(SPELLED, "spelled", vec![DYN_TYPE], spelled)?;
    env.add_overload(READ, "read", vec![DYN_TYPE], read)?;
    env.add_overload(FLAG, "flag", vec![DYN_TYPE], flag)?;
    env.add_overload(NATURAL, "natural", vec![DYN_TYPE], natural)?;
    env.add_overload(WITH_FIELDS, "with_fields", vec![DYN_TYPE], with_fields)?;
    add_member_overload!(env, fn index_of: (CelString, CelString, CelInt) -> Result<CelInt>, name = "@indexOf")?;
    add_member_overload!(env, fn last_index_of: (CelString, CelString, CelInt) -> Result<CelInt>, name = "@lastIndexOf")
}

fn spelled<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    match value.downcast_ref::<CelDouble>() {
        Some(double) => Ok(CowVal::owned(CelString::from(text_of(*double.inner())))),
        None => Ok(value),
    }
}

/// Returns the text of a double: `strconv.FormatFloat(double, 'g', -1, 64)` of Go.
pub(super) fn text_of(double: f64) -> String {
    if double.is_nan() {
        return "NaN".to_owned();
    }
    if double.is_infinite() {
        return if double > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{double:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        double.to_string()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
    }
}

fn read<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let Some(text) = value.downcast_ref::<CelString<'v>>().map(|text| text.inner().to_owned()) else {
        return Ok(value);
    };
    let is_hexadecimal = text.contains(['x', 'X']);
    if is_hexadecimal {
        return Err(failed("double", NOT_KNOWN));
    }
    if !text.contains('_') {
        let is_too_large =
            text.parse().is_ok_and(f64::is_infinite) && text.contains(|one: char| one.is_ascii_digit());
        return if is_too_large { Err(failed("double", "out of range")) } else { Ok(value) };
    }
    let parts: Vec<&str> = text.split('_').collect();
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let is_separated = parts.windows(2).all(|pair| match pair {
        [before, behind] => is_digit(before.as_bytes().last()) && is_digit(behind.as_bytes().first()),
        _ => true,
    });
    let text = if is_separated { parts.concat() } else { text };
    Ok(CowVal::owned(CelString::from(text)))
}

/// `strconv.ParseBool` of Go.
fn flag<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let text = value.downcast_ref::<CelString<'v>>().map(CelString::inner);
    Ok(match text {
        Some("1" | "t" | "T" | "TRUE" | "true" | "True") => CowVal::owned(CelBool::from(true)),
        Some("0" | "f" | "F" | "FALSE" | "false" | "False") => CowVal::owned(CelBool::from(false)),
        Some(_) => return Err(failed("bool", "not a boolean")),
        None => value,
    })
}

/// `lists.range` of a negative number is an error.
fn natural<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let is_negative = value.downcast_ref::<CelInt>().is_some_and(|number| *number.inner() < 0);
    if is_negative { Err(failed("lists.range", "the size is negative")) } else { Ok(value) }
}

fn with_fields<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [value] = arguments(args)?;
    let optional = value.downcast_ref::<CelOptional<'v>>().and_then(CelOptional::option);
    let kind = optional.map_or_else(|| value.get_type().kind(), |inner| inner.get_type().kind());
    if kind == Kind::List {
        return Err(ExecutionError::no_such_overload("_?._", vec!["list".to_owned(), "string".to_owned()]));
    }
    Ok(value)
}

fn index_of(text: &CelString<'_>, part: &CelString<'_>, from: &CelInt) -> Result<CelInt, ExecutionError> {
    find(text, part, from, false)
}

fn last_index_of(
    text: &CelString<'_>,
    part: &CelString<'_>,
    from: &CelInt,
) -> Result<CelInt, ExecutionError> {
    find(text, part, from, true)
}

/// Searches as `indexOfOffset` and `lastIndexOfOffset` in `ext/strings.go` of cel-go.
fn find(
    text: &CelString<'_>,
    part: &CelString<'_>,
    from: &CelInt,
    is_last: bool,
) -> Result<CelInt, ExecutionError> {
    let from = usize::try_from(*from.inner()).map_err(|_| failed("indexOf", "the position is negative"))?;
    let (text, part): (Vec<char>, Vec<char>) =
        (text.inner().chars().collect(), part.inner().chars().collect());
    let found = match text.get(from..) {
        _ if part.is_empty() => Some(from.min(text.len())),
        None | Some([]) => None,
        Some(rest) if !is_last => {
            rest.windows(part.len()).position(|window| window == part).map(|at| at.saturating_add(from))
        }
        Some(_) => {
            let end = from.saturating_add(part.len()).min(text.len());
            text.get(..end).and_then(|text| text.windows(part.len()).rposition(|window| window == part))
        }
    };
    Ok(CelInt::from(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
}

#[cfg(test)]
mod tests {
    use super::text_of;

    /// The texts of Go 1.26.
    #[test]
    fn doubles_are_spelled_as_in_go() {
        for (double, text) in [
            (1e21, "1e+21"),
            (1e20, "1e+20"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.234567e+06"),
            (123_456_789.123, "1.23456789123e+08"),
            (0.000_1, "0.0001"),
            (0.000_01, "1e-05"),
            (0.000_000_1, "1e-07"),
            (100.0, "100"),
            (1e6, "1e+06"),
            (-0.5, "-0.5"),
            (0.0, "0"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(text_of(double), text);
        }
    }
}
