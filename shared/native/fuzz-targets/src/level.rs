//! MCS levels, as in `seLinuxOptions.level`.

use rules::selinux::level::Level;

/// The canonical text of a level is parsed as the same level, and a process reaches files of its
/// own level.
pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(level) = Level::parse(text) else { return false };
    let canonical = level.text();
    assert_eq!(Level::parse(&canonical).as_ref(), Ok(&level), "{text:?}");
    assert_eq!(level.has_categories(), level.categories() > 0, "{text:?}");
    assert!(!level.has_categories() || level.reaches(&level), "{text:?}");
    true
}
