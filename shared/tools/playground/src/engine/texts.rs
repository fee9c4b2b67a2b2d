//! The texts around the objects: the cluster and the stored objects.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use kubernetes::kinds::Kinds;
use kubernetes::objects::Objects;
use manifest::{Places, Problem, Step, documents};
use scan::{Cluster, Content, Document, Kind, Placed};
use serde_json::Value;

use crate::matrix::{TextMark, TextName, TextProblem};
use crate::workspace::Workspace;

/// An object of the text that policies can look up: its document, and its number in it.
#[derive(Clone, Debug)]
pub(crate) struct Given(Rc<Document>, usize);

impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) && self.1 == other.1
    }
}

impl Given {
    /// Returns the objects of these kinds.
    pub(crate) fn of(placed: &[Placed], kinds: &BTreeSet<Kind>) -> Vec<Self> {
        let documents = placed.iter().map(|placed| &placed.document);
        let all = documents
            .flat_map(|document| (0..document.entries.len()).map(|entry| Self(Rc::clone(document), entry)));
        all.filter(|given| given.object().is_some_and(|object| kinds.contains(&kind(object)))).collect()
    }

    pub(crate) fn object(&self) -> Option<&Value> {
        match &self.0.entries.get(self.1)?.content {
            Content::Object(object) => Some(object),
            _ => None,
        }
    }

    #[cfg(feature = "whole")]
    pub(crate) fn kind(&self) -> Option<Kind> {
        self.object().map(kind)
    }

    /// Returns whether the object defines a kind.
    pub(crate) fn is_definition(&self) -> bool {
        self.object().is_some_and(|object| kind(object).1 == "CustomResourceDefinition")
    }
}

/// Returns the API version and the kind of an object.
pub(crate) fn kind(object: &Value) -> Kind {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    (text("apiVersion"), text("kind"))
}

/// The objects that policies look up.
#[derive(Debug)]
pub(crate) struct Surroundings {
    source: Rc<Source>,
    /// The objects of the input, which replace those of the cluster, as in a scan.
    pub(crate) given: Vec<Given>,
    pub(crate) cluster: Cluster,
}

/// The cluster of a workspace.
#[derive(Debug)]
enum Source {
    /// Its objects; `None` if there is no text, so that what the input does not have is unknown.
    Stored(Option<Vec<Value>>),
    Unreachable(String),
    /// The text cannot be read.
    Broken(TextProblem),
}

impl Default for Surroundings {
    fn default() -> Self {
        Self::new(Rc::new(Source::Stored(None)), Vec::new())
    }
}

impl Surroundings {
    pub(crate) fn of(workspace: &Workspace, given: Vec<Given>) -> Self {
        let source = match stored(&workspace.cluster) {
            Err(problem) => Source::Broken(problem),
            Ok(_) if !workspace.unreachable.is_empty() => Source::Unreachable(workspace.unreachable.clone()),
            Ok(stored) => Source::Stored(stored),
        };
        Self::new(Rc::new(source), given)
    }

    /// Returns the same with other objects of the input.
    pub(crate) fn with(&self, given: Vec<Given>) -> Self {
        Self::new(Rc::clone(&self.source), given)
    }

    fn new(source: Rc<Source>, given: Vec<Given>) -> Self {
        let cluster = match &*source {
            Source::Stored(stored) => {
                Cluster::of_input(given.iter().filter_map(Given::object).cloned().collect(), stored.clone())
            }
            Source::Unreachable(reason) => Cluster::unreachable(reason),
            Source::Broken(problem) => Cluster::unreachable(&problem.message),
        };
        Self { source, given, cluster }
    }

    /// Returns whether the text of the cluster has documents.
    #[cfg(feature = "whole")]
    pub(crate) fn is_given(&self) -> bool {
        matches!(&*self.source, Source::Stored(Some(_)))
    }

    /// Returns the objects of the text of the cluster.
    #[cfg(feature = "whole")]
    pub(crate) fn stored(&self) -> &[Value] {
        match &*self.source {
            Source::Stored(stored) => stored.as_deref().unwrap_or_default(),
            Source::Unreachable(_) | Source::Broken(_) => &[],
        }
    }

    /// Returns why the text is not one of a cluster.
    pub(crate) fn problem(&self) -> Option<&TextProblem> {
        match &*self.source {
            Source::Broken(problem) => Some(problem),
            Source::Stored(_) | Source::Unreachable(_) => None,
        }
    }
}

