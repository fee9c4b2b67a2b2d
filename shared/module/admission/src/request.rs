//! The admission request, as far as policies read it.

use document::peek;

use crate::{Fault, Node, Scope, Shape};

/// What a client asks of the API server.
///
/// Only what the API server sends in an `AdmissionReview` is here, under Kubernetes' own names:
/// <https://kubernetes.io/docs/reference/config-api/apiserver-admission.v1/>.
#[derive(Clone, Copy, Debug)]
pub struct Request<'d> {
    node: Node<'d>,
    /// What is done to the object.
    pub operation: Operation,
    /// The API group of the object, empty for the core group.
    pub group: &'d str,
    /// The kind of the object.
    pub kind: &'d str,
    /// The part of the object that is asked for, such as `status`; empty for the object itself.
    pub subresource: &'d str,
}

/// What is done to an object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Operation {
    /// The object is new; also what the audit scanner sends.
    Create,
    /// The object changes; PATCH and server-side apply of an existing object arrive so, too.
    Update,
    /// The object goes.
    Delete,
    /// A connection to the object: exec, attach, port-forward, proxy.
    Connect,
}

impl Operation {
    /// All operations, with their names in the API.
    pub const ALL: [(&'static str, Operation); 4] = [
        ("CREATE", Operation::Create),
        ("UPDATE", Operation::Update),
        ("DELETE", Operation::Delete),
        ("CONNECT", Operation::Connect),
    ];
}

/// The shape of a payload around the objects, whose shape is the policy's.
pub(crate) const fn payload<'s>(request: &'s [(&'s str, Shape<'s>)]) -> [(&'s str, Shape<'s>); 2] {
    [("request", Shape::Fields(request)), ("settings", Shape::ALL)]
}

const KIND: Shape<'static> = Shape::Fields(&[("group", Shape::ALL), ("kind", Shape::ALL)]);

/// The shape of a request with objects of the given shape.
pub(crate) const fn shape(object: Shape<'_>) -> [(&str, Shape<'_>); 8] {
    const USER: Shape<'static> = Shape::Fields(&[("groups", Shape::ALL), ("username", Shape::ALL)]);
    [
        ("kind", KIND),
        ("name", Shape::ALL),
        ("namespace", Shape::ALL),
        ("object", object),
        ("oldObject", object),
        ("operation", Shape::ALL),
        ("subResource", Shape::ALL),
        ("userInfo", USER),
    ]
}

/// Whether the kind that a payload begins with is one of a scope; so is one that is not found there.
pub(crate) fn may_be_of(payload: &[u8], scope: Scope) -> bool {
    let found = peek(payload, &["request", "kind"], ["group", "kind"]);
    let Some([group, kind]) = found else { return true };
    scope.0.iter().any(|rule| rule.kind.as_bytes() == kind && rule.group.as_bytes() == group)
}

impl<'d> Request<'d> {
    /// Reads what decides whether a policy is concerned.
    ///
    /// # Errors
    /// A request without kind or operation.
    pub(crate) fn of(payload: Node<'d>) -> Result<Self, Fault> {
        let node = payload.at("request");
        let kind = node.at("kind");
        let operation = node.at("operation");
        let name = required(operation)?;
        // Most often absent, which takes no place so.
        let subresource = match node.entry("subResource")? {
            Some(subresource) => subresource.text()?,
            None => None,
        };
        let known = Operation::ALL.iter().find(|(known, _)| *known == name);
        Ok(Self {
            node,
            operation: known
                .map(|(_, operation)| *operation)
                .ok_or_else(|| operation.fault("expected CREATE, UPDATE, DELETE or CONNECT"))?,
            group: kind.at("group").text()?.unwrap_or_default(),
            kind: required(kind.at("kind"))?,
            subresource: subresource.unwrap_or_default(),
        })
    }

    /// The object as it would be stored.
    ///
    /// # Errors
    /// When there is none, or it is no object.
    pub fn object(&self) -> Result<Node<'d>, Fault> {
        let object = self.node.at("object");
        if object.object()? { Ok(object) } else { Err(object.fault("expected an object, found nothing")) }
    }

    /// The object as it is stored; a place without a value when the object is new.
    ///
    /// # Errors
    /// When there is a value that is no object.
    pub fn old_object(&self) -> Result<Node<'d>, Fault> {
        let old = self.node.at("oldObject");
        old.object()?;
        Ok(old)
    }

    /// The object as it is stored, which an update has.
    ///
    /// # Errors
    /// When there is none, or it is no object.
    pub fn stored_object(&self) -> Result<Node<'d>, Fault> {
        let old = self.node.at("oldObject");
        if old.object()? { Ok(old) } else { Err(old.fault("expected an object, found nothing")) }
    }

    /// The place of the name of the object; empty while the API server has not generated it.
    #[must_use]
    pub fn name(&self) -> Node<'d> {
        self.node.at("name")
    }

    /// The namespace of the object; `None` for cluster-wide kinds.
    ///
    /// # Errors
    /// When it is no string.
    pub fn namespace(&self) -> Result<Option<&'d str>, Fault> {
        self.node.at("namespace").filled_text()
    }

    /// The name of the user who asks; empty for the audit scanner, which asks for nobody.
    ///
    /// # Errors
    /// When it is no string.
    pub fn username(&self) -> Result<&'d str, Fault> {
        Ok(self.user().text()?.unwrap_or_default())
    }

    /// The place of the name of the user who asks.
    #[must_use]
    pub fn user(&self) -> Node<'d> {
        self.node.at("userInfo").at("username")
    }

    /// The groups of the user who asks.
    ///
    /// # Errors
    /// When they are no strings.
    pub fn groups(&self) -> Result<Vec<&'d str>, Fault> {
        Ok(self.node.at("userInfo").at("groups").texts()?.into_iter().map(|(_, group)| group).collect())
    }
}

fn required(node: Node<'_>) -> Result<&str, Fault> {
    node.filled_text()?.ok_or_else(|| node.fault("expected a string, found nothing"))
}
