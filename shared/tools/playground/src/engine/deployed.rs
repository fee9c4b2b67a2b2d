//! Policies as their manifests deploy them.

use kubewarden::matching::{PolicyKind, PolicyManifest};
use manifest::{Step, documents};
use scan::{Engine, Policy};

use super::policies::{Prepared, settings};
use super::texts::{mark_in, problem, unreadable};
use crate::matrix::{TextName, TextProblem};
use crate::policy_manifest::{self, Use};
use crate::workspace::{PolicyInput, PolicyMode};

impl Prepared {
    /// Returns the policy with its manifest: the given one, or the one for its settings.
    pub(super) fn as_deployed(&mut self, input: &PolicyInput) -> Result<Policy, Vec<TextProblem>> {
        let own = input.manifest.trim().is_empty();
        let name = if own {
            TextName::Settings { policy: self.index }
        } else {
            TextName::Manifest { policy: self.index }
        };
        let about = |message: String| vec![problem(name, message, None)];
        let text = if own {
            let settings = settings(self.index, &input.id, &input.settings)?;
            policy_manifest::of(&input.id, &settings, Use::Deployment).ok_or_else(|| {
                about(format!(
                    "there is no deployment manifest for {:?}; choose one of the policies",
                    input.id
                ))
            })?
        } else {
            input.manifest.clone()
        };
        let documents = documents(&text).map_err(|problem| vec![unreadable(name, &problem)])?;
        let items = |value| kubernetes::objects::items(value).unwrap_or_else(|object| vec![object]);
        let objects = documents
            .into_iter()
            .enumerate()
            .flat_map(|(document, value)| items(value).into_iter().map(move |object| (document, object)));
        let policies = objects.filter(|(_, object)| PolicyKind::of(object).is_some()).collect::<Vec<_>>();
        let (document, object) = match <[_; 1]>::try_from(policies) {
            Ok([policy]) => policy,
            Err(policies) if policies.is_empty() => {
                let message =
                    "has no policy; paste a ClusterAdmissionPolicy, an AdmissionPolicy or a group of them";
                return Err(about(message.to_owned()));
            }
            Err(policies) => {
                return Err(about(format!("has {} policies; import them instead", policies.len())));
            }
        };
        let manifest = PolicyManifest::read(&object).map_err(|error| {
            let message = error.to_string();
            let mark = mark_in(&text, name, document, &path_of(&message)).filter(|_| !own);
            vec![problem(name, message, mark)]
        })?;
        self.state.name.clone_from(&manifest.name);
        let policy = Policy::of_manifest(manifest, &mut |module, _| engine(&module.module));
        if let Some(error) = policy.settings_error() {
            let mark = mark_in(&text, name, document, &path_of(&format!("spec.settings.{error}")));
            return Err(vec![problem(name, error, mark.filter(|_| !own))]);
        }
        if let Some(reason) = policy.problem() {
            return Err(about(reason.to_owned()));
        }
        if let Some(id) = policy.modules().find_map(|module| match &module.engine {
            Engine::Native(entry) => Some(entry.id),
            _ => None,
        }) {
            id.clone_into(&mut self.state.id);
        }
        Ok(policy)
    }
}

/// Returns the manifest of a policy: the given one, or one for its settings; `None` if these are
/// not valid.
pub(crate) fn manifest(input: &PolicyInput, purpose: Use) -> Option<String> {
    if input.mode == PolicyMode::AsDeployed && !input.manifest.trim().is_empty() {
        return Some(input.manifest.clone());
    }
    policy_manifest::of(&input.id, &settings(0, &input.id, &input.settings).ok()?, purpose)
}

/// Returns what runs a module: only those of Portcullis are here, in this version.
fn engine(module: &str) -> Engine {
    match Engine::carried(module) {
        Some(entry) => Engine::Native(entry),
        None => Engine::Unavailable(format!(
            "the playground does not have the module {module}; it evaluates only the policies of Portcullis {}",
            env!("CARGO_PKG_VERSION")
        )),
    }
}

/// Returns the path with which a message begins, such as `spec.rules[0]`.
fn path_of(message: &str) -> Vec<Step> {
    scan::leading_path(message).map(|(steps, _)| steps).unwrap_or_default()
}
