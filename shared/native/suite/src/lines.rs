//! Lines, and the wanted lines that they meet.

use crate::got::Line as GotLine;
use crate::want::Line;

/// The path and the text of a line.
pub(crate) type Text<'t> = (Option<&'t str>, &'t str);

pub(crate) fn texts(lines: &[String]) -> Vec<Text<'_>> {
    lines.iter().map(|line| (None, line.as_str())).collect()
}

pub(crate) fn borrowed(lines: &[GotLine]) -> Vec<Text<'_>> {
    lines.iter().map(|line| (line.path.as_deref(), line.text.as_str())).collect()
}

/// Returns another line that meets each wanted line, if there are as many.
pub(crate) fn pairs(wanted: &[Line], got: &[Text<'_>]) -> Vec<Option<usize>> {
    let mut taken = vec![None; got.len()];
    for index in 0..wanted.len() {
        take(index, wanted, got, &mut taken, &mut vec![false; got.len()]);
    }
    (0..wanted.len()).map(|index| taken.iter().position(|by| *by == Some(index))).collect()
}

/// Takes a line for a wanted one. A line that is taken is free if its wanted line can take another.
fn take(
    index: usize,
    wanted: &[Line],
    got: &[Text<'_>],
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for (at, (path, text)) in got.iter().enumerate() {
        if tried[at] || !wanted[index].is(*path, text) {
            continue;
        }
        tried[at] = true;
        if taken[at].is_none_or(|other| take(other, wanted, got, taken, tried)) {
            taken[at] = Some(index);
            return true;
        }
    }
    false
}
