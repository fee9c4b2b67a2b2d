//! The texts around the objects: the cluster and the stored objects.

use std::collections::HashMap;
use std::rc::Rc;

use kubernetes::kinds::Kinds;
use kubernetes::objects::Objects;
use manifest::{Places, Problem, Step, documents};
use scan::{Cluster, Content, Placed};
use serde_json::Value;

use crate::matrix::{TextMark, TextName, TextProblem};
use crate::workspace::Workspace;

#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) cluster: Cluster,
    /// Why the text is not one of a cluster.
    pub(crate) problem: Option<TextProblem>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { cluster: Cluster::unreachable("no cluster is given"), problem: None }
    }
}

impl Surroundings {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        match cluster(workspace) {
            Ok(cluster) => Self { cluster, problem: None },
            Err(problem) => Self { problem: Some(problem), ..Self::default() },
        }
    }
}

fn cluster(workspace: &Workspace) -> Result<Cluster, TextProblem> {
    let text = &workspace.cluster;
    let unreadable = |problem: Problem| unreadable(TextName::Cluster, &problem);
    let mut objects = Vec::new();
    let mut roots = Vec::new();
    for (document, value) in documents(text).map_err(unreadable)?.into_iter().enumerate() {
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
    if !workspace.unreachable.is_empty() {
        return Ok(Cluster::unreachable(&workspace.unreachable));
    }
    Cluster::of_objects(objects).map_err(|error| problem(TextName::Cluster, error, None))
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
                            let object = StoredObject { value, placed: placed.clone(), entry };
                            stored.objects.insert(identity, Rc::new(object));
                            continue;
                        }
                        "metadata.name: Required value: a stored object has a name; add it".to_owned()
                    }
                    Content::Review(_) => "expected a stored object, found a request".to_owned(),
                    Content::Untyped(problem) | Content::Other(problem) => problem.clone(),
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
