//! The objects that Gatekeeper applies to all constraints: its `Config`, templates and expansions.

use std::collections::BTreeMap;

use super::expansion::Expansion;
use super::template;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::objects;

/// A note on what Gatekeeper's chart and manifests leave out and how they fail.
pub(super) const DEFAULTS: &str = "Gatekeeper's webhook, as its manifests deploy it, leaves out the namespace \
     gatekeeper-system and those with the label admission.gatekeeper.sh/ignore, and admits requests if it does not \
     answer; so do the manifests. If yours differs, change namespaceSelector and failurePolicy.";

/// The Namespaces that Gatekeeper leaves out, and the kinds whose templates differ from the
/// library's.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) excluded_from_requests: Vec<String>,
    pub(super) excluded_from_audits: Vec<String>,
    /// The workloads whose templates are evaluated as pods.
    pub(super) expansions: Vec<Expansion>,
    /// The kinds of constraints with a template in the input, and the reason why it is not
    /// converted.
    templates: BTreeMap<String, Option<&'static str>>,
}

/// Whether an object surrounds constraints.
pub(super) fn is_known(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        ("config.gatekeeper.sh", "Config")
            | ("templates.gatekeeper.sh", "ConstraintTemplate")
            | ("expansion.gatekeeper.sh", "ExpansionTemplate")
    )
}

impl Surroundings {
    /// Reads an object that surrounds constraints; returns what of it is not converted.
    pub(super) fn read(&mut self, object: &Fields<'_>) -> Result<Option<FieldProblem>, InputError> {
        match objects::group_and_kind(object)? {
            ("config.gatekeeper.sh", "Config") => {
                self.read_config(object)?;
                Ok(None)
            }
            ("templates.gatekeeper.sh", "ConstraintTemplate") => self.read_template(object),
            ("expansion.gatekeeper.sh", "ExpansionTemplate") => Ok(match Expansion::read(object)? {
                Ok(expansion) => {
                    self.expansions.push(expansion);
                    None
                }
                Err(problem) => Some(problem),
            }),
            _ => Ok(None),
        }
    }

    /// Why constraints of a kind are not converted, because of its template.
    pub(super) fn problem_of(&self, kind: &str) -> Option<&'static str> {
        self.templates.get(kind).copied().flatten()
    }

    fn read_config(&mut self, object: &Fields<'_>) -> Result<(), InputError> {
        let Some(spec) = object.object("spec")? else { return Ok(()) };
        for entry in spec.objects("match")? {
            for process in entry.texts("processes")? {
                if matches!(process, "*" | "webhook") {
                    self.excluded_from_requests.append(&mut entry.strings("excludedNamespaces")?);
                }
                if matches!(process, "*" | "audit") {
                    self.excluded_from_audits.append(&mut entry.strings("excludedNamespaces")?);
                }
            }
        }
        Ok(())
    }

    fn read_template(&mut self, object: &Fields<'_>) -> Result<Option<FieldProblem>, InputError> {
        let kind = template::kind(object)?;
        let problem = template::difference(object, kind)?;
        self.templates.insert(kind.to_owned(), problem);
        Ok(problem.map(|problem| FieldProblem::new(object.path("spec"), problem)))
    }
}
