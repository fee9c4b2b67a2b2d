//! Look-ups: questions to the cluster.

use std::any::{Any, TypeId};
use std::sync::Arc;

use document::Origin;

use crate::{Document, Fault, Node, Quoted, Shape};

/// The source of the cluster's objects: host calls in a module, a set of objects in tests and
/// tools.
///
/// Answers are JSON, so that the same code reads them from every source.
pub trait Cluster {
    /// Returns an object by name, as JSON; `None` if the cluster does not have it.
    ///
    /// # Errors
    /// Returns [`Unreachable`] if the cluster cannot be asked.
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable>;

    /// Returns the objects of a kind as JSON: a Kubernetes list with `items`, in no particular
    /// order.
    ///
    /// # Errors
    /// Returns [`Unreachable`] if the cluster cannot be asked.
    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable>;

    /// Returns whether a user has a permission, as the JSON of a `SubjectAccessReviewStatus`.
    ///
    /// # Errors
    /// Returns [`Unreachable`] if the cluster cannot be asked. Sources that know no permissions
    /// cannot be asked for any.
    fn can_i(&self, _: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        Err(Unreachable("permissions are unknown".to_owned()))
    }

    /// Returns the items that a policy read from a list before, if the source keeps them and their
    /// `Vec` has this type. A source that answers one request, as that of a module, keeps nothing.
    fn kept(&self, _list: &List<'_>, _items: TypeId) -> Option<KeptItems> {
        None
    }

    /// Keeps the items that a policy read from a list, for the next requests to the same policy
    /// with the same settings.
    fn keep(&self, _list: &List<'_>, _items: &dyn Fn() -> KeptItems) {}
}

/// The items of a list as a policy compares them: a `Vec` of a type of its own.
pub type KeptItems = Arc<dyn Any + Send + Sync>;

/// The look-up of one object.
#[derive(Clone, Copy, Debug)]
pub struct Get<'a> {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: &'a str,
    /// The kind, such as `Namespace`.
    pub kind: &'a str,
    /// The namespace of the object; `None` for cluster-wide kinds.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// The fields that are read; the host removes the others.
    pub shape: Shape<'a>,
}

/// The look-up of all objects of a kind.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: &'a str,
    /// The kind, such as `Service`.
    pub kind: &'a str,
    /// The namespace of the objects; `None` for all namespaces.
    pub namespace: Option<&'a str>,
    /// The fields that are read of each object; the host removes the others.
    pub shape: Shape<'a>,
}

/// The question whether the authorizers of the API server, such as RBAC, allow a user an action.
///
/// Source: `SubjectAccessReviewSpec` of k8s.io/api/authorization/v1. The host passes neither the
/// UID nor the extra attributes of a user.
#[derive(Clone, Copy, Debug)]
pub struct CanI<'a> {
    /// The name of the user.
    pub user: &'a str,
    /// The groups of the user.
    pub groups: &'a [&'a str],
    /// The verb, such as `create`.
    pub verb: &'a str,
    /// The API group, empty for the core group.
    pub group: &'a str,
    /// The resource, in the plural, such as `services`. It need not exist.
    pub resource: &'a str,
    /// The subresource; empty for the resource itself.
    pub subresource: &'a str,
    /// The name of the object; empty for all objects.
    pub name: &'a str,
    /// The namespace; empty for all namespaces.
    pub namespace: &'a str,
}

/// A failed look-up, with the reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unreachable(pub String);

/// The answer to the look-up of one object, which [`document`](LookupAnswer::document) parses.
#[derive(Debug)]
pub struct LookupAnswer<'a> {
    json: Vec<u8>,
    name: String,
    shape: Shape<'a>,
}

impl<'a> Get<'a> {
    /// Asks the cluster.
    ///
    /// # Errors
    /// Returns a fault if the cluster cannot be asked.
    pub fn ask(&self, cluster: &dyn Cluster) -> Result<Option<LookupAnswer<'a>>, Fault> {
        let answer = cluster.get(self).map_err(|why| self.fault(&why))?;
        Ok(answer.map(|json| LookupAnswer { json, name: self.to_string(), shape: self.shape }))
    }

    fn fault(&self, why: &Unreachable) -> Fault {
        lookup_fault(self.to_string(), why)
    }
}

