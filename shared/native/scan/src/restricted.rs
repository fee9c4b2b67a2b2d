//! The restricted fields of the Pod Security Standards, in the notation of `restrictedField`.

use rules::pod_security::standard::Check;
use text::Step;

/// The paths from objects to the pods that they make, the longest first.
const TEMPLATES: [&[&str]; 3] =
    [&["spec", "jobTemplate", "spec", "template"], &["spec", "template"], &["template"]];

/// Returns the restricted field of a check in which a value lies, such as
/// `spec.containers[*].ports[*].hostPort`. `steps` lead to the value in a pod or in what makes
/// pods.
pub(crate) fn restricted_field(check: &str, steps: &[Step]) -> Option<String> {
    let check = Check::find(check)?;
    let is_of = |template: &&&[&str]| {
        let names = steps.iter().map(|step| if let Step::Field(name) = step { name.as_str() } else { "" });
        names.take(template.len()).eq(template.iter().copied())
    };
    let template = TEMPLATES.iter().find(is_of).map_or(0, |template| template.len());
    let mut path = String::new();
    for step in steps.iter().skip(template) {
        match step {
            Step::Index(_) => path.push_str("[*]"),
            Step::Field(key) if path.ends_with("annotations") => {
                for part in ["[", key, "]"] {
                    path.push_str(part);
                }
            }
            Step::Field(name) => {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(name);
            }
        }
    }
    let holds = |field: &&String| match field.strip_suffix("*]") {
        Some(prefix) => path.starts_with(prefix),
        None => path
            .strip_prefix(field.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])),
    };
    let fields = check.fields();
    let unknown =
        || fields.iter().find(|field| path.starts_with("spec.volumes[*].") && field.ends_with(".unknown"));
    fields.iter().find(holds).or_else(unknown).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(path: &[&str]) -> Vec<Step> {
        let step = |name: &&str| name.parse().map_or_else(|_| Step::Field((*name).to_owned()), Step::Index);
        path.iter().map(step).collect()
    }

    #[test]
    fn a_value_lies_in_the_field_of_its_check() {
        let app_armor = "container.apparmor.security.beta.kubernetes.io/app";
        for (check, path, field) in [
            ("hostNamespaces", &["spec", "hostPID"][..], Some("spec.hostPID")),
            (
                "hostPorts",
                &["spec", "containers", "0", "ports", "1", "hostPort"],
                Some("spec.containers[*].ports[*].hostPort"),
            ),
            (
                "capabilities_restricted",
                &[
                    "spec",
                    "template",
                    "spec",
                    "initContainers",
                    "2",
                    "securityContext",
                    "capabilities",
                    "add",
                    "0",
                ],
                Some("spec.initContainers[*].securityContext.capabilities.add"),
            ),
            (
                "hostPathVolumes",
                &["spec", "jobTemplate", "spec", "template", "spec", "volumes", "0", "hostPath", "path"],
                Some("spec.volumes[*].hostPath"),
            ),
            (
                "appArmorProfile",
                &["template", "metadata", "annotations", app_armor],
                Some("metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]"),
            ),
            ("restrictedVolumes", &["spec", "volumes", "0", "nfs"], Some("spec.volumes[*].nfs")),
            ("restrictedVolumes", &["spec", "volumes", "0", "new"], Some("spec.volumes[*].unknown")),
            ("hostPorts", &["spec", "hostPID"], None),
            ("not-allowed", &["spec", "externalIPs", "0"], None),
        ] {
            assert_eq!(restricted_field(check, &steps(path)).as_deref(), field, "{check} {path:?}");
        }
    }
}
