//! `timestamp` and `duration`, with their operators and the parts of both.
//!
//! Sources: `common/types/{duration,timestamp,overflow}.go` and `common/stdlib/standard.go` of
//! cel-go at 14f6746a, and the package `time` of Go. The crate `cel` has these functions too, but
//! takes the parts of a timestamp in the zone of its text, where API servers take UTC.

use std::any::Any;
use std::cmp::Ordering;
use std::sync::LazyLock;

use cel::common::traits::{Adder, Comparer, Negator, Subtractor, Zeroer};
use cel::common::types::{CelInt, CelString, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike};

use super::{NOT_KNOWN, failed};

const SECOND: i64 = 1_000_000_000;

/// A duration in nanoseconds, as in Go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duration(pub(super) i64);

#[derive(Clone, Copy, Debug)]
struct Timestamp {
    /// In UTC, in the years 1 to 9999.
    utc: NaiveDateTime,
    /// The seconds by which the zone of the text is ahead of UTC. Only `string` uses them.
    offset: i64,
}

#[derive(Debug, Eq, PartialEq)]
enum Problem {
    Malformed,
    /// Go reads it although it is not as in RFC 3339.
    NotKnown,
}

impl Problem {
    fn of(self, function: &str) -> ExecutionError {
        match self {
            Self::Malformed => failed(function, "malformed"),
            Self::NotKnown => failed(function, NOT_KNOWN),
        }
    }
}

/// Declares the parts of timestamps, each also with a time zone.
macro_rules! parts {
    ($env:expr, $($name:ident $in_zone:ident $cel:literal $part:expr;)*) => {
        $(
            fn $name(timestamp: &Timestamp) -> CelInt {
                let part: fn(&NaiveDateTime) -> i64 = $part;
                CelInt::from(part(&timestamp.utc))
            }

            fn $in_zone(timestamp: &Timestamp, zone: &CelString<'_>) -> Result<CelInt, ExecutionError> {
                let part: fn(&NaiveDateTime) -> i64 = $part;
                Ok(CelInt::from(part(&in_zone(timestamp, zone.inner(), $cel)?)))
            }

            add_member_overload!($env, fn $name: (Timestamp) -> CelInt, name = $cel)?;
            add_member_overload!($env, fn $in_zone: (Timestamp, CelString) -> Result<CelInt>, name = $cel)?;
        )*
    };
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn duration: (CelString) -> Result<Duration>)?;
    add_overload!(env, fn same_duration: (Duration) -> Duration, name = "duration")?;
    add_overload!(env, fn timestamp: (CelString) -> Result<Timestamp>)?;
    add_overload!(env, fn timestamp_of_int: (CelInt) -> Result<Timestamp>, name = "timestamp")?;
    add_overload!(env, fn same_timestamp: (Timestamp) -> Timestamp, name = "timestamp")?;
    add_overload!(env, fn int_of_duration: (Duration) -> CelInt, name = "int", id = "duration_to_int64")?;
    add_overload!(env, fn int_of_timestamp: (Timestamp) -> CelInt, name = "int", id = "timestamp_to_int64")?;
    add_overload!(env, fn text_of_duration: (Duration) -> CelString, name = "string", id = "duration_to_string")?;
    add_overload!(env, fn text_of_timestamp: (Timestamp) -> CelString, name = "string", id = "timestamp_to_string")?;
    add_member_overload!(env, fn hours: (Duration) -> CelInt, name = "getHours")?;
    add_member_overload!(env, fn minutes: (Duration) -> CelInt, name = "getMinutes")?;
    add_member_overload!(env, fn seconds: (Duration) -> CelInt, name = "getSeconds")?;
    add_member_overload!(env, fn milliseconds: (Duration) -> CelInt, name = "getMilliseconds")?;
    parts! { env,
        year year_in_zone "getFullYear" |at| i64::from(at.year());
        month month_in_zone "getMonth" |at| i64::from(at.month0());
        date date_in_zone "getDate" |at| i64::from(at.day());
        day_of_month day_of_month_in_zone "getDayOfMonth" |at| i64::from(at.day0());
        day_of_week day_of_week_in_zone "getDayOfWeek" |at| i64::from(at.weekday().num_days_from_sunday());
        day_of_year day_of_year_in_zone "getDayOfYear" |at| i64::from(at.ordinal0());
        hour hour_in_zone "getHours" |at| i64::from(at.hour());
        minute minute_in_zone "getMinutes" |at| i64::from(at.minute());
        second second_in_zone "getSeconds" |at| i64::from(at.second());
        millisecond millisecond_in_zone "getMilliseconds" |at| i64::from(at.nanosecond().div_euclid(1_000_000));
    }
    Ok(())
}

