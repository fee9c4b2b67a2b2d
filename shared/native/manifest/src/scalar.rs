//! The meaning of the scalars of YAML 1.1, as `resolve.go` of go-yaml v2 gives it to kubectl.

use serde_json::{Number, Value};

const CORE: &str = "tag:yaml.org,2002:";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'t> {
    /// The text, without quotes and with escapes resolved.
    pub(crate) text: &'t str,
    /// Whether the text is plain, without quotes and not in a block.
    pub(crate) is_plain: bool,
    pub(crate) tag: Option<&'t str>,
}

impl Scalar<'_> {
    /// Returns whether the scalar is the key `<<` of a merge.
    pub(crate) fn is_merge(self) -> bool {
        let is_merge = match self.tag {
            None => self.is_plain,
            Some(tag) => tag == "!" || tag.strip_prefix(CORE) == Some("merge"),
        };
        is_merge && self.text == "<<"
    }

    /// Returns the value; an error if it does not have its tag, or JSON does not have the value.
    pub(crate) fn value(self) -> Result<Value, String> {
        let text = || Value::from(self.text);
        let Some(tag) = self.tag else {
            return if self.is_plain { plain(self.text) } else { Ok(text()) };
        };
        let Some(name) = tag.strip_prefix(CORE) else { return Ok(text()) };
        let value = match name {
            "bool" | "int" | "float" | "null" => plain(self.text)?,
            "binary" | "timestamp" => {
                return Err(format!("the tag !!{name} is not supported; write a string"));
            }
            // `str`, and tags without a meaning to kubectl.
            _ => return Ok(text()),
        };
        match (&value, name) {
            (Value::Bool(_), "bool") | (Value::Null, "null") => Ok(value),
            (Value::Number(number), "int") if !number.is_f64() => Ok(value),
            (Value::Number(number), "float") if number.is_f64() => Ok(value),
            (Value::Number(number), "float") if number.is_i64() => {
                Ok(number.as_f64().map_or(Value::Null, Value::from))
            }
            _ => Err(format!("value `{}` is no !!{name}", self.text)),
        }
    }
}

fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Ok(Value::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Ok(Value::Bool(false));
        }
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_signed_once = unsigned.len() != text.len();
    if matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || !is_signed_once && matches!(unsigned, ".nan" | ".NaN" | ".NAN")
    {
        return Err(format!("value `{text}` is not a finite number"));
    }
    let number = match text.as_bytes().first() {
        Some(b'.') if separates_digits(text) => float(&text.replace('_', "")),
        Some(b'0'..=b'9' | b'+' | b'-') => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        _ => None,
    };
    Ok(number.map_or_else(|| text.into(), Value::Number))
}

/// Returns whether each underscore is between two digits.
fn separates_digits(text: &str) -> bool {
    let parts: Vec<&str> = text.split('_').collect();
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    parts.windows(2).all(|pair| match pair {
        [before, behind] => is_digit(before.as_bytes().last()) && is_digit(behind.as_bytes().first()),
        _ => true,
    })
}

/// Reads an integer with the prefixes of Go: `0x`, `0o`, `0b` and `0`.
fn integer(text: &str) -> Option<Number> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (Some(true), text.get(1..)?),
        b'+' => (Some(false), text.get(1..)?),
        _ => (None, text),
    };
    let (base, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, digits.get(2..)?),
        Some("0o" | "0O") => (8, digits.get(2..)?),
        Some("0b" | "0B") => (2, digits.get(2..)?),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // The functions of Rust take a second sign.
    if !digits.starts_with(|c: char| c.is_digit(base)) {
        return None;
    }
    match sign {
        Some(true) => i64::from_str_radix(&format!("-{digits}"), base).ok().map(Number::from),
        Some(false) => i64::from_str_radix(digits, base).ok().map(Number::from),
        None => u64::from_str_radix(digits, base).ok().map(Number::from),
    }
}

/// Reads a decimal number with a fraction or an exponent; `None` if it is too large.
fn float(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    // The function of Rust also takes words, such as `inf`.
    let is_decimal =
        unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_decimal {
        return None;
    }
    Number::from_f64(text.parse().ok()?)
}

/// Returns the text of a key, as `convertToJSONableObject` of sigs.k8s.io/yaml makes it. Keys that
/// kubectl refuses, and numbers that it rounds, are errors.
pub(crate) fn key(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(number) => {
            if let Some(whole) = number.as_i64() {
                return Ok(whole.to_string());
            }
            let float = number.as_f64().filter(|_| number.is_f64());
            // Others are rounded, or get an exponent.
            let is_plain = |float: &f64| {
                let size = float.abs();
                size == 0.0 && float.is_sign_positive() || (1e-4..1e6).contains(&size)
            };
            float
                .filter(is_plain)
                .map(|float| float.to_string())
                .filter(|text| text.bytes().filter(u8::is_ascii_digit).count() <= 6)
                .ok_or_else(|| format!("the key {number} has other digits to kubectl; quote it"))
        }
        _ => Err("expected a key that is a string, a number or a boolean".to_owned()),
    }
}
