//! Ranges of numbers as patterns.

/// Returns patterns that match the decimal notation of the numbers from `min` to `max` and no other
/// number of up to five digits, such as ports. `?` stands for any digit.
pub(crate) fn patterns_of_range(min: i64, max: i64) -> Vec<String> {
    let mut patterns = Vec::new();
    for digits in 1_u32..=5 {
        let lowest = if digits == 1 { 0 } else { 10_i64.saturating_pow(digits.saturating_sub(1)) };
        let highest = 10_i64.saturating_pow(digits).saturating_sub(1);
        let (low, high) = (min.max(lowest), max.min(highest));
        if low <= high {
            cover(low.to_string().as_bytes(), high.to_string().as_bytes(), String::new(), &mut patterns);
        }
    }
    patterns
}

/// Adds the patterns of the numbers from `low` to `high`, which have the same number of digits.
fn cover(low: &[u8], high: &[u8], prefix: String, patterns: &mut Vec<String>) {
    let (Some((first, low)), Some((last, high))) = (low.split_first(), high.split_first()) else {
        patterns.push(prefix);
        return;
    };
    if *first == b'0' && *last == b'9' && is_full(low, high) {
        patterns.push(prefix + &"?".repeat(low.len().saturating_add(1)));
        return;
    }
    let (zeros, nines) = (vec![b'0'; low.len()], vec![b'9'; high.len()]);
    for digit in *first..=*last {
        let low = if digit == *first { low } else { &zeros };
        let high = if digit == *last { high } else { &nines };
        cover(low, high, format!("{prefix}{}", char::from(digit)), patterns);
    }
}

fn is_full(low: &[u8], high: &[u8]) -> bool {
    low.iter().all(|digit| *digit == b'0') && high.iter().all(|digit| *digit == b'9')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pattern, whose wildcards stand for digits, matches a number.
    fn matches(pattern: &str, number: i64) -> bool {
        let number = number.to_string();
        pattern.len() == number.len() && pattern.bytes().zip(number.bytes()).all(|(p, n)| p == b'?' || p == n)
    }

    #[test]
    fn patterns_match_the_numbers_of_the_range_alone() {
        for (min, max) in [(80, 9000), (0, 65535), (1, 1), (30000, 32767), (0, 9), (-5, 12), (10, 9), (999, 1000)] {
            let patterns = patterns_of_range(min, max);
            for number in 0..=65535 {
                let is_matched = patterns.iter().any(|pattern| matches(pattern, number));
                assert_eq!(is_matched, (min..=max).contains(&number), "{number} in {min}..={max}");
            }
        }
        assert_eq!(patterns_of_range(0, 99999), ["?", "1?", "2?", "3?", "4?", "5?", "6?", "7?", "8?", "9?"]
            .into_iter().map(str::to_owned)
            .chain((1..=9).map(|digit| format!("{digit}??")))
            .chain((1..=9).map(|digit| format!("{digit}???")))
            .chain((1..=9).map(|digit| format!("{digit}????")))
            .collect::<Vec<_>>());
    }
}