fn duration(text: &CelString<'_>) -> Result<Duration, ExecutionError> {
    read_duration(text.inner()).map(Duration).ok_or_else(|| Problem::Malformed.of("duration"))
}

fn same_duration(duration: &Duration) -> Duration {
    *duration
}

/// Reads numbers with units, such as `-1h30.5m`.
fn read_duration(text: &str) -> Option<i64> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match unsigned {
        "" => return None,
        "0" => return Some(0),
        _ => {}
    }
    let mut rest = unsigned;
    let mut sum = 0_i128;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let end = after.find(|one: char| one == '.' || one.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let nanoseconds: i128 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        sum = sum.checked_add(whole.checked_mul(nanoseconds)?)?.checked_add(part(fraction, nanoseconds))?;
        // The smallest number has no positive counterpart.
        if sum > i128::from(i64::MAX).saturating_add(1) {
            return None;
        }
        rest = after;
    }
    i64::try_from(if is_negative { sum.saturating_neg() } else { sum }).ok()
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// The nanoseconds of a fraction of a unit; Go multiplies in floating point and truncates.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers are those of Go, which has the same conversions"
)]
fn part(fraction: &str, unit: i128) -> i128 {
    let (mut number, mut scale) = (0_u64, 1_f64);
    for digit in fraction.bytes() {
        let next = number.saturating_mul(10).saturating_add(u64::from(digit.saturating_sub(b'0')));
        // Further digits are ignored.
        if next > 1 << 63 {
            break;
        }
        number = next;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as i128
}

fn timestamp(text: &CelString<'_>) -> Result<Timestamp, ExecutionError> {
    read_timestamp(text.inner()).map_err(|problem| problem.of("timestamp"))
}

fn same_timestamp(timestamp: &Timestamp) -> Timestamp {
    *timestamp
}

fn timestamp_of_int(seconds: &CelInt) -> Result<Timestamp, ExecutionError> {
    let utc = DateTime::from_timestamp(*seconds.inner(), 0).map(|at| at.naive_utc());
    let utc = utc.filter(|utc| is_in_range(*utc)).ok_or_else(|| failed("timestamp", "out of range"))?;
    Ok(Timestamp { utc, offset: 0 })
}

fn is_in_range(at: NaiveDateTime) -> bool {
    (1..=9999).contains(&at.year())
}

/// Reads a timestamp of RFC 3339. Go also reads hours of one digit, a comma before the fraction,
/// and zones that do not exist: these are not known.
fn read_timestamp(text: &str) -> Result<Timestamp, Problem> {
    let malformed = || Problem::Malformed;
    let (date, rest) = text.split_once('T').ok_or_else(malformed)?;
    let date = read_date(date).ok_or_else(malformed)?;
    let zone_at = rest.find(['Z', '+', '-']).ok_or_else(malformed)?;
    let (time, zone) = rest.split_at(zone_at);
    let (time, fraction) = match time.find(['.', ',']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut numbers = time.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return Err(Problem::Malformed);
    };
    let offset = match zone {
        "Z" => 0,
        zone => {
            let unsigned = zone.strip_prefix(['+', '-']).ok_or_else(malformed)?;
            let (hours, minutes) = unsigned.split_once(':').ok_or_else(malformed)?;
            let (hours, minutes) =
                (two_digits(hours).ok_or_else(malformed)?, two_digits(minutes).ok_or_else(malformed)?);
            if hours > 23 || minutes > 59 {
                return Err(Problem::NotKnown);
            }
            let seconds = i64::from(hours.saturating_mul(60).saturating_add(minutes)).saturating_mul(60);
            if zone.starts_with('-') { seconds.saturating_neg() } else { seconds }
        }
    };
    let (minute, second) =
        (two_digits(minute).ok_or_else(malformed)?, two_digits(second).ok_or_else(malformed)?);
    if hour.len() == 1 && hour.bytes().all(|one| one.is_ascii_digit()) {
        return Err(Problem::NotKnown);
    }
    let hour = two_digits(hour).ok_or_else(malformed)?;
    let nanosecond = match fraction.split_at_checked(1) {
        None => 0,
        Some((_, digits)) if digits.is_empty() || !digits.bytes().all(|one| one.is_ascii_digit()) => {
            return Err(Problem::Malformed);
        }
        Some((",", _)) => return Err(Problem::NotKnown),
        // Digits after the ninth are cut off.
        Some((_, digits)) => format!("{digits:0<9}").get(..9).and_then(|nine| nine.parse().ok()).unwrap_or(0),
    };
    let local = date.and_hms_nano_opt(hour, minute, second, nanosecond).ok_or_else(malformed)?;
    let utc = local.checked_sub_signed(TimeDelta::seconds(offset)).ok_or_else(malformed)?;
    if is_in_range(utc) { Ok(Timestamp { utc, offset }) } else { Err(Problem::Malformed) }
}

fn two_digits(text: &str) -> Option<u32> {
    let is_number = text.len() == 2 && text.bytes().all(|one| one.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Reads a date such as `2026-01-31`.
pub(super) fn read_date(text: &str) -> Option<NaiveDate> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let has_four_digits = year.len() == 4 && year.bytes().all(|one| one.is_ascii_digit());
    let year = if has_four_digits { year.parse().ok()? } else { return None };
    NaiveDate::from_ymd_opt(year, two_digits(month)?, two_digits(day)?)
}

/// Returns the time in a zone: a number of hours and minutes, or UTC. Names of other zones depend
/// on the database of the API server.
fn in_zone(timestamp: &Timestamp, zone: &str, function: &str) -> Result<NaiveDateTime, ExecutionError> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return if matches!(zone, "" | "UTC") { Ok(timestamp.utc) } else { Err(failed(function, NOT_KNOWN)) };
    };
    let malformed = || failed(function, "not a time zone");
    let is_negative = hours.starts_with('-');
    let hours: i64 = hours.parse().map_err(|_| malformed())?;
    let minutes: i64 = minutes.parse().map_err(|_| malformed())?;
    // Older servers read other numbers of minutes, newer ones do not.
    if !(-23..=23).contains(&hours) || !(0..=59).contains(&minutes) {
        return Err(failed(function, NOT_KNOWN));
    }
    let minutes = if is_negative { minutes.saturating_neg() } else { minutes };
    let offset = TimeDelta::minutes(hours.saturating_mul(60).saturating_add(minutes));
    timestamp.utc.checked_add_signed(offset).ok_or_else(malformed)
}

