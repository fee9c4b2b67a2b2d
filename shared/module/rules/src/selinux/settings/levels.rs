//! The settings of `levels`: the levels that pods may set.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use crate::selinux::level::Level;

choices! {
    /// The levels that a pod may set.
    pub enum LevelMatch {
        /// The level of its owner.
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

/// The keys of `levels`.
pub(super) const LEVELS: &[Setting] = &[
    Setting::new("match", Kind::Choice(LevelMatch::NAMES)),
    Setting::new("missing", Kind::Choice(MissingLevel::NAMES)),
    Setting::new("extra", Kind::List(&Kind::Text)),
];

/// The levels that pods may set.
#[derive(Debug, Default)]
pub(in crate::selinux) struct Levels {
    pub(in crate::selinux) matching: LevelMatch,
    pub(in crate::selinux) missing: MissingLevel,
    /// Levels that every pod may set in addition.
    pub(in crate::selinux) extra: Vec<Level>,
}

impl Levels {
    /// Reads `levels`; `per_level` is the number of categories that an allocated level has.
    ///
    /// # Errors
    /// An extra level that is malformed, a duplicate or gives access to the files of others.
    pub(super) fn read(&mut self, setting: Node<'_>, per_level: usize) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.matching = Choice::read(setting.at("match"))?;
        self.missing = Choice::read(setting.at("missing"))?;
        for (item, text) in setting.at("extra").texts()? {
            let level = read_level(item, text)?;
            let problem = if level.is_range() {
                "is a range, which gives access to the files of others; write a single level"
            } else if !level.has_categories() {
                "has no categories, so every container can access its files; add categories"
            } else if level.categories() > per_level {
                "has more than allocation.categories.perLevel categories, which gives access to the files of others; remove some"
            } else if self.extra.contains(&level) {
                "is a duplicate; remove it"
            } else {
                self.extra.push(level);
                continue;
            };
            return Err(SettingsError::about(item, text, problem));
        }
        Ok(())
    }
}

/// Reads a level.
///
/// # Errors
/// A text that [`Level::parse`] rejects.
pub(super) fn read_level(setting: Node<'_>, text: &str) -> Result<Level, SettingsError> {
    Level::parse(text)
        .map_err(|problem| SettingsError::about(setting, text, &[problem, "; write it as s0:c1,c2"].concat()))
}
