//! The cluster as far as the input and the given objects tell it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use admission::{CanI, Get, List, Unreachable};
use cluster_objects::{Objects, not_granted};
use kinds::Kinds;
use serde_json::{Map, Value, json};

use crate::entry::{Content, Entry};
use crate::input::Input;
use crate::look_up::LookUp;
use crate::options::Options;
use crate::request::complete;
use crate::session::{NoAnswer, Question, Session};

/// Custom resources, whose plural and scope a definition tells.
pub(crate) const DEFINITION: (&str, &str) = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// The kinds by which RBAC grants permissions.
pub(crate) const RBAC_KINDS: [&str; 4] = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// API version and kind.
pub type Kind = (String, String);

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
    /// The kinds of which there are objects.
    kinds: BTreeSet<Kind>,
    /// The objects that the input has in several states.
    ambiguous: BTreeSet<Key>,
    /// The kinds of which not all objects could be read, with the reason.
    withheld: BTreeMap<Kind, String>,
    namespaces: BTreeMap<String, Value>,
    /// The kinds of Kubernetes, and those that the input, the cluster and the old side define.
    pub(crate) resources: Kinds,
    /// The recording that answers look-ups in the place of the objects.
    pub(crate) session: Option<Arc<Session>>,
}

/// Kind, namespace and name of an object.
type Key = (Kind, String, String);

/// Collects the objects of the kinds that policies look up.
#[derive(Debug)]
pub(crate) struct Collector {
    kinds: BTreeSet<Kind>,
    /// The objects of the cluster.
    stored: Vec<Value>,
    /// The objects of the input; `None` while the cluster is read.
    given: Option<Vec<Value>>,
    /// The kinds that the old side and the cluster define.
    resources: Kinds,
    withheld: BTreeMap<Kind, String>,
}

impl Collector {
    pub(crate) fn new(kinds: BTreeSet<Kind>, resources: Kinds) -> Self {
        Self { kinds, stored: Vec::new(), given: None, resources, withheld: BTreeMap::new() }
    }

    /// Notes the kinds that a source knows, and those that it could not read.
    pub(crate) fn note(&mut self, source: &dyn Input) {
        self.resources.extend(source.kinds());
        self.withheld.extend(source.withheld());
    }

    /// Returns the kinds to collect.
    pub(crate) fn kinds(&self) -> &BTreeSet<Kind> {
        &self.kinds
    }

    /// Returns whether a text can contain an object of one of the kinds.
    pub(crate) fn may_have(&self, text: &str) -> bool {
        self.kinds.iter().any(|(_, kind)| text.contains(kind.as_str()))
    }

    /// Returns the object of an entry if it is of one of the kinds.
    pub(crate) fn select(&self, entry: Entry) -> Option<Value> {
        let Content::Object(object) = entry.content else { return None };
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.kinds.contains(&(text("apiVersion"), text("kind"))).then_some(object)
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, object: Value) {
        // An object whose name the API server makes up cannot be looked up.
        if !key(&object).2.is_empty() {
            self.given.as_mut().unwrap_or(&mut self.stored).push(object);
        }
    }

    /// Notes that the objects that follow are those of the input, and not stored.
    pub(crate) fn begin_input(&mut self) {
        self.given = Some(Vec::new());
    }

    /// Returns the cluster. The objects of the input are completed as they are for requests, and
    /// are in the place of stored ones.
    pub(crate) fn finish(self, is_complete: bool, options: &Options) -> Cluster {
        let Self { kinds: collected, stored, given, mut resources, withheld } = self;
        let given = given.unwrap_or_default();
        let definitions = stored.iter().chain(&given).filter(|object| key(object).0.1 == DEFINITION.1);
        let definitions: BTreeMap<Key, &Value> = definitions.map(|object| (key(object), object)).collect();
        for definition in definitions.into_values() {
            // A definition that cannot be read defines nothing.
            let _ = resources.add_definition(definition);
        }
        let mut objects: BTreeMap<Key, Value> =
            stored.into_iter().map(|object| (key(&object), object)).collect();
        let mut states = BTreeMap::new();
        let mut ambiguous = BTreeSet::new();
        // The names of Namespaces that the input defines several times, with different labels.
        let mut without_labels = BTreeSet::new();
        for mut object in given {
            complete(&mut object, options, &resources);
            let key = key(&object);
            if let Some(known) = states.insert(key.clone(), object.clone())
                && known != object
            {
                if labels_of(&known) != labels_of(&object) {
                    without_labels.insert(key.2.clone());
                }
                ambiguous.insert(key);
            }
        }
        for (key, mut object) in states {
            // A manifest does not remove the labels that others gave a stored Namespace.
            if is_namespace(&key)
                && let Some(stored) = objects.get(&key)
            {
                keep_labels(stored, &mut object);
            }
            objects.insert(key, object);
        }
        let mut namespaces = BTreeMap::new();
        let mut values = Vec::new();
        let mut kinds = BTreeSet::new();
        for (key, mut object) in objects {
            if is_namespace(&key) {
                add_name_label(&mut object);
                // Selectors on one of several states are unknown.
                if !(ambiguous.contains(&key) && without_labels.contains(&key.2)) {
                    namespaces.insert(key.2, labels_of(&object));
                }
            }
            kinds.insert(key.0);
            values.push(object);
        }
        let objects =
            Objects::from_values(values).unwrap_or_else(|error| Objects::unreachable(error.to_string()));
        Cluster {
            objects: Arc::new(objects),
            is_complete,
            collected: Some(collected),
            kinds,
            ambiguous,
            withheld,
            namespaces,
            resources,
            session: None,
        }
    }
}

