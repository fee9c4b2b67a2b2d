//! The canonical form of quantities, in which servers write them.

use serde_json::Value;

/// No quantity that a server keeps as an integer has a larger exponent.
const MAX_EXPONENT: u32 = 100;

const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// The suffixes of the powers of 1000, from 10^-9 on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// Returns the canonical form of a quantity: the largest suffix with which it has no fraction.
/// `None` for other texts, and for quantities that are larger or more exact than a server keeps
/// as an integer: they stay as they are.
///
/// Source: `ParseQuantity` and `CanonicalizeBytes` in `pkg/api/resource/quantity.go` of
/// k8s.io/apimachinery.
pub(super) fn canonical(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    let at = text.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c)).unwrap_or(text.len());
    let (number, suffix) = text.split_at(at);
    let (is_negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut mantissa: i128 = digits.parse().ok()?;
    let mut exponent = -i32::try_from(fraction.len()).ok()?;
    let mut format = if suffix.starts_with(['e', 'E']) && suffix.len() > 1 { "e" } else { "" };
    if let Some(at) = BINARY.iter().position(|known| *known == suffix) {
        mantissa = mantissa.checked_mul(1024_i128.checked_pow(u32::try_from(at).ok()? + 1)?)?;
        format = "i";
    } else if format == "e" {
        let power = suffix.get(1..)?.parse::<i32>().ok()?;
        exponent = exponent.checked_add(power).filter(|exponent| exponent.unsigned_abs() <= MAX_EXPONENT)?;
    } else {
        exponent += 3 * (i32::try_from(DECIMAL.iter().position(|known| *known == suffix)?).ok()? - 3);
    }
    while mantissa != 0 && mantissa % 10 == 0 && exponent < 0 {
        mantissa /= 10;
        exponent += 1;
    }
    if format == "i" && exponent == 0 && mantissa.abs() >= 1024 {
        return Some(sign(is_negative, mantissa).to_owned() + &binary(mantissa));
    }
    if mantissa == 0 {
        return Some("0".to_owned());
    }
    while mantissa % 10 == 0 {
        mantissa /= 10;
        exponent += 1;
    }
    // The exponent is a multiple of three.
    while exponent % 3 != 0 {
        mantissa = mantissa.checked_mul(10)?;
        exponent -= 1;
    }
    let at = usize::try_from(exponent / 3 + 3).ok()?;
    let suffix = match (format, exponent) {
        ("e", 0) => String::new(),
        ("e", exponent) => format!("e{exponent}"),
        _ => (*DECIMAL.get(at)?).to_owned(),
    };
    Some(format!("{}{mantissa}{suffix}", sign(is_negative, mantissa)))
}

fn binary(mut mantissa: i128) -> String {
    let mut power = 0;
    while power < BINARY.len() && mantissa % 1024 == 0 && mantissa != 0 {
        mantissa /= 1024;
        power += 1;
    }
    let suffix = power.checked_sub(1).and_then(|at| BINARY.get(at)).unwrap_or(&"");
    format!("{mantissa}{suffix}")
}

fn sign(is_negative: bool, mantissa: i128) -> &'static str {
    if is_negative && mantissa != 0 { "-" } else { "" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Tried with `ParseQuantity` of k8s.io/apimachinery.
    #[test]
    fn quantities_have_a_canonical_form() {
        for (value, want) in [
            (json!("0.1"), Some("100m")),
            (json!(0.1), Some("100m")),
            (json!("1000m"), Some("1")),
            (json!("1Gi"), Some("1Gi")),
            (json!("1024Mi"), Some("1Gi")),
            (json!("1.5Gi"), Some("1536Mi")),
            (json!("1500"), Some("1500")),
            (json!("2000"), Some("2k")),
            (json!(1_000_000), Some("1M")),
            (json!("-0.5"), Some("-500m")),
            (json!("0"), Some("0")),
            (json!("0Gi"), Some("0")),
            (json!("1e3"), Some("1e3")),
            (json!("512Ki"), Some("512Ki")),
            (json!("0.5Ki"), Some("512")),
            (json!("0.3Gi"), Some("322122547200m")),
            (json!("3e2"), Some("300")),
            (json!("2.5e-1"), Some("250e-3")),
            (json!("1.5e-2147483648"), None),
            (json!("10e2147483647"), None),
            (json!("1e-2147483648"), None),
            (json!("100Gx"), None),
            (json!(""), None),
        ] {
            assert_eq!(canonical(&value).as_deref(), want, "{value}");
        }
    }
}
