//! The admission request, as far as policies read it.

use document::peek;

use crate::{Fault, Node, Scope, Shape};

/// A request of a client to the API server.
///
/// It has only fields of the `AdmissionRequest` that the API server sends, under the same names:
/// <https://kubernetes.io/docs/reference/config-api/apiserver-admission.v1/>.
#[derive(Clone, Copy, Debug)]
pub struct Request<'d> {
    node: Node<'d>,
    /// The operation on the object.
    pub operation: Operation,
    /// The API group of the object, empty for the core group.
    pub group: &'d str,
    /// The kind of the object.
    pub kind: &'d str,
    /// The subresource of the request, such as `status`; empty for the object itself.
    pub subresource: &'d str,
}

/// An operation on an object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Operation {
    /// The object is created. The audit scanner sends this operation for existing objects.
    Create,
    /// The object is updated, also by PATCH and by server-side apply.
    Update,
    /// The object is deleted.
    Delete,
    /// A client connects to the object: exec, attach, port-forward or proxy.
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

pub(crate) const fn payload<'s>(request: &'s [(&'s str, Shape<'s>)]) -> [(&'s str, Shape<'s>); 2] {
    [("request", Shape::Fields(request)), ("settings", Shape::ALL)]
}

const KIND: Shape<'static> = Shape::Fields(&[("group", Shape::ALL), ("kind", Shape::ALL)]);

/// The fields of the requesting user that every policy may read.
pub(crate) const USER: Shape<'static> = Shape::Fields(&[("groups", Shape::ALL), ("username", Shape::ALL)]);

pub(crate) const fn shape<'s>(object: Shape<'s>, user: Shape<'s>) -> [(&'s str, Shape<'s>); 8] {
    [
        ("kind", KIND),
        ("name", Shape::ALL),
        ("namespace", Shape::ALL),
        ("object", object),
        ("oldObject", object),
        ("operation", Shape::ALL),
        ("subResource", Shape::ALL),
        ("userInfo", user),
    ]
}

/// The fields of a request that decide whether a policy matches it.
pub(crate) const SCOPED: &[(&str, Shape<'static>)] =
    &[("kind", KIND), ("operation", Shape::ALL), ("subResource", Shape::ALL)];

/// Returns whether the kind at the beginning of a payload is in a scope; also `true` if there is no
/// kind at the beginning.
pub(crate) fn may_be_of(payload: &[u8], scope: Scope) -> bool {
    let found = peek(payload, &["request", "kind"], ["group", "kind"]);
    let Some([group, kind]) = found else { return true };
    scope.0.iter().any(|rule| rule.kind.as_bytes() == kind && rule.group.as_bytes() == group)
}

/// Returns whether a string of the user at the end of a payload begins with one of some texts; also
/// `true` if there is no user. The host sorts the fields of a request, so `userInfo` is the last
/// one.
///
/// Other fields may have such strings, and these may have escapes. The result is therefore only a
/// guess, which must be checked later.
pub(crate) fn may_be_by(payload: &[u8], texts: &[&str]) -> bool {
    let mut rest = payload;
    while let Some((last, before)) = rest.split_last() {
        rest = before;
        if *last != b'"' {
            continue;
        }
        let string = payload.get(before.len().saturating_add(1)..).unwrap_or_default();
        if texts.iter().any(|text| string.starts_with(text.as_bytes())) {
            return true;
        }
        if string.starts_with(b"userInfo\"") {
            return false;
        }
    }
    true
}

impl<'d> Request<'d> {
    /// Reads the fields that decide whether a policy matches the request.
    pub(crate) fn of(payload: Node<'d>) -> Result<Self, Fault> {
        let node = payload.at("request");
        let kind = node.at("kind");
        let operation = node.at("operation");
        let name = required(operation)?;
        // Usually absent: `entry` records no place for it then.
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

    /// Returns the object as it would be stored.
    ///
    /// # Errors
    /// Returns a fault if it is absent or not an object.
    pub fn object(&self) -> Result<Node<'d>, Fault> {
        let object = self.node.at("object");
        if object.object()? { Ok(object) } else { Err(object.fault("expected an object, found nothing")) }
    }

    /// Returns the stored object; a place without a value if the object is new.
    ///
    /// # Errors
    /// Returns a fault if the value is not an object.
    pub fn old_object(&self) -> Result<Node<'d>, Fault> {
        let old = self.node.at("oldObject");
        old.object()?;
        Ok(old)
    }

    /// Returns the stored object, which every update has.
    ///
    /// # Errors
    /// Returns a fault if it is absent or not an object.
    pub fn stored_object(&self) -> Result<Node<'d>, Fault> {
        let old = self.node.at("oldObject");
        if old.object()? { Ok(old) } else { Err(old.fault("expected an object, found nothing")) }
    }

    /// Returns the place of the object's name, which is empty until the API server has generated
    /// it.
    #[must_use]
    pub fn name(&self) -> Node<'d> {
        self.node.at("name")
    }

    /// Returns the namespace of the object; `None` for cluster-wide kinds.
    ///
    /// # Errors
    /// Returns a fault if it is not a string.
    pub fn namespace(&self) -> Result<Option<&'d str>, Fault> {
        self.node.at("namespace").filled_text()
    }

    /// Returns the name of the requesting user; empty for the audit scanner, whose requests have no
    /// user.
    ///
    /// # Errors
    /// Returns a fault if it is not a string.
    pub fn username(&self) -> Result<&'d str, Fault> {
        Ok(self.user().text()?.unwrap_or_default())
    }

    /// Returns the place of the requesting user's name.
    #[must_use]
    pub fn user(&self) -> Node<'d> {
        self.node.at("userInfo").at("username")
    }

    /// Returns the place of what else the authenticator says of the requesting user: lists of
    /// strings by key.
    ///
    /// Only for policies whose [shape of the user](crate::Policy::USER) keeps it.
    #[must_use]
    pub fn extra(&self) -> Node<'d> {
        self.node.at("userInfo").at("extra")
    }

    /// Returns the groups of the requesting user.
    ///
    /// # Errors
    /// Returns a fault if they are not an array of strings.
    pub fn groups(&self) -> Result<Vec<&'d str>, Fault> {
        Ok(self.node.at("userInfo").at("groups").texts()?.into_iter().map(|(_, group)| group).collect())
    }
}

fn required(node: Node<'_>) -> Result<&str, Fault> {
    node.filled_text()?.ok_or_else(|| node.fault("expected a string, found nothing"))
}
