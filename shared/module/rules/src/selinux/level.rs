//! Levels in the form that every runtime and every node accepts.

/// The level of an SELinux context. Two levels are equal if they mean the same, however they are
/// spelled.
///
/// The sensitivity is always `s0`, the only one in the policies of container hosts. The categories
/// of the low end and the high end are the same, except in a range from `s0`. A process can access
/// a file if its high end has all categories of the file.
///
/// # Example
/// ```
/// use rules::selinux::level::Level;
///
/// let level = Level::parse("s0:c2,c1").unwrap();
/// assert_eq!(level, Level::parse("s0:c1.c2").unwrap());
/// assert_eq!(level.text(), "s0:c1,c2");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Level {
    /// The categories of the high end and, unless the level is a range, of the low end.
    categories: Categories,
    /// Whether the low end is `s0` and the high end is not.
    is_range: bool,
}

/// The maximum length of a level, in bytes. The kernel accepts at most one page for a whole
/// context.
const LONGEST: usize = 4096;

const TOO_LONG: &str = "is longer than any level that a node accepts";
const NO_LEVEL: &str = "is not a level that every runtime accepts";
const NO_CATEGORY: &str = "has a category other than c0 to c1023, without leading zeros";
const NO_RANGE: &str = "has a range of categories that does not ascend";

impl Level {
    /// Reads a level: `s0`, `s0-s0`, `s0:c1,c3.c5` or `s0-s0:c1,c3.c5`.
    ///
    /// The API server does not validate levels. containerd accepts categories and sensitivities
    /// that nodes do not have, and rejects ranges that they do have. The kernel knows categories by
    /// their exact names. This function accepts what all of them accept.
    ///
    /// Sources: `checkSelinuxLevel` of containerd, `mls_context_to_sid` of the kernel.
    ///
    /// # Errors
    /// The problem with any other text, as a predicate: `is not a level that every runtime
    /// accepts`.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::level::Level;
    ///
    /// assert!(Level::parse("s0-s0:c0.c1023").is_ok());
    /// let problem = Level::parse("s1:c1,c2").unwrap_err();
    /// assert_eq!(problem, "is not a level that every runtime accepts");
    /// ```
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.len() > LONGEST {
            return Err(TOO_LONG);
        }
        let rest = text.as_bytes().strip_prefix(b"s0").ok_or(NO_LEVEL)?;
        let (is_range, rest) = match rest.strip_prefix(b"-s0") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let high = match rest {
            [] => Categories::default(),
            [b':', list @ ..] => Categories::parse(list)?,
            _ => return Err(NO_LEVEL),
        };
        Ok(Self { is_range: is_range && high != Categories::default(), categories: high })
    }

    /// The level with these categories, not a range. Numbers above 1023 are ignored.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::level::Level;
    ///
    /// assert_eq!(Level::of(&[650, 413]).text(), "s0:c413,c650");
    /// assert_eq!(Level::of(&[]).text(), "s0");
    /// ```
    #[must_use]
    pub fn of(categories: &[u16]) -> Self {
        let mut set = Categories::default();
        for category in categories {
            let Categories(words) = &mut set;
            if let Some(word) = words.get_mut(usize::from(category >> 6)) {
                *word |= 1_u64.wrapping_shl(u32::from(*category));
            }
        }
        Self { categories: set, is_range: false }
    }

    /// Whether the low end differs from the high end.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.is_range
    }

    /// Whether the level has categories.
    #[must_use]
    pub fn has_categories(&self) -> bool {
        self.categories != Categories::default()
    }

    /// Whether this is the level without categories, `s0`.
    #[must_use]
    pub fn is_lowest(&self) -> bool {
        !self.is_range && !self.has_categories()
    }

    /// The number of categories of the high end.
    #[must_use]
    pub fn categories(&self) -> usize {
        let Categories(words) = &self.categories;
        words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a process at this level can access the files of another level. Files without
    /// categories, which any process can access, do not count.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::level::Level;
    ///
    /// let [range, pair, other] = ["s0-s0:c1.c9", "s0:c3,c5", "s0:c5,c7"].map(|text| Level::parse(text).unwrap());
    /// assert!(range.reaches(&pair) && pair.reaches(&pair));
    /// assert!(!pair.reaches(&other) && !pair.reaches(&range));
    /// ```
    #[must_use]
    pub fn reaches(&self, other: &Self) -> bool {
        let (Categories(ours), Categories(theirs)) = (&self.categories, &other.categories);
        other.has_categories() && ours.iter().zip(theirs).all(|(ours, theirs)| theirs & !ours == 0)
    }

    /// The level as runtimes spell the levels that they draw: single categories in ascending order.
    /// A runtime avoids a level in use only in this spelling. Four or more consecutive categories,
    /// which no runtime draws, are written as a range, so that every level is short enough to be
    /// read.
    ///
    /// Source: `uniqMcs` of go-selinux.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::level::Level;
    ///
    /// assert_eq!(Level::parse("s0-s0:c7,c1.c3").unwrap().text(), "s0-s0:c1,c2,c3,c7");
    /// assert_eq!(Level::parse("s0:c0.c1022,c1023").unwrap().text(), "s0:c0.c1023");
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = if self.is_range { "s0-s0" } else { "s0" }.to_owned();
        // The first and the last of consecutive categories.
        let mut row: Option<(u32, u32)> = None;
        let Categories(words) = &self.categories;
        for (word, base) in words.iter().zip(BASES) {
            let mut left = *word;
            while left != 0 {
                let category = left.trailing_zeros().saturating_add(base);
                row = match row {
                    Some((first, last)) if last.saturating_add(1) == category => Some((first, category)),
                    other => {
                        push_row(&mut text, other);
                        Some((category, category))
                    }
                };
                // Clear the lowest bit.
                left &= left.wrapping_sub(1);
            }
        }
        push_row(&mut text, row);
        text
    }
}