fn key(object: &Value) -> Key {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    ((text("/apiVersion"), text("/kind")), text("/metadata/namespace"), text("/metadata/name"))
}

fn is_namespace(((api_version, kind), ..): &Key) -> bool {
    api_version == "v1" && kind == "Namespace"
}

/// Adds the labels of a stored object that another state of the object lacks.
fn keep_labels(stored: &Value, object: &mut Value) {
    let stored = stored.pointer("/metadata/labels").and_then(Value::as_object);
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    let (Some(stored), Some(metadata)) = (stored, metadata) else { return };
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if labels.is_null() {
        *labels = json!({});
    }
    if let Some(labels) = labels.as_object_mut() {
        for (key, value) in stored {
            labels.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// Adds the label with the name of a Namespace, as the API server does when it stores one.
pub(crate) fn add_name_label(namespace: &mut Value) {
    let name = namespace.pointer("/metadata/name").cloned().unwrap_or_default();
    let metadata = namespace.get_mut("metadata").and_then(Value::as_object_mut);
    let Some(metadata) = metadata.filter(|_| name.is_string()) else { return };
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if labels.is_null() {
        *labels = Value::Object(Map::new());
    }
    if let Some(labels) = labels.as_object_mut() {
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
}

/// Returns an object with nothing but the labels of another.
fn labels_of(object: &Value) -> Value {
    json!({ "metadata": { "labels": object.pointer("/metadata/labels") } })
}

impl Cluster {
    /// Creates a whole cluster: an object that is not given does not exist.
    ///
    /// # Errors
    /// A value that is not a Kubernetes object, and two states of one object.
    pub fn of_objects(values: Vec<Value>) -> Result<Self, String> {
        let objects = Objects::from_values(values.clone()).map_err(|error| error.to_string())?;
        let mut cluster = Self::of(Arc::new(objects));
        let items = |value| cluster_objects::items(value).unwrap_or_else(|object| vec![object]);
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

    /// Creates a cluster that cannot be reached: every look-up fails with this reason.
    #[must_use]
    pub fn unreachable(reason: &str) -> Self {
        Self::of(Arc::new(Objects::unreachable(reason)))
    }

    fn of(objects: Arc<Objects>) -> Self {
        Self {
            withheld: BTreeMap::new(),
            ambiguous: BTreeSet::new(),
            objects,
            is_complete: true,
            collected: None,
            kinds: BTreeSet::new(),
            namespaces: BTreeMap::new(),
            resources: Kinds::default(),
            session: None,
        }
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

    /// Returns whether the objects of a kind were not collected yet.
    pub(crate) fn lacks(&self, kind: &Kind) -> bool {
        self.collected.as_ref().is_some_and(|collected| !collected.contains(kind))
    }

    /// Returns the same cluster, of which objects of kinds cannot be collected for a reason.
    pub(crate) fn without(&self, kinds: &BTreeSet<Kind>, why: &str) -> Self {
        let mut cluster = self.clone();
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

    /// Returns the reason if a look-up is about an object of which the input has several states.
    pub(crate) fn is_ambiguous(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: Option<&str>,
    ) -> Option<String> {
        let is_asked = |((version, of_kind), of_namespace, of_name): &&Key| {
            version == api_version
                && of_kind == kind
                && namespace.is_none_or(|namespace| namespace == of_namespace)
                && name.is_none_or(|name| name == of_name)
        };
        let ((_, kind), _, name) = self.ambiguous.iter().find(is_asked)?;
        Some(format!("the input has several states of {kind} {name}; judge one at a time"))
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
        if let Some(why) = RBAC_KINDS.iter().find_map(|kind| self.is_ambiguous(RBAC, kind, None, None)) {
            return Some(why);
        }
        let has = |kind: &str| self.kinds.contains(&(RBAC.to_owned(), kind.to_owned()));
        let is_known = self.collected.is_none()
            || self.is_complete && RBAC_KINDS.iter().any(|kind| has(kind))
            || RBAC_KINDS.iter().all(|kind| has(kind));
        (!is_known).then(|| format!("permissions need the roles and bindings of the cluster; {GIVE_CLUSTER}"))
    }
}

const GIVE_CLUSTER: &str = "give the objects of the cluster";

/// The kinds that answer questions about permissions.
pub(crate) fn rbac_kinds() -> impl Iterator<Item = Kind> {
    RBAC_KINDS.iter().map(|kind| (RBAC.to_owned(), (*kind).to_owned()))
}

/// The look-ups of one verdict.
#[derive(Debug)]
pub(crate) struct LookUps<'c> {
    cluster: &'c Cluster,
    /// The kinds that the policy may look up. The policy server checks no kind of a question about
    /// permissions.
    granted: &'c [Kind],
    /// Why the first look-up without an answer has none.
    unanswered: RefCell<Option<String>>,
    /// The kinds that have to be collected.
    lacking: RefCell<BTreeSet<Kind>>,
    asked: RefCell<Vec<LookUp>>,
}

/// The look-ups of a verdict.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Why a look-up has no answer.
    pub(crate) unanswered: Option<String>,
    /// The kinds that have to be collected first.
    pub(crate) lacking: BTreeSet<Kind>,
    pub(crate) look_ups: Vec<LookUp>,
}

impl<'c> LookUps<'c> {
    pub(crate) fn new(cluster: &'c Cluster, granted: &'c [Kind]) -> Self {
        Self {
            cluster,
            granted,
            unanswered: RefCell::default(),
            lacking: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    /// Returns what was asked.
    pub(crate) fn into_asked(self) -> Asked {
        Asked {
            unanswered: self.unanswered.into_inner(),
            lacking: self.lacking.into_inner(),
            look_ups: self.asked.into_inner(),
        }
    }

    fn check_grant(&self, api_version: &str, kind: &str) -> Result<(), Unreachable> {
        let is_granted =
            self.granted.iter().any(|(version, granted)| version == api_version && granted == kind);
        if is_granted { Ok(()) } else { Err(not_granted(api_version, kind)) }
    }

    /// Notes kinds that have to be collected; returns whether there are any.
    fn lacks(&self, kinds: impl IntoIterator<Item = Kind>) -> Result<(), Unreachable> {
        let mut is_lacking = false;
        for kind in kinds.into_iter().filter(|kind| self.cluster.lacks(kind)) {
            is_lacking = true;
            self.lacking.borrow_mut().insert(kind);
        }
        if is_lacking { Err(Unreachable("the objects are not collected yet".to_owned())) } else { Ok(()) }
    }

    /// Returns the answer of a recording, if there is one.
    fn replay(&self, question: &dyn Fn() -> Question) -> Option<Result<Vec<u8>, Unreachable>> {
        let session = self.cluster.session.as_ref()?;
        Some(session.answer(&question()).map_err(|no_answer| match no_answer {
            NoAnswer::Recorded(message) => Unreachable(format!("Callback evaluation failure: {message}")),
            NoAnswer::Unexpected(problem) => self.unanswered(problem),
        }))
    }

    fn unanswered(&self, why: String) -> Unreachable {
        self.unanswered.borrow_mut().get_or_insert_with(|| why.clone());
        Unreachable(why)
    }
}

fn is_absent(why: &str, wanted: &Get<'_>) -> bool {
    let Get { api_version, kind, name, .. } = wanted;
    why.contains(&format!("Cannot find {api_version}/{kind} named '{name}'"))
}

impl admission::Cluster for LookUps<'_> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::get(wanted));
        self.check_grant(wanted.api_version, wanted.kind)?;
        match self.replay(&|| Question::get(wanted)) {
            // The words of the policy server for an object that does not exist.
            Some(Err(Unreachable(why))) if is_absent(&why, wanted) => return Ok(None),
            Some(answer) => return answer.map(Some),
            None => {}
        }
        self.lacks([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        if let Some(why) =
            self.cluster.is_ambiguous(wanted.api_version, wanted.kind, wanted.namespace, Some(wanted.name))
        {
            return Err(self.unanswered(why));
        }
        let found = admission::Cluster::get(&*self.cluster.objects, wanted)?;
        match self.cluster.misses(wanted.api_version, wanted.kind, wanted.name) {
            Some(why) if found.is_none() => Err(self.unanswered(why)),
            _ => Ok(found),
        }
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::list(wanted));
        self.check_grant(wanted.api_version, wanted.kind)?;
        if let Some(answer) = self.replay(&|| Question::list(wanted)) {
            return answer;
        }
        self.lacks([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        let ambiguous = self.cluster.is_ambiguous(wanted.api_version, wanted.kind, wanted.namespace, None);
        match ambiguous.or_else(|| self.cluster.misses_kind(wanted.api_version, wanted.kind)) {
            Some(why) => Err(self.unanswered(why)),
            None => admission::Cluster::list(&*self.cluster.objects, wanted),
        }
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::can_i(wanted));
        if let Some(answer) = self.replay(&|| Question::can_i(wanted)) {
            return answer;
        }
        self.lacks(rbac_kinds())?;
        match self.cluster.misses_permissions() {
            Some(why) => Err(self.unanswered(why)),
            None => admission::Cluster::can_i(&*self.cluster.objects, wanted),
        }
    }
}
