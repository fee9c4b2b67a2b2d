//! JSON output.

use crate::plain_end;

/// Writes a JSON object, field by field.
///
/// The responses of a module consist of strings and of existing JSON text. A serializer would add 9
/// KB of code for them; DESIGN.md has the figures.
///
/// # Example
/// ```
/// use text::ObjectWriter;
///
/// let json = ObjectWriter::new().raw("accepted", "false").text("message", "no \"way\"\n").finish();
/// assert_eq!(json, r#"{"accepted":false,"message":"no \"way\"\n"}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter(String);

impl ObjectWriter {
    /// Creates an object without fields.
    #[must_use]
    pub fn new() -> Self {
        // Enough for the response that admits a request.
        let mut json = String::with_capacity(64);
        json.push('{');
        Self(json)
    }

    /// Adds a field whose value is JSON text.
    #[must_use]
    pub fn raw(mut self, key: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_text(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// Adds a string field.
    #[must_use]
    pub fn text(self, key: &str, text: &str) -> Self {
        self.raw(key, Json::from(text).as_str())
    }

    /// Adds a field that is an array of strings.
    #[must_use]
    pub fn texts(self, key: &str, texts: &[String]) -> Self {
        self.raw(key, Json::texts(texts).as_str())
    }

    /// Returns the text of the object.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// The text of a JSON value.
///
/// # Example
/// ```
/// use text::{Json, ObjectWriter};
///
/// let reference = ObjectWriter::new().text("kind", "Node").raw("controller", "true");
/// assert_eq!(Json::array(&[reference.into()]).as_str(), r#"[{"kind":"Node","controller":true}]"#);
/// assert_eq!(Json::from("a\"b").as_str(), r#""a\"b""#);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Json(String);

impl Json {
    /// Creates an array of values.
    #[must_use]
    pub fn array(items: &[Json]) -> Self {
        let mut json = "[".to_owned();
        for Json(item) in items {
            if json.len() > 1 {
                json.push(',');
            }
            json.push_str(item);
        }
        json.push(']');
        Self(json)
    }

    /// Creates an array of the values that fit into `longest` bytes. If some do not, the last
    /// element is a string with their number.
    ///
    /// # Example
    /// ```
    /// use text::Json;
    ///
    /// let items = vec![Json::from("abcdefgh"); 9];
    /// assert_eq!(Json::array_within(70, &items).as_str(), r#"["abcdefgh","abcdefgh","… 7 more"]"#);
    /// ```
    #[must_use]
    pub fn array_within(longest: usize, items: &[Json]) -> Self {
        within(longest, ["[", "]"], &mut items.iter().map(|item| item.0.clone()), "")
    }

    /// Creates an object of the string fields that fit into `longest` bytes. If some do not, the
    /// value of a last field `…` has their number.
    ///
    /// # Example
    /// ```
    /// use text::Json;
    ///
    /// let fields = ["a", "b", "c"].map(|key| (key.to_owned(), "abcdefgh".to_owned()));
    /// let json = Json::object_within(60, &fields);
    /// assert_eq!(json.as_str(), r#"{"a":"abcdefgh","…":"… 2 more"}"#);
    /// ```
    #[must_use]
    pub fn object_within(longest: usize, fields: &[(String, String)]) -> Self {
        let mut written = fields.iter().map(|(key, text)| {
            let mut field = String::new();
            push_text(&mut field, key);
            field.push(':');
            push_text(&mut field, text);
            field
        });
        within(longest, ["{", "}"], &mut written, "\"…\":")
    }

    /// Creates an array of strings.
    #[must_use]
    pub fn texts(texts: &[String]) -> Self {
        let mut json = "[".to_owned();
        for text in texts {
            if json.len() > 1 {
                json.push(',');
            }
            push_text(&mut json, text);
        }
        json.push(']');
        Self(json)
    }

    /// Returns the text of the value.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }

    /// Returns the text of the value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Joins the items that fit into `longest` bytes, followed by the number of the others.
fn within(
    longest: usize,
    [open, close]: [&str; 2],
    items: &mut dyn Iterator<Item = String>,
    key: &str,
) -> Json {
    /// Room for the number and the brackets: `,"…":"… 18446744073709551615 more"]`.
    const REST: usize = 42;
    let mut json = open.to_owned();
    let mut more = 0_usize;
    for item in items {
        let length = json.len().saturating_add(item.len()).saturating_add(REST);
        if more > 0 || length > longest {
            more = more.saturating_add(1);
            continue;
        }
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(&item);
    }
    if more > 0 {
        if json.len() > 1 {
            json.push(',');
        }
        for part in [key, "\"… ", &more.to_string(), " more\""] {
            json.push_str(part);
        }
    }
    json.push_str(close);
    Json(json)
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        let mut json = String::with_capacity(text.len().saturating_add(2));
        push_text(&mut json, text);
        Self(json)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self(if value { "true" } else { "false" }.to_owned())
    }
}

impl From<ObjectWriter> for Json {
    fn from(object: ObjectWriter) -> Self {
        Self(object.finish())
    }
}

pub(crate) fn push_text(json: &mut String, text: &str) {
    push_quoted(json, text, None);
}

/// Appends text in quotes and escapes what JSON requires, and every character that is not
/// `is_plain`.
#[inline(never)]
pub(crate) fn push_quoted(json: &mut String, text: &str, is_plain: Option<fn(char) -> bool>) {
    json.reserve(text.len().saturating_add(2));
    json.push('"');
    let mut rest = text;
    loop {
        // Runs of plain characters are copied as they are.
        let mut end = plain_end(rest.as_bytes(), 0);
        if let Some(is_plain) = is_plain
            && let Some(plain) = rest.get(..end)
        {
            end = plain.find(|c| !is_plain(c)).unwrap_or(end);
        }
        let (plain, special) = rest.split_at_checked(end).unwrap_or((rest, ""));
        json.push_str(plain);
        let mut special = special.chars();
        let Some(c) = special.next() else { break };
        rest = special.as_str();
        let short = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    json.push_str("\\u");
                    for shift in [12, 8, 4, 0] {
                        let digit = usize::from(unit.wrapping_shr(shift) & 0xf);
                        json.push(b"0123456789abcdef".get(digit).copied().unwrap_or_default().into());
                    }
                }
                continue;
            }
        };
        json.push('\\');
        json.push(short);
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    proptest! {
        #[test]
        fn serde_json_reads_the_written_values(key: String, text: String, texts: Vec<String>) {
            let written = ObjectWriter::new().text(&key, &text).texts("list\u{1}", &texts).raw("z", "1.50").finish();
            let read: Value = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read["list\u{1}"], &json!(texts));
            if !["list\u{1}", "z"].contains(&key.as_str()) {
                prop_assert_eq!(&read[key.as_str()], &json!(text));
            }
        }
    }
}
