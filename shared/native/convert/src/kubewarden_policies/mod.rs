//! Kubewarden's official policies for single controls, and `psa-label-enforcer`.

mod host;
mod labels;
mod modules;
mod policy;
mod se_linux;
mod settings;

use crate::controls::{Converted, join};
use crate::conversion::{Conversion, FieldProblem};
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::{Document, InputError};
use policy::PolicyKind;

const EXPECTED: &str = "expected policies of Kubewarden";

const GROUP: &str = "policies.kubewarden.io";

/// Converts policies of Kubewarden that run its official modules for single controls into
/// `pod-security`.
///
/// The documents are policies and groups of policies, and lists of them. Policies that evaluate the
/// same requests become one manifest, if none restricts a field in another way than another one.
///
/// # Errors
/// The first document that Kubewarden would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let mut names = ManifestNames::default();
    // A manifest with the name of an existing policy would replace it.
    for object in &objects {
        let (group, kind) = objects::group_and_kind(object)?;
        if let Some(kind) = PolicyKind::named(kind).filter(|_| group == GROUP) {
            policy::reserve_name(object, kind, &mut names)?;
        }
    }
    let mut converted = Vec::new();
    for object in &objects {
        let title = objects::title(object)?;
        let (group, kind) = objects::group_and_kind(object)?;
        let Some(kind) = PolicyKind::named(kind).filter(|_| group == GROUP) else {
            let problem = "is not a policy or a group of policies of policies.kubewarden.io";
            let problem = FieldProblem::new(object.path("kind"), problem);
            let none = Conversion::none(object.document(), &title, None, problem);
            converted.push(Converted::whole(none));
            continue;
        };
        converted.append(&mut policy::convert(object, &title, kind, &mut names)?);
    }
    Ok(join(converted, &mut names))
}

pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    api_version.starts_with("policies.kubewarden.io/")
}
