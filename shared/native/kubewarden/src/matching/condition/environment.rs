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
    use crate::matching::condition::checker::signatures::{is_evaluated, names};
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
        for name in names().filter(|name| is_evaluated(name)) {
            let call = format!("{name}(");
            let is_called = rows(EXPRESSIONS).any(|(one, want)| want == "true" && one.contains(&call));
            let is_operator = name.contains(['@', '_']);
            assert!(is_called || is_operator, "{name}");
        }
        assert!(!is_evaluated("group"));
    }
}
