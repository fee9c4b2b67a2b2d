//! The engine: evaluates a workspace, and remembers what it evaluated.

#[cfg(feature = "whole")]
mod case;
mod checks;
#[cfg(feature = "whole")]
mod deployed;
mod detail;
mod evaluated;
mod expectation;
#[cfg(feature = "whole")]
mod export;
#[cfg(feature = "whole")]
mod fixes;
mod policies;
#[cfg(feature = "whole")]
mod secrets;
mod sentence;
mod suggestions;
mod summary;
pub(crate) mod texts;
#[cfg(feature = "whole")]
mod whole;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use scan::{Cluster, Content, Document, Placed};

use crate::matrix::{
    CellDetail, Counts, Matrix, ObjectState, Outcome, RequestOrigin, TextMark, TextName, TextProblem,
    UnusedRequest, ViolationMark,
};
use crate::types::{Operation, number};
use crate::workspace::{ObjectId, PolicyInput, Workspace};

use evaluated::Evaluated;
use policies::Prepared;
use texts::{Given, Stored, Surroundings};

/// Evaluates workspaces, each of which differs little from the one before.
///
/// # Example
/// ```
/// use playground::{Outcome, Playground, PolicyInput, Workspace};
///
/// let mut playground = Playground::new();
/// let matrix = playground.evaluate(Workspace {
///     objects: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: []}\n".into(),
///     policies: vec![PolicyInput { id: "pod-security".into(), enabled: true, ..PolicyInput::default() }],
///     ..Workspace::default()
/// });
/// assert_eq!(matrix.objects[0].outcome, Some(Outcome::Denied));
/// assert_eq!(playground.cell(0, 0).answers[0].groups[0].control, "Host Namespaces");
/// ```
#[derive(Debug, Default)]
pub struct Playground {
    workspace: Workspace,
    /// The documents of the objects, by their texts.
    known: HashMap<String, Rc<Document>>,
    placed: Vec<Placed>,
    surroundings: Rc<Surroundings>,
    stored: Rc<Stored>,
    policies: Vec<Rc<Prepared>>,
    /// The objects and requests, in order.
    evaluated: Vec<Evaluated>,
    /// The verdicts, by document and entry.
    verdicts: HashMap<evaluated::Key, Rc<summary::Verdicts>>,
}

impl Playground {
    /// Creates a playground that knows no workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Evaluates every object of a workspace by every policy.
    pub fn evaluate(&mut self, workspace: Workspace) -> Matrix {
        self.read(workspace);
        let mut matrix = Matrix {
            policies: self.policies.iter().map(|policy| policy.state.clone()).collect(),
            problems: self.problems(),
            unused_requests: self.unused_requests(),
            is_partial: self.policies.iter().any(|policy| policy.state.enabled && policy.is_partial),
            ..Matrix::default()
        };
        let can_evaluate = self.surroundings.problem().is_none();
        let mut verdicts = HashMap::new();
        for evaluated in &self.evaluated {
            let found = can_evaluate.then(|| self.verdict(evaluated)).flatten();
            if let Some(found) = &found {
                verdicts.insert(evaluated.key.clone(), Rc::clone(found));
            }
            Self::show(evaluated, found.as_deref(), &mut matrix);
        }
        self.verdicts = verdicts;
        matrix.sentence = sentence::say(&matrix);
        matrix
    }

    /// Returns the details of a cell of the last workspace. They are empty if there is no such
    /// cell.
    #[must_use]
    pub fn cell(&self, object: u32, policy: u32) -> CellDetail {
        let index = |number: u32| usize::try_from(number).ok();
        let evaluated = index(object).and_then(|index| self.evaluated.get(index));
        let (Some(evaluated), Some(policy)) = (evaluated, index(policy)) else {
            return CellDetail::default();
        };
        detail::cell(self, evaluated, policy)
    }

