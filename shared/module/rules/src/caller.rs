//! The requesting user, as far as the policies about nodes distinguish users.
//!
//! Sources: `NodeIdentity` of k8s.io/kubernetes/pkg/auth/nodeidentifier; `ServiceAccountInfo` of
//! k8s.io/apiserver/pkg/authentication/serviceaccount.

use admission::{Choice, Fault, Kind, Node, Request, Setting, SettingsError, Shape, Violations, choices};

use crate::subject::account_problem;

const PREFIX: &str = "system:node:";
const GROUP: &str = "system:nodes";
/// The key in `userInfo.extra` with the name of the node to which a token is bound.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
/// The key in `userInfo.extra` with the UID of that node's Node. The API server sets it only
/// together with the name.
const NODE_UID: &str = "authentication.kubernetes.io/node-uid";

choices! {
    /// How requests with a token that is bound to a node are handled.
    pub enum NodeBoundTokens {
        /// They are not evaluated.
        Ignore,
        /// They are evaluated like requests of the node.
        Restrict,
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Caller<'d> {
    /// Any user that is neither a node user nor restricted because of its token. The policies about
    /// nodes admit all of its requests.
    Other,
    /// A node user; the value is the name of its node.
    Node(&'d str),
    /// A user whose token is bound to a node, and who is not exempt; the value is the name of the
    /// node. Tokens of pods are bound to the node that runs the pod.
    Bound(&'d str),
    /// A member of the group `system:nodes` whose user name is the bare prefix `system:node:`. The
    /// in-tree plugin denies all of its requests.
    Nameless,
}

impl<'d> Caller<'d> {
    /// The fields of the requesting user that the classification reads:
    /// [`Policy::USER`](admission::Policy::USER).
    pub(crate) const USER: Shape<'static> = Shape::Fields(&[
        ("extra", Shape::Fields(&[(NODE_NAME, Shape::ALL), (NODE_UID, Shape::ALL)])),
        ("groups", Shape::ALL),
        ("username", Shape::ALL),
    ]);

    /// The beginnings of the name and of keys of every user but [`Other`](Self::Other):
    /// [`Policy::USERS`](admission::Policy::USERS).
    pub(crate) const TEXTS: &'static [&'static str] = &[PREFIX, "authentication.kubernetes.io/node-"];

    /// Returns whether the user can be another one than [`Other`](Self::Other), whatever the
    /// settings: [`Policy::evaluates`](admission::Policy::evaluates).
    pub(crate) fn can_be_restricted(request: &Request<'_>) -> Result<bool, Fault> {
        let extra = request.extra();
        Ok(request.username()?.starts_with(PREFIX)
            || extra.at(NODE_NAME).is_present()?
            || extra.at(NODE_UID).is_present()?)
    }

    /// Classifies the requesting user. A node user has both the prefix and the group; both
    /// comparisons are case-sensitive. A token that is to be restricted must name exactly one node.
    pub(crate) fn of(request: &Request<'d>, tokens: &BoundTokens) -> Result<Self, Fault> {
        let user = request.username()?;
        if let Some(name) = user.strip_prefix(PREFIX)
            && request.groups()?.contains(&GROUP)
        {
            return Ok(if name.is_empty() { Caller::Nameless } else { Caller::Node(name) });
        }
        if !tokens.restrict(user) {
            return Ok(Caller::Other);
        }
        let extra = request.extra();
        let names = extra.at(NODE_NAME);
        if !names.is_present()? && !extra.at(NODE_UID).is_present()? {
            return Ok(Caller::Other);
        }
        match *names.texts()? {
            [(_, name)] if !name.is_empty() => Ok(Caller::Bound(name)),
            _ => Err(names.fault("expected the name of one node")),
        }
    }
}

/// The settings about users whose token is bound to a node.
#[derive(Debug, Default)]
pub(crate) struct BoundTokens {
    handling: NodeBoundTokens,
    /// The full user names of service accounts.
    exempt: Vec<String>,
}

impl BoundTokens {
    pub(crate) const HANDLING: Setting =
        Setting::new("nodeBoundTokens", Kind::Choice(NodeBoundTokens::NAMES));
    pub(crate) const EXEMPT: Setting = Setting::new("exemptServiceAccounts", Kind::List(&Kind::Text));

    /// Reads the two settings from the settings of a policy.
    pub(crate) fn read(settings: Node<'_>) -> Result<Self, SettingsError> {
        let handling = Choice::read(settings.at(Self::HANDLING.name))?;
        let setting = settings.at(Self::EXEMPT.name);
        let mut exempt = Vec::new();
        for (item, account) in setting.texts()? {
            if let Some(problem) = account_problem(account) {
                return Err(SettingsError::about(item, account, problem));
            }
            exempt.push(["system:serviceaccount:", &account.replacen('/', ":", 1)].concat());
        }
        if handling == NodeBoundTokens::Ignore && !exempt.is_empty() {
            let problem = "has no effect without nodeBoundTokens: Restrict; set it, or remove this list";
            return Err(SettingsError::at(setting, problem));
        }
        Ok(Self { handling, exempt })
    }

