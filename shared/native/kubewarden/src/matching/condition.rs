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

use cel::common::ast::IdedExpr;
use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey as Key, CelNull, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError};
use kubernetes::completion::Literals;
use serde_json::Value;

use self::budget::{Metered, Spent};
use self::checker::Refusal;
use self::environment::ENVIRONMENT;
use self::functions::{NOT_KNOWN, take_open, take_unknown, take_unsure};
use self::memo::{DEFAULTS, Memo};
use self::references::References;
use self::rewrite::Rewrite;
use crate::matching::condition_error::ConditionError;

pub use self::budget::Cost;

const UNSURE: &str =
    "depends on the order of a map, or on the equality of Kubernetes' types in lists or maps";

/// A compiled match condition.
#[derive(Debug)]
pub struct Condition {
    name: String,
    text: String,
    expression: Metered,
    /// A function or variable that this crate does not have, and an API server may have.
    unknown: Option<String>,
    reads_options: bool,
    has_namespace: bool,
    /// The reason why the value is not known, wherever the evaluation gets it.
    unreadable: Option<String>,
    /// The values for earlier requests; `None` if the expression can take the name of the object
    /// or the request as a whole.
    memo: Option<Memo>,
    shared_by: usize,
    literals: Literals,
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// An expression that API servers refuse: it is not CEL, or its parts have types that do not
    /// fit.
    pub fn compile(name: &str, expression: &str) -> Result<Self, ConditionError> {
        let (mut parsed, unchecked) = match parsed(expression) {
            Ok(parsed) => parsed,
            Err(Refusal::Refused(problem)) => {
                return Err(ConditionError { condition: name.to_owned(), problem, is_unknown: false });
            }
            Err(Refusal::Unknown(problem)) => (IdedExpr::default(), Some(problem)),
        };
        let references = References::of(&parsed);
        Rewrite { has_types: references.has_types, has_sorts: references.has_sorts }.apply(&mut parsed);
        Ok(Self {
            name: name.to_owned(),
            text: expression.to_owned(),
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
            literals: references.literals,
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

    /// The text of the expression.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first function or variable that the expression uses and this crate does not have.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// The texts and integers that the expression consists of.
    pub(crate) fn literals(&self) -> &Literals {
        &self.literals
    }

    /// The units of a condition that a server allows.
    pub(crate) const LIMIT: u64 = budget::OF_ONE;

    /// Returns the units of the last evaluation by this thread, as far as servers count them, too.
    pub(crate) fn spent() -> u64 {
        Cost::spent().least
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
            Cost::default().begin();
            return Ok(holds);
        }
        let result = self.evaluate(variables);
        match Cost::spent().within(self.shared_by) {
            Spent::Above => {
                return Err(self.error("costs more than API servers allow; simplify it".to_owned(), false));
            }
            // The error is one in any case.
            Spent::Unknown if result.is_ok() || budget::has_ended() => {
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
        Cost::spent()
    }

    fn evaluate(&self, variables: &Variables<'_>) -> Result<cel::Value, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.set_variable_resolver(variables);
        self.expression.fixed.begin();
        take_unsure();
        take_open();
        take_unknown();
        cel::Value::resolve(&self.expression.expression, &context)
    }

    fn error(&self, problem: String, is_unknown: bool) -> ConditionError {
        ConditionError { condition: self.name.clone(), problem, is_unknown }
    }
}

/// Parses and checks an expression. The text is why API servers may refuse it.
fn parsed(expression: &str) -> Result<(IdedExpr, Option<String>), Refusal> {
    let parsers = || (ENVIRONMENT.compile(expression), checker::check(expression));
    let (program, checked) = nesting::parse(expression, parsers).map_err(Refusal::Unknown)?;
    let program = program.map_err(|errors| Refusal::of_parser(&errors))?;
    let unchecked = match checked {
        Ok(()) => None,
        Err(Refusal::Unknown(problem)) => Some(problem),
        Err(refused) => return Err(refused),
    };
    Ok((program.expression().clone(), unchecked))
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
    use super::*;
    use crate::matching::table::rows;

    /// The values are those of kube-apiserver 1.37.2.
    #[test]
    fn every_condition_has_the_value_of_an_api_server_or_is_unknown() {
        let mut request = Value::Null;
        for (expression, want) in rows(include_str!("condition/values.txt")) {
            if expression == "REQUEST" {
                request = serde_json::from_str(want).unwrap();
                continue;
            }
            let compiled = Condition::compile("c", expression);
            let is_refused = compiled.is_err();
            let found = compiled.and_then(|condition| condition.holds(&Variables::of(&request)));
            let message = found.as_ref().map_or_else(ToString::to_string, ToString::to_string);
            let (kind, part) = want.split_once(' ').unwrap_or((want, ""));
            let is_met = match (kind, &found) {
                ("true", Ok(value)) => *value,
                ("false", Ok(value)) => !value,
                ("fails", Err(_)) => message.contains(part),
                ("error", Err(error)) => !is_refused && !error.is_unknown,
                ("unknown", Err(error)) => !is_refused && error.is_unknown && error.problem == part,
                ("refused", Err(error)) => is_refused && !error.is_unknown && error.problem.contains(part),
                _ => false,
            };
            assert!(is_met && !message.contains("hunter2"), "{expression}: {found:?}, and not {want}");
        }
    }

    #[test]
    fn what_go_may_read_otherwise_is_unknown() {
        let request = serde_json::json!({ "operation": "CREATE", "object": { "spec": {} } });
        for expression in [
            r"'a'.matches('\\p{Old_' + 'Italic}')",
            r"'a'.find('\\x' + '{D800}') == ''",
            "isQuantity('1e40')",
        ] {
            let condition = Condition::compile("c", expression).unwrap();
            let error = condition.holds(&Variables::of(&request)).unwrap_err();
            assert!(error.is_unknown && error.problem.ends_with("on an API server is not known"), "{error}");
        }
    }

    #[test]
    fn a_variable_of_a_macro_may_have_the_name_of_the_request() {
        assert!(Condition::compile("c", "[{'a': 1}].all(request, request.a == 1)").is_ok());
    }
}