    /// Returns the places to underline in lines of a text of the last workspace: of the objects, or
    /// of the stored ones.
    #[must_use]
    pub fn marks(&self, text: TextName, first: u32, last: u32) -> Vec<ViolationMark> {
        let mut marks = Vec::new();
        for (index, evaluated) in self.evaluated.iter().enumerate() {
            let object = number(index);
            for suspicion in &evaluated.state.suspicions {
                let Some(mark) = suspicion.mark else { continue };
                let (outcome, message) = (Outcome::Warned, suspicion.message.clone());
                marks.push(ViolationMark { mark, object, policy: None, outcome, message });
            }
            let is_near = evaluated.state.line <= last && evaluated.state.last_line >= first;
            if text == TextName::Objects && !is_near {
                continue;
            }
            let verdicts = self.verdicts.get(&evaluated.key);
            for violation in verdicts.iter().flat_map(|verdicts| &verdicts.violations) {
                let place = violation.place.as_ref();
                let Some(mark) = place.and_then(|place| self.mark(evaluated, place)) else { continue };
                let (policy, outcome) = (Some(violation.policy), violation.outcome);
                marks.push(ViolationMark {
                    mark,
                    object,
                    policy,
                    outcome,
                    message: violation.message.clone(),
                });
            }
        }
        marks.retain(|one| one.mark.text == text && (first..=last).contains(&one.mark.line));
        marks
    }

    /// Returns the workspace that was evaluated last.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn read(&mut self, workspace: Workspace) {
        let last = std::mem::replace(&mut self.workspace, workspace);
        let now = &self.workspace;
        let known = std::mem::take(&mut self.known);
        self.placed = scan::documents(&now.objects, &|text| known.get(text).map(Rc::clone));
        self.known = self
            .placed
            .iter()
            .map(|placed| (placed.document.text.clone(), Rc::clone(&placed.document)))
            .collect();
        let keeps_policies = last.policies == now.policies;
        if !keeps_policies || self.policies.is_empty() {
            self.policies = (0..)
                .zip(&now.policies)
                .map(|(index, input)| {
                    let known = last.policies.iter().zip(&self.policies);
                    let mut known = known.filter(|(_, known)| known.index == index);
                    let same = |(last, _): &(&PolicyInput, _)| *last == input;
                    known
                        .find(same)
                        .map_or_else(|| Rc::new(Prepared::of(index, input)), |(_, known)| Rc::clone(known))
                })
                .collect();
        }
        let keeps_kinds = self.read_surroundings(&last);
        let now = &self.workspace;
        let keeps_stored = keeps_kinds && last.old_objects == now.old_objects;
        if !keeps_stored || self.evaluated.is_empty() {
            self.stored = Rc::new(Stored::of(now, self.cluster().kinds()));
        }
        if !(keeps_stored && keeps_policies && last.evaluates_pods == now.evaluates_pods) {
            self.verdicts.clear();
        }
        self.evaluated = evaluated::of(&self.placed, &self.workspace, &self.stored, self.cluster().kinds());
    }

    /// Reads what policies look up, and forgets the verdicts that depend on what is no longer
    /// there. Returns whether the text of the cluster and the kinds are those of the last
    /// workspace.
    fn read_surroundings(&mut self, last: &Workspace) -> bool {
        let now = &self.workspace;
        let enabled = self.policies.iter().filter(|policy| policy.state.enabled);
        let kinds = Cluster::kinds_for(enabled.filter_map(|policy| policy.policy.as_deref()));
        let given = Given::of(&self.placed, &kinds);
        if self.evaluated.is_empty() || (&last.cluster, &last.unreachable) != (&now.cluster, &now.unreachable)
        {
            self.surroundings = Rc::new(Surroundings::of(now, given));
            return false;
        }
        if given == self.surroundings.given {
            return true;
        }
        let mut changed = self.surroundings.given.iter().chain(&given);
        let keeps_kinds = !changed.any(Given::is_definition);
        self.surroundings = Rc::new(self.surroundings.with(given));
        self.verdicts.retain(|_, verdicts| !verdicts.reads_cluster);
        keeps_kinds
    }

    fn cluster(&self) -> &Cluster {
        &self.surroundings.cluster
    }

    fn unused_requests(&self) -> Vec<UnusedRequest> {
        let own = self.evaluated.iter().filter(|one| one.origin() == Some(RequestOrigin::Own));
        let used: HashSet<&ObjectId> = own.map(|one| &one.state.id).collect();
        let unused = self.workspace.requests.iter().map(|own| &own.object).filter(|id| !used.contains(id));
        unused.map(|id| UnusedRequest { object: id.clone(), title: evaluated::title(id) }).collect()
    }

    fn problems(&self) -> Vec<TextProblem> {
        let is_update = |evaluated: &Evaluated| evaluated.request.operation == Operation::Update;
        let stored = self.evaluated.iter().any(is_update).then_some(&self.stored.problems);
        self.surroundings.problem().into_iter().chain(stored.into_iter().flatten()).cloned().collect()
    }

    fn mark(&self, evaluated: &Evaluated, place: &evaluated::Place) -> Option<TextMark> {
        match place {
            evaluated::Place::Object(path) => evaluated.mark(path),
            evaluated::Place::Stored(path) => {
                let Content::Object(object) = &evaluated.entry()?.content else { return None };
                let identity = scan::identity_in(object, crate::NAMESPACE, self.cluster().kinds())?;
                self.stored.get(&identity)?.mark(path)
            }
        }
    }

    /// Returns the verdicts on an object, which may be known.
    fn verdict(&self, evaluated: &Evaluated) -> Option<Rc<summary::Verdicts>> {
        if let Some(known) = self.verdicts.get(&evaluated.key) {
            return Some(Rc::clone(known));
        }
        summary::evaluate(self, evaluated).map(Rc::new)
    }

    fn show(evaluated: &Evaluated, found: Option<&summary::Verdicts>, matrix: &mut Matrix) {
        let mut state: ObjectState = evaluated.state.clone();
        let cells = found.map(|found| found.cells.clone()).unwrap_or_default();
        state.outcome = cells.iter().filter_map(|cell| cell.outcome).min();
        count(&mut matrix.counts, &state);
        matrix.cells.push(cells);
        matrix.objects.push(state);
    }
}