impl std::fmt::Display for Get<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, Quoted(self.name))
    }
}

impl List<'_> {
    /// Asks the cluster and passes each object to `read`. Only one object is kept at a time, so
    /// the memory of an instance limits the length of the answer and not the number of objects.
    ///
    /// # Errors
    /// Returns a fault if the cluster cannot be asked or the answer cannot be read, or the fault of
    /// `read`.
    pub fn each(
        &self,
        cluster: &dyn Cluster,
        read: &mut dyn FnMut(Node<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let name = ["list of ", self.kind, "s"].concat();
        let json = cluster.list(self).map_err(|why| lookup_fault(name.clone(), &why))?;
        Document::each_item(&json, self.shape, Origin::Lookup(&name), read)
    }

    /// Asks the cluster and returns the items that `read` makes of the objects. They must depend on
    /// nothing but the object and the settings, because a source that answers many requests keeps
    /// them: otherwise, each object of a dump would read the whole list.
    ///
    /// # Errors
    /// As [`each`](Self::each).
    pub fn collect<T: Any + Send + Sync>(
        &self,
        cluster: &dyn Cluster,
        read: &mut dyn FnMut(Node<'_>) -> Result<Option<T>, Fault>,
    ) -> Result<Arc<Vec<T>>, Fault> {
        let kept = cluster.kept(self, TypeId::of::<Vec<T>>());
        if let Some(items) = kept.and_then(|items| items.downcast().ok()) {
            return Ok(items);
        }
        let mut items = Vec::new();
        self.each(cluster, &mut |node| {
            if let Some(item) = read(node)? {
                items.push(item);
            }
            Ok(())
        })?;
        let items = Arc::new(items);
        cluster.keep(self, &|| Arc::<Vec<T>>::clone(&items));
        Ok(items)
    }
}

impl CanI<'_> {
    /// Asks the cluster.
    ///
    /// # Errors
    /// Returns a fault if the cluster cannot be asked or the answer cannot be read.
    pub fn ask(&self, cluster: &dyn Cluster) -> Result<bool, Fault> {
        let name = self.to_string();
        let json = cluster.can_i(self).map_err(|why| lookup_fault(name.clone(), &why))?;
        let status =
            Document::parse(&json, Shape::Fields(&[("allowed", Shape::ALL)]), Origin::Lookup(&name))?;
        let allowed = status.root().at("allowed");
        allowed.boolean()?.ok_or_else(|| allowed.fault("expected a boolean, found nothing"))
    }
}

/// Displays the permission as `kubectl auth can-i` takes it: `permission to create
/// services.example.com/addresses`.
impl std::fmt::Display for CanI<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { verb, group, resource, subresource, name, .. } = self;
        let after = |separator: &'static str, part: &&str| if part.is_empty() { "" } else { separator };
        for part in ["permission to ", verb, " ", resource, after(".", group), group] {
            f.write_str(part)?;
        }
        for part in [after("/", subresource), subresource, after(" ", name), name] {
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl LookupAnswer<'_> {
    /// Parses the answer.
    ///
    /// # Errors
    /// Returns a fault if the answer is not an object or cannot be parsed; see [`Document::parse`].
    pub fn document(&self) -> Result<Document<'_>, Fault> {
        let origin = Origin::Lookup(self.name.as_str());
        let document = Document::parse(&self.json, self.shape, origin)?;
        let root = document.root();
        if !root.object()? {
            return Err(root.fault("expected an object, found nothing"));
        }
        Ok(document)
    }
}

#[cold]
fn lookup_fault(name: String, why: &Unreachable) -> Fault {
    Fault::in_lookup(name, ["look-up failed: ", &one_line(&why.0)].concat())
}

/// Returns a message of the host on one line of at most 300 characters.
#[cold]
fn one_line(text: &str) -> String {
    const LIMIT: usize = 300;
    text.chars().take(LIMIT).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
