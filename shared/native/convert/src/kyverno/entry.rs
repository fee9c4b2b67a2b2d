//! Entries of `exclude`.

use rules::pattern::Pattern;
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

/// Fields that Kyverno compares with no `values` if they are not set. The module compares `""`.
const REQUIRED: [&str; 3] =
    [".securityContext.runAsNonRoot", ".securityContext.seccompProfile.type", ".capabilities.drop"];

/// The field whose unset value is `nil` to Kyverno if there is a `securityContext`. Without one,
/// Kyverno compares no `values`.
const ESCALATION: &str = ".securityContext.allowPrivilegeEscalation";

const WITHOUT_CONTEXT: &str = "Kyverno leaves out containers without a securityContext whatever the values are; the manifest \
     refuses them";

/// The annotations of all containers, in the settings. Kyverno replaces digits alone by `*`.
const OF_ALL_CONTAINERS: &str = "container.apparmor.security.beta.kubernetes.io/*]";

const OF_DIGITS: &str = "is left out: to Kyverno, * stands for digits, so the field is that of containers with a number as \
     their name";

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
    ///
    /// `entries` are all of the same list.
    pub(super) fn setting(
        &self,
        entries: &[Self],
        settings: &Map<String, Value>,
        conditions: &Map<String, Value>,
        problems: &mut Vec<FieldProblem>,
    ) -> Option<Value> {
        let field = self.fields.get("restrictedField").and_then(Value::as_str).unwrap_or_default();
        if field.ends_with(OF_ALL_CONTAINERS) {
            problems.push(FieldProblem::new(&self.path, OF_DIGITS).with(Effect::Refuses));
            return None;
        }
        let mut entry = self.fields.clone();
        if let Some(Value::Array(values)) = entry.get_mut("values") {
            problems.extend(self.translate(field, values, entries));
        }
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

    /// Gives an unset field the value that the module compares.
    ///
    /// Source: `exemptExclusions` and the `BadValue` of the checks in `pkg/pss` of kyverno/kyverno
    /// at 111e07b and kyverno/pod-security-admission.
    fn translate(&self, field: &str, values: &mut Vec<Value>, entries: &[Self]) -> Option<FieldProblem> {
        let matches = |values: &[Value], text: &str| {
            values.iter().filter_map(Value::as_str).any(|pattern| Pattern::of(pattern).matches(text))
        };
        let mut problem = None;
        let covers_unset = if field.ends_with(ESCALATION) {
            values.retain(|value| value != "");
            let covers_unset = matches(values, "nil");
            // Without a securityContext, a container also fails to drop capabilities.
            if !covers_unset && entries.iter().any(Self::is_about_dropping) {
                let path = format!("{}.values", self.path);
                problem = Some(FieldProblem::new(path, WITHOUT_CONTEXT).with(Effect::Refuses));
            }
            covers_unset
        } else {
            REQUIRED.iter().any(|required| field.ends_with(required))
        };
        if covers_unset && !matches(values, "") {
            values.push(Value::from(""));
        }
        problem
    }

    fn is_about_dropping(&self) -> bool {
        let text = |key| self.fields.get(key).and_then(Value::as_str).unwrap_or_default();
        let field = text("restrictedField");
        text("controlName") == "Capabilities" && (field.is_empty() || field.ends_with(".capabilities.drop"))
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
