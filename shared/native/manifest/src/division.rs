//! The division of a text into documents, as kubectl divides it before it reads YAML.
//!
//! The reader of lines is `YAMLReader` in `k8s.io/apimachinery/pkg/util/yaml/decoder.go`. It trims
//! white space of Unicode, and takes `---#` for a separator, which to YAML is the beginning of a
//! text. Such texts are refused.

use crate::Position;
use crate::separators::SEPARATOR;
use crate::separators::position;

/// The white space of YAML and JSON.
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Returns the first place where kubectl and YAML divide the text differently, with what to do.
pub(crate) fn problem(text: &str) -> Option<(Position, &'static str)> {
    let content = text.trim_start_matches(SPACE);
    if text.trim_start().starts_with('{') && !content.starts_with('{') {
        let at = text.len().saturating_sub(content.len());
        return Some((position(text, at), "remove the white space before the bracket"));
    }
    let first = text.starts_with("---").then_some(0);
    let others = text.match_indices(SEPARATOR).map(|(at, _)| at.saturating_add(1));
    first.into_iter().chain(others).find_map(|at| {
        let rest = text.get(at..)?.split('\n').next()?.get(3..)?;
        let behind = rest.trim_start_matches(SPACE);
        // A line of YAML also ends at a carriage return.
        let is_other = rest.trim_end_matches('\r').contains('\r')
            || rest.starts_with('#')
            || behind != rest.trim_start() && is_blank(rest.trim_start());
        is_other.then(|| (position(text, at), "write the separator `---` alone in its line"))
    })
}

/// Returns whether kubectl takes the rest of the line of a separator for nothing.
fn is_blank(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('#')
}
