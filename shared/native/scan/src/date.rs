use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A date, in UTC.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// The number of days of each month of a common year.
const MONTHS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Date {
    /// Reads a date in the form `YYYY-MM-DD`; `None` for other texts and for days that do not
    /// exist.
    ///
    /// ```
    /// assert!(scan::Date::parse("2026-02-28") < scan::Date::parse("2026-12-01"));
    /// assert_eq!(scan::Date::parse("2026-02-29"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let [year, month, day] = [4, 2, 2].map(|length| digits(parts.next()?, length));
        let (year, month, day) = (year?, u8::try_from(month?).ok()?, u8::try_from(day?).ok()?);
        let mut months = (1..).zip(lengths(year));
        let exists = months.any(|(number, length)| number == month && (1..=length).contains(&day));
        (exists && parts.next().is_none()).then_some(Self { year, month, day })
    }

    /// Returns the date of a time. Times before 1970 have the first date of that year.
    #[must_use]
    pub fn of(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut days = seconds / SECONDS_OF_A_DAY;
        let months = (1970..=9999).flat_map(|year| (1..).zip(lengths(year)).map(move |month| (year, month)));
        for (year, (month, length)) in months {
            let Some(rest) = days.checked_sub(u64::from(length)) else {
                let day = u8::try_from(days).unwrap_or_default() + 1;
                return Self { year, month, day };
            };
            days = rest;
        }
        Self { year: 9999, month: 12, day: 31 }
    }
}

fn digits(text: &str, length: usize) -> Option<u16> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn lengths(year: u16) -> [u8; 12] {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut lengths = MONTHS;
    lengths[1] = if is_leap { 29 } else { 28 };
    lengths
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2026-01-01", "2024-02-29", "2000-02-29", "2026-12-31", "0001-04-30"] {
            assert_eq!(Date::parse(text).unwrap().to_string(), text);
        }
        let others = " 2026 2026-1-1 2026-01-01- 2026-01-01-01 26-01-01 2026-00-01 2026-13-01 \
                      2026-04-31 2026-01-00 1900-02-29 2026-02-29 +026-01-01 2026/01/01 2026-01-01.";
        for text in others.split(' ') {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_has_the_date_of_its_day() {
        let date = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).to_string();
        // The times are those of `date --utc --date=@SECONDS`.
        for (seconds, want) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
            (4_107_542_400, "2100-03-01"),
            (u64::MAX >> 2, "9999-12-31"),
        ] {
            assert_eq!(date(seconds), want);
        }
        assert_eq!(Date::of(UNIX_EPOCH - Duration::from_secs(1)).to_string(), "1970-01-01");
    }
}
