//! The cluster as far as the input and the given objects tell it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use admission::{CanI, Get, List, Unreachable};
use cluster_objects::Objects;
use kinds::Kinds;
use serde_json::{Map, Value, json};

use crate::entry::{Content, Entry};
use crate::input::Input;
use crate::look_up::LookUp;
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
    /// The kinds of which not all objects could be read, with the reason.
    withheld: BTreeMap<Kind, String>,
    namespaces: BTreeMap<String, Value>,
    /// The kinds of Kubernetes, and those that the input, the cluster and the old side define.
    pub(crate) resources: Kinds,
    /// The recording that answers look-ups in the place of the objects.
    pub(crate) session: Option<Arc<Session>>,
}

/// Collects the objects of the kinds that policies look up.
#[derive(Debug)]
pub(crate) struct Collector {
    kinds: BTreeSet<Kind>,
    objects: BTreeMap<(Kind, String, String), Value>,
    /// The labels of the Namespaces in the input; `None` while the cluster is read.
    given: Option<BTreeMap<String, Value>>,
    /// The names of Namespaces that the input defines several times, with different labels.
    ambiguous: BTreeSet<String>,
    /// The kinds that the old side and the cluster define.
    resources: Kinds,
    withheld: BTreeMap<Kind, String>,
}

impl Collector {
    pub(crate) fn new(kinds: BTreeSet<Kind>, resources: Kinds) -> Self {
        Self {
            kinds,
            objects: BTreeMap::new(),
            given: None,
            ambiguous: BTreeSet::new(),
            resources,
            withheld: BTreeMap::new(),
        }
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

    /// Adds an object, in the place of one that was given before.
    pub(crate) fn add(&mut self, object: Value) {
        let text =
            |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = (text("/apiVersion"), text("/kind"));
        let name = text("/metadata/name");
        // An object whose name the API server makes up cannot be looked up.
        if !name.is_empty() {
            let is_namespace = kind.0 == "v1" && kind.1 == "Namespace";
            let key = (kind, text("/metadata/namespace"), name);
            let mut object = object;
            if is_namespace && let Some(given) = &mut self.given {
                let labels = labels_of(&object);
                if given.get(&key.2).is_some_and(|known| *known != labels) {
                    self.ambiguous.insert(key.2.clone());
                }
                given.insert(key.2.clone(), labels);
                // A manifest does not remove the labels that others gave a stored Namespace.
                if let Some(stored) = self.objects.get(&key) {
                    keep_labels(stored, &mut object);
                }
            }
            self.objects.insert(key, object);
        }
    }

    /// Notes that the objects that follow are those of the input, and not stored.
    pub(crate) fn begin_input(&mut self) {
        self.given = Some(BTreeMap::new());
    }

    pub(crate) fn finish(self, is_complete: bool) -> Cluster {
        let mut namespaces = BTreeMap::new();
        let mut resources = self.resources;
        let mut values = Vec::new();
        let mut kinds = BTreeSet::new();
        for ((kind, _, name), mut object) in self.objects {
            if kind.1 == DEFINITION.1 {
                // A definition that cannot be read defines nothing.
                let _ = resources.add_definition(&object);
            }
            if kind.0 == "v1" && kind.1 == "Namespace" {
                add_name_label(&mut object);
                // Selectors on one of several states are unknown.
                if !self.ambiguous.contains(&name) {
                    namespaces.insert(name, labels_of(&object));
                }
            }
            kinds.insert(kind);
            values.push(object);
        }
        let objects =
            Objects::from_values(values).unwrap_or_else(|error| Objects::unreachable(error.to_string()));
        Cluster {
            objects: Arc::new(objects),
            is_complete,
            collected: Some(self.kinds),
            kinds,
            withheld: self.withheld,
            namespaces,
            resources,
            session: None,
        }
    }
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
    pub(crate) fn new(cluster: &'c Cluster) -> Self {
        Self {
            cluster,
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
        match self.replay(&|| Question::get(wanted)) {
            // The words of the policy server for an object that does not exist.
            Some(Err(Unreachable(why))) if is_absent(&why, wanted) => return Ok(None),
            Some(answer) => return answer.map(Some),
            None => {}
        }
        self.lacks([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        let found = admission::Cluster::get(&*self.cluster.objects, wanted)?;
        match self.cluster.misses(wanted.api_version, wanted.kind, wanted.name) {
            Some(why) if found.is_none() => Err(self.unanswered(why)),
            _ => Ok(found),
        }
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::list(wanted));
        if let Some(answer) = self.replay(&|| Question::list(wanted)) {
            return answer;
        }
        self.lacks([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        match self.cluster.misses_kind(wanted.api_version, wanted.kind) {
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