/// Returns the only request of a workspace; `None` if it has another number of objects.
#[cfg(feature = "whole")]
pub(crate) fn only_request(workspace: &Workspace) -> Option<serde_json::Value> {
    let mut playground = Playground::new();
    playground.read(Workspace { policies: Vec::new(), ..workspace.clone() });
    let [evaluated] = playground.evaluated.as_slice() else { return None };
    let request = evaluated.make(&playground.stored, playground.cluster().kinds())?;
    Some(request.as_value().clone())
}

/// Returns the identities of the objects of a workspace.
#[cfg(feature = "whole")]
pub(crate) fn object_ids(workspace: &Workspace) -> Vec<ObjectId> {
    let mut playground = Playground::new();
    playground.read(Workspace { policies: Vec::new(), ..workspace.clone() });
    playground.evaluated.into_iter().map(|evaluated| evaluated.state.id).collect()
}

fn count(counts: &mut Counts, state: &ObjectState) {
    let count = match state.outcome {
        _ if state.problem.is_some() => &mut counts.unreadable,
        None => &mut counts.not_evaluated,
        Some(Outcome::Denied | Outcome::Fault) => &mut counts.denied,
        Some(Outcome::Unknown) => &mut counts.unknown,
        Some(Outcome::Monitored) => &mut counts.monitored,
        Some(Outcome::Changed) => &mut counts.changed,
        Some(Outcome::Warned) => &mut counts.warned,
        Some(Outcome::Passed) => &mut counts.passed,
        Some(Outcome::NotLookedAt) => &mut counts.not_looked_at,
    };
    *count += 1;
    counts.objects += 1;
}
