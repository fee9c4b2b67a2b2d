//! The cluster as far as the input and the given objects tell it.

mod collector;
mod look_ups;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use admission::Shape;
use kubernetes::kinds::Kinds;
use kubernetes::objects::{Memo, ObjectError, Objects};
use serde_json::Value;

use crate::labels::labels_of;
use crate::options::Options;
use crate::policy::Policy;
use crate::session::Session;
pub(crate) use collector::Collector;
pub(crate) use look_ups::LookUps;

/// The kind that defines custom resources, with their plural and scope.
pub(crate) const DEFINITION: (&str, &str) = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");

/// The kind whose labels selectors read.
pub(crate) const NAMESPACE: (&str, &str) = ("v1", "Namespace");

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// The kinds by which RBAC grants permissions.
pub(crate) const RBAC_KINDS: [&str; 4] = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// API version and kind.
pub type Kind = (String, String);

/// Returns a kind that outlives its names.
pub(crate) fn owned((api_version, kind): (&str, &str)) -> Kind {
    (api_version.to_owned(), kind.to_owned())
}

/// The objects that policies look up.
///
/// Kinds are collected when a policy first looks one up: most objects need none, and some kinds,
/// such as pods, are most of the input.
///
/// Without the objects of a cluster, the input alone answers look-ups. It then has every object of
/// a kind, or none: the list of a kind that it does not contain, and a single object that it does
/// not contain, are unknown. A verdict that depends on them is unknown as well.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) objects: Arc<Objects>,
    /// Whether the objects are those of a cluster, so that what is absent does not exist.
    is_complete: bool,
    /// The kinds of which all objects of the input were collected; `None` for all kinds.
    collected: Option<BTreeSet<Kind>>,
    kinds: BTreeSet<Kind>,
    /// The objects that the input has in several states, with the states.
    ambiguous: BTreeMap<Key, Vec<Value>>,
    /// The kinds of which not all objects could be read, with the reason.
    withheld: BTreeMap<Kind, String>,
    namespaces: BTreeMap<String, Value>,
    /// Sentences for users about how the objects were combined.
    pub(crate) remarks: Vec<String>,
    /// The kinds of Kubernetes, and those that the input, the cluster and the old side define.
    pub(crate) resources: Kinds,
    /// The recording that answers look-ups in the place of the objects.
    pub(crate) session: Option<Arc<Session>>,
    memo: Arc<Memo>,
}

/// Returns whether two states of an object are equal in what a shape keeps.
fn are_equal(shape: Shape<'_>, one: &Value, other: &Value) -> bool {
    match (shape, one, other) {
        (Shape::Each(None), ..) => one == other,
        (Shape::Fields(fields), Value::Object(one), Value::Object(other)) => {
            fields.iter().all(|(name, shape)| match (one.get(*name), other.get(*name)) {
                (Some(one), Some(other)) => are_equal(*shape, one, other),
                (one, other) => one == other,
            })
        }
        (Shape::Each(Some(shape)), Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| are_equal(*shape, one, other)))
        }
        (_, Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal(shape, one, other))
        }
        _ => one == other,
    }
}

/// The number of states of one object from which on they count as different, so that look-ups do
/// not compare many.
const MOST_STATES: usize = 16;

/// Kind, namespace and name of an object.
type Key = (Kind, String, String);

impl Cluster {
    /// Creates a whole cluster: an object that is not given does not exist.
    ///
    /// # Errors
    /// A value that is not a Kubernetes object, and two states of one object.
    pub fn of_objects(values: Vec<Value>) -> Result<Self, ObjectError> {
        let objects = Objects::from_values(values.clone())?;
        let mut cluster = Self::of(Arc::new(objects));
        let items = |value| kubernetes::objects::items(value).unwrap_or_else(|object| vec![object]);
        for object in values.into_iter().flat_map(items) {
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            match text("/kind") {
                "Namespace" if text("/apiVersion") == "v1" => {
                    cluster.namespaces.insert(text("/metadata/name").to_owned(), labels_of(&object));
                }
                kind if kind == DEFINITION.1 => {
                    // A definition that cannot be read defines nothing.
                    let _ = cluster.resources.add_definition(&object);
                }
                _ => {}
            }
        }
        Ok(cluster)
    }

    /// Creates the cluster of an input, as a scan does: the objects of the input replace those of
    /// the cluster. Without a cluster (`None`), what the input lacks is unknown. `given` has the
    /// objects of all kinds that are looked up; [`Cluster::kinds_for`] lists them.
    #[must_use]
    pub fn of_input(given: Vec<Value>, stored: Option<Vec<Value>>) -> Self {
        let mut collector = Collector::new(BTreeSet::new(), Kinds::default());
        let is_complete = stored.is_some();
        for object in stored.into_iter().flatten() {
            collector.add(object);
        }
        collector.begin_input();
        for object in given {
            collector.add(object);
        }
        Self { collected: None, ..collector.finish(is_complete, &Options::default()) }
    }

