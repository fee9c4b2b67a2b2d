//! Match conditions: CEL expressions about a request.

mod budget;
mod checker;
mod environment;
mod functions;
mod memo;
mod nesting;
mod references;
mod regexp;
mod rewrite;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use cel::common::ast::operators;
use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey as Key, CelNull, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError};
use serde_json::Value;

use self::budget::{Metered, Spent};
use self::checker::Refusal;
use self::environment::{ENVIRONMENT, has_function};
use self::functions::{NOT_KNOWN, take_open, take_unknown, take_unsure};
use self::memo::{DEFAULTS, Memo};
use self::references::References;
use self::rewrite::Rewrite;
use crate::condition_error::ConditionError;

pub use self::budget::Cost;

/// The reason why a value is not known that another order of a map could change.
const UNSURE: &str =
    "depends on the order of a map, or on the equality of Kubernetes' types in lists or maps";

/// A compiled match condition.
#[derive(Debug)]
pub struct Condition {
    name: String,
    expression: Metered,
    /// A function or variable that this crate does not have, and an API server may have.
    unknown: Option<String>,
    /// Whether it reads the options of the request.
    reads_options: bool,
    /// Whether it has the variable `namespaceObject`.
    has_namespace: bool,
    /// The reason why the value is not known, wherever the evaluation gets it.
    unreadable: Option<String>,
    /// The values for earlier requests; `None` if the expression can take the name of the object
    /// or the request as a whole.
    memo: Option<Memo>,
    /// The number of conditions that share a budget.
    shared_by: usize,
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// An expression that API servers refuse: it is not CEL, or its parts have types that do not
    /// fit.
    pub fn compile(name: &str, expression: &str) -> Result<Self, ConditionError> {
        let error = |problem| ConditionError { condition: name.to_owned(), problem, is_unknown: false };
        let (program, checked) =
            nesting::parse(expression, || (ENVIRONMENT.compile(expression), checker::check(expression)))
                .map_err(error)?;
        let program = program.map_err(|errors| error(format!("is not a CEL expression: {errors}")))?;
        let unchecked = match checked {
            Ok(()) => None,
            Err(Refusal::Refused(problem)) => return Err(error(problem)),
            Err(Refusal::Unknown(problem)) => Some(problem),
        };
        let mut parsed = program.expression().clone();
        let references = References::of(&parsed, &has_function);
        Rewrite { has_types: references.has_types, has_sorts: references.has_sorts }.apply(&mut parsed);
        Ok(Self {
            name: name.to_owned(),
            expression: Metered::new(&parsed),
            unknown: references.unknown,
            reads_options: references.fields.as_ref().is_some_and(|fields| fields.contains("options")),
            has_namespace: references.has_namespace,
            unreadable: unchecked.or_else(|| {
                references.unreadable.map(|unreadable| format!("{unreadable} cannot be evaluated here"))
            }),
            // Nearly every request has a name of its own.
            memo: references.fields.filter(|fields| !fields.contains("name")).map(Memo::new),
            shared_by: 1,
        })
    }

