//! The constraints for seccomp profiles.

use super::parameters::refuses_nothing;
use crate::InputError;
use crate::cel::{self, CelExpression};
use crate::controls::{Otherwise, Outcome, Requirement};
use crate::fields::Fields;

const PROFILES: &str = "allowedProfiles";
const FILES: &str = "allowedLocalhostFiles";

/// A kind of profiles that a constraint may allow.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Profile {
    RuntimeDefault,
    Unconfined,
    NotConfigured,
    AnyOfNode,
}

use Profile::{AnyOfNode, NotConfigured, RuntimeDefault, Unconfined};

/// Adds what a `K8sPSPSeccompV2` requires.
pub(super) fn second(
    parameters: &Fields<'_>,
    images: &[String],
    outcome: &mut Outcome,
) -> Result<(), InputError> {
    let (profiles, files) = (parameters.strings(PROFILES)?, parameters.strings(FILES)?);
    let has = |wanted: &str| profiles.iter().any(|profile| profile == wanted);
    if has("*") {
        refuses_nothing(outcome);
        return Ok(());
    }
    let allowed = [
        (RuntimeDefault, has("RuntimeDefault")),
        (Unconfined, has("Unconfined")),
        (NotConfigured, has("not configured")),
        // The Rego looks at the files alone, and the CEL also requires the type.
        (AnyOfNode, has("Localhost") && files.iter().any(|file| file == "*")),
    ];
    require(allowed, parameters, images, outcome);
    Ok(())
}

/// Adds what a `K8sPSPSeccomp` requires, which names profiles as annotations did.
pub(super) fn first(
    parameters: &Fields<'_>,
    images: &[String],
    outcome: &mut Outcome,
) -> Result<(), InputError> {
    let (profiles, files) = (parameters.strings(PROFILES)?, parameters.strings(FILES)?);
    let has = |wanted: &[&str]| profiles.iter().any(|profile| wanted.contains(&profile.as_str()));
    if has(&["*"]) {
        refuses_nothing(outcome);
        return Ok(());
    }
    let allowed = [
        (RuntimeDefault, has(&["runtime/default", "docker/default", "RuntimeDefault"])),
        (Unconfined, has(&["unconfined", "Unconfined"])),
        (NotConfigured, has(&["not configured"])),
        (AnyOfNode, has(&["localhost/*"]) || has(&["Localhost"]) && files.iter().any(|file| file == "*")),
    ];
    require(allowed, parameters, images, outcome);
    let problem = "takes the annotations of pods without a seccompProfile as profiles, which Kubernetes ignores since \
                   v1.27; the manifest requires the field";
    outcome.refuses(parameters.path(PROFILES), problem);
    Ok(())
}

fn require(allowed: [(Profile, bool); 4], parameters: &Fields<'_>, images: &[String], outcome: &mut Outcome) {
    const OF_POD: &str = "spec.securityContext.seccompProfile.type";
    let allows = |profile: Profile| allowed.contains(&(profile, true));
    let path = parameters.path(PROFILES);
    if !allows(RuntimeDefault) {
        outcome.admits(&path, "does not contain the default of the runtime, which the manifest admits");
    }
    if !allows(AnyOfNode) {
        let problem = "allows only some profiles of nodes, or none; the manifest admits all of them, which nodes \
                       must have";
        outcome.admits(path, problem);
    }
    let check = if allows(NotConfigured) { "seccompProfile_baseline" } else { "seccompProfile_restricted" };
    let mut check = Requirement::of(check).allow_images(images);
    if allows(Unconfined) {
        for field in [OF_POD, "spec.containers[*].securityContext.seccompProfile.type"] {
            check = check.allow(field, &["Unconfined".to_owned()]);
        }
    } else {
        // The constraint is about the profile that a container ends up with, and the standards
        // refuse that of a pod even if no container inherits it.
        let requirements = vec![check.clone().allow(OF_POD, &["*".to_owned()])];
        outcome.otherwise = Some(Otherwise { unless: profile_of_pod_counts(images), requirements });
    }
    outcome.require(check);
}

/// The profile of the pod is allowed or absent, or a container that is not exempt inherits it.
fn profile_of_pod_counts(images: &[String]) -> CelExpression {
    const PROFILE: &str = "object.spec.securityContext.seccompProfile";
    const LISTS: [&str; 2] = ["object.spec.initContainers", "object.spec.ephemeralContainers"];
    let more = LISTS.map(|list| format!(" + (has({list}) ? {list} : [])")).concat();
    let patterns: Vec<&str> = images.iter().map(String::as_str).collect();
    let is_exempt = cel::matches_any("(has(c.image) ? c.image : '')", &patterns);
    let exempt = if images.is_empty() { String::new() } else { format!(" && !({is_exempt})") };
    let own = "(has(c.securityContext) && has(c.securityContext.seccompProfile))";
    CelExpression::Any(vec![
        CelExpression::plain(format!("!(has(object.spec.securityContext) && has({PROFILE}))")),
        CelExpression::plain(format!("{PROFILE}.type in ['RuntimeDefault', 'Localhost']")),
        CelExpression::plain(format!("(object.spec.containers{more}).exists(c, !{own}{exempt})")),
    ])
}
