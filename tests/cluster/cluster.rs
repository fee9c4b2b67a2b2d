use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use json_patch::merge;
use serde_json::{Value, json};
use tests::api_server::{Answer, ApiServer, User};
use tests::process::wait_until;
use tests::root;

use crate::policy_subreconciler_webhook::NAMESPACE;
use crate::{policy_server, requests};

/// The users, each with the group to which roles are bound.
const USERS: &[(&str, &str)] = &[
    (policy_server::USER, "system:serviceaccounts"),
    ("system:node:worker-1", "system:nodes"),
    ("system:node:worker-2", "system:nodes"),
    ("jane", "developers"),
];

/// The warnings of the API server itself, whatever the policies answer.
const WARNINGS_OF_THE_SERVER: &[&str] = &["spec.externalIPs is deprecated"];

/// The namespace in which [`Cluster::wait_for_webhooks`] asks.
const PROBES: &str = "probes";

/// A cluster without nodes, controllers and a scheduler.
pub(crate) struct Cluster {
    pub(crate) server: ApiServer,
    /// The version of the server, such as `v1.37.2`.
    pub(crate) version: String,
    probes: Cell<u32>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let arguments = [
            "--allow-privileged",
            "--authorization-mode=Node",
            // No controller makes the service account of a namespace, or its secret.
            "--disable-admission-plugins=ServiceAccount,DefaultStorageClass",
        ];
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let others = requests::users();
        let users: BTreeMap<&str, &str> = others
            .iter()
            .map(|(name, group)| (name.as_str(), group.as_str()))
            .filter(|(name, _)| *name != "admin")
            .chain(USERS.iter().copied())
            .collect();
        let users: Vec<(&str, &str)> = users.into_iter().collect();
        let server = ApiServer::start_with_users(folder, &arguments, &users);
        let version: Value =
            serde_json::from_str(&server.kubectl(&["get", "--raw", "/version"]).unwrap()).unwrap();
        let version = version["gitVersion"].as_str().unwrap().to_owned();
        let cluster = Self { server, version, probes: Cell::new(0) };
        cluster.namespace(NAMESPACE, &json!({}));
        cluster.namespace(PROBES, &json!({}));
        cluster.grant();
        cluster
    }

    /// Binds roles: to the policy server the one of its manifest, to developers all rights
    /// to workloads and namespaces.
    fn grant(&self) {
        let text = std::fs::read_to_string(root().join("artifacthub/deploy/policy-server.yaml")).unwrap();
        let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
        let is_role = |object: &&Value| object["apiVersion"] == "rbac.authorization.k8s.io/v1";
        let roles: Vec<&Value> = objects.iter().filter(is_role).collect();
        assert_eq!(roles.len(), 2);
        for role in roles {
            self.apply(role);
        }
        let all = json!({ "apiGroups": ["", "apps", "batch"], "resources": ["*"], "verbs": ["*"] });
        self.apply(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": { "name": "developers" },
            "rules": [all],
        }));
        self.apply(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": { "name": "developers" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "developers" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "developers" }],
        }));
    }

    pub(crate) fn user(&self, name: &str) -> User<'_> {
        self.server.user(name)
    }

    pub(crate) fn admin(&self) -> User<'_> {
        self.user("admin")
    }

    pub(crate) fn kubelet(&self, node: &str) -> User<'_> {
        self.user(&format!("system:node:{node}"))
    }

    pub(crate) fn namespace(&self, name: &str, metadata: &Value) {
        create(&self.admin(), &namespace(name, metadata)).succeeded();
    }

    /// Writes an object, whether it exists or not.
    pub(crate) fn apply(&self, object: &Value) {
        let arguments = ["apply", "--validate=false", "--filename", "-"];
        self.server.kubectl_with(&object.to_string(), &arguments).unwrap();
    }

    /// Returns a field of a stored object, as JSON; null if it is absent.
    pub(crate) fn stored(&self, path: &str, pointer: &str) -> Value {
        let object: Value =
            serde_json::from_str(&self.server.kubectl(&["get", "--raw", path]).unwrap()).unwrap();
        object.pointer(pointer).cloned().unwrap_or(Value::Null)
    }

    /// Waits until the server has seen all webhooks that are written so far: it calls webhooks that
    /// are written after them, one for each kind of configuration. Each of these is for one
    /// resource in one namespace, and cannot be reached.
    pub(crate) fn wait_for_webhooks(&self) {
        let number = self.probes.get() + 1;
        self.probes.set(number);
        let name = format!("probe-{number}.portcullis.dev");
        let own = json!({ "key": "kubernetes.io/metadata.name", "operator": "In", "values": [PROBES] });
        let kinds = [
            ("MutatingWebhookConfiguration", "configmaps", "ConfigMap"),
            ("ValidatingWebhookConfiguration", "secrets", "Secret"),
        ];
        let configurations = kinds.map(|(kind, resource, _)| {
            let rule = json!({
                "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": ["CREATE"],
            });
            json!({
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": kind,
                "metadata": { "name": "probe" },
                "webhooks": [{
                    "name": name,
                    "clientConfig": { "url": "https://127.0.0.1:1/" },
                    "failurePolicy": "Fail",
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "namespaceSelector": { "matchExpressions": [own] },
                    "rules": [rule],
                }],
            })
        });
        self.apply(&json!({ "apiVersion": "v1", "kind": "List", "items": configurations }));
        for (.., kind) in kinds {
            let probe = json!({
                "apiVersion": "v1", "kind": kind, "metadata": { "name": "probe", "namespace": PROBES },
            });
            let arguments = ["create", "--validate=false", "--dry-run=server", "--filename", "-"];
            wait_until("the call of a new webhook", || {
                let answer = self.admin().kubectl_with(&probe.to_string(), &arguments);
                answer.errors.contains(&format!("failed calling webhook \"{name}\""))
            });
        }
    }
}

