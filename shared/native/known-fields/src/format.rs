//! The forms of strings that an API server reads as something else: quantities, times and bytes.
//!
//! A form is what the Go types of Kubernetes 1.36 accept, which is more than their documentation
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

/// Reads a number with this many digits.
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
    use super::*;

    fn check(is_valid: fn(&str) -> bool, valid: &[&str], invalid: &[&str]) {
        for text in valid {
            assert!(is_valid(text), "{text:?}");
        }
        for text in invalid {
            assert!(!is_valid(text), "{text:?}");
        }
    }

    #[test]
    fn quantities() {
        check(
            is_quantity,
            &[
                "0",
                "1",
                "-1",
                "+1",
                "500m",
                "1.5Gi",
                "1.",
                ".5",
                "1e3",
                "1E-3",
                "1e+30",
                "12E",
                "1Ei",
                " 1 ",
                "\u{a0}1",
                "00",
                "1n",
                "1u",
                "1k",
                "99999999999999999999999999",
                "+",
                "-",
                ".",
                "Ki",
                "e3",
                "e-9",
                "e4294967296",
            ],
            &[
                "",
                " ",
                "\t1",
                "\n1",
                "\u{2028}1",
                "1 Gi",
                "1gi",
                "1GI",
                "1K",
                "1e",
                "1e+",
                "1e++3",
                "1e1.5",
                "1e99999999999999999999",
                "one",
                "1.5.5",
                "--1",
                "0x1",
                "1_000",
                "1,5",
                "Ei",
                "Pi",
                "e-10",
                "1mi",
                "١",
                "true",
                "null",
                "1\u{0}",
            ],
        );
    }

    #[test]
    fn times() {
        let both = [
            "2026-01-31T12:00:00.123456Z",
            "2024-02-29T1:00:00,000000+24:60",
            "0000-01-01T00:00:00.000000-00:00",
        ];
        check(is_time, &both, &[]);
        check(
            is_micro_time,
            &both,
            &[
                "2026-01-31T12:00:00Z",
                "2026-01-31T12:00:00.12345Z",
                "2026-01-31T12:00:00.1234567Z",
                "2026-01-31T12:00:00.1234é",
            ],
        );
        check(
            is_time,
            &["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5Z", "2000-02-29T12:00:00+01:00"],
            &[
                "",
                "yesterday",
                "2026-01-31",
                "2026-01-31 12:00:00Z",
                "2026-01-31t12:00:00Z",
                "2026-01-31T12:00:00",
                "2026-01-31T12:00:00z",
                "2026-02-29T12:00:00Z",
                "1900-02-29T12:00:00Z",
                "2026-04-31T12:00:00Z",
                "2026-13-01T12:00:00Z",
                "2026-00-01T12:00:00Z",
                "2026-01-00T12:00:00Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T12:60:00Z",
                "2026-01-31T12:00:60Z",
                "2026-01-31T12:00:00.Z",
                "2026-01-31T12:00:00+25:00",
                "2026-01-31T12:00:00+00:61",
                "2026-01-31T12:00:00+0100",
                "2026-01-31T12:00:00Z ",
                "26-01-31T12:00:00Z",
                "+026-01-31T12:00:00Z",
                "2026-1-31T12:00:00Z",
                "2026-01-31T12:0:00Z",
                "é",
                "2026-01-31T12:00:00é",
            ],
        );
    }

    #[test]
    fn bytes() {
        check(
            is_base64,
            &["", "AAAA", "AA==", "AB==", "AAA=", "AA\n==\r\n", "\n", "+/+/"],
            &["A", "AA", "AA=", "A===", "AAAA=", "AA==AA==", "-_-_", "AA AA", "AAA\t=", "password!", "é"],
        );
    }
}
