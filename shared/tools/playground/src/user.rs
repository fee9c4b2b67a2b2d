//! The requesting user.

use kubernetes::review::Draft;
use serde_json::{Value, json};

use crate::types::User;

/// The username prefix of controllers, whose service accounts are in `kube-system`.
const CONTROLLERS: &str = "system:serviceaccount:kube-system:";
const NODES: &str = "system:node:";

pub(crate) fn info(user: &User) -> Value {
    match user {
        User::Ordinary => Draft::ordinary_user(),
        User::Controller { account } => json!({
            "username": format!("{CONTROLLERS}{account}"),
            "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
        }),
        User::Kubelet { node } => json!({
            "username": format!("{NODES}{node}"),
            "groups": ["system:nodes", "system:authenticated"],
        }),
        User::Named { username, groups } => json!({ "username": username, "groups": groups }),
    }
}

/// Returns the user of a request, as the most specific kind of user with the same username and
/// groups.
#[cfg(feature = "whole")]
pub(crate) fn of(info: &Value) -> Option<User> {
    let username = info.get("username")?.as_str()?;
    let groups = serde_json::from_value(info.get("groups")?.clone()).ok()?;
    let named = User::Named { username: username.to_owned(), groups };
    let strip = |prefix| username.strip_prefix(prefix).map(str::to_owned);
    let candidates = [
        Some(User::Ordinary),
        strip(NODES).map(|node| User::Kubelet { node }),
        strip(CONTROLLERS).map(|account| User::Controller { account }),
    ];
    let same = |user: &User| self::info(user) == self::info(&named);
    Some(candidates.into_iter().flatten().find(same).unwrap_or(named))
}
