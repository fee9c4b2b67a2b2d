//! Levels that are hashed from a name.

use sha2::{Digest, Sha256};

use super::level::Level;

/// The categories that levels consist of, and the function from a name to a level.
///
/// A name has the same level on every node and after every restart, and nothing is stored for it.
/// Therefore pods can share a level, the policy can check it, and a volume can keep it.
///
/// # Example
/// ```
/// use rules::selinux::pool::Pool;
///
/// let pool = Pool::default();
/// assert_eq!(pool.level("namespace:team-a").text(), "s0:c78,c138");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pool {
    /// The lowest category.
    pub min: u16,
    /// The highest category, at most 1023.
    pub max: u16,
    /// The number of categories of every level. A level with more of them would give access to the
    /// files of others.
    pub per_level: u8,
    /// A text that makes the levels of one cluster differ from those of another.
    pub salt: String,
    /// Levels that no name gets, because all pods may set them.
    pub excluded: Vec<Level>,
}

/// The number of levels to try for a name. Only an almost exhausted pool needs more than a few.
pub const PROBES: u32 = 64;

/// The categories that go-selinux reserves for containers with SELinux labelling disabled.
pub(in crate::selinux) const RESERVED: [u16; 2] = [1022, 1023];

impl Default for Pool {
    fn default() -> Self {
        Self { min: 0, max: 1023, per_level: 2, salt: String::new(), excluded: Vec::new() }
    }
}

impl Pool {
    /// The number of levels, including the reserved one.
    ///
    /// # Example
    /// ```
    /// assert_eq!(rules::selinux::pool::Pool::default().combinations(), 523_776);
    /// ```
    #[must_use]
    pub fn combinations(&self) -> u64 {
        let categories = u64::from(self.max).saturating_add(1).saturating_sub(u64::from(self.min));
        binomial(categories, self.per_level)
    }

    /// The level that attempt `number` for a key yields; `None` for the reserved level and for
    /// excluded levels.
    ///
    /// The hashed bytes must never change: any change gives every name, and every volume, another
    /// level.
    #[must_use]
    pub fn probe(&self, key: &str, number: u32) -> Option<Level> {
        let hashed = [self.salt.as_bytes(), &[0], key.as_bytes(), &[0], &number.to_be_bytes()].concat();
        let hash = Sha256::digest(hashed);
        let number = hash.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte));
        let level = self.at(number.checked_rem(self.combinations())?);
        (!level.reaches(&Level::of(&RESERVED)) && !self.excluded.contains(&level)).then_some(level)
    }

    /// The level of a key, whether or not another key has the same one.
    #[must_use]
    pub fn level(&self, key: &str) -> Level {
        // Settings ensure a thousand levels, of which at most a hundred are excluded and one is
        // reserved, so that a level is always found.
        self.free(key, &|_| false).unwrap_or_else(|| self.at(0))
    }

    /// The first level of a key that is not taken; `None` if all attempts are.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::pool::Pool;
    ///
    /// let pool = Pool::default();
    /// let taken = pool.level("namespace:tenant-286");
    /// assert_eq!(pool.level("namespace:tenant-327"), taken);
    /// assert_ne!(pool.free("namespace:tenant-327", &|level| *level == taken), Some(taken));
    /// ```
    #[must_use]
    pub fn free(&self, key: &str, is_taken: &dyn Fn(&Level) -> bool) -> Option<Level> {
        (0..PROBES).filter_map(|number| self.probe(key, number)).find(|level| !is_taken(level))
    }

    /// Returns a level that an owner can have: not a range, and with the same number of categories
    /// as all others. Any other level would give access to the files of others.
    ///
    /// # Errors
    /// The problem with any other level, as a predicate.
    pub fn validated(&self, level: Level) -> Result<Level, &'static str> {
        if level.is_range() || level.categories() != usize::from(self.per_level) {
            return Err("is a range or has another number of categories than allocation.categories.perLevel");
        }
        Ok(level)
    }

    /// The level at a rank in the order of OpenShift, which compares the highest categories first.
    ///
    /// Source: `pkg/security/mcs` of openshift/library-go, the combinatorial number system.
    fn at(&self, rank: u64) -> Level {
        let mut rank = rank;
        let mut categories = Vec::with_capacity(self.per_level.into());
        for left in (1..=self.per_level).rev() {
            // The highest number with at most `rank` combinations below it, determined bit by bit.
            let mut number = 0_u16;
            for shift in (0..10).rev() {
                let higher = number | 1_u16.wrapping_shl(shift);
                if binomial(higher.into(), left) <= rank {
                    number = higher;
                }
            }
            rank = rank.saturating_sub(binomial(number.into(), left));
            categories.push(self.min.saturating_add(number));
        }
        Level::of(&categories)
    }
}

