//! Match conditions: CEL expressions about a request.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey as Key, CelNull, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError, Program};
use serde_json::Value;

use crate::condition_error::ConditionError;
use crate::environment::{ENVIRONMENT, has_function};
use crate::functions::NOT_KNOWN;
use crate::memo::{DEFAULTS, Memo};
use crate::nesting;
use crate::references::References;

/// A compiled match condition.
#[derive(Debug)]
pub struct Condition {
    name: String,
    program: Program,
    /// A function or variable that this crate does not have, and an API server may have.
    unknown: Option<String>,
    /// A value that is not the one of an API server, wherever the evaluation gets it.
    unreadable: Option<String>,
    /// The values for earlier requests; `None` if the expression can take the name of the object or
    /// the request as a whole.
    memo: Option<Memo>,
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// An expression that API servers refuse: it is not CEL, has a field that requests do not have,
    /// or a text that is not a duration or a timestamp.
    pub fn compile(name: &str, expression: &str) -> Result<Self, ConditionError> {
        let error = |problem| ConditionError { condition: name.to_owned(), problem, is_unknown: false };
        let program = nesting::parse(expression, || ENVIRONMENT.compile(expression))
            .map_err(error)?
            .map_err(|errors| error(format!("is not a CEL expression: {errors}")))?;
        let references = References::of(program.expression(), &has_function);
        match references.refused {
            Some(problem) => Err(error(problem)),
            None => Ok(Self {
                name: name.to_owned(),
                program,
                unknown: references.unknown,
                unreadable: references.unreadable,
                // Nearly every request has a name of its own.
                memo: references.fields.filter(|fields| !fields.contains("name")).map(Memo::new),
            }),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first function or variable that the expression uses and this crate does not have.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// Evaluates the condition for a request with its variables.
    ///
    /// An expression with a function or variable that this crate does not have still has a value if
    /// the value does not depend on it, as in `true || authorizer.…`.
    ///
    /// # Errors
    /// An error of the evaluation, such as a field that does not exist, and a value that is not a
    /// boolean.
    pub fn holds(&self, variables: &Variables<'_>) -> Result<bool, ConditionError> {
        if let Some(unreadable) = &self.unreadable {
            return Err(self.error(format!("{unreadable} cannot be evaluated here"), true));
        }
        if let Some(holds) = self.memo.as_ref().and_then(|memo| memo.get(variables.request)) {
            return Ok(holds);
        }
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.set_variable_resolver(variables);
        let problem = match self.program.execute(&context) {
            Ok(cel::Value::Bool(holds)) => {
                if let Some(memo) = self.memo.as_ref().filter(|_| !variables.objects_are_read()) {
                    memo.set(variables.request, holds);
                }
                return Ok(holds);
            }
            Ok(_) => "is not a boolean".to_owned(),
            Err(ExecutionError::FunctionError { function, message })
                if message == NOT_KNOWN || function == "matches" =>
            {
                // Go may read an expression that Rust does not.
                return Err(
                    self.error(format!("the value of {function} on an API server is not known"), true)
                );
            }
            Err(cause) => describe(&cause),
        };
        Err(match &self.unknown {
            Some(unknown) => self.error(format!("{unknown} cannot be evaluated here"), true),
            None => self.error(problem, false),
        })
    }

    fn error(&self, problem: String, is_unknown: bool) -> ConditionError {
        ConditionError { condition: self.name.clone(), problem, is_unknown }
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

/// The variables of conditions: `object`, `oldObject` and `request`. They borrow the texts of the
/// request.
///
/// A variable is converted when a condition reads it: most conditions decide by the user or the
/// operation, and objects are large.
pub struct Variables<'r> {
    request: &'r Value,
    object: Converted<'r>,
    old_object: Converted<'r>,
    rest: Converted<'r>,
}

/// A value in the form that the interpreter reads.
type Converted<'r> = OnceLock<Box<dyn Val + 'r>>;

impl<'r> Variables<'r> {
    /// Returns the variables for an `AdmissionRequest`.
    #[must_use]
    pub fn of(request: &'r Value) -> Self {
        let unread = Converted::default;
        Self { request, object: unread(), old_object: unread(), rest: unread() }
    }

    /// Returns whether a condition has read one of the objects.
    pub(crate) fn objects_are_read(&self) -> bool {
        self.object.get().is_some() || self.old_object.get().is_some()
    }

    fn field(&self, name: &str) -> Box<dyn Val + 'r> {
        convert(self.request.get(name).unwrap_or(&Value::Null))
    }

    /// Returns the request as conditions see it: without its objects.
    fn rest(&self) -> Box<dyn Val + 'r> {
        let given = self.request.as_object().into_iter().flatten();
        let given = given.filter(|(name, _)| *name != "object" && *name != "oldObject");
        let mut fields: HashMap<Key<'r>, Box<dyn Val + 'r>> =
            given.map(|(name, value)| (Key::from(name.as_str()), convert(value))).collect();
        // The API server always sets these fields.
        for (name, same) in DEFAULTS {
            if let Some(value) = self.request.get(same) {
                fields.entry(Key::from(name)).or_insert_with(|| convert(value));
            }
        }
        fields.entry(Key::from("dryRun")).or_insert_with(|| Box::new(CelBool::from(false)));
        fields.entry(Key::from("userInfo")).or_insert_with(|| Box::new(CelMap::from(HashMap::new())));
        Box::new(CelMap::from(fields))
    }
}

impl VariableResolver for Variables<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let converted = match variable {
            "object" => self.object.get_or_init(|| self.field("object")),
            "oldObject" => self.old_object.get_or_init(|| self.field("oldObject")),
            "request" => self.rest.get_or_init(|| self.rest()),
            _ => return None,
        };
        Some(CowVal::Borrowed(converted.as_ref()))
    }
}

