//! Gatekeeper: constraints of its library for pods and external IPs.

mod action;
mod config;
mod constraint;
mod expansion;
mod kinds;
mod parameters;
mod scope;
mod se_linux;
mod seccomp;
mod template;

use crate::controls::join;
use crate::conversion::{Conversion, FieldProblem};
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::{Document, InputError};
use config::Surroundings;
use constraint::Converted;

const EXPECTED: &str = "expected constraints of Gatekeeper";

/// Converts constraints of Gatekeeper's library into Kubewarden policies.
///
/// The documents are constraints, and the `Config`, `ConstraintTemplate`s and `ExpansionTemplate`s
/// that they work with, and lists of them. Constraints without their template are taken for those
/// of the library, which is listed. Constraints that evaluate the same requests in the same way
/// become one manifest, if none restricts a field in another way than another one.
///
/// # Errors
/// The first document that Gatekeeper would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let mut surroundings = Surroundings::default();
    let mut others = Vec::new();
    for object in &objects {
        if let Some(problem) = surroundings.read(object)? {
            others.push(Conversion::none(object.document(), &objects::title(object)?, None, problem));
        }
    }
    let mut names = ManifestNames::default();
    let mut parts = Vec::new();
    for object in &objects {
        let (group, kind) = objects::group_and_kind(object)?;
        match group {
            "constraints.gatekeeper.sh" => {
                for converted in constraint::convert(object, kind, &surroundings, &mut names)? {
                    match converted {
                        Converted::Part(part) => parts.push(*part),
                        Converted::Whole(conversion) => others.push(*conversion),
                    }
                }
            }
            _ if config::is_known(group, kind) => {}
            _ => {
                let problem = "is not a constraint of constraints.gatekeeper.sh, nor a Config, ConstraintTemplate or \
                               ExpansionTemplate";
                let problem = FieldProblem::new(object.path("kind"), problem);
                others.push(Conversion::none(object.document(), &objects::title(object)?, None, problem));
            }
        }
    }
    let mut conversions = join(parts, &mut names);
    conversions.append(&mut others);
    if let Some(first) = conversions.iter_mut().find(|conversion| conversion.manifest.is_some()) {
        first.notes.push(config::DEFAULTS.to_owned());
    }
    Ok(conversions)
}

pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    let group = api_version.split('/').next().unwrap_or_default();
    group == "gatekeeper.sh" || group.ends_with(".gatekeeper.sh")
}