/// The number of ways to choose `taken` out of `of`.
fn binomial(of: u64, taken: u8) -> u64 {
    // Every intermediate result is a binomial, so that every division is exact.
    (0..u64::from(taken)).fold(1, |ways, step| {
        let more = ways.saturating_mul(of.saturating_sub(step));
        more.checked_div(step.saturating_add(1)).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(min: u16, max: u16, per_level: u8) -> Pool {
        Pool { min, max, per_level, ..Pool::default() }
    }

    fn namespace(pool: &Pool, name: &str) -> String {
        pool.level(&format!("namespace:{name}")).text()
    }

    fn categories(level: &Level) -> Vec<u16> {
        let text = level.text();
        let list = text.strip_prefix("s0:").unwrap();
        list.split(',').map(|category| category.strip_prefix('c').unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn yields_the_documented_levels() {
        let pool = Pool::default();
        for (name, level) in [
            ("default", "s0:c413,c650"),
            ("kube-system", "s0:c523,c700"),
            ("team-a", "s0:c78,c138"),
            ("team-b", "s0:c458,c1021"),
            ("payments", "s0:c438,c446"),
            ("monitoring", "s0:c23,c582"),
            ("tenant-286", "s0:c136,c179"),
            ("tenant-327", "s0:c136,c179"),
        ] {
            assert_eq!(namespace(&pool, name), level, "{name}");
        }
        assert_eq!(namespace(&of(512, 1023, 2), "team-a"), "s0:c690,c847");
        // Computed by an implementation in another language.
        assert_eq!(namespace(&of(0, 1023, 3), "team-a"), "s0:c267,c619,c659");
        assert_eq!(namespace(&of(512, 1023, 3), "team-b"), "s0:c561,c766,c857");
        assert_eq!(namespace(&Pool { salt: "blue".to_owned(), ..pool.clone() }, "team-a"), "s0:c774,c995");
        assert_eq!(pool.combinations(), 523_776);
        assert_eq!(of(512, 1023, 2).combinations(), 130_816);
        assert_eq!(of(0, 1023, 3).combinations(), 178_433_024);
    }

    #[test]
    fn ranks_levels_in_the_order_of_openshift() {
        let pool = Pool::default();
        let last = pool.combinations().saturating_sub(1);
        for (rank, level) in [(0, [0, 1]), (1, [0, 2]), (2, [1, 2]), (365, [14, 27]), (last, RESERVED)] {
            assert_eq!(pool.at(rank), Level::of(&level), "{rank}");
        }
        assert_eq!(of(0, 1023, 3).at(178_433_023), Level::of(&[1021, 1022, 1023]));
    }

    #[test]
    fn never_yields_the_reserved_level() {
        // One of three levels is reserved, so that every name hits it sooner or later.
        let pool = of(1021, 1023, 2);
        let probes: Vec<_> = (0..PROBES).map(|number| pool.probe("namespace:a", number)).collect();
        assert!(probes.contains(&None));
        let given: BTreeSet<_> = probes.into_iter().flatten().map(|level| level.text()).collect();
        assert_eq!(given.into_iter().collect::<Vec<_>>(), ["s0:c1021,c1022", "s0:c1021,c1023"]);
        assert_ne!(pool.level("namespace:a"), Level::of(&RESERVED));
    }

    #[test]
    fn never_yields_an_excluded_level() {
        let pool = Pool::default();
        let key = "namespace:team-a";
        let first = pool.level(key);
        let pool = Pool { excluded: vec![first.clone(), Level::of(&[1, 2])], ..pool };
        assert_eq!(pool.probe(key, 0), None);
        assert_ne!(pool.level(key), first);
        assert_eq!(Some(pool.level(key)), pool.probe(key, 1));
        // Other names keep their level.
        assert_eq!(pool.level("namespace:team-b"), Pool::default().level("namespace:team-b"));
    }

    #[test]
    fn skips_a_taken_level() {
        let pool = Pool::default();
        let key = "namespace:tenant-327";
        let first = pool.probe(key, 0);
        assert_eq!(pool.free(key, &|_| false), first);
        assert_eq!(pool.free(key, &|level| Some(level) == first.as_ref()), pool.probe(key, 1));
        assert_eq!(pool.free(key, &|_| true), None);
        let (one, other) = (pool.free("namespace:tenant-286", &|_| false), pool.probe(key, 1));
        assert_eq!(one, first);
        assert_ne!(one, other);
    }

    #[test]
    fn another_salt_yields_another_level() {
        let salted = Pool { salt: "blue".to_owned(), ..Pool::default() };
        assert_ne!(namespace(&salted, "team-a"), namespace(&Pool::default(), "team-a"));
        // The boundary between salt and key matters.
        assert_ne!(salted.level("namespace:a"), Pool::default().level("bluenamespace:a"));
    }

    #[test]
    fn accepts_any_pool_without_panicking() {
        for pool in [of(5, 4, 2), of(7, 7, 2), of(0, 1023, 0), of(0, u16::MAX, 255), of(u16::MAX, 0, 3)] {
            let _ = (pool.combinations(), pool.level("a"), pool.free("a", &|_| true));
        }
        assert_eq!(of(5, 4, 2).probe("a", 0), None);
        assert_eq!(of(7, 7, 2).probe("a", 0), None);
    }

    proptest! {
        #[test]
        fn every_rank_is_a_distinct_level(min in 0_u16..1000, more in 2_u16..20, per_level in 2_u8..=3) {
            let pool = of(min, min.saturating_add(more), per_level);
            let mut last_reversed = Vec::new();
            let mut seen = BTreeSet::new();
            for rank in 0..pool.combinations() {
                let mut level = categories(&pool.at(rank));
                prop_assert_eq!(level.len(), usize::from(per_level));
                prop_assert!(level.iter().all(|category| (pool.min..=pool.max).contains(category)));
                seen.insert(level.clone());
                // Colexicographic order: by the highest category, then by the next.
                level.reverse();
                prop_assert!(last_reversed < level);
                last_reversed = level;
            }
            prop_assert_eq!(seen.len() as u64, pool.combinations());
        }

        #[test]
        fn a_rank_is_the_sum_of_binomials(rank in 0_u64..178_433_024) {
            let level = categories(&of(0, 1023, 3).at(rank));
            let sum: u64 = level.iter().zip(1..).map(|(category, taken)| binomial((*category).into(), taken)).sum();
            prop_assert_eq!(sum, rank);
        }

        #[test]
        fn every_level_is_in_the_pool(
            key: String, salt: String, min in 0_u16..900, more in 50_u16..=123, per_level in 2_u8..=3,
        ) {
            let pool = Pool { min, max: min.saturating_add(more), per_level, salt, ..Pool::default() };
            let level = pool.level(&key);
            prop_assert_eq!(&level, &pool.level(&key));
            let found = categories(&level);
            prop_assert_eq!(found.len(), usize::from(per_level));
            prop_assert_eq!(level.categories(), usize::from(per_level));
            prop_assert!(found.is_sorted_by(|a, b| a < b));
            prop_assert!(found.iter().all(|category| (pool.min..=pool.max).contains(category)));
            prop_assert!(!level.is_range() && level.has_categories());
            prop_assert_eq!(Level::parse(&level.text()), Ok(level));
        }
    }
}
