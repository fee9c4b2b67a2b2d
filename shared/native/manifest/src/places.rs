//! The places of values in a text.

use text::Step;

use crate::compose::{self, Limits};
use crate::json_places;
use crate::position::{Position, lines};
use crate::tree::{Node, Tree};

/// A part of a text: a key, with its value if that is on the same line, or an element of a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// The position of the first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
}

/// The places of all values in a text.
#[derive(Debug)]
pub struct Places {
    documents: Vec<Node>,
    /// The column after the last character of each line.
    line_ends: Vec<u64>,
}

impl Places {
    /// Finds the places in a text.
    ///
    /// There are no places in a text that cannot be read. Of duplicate keys, the last has the
    /// place, as its value counts.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let documents = json_places::read(text).unwrap_or_else(|| {
            let limits = Limits { takes_duplicates: true, has_many_aliases: false };
            let parts = compose::documents(text, limits).unwrap_or_default();
            parts.into_iter().map(Node::from).collect()
        });
        let documents = documents.into_iter().filter(|document| !matches!(document.tree, Tree::Null));
        let end = |line: &str| u64::try_from(line.chars().count()).unwrap_or(u64::MAX).saturating_add(1);
        Self { documents: documents.collect(), line_ends: lines(text).map(end).collect() }
    }

    /// Returns the place of a path in one of the documents, or of the deepest part of the path that
    /// exists; `None` if the first step does not exist.
    #[must_use]
    pub fn find(&self, document: usize, path: &[Step]) -> Option<Place> {
        let (place, _) = self.walk(document, path)?;
        place.map(|place| self.on_one_line(place))
    }

    /// Returns the place of a path in one of the documents; `None` if the path does not exist.
    #[must_use]
    pub fn find_exactly(&self, document: usize, path: &[Step]) -> Option<Place> {
        let (place, steps) = self.walk(document, path)?;
        place.filter(|_| steps == path.len()).map(|place| self.on_one_line(place))
    }

    /// Returns the place of a whole document.
    #[must_use]
    pub fn document(&self, document: usize) -> Option<Place> {
        let whole = self.documents.get(document)?;
        Some(self.on_one_line(Place::new(whole.at, whole)))
    }

    /// Follows a path as far as it exists. Returns the place of the last step, and the number of
    /// steps.
    fn walk(&self, document: usize, path: &[Step]) -> Option<(Option<Place>, usize)> {
        let mut tree = &self.documents.get(document)?.tree;
        let mut place = None;
        let mut steps = 0_usize;
        for step in path {
            match (tree, step) {
                (Tree::List(items), Step::Index(index)) => {
                    let Some(item) = usize::try_from(*index).ok().and_then(|index| items.get(index)) else {
                        break;
                    };
                    place = Some(Place::new(item.at, item));
                    tree = &item.tree;
                }
                (Tree::Object(fields), Step::Field(name)) => {
                    let Some((_, at, value)) = fields.iter().rfind(|(key, ..)| key == name) else {
                        break;
                    };
                    place = Some(Place::new(*at, value));
                    tree = &value.tree;
                }
                _ => break,
            }
            steps += 1;
        }
        Some((place, steps))
    }

    /// Limits a place to its first line: a scalar of several lines is marked up to the end of the
    /// first.
    fn on_one_line(&self, mut place: Place) -> Place {
        let line = usize::try_from(place.end.line.saturating_sub(1)).ok();
        if let Some(end) = line.and_then(|line| self.line_ends.get(line)) {
            place.end.column = place.end.column.min(*end);
        }
        place
    }
}

