//! Fields of requests that are removed.

use serde_json::Value;
use text::Step;

use crate::review::request::{Field, REQUEST, Type};

/// A field that an `AdmissionRequest` does not have, and that is removed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownField {
    /// The path from the request.
    pub path: Vec<Step>,
    /// The field that was probably meant.
    pub nearest: Option<&'static str>,
}

/// Returns the fields of an `AdmissionRequest` that are removed because they are unknown.
///
/// # Example
/// ```
/// use kubernetes::review::unknown_fields;
///
/// let unknown = unknown_fields(&serde_json::json!({ "userInfo": { "userName": "alice" } }));
/// assert_eq!(unknown[0].nearest, Some("username"));
/// ```
#[must_use]
pub fn unknown_fields(request: &Value) -> Vec<UnknownField> {
    let mut found = Vec::new();
    find_unknown(request, REQUEST, &mut Vec::new(), &mut found);
    found
}

fn find_unknown(
    value: &Value,
    fields: &'static [Field],
    path: &mut Vec<Step>,
    found: &mut Vec<UnknownField>,
) {
    for (key, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        path.push(Step::Field(key.clone()));
        match fields.iter().find(|field| field.name == key) {
            Some(Field { holds: Type::Fields(inner), .. }) => find_unknown(value, inner, path, found),
            Some(_) => {}
            None => {
                let names: Vec<&'static str> = fields.iter().map(|field| field.name).collect();
                found.push(UnknownField { path: path.clone(), nearest: text::nearest(key, &names) });
            }
        }
        path.pop();
    }
}
