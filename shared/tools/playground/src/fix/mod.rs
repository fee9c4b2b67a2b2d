//! Fixes: the changes of objects that remedies consist of.

#[cfg(feature = "whole")]
mod apply;
#[cfg(feature = "whole")]
pub(crate) mod edit;

#[cfg(feature = "whole")]
pub(crate) use apply::apply;

use admission::Change;

/// Returns what a change does, as a label: `Set it to false`.
pub(crate) fn label(change: &Change) -> String {
    let text = change.to_string();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