fn int_of_duration(duration: &Duration) -> CelInt {
    CelInt::from(duration.0)
}

fn int_of_timestamp(timestamp: &Timestamp) -> CelInt {
    CelInt::from(timestamp.utc.and_utc().timestamp())
}

/// A number of units; Go adds the rest in floating point.
#[expect(clippy::cast_precision_loss, reason = "Go has the same conversions")]
fn units(duration: Duration, unit: i64) -> f64 {
    let whole = duration.0.checked_div(unit).unwrap_or_default();
    let rest = duration.0.checked_rem(unit).unwrap_or_default();
    whole as f64 + rest as f64 / unit as f64
}

#[expect(clippy::cast_possible_truncation, reason = "Go truncates, too")]
fn whole_units(duration: Duration, unit: i64) -> CelInt {
    CelInt::from(units(duration, unit) as i64)
}

pub(super) fn text_of_time(value: &dyn Val) -> Option<String> {
    let duration = || value.downcast_ref::<Duration>().map(text_of_duration);
    let text = duration().or_else(|| value.downcast_ref::<Timestamp>().map(text_of_timestamp))?;
    Some(text.inner().to_owned())
}

/// Returns a duration or timestamp as it is written in CEL; `None` for another value.
pub(super) fn literal_of(value: &dyn Val) -> Option<String> {
    let name = if value.downcast_ref::<Duration>().is_some() { "duration" } else { "timestamp" };
    text_of_time(value).map(|text| format!("{name}(\"{text}\")"))
}

fn text_of_duration(duration: &Duration) -> CelString<'static> {
    CelString::from(format!("{}s", units(*duration, SECOND)))
}

fn text_of_timestamp(timestamp: &Timestamp) -> CelString<'static> {
    let local =
        timestamp.utc.checked_add_signed(TimeDelta::seconds(timestamp.offset)).unwrap_or(timestamp.utc);
    let fraction = match local.nanosecond() {
        0 => String::new(),
        nanosecond => format!(".{nanosecond:09}").trim_end_matches('0').to_owned(),
    };
    let zone = match timestamp.offset.div_euclid(60) {
        0 => "Z".to_owned(),
        minutes => {
            let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
            format!("{sign}{:02}:{:02}", minutes.div_euclid(60), minutes.rem_euclid(60))
        }
    };
    let (date, time) = (local.date(), local.time());
    CelString::from(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}{zone}",
        date.year(),
        date.month(),
        date.day(),
        time.hour(),
        time.minute(),
        time.second(),
    ))
}

fn hours(duration: &Duration) -> CelInt {
    whole_units(*duration, SECOND.saturating_mul(3600))
}

fn minutes(duration: &Duration) -> CelInt {
    whole_units(*duration, SECOND.saturating_mul(60))
}

