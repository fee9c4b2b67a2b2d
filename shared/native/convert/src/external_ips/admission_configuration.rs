//! The plugins of an `AdmissionConfiguration`.

use super::manifest::Manifests;
use super::{in_tree, openshift, unconverted};
use crate::InputError;
use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;

/// The name of the plugin of `OpenShift`.
const RANGER: &str = "network.openshift.io/ExternalIPRanger";

/// Converts the configuration of the plugin of `OpenShift`.
///
/// # Errors
/// Fields that the API server would not accept.
pub(super) fn convert(
    object: &Fields<'_>,
    title: &str,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    for plugin in object.objects("plugins")? {
        match plugin.text("name")? {
            Some(RANGER) => {
                let Some(configuration) = plugin.object("configuration")? else {
                    let problem =
                        "is missing, so the plugin is disabled; if it is in another file, convert that file";
                    let problem = FieldProblem::new(plugin.path("configuration"), problem);
                    return Ok(unconverted(object, title, problem));
                };
                if configuration.text("kind")? != Some(openshift::RANGER_KIND) {
                    return Err(configuration.error("kind", format!("expected {}", openshift::RANGER_KIND)));
                }
                return openshift::ranger(object, &configuration, title, manifests);
            }
            Some(in_tree::PLUGIN) => {
                let problem = "is not enabled by its configuration; the flag --enable-admission-plugins enables it: \
                               convert the pod of kube-apiserver";
                return Ok(unconverted(object, title, FieldProblem::new(plugin.path("name"), problem)));
            }
            _ => {}
        }
    }
    let problem = format!("contains neither {RANGER} nor {}", in_tree::PLUGIN);
    Ok(unconverted(object, title, FieldProblem::new(object.path("plugins"), problem)))
}