pub(crate) fn namespace(name: &str, metadata: &Value) -> Value {
    let mut object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
    object["metadata"]["name"] = json!(name);
    // Servers since 1.21 set it.
    object["metadata"]["labels"]["kubernetes.io/metadata.name"] = json!(name);
    object
}

pub(crate) fn create(user: &User<'_>, object: &Value) -> Answer {
    user.kubectl_with(&object.to_string(), &["create", "--validate=false", "--filename", "-"])
}

/// Changes an object as a user, by a merge patch.
pub(crate) fn patch(user: &User<'_>, namespace: &str, object: &str, changes: &Value) -> Answer {
    let options = ["--namespace", namespace, "--type", "merge", "--patch", &changes.to_string()];
    user.kubectl(&[&["patch", object], &options[..]].concat())
}

/// Changes an object as a user by writing it or its subresource, such as `status`. A kubelet may
/// not read subresources, so it cannot use `kubectl patch`; since 1.32, it may not read other nodes
/// either.
pub(crate) fn write(
    cluster: &Cluster,
    user: &User<'_>,
    path: &str,
    subresource: &str,
    changes: &Value,
) -> Answer {
    let stored = cluster.server.kubectl(&["get", "--raw", path]).unwrap();
    let mut object: Value = serde_json::from_str(&stored).unwrap();
    merge(&mut object, changes);
    let path = if subresource.is_empty() { path.to_owned() } else { format!("{path}/{subresource}") };
    user.kubectl_with(&object.to_string(), &["replace", "--raw", &path, "--filename", "-"])
}

pub(crate) trait Expect {
    /// Panics unless the request succeeded without warnings of a policy.
    fn succeeded(&self);
    /// Panics unless the request succeeded with these warnings of policies.
    fn warned(&self, warnings: &[&str]);
    /// Panics unless the webhook of a policy denied the request with this message.
    fn denied_by(&self, policy: &str, message: &str);
}

impl Expect for Answer {
    #[track_caller]
    fn succeeded(&self) {
        self.warned(&[]);
    }

    #[track_caller]
    fn warned(&self, warnings: &[&str]) {
        assert!(self.is_success, "{}", self.errors);
        let given = self.errors.lines().filter_map(|line| line.strip_prefix("Warning: "));
        let is_own = |line: &&str| !WARNINGS_OF_THE_SERVER.iter().any(|own| line.starts_with(own));
        let given: Vec<&str> = given.filter(is_own).collect();
        assert_eq!(given, warnings);
    }

    #[track_caller]
    fn denied_by(&self, policy: &str, message: &str) {
        assert!(!self.is_success, "{}{}", self.output, self.errors);
        let webhook =
            format!("admission webhook \"clusterwide-{policy}.kubewarden.admission\" denied the request: ");
        let (_, given) = self.errors.split_once(&webhook).unwrap_or_else(|| panic!("{}", self.errors));
        assert_eq!(given.trim_end(), message);
    }
}
