//! Kinds that an API group of Kubernetes does not have.

use text::nearest;

use crate::kinds::built_in::{BUILT_IN, BY_KIND};

/// The kinds of Kubernetes' groups that are neither those of resources nor lists and options.
const OTHER: [&str; 9] = [
    "APIGroup",
    "APIVersions",
    // A kubeconfig.
    "Config",
    "Eviction",
    "List",
    "Scale",
    "Status",
    "TokenRequest",
    "WatchEvent",
];

/// Says that an API group of Kubernetes has no such kind, and which was probably meant; `None` if
/// it has the kind, in any version, or if the group is not one of Kubernetes.
///
/// # Example
/// ```
/// let problem = "Kubernetes has no kind Deploymnet in apps/v1; did you mean Deployment?";
/// assert_eq!(kubernetes::kinds::misspelt("apps/v1", "Deploymnet").as_deref(), Some(problem));
/// assert_eq!(kubernetes::kinds::misspelt("apps/v1", "Deployment"), None);
/// assert_eq!(kubernetes::kinds::misspelt("example.com/v1", "Deploymnet"), None);
/// ```
#[must_use]
pub fn misspelt(api_version: &str, kind: &str) -> Option<String> {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let is_other =
        kind.is_empty() || OTHER.contains(&kind) || kind.ends_with("List") || kind.ends_with("Options");
    if api_version.is_empty() || is_other || BY_KIND.contains_key(&(group, kind)) {
        return None;
    }
    let of_group = BUILT_IN.iter().filter(|resource| resource.group == group);
    let known: Vec<&str> = of_group.map(|resource| &*resource.kind).collect();
    let problem = || format!("Kubernetes has no kind {kind} in {api_version}{}", suggestion(kind, &known));
    (!known.is_empty()).then(problem)
}

/// Says that API groups have no resource of this name, and which was probably meant; `None` if one
/// has it, or if not all are groups of Kubernetes.
///
/// # Example
/// ```
/// let problem = "Kubernetes has no pod in these groups; did you mean pods?";
/// assert_eq!(kubernetes::kinds::misspelt_resource(&["", "apps"], "pod").as_deref(), Some(problem));
/// assert_eq!(kubernetes::kinds::misspelt_resource(&[""], "pods"), None);
/// assert_eq!(kubernetes::kinds::misspelt_resource(&["example.com"], "pod"), None);
/// ```
#[must_use]
pub fn misspelt_resource(groups: &[&str], plural: &str) -> Option<String> {
    let mut known = Vec::new();
    for group in groups {
        let of_group: Vec<&'static str> = BUILT_IN
            .iter()
            .filter(|resource| resource.group == *group)
            .map(|resource| &*resource.plural)
            .collect();
        if of_group.is_empty() || of_group.contains(&plural) {
            return None;
        }
        known.extend(of_group);
    }
    let problem = || format!("Kubernetes has no {plural} in these groups{}", suggestion(plural, &known));
    (!known.is_empty()).then(problem)
}

/// Says that Kubernetes has no API group of this name; `None` if it has, or if another API server
/// may have it: the groups of custom resources have a dot.
///
/// # Example
/// ```
/// let problem = "Kubernetes has no API group core; the group of v1 is \"\"";
/// assert_eq!(kubernetes::kinds::misspelt_group("core").as_deref(), Some(problem));
/// assert_eq!(kubernetes::kinds::misspelt_group(""), None);
/// assert_eq!(kubernetes::kinds::misspelt_group("apps"), None);
/// assert_eq!(kubernetes::kinds::misspelt_group("example.com"), None);
/// ```
#[must_use]
pub fn misspelt_group(group: &str) -> Option<String> {
    let known: Vec<&str> = BUILT_IN.iter().map(|resource| &*resource.group).collect();
    if group == "*" || group.contains('.') || known.contains(&group) {
        return None;
    }
    let remedy = match nearest(group, &known) {
        Some(near) if !near.is_empty() => format!("did you mean {near}?"),
        _ => "the group of v1 is \"\"".to_owned(),
    };
    Some(format!("Kubernetes has no API group {group}; {remedy}"))
}

fn suggestion(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::misspelt;

    #[test]
    fn kinds_of_kubernetes_and_of_others_are_not_misspelt() {
        for (api_version, kind) in [
            ("v1", "Pod"),
            ("v1", "PodList"),
            ("v1", "Config"),
            ("v1", "List"),
            ("v1", "PodExecOptions"),
            ("policy/v1", "Eviction"),
            ("autoscaling/v1", "Scale"),
            ("extensions/v1beta1", "Deployment"),
            ("apps/v9", "Deployment"),
            ("example.com/v1", "pod"),
            ("", "pod"),
            ("v1", ""),
        ] {
            assert_eq!(misspelt(api_version, kind), None, "{api_version} {kind}");
        }
        for (api_version, kind) in
            [("v1", "pod"), ("v1", "Podd"), ("v1", "Deployment"), ("apps/v1", "Pod"), ("apps/v1", "X")]
        {
            assert!(misspelt(api_version, kind).is_some(), "{api_version} {kind}");
        }
    }
}
