//! Optional strings.

use admission::{Fault, Node};

/// The string at a place, or `None` if the place is absent or the string is empty.
pub(super) fn filled(at: Option<Node<'_>>) -> Result<Option<&str>, Fault> {
    match at {
        Some(at) => at.filled_text(),
        None => Ok(None),
    }
}