impl fmt::Debug for Variables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables").finish_non_exhaustive()
    }
}

/// Converts JSON as the API server does: integers are signed.
fn convert<'r>(value: &'r Value) -> Box<dyn Val + 'r> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Box::new(CelInt::from(number)),
            None => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => Box::new(CelList::from(items.iter().map(convert).collect::<Vec<_>>())),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (Key::from(key.as_str()), convert(value)));
            Box::new(CelMap::from(fields.collect::<HashMap<_, _>>()))
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
            "kind": { "group": "", "version": "v1", "kind": "Node" },
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
            // The API server sets it if it is not in the input.
            ("request.requestKind == request.kind && !request.dryRun", true),
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
            ("object.data.password && true", "match condition c: "),
            ("object.data.password[object.data]", "match condition c: "),
        ] {
            let error = evaluate(expression, &request).unwrap_err();
            assert!(error.starts_with(want) && !error.contains("hunter2"), "{expression}: {error}");
        }
        for expression in ["a ||", "[1].all(x, x, true)", "[1].transformMap(1, x, x) == {}"] {
            assert!(evaluate(expression, &request).unwrap_err().contains("is not a CEL expression"));
        }
    }

    #[test]
    fn what_cannot_be_evaluated_is_told_apart_from_errors() {
        let request = json!({ "operation": "CREATE", "object": { "spec": {} } });
        let evaluate =
            |expression: &str| Condition::compile("c", expression).unwrap().holds(&Variables::of(&request));
        for (expression, unknown) in [
            ("authorizer.group('').resource('pods').check('get').allowed()", "the function authorizer.group"),
            ("authorizer.requestResource.check('get').allowed()", "the variable authorizer"),
            ("namespaceObject.metadata.name == 'a'", "the variable namespaceObject"),
            ("params.x", "the variable params"),
            ("object.spec.shiny()", "the function shiny"),
            // The error on the other side could be decided by the unknown function.
            ("object.nothing == 1 || shiny()", "the function shiny"),
            ("[1].all(x, shiny(x))", "the function shiny"),
            ("format.uuid().validate('a').value() == ['x']", "the messages of validate"),
            ("format.uuid().validate('a') == optional.none()", "the messages of validate"),
            ("[1, 2].all(i, j, k, true)", "the function all"),
        ] {
            let error = evaluate(expression).unwrap_err();
            assert!(error.is_unknown, "{expression}: {error}");
            assert_eq!(error.problem, format!("{unknown} cannot be evaluated here"), "{expression}");
        }
        for (expression, value) in [
            // The value does not depend on what is not known.
            ("request.operation == 'CREATE' || shiny()", true),
            ("shiny() || request.operation == 'CREATE'", true),
            ("request.operation != 'CREATE' && authorizer.path('/').check('get').allowed()", false),
            ("[1, 2].exists(x, x == 2 || shiny(x))", true),
            // The variables of macros are known.
            ("['a'].all(x, x == 'a') && [1, 2].map(x, x * 2) == [2, 4]", true),
            ("!format.dns1123Label().validate(request.operation).hasValue()", false),
            ("{'a': [1]}.exists(k, list, list.exists(i, x, k == 'a' && x == 1))", true),
            ("type(object) == map && type(1) == int && type('') == string", true),
        ] {
            assert_eq!(evaluate(expression), Ok(value), "{expression}");
        }
        for expression in ["'a'.matches('(?<=a)b')", "'a'.find('(?<=a)b') == ''", "isQuantity('1e40')"] {
            let error = evaluate(expression).unwrap_err();
            assert!(error.is_unknown && error.problem.ends_with("on an API server is not known"), "{error}");
        }
        let error = evaluate("object.nothing == 1").unwrap_err();
        assert!(!error.is_unknown, "{error}");
    }

    /// `||` and `&&` are commutative: a side that decides outweighs an error on the other
    /// (`https://github.com/google/cel-spec/blob/master/doc/langdef.md#logical-operators`).
    #[test]
    fn a_side_that_decides_outweighs_an_error() {
        let request = json!({ "object": {} });
        for (expression, want) in [
            ("object.x == 1 || true", Some(true)),
            ("true || object.x == 1", Some(true)),
            ("object.x == 1 && false", Some(false)),
            ("false && object.x == 1", Some(false)),
            ("object.x == 1 || false", None),
            ("object.x == 1 && true", None),
            ("false || object.x == 1", None),
            ("object.x == 1 || object.y == 1", None),
            ("(object.x == 1 || object.y == 1) || true", Some(true)),
            ("[1, 2].exists(x, x == 2 || object.x == x)", Some(true)),
            ("[2, 1].exists(x, x == 2 || object.x == x)", Some(true)),
            ("[1, 2].exists(i, x, x == 2 || object.x == x)", Some(true)),
            ("[1, 2].all(i, x, x == 2 && object.x == x)", Some(false)),
            ("[1].all(i, x, object.x == x)", None),
            ("[1, 2].existsOne(i, x, x == 2 || object.x == x)", None),
            ("[1, 2].all(x, x == 2 && object.x == x)", Some(false)),
            ("[1].all(x, object.x == x)", None),
            ("object.x == 1 ? true : true", None),
        ] {
            assert_eq!(evaluate(expression, &request).ok(), want, "{expression}");
        }
    }

    #[test]
    fn fields_that_requests_do_not_have_are_refused() {
        for (expression, want) in [
            ("request.object.spec == 1", "object is not a field of the request; use one of dryRun, kind"),
            ("has(request.subresource)", "subresource is not a field of the request; write subResource"),
            ("request.userInfo.user == 'a'", "user is not a field of the request"),
            ("request.kind.resource == 'a'", "resource is not a field of the request"),
        ] {
            let error = Condition::compile("c", expression).unwrap_err();
            assert!(error.problem.contains(want) && !error.is_unknown, "{expression}: {error}");
        }
        for (expression, want) in [
            ("duration('1d') > duration('1h')", "duration refuses this text"),
            (
                "timestamp(object.metadata.creationTimestamp) > timestamp('yesterday')",
                "timestamp refuses this text",
            ),
        ] {
            let error = Condition::compile("c", expression).unwrap_err();
            assert!(error.problem.starts_with(want) && !error.is_unknown, "{expression}: {error}");
        }
        // Another variable may have this name.
        assert!(Condition::compile("c", "[{'a': 1}].all(request, request.a == 1)").is_ok());
    }
}