/// Reads the objects of a text of the cluster; `None` if it has no document.
pub(crate) fn stored(text: &str) -> Result<Option<Vec<Value>>, TextProblem> {
    let unreadable = |problem: Problem| unreadable(TextName::Cluster, &problem);
    let mut objects = Vec::new();
    let mut roots = Vec::new();
    let documents = documents(text).map_err(unreadable)?;
    let is_given = !documents.is_empty();
    for (document, value) in documents.into_iter().enumerate() {
        match value {
            // The output of `jq '.items'`.
            Value::Array(items) => {
                roots.extend((0..).zip(&items).map(|(index, _)| (document, vec![Step::Index(index)])));
                objects.extend(items);
            }
            value => {
                roots.push((document, Vec::new()));
                objects.push(value);
            }
        }
    }
    if let Err(error) = Objects::from_values(objects.clone()) {
        let place = error.place();
        let mark = roots.get(place.index).and_then(|(document, root)| {
            let path: Vec<Step> = root.iter().chain(&place.steps).cloned().collect();
            mark_in(text, TextName::Cluster, *document, &path)
        });
        return Err(problem(TextName::Cluster, error.to_string(), mark));
    }
    let items = |value| kubernetes::objects::items(value).unwrap_or_else(|object| vec![object]);
    Ok(is_given.then(|| objects.into_iter().flat_map(items).collect()))
}

#[derive(Debug, Default)]
pub(crate) struct Stored {
    objects: HashMap<scan::Identity, Rc<StoredObject>>,
    pub(crate) problems: Vec<TextProblem>,
}

#[derive(Debug)]
pub(crate) struct StoredObject {
    pub(crate) value: Value,
    placed: Placed,
    entry: usize,
}

impl Stored {
    pub(crate) fn of(workspace: &Workspace, kinds: &Kinds) -> Self {
        let mut stored = Self::default();
        for placed in scan::documents(&workspace.old_objects, &|_| None) {
            if let Some(problem) = &placed.document.problem {
                stored.problems.push(unreadable_document(TextName::OldObjects, &placed, problem));
            }
            for (entry, one) in placed.document.entries.iter().enumerate() {
                let problem = match &one.content {
                    Content::Object(object) => {
                        let value = object.clone();
                        if let Some(identity) = scan::identity_in(&value, crate::NAMESPACE, kinds) {
                            let object = Rc::new(StoredObject { value, placed: placed.clone(), entry });
                            match stored.objects.insert(identity, Rc::clone(&object)) {
                                Some(other) if other.value != object.value => {
                                    "is here twice, in two states; keep one of them".to_owned()
                                }
                                _ => continue,
                            }
                        } else {
                            "metadata.name: Required value: a stored object has a name; add it".to_owned()
                        }
                    }
                    Content::Review(_) => "expected a stored object, found a request".to_owned(),
                    Content::Untyped(_, problem) | Content::Other(problem) => problem.clone(),
                };
                let mark = placed.place(one, &[]).and_then(|found| mark(TextName::OldObjects, found));
                stored.problems.push(self::problem(TextName::OldObjects, problem, mark));
            }
        }
        stored
    }

    pub(crate) fn get(&self, identity: &scan::Identity) -> Option<&Rc<StoredObject>> {
        self.objects.get(identity)
    }
}

impl StoredObject {
    pub(crate) fn mark(&self, path: &[Step]) -> Option<TextMark> {
        let entry = self.placed.document.entries.get(self.entry)?;
        mark(TextName::OldObjects, self.placed.place(entry, path)?)
    }
}

pub(crate) fn unreadable_document(text: TextName, placed: &Placed, problem: &Problem) -> TextProblem {
    let at = problem.at.map(|at| placed.position(at));
    unreadable(text, &problem.clone().at(at))
}

pub(crate) fn unreadable(text: TextName, error: &Problem) -> TextProblem {
    let mark = error.at.and_then(|at| {
        let place = manifest::Place { start: at, end: at };
        mark(text, (place, true))
    });
    problem(text, error.near(), mark)
}

pub(crate) fn problem(text: TextName, message: impl Into<String>, mark: Option<TextMark>) -> TextProblem {
    TextProblem { text, message: message.into(), mark, can_be_imported: false }
}

pub(crate) fn mark(text: TextName, (place, is_exact): (manifest::Place, bool)) -> Option<TextMark> {
    let number = |number: u64| u32::try_from(number).ok();
    Some(TextMark {
        text,
        line: number(place.start.line)?,
        column: number(place.start.column)?,
        end_column: number(place.end.column)?,
        is_exact,
    })
}

pub(crate) fn mark_in(text: &str, name: TextName, document: usize, path: &[Step]) -> Option<TextMark> {
    let places = Places::of(text);
    let exact = places.find_exactly(document, path);
    let place = exact.or_else(|| places.find(document, path))?;
    mark(name, (place, exact.is_some()))
}
