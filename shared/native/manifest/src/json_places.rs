//! The places of values in JSON.

use document::{Fault, Members, Walk};

use crate::Position;
use crate::read::is_json;
use crate::separators::SEPARATOR;
use crate::tree::{Node, Tree};

/// Returns the values of a text with their places; `None` for a text that is not only JSON.
pub(crate) fn read(text: &str) -> Option<Vec<Node>> {
    if text.contains(SEPARATOR) || !is_json(text) {
        return None;
    }
    let mut reading = Reading { walk: Walk::of(text), text, offset: 0, at: Position { line: 1, column: 1 } };
    let mut nodes = Vec::new();
    while reading.walk.position() < text.len() {
        nodes.push(reading.node().ok()?);
    }
    Some(nodes)
}

/// The state of a reading. A position is counted from the last one, so that each character counts
/// once.
struct Reading<'t> {
    walk: Walk<'t>,
    text: &'t str,
    offset: usize,
    at: Position,
}

impl Reading<'_> {
    /// Returns the position of an offset, which is not before the last one.
    fn position(&mut self, offset: usize) -> Position {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let mut is_after_return = self.text.get(..self.offset).is_some_and(|before| before.ends_with('\r'));
        for character in passed.chars() {
            let is_pair = is_after_return && character == '\n';
            is_after_return = character == '\r';
            if is_pair {
                continue;
            }
            if matches!(character, '\r' | '\n') {
                self.at = Position { line: self.at.line + 1, column: 1 };
            } else {
                self.at.column += 1;
            }
        }
        self.offset = offset;
        self.at
    }

    /// Returns the position of the next key or value.
    fn here(&mut self) -> Position {
        let offset = self.walk.position();
        self.position(offset)
    }

    fn node(&mut self) -> Result<Node, Fault> {
        let at = self.here();
        let members = self.walk.members()?;
        if members == Members::None {
            let text = self.walk.skip()?;
            if text == "null" {
                return Ok(Node { at, length: 0, tree: Tree::Null });
            }
            let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            return Ok(Node { at, length, tree: Tree::Scalar });
        }
        self.walk.enter()?;
        let (mut items, mut fields) = (Vec::new(), Vec::new());
        let mut is_first = true;
        while let Some(key) = self.walk.next(members, is_first)? {
            is_first = false;
            if members == Members::Elements {
                items.push(self.node()?);
            } else {
                // The walk is behind the colon.
                let start = self.walk.since(0).len().saturating_sub(key.text().len());
                let at = self.position(start);
                let name = String::from_utf8_lossy(&key.into_name()).into_owned();
                fields.push((name, at, self.node()?));
            }
        }
        let tree = if members == Members::Elements { Tree::List(items) } else { Tree::Object(fields) };
        Ok(Node { at, length: 0, tree })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-zé\"\\\\\n😀 ]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-cé\"]{1,2}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn of_yaml(text: &str) -> Vec<Node> {
        let limits = crate::compose::Limits { takes_duplicates: false, has_many_aliases: false };
        crate::compose::documents(text, limits).unwrap().into_iter().map(Node::from).collect()
    }

    proptest! {
        /// JSON has the places that it has as YAML.
        #[test]
        fn json_has_the_places_of_yaml(value in json_value(), is_pretty: bool, line in "(\n|\r\n|\r)") {
            let value = json!({ "a": value });
            let text = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let text = text.replace('\n', &line);
            let nodes = read(&text).unwrap();
            prop_assert_eq!(format!("{:?}", nodes), format!("{:?}", of_yaml(&text)), "{}", text);
        }
    }

    #[test]
    fn other_texts_are_not_read() {
        for text in ["a: b", "{a: b}", "{\"a\": b}", "{}\n---\n{}", "[1", "{\"a\": 1}}", "{\"a\": 1} x"] {
            assert!(read(text).is_none(), "{text}");
        }
        assert_eq!(read("{}\n[1] [2]").map(|nodes| nodes.len()), Some(3));
    }

    #[test]
    fn the_cost_grows_with_the_text_alone() {
        let items = vec![r#"{"a":"é"}"#; 200_000].join(",");
        let nodes = read(&format!("[{items}]")).unwrap();
        let Some(Node { tree: Tree::List(items), .. }) = nodes.first() else { panic!() };
        assert_eq!(items.last().map(|item| item.at.column), Some(2 + 199_999 * 10));
    }
}
