//! The forms of strings that an API server reads as something else: quantities, times and bytes.
//!
//! A form is what the Go types of Kubernetes 1.37 accept, which is more than their documentation
//! says: `Quantity.UnmarshalJSON`, `Time.UnmarshalJSON` and `MicroTime.UnmarshalJSON` of
//! k8s.io/apimachinery, and `encoding/json` for `[]byte`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// `base64.StdEncoding`, which requires padding and ignores the bits behind the last byte.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// Returns whether a text is a quantity, such as `500m`, as `ParseQuantity` reads it: digits are
/// optional, and so is everything else, but the text is not empty.
pub(crate) fn is_quantity(text: &str) -> bool {
    /// The exponent of `Nano`, below which numbers need a digit.
    const SMALLEST: i32 = -9;
    // The server trims the JSON text of the string, in which control characters are escaped.
    let is_trimmed = |one: char| {
        one == ' ' || !one.is_ascii() && one.is_whitespace() && !matches!(one, '\u{2028}' | '\u{2029}')
    };
    let text = text.trim_matches(is_trimmed);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, rest) = digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), digits);
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let is_suffix = match suffix {
        "" | "n" | "u" | "m" | "k" | "M" | "G" | "T" | "P" | "E" | "Ki" | "Mi" | "Gi" | "Ti" => true,
        // Large units need a digit, too.
        "Pi" | "Ei" => has_digits,
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E']).and_then(|exponent| exponent.parse().ok());
            exponent.is_some_and(|exponent: i64| has_digits || low_half(exponent) >= SMALLEST)
        }
    };
    !text.is_empty() && is_suffix
}

/// The exponent that the server takes: it cuts off the rest of the number.
#[expect(clippy::cast_possible_truncation, reason = "the server truncates")]
const fn low_half(exponent: i64) -> i32 {
    exponent as i32
}

/// Returns whether a text is a time, such as `2026-01-31T12:00:00Z`, as `time.Parse(time.RFC3339)`
/// of Go reads it: the hour may have one digit, and the fraction any number of them.
pub(crate) fn is_time(text: &str) -> bool {
    let is_rest = |rest: &str| match rest.strip_prefix(['.', ',']).map(digits) {
        Some((fraction, zone)) if !fraction.is_empty() => is_zone(zone),
        _ => is_zone(rest),
    };
    strip_clock(text).is_some_and(is_rest)
}

/// Returns whether a text is a time with six digits of a fraction, such as
/// `2026-01-31T12:00:00.000000Z`.
pub(crate) fn is_micro_time(text: &str) -> bool {
    let fraction = strip_clock(text).and_then(|rest| number(rest.strip_prefix(['.', ','])?, 6));
    fraction.is_some_and(|(_, zone)| is_zone(zone))
}

/// Returns whether a text is base64. Line breaks are ignored.
pub(crate) fn is_base64(text: &str) -> bool {
    let is_line_break = |one: char| one == '\r' || one == '\n';
    if text.contains(is_line_break) {
        return BASE64.decode(text.replace(is_line_break, "")).is_ok();
    }
    BASE64.decode(text).is_ok()
}

/// Returns what follows the seconds of a time.
fn strip_clock(text: &str) -> Option<&str> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let rest = rest.strip_prefix('T')?;
    let (hour, rest) = number(rest, 2).or_else(|| number(rest, 1))?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let days = match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let is_valid = (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60;
    is_valid.then_some(rest)
}

/// Returns whether a text is an offset from UTC, whose bounds Go includes.
fn is_zone(text: &str) -> bool {
    let offset = || {
        let (hours, rest) = number(text.strip_prefix(['+', '-'])?, 2)?;
        let (minutes, rest) = number(rest.strip_prefix(':')?, 2)?;
        Some(rest.is_empty() && hours <= 24 && minutes <= 60)
    };
    text == "Z" || offset().unwrap_or(false)
}

fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| is_number)?, rest))
}

/// Splits a text behind its first digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn texts_have_the_formats_of_kubernetes() {
        let formats: BTreeMap<String, BTreeMap<String, Vec<String>>> =
            serde_json::from_str(include_str!("format.json")).unwrap();
        assert_eq!(formats.len(), 4);
        for (name, lists) in formats {
            let is_valid = match &*name {
                "quantity" => is_quantity,
                "time" => is_time,
                "micro time" => is_micro_time,
                "base64" => is_base64,
                _ => panic!("{name}"),
            };
            assert_eq!(lists.len(), 2, "{name}");
            for (list, texts) in lists {
                for text in texts {
                    assert_eq!(is_valid(&text), list == "valid", "{name} {text}");
                }
            }
        }
    }
}
