//! The values that a condition had for earlier requests.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use serde_json::Value;

/// The number of values that are kept. Requests differ in a few users, operations and kinds.
const MOST: usize = 32;

/// The values of an expression that takes single fields of the request and, in its evaluation, no
/// object.
///
/// Most conditions decide by the user, the operation or the kind, which are the same in most
/// requests of a scan.
#[derive(Debug)]
pub(crate) struct Memo {
    /// The fields of the request that the expression can take.
    fields: Vec<String>,
    known: RwLock<Vec<(Vec<Option<Value>>, bool)>>,
}

impl Memo {
    pub(crate) fn new(mut fields: BTreeSet<String>) -> Self {
        for (field, default) in DEFAULTS {
            if fields.contains(field) {
                fields.insert(default.to_owned());
            }
        }
        Self { fields: fields.into_iter().collect(), known: RwLock::default() }
    }

    pub(crate) fn get(&self, request: &Value) -> Option<bool> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_same = |values: &[Option<Value>]| {
            self.fields.iter().zip(values).all(|(name, value)| request.get(name) == value.as_ref())
        };
        known.iter().find(|(values, _)| is_same(values)).map(|(_, holds)| *holds)
    }

    pub(crate) fn set(&self, request: &Value, holds: bool) {
        let values = self.fields.iter().map(|name| request.get(name).cloned()).collect();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.push((values, holds));
    }
}

/// The fields of a request that the API server always sets, and those that they equal in a request
/// that has not been converted.
pub(crate) const DEFAULTS: [(&str, &str); 3] =
    [("requestKind", "kind"), ("requestResource", "resource"), ("requestSubResource", "subResource")];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::matching::condition::{Condition, Variables};

    #[test]
    fn a_value_that_is_kept_is_that_of_the_request() {
        let mut requests = Vec::new();
        for operation in ["CREATE", "UPDATE"] {
            for kind in ["Pod", "Node"] {
                for name in ["a", "b"] {
                    requests.push(json!({
                        "operation": operation, "kind": { "kind": kind }, "name": name,
                        "object": { "metadata": { "name": name } },
                    }));
                    requests.push(json!({
                        "operation": operation, "kind": { "kind": kind }, "requestKind": { "kind": "Pod" },
                        "name": name, "namespace": name, "object": {}, "userInfo": { "username": name },
                    }));
                }
            }
        }
        for expression in [
            "request.operation == 'CREATE'",
            "request.name == 'a'",
            "request == null",
            "request.?name == optional.of('a')",
            "has(request.namespace)",
            "has(request.userInfo.username) && request.userInfo.username == 'a'",
            "request.requestKind.kind == 'Pod'",
            "request.operation != 'UPDATE' || has(object.metadata)",
            "request.operation == 'UPDATE' && object.metadata.name == 'a'",
            "object == {}",
            "[request].exists(one, one.name == 'a')",
            "['x'].exists(request, request == 'x') && request.kind.kind == 'Pod'",
            // A name that begins with a dot is never one of a macro.
            ".request.name == 'a'",
            "['x'].exists(request, .request.name == 'a')",
            "dyn(.request).size() == 5",
            ".object.metadata.name == 'a'",
        ] {
            let compile = || Condition::compile("c", expression).unwrap();
            let condition = compile();
            for _ in 0..2 {
                for request in &requests {
                    let fresh = compile().holds(&Variables::of(request)).map_err(|error| error.problem);
                    let again = condition.holds(&Variables::of(request)).map_err(|error| error.problem);
                    assert_eq!(again, fresh, "{expression} {request}");
                }
            }
        }
    }

    #[test]
    fn only_so_many_values_are_kept() {
        let memo = Memo::new(BTreeSet::from(["name".to_owned()]));
        let request = |number: usize| json!({ "name": number });
        for number in 0..10 * MOST {
            memo.set(&request(number), true);
        }
        assert!(memo.known.read().unwrap().len() <= MOST);
        assert_eq!(
            (memo.get(&request(10 * MOST - 1)), memo.get(&request(0)), memo.get(&json!({}))),
            (Some(true), None, None)
        );
    }
}
