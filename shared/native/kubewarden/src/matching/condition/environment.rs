//! The environment of match conditions: the functions of CEL and of Kubernetes.
//!
//! Sources: `pkg/cel/environment/base.go` and `pkg/cel/library` of k8s.io/apiserver at 24a394e51.

use std::sync::{Arc, LazyLock};

use cel::{DeclarationError, Env, extensions};

use crate::matching::condition::{budget, functions, rewrite};

pub(crate) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    // A declaration fails only if a name is declared twice. A test calls every function, so that
    // none can be missing.
    drop(declare(&mut env));
    Arc::new(env)
});

/// Operators and macros, as the parser names them.
const OPERATORS: &[&str] = &[
    "!_",
    "-_",
    "@in",
    "@not_strictly_false",
    "_!=_",
    "_%_",
    "_&&_",
    "_*_",
    "_+_",
    "_-_",
    "_/_",
    "_<=_",
    "_<_",
    "_==_",
    "_>=_",
    "_>_",
    "_?._",
    "_?_:_",
    "_[?_]",
    "_[_]",
    "_||_",
];

/// The functions of the standard library, and of the libraries `strings` and `lists` of cel-go.
const FUNCTIONS: &[&str] = &[
    "bool",
    "bytes",
    "charAt",
    "contains",
    "distinct",
    "double",
    "dyn",
    "endsWith",
    "flatten",
    "format",
    "hasValue",
    "indexOf",
    "int",
    "join",
    "lastIndexOf",
    "lists.range",
    "lowerAscii",
    "optional.none",
    "optional.of",
    "optional.ofNonZeroValue",
    "or",
    "orValue",
    "replace",
    "reverse",
    "size",
    "slice",
    "sort",
    "@sortByAssociatedKeys",
    "split",
    "startsWith",
    "string",
    "strings.quote",
    "substring",
    "trim",
    "type",
    "uint",
    "upperAscii",
    "value",
];

pub(crate) fn has_function(name: &str) -> bool {
    let of_kubernetes = || functions::NAMES.iter().any(|names| names.contains(&name));
    OPERATORS.contains(&name) || FUNCTIONS.contains(&name) || of_kubernetes()
}

fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_extension(extensions::strings)?;
    env.add_extension(extensions::lists)?;
    rewrite::declare(env)?;
    functions::declare(env)?;
    budget::declare(env)
}

#[cfg(test)]
mod tests {
    use cel::{Context, Value};

    use super::*;
    use crate::matching::table::rows;

    fn evaluate(expression: &str) -> Result<Value, String> {
        let program = ENVIRONMENT.compile(expression).map_err(|errors| errors.to_string())?;
        program.execute(&Context::with_env(Arc::clone(&ENVIRONMENT))).map_err(|error| error.to_string())
    }

    /// Every function is in an expression.
    const EXPRESSIONS: &str = include_str!("environment.txt");

    #[test]
    fn every_function_has_the_values_of_an_api_server() {
        for (expression, want) in rows(EXPRESSIONS) {
            match (evaluate(expression), want) {
                (Ok(Value::Bool(true)), "true") => {}
                (Err(error), "error") if !error.contains(functions::NOT_KNOWN) => {}
                (Err(error), "not known") if error.contains(functions::NOT_KNOWN) => {}
                (found, _) => panic!("{expression}: {found:?}, and not {want}"),
            }
        }
        // The parser makes the hidden names.
        for name in functions::NAMES.iter().copied().flatten().chain(FUNCTIONS) {
            let call = format!("{name}(");
            let is_called = rows(EXPRESSIONS).any(|(one, want)| want == "true" && one.contains(&call));
            assert!(is_called || name.starts_with('@'), "{name}");
            assert!(has_function(name));
        }
        assert!(!has_function("authorizer.group"));
    }
}