    /// Sets the number of conditions of the webhook, which share a budget.
    pub(crate) fn share(&mut self, conditions: usize) {
        self.shared_by = conditions;
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

    /// Whether the expression has the variable `namespaceObject`, which is null in match
    /// conditions of webhooks. In other systems, it is the Namespace of the object.
    #[must_use]
    pub fn has_namespace(&self) -> bool {
        self.has_namespace
    }

    /// Evaluates the condition for a request with its variables.
    ///
    /// An expression with a function or variable that this crate does not have still has a value
    /// if the value does not depend on it, as in `true || authorizer.…`.
    ///
    /// # Errors
    /// An error of the evaluation, such as a field that does not exist, and a value that is not a
    /// boolean.
    pub fn holds(&self, variables: &Variables<'_>) -> Result<bool, ConditionError> {
        if let Some(unreadable) = &self.unreadable {
            return Err(self.error(unreadable.clone(), true));
        }
        // An API server always has some.
        if self.reads_options && variables.request.get("options").is_none() {
            return Err(
                self.error("reads request.options, which this request does not have".to_owned(), true)
            );
        }
        if let Some(holds) = self.memo.as_ref().and_then(|memo| memo.get(variables.request)) {
            return Ok(holds);
        }
        let result = self.evaluate(variables);
        match Metered::spent(self.shared_by) {
            Spent::Above => {
                return Err(self.error("costs more than API servers allow; simplify it".to_owned(), false));
            }
            // The error is one in any case.
            Spent::Unknown if result.is_ok() || Metered::was_stopped() => {
                return Err(self.error("may cost more than API servers allow; simplify it".to_owned(), true));
            }
            Spent::Unknown | Spent::Within => {}
        }
        if take_unsure() {
            return Err(self.error(UNSURE.to_owned(), true));
        }
        // The cost of `sort` panics on an error in cel-go, so that no operator absorbs the error.
        if take_open() && result.is_ok() {
            let open = "sorts lists, and API servers may not absorb an error in it";
            return Err(self.error(open.to_owned(), true));
        }
        let problem = match result {
            Ok(cel::Value::Bool(holds)) => {
                if let Some(memo) = self.memo.as_ref().filter(|_| !variables.objects_are_read()) {
                    memo.set(variables.request, holds);
                }
                return Ok(holds);
            }
            Ok(_) => "is not a boolean".to_owned(),
            Err(ExecutionError::FunctionError { function, message }) if message == NOT_KNOWN => {
                return Err(
                    self.error(format!("the value of {function} on an API server is not known"), true)
                );
            }
            // An API server finds no such key in a map, and makes maps with any keys.
            Err(ExecutionError::NoSuchOverload(overload))
                if overload.function() == operators::IN
                    && overload.argument_types().last().is_some_and(|of| of.starts_with("map")) =>
            {
                return Err(
                    self.error("a key of this type in a map cannot be evaluated here".to_owned(), true)
                );
            }
            Err(ExecutionError::UnsupportedKeyType(_)) => {
                return Err(
                    self.error("a key of this type in a map cannot be evaluated here".to_owned(), true)
                );
            }
            Err(cause) => describe(&cause),
        };
        Err(match &self.unknown {
            Some(unknown) => self.error(format!("{unknown} cannot be evaluated here"), true),
            // The value that is not known could outweigh the error.
            None => self.error(problem, take_unknown()),
        })
    }

    /// Returns bounds for the cost of the condition on an API server, for a request with its
    /// variables. A server stops at 1,000,000 units. An evaluation here ends at some times as
    /// many.
    #[must_use]
    pub fn cost(&self, variables: &Variables<'_>) -> Cost {
        // Its value does not matter.
        drop(self.evaluate(variables));
        Metered::cost()
    }

    fn evaluate(&self, variables: &Variables<'_>) -> Result<cel::Value, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.set_variable_resolver(variables);
        self.expression.begin();
        take_unsure();
        take_open();
        take_unknown();
        cel::Value::resolve(&self.expression.expression, &context)
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
            // API servers do not set it for webhooks.
            "namespaceObject" => return Some(CowVal::Owned(Box::new(CelNull))),
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

    /// The values of kube-apiserver 1.36.
    #[test]
    fn a_field_of_a_value_without_fields_is_absent() {
        let request = json!({
            "operation": "DELETE",
            "oldObject": { "spec": { "name": "a", "list": [{}], "empty": null, "on": true } },
        });
        for (expression, want) in [
            ("has(object.spec)", Ok(false)),
            ("!has(object.spec) && has(oldObject.spec.name)", Ok(true)),
            (
                "has(oldObject.spec.name.x) || has(oldObject.spec.empty.x) || has(oldObject.spec.on.x)",
                Ok(false),
            ),
            ("has(oldObject.spec.empty)", Ok(true)),
            ("dyn(['a']).all(x, has(x.name))", Ok(false)),
            ("has(oldObject.spec.list.x)", Err("no such overload")),
            ("has(oldObject.missing.x)", Err("no such key: missing")),
        ] {
            let got = evaluate(expression, &request);
            match want {
                Ok(want) => assert_eq!(got, Ok(want), "{expression}"),
                Err(want) => {
                    assert!(got.as_ref().is_err_and(|got| got.contains(want)), "{expression}: {got:?}");
                }
            }
        }
    }

    /// The values of kube-apiserver 1.36, and those that are not known.
    #[test]
    fn functions_have_the_values_of_cel_go() {
        let request =
            json!({ "operation": "CREATE", "object": { "list": [{ "name": "a" }], "tens": "1_0" } });
        for expression in [
            "string(1e21) == '1e+21' && string(1234567.0) == '1.234567e+06' && string(0.000001) == '1e-06'",
            "'a'.indexOf('b', 1) == -1 && 'abc'.indexOf('c', 3) == -1 && 'abc'.lastIndexOf('a', 5) == -1",
            "'aba'.indexOf('a', 1) == 2 && 'aba'.lastIndexOf('a', 1) == 0 && 'aba'.lastIndexOf('', 1) == 1",
            "[duration('1s'), duration('2s')].sum() == duration('3s')",
            "!(object.missing in [])",
            "double(object.tens) == 10.0",
            "'%s is %d'.format(['a', 1]) == 'a is 1'",
            "namespaceObject == null && !has(namespaceObject.metadata)",
            r#"'%s %s'.format([1e21, [1, 1.5, null, b'x']]) == '1e+21 [1, 1.500000, null, b"x"]'"#,
            r#"'%s'.format([['a"b', duration('90s')]]) == '["a\\"b", duration("90s")]'"#,
            "'%s'.format([{'b': [true], 'a': {2: int}}]) == '{\"a\":{2:int}, \"b\":[true]}'",
            "'%x %X %o %b %b%%'.format([-255, 'az', 8, 5, true]) == '-ff 617A 10 101 1%'",
            "'%.3s'.format(['abcd']) == 'abcd' && '%s'.format(dyn(['a', 'b'])) == 'a'",
            "optional.of(1).orValue(object.missing) == 1 && optional.of(1).or(object.missing).hasValue()",
            "bool('F' + '') == false && bool('t') && lists.range(-1) == []",
            "dyn(2).orValue(1) == 2 && !dyn(optional.of(2)).name.hasValue()",
            "quantity('1').add(1) == quantity('2') && quantity('1') != quantity('1').add(0)",
            "dyn(ip('10.0.0.1')) != 1 && dyn(ip('10.0.0.1')) != null && 1 != dyn(ip('10.0.0.1'))",
            "object.map(k, k).exists(k, k == 'tens') && object.map(k, k).size() == 2 && 'list' in object.map(k, k)",
        ] {
            assert_eq!(evaluate(expression, &request), Ok(true), "{expression}");
        }
        for (expression, problem) in [
            ("object.list.?name.hasValue()", "no such overload"),
            ("object.list[?'name'].hasValue()", "no such overload"),
            ("object.list.isSorted()", "error in function isSorted"),
            ("[object.list].max() == 1", "error in function max"),
            ("'%.3e'.format([1.5]) == 'a'", "the value of format on an API server is not known"),
            ("isQuantity('k')", "the value of isQuantity on an API server is not known"),
            ("{'a': 1, 'a': 2}['a'] == 2", "a map with a repeated key cannot be evaluated here"),
            ("'%s'.format([dyn(ip('10.0.0.1'))]) == 'a'", "error in function format"),
            ("'%d'.format([dyn(1.0)]) == 'a' || '%s %s'.format(dyn([1])) == 'a'", "error in function format"),
            ("optional.none().orValue(object.missing) == 1", "no such key: missing"),
            ("object.map(k, k)[0] == 'list'", "depends on the order of a map"),
            ("object.list.reverse().isSorted()", "the order of a list that a function made"),
            ("quantity('1') == quantity('1').add(0)", "error in function _==_"),
            ("dyn(ip('10.0.0.1')) == 1", "error in function _==_"),
            ("[dyn(ip('10.0.0.1'))] == [dyn(1)]", "depends on"),
            ("object[?optional.of('list')].hasValue()", "no such overload"),
            ("{dyn(1.5): 1}.size() == 1", "a key of this type in a map cannot be evaluated here"),
            ("'a' in dyn(1)", "no such overload"),
            (
                "object.missing.distinct() == [] || true",
                "sorts lists, and API servers may not absorb an error",
            ),
            ("has(request.options)", "reads request.options, which this request does not have"),
            ("quantity('1') in [quantity('1').add(0)]", "depends on"),
            ("double('1e4' + '00') > 1.0", "error in function double"),
            ("request in object", "a key of this type in a map cannot be evaluated here"),
            ("namespaceObject.metadata.name == 'a'", "no such overload"),
        ] {
            let got = evaluate(expression, &request);
            assert!(got.as_ref().is_err_and(|got| got.contains(problem)), "{expression}: {got:?}");
        }
    }

    #[test]
    fn errors_do_not_contain_values() {
        let request = json!({ "object": { "data": { "password": "hunter2" } } });
        for (expression, want) in [
            ("object.data.user == 'x'", "match condition c: no such key: user"),
            ("object.data", "match condition c: column 7: a condition is a bool"),
            ("object.data.password && true", "match condition c: "),
            ("object.data.password[object.data]", "match condition c: "),
        ] {
            let error = evaluate(expression, &request).unwrap_err();
            assert!(error.starts_with(want) && !error.contains("hunter2"), "{expression}: {error}");
        }
        for expression in ["true ||", "[1].all(x, x, true)", "[1].transformMap(1, x, x) == {}"] {
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
            // The error on the other side could be decided by the unknown function.
            ("object.nothing == 1 || authorizer == null", "the variable authorizer"),
            ("[1].all(x, authorizer == null)", "the variable authorizer"),
            ("format.uuid().validate('a').value() == ['x']", "the messages of validate"),
            ("format.uuid().validate('a') == optional.none()", "the messages of validate"),
        ] {
            let error = evaluate(expression).unwrap_err();
            assert!(error.is_unknown, "{expression}: {error}");
            assert_eq!(error.problem, format!("{unknown} cannot be evaluated here"), "{expression}");
        }
        for (expression, value) in [
            // The value does not depend on what is not known.
            ("request.operation == 'CREATE' || authorizer == null", true),
            ("authorizer == null || request.operation == 'CREATE'", true),
            ("request.operation != 'CREATE' && authorizer.path('/').check('get').allowed()", false),
            ("[1, 2].exists(x, x == 2 || authorizer == null)", true),
            // The variables of macros are known.
            ("['a'].all(x, x == 'a') && [1, 2].map(x, x * 2) == [2, 4]", true),
            ("!format.dns1123Label().validate(request.operation).hasValue()", false),
            ("{'a': [1]}.exists(k, list, list.exists(i, x, k == 'a' && x == 1))", true),
            ("type(object) == map && type(1) == int && type('') == string", true),
        ] {
            assert_eq!(evaluate(expression), Ok(value), "{expression}");
        }
        for expression in [
            r"'a'.matches('\\p{Old_' + 'Italic}')",
            r"'a'.find('\\x' + '{D800}') == ''",
            "isQuantity('1e40')",
        ] {
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
            ("request.userInfo.user == 'a'", "column 17: user is not a field of kubernetes.UserInfo"),
            ("request.kind.resource == 'a'", "resource is not a field of kubernetes.GroupVersionKind"),
            ("duration('1d') > duration('1h')", "column 9: duration does not convert this value"),
            (
                "timestamp(object.metadata.creationTimestamp) > timestamp('yesterday')",
                "column 57: timestamp does not convert this value; write one such as 2026",
            ),
            (
                "object.a.matches('(?=a)')",
                "the pattern of matches is refused: invalid or unsupported Perl syntax",
            ),
            (
                "matches(object.a, 'a**')",
                "the pattern of matches is refused: invalid nested repetition operator",
            ),
            ("object.a.matches(dyn('a{1001}'))", "the pattern of matches is refused: invalid repeat count"),
            ("object.a.find('[b-a]') == ''", "the pattern of find is refused: invalid character class range"),
            ("true || object.a.findAll('(') == []", "the pattern of findAll is refused: missing closing )"),
        ] {
            let error = Condition::compile("c", expression).unwrap_err();
            assert!(error.problem.contains(want) && !error.is_unknown, "{expression}: {error}");
        }
        // Another variable may have this name.
        assert!(Condition::compile("c", "[{'a': 1}].all(request, request.a == 1)").is_ok());
    }
}