fn push_row(text: &mut String, row: Option<(u32, u32)>) {
    let Some((first, last)) = row else { return };
    let is_range = last.saturating_sub(first) >= 3;
    for category in first..=last {
        let separator = match category {
            _ if is_range && category > first && category < last => continue,
            _ if is_range && category == last => ".c",
            _ if text.contains(':') => ",c",
            _ => ":c",
        };
        text.push_str(separator);
        text.push_str(&category.to_string());
    }
}

/// A set of categories, `c0` to `c1023`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Categories([u64; 16]);

const BASES: [u32; 16] = [0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960];

impl Categories {
    fn parse(mut list: &[u8]) -> Result<Self, &'static str> {
        let mut categories = Self::default();
        loop {
            let (from, mut rest) = category(list)?;
            let mut to = from;
            if let [b'.', end @ ..] = rest {
                (to, rest) = category(end)?;
                if from >= to {
                    return Err(NO_RANGE);
                }
            }
            categories.insert(from, to);
            list = match rest {
                [] => return Ok(categories),
                [b',', rest @ ..] => rest,
                _ => return Err(NO_LEVEL),
            };
        }
    }

    /// Adds a range, one word at a time. One category at a time, a long level of wide ranges would
    /// need a thousand steps per range.
    fn insert(&mut self, from: u32, to: u32) {
        for (word, base) in self.0.iter_mut().zip(BASES) {
            let onwards = |from: u32| u64::MAX.checked_shl(from.saturating_sub(base)).unwrap_or_default();
            *word |= onwards(from) & !onwards(to.saturating_add(1));
        }
    }
}

