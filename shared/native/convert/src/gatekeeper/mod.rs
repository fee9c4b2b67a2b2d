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

use crate::controls::{Converted, join};
use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::{Document, InputError};
use config::Surroundings;

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
    let mut converted = Vec::new();
    let none = |object: &Fields<'_>, problem| {
        let title = objects::title(object)?;
        Ok(Converted::whole(Conversion::none(object.document(), &title, None, problem)))
    };
    for object in &objects {
        if let Some(problem) = surroundings.read(object)? {
            converted.push(none(object, problem)?);
        }
    }
    let mut names = ManifestNames::default();
    for object in &objects {
        let (group, kind) = objects::group_and_kind(object)?;
        match group {
            "constraints.gatekeeper.sh" => {
                converted.append(&mut constraint::convert(object, kind, &surroundings, &mut names)?);
            }
            _ if config::is_known(group, kind) => {}
            _ => {
                let problem = "is not a constraint of constraints.gatekeeper.sh, nor a Config, ConstraintTemplate or \
                               ExpansionTemplate";
                converted.push(none(object, FieldProblem::new(object.path("kind"), problem))?);
            }
        }
    }
    let mut conversions = join(converted, &mut names);
    if let Some(first) = conversions.iter_mut().find(|conversion| conversion.manifest.is_some()) {
        first.notes.push(config::DEFAULTS.to_owned());
    }
    Ok(conversions)
}

pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    let group = api_version.split('/').next().unwrap_or_default();
    group == "gatekeeper.sh" || group.ends_with(".gatekeeper.sh")
}