    fn restrict(&self, user: &str) -> bool {
        self.handling == NodeBoundTokens::Restrict && !self.exempt.iter().any(|exempt| exempt == user)
    }
}

/// Returns the violation of a [nameless](Caller::Nameless) node user, located at the user name.
/// `id` is that of the rule.
pub(crate) fn nameless<'d>(id: &'static str, request: &Request<'d>) -> Violations<'d> {
    let mut violations = Violations::default();
    violations.refuse(
        id,
        request.user(),
        "the name of a user in the group system:nodes must identify its node",
        "use credentials for system:node:NAME",
    );
    violations
}

#[cfg(test)]
mod tests {
    use crate::no_cluster::NoCluster;

    /// Returns the status code and the message for an update of a Node by a user with this extra.
    fn answer(extra: &str) -> (Option<u16>, String) {
        let payload = [
            r#"{"request":{"kind":{"group":"","kind":"Node"},"operation":"UPDATE","userInfo":{"username":"u","extra":"#,
            extra,
            r#"},"object":{"metadata":{"name":"a"}},"oldObject":{"metadata":{"name":"a"}}},"settings":{"nodeBoundTokens":"Restrict"}}"#,
        ]
        .concat();
        let response = crate::find("node-labels").unwrap().respond(payload.as_bytes(), &NoCluster);
        (response.code, response.message.unwrap_or_default())
    }

    #[test]
    fn policies_tell_which_users_they_evaluate() {
        let evaluates = |id, user: &str, settings: &str| {
            let kind = r#""kind":{"group":"","kind":"Node"},"operation":"UPDATE""#;
            let payload =
                [r#"{"request":{"#, kind, r#","userInfo":"#, user, r#"},"settings":"#, settings, "}"];
            (crate::find(id).unwrap().evaluates_user)(payload.concat().as_bytes())
                .map_err(|fault| fault.to_string())
        };
        let node = r#"{"username":"system:node:a","groups":["system:nodes"]}"#;
        let account = "system:serviceaccount:infra:agent";
        let bound =
            [r#"{"username":""#, account, r#"","extra":{"authentication.kubernetes.io/node-name":["a"]}}"#]
                .concat();
        let restrict = r#"{"nodeBoundTokens":"Restrict"}"#;
        let exempt = r#"{"nodeBoundTokens":"Restrict","exemptServiceAccounts":["infra/agent"]}"#;
        for id in ["node-labels", "node-pods"] {
            assert_eq!(evaluates(id, node, "{}"), Ok(Some(true)), "{id}");
            assert_eq!(evaluates(id, r#"{"username":"system:node:a"}"#, "{}"), Ok(Some(false)), "{id}");
            assert_eq!(evaluates(id, &bound, "{}"), Ok(Some(false)), "{id}");
            assert_eq!(evaluates(id, &bound, restrict), Ok(Some(true)), "{id}");
            assert_eq!(evaluates(id, &bound, exempt), Ok(Some(false)), "{id}");
            assert!(
                evaluates(id, r#"{"username":7}"#, "{}").unwrap_err().contains("userInfo.username"),
                "{id}"
            );
            assert!(evaluates(id, node, r#"{"nodeBoundTokens":"No"}"#).is_err(), "{id}");
        }
        for id in ["external-ips", "pod-security", "selinux"] {
            assert_eq!(evaluates(id, node, "{}"), Ok(None), "{id}");
        }
    }

    /// N3: a malformed `extra` must not turn a bound token into an unbound one.
    #[test]
    fn denies_a_malformed_extra() {
        for (extra, problem) in [
            (r#""x""#, "request.userInfo.extra: expected an object, found a string"),
            (r#"{"authentication.kubernetes.io/node-name":"a"}"#, "expected an array, found a string"),
            (r#"{"authentication.kubernetes.io/node-name":{}}"#, "expected an array, found an object"),
            (r#"{"authentication.kubernetes.io/node-name":[1]}"#, "[0]: expected a string, found a number"),
            (r#"{"authentication.kubernetes.io/node-name":[null]}"#, "[0]: expected a string, found null"),
            (r#"{"authentication.kubernetes.io/node-name":["a","a"]}"#, "expected the name of one node"),
            (r#"{"authentication.kubernetes.io/node-uid":7}"#, "node-name]: expected the name of one node"),
            (
                r#"{"authentication.kubernetes.io/node-name":["a"],"authentication.kubernetes.io/node-name":["b"]}"#,
                "duplicate key",
            ),
        ] {
            let (code, message) = answer(extra);
            assert_eq!(code, Some(500), "{extra}: {message}");
            assert!(message.contains(problem), "{extra}: {message}");
        }
        for extra in ["null", "{}", r#"{"authentication.kubernetes.io/node-name":null}"#, r#"{"other":[1]}"#]
        {
            assert_eq!(answer(extra), (None, String::new()), "{extra}");
        }
    }
}