impl Place {
    /// Creates a place that starts at the key or element and ends with its value, if that is a
    /// scalar on the same line.
    fn new(start: Position, value: &Node) -> Self {
        let column = value.at.column + value.length;
        let end = match value.tree {
            Tree::Scalar if value.at.line == start.line && column > start.column => column,
            _ => start.column,
        };
        Self { start, end: Position { line: start.line, column: end } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a dotted path, with `#` before an index: `list.#0.a`.
    fn steps(path: &str) -> Vec<Step> {
        let step = |name: &str| match name.strip_prefix('#') {
            Some(index) => Step::Index(index.parse().unwrap()),
            None => Step::Field(name.to_owned()),
        };
        path.split('.').map(step).collect()
    }

    fn marked(text: &str, document: usize, path: &str) -> Option<String> {
        let Place { start, end } = Places::of(text).find(document, &steps(path))?;
        assert_eq!(start.line, end.line);
        let line = text.lines().nth(usize::try_from(start.line).unwrap().saturating_sub(1)).unwrap();
        let column = |position: Position| usize::try_from(position.column).unwrap().saturating_sub(1);
        let part: String =
            line.chars().skip(column(start)).take(column(end).saturating_sub(column(start))).collect();
        Some(format!("{}:{}:{part}", start.line, start.column))
    }

    #[test]
    fn marks_a_key_with_its_value_and_an_element_alone() {
        let text = "# ü\nspec:\n  ü: ü # x\n  list:\n  - a: 1\n  - \"x\"\n  - [y, z]\n  - |\n    text\n";
        for (path, place) in [
            ("spec", "2:1:"),
            ("spec.ü", "3:3:ü: ü"),
            ("spec.list", "4:3:"),
            ("spec.list.#0", "5:5:"),
            ("spec.list.#0.a", "5:5:a: 1"),
            ("spec.list.#1", "6:5:\"x\""),
            ("spec.list.#2.#1", "7:9:z"),
            ("spec.list.#3", "9:5:text"),
            // A missing value has the place of its nearest ancestor.
            ("spec.list.#9.a", "4:3:"),
            ("spec.other.a", "2:1:"),
            ("spec.ü.a", "3:3:ü: ü"),
        ] {
            assert_eq!(marked(text, 0, path).as_deref(), Some(place), "{path}");
        }
        assert_eq!(marked(text, 0, "other"), None);
        let exactly = |path| Places::of(text).find_exactly(0, &steps(path)).map(|place| place.start.line);
        assert_eq!((exactly("spec.list.#0.a"), exactly("spec.other.a")), (Some(5), None));
        assert_eq!(marked(text, 1, "spec"), None);
    }

    #[test]
    fn a_scalar_of_several_lines_is_marked_on_its_first() {
        let place = Places::of("a: \"x\n  y\"\n").find(0, &steps("a")).unwrap();
        assert_eq!((place.start.column, place.end.column), (1, 6));
    }

    #[test]
    fn json_with_tabs_has_places() {
        let text = "{\n\t\"a\": [\n\t\t{\"b\": \"c\\u0041\"}, null]\n}";
        assert_eq!(marked(text, 0, "a.#0.b").as_deref(), Some("3:4:\"b\": \"c\\u0041\""));
        assert_eq!(marked("{}\n{\"a\": 1}", 1, "a").as_deref(), Some("2:2:\"a\": 1"));
    }

    #[test]
    fn counts_documents_as_they_are_read() {
        let text = "---\n# nothing\n---\na: 1\n---\n---\nb: 2\n8: 3\n";
        assert_eq!(crate::documents(text).unwrap().len(), 2);
        assert_eq!(marked(text, 0, "a").as_deref(), Some("4:1:a: 1"));
        assert_eq!(marked(text, 1, "b").as_deref(), Some("7:1:b: 2"));
        assert_eq!(marked(text, 1, "8").as_deref(), Some("8:1:8: 3"));
    }

    #[test]
    fn the_last_of_duplicate_keys_has_the_place() {
        assert_eq!(marked("a: 1\nb: 2\na: 3\n", 0, "a").as_deref(), Some("3:1:a: 3"));
        assert_eq!(marked("{\"a\": 1,\n\"a\": 2}", 0, "a").as_deref(), Some("2:1:\"a\": 2"));
    }

    #[test]
    fn the_place_of_an_alias_is_its_use() {
        let text = "a: &a {x: 1}\nb: *a\nc:\n  <<: *a\n";
        assert_eq!(marked(text, 0, "b").as_deref(), Some("2:1:"));
        assert_eq!(marked(text, 0, "b.x").as_deref(), Some("2:4:*a"));
        assert_eq!(marked(text, 0, "c.x").as_deref(), Some("4:7:*a"));
    }
}
