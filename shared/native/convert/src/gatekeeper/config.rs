//! The objects that Gatekeeper applies to all constraints: its `Config`, templates and expansions.

use std::collections::BTreeMap;

use super::expansion::Expansion;
use super::template::{self, Template};
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::objects;

/// A note on what Gatekeeper's chart and manifests leave out and how they fail.
pub(super) const DEFAULTS: &str = "Gatekeeper's webhook, as its manifests deploy it, leaves out the namespace \
     gatekeeper-system and those with the label admission.gatekeeper.sh/ignore, and admits requests if it does not \
     answer; so do the manifests. If yours differs, change namespaceSelector and failurePolicy.";

const NOT_IN_USE: &str =
    "Gatekeeper reads the Config with the name config in gatekeeper-system alone, so this one is not applied";

/// The Namespaces that Gatekeeper leaves out, and the kinds whose templates differ from the
/// library's.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) excluded_from_requests: Vec<String>,
    pub(super) excluded_from_audits: Vec<String>,
    /// The workloads whose templates are evaluated as pods.
    pub(super) expansions: Vec<Expansion>,
    /// The templates in the input, by the kind of their constraints.
    templates: BTreeMap<String, Template>,
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
                if !is_in_use(object)? {
                    return Ok(Some(FieldProblem::new(object.path("metadata"), NOT_IN_USE)));
                }
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

    /// Returns the template of constraints of a kind; `None` if it is not in the input.
    pub(super) fn template(&self, kind: &str) -> Option<Template> {
        self.templates.get(kind).copied()
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
        let template = Template::read(object, kind)?;
        self.templates.insert(kind.to_owned(), template);
        Ok((template == Template::Other).then(|| FieldProblem::new(object.path("spec"), template::DIFFERS)))
    }
}

/// Whether Gatekeeper reads a `Config`.
///
/// Source: `pkg/keys` in open-policy-agent/gatekeeper.
fn is_in_use(config: &Fields<'_>) -> Result<bool, InputError> {
    let metadata = config.required_object("metadata")?;
    Ok((metadata.text("namespace")?, metadata.text("name")?) == (Some("gatekeeper-system"), Some("config")))
}
