//! The user of a request.

use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct User(pub(crate) Value);

impl User {
    /// Returns a service account with the groups that the API server adds.
    pub(crate) fn service_account(namespace: &str, name: &str) -> Self {
        Self(json!({
            "username": format!("system:serviceaccount:{namespace}:{name}"),
            "groups": [
                "system:serviceaccounts",
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated",
            ],
        }))
    }
}
