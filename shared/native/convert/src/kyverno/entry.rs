//! Entries of `exclude`.

use rules::pod_security::PodSecurity;
use serde_json::{Map, Value, json};

use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::{InputError, settings};

const KEYS: [&str; 4] = ["controlName", "images", "restrictedField", "values"];

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
    /// never apply with these settings is an error: Kyverno refuses some of these entries, and the
    /// others exclude nothing in Kyverno either.
    pub(super) fn setting(
        &self,
        settings: &Map<String, Value>,
        conditions: &Map<String, Value>,
    ) -> Result<Value, FieldProblem> {
        let mut entry = self.fields.clone();
        entry.extend(conditions.clone());
        let entry = Value::Object(entry);
        let mut checked = settings.clone();
        checked.insert("exclude".to_owned(), json!([entry]));
        match settings::problem_with::<PodSecurity>(&checked) {
            None => Ok(entry),
            Some(error) => {
                let error = error.to_string().replace("exclude[0]", &self.path);
                let problem =
                    format!("is left out, because Kyverno refuses it or it excludes nothing: {error}");
                Err(FieldProblem::new(&self.path, problem))
            }
        }
    }
}
