//! Fields that Kubernetes does not know, and values of another type.

use serde_json::{Number, Value};
use text::{Step, nearest};

use crate::fields::{Fields, Type, fields_of};

/// Something in an object that its kind does not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake<'v> {
    /// The steps from the object to the field; the last is its name.
    pub path: Vec<Step<&'v str>>,
    /// The problem.
    pub problem: Problem<'v>,
}

/// The problem of a mistake.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem<'v> {
    /// The kind does not have the field.
    UnknownField {
        /// The known field that was probably meant.
        nearest: Option<&'static str>,
    },
    /// The value has another type than the field.
    OtherType {
        /// The type of the field.
        expected: Type,
        /// The value.
        found: &'v Value,
    },
}

/// Returns the mistakes of an object, in its order.
///
/// Keys of maps, such as labels, are arbitrary, and null is a value of every type. Nothing is
/// reported below a value of another type, or for a kind that is not in the table.
///
/// # Example
/// ```
/// use kubernetes::fields::{Problem, Type, mistakes};
/// use serde_json::json;
///
/// let pod = json!({ "spec": { "containers": [{ "imagePullPolcy": "Always", "name": true }] } });
/// let found: Vec<Problem<'_>> =
///     mistakes("v1", "Pod", &pod).into_iter().map(|mistake| mistake.problem).collect();
/// assert_eq!(
///     found,
///     [
///         Problem::UnknownField { nearest: Some("imagePullPolicy") },
///         Problem::OtherType { expected: Type::Text, found: &json!(true) },
///     ],
/// );
/// ```
#[must_use]
pub fn mistakes<'v>(api_version: &str, kind: &str, object: &'v Value) -> Vec<Mistake<'v>> {
    let mut search = Search { path: Vec::new(), found: Vec::new() };
    if let (Some(fields), true) = (fields_of(api_version, kind), object.is_object()) {
        search.visit(object, Type::Object(fields));
    }
    search.found
}

struct Search<'v> {
    /// The steps to the value that is visited.
    path: Vec<Step<&'v str>>,
    found: Vec<Mistake<'v>>,
}

impl<'v> Search<'v> {
    fn visit(&mut self, value: &'v Value, of: Type) {
        match (value, of) {
            (Value::Object(members), Type::Object(fields)) => {
                for (name, value) in members {
                    self.path.push(Step::Field(name));
                    match fields.get(name) {
                        Some(of) => self.visit(value, of),
                        None => self.report_name(name, fields),
                    }
                    self.path.pop();
                }
            }
            (Value::Object(members), Type::Map(of)) => {
                for (key, value) in members {
                    self.path.push(Step::Field(key));
                    self.visit(value, *of);
                    self.path.pop();
                }
            }
            (Value::Array(items), Type::List(of)) => {
                for (index, item) in (0..).zip(items) {
                    self.path.push(Step::Index(index));
                    self.visit(item, *of);
                    self.path.pop();
                }
            }
            _ if of.accepts(value) => {}
            _ => {
                let problem = Problem::OtherType { expected: of, found: value };
                self.found.push(Mistake { path: self.path.clone(), problem });
            }
        }
    }

    fn report_name(&mut self, name: &str, fields: &Fields) {
        let known: Vec<&'static str> = fields.names().collect();
        let problem = Problem::UnknownField { nearest: nearest(name, &known) };
        self.found.push(Mistake { path: self.path.clone(), problem });
    }
}

impl Type {
    /// Returns whether a value has the type, not regarding what is inside of it.
    #[must_use]
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Self::Any, _)
            | (Self::Object(_) | Self::Map(_), Value::Object(_))
            | (Self::List(_), Value::Array(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number | Self::Quantity, Value::Number(_)) => true,
            (_, Value::String(text)) => self.accepts_text(text),
            // As Go reads an array into bytes.
            (Self::Bytes, Value::Array(items)) => {
                items.iter().all(|item| item.is_null() || item.as_u64().is_some_and(|byte| byte <= 255))
            }
            (Self::Int32 | Self::IntOrText, Value::Number(number)) => {
                integer(number).is_some_and(|number| i32::try_from(number).is_ok())
            }
            (Self::Int64, Value::Number(number)) => integer(number).is_some(),
            _ => false,
        }
    }

    /// Describes the type, with an article.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Object(_) | Self::Map(_) => "an object",
            Self::List(_) => "a list",
            Self::Text => "a string",
            Self::Time => "a time, such as \"2026-01-31T12:00:00Z\"",
            Self::MicroTime => "a time with microseconds, such as \"2026-01-31T12:00:00.000000Z\"",
            Self::Bytes => "a string in base64",
            Self::Boolean => "a boolean",
            Self::Int32 => "an integer with 32 bits",
            Self::Int64 => "an integer",
            Self::Number => "a number",
            Self::IntOrText => "an integer with 32 bits or a string",
            Self::Quantity => "a quantity, such as 500m",
            Self::Any => "a value",
        }
    }
}

/// Returns an integer. kubectl writes a number without a fraction as one, such as `80.0` and `1e3`.
#[expect(clippy::cast_possible_truncation, reason = "the fraction is zero, and the range is checked")]
fn integer(number: &Number) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    number.as_i64().or_else(|| {
        let number = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < LIMIT)?;
        Some(number as i64)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use text::Path;

    use super::*;

    fn found(api_version: &str, kind: &str, object: &Value) -> Vec<String> {
        mistakes(api_version, kind, object)
            .iter()
            .map(|mistake| match &mistake.problem {
                Problem::UnknownField { nearest: None } => format!("{}: unknown field", Path(&mistake.path)),
                Problem::UnknownField { nearest: Some(name) } => {
                    format!("{}: unknown field; did you mean {name}?", Path(&mistake.path))
                }
                Problem::OtherType { expected, found } => {
                    format!("{}: expected {}, found {found}", Path(&mistake.path), expected.description())
                }
            })
            .collect()
    }

    #[test]
    fn mistakes_have_their_path_and_the_likely_name() {
        let cases: Value = serde_json::from_str(include_str!("mistake.json")).unwrap();
        for case in cases.as_array().unwrap() {
            let [api_version, kind] = ["apiVersion", "kind"].map(|name| case[name].as_str().unwrap());
            let found = found(api_version, kind, &case["object"]);
            assert_eq!(json!(found), case["mistakes"], "{api_version} {kind} {}", case["object"]);
        }
    }
}
