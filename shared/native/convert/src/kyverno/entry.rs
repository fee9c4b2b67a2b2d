//! Entries of `exclude`.

use rules::pod_security::PodSecurity;
use serde_json::{Map, Value, json};

use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;
use crate::{InputError, settings};

const KEYS: [&str; 4] = ["controlName", "images", "restrictedField", "values"];

/// The controls of the level restricted of which Kyverno leaves out the violation of one container.
const OF_ONE_VIOLATION: [&str; 2] = ["Running as Non-root", "Seccomp"];

const FOR_ONE_CONTAINER: &str = "without images, Kyverno leaves out the violation of one of the containers, so that it \
     refuses pods in which another one or an init container violates the control; the manifest admits them";

/// An entry of `exclude` in a rule, or of `podSecurity` in an exception.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    path: String,
    fields: Map<String, Value>,
}

impl Entry {
    /// Reads the entries in a list. Adds fields that Kyverno does not have to `problems`.
    pub(super) fn list(
        fields: &Fields<'_>,
        key: &str,
        problems: &mut Vec<FieldProblem>,
    ) -> Result<Vec<Self>, InputError> {
        let mut entries = Vec::new();
        for (index, entry) in fields.objects(key)?.iter().enumerate() {
            problems.extend(entry.unknown(&KEYS));
            let known = entry.iter().filter(|(key, _)| KEYS.contains(key));
            let fields_of_entry = known.map(|(key, value)| (key.to_owned(), value.clone())).collect();
            entries.push(Self { path: format!("{}[{index}]", fields.path(key)), fields: fields_of_entry });
        }
        Ok(entries)
    }

    /// Returns the entry for the setting `exclude`, with further conditions. An entry that can
    /// never apply with these settings is a problem: Kyverno refuses some of these entries, and the
    /// others exclude nothing in Kyverno either.
    pub(super) fn setting(
        &self,
        settings: &Map<String, Value>,
        conditions: &Map<String, Value>,
        problems: &mut Vec<FieldProblem>,
    ) -> Option<Value> {
        let mut entry = self.fields.clone();
        entry.extend(conditions.clone());
        let entry = Value::Object(entry);
        let mut checked = settings.clone();
        checked.insert("exclude".to_owned(), json!([entry]));
        match settings::problem_with::<PodSecurity>(&checked) {
            None => {
                if self.excludes_for_one_container(settings) {
                    problems.push(FieldProblem::new(&self.path, FOR_ONE_CONTAINER).with(Effect::Admits));
                }
                Some(entry)
            }
            Some(error) => {
                let error = error.to_string().replace("exclude[0]", &self.path);
                let problem =
                    format!("is left out, because Kyverno refuses it or it excludes nothing: {error}");
                problems.push(FieldProblem::new(&self.path, problem));
                None
            }
        }
    }

    /// Whether Kyverno applies the entry to one container alone: it evaluates an entry without
    /// images against a pod with a single container, and leaves out the violation of
    /// `spec.containers` that it finds there (`GetPodWithMatchingContainers` and `exemptExclusions`
    /// in `pkg/pss` of kyverno/kyverno at 111e07b).
    fn excludes_for_one_container(&self, settings: &Map<String, Value>) -> bool {
        let is_restricted = ["level", "profile"]
            .iter()
            .any(|key| settings.get(*key).is_some_and(|level| level == "restricted"));
        let control = self.fields.get("controlName").and_then(Value::as_str).unwrap_or_default();
        let images = self.fields.get("images").and_then(Value::as_array);
        let field = self.fields.get("restrictedField").and_then(Value::as_str).unwrap_or_default();
        is_restricted
            && OF_ONE_VIOLATION.contains(&control)
            && images.is_none_or(Vec::is_empty)
            && !field.starts_with("spec.securityContext")
    }
}
