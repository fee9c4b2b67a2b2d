//! The settings of `levels`: the levels that pods may set.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use crate::selinux::level::Level;
use crate::selinux::pool::{Pool, RESERVED};

choices! {
    /// The levels that a pod may set.
    pub enum LevelMatch {
        /// The level of its owner, and none if the runtime chooses it.
        Exact,
        /// Any well-formed level that does not give access to the files of others.
        Format,
        /// Any level; levels are not checked.
        Any,
    }

    /// How a pod without a level is handled.
    pub enum MissingLevel {
        /// It gets a level, or must have one.
        Require,
        /// It gets a level, but need not have one.
        Allow,
    }
}

pub(super) const LEVELS: &[Setting] = &[
    Setting::new("match", Kind::Choice(LevelMatch::NAMES)),
    Setting::new("missing", Kind::Choice(MissingLevel::NAMES)),
    Setting::new("extra", Kind::List(&Kind::Text)),
];

/// The maximum number of extra levels. With more, a small pool might have no level left for a name.
const MOST_EXTRA: usize = 100;

#[derive(Debug, Default)]
pub(in crate::selinux) struct Levels {
    pub(in crate::selinux) matching: LevelMatch,
    pub(in crate::selinux) missing: MissingLevel,
    /// Levels that every pod may set in addition. No owner has a level that reaches one of them.
    pub(in crate::selinux) extra: Vec<Level>,
}

impl Levels {
    /// Reads `levels`; owners get the levels of `pool`.
    ///
    /// A process can access a file if its level has all categories of the file. So that neither
    /// side has access to the files of the other, no extra level may contain or be contained in the
    /// level of an owner. Extra levels may contain each other: every pod may set all of them.
    pub(super) fn read(&mut self, setting: Node<'_>, pool: &Pool) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.matching = Choice::read(setting.at("match"))?;
        self.missing = Choice::read(setting.at("missing"))?;
        let per_level = usize::from(pool.per_level);
        let all = Level::of(&(pool.min..=pool.max).collect::<Vec<_>>());
        let extra = setting.at("extra");
        for (item, text) in extra.texts()? {
            let level = read_level(item, text)?;
            let problem = if level.is_range() {
                "is a range, which gives access to the files of others; write a single level"
            } else if !level.has_categories() {
                "has no categories, so every container can access its files; add categories"
            } else if level.categories() > per_level {
                "has more than allocation.categories.perLevel categories, which gives access to the files of others; remove some"
            } else if level.categories() < per_level && all.reaches(&level) {
                "is part of levels that owners can have, which gives them access to its files; write as many categories as allocation.categories.perLevel, or one outside allocation.categories"
            } else if level.reaches(&Level::of(&RESERVED)) {
                "gives access to the files of containers without SELinux labels; choose other categories"
            } else if self.extra.contains(&level) {
                "is a duplicate; remove it"
            } else {
                if self.extra.len() == MOST_EXTRA {
                    return Err(SettingsError::at(extra, "has more than 100 levels; remove some"));
                }
                self.extra.push(level);
                continue;
            };
            return Err(SettingsError::about(item, text, problem));
        }
        Ok(())
    }
}

pub(super) fn read_level(setting: Node<'_>, text: &str) -> Result<Level, SettingsError> {
    Level::parse(text)
        .map_err(|problem| SettingsError::about(setting, text, &[problem, "; write it as s0:c1,c2"].concat()))
}
