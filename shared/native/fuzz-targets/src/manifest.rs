//! YAML and JSON, and the places of values in the text.

use manifest::{Place, Places, Problem, Step, documents, lines, write};
use serde_json::{Number, Value};

/// The maximum number of paths of a document that are looked up.
const MOST_PATHS: usize = 64;

/// JSON is read as by `serde_json`, a text has the same documents in pieces and as a whole,
/// documents are unchanged when they are written and read again, and places are inside the text.
pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let read = documents(text);
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
        && !text.lines().any(|line| line.starts_with("---"))
    {
        match &read {
            Ok(read) => assert_eq!(read, &[value], "{text:?}"),
            Err(problem) => {
                assert!(problem.message().contains("duplicate"), "{text:?}: {}", problem.message());
            }
        }
    }
    in_pieces(text, &read);
    let places = Places::of(text);
    let Ok(read) = read else { return false };
    for (index, document) in read.iter().enumerate() {
        for path in paths(document).iter().take(MOST_PATHS) {
            if let Some(place) = places.find(index, path) {
                is_in(place, text, path);
            }
        }
        let written = write(document).unwrap();
        let again = documents(&written).unwrap_or_else(|problem| panic!("{written:?}: {problem}"));
        let document = whole(document);
        assert!(
            again.iter().map(whole).eq(Some(document.clone()).filter(|document| !document.is_null())),
            "{document} became {written:?}"
        );
    }
    !read.is_empty()
}

/// The pieces that a scan reads have the objects of the whole text, and a text that cannot be read
/// has a piece that cannot be read.
fn in_pieces(text: &str, whole: &Result<Vec<Value>, Problem>) {
    let mut objects = Vec::new();
    let mut is_refused = false;
    for placed in scan::documents(text, &|_| None) {
        match documents(&placed.document.text) {
            Ok(values) if placed.document.problem.is_none() => objects.extend(values),
            _ => is_refused = true,
        }
    }
    match whole {
        Ok(values) if !is_refused => assert_eq!(&objects, values, "{text:?}"),
        Ok(_) => {}
        Err(problem) => assert!(is_refused, "{text:?}: {problem}, but in pieces {objects:?}"),
    }
}

fn is_in(place: Place, text: &str, path: &[Step]) {
    let Place { start, end } = place;
    let line = lines(text).nth(usize::try_from(start.line).unwrap() - 1);
    let line = line.unwrap_or_else(|| panic!("{text:?}: {path:?} at {place:?}"));
    let columns = 1..=u64::try_from(line.chars().count()).unwrap() + 1;
    assert!(
        start.line == end.line
            && start <= end
            && columns.contains(&start.column)
            && columns.contains(&end.column),
        "{text:?}: {path:?} at {place:?}",
    );
}

fn paths(value: &Value) -> Vec<Vec<Step>> {
    let below: Vec<(Step, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (Step::Field(name.clone()), value)).collect()
        }
        Value::Array(items) => (0..).zip(items).map(|(at, value)| (Step::Index(at), value)).collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (step, value) in below.into_iter().take(MOST_PATHS) {
        all.push(vec![step.clone()]);
        all.extend(paths(value).into_iter().take(MOST_PATHS).map(|rest| [vec![step.clone()], rest].concat()));
    }
    all
}

/// Returns the value with whole numbers as integers, as YAML is read.
fn whole(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), whole(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(whole).collect()),
        Value::Number(number) => Value::Number(integer(number).unwrap_or_else(|| number.clone())),
        other => other.clone(),
    }
}

fn integer(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    #[expect(clippy::cast_possible_truncation, reason = "compared with the original number")]
    let whole = float as i64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "exact, or discarded")]
    let is_whole = whole as f64 == float && whole != i64::MAX;
    is_whole.then(|| whole.into())
}
