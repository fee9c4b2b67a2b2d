//! The user of a request.

use serde_json::{Value, json};

/// Returns a service account with the groups that the API server adds.
pub(crate) fn service_account(namespace: &str, name: &str) -> Value {
    json!({
        "username": format!("system:serviceaccount:{namespace}:{name}"),
        "groups": [
            "system:serviceaccounts",
            format!("system:serviceaccounts:{namespace}"),
            "system:authenticated",
        ],
    })
}
