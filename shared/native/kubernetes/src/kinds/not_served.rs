//! Versions of kinds that Kubernetes no longer serves.

use crate::kinds::built_in::{BUILT_IN, BY_KIND};
use crate::kinds::equivalence;
use crate::kinds::resource::{Origin, Resource};

/// Says that Kubernetes 1.37 does not serve this version of a kind, and which versions it serves;
/// `None` if it does, or if it never had the kind.
///
/// # Example
/// ```
/// let problem = "Kubernetes 1.37 does not serve Ingress of extensions/v1beta1; write networking.k8s.io/v1";
/// assert_eq!(kubernetes::kinds::not_served("extensions/v1beta1", "Ingress").as_deref(), Some(problem));
/// assert_eq!(kubernetes::kinds::not_served("networking.k8s.io/v1", "Ingress"), None);
/// assert_eq!(kubernetes::kinds::not_served("example.com/v1", "Ingress"), None);
/// ```
#[must_use]
pub fn not_served(api_version: &str, kind: &str) -> Option<String> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let known = BY_KIND.get(&(group, kind))?;
    let is_served = |resource: &&Resource| resource.origin == Origin::BuiltIn;
    if known.iter().any(|resource| is_served(resource) && resource.version == version) {
        return None;
    }
    let plural = &known.first()?.plural;
    let groups = equivalence::groups_of(plural).unwrap_or_default();
    let in_group = |resource: &&Resource| {
        resource.plural == *plural && (resource.group == group || groups.contains(&&*resource.group))
    };
    let served: Vec<String> =
        BUILT_IN.iter().filter(is_served).filter(in_group).map(Resource::api_version).collect();
    let remedy = if served.is_empty() { String::new() } else { format!("; write {}", served.join(" or ")) };
    Some(format!("Kubernetes 1.37 does not serve {kind} of {api_version}{remedy}"))
}

#[cfg(test)]
mod tests {
    use super::not_served;

    #[test]
    fn the_versions_that_are_served_are_named() {
        for (api_version, kind, problem) in [
            ("apps/v1", "Deployment", None),
            ("v1", "Event", None),
            ("apps/v1", "Deploymnet", None),
            ("example.com/v1", "Deployment", None),
            ("apps/v1beta1", "Deployment", Some("Deployment of apps/v1beta1; write apps/v1")),
            ("apps/v9", "Deployment", Some("Deployment of apps/v9; write apps/v1")),
            ("extensions/v1beta1", "Deployment", Some("Deployment of extensions/v1beta1; write apps/v1")),
            (
                "autoscaling/v2beta1",
                "HorizontalPodAutoscaler",
                Some(
                    "HorizontalPodAutoscaler of autoscaling/v2beta1; write autoscaling/v1 or autoscaling/v2",
                ),
            ),
            ("policy/v1beta1", "PodSecurityPolicy", Some("PodSecurityPolicy of policy/v1beta1")),
        ] {
            let problem = problem.map(|problem| format!("Kubernetes 1.37 does not serve {problem}"));
            assert_eq!(not_served(api_version, kind), problem);
        }
    }
}
