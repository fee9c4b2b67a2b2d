//! Ports of nodes.

/// The ports of a range of numbers; `None` if there are none.
pub(crate) fn port_range(min: i64, max: i64) -> Option<(u16, u16)> {
    let port = |number: i64| u16::try_from(number.clamp(0, i64::from(u16::MAX))).ok();
    let is_some = min <= max && max >= 0 && min <= i64::from(u16::MAX);
    port(min).zip(port(max)).filter(|_| is_some)
}

/// Patterns that match the numbers of the ports in any of the ranges, and no other number.
pub(crate) fn port_patterns(ranges: impl IntoIterator<Item = (u16, u16)>) -> Vec<String> {
    let ranges = joined(ranges.into_iter().collect());
    ranges.into_iter().flat_map(|(min, max)| patterns(u32::from(min), u32::from(max))).collect()
}

/// The same ports, in ranges that do not touch each other.
fn joined(mut ranges: Vec<(u16, u16)>) -> Vec<(u16, u16)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u16, u16)> = Vec::new();
    for (min, max) in ranges {
        match joined.last_mut() {
            Some((_, last)) if min <= last.saturating_add(1) => *last = max.max(*last),
            _ => joined.push((min, max)),
        }
    }
    joined
}

/// Patterns for the numbers of a range: `8000` to `8099` are `80??`.
fn patterns(min: u32, max: u32) -> Vec<String> {
    let mut patterns = Vec::new();
    let mut next = min;
    while next <= max {
        // The largest block of numbers with the same first digits that begins here.
        let block = (1..5).map(|digits| (digits, 10_u32.saturating_pow(digits))).take_while(|(_, size)| {
            next >= *size && next.is_multiple_of(*size) && next.saturating_add(size.saturating_sub(1)) <= max
        });
        let (digits, size) = block.last().unwrap_or((0, 1));
        let first = next.checked_div(size).unwrap_or_default();
        patterns.push(format!("{first}{}", "?".repeat(usize::try_from(digits).unwrap_or_default())));
        next = next.saturating_add(size);
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::pattern::Patterns;

    #[test]
    fn patterns_of_ranges_match_exactly_their_ports() {
        for (min, max) in [(1, 65_535), (80, 80), (8000, 8099), (9, 10), (95, 1203), (30_000, 32_767), (1, 9)]
        {
            let texts = port_patterns([(min, max)]);
            let patterns = Patterns::of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            for port in 0..=u16::MAX {
                let is_in = (min..=max).contains(&port);
                assert_eq!(patterns.match_text(&port.to_string()), is_in, "{port} of {min}-{max}: {texts:?}");
            }
        }
    }

    #[test]
    fn ranges_are_joined() {
        assert_eq!(joined(vec![(90, 99), (1, 5), (6, 7), (4, 4)]), [(1, 7), (90, 99)]);
        assert_eq!(joined(vec![(30_000, u16::MAX), (0, 30_000)]), [(0, u16::MAX)]);
    }
}
