//! The pods of the requesting user: those that run on its node.

use admission::{Cluster, Fault, Get, Node, Operation, Request, Violations};

use super::rule::{
    BOUND_TOKEN, FOREIGN_POD_CONNECT, FOREIGN_POD_DELETE, FOREIGN_POD_EVICT, FOREIGN_POD_STATUS, NO_SUCH_POD,
    STATUS_ONLY,
};
use crate::caller::Caller;
use crate::view::Pod;

const BOUND: &str = "a token that is bound to a node may access only the pods of that node";

/// Returns a violation if a token that is bound to the node `own` creates a pod for another node,
/// or for any node that the scheduler chooses.
pub(super) fn of_new<'d>(own: &str, pod: Pod<'d>) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    let node = pod.node_name();
    if node.filled_text()? != Some(own) {
        violations.refuse(
            BOUND_TOKEN,
            node,
            BOUND,
            "set the name of that node, or exempt the service account in exemptServiceAccounts",
        );
    }
    Ok(violations)
}

/// Returns a violation if a stored pod that the request changes or deletes runs elsewhere.
pub(super) fn of_stored<'d>(
    caller: Caller<'d>,
    old: Pod<'d>,
    operation: Operation,
) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    let (id, rule) = if operation == Operation::Delete {
        (FOREIGN_POD_DELETE, "a node may delete only its own pods")
    } else {
        (FOREIGN_POD_STATUS, "a node may write only the status of its own pods")
    };
    review(caller, old, old.node_name(), id, rule, &mut violations)?;
    Ok(violations)
}

/// Returns a violation if a pod that the request only names runs elsewhere: one that is evicted, or
/// that the client connects to. The pod is looked up.
///
/// Source: `admitPodEviction` of `NodeRestriction`.
pub(super) fn of_named<'d>(
    caller: Caller<'d>,
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Violations<'d>, Fault> {
    let evicts = request.operation == Operation::Create;
    let in_request = request.name();
    let at = match in_request.filled_text()? {
        None if evicts => Pod::of(request.object()?).metadata().name(),
        _ => in_request,
    };
    let Some(name) = at.filled_text()? else {
        return Err(in_request.fault("expected a string, found nothing"));
    };
    let namespace = request.namespace()?;
    if namespace.is_none() {
        return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
    }
    let get = Get { api_version: "v1", kind: "Pod", namespace, name, shape: Pod::BOUND };
    let mut violations = Violations::default();
    let Some(answer) = get.ask(cluster)? else {
        violations.refuse(NO_SUCH_POD, at, "the cluster has no such pod", "check the name and the namespace");
        return Ok(violations);
    };
    let document = answer.document()?;
    let (id, rule) = if evicts {
        (FOREIGN_POD_EVICT, "a node may evict only its own pods")
    } else {
        (FOREIGN_POD_CONNECT, "a node may connect only to its own pods")
    };
    review(caller, Pod::of(document.root()), at, id, rule, &mut violations)?;
    Ok(violations)
}

/// Returns the violation of a node that changes a pod other than through `pods/status`.
///
/// Source: `admitPod` of `NodeRestriction`.
pub(super) fn not_a_status(old: Pod<'_>) -> Violations<'_> {
    let mut violations = Violations::default();
    violations.forbid(
        STATUS_ONLY,
        old.metadata().name(),
        "a node may change its pods only through pods/status",
        "use the credentials of a controller or a user",
    );
    violations
}

/// Adds a violation at `at` if a pod does not run on the node of the requesting user. `id` and
/// `rule` are those for node users.
fn review<'d>(
    caller: Caller<'d>,
    pod: Pod<'_>,
    at: Node<'d>,
    id: &'static str,
    rule: &'static str,
    violations: &mut Violations<'d>,
) -> Result<(), Fault> {
    let (own, id, rule, remedy) = match caller {
        Caller::Bound(own) => (
            own,
            BOUND_TOKEN,
            BOUND,
            "use a token that is not bound to another node, or exempt the service account in exemptServiceAccounts",
        ),
        Caller::Node(own) => (own, id, rule, "use the credentials of that node or of a controller"),
        Caller::Other | Caller::Nameless => return Ok(()),
    };
    if pod.node_name().filled_text()? != Some(own) {
        violations.refuse(id, at, rule, remedy);
    }
    Ok(())
}