    /// Returns the kinds whose objects verdicts of policies can depend on.
    #[must_use]
    pub fn kinds_for<'p>(policies: impl IntoIterator<Item = &'p Policy>) -> BTreeSet<Kind> {
        let look_ups = policies.into_iter().flat_map(Policy::modules).flat_map(|module| &module.look_ups);
        look_ups.cloned().chain(rbac_kinds()).chain([NAMESPACE, DEFINITION].map(owned)).collect()
    }

    /// Returns the objects of a kind.
    #[must_use]
    pub fn objects_of(&self, api_version: &str, kind: &str) -> Vec<Value> {
        self.objects.each(api_version, kind).map(Iterator::collect).unwrap_or_default()
    }

    /// Creates a cluster that cannot be reached: every look-up fails with this reason.
    #[must_use]
    pub fn unreachable(reason: &str) -> Self {
        Self::of(Arc::new(Objects::unreachable(reason)))
    }

    /// Creates a whole cluster of objects for look-ups alone: selectors and rules know neither its
    /// Namespaces nor the kinds that it defines.
    #[must_use]
    pub fn of(objects: Arc<Objects>) -> Self {
        Self {
            withheld: BTreeMap::new(),
            ambiguous: BTreeMap::new(),
            objects,
            is_complete: true,
            collected: None,
            kinds: BTreeSet::new(),
            namespaces: BTreeMap::new(),
            remarks: Vec::new(),
            resources: Kinds::default(),
            session: None,
            memo: Arc::default(),
        }
    }

    /// Returns whether all objects of these kinds were collected, and of no others.
    pub(crate) fn has_collected(&self, kinds: &BTreeSet<Kind>) -> bool {
        self.collected.as_ref() == Some(kinds)
    }

    /// Answers look-ups by a recording, and no longer by the objects. The objects still have the
    /// labels of Namespaces.
    pub fn set_session(&mut self, session: Arc<Session>) {
        self.session = Some(session);
    }

    /// The kinds of Kubernetes, and those that the cluster defines.
    #[must_use]
    pub fn kinds(&self) -> &Kinds {
        &self.resources
    }

    pub(crate) fn lacks(&self, kind: &Kind) -> bool {
        self.collected.as_ref().is_some_and(|collected| !collected.contains(kind))
    }

    /// Returns the same cluster, of which objects of kinds cannot be collected for a reason.
    pub(crate) fn without(&self, kinds: &BTreeSet<Kind>, why: &str) -> Self {
        let mut cluster = Self { memo: Arc::default(), ..self.clone() };
        if let Some(collected) = &mut cluster.collected {
            collected.extend(kinds.iter().cloned());
        }
        cluster.withheld.extend(kinds.iter().map(|kind| (kind.clone(), why.to_owned())));
        cluster
    }

    /// Returns the labels of a Namespace as an object; `None` if they are unknown.
    #[must_use]
    pub fn namespace(&self, name: &str) -> Option<&Value> {
        self.namespaces.get(name)
    }

    /// Returns why a look-up has no answer if the input has several states of an object that it is
    /// about, and the states differ in what the shape keeps.
    pub(crate) fn ambiguity(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: Option<&str>,
        shape: Shape<'_>,
    ) -> Option<String> {
        let kind = (api_version.to_owned(), kind.to_owned());
        let of_kind = self.ambiguous.range((kind.clone(), String::new(), String::new())..);
        let is_asked = |(_, of_namespace, of_name): &Key| {
            namespace.is_none_or(|namespace| namespace == of_namespace)
                && name.is_none_or(|name| name == of_name)
        };
        let differ = |states: &[Value]| match states {
            _ if states.len() >= MOST_STATES => true,
            [first, others @ ..] => others.iter().any(|other| !are_equal(shape, first, other)),
            [] => false,
        };
        let ((_, kind), _, name) = of_kind
            .take_while(|((of_kind, ..), _)| *of_kind == kind)
            .find(|(key, states)| is_asked(key) && differ(states))
            .map(|(key, _)| key)?;
        Some(format!("the input has several states of {kind} {name}; evaluate one at a time"))
    }

    /// Returns why the look-up of an object that was not found has no answer, if so.
    pub(crate) fn misses(&self, api_version: &str, kind: &str, name: &str) -> Option<String> {
        let withheld = self.withheld.get(&(api_version.to_owned(), kind.to_owned())).cloned();
        withheld.or_else(|| {
            (!self.is_complete)
                .then(|| format!("the {kind} {name} ({api_version}) is not in the input; {GIVE_CLUSTER}"))
        })
    }

    /// Returns why the look-up of the objects of a kind has no answer, if so.
    pub(crate) fn misses_kind(&self, api_version: &str, kind: &str) -> Option<String> {
        let key = (api_version.to_owned(), kind.to_owned());
        if let Some(why) = self.withheld.get(&key) {
            return Some(why.clone());
        }
        let is_known = self.is_complete || self.kinds.contains(&key);
        (!is_known).then(|| format!("the input has no {kind} ({api_version}); {GIVE_CLUSTER}"))
    }

    /// Returns why a question about permissions has no answer, if so.
    pub(crate) fn misses_permissions(&self) -> Option<String> {
        if let Some(why) = rbac_kinds().find_map(|kind| self.withheld.get(&kind)) {
            return Some(why.clone());
        }
        if let Some(why) =
            RBAC_KINDS.iter().find_map(|kind| self.ambiguity(RBAC, kind, None, None, Shape::ALL))
        {
            return Some(why);
        }
        let has = |kind: &str| self.kinds.contains(&(RBAC.to_owned(), kind.to_owned()));
        let is_known = self.is_complete
            && (self.collected.is_none() || RBAC_KINDS.iter().any(|kind| has(kind)))
            || RBAC_KINDS.iter().all(|kind| has(kind));
        (!is_known).then(|| GIVE_ROLES.to_owned())
    }
}

const GIVE_ROLES: &str = "permissions need the Roles, RoleBindings, ClusterRoles and ClusterRoleBindings of the cluster; give all of them \
     with its objects";

const GIVE_CLUSTER: &str = "give the objects of the cluster";

pub(crate) fn rbac_kinds() -> impl Iterator<Item = Kind> {
    RBAC_KINDS.iter().map(|kind| (RBAC.to_owned(), (*kind).to_owned()))
}
