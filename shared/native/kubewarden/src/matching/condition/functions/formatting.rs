//! `format` of texts.
//!
//! Source: `ext/formatting.go` of cel-go, for version 2 of its library of texts. The texts of
//! `%e` and `%f` depend on a locale there; they are not known here.

use cel::common::types::{CelBool, CelBytes, CelDouble, CelInt, CelString, CelType, CelUInt, DYN_TYPE, Kind};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::spelling::text_of;
use super::time::{literal_of, text_of_time};
use super::{NOT_KNOWN, arguments, failed, items};
use crate::matching::condition::references::TYPES;

/// `format`, with the text as the first argument.
pub(crate) const FORMAT: &str = "@format";

/// The decimals of a double inside of a list or map (`defaultPrecision`).
const DECIMALS: usize = 6;

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(FORMAT, "format_text", vec![DYN_TYPE, DYN_TYPE], format)
}

fn format<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [format, list] = arguments(args)?;
    let format = format.downcast_ref::<CelString<'v>>().ok_or_else(|| refused("the format is not a text"))?;
    let mut values = items(list.as_ref())?.into_iter();
    let mut text = String::new();
    let mut rest = format.inner();
    while let Some((before, verb)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(behind) = verb.strip_prefix('%') {
            text.push('%');
            rest = behind;
            continue;
        }
        let value = values.next().ok_or_else(|| refused("there are too few values"))?;
        let (behind, formatted) = clause(verb, value)?;
        text.push_str(&formatted);
        rest = behind;
    }
    text.push_str(rest);
    Ok(CowVal::owned(CelString::from(text)))
}

/// Formats a value with the verb at the start of a text, and returns the text behind it.
fn clause<'t>(text: &'t str, value: &dyn Val) -> Result<(&'t str, String), ExecutionError> {
    let text = match text.strip_prefix('.') {
        None => text,
        Some(precision) => {
            let end = precision.find(|one: char| !one.is_ascii_digit());
            let (digits, behind) = end.and_then(|end| precision.split_at_checked(end)).unwrap_or_default();
            digits.parse::<i64>().map_err(|_| refused("the precision is not a number"))?;
            behind
        }
    };
    let mut verbs = text.chars();
    let formatted = match verbs.next() {
        Some('s') => as_text(value),
        Some('d') => integer(value).map(|number| number.to_string()).ok_or_else(other_type),
        Some('b') => match value.downcast_ref::<CelBool>() {
            Some(flag) => Ok(if *flag.inner() { "1" } else { "0" }.to_owned()),
            None => with_radix(value, |sign, number| format!("{sign}{number:b}")),
        },
        Some('o') => with_radix(value, |sign, number| format!("{sign}{number:o}")),
        Some('x') => hexadecimal(value),
        Some('X') => hexadecimal(value).map(|text| text.to_ascii_uppercase()),
        Some('e' | 'f') => match value.get_type().kind() {
            Kind::Double | Kind::String => Err(failed("format", NOT_KNOWN)),
            _ => Err(other_type()),
        },
        _ => Err(refused("the format has an unknown verb")),
    };
    Ok((verbs.as_str(), formatted?))
}

fn refused(problem: &str) -> ExecutionError {
    failed("format", problem)
}

fn other_type() -> ExecutionError {
    refused("a value has another type")
}

fn integer(value: &dyn Val) -> Option<i128> {
    let signed = || value.downcast_ref::<CelInt>().map(|number| i128::from(*number.inner()));
    signed().or_else(|| value.downcast_ref::<CelUInt>().map(|number| i128::from(*number.inner())))
}

/// Formats an integer with its sign, as Go does.
fn with_radix(value: &dyn Val, write: impl Fn(&str, u128) -> String) -> Result<String, ExecutionError> {
    let number = integer(value).ok_or_else(other_type)?;
    Ok(write(if number < 0 { "-" } else { "" }, number.unsigned_abs()))
}

fn hexadecimal(value: &dyn Val) -> Result<String, ExecutionError> {
    let of_bytes = |bytes: &[u8]| {
        let digits = bytes.iter().flat_map(|byte| [byte.div_euclid(16), byte.rem_euclid(16)]);
        digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
    };
    if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        return Ok(of_bytes(text.inner().as_bytes()));
    }
    match value.downcast_ref::<CelBytes<'_>>() {
        Some(bytes) => Ok(of_bytes(bytes.inner())),
        None => with_radix(value, |sign, number| format!("{sign}{number:x}")),
    }
}

/// `FormatString`.
fn as_text(value: &dyn Val) -> Result<String, ExecutionError> {
    match value.get_type().kind() {
        Kind::List => list(value),
        Kind::Map => map(value),
        Kind::NullType => Ok("null".to_owned()),
        _ => {
            if let Some(text) = value.downcast_ref::<CelString<'_>>() {
                return Ok(text.inner().to_owned());
            }
            if let Some(number) = integer(value) {
                return Ok(number.to_string());
            }
            if let Some(flag) = value.downcast_ref::<CelBool>() {
                return Ok(flag.inner().to_string());
            }
            if let Some(double) = value.downcast_ref::<CelDouble>() {
                return Ok(text_of(*double.inner()));
            }
            if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
                let text = std::str::from_utf8(bytes.inner());
                return text.map(ToOwned::to_owned).map_err(|_| refused("the bytes are not UTF-8"));
            }
            if let Some(of_type) = value.downcast_ref::<CelType>() {
                let is_known = TYPES.contains(&of_type.name());
                return if is_known {
                    Ok(of_type.name().to_owned())
                } else {
                    Err(failed("format", NOT_KNOWN))
                };
            }
            text_of_time(value).ok_or_else(other_type)
        }
    }
}

/// A value inside of a list or map, as it is written in CEL.
fn literal(value: &dyn Val) -> Result<String, ExecutionError> {
    if let Some(double) = value.downcast_ref::<CelDouble>() {
        let double = *double.inner();
        return Ok(if double.is_finite() {
            format!("{double:.DECIMALS$}")
        } else {
            format!("\"{}\"", text_of(double))
        });
    }
    if let Some(time) = literal_of(value) {
        return Ok(time);
    }
    let text = as_text(value)?;
    match value.get_type().kind() {
        Kind::String => quoted(&text),
        Kind::Bytes => Ok(format!("b{}", quoted(&text)?)),
        _ => Ok(text),
    }
}

/// `strconv.Quote` of Go, for texts whose characters are surely printable in every version of
/// Unicode.
fn quoted(text: &str) -> Result<String, ExecutionError> {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            ' '..='~' => quoted.push(one),
            _ if one.is_ascii() => quoted.extend(["\\x", &format!("{:02x}", u32::from(one))]),
            _ if one.is_alphanumeric() => quoted.push(one),
            _ => return Err(failed("format", NOT_KNOWN)),
        }
    }
    quoted.push('"');
    Ok(quoted)
}

fn list(value: &dyn Val) -> Result<String, ExecutionError> {
    let literals: Result<Vec<String>, _> = items(value)?.into_iter().map(literal).collect();
    Ok(format!("[{}]", literals?.join(", ")))
}

fn map(value: &dyn Val) -> Result<String, ExecutionError> {
    let fields = value.as_indexer().ok_or_else(other_type)?;
    let mut pairs = Vec::new();
    for key in items(value)? {
        let found = fields.get(key)?;
        pairs.push((literal(key)?, literal(found.as_ref())?));
    }
    pairs.sort();
    let pairs: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(format!("{{{}}}", pairs.join(", ")))
}
