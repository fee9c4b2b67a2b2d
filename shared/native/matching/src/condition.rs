//! Match conditions: CEL expressions about a request.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::{Context, ExecutionError, Program};
use serde_json::Value;

/// A compiled match condition.
#[derive(Debug)]
pub struct Condition {
    name: String,
    program: Program,
}

/// The reason why a condition has no value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConditionError {
    /// The name of the condition.
    pub condition: String,
    /// The problem, without values of the request.
    pub problem: String,
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// An expression that is not CEL.
    pub fn compile(name: &str, expression: &str) -> Result<Self, ConditionError> {
        let program = Program::compile(expression).map_err(|errors| ConditionError {
            condition: name.to_owned(),
            problem: format!("is not a CEL expression: {errors}"),
        })?;
        Ok(Self { name: name.to_owned(), program })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Evaluates the condition for a request with its variables.
    ///
    /// # Errors
    /// An error of the evaluation, such as a field that does not exist, and a value that is not a
    /// boolean.
    pub fn holds(&self, variables: &Variables) -> Result<bool, ConditionError> {
        let error = |problem| ConditionError { condition: self.name.clone(), problem };
        match self.program.execute(&variables.0) {
            Ok(cel::Value::Bool(holds)) => Ok(holds),
            Ok(_) => Err(error("is not a boolean".to_owned())),
            Err(cause) => Err(error(describe(&cause))),
        }
    }
}

/// Describes an error without the values that it is about, which can be secret.
fn describe(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::UndeclaredReference(name) => format!("undeclared reference to {name}"),
        ExecutionError::NoSuchOverload(overload) => format!("no such overload: {overload}"),
        ExecutionError::UnexpectedType { got, want } => format!("expected {want}, found {got}"),
        ExecutionError::FunctionError { function, .. } => format!("error in function {function}"),
        _ => "cannot be evaluated".to_owned(),
    }
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "match condition {}: {}", self.condition, self.problem)
    }
}

impl std::error::Error for ConditionError {}

/// The variables of conditions: `object`, `oldObject` and `request`.
pub struct Variables(Context<'static, 'static>);

impl Variables {
    /// Returns the variables for an `AdmissionRequest`.
    #[must_use]
    pub fn of(request: &Value) -> Self {
        let mut context = Context::default();
        let object = |name| request.get(name).map_or(cel::Value::Null, convert);
        context.add_variable_from_value("object", object("object"));
        context.add_variable_from_value("oldObject", object("oldObject"));
        // Conditions see the request without its objects.
        let mut rest = request.clone();
        if let Value::Object(fields) = &mut rest {
            fields.retain(|name, _| name != "object" && name != "oldObject");
        }
        context.add_variable_from_value("request", convert(&rest));
        Self(context)
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables").finish_non_exhaustive()
    }
}

/// Converts JSON as the API server does: integers are signed.
fn convert(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(flag) => cel::Value::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => cel::Value::Int(number),
            None => cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(items) => cel::Value::List(Arc::new(items.iter().map(convert).collect())),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (Key::from(key.as_str()), convert(value)));
            cel::Value::Map(Map { map: Arc::new(fields.collect::<HashMap<_, _>>()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn evaluate(expression: &str, request: &Value) -> Result<bool, String> {
        let condition = Condition::compile("c", expression).map_err(|error| error.to_string())?;
        condition.holds(&Variables::of(request)).map_err(|error| error.to_string())
    }

    #[test]
    fn expressions_see_the_request_and_its_objects() {
        let request = json!({
            "operation": "UPDATE",
            "userInfo": { "username": "system:node:a", "groups": ["system:nodes"], "extra": { "k/l": ["x"] } },
            "object": { "metadata": { "name": "a", "labels": { "x": "1" } }, "spec": { "replicas": 2 } },
            "oldObject": { "metadata": { "name": "a" }, "spec": { "replicas": 2 } },
        });
        for (expression, want) in [
            ("request.operation == 'UPDATE'", true),
            ("has(request.userInfo.groups) && 'system:nodes' in request.userInfo.groups", true),
            ("'k/l' in request.userInfo.extra", true),
            ("request.userInfo.username == 'system:node:' + object.metadata.name", true),
            ("object.spec == oldObject.spec && object.spec.replicas > 1", true),
            (
                "(has(object.metadata.labels) ? object.metadata.labels : {}) != \
                 (has(oldObject.metadata.labels) ? oldObject.metadata.labels : {})",
                true,
            ),
            ("has(request.object)", false),
        ] {
            assert_eq!(evaluate(expression, &request), Ok(want), "{expression}");
        }
    }

    #[test]
    fn an_absent_object_is_null() {
        let request = json!({ "operation": "DELETE", "oldObject": {} });
        assert_eq!(evaluate("object == null && oldObject != null", &request), Ok(true));
    }

    #[test]
    fn errors_do_not_contain_values() {
        let request = json!({ "object": { "data": { "password": "hunter2" } } });
        for (expression, want) in [
            ("object.data.user == 'x'", "match condition c: no such key: user"),
            ("object.data", "match condition c: is not a boolean"),
            ("subject == 'x'", "match condition c: undeclared reference to subject"),
            ("object.data.password && true", "match condition c: "),
            ("object.data.password[object.data]", "match condition c: "),
        ] {
            let error = evaluate(expression, &request).unwrap_err();
            assert!(error.starts_with(want) && !error.contains("hunter2"), "{expression}: {error}");
        }
        assert!(evaluate("a ||", &request).unwrap_err().contains("is not a CEL expression"));
    }
}