fn seconds(duration: &Duration) -> CelInt {
    whole_units(*duration, SECOND)
}

fn milliseconds(duration: &Duration) -> CelInt {
    CelInt::from(duration.0.wrapping_div(1_000_000))
}

fn moved(timestamp: Timestamp, by: i64) -> Result<Timestamp, ExecutionError> {
    let utc = timestamp.utc.checked_add_signed(TimeDelta::nanoseconds(by)).filter(|utc| is_in_range(*utc));
    let utc = utc.ok_or_else(|| failed("timestamp", "out of range"))?;
    Ok(Timestamp { utc, ..timestamp })
}

fn in_nanoseconds(number: Option<i64>) -> Result<Duration, ExecutionError> {
    number.map(Duration).ok_or_else(|| failed("duration", "out of range"))
}

fn no_overload<T>(operator: &str, left: &dyn Val, right: &dyn Val) -> Result<T, ExecutionError> {
    let types = vec![left.get_type().name().to_owned(), right.get_type().name().to_owned()];
    Err(ExecutionError::no_such_overload(operator, types))
}

impl Adder for Duration {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(other) = other.downcast_ref::<Self>() {
            return in_nanoseconds(self.0.checked_add(other.0)).map(CowVal::owned);
        }
        match other.downcast_ref::<Timestamp>() {
            Some(timestamp) => moved(*timestamp, self.0).map(CowVal::owned),
            None => no_overload("_+_", self, other),
        }
    }
}

impl Subtractor for Duration {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Self>() {
            Some(other) => in_nanoseconds(self.0.checked_sub(other.0)).map(CowVal::owned),
            None => no_overload("_-_", self, other),
        }
    }
}

impl Negator for Duration {
    fn negate<'v>(&self) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        Ok(Box::new(in_nanoseconds(self.0.checked_neg())?))
    }
}

impl Comparer for Duration {
    fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
        match other.downcast_ref::<Self>() {
            Some(other) => Ok(self.0.cmp(&other.0)),
            None => no_overload("_<_", self, other),
        }
    }
}

impl Zeroer for Duration {
    fn is_zero_value(&self) -> bool {
        self.0 == 0
    }
}

impl Adder for Timestamp {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Duration>() {
            Some(duration) => moved(*self, duration.0).map(CowVal::owned),
            None => no_overload("_+_", self, other),
        }
    }
}

impl Subtractor for Timestamp {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(other) = other.downcast_ref::<Self>() {
            let between = self.utc.signed_duration_since(other.utc).num_nanoseconds();
            return in_nanoseconds(between).map(CowVal::owned);
        }
        match other.downcast_ref::<Duration>() {
            Some(duration) => moved(*self, in_nanoseconds(duration.0.checked_neg())?.0).map(CowVal::owned),
            None => no_overload("_-_", self, other),
        }
    }
}

impl Comparer for Timestamp {
    fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
        match other.downcast_ref::<Self>() {
            Some(other) => Ok(self.utc.cmp(&other.utc)),
            None => no_overload("_<_", self, other),
        }
    }
}

impl Zeroer for Timestamp {
    /// The zero of Go is the first instant of the year 1.
    fn is_zero_value(&self) -> bool {
        NaiveDate::from_ymd_opt(1, 1, 1).and_then(|day| day.and_hms_opt(0, 0, 0)) == Some(self.utc)
    }
}

/// Implements [`Val`] with the operators of a type.
macro_rules! value {
    ($type:ty, $name:literal, $equals:expr $(, $negator:item)?) => {
        impl Val for $type {
            fn get_type(&self) -> &Type {
                Self::cel_type()
            }

            fn cel_type() -> &'static Type {
                static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type($name));
                &TYPE
            }

            fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_subtractor<'b, 'v>(&'b self) -> Option<&'b (dyn Subtractor + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_comparer(&self) -> Option<&dyn Comparer> {
                Some(self)
            }

            fn as_zeroer(&self) -> Option<&dyn Zeroer> {
                Some(self)
            }

            $($negator)?

            fn equals(&self, other: &dyn Val) -> bool {
                let equals: fn(&Self, &Self) -> bool = $equals;
                other.downcast_ref::<Self>().is_some_and(|other| equals(self, other))
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
            where
                Self: 'v,
            {
                Box::new(*self)
            }

            fn as_any(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }

        impl StaticVal for $type {}
    };
}

value!(Timestamp, "google.protobuf.Timestamp", |left, right| left.utc == right.utc);
value!(
    Duration,
    "google.protobuf.Duration",
    |left, right| left.0 == right.0,
    fn as_negator<'b, 'v>(&'b self) -> Option<&'b (dyn Negator + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }
);
