//! The policies of a workspace, ready to evaluate.

use std::rc::Rc;

use admission::PolicyEntry;
use manifest::{Step, documents, found};
use scan::Policy;
use serde_json::{Map, Value};

use super::texts::{mark_in, problem, unreadable};
use crate::matrix::{PolicyState, TextName, TextProblem};
use crate::workspace::{PolicyInput, PolicyMode};

#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) index: u32,
    pub(crate) state: PolicyState,
    /// The policy; `None` if its settings or its manifest are not valid.
    pub(crate) policy: Option<Rc<Policy>>,
    /// The rules alone, if the policy is one of Portcullis without a deployment.
    pub(crate) entry: Option<&'static PolicyEntry>,
    pub(crate) settings: Value,
    /// Whether only the whole engine can evaluate the policy, or knows what its text is.
    pub(crate) is_partial: bool,
}

/// The most errors in settings that are listed.
const MAX_PROBLEMS: usize = 20;

impl Prepared {
    pub(crate) fn of(index: u32, input: &PolicyInput) -> Self {
        let mut prepared = Self {
            index,
            state: PolicyState {
                id: input.id.clone(),
                name: input.id.clone(),
                enabled: input.enabled,
                protects: true,
                ..PolicyState::default()
            },
            policy: None,
            entry: None,
            settings: Value::Null,
            is_partial: false,
        };
        let read = match input.mode {
            PolicyMode::RulesOnly => prepared.rules_only(input),
            PolicyMode::AsDeployed => prepared.as_deployed(input),
        };
        match read {
            Ok(policy) => {
                prepared.state.protects = policy.reference.protects;
                prepared.state.warnings.clone_from(&policy.warnings);
                prepared.policy = Some(Rc::new(policy));
            }
            Err(problems) => {
                prepared.is_partial |=
                    !cfg!(feature = "whole") && problems.iter().any(|problem| problem.can_be_imported);
                prepared.state.problems = problems;
            }
        }
        prepared
    }

    /// Returns the policy as it evaluates here.
    pub(crate) fn evaluating(&self) -> Option<Rc<Policy>> {
        self.policy.clone()
    }

    /// Returns the policy as `portcullis test` evaluates it: an id stands for the policy as its
    /// settings deploy it.
    #[cfg(feature = "whole")]
    pub(crate) fn tested(&self) -> Option<Rc<Policy>> {
        match self.entry {
            Some(entry) => Policy::of_id(entry.id, &self.settings).map(Rc::new),
            None => self.policy.clone(),
        }
    }

    #[cfg(feature = "whole")]
    pub(crate) fn into_policy(self) -> Option<Policy> {
        Rc::into_inner(self.policy?)
    }

    fn rules_only(&mut self, input: &PolicyInput) -> Result<Policy, Vec<TextProblem>> {
        let settings = settings(self.index, &input.id, &input.settings)?;
        let name = TextName::Settings { policy: self.index };
        let unknown = || vec![problem(name, format!("unknown policy {:?}", input.id), None)];
        self.entry = rules::find(&input.id);
        let policy = Policy::of_rules(&input.id, &settings).ok_or_else(unknown)?;
        self.settings = settings;
        Ok(policy)
    }

    /// Notes that only the whole engine evaluates deployments.
    #[cfg(not(feature = "whole"))]
    fn as_deployed(&mut self, _: &PolicyInput) -> Result<Policy, Vec<TextProblem>> {
        self.is_partial = true;
        Err(Vec::new())
    }
}

/// Reads and checks the settings of a policy; an error lists every problem. An empty text results
/// in an empty object.
pub(crate) fn settings(index: u32, id: &str, text: &str) -> Result<Value, Vec<TextProblem>> {
    let name = TextName::Settings { policy: index };
    let one = |message: String, mark| vec![problem(name, message, mark)];
    let mut documents = documents(text).map_err(|error| vec![unreadable(name, &error)])?;
    let can_be_imported = documents.iter().any(can_be_imported);
    let hint = |mut problems: Vec<TextProblem>| {
        for problem in &mut problems {
            problem.can_be_imported = can_be_imported;
        }
        problems
    };
    if documents.len() > 1 {
        let message = format!("expected one document, found {}", documents.len());
        return Err(hint(one(message, mark_in(text, name, 1, &[]))));
    }
    let settings = documents.pop().unwrap_or_else(|| Value::Object(Map::new()));
    if !settings.is_object() {
        return Err(one(format!("expected an object, found {}", found(&settings)), None));
    }
    let Some(entry) = rules::find(id) else {
        return Err(one(format!("unknown policy {id:?}"), None));
    };
    let problems =
        problems(entry, &settings, |steps, message| problem(name, message, mark_in(text, name, 0, steps)));
    if problems.is_empty() { Ok(settings) } else { Err(hint(problems)) }
}

/// Returns whether a document is one that policies are imported from.
#[cfg(feature = "whole")]
fn can_be_imported(document: &Value) -> bool {
    crate::import::is_source(document)
}

/// Returns whether a document may be one that policies are imported from: the whole engine knows.
#[cfg(not(feature = "whole"))]
fn can_be_imported(document: &Value) -> bool {
    document.get("kind").is_some()
}

/// Returns the errors in settings. A policy names the first one: each value that is wrong is taken
/// out, so that the next one shows.
fn problems<T>(
    entry: &PolicyEntry,
    settings: &Value,
    mut problem: impl FnMut(&[Step], String) -> T,
) -> Vec<T> {
    let mut settings = settings.clone();
    let mut found = Vec::new();
    let mut taken: Vec<Vec<Step>> = Vec::new();
    while let Err(error) = (entry.check_settings)(settings.to_string().as_bytes()) {
        let steps = error.steps();
        // The text does not lack a value that was taken out.
        if taken.iter().any(|taken| taken.starts_with(steps)) || found.len() == MAX_PROBLEMS {
            break;
        }
        found.push(problem(steps, error.to_string()));
        if !take(&mut settings, steps) {
            break;
        }
        taken.push(steps.to_vec());
    }
    found
}

/// Takes a value out of a field. An item of a list takes the list with it, because the places of
/// the next items would change.
fn take(settings: &mut Value, steps: &[Step]) -> bool {
    let fields = steps.iter().position(|step| matches!(step, Step::Index(_))).unwrap_or(steps.len());
    let Some(([Step::Field(name)], parents)) = steps
        .get(..fields)
        .and_then(|fields| fields.split_last())
        .map(|(last, rest)| (std::slice::from_ref(last), rest))
    else {
        return false;
    };
    let parent = parents.iter().try_fold(settings, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Index(_) => None,
    });
    parent.and_then(Value::as_object_mut).is_some_and(|fields| fields.remove(name).is_some())
}
