//! The environment of match conditions: the functions of CEL and of Kubernetes.
//!
//! Sources: `pkg/cel/environment/base.go` and `pkg/cel/library` of k8s.io/apiserver at 24a394e51.

use std::sync::{Arc, LazyLock};

use cel::{DeclarationError, Env, extensions};

/// The environment, which all conditions share.
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

/// The functions of the standard library, of the libraries of cel-go that Kubernetes uses, and of
/// Kubernetes. `duration` and `timestamp` are missing.
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
    "matches",
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

/// Returns whether the environment has a function.
pub(crate) fn has_function(name: &str) -> bool {
    OPERATORS.contains(&name) || FUNCTIONS.contains(&name)
}

fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_extension(extensions::strings)?;
    env.add_extension(extensions::lists)?;
    Ok(())
}
