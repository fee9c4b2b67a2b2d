//! Notices as people read them.

use std::collections::BTreeMap;

use crate::{Level, Notice};

/// The number of notes with the same words above which they are one.
const ALONE: usize = 2;

/// Returns notices with the worst first, in which notes with the same words are one that names the
/// first place. Formats for programs have each of them.
pub(crate) fn for_people(notices: &[Notice]) -> Vec<Notice> {
    let mut notes: BTreeMap<&str, Vec<&Notice>> = BTreeMap::new();
    for notice in notices.iter().filter(|notice| notice.level == Level::Note && notice.place.is_some()) {
        notes.entry(&notice.message).or_default().push(notice);
    }
    let others = notices.iter().filter(|notice| {
        notice.level != Level::Note || notes.get(&*notice.message).is_none_or(|same| same.len() <= ALONE)
    });
    let mut shown: Vec<Notice> = others.cloned().collect();
    for same in notes.values().filter(|same| same.len() > ALONE) {
        let [first, rest @ ..] = same.as_slice() else { continue };
        let message = format!("{}; so are {} more places", first.message, rest.len());
        shown.push(Notice { message, ..(*first).clone() });
    }
    shown.sort_by_key(|notice| notice.level);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn notes_with_the_same_words_are_one_and_errors_come_first() {
        let notice = |level, line, message: &str| {
            let place = Some(sample::place("a.yaml", (line, 1), (line, 1), true));
            Notice { level, place, message: message.to_owned() }
        };
        let notices = [
            notice(Level::Note, 1, "skipped"),
            notice(Level::Note, 2, "skipped"),
            notice(Level::Note, 3, "other"),
            notice(Level::Warning, 3, "skipped"),
            notice(Level::Note, 4, "skipped"),
            notice(Level::Error, 5, "unreadable"),
        ];
        assert_eq!(
            for_people(&notices),
            [
                notice(Level::Error, 5, "unreadable"),
                notice(Level::Warning, 3, "skipped"),
                notice(Level::Note, 3, "other"),
                notice(Level::Note, 1, "skipped; so are 2 more places"),
            ]
        );
        assert_eq!(for_people(&notices[..3]), notices[..3]);
    }
}