/// Splits a list into its first category and the rest.
fn category(list: &[u8]) -> Result<(u32, &[u8]), &'static str> {
    let [b'c', digits @ ..] = list else { return Err(NO_LEVEL) };
    let mut rest = digits;
    let mut number = 0_u32;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        number = number.saturating_mul(10).saturating_add(u32::from(digit & 0xf));
        rest = after;
    }
    match digits {
        [b'0', b'0'..=b'9', ..] => Err(NO_CATEGORY),
        [b'0'..=b'9', ..] if number > 1023 => Err(NO_CATEGORY),
        [b'0'..=b'9', ..] => Ok((number, rest)),
        _ => Err(NO_LEVEL),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn text(level: &str) -> String {
        Level::parse(level).unwrap().text()
    }

    #[test]
    fn parses_every_accepted_spelling_to_its_meaning() {
        for (level, canonical) in [
            ("s0", "s0"),
            ("s0-s0", "s0"),
            ("s0:c0", "s0:c0"),
            ("s0:c1023", "s0:c1023"),
            ("s0:c1,c2", "s0:c1,c2"),
            ("s0:c2,c1", "s0:c1,c2"),
            ("s0:c1.c2", "s0:c1,c2"),
            ("s0:c1,c2,c1", "s0:c1,c2"),
            ("s0:c1.c4,c2.c3", "s0:c1.c4"),
            ("s0:c27,c14", "s0:c14,c27"),
            ("s0:c62.c65", "s0:c62.c65"),
            ("s0:c63.c65,c67", "s0:c63,c64,c65,c67"),
            ("s0:c63,c64,c127,c128", "s0:c63,c64,c127,c128"),
            ("s0-s0:c1,c2", "s0-s0:c1,c2"),
            ("s0-s0:c2,c1.c2", "s0-s0:c1,c2"),
        ] {
            assert_eq!(text(level), canonical, "{level}");
        }
        assert_ne!(Level::parse("s0-s0:c1,c2"), Level::parse("s0:c1,c2"));
        assert_eq!(Level::parse("s0:c0.c1023").unwrap().categories(), 1024);
    }

    #[test]
    fn rejects_every_other_text() {
        for (problem, levels) in [
            (
                NO_LEVEL,
                "|s|S0|s1|s9:c1|s15|s00|s0-s1|s0-s15:c0.c1023|s0-|s0-s0-s0|s0:|s0-s0:|s0:c|s0:1|\
                 s0:C1|s0:c1,|s0:,c1|s0:c1,,c2|s0:c1:c2|s0:c1.|s0:c1.2|s0:c1..c2|s0:c1.c2.c3|\
                 s0:c1-c2|s0:c+1|s0:c-1|s0:c1 | s0:c1|s0:c1, c2|s0:c1\n|s0:c1\0|s0:c١|s0:с1|\
                 s0:c1-s0:c1,c2|s0:c1-s0|s0:zzz|somevalue|system_u:object_r:container_file_t:s0",
            ),
            (NO_CATEGORY, "s0:c1024|s0:c9999|s0:c0.c1024|s0:c99999999999999999999|s0:c01|s0:c00|s0:c1.c02"),
            (NO_RANGE, "s0:c5.c2|s0:c5.c5"),
        ] {
            for level in levels.split('|') {
                assert_eq!(Level::parse(level).unwrap_err(), problem, "{level}");
            }
        }
    }

    #[test]
    fn rejects_a_text_longer_than_4096_bytes() {
        let level = format!("s0:{}", vec!["c100"; 818].join(","));
        assert_eq!(level.len(), 4092);
        assert_eq!(text(&format!("{level},c1")).len(), "s0:c1,c100".len());
        assert_eq!(level.len() + ",c100".len(), 4097);
        assert_eq!(Level::parse(&format!("{level},c100")).unwrap_err(), TOO_LONG);
        // The longest text of a level: rows of three categories.
        let rows: Vec<String> = (0..256).map(|row| format!("c{}.c{}", row * 4, row * 4 + 2)).collect();
        assert_eq!(text(&format!("s0-s0:{}", rows.join(","))).len(), 3_780);
    }

    #[test]
    fn reports_ranges_and_counts_categories() {
        for (level, is_range, categories) in
            [("s0", false, 0), ("s0-s0", false, 0), ("s0:c7", false, 1), ("s0-s0:c1.c3", true, 3)]
        {
            let level = Level::parse(level).unwrap();
            assert_eq!(level.is_range(), is_range, "{level:?}");
            assert_eq!(level.has_categories(), categories > 0, "{level:?}");
            assert_eq!(level.categories(), categories, "{level:?}");
        }
        assert_eq!(Level::of(&[2, 1, 2]), Level::parse("s0:c1,c2").unwrap());
        assert_eq!(Level::of(&[1024, u16::MAX]), Level::parse("s0").unwrap());
    }

    prop_compose! {
        /// The items of a list, as first and last category.
        fn items()(items in prop::collection::vec((0_u16..1024, 0_u16..1024), 1..60)) -> Vec<(u16, u16)> {
            items.into_iter().map(|(a, b)| if a % 3 == 0 { (a.min(b), a.max(b)) } else { (a, a) }).collect()
        }
    }

    fn spelled(prefix: &str, items: &[(u16, u16)]) -> String {
        let item = |&(first, last): &(u16, u16)| {
            if first == last { format!("c{first}") } else { format!("c{first}.c{last}") }
        };
        format!("{prefix}:{}", items.iter().map(item).collect::<Vec<_>>().join(","))
    }

    proptest! {
        #[test]
        fn order_duplicates_and_ranges_do_not_matter(items in items(), is_range: bool) {
            let prefix = if is_range { "s0-s0" } else { "s0" };
            let set: BTreeSet<u16> = items.iter().flat_map(|&(first, last)| first..=last).collect();
            let level = Level::parse(&spelled(prefix, &items)).unwrap();
            let mut others = items.clone();
            others.reverse();
            others.extend(items);
            prop_assert_eq!(&level, &Level::parse(&spelled(prefix, &others)).unwrap());
            let singles: Vec<_> = set.iter().map(|category| (*category, *category)).collect();
            if let Ok(other) = Level::parse(&spelled(prefix, &singles)) {
                prop_assert_eq!(&level, &other);
            }
            prop_assert_eq!(level.categories(), set.len());
            prop_assert_eq!(level.is_range(), is_range);
            if !is_range {
                prop_assert_eq!(level, Level::of(&set.into_iter().collect::<Vec<_>>()));
            }
        }

        #[test]
        fn the_text_of_a_level_parses_to_the_level(
            set in prop::collection::btree_set(0_u16..1024, 0..700), is_range: bool,
        ) {
            let mut level = Level::of(&set.into_iter().collect::<Vec<_>>());
            level.is_range = is_range && level.has_categories();
            prop_assert_eq!(Level::parse(&level.text()), Ok(level));
        }

        #[test]
        fn parse_accepts_exactly_the_grammar(text in "s[01](-s0)?(:[cs01239.,-]{0,9})?") {
            fn number(text: &str) -> Option<u16> {
                let number = text.strip_prefix('c')?;
                let value = number.parse::<u16>().ok().filter(|value| *value < 1024)?;
                (value.to_string() == number).then_some(value)
            }
            fn is_item(item: &str) -> bool {
                match item.split_once('.') {
                    Some((a, b)) => number(a).zip(number(b)).is_some_and(|(a, b)| a < b),
                    None => number(item).is_some(),
                }
            }
            let expected = match text.split_once(':') {
                Some(("s0" | "s0-s0", list)) => list.split(',').all(is_item),
                None => matches!(text.as_str(), "s0" | "s0-s0"),
                _ => false,
            };
            prop_assert_eq!(Level::parse(&text).is_ok(), expected);
        }
    }
}
