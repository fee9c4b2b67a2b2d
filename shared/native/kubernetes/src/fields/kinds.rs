//! The kinds of the table.

use crate::fields::Fields;
use crate::fields::table::KINDS;

/// Returns the fields of a kind; `None` for a kind that is not in the table.
#[must_use]
pub fn fields_of(api_version: &str, kind: &str) -> Option<&'static Fields> {
    let at =
        KINDS.binary_search_by(|(known, fields)| (*known, fields.name).cmp(&(api_version, kind))).ok()?;
    KINDS.get(at).map(|(_, fields)| *fields)
}

/// Returns every kind of the table: its API version and its fields, whose name is the kind.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static Fields)> {
    KINDS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_kinds_have_their_fields() {
        for (api_version, kind, path) in [
            ("v1", "Pod", "spec.ephemeralContainers.securityContext.seccompProfile.localhostProfile"),
            ("v1", "PodTemplate", "template.spec.hostUsers"),
            ("apps/v1", "StatefulSet", "spec.volumeClaimTemplates.spec.volumeName"),
            ("batch/v1", "CronJob", "spec.jobTemplate.spec.template.metadata.annotations"),
            ("v1", "Service", "status.loadBalancer.ingress.ip"),
            ("v1", "Service", "spec.ports.targetPort"),
            ("v1", "Node", "status.capacity.cpu"),
        ] {
            assert!(fields_of(api_version, kind).unwrap().has(path), "{kind} has {path}");
        }
    }

    #[test]
    fn every_kind_is_found() {
        for (api_version, fields) in kinds() {
            assert_eq!(fields_of(api_version, fields.name), Some(fields), "{api_version} {}", fields.name);
        }
        let fields = |api_version| fields_of(api_version, "Event").unwrap();
        assert!(fields("v1").has("message") && !fields("v1").has("note"));
        assert!(fields("events.k8s.io/v1").has("note") && !fields("events.k8s.io/v1").has("message"));
    }

    #[test]
    fn other_fields_and_kinds_are_unknown() {
        let pod = fields_of("v1", "Pod").unwrap();
        for path in ["", "spec.", ".spec", "Spec", "spec.container", "spec.hostNetwork.x", "metadata.labels"]
        {
            assert_eq!(pod.has(path), path == "metadata.labels", "{path}");
        }
        assert!(fields_of("apps/v1", "Pod").is_none());
        assert!(fields_of("v1", "IngressClass").is_none());
    }

    #[test]
    fn fields_are_found_in_any_order() {
        let pod = fields_of("v1", "Pod").unwrap();
        let Some(crate::fields::Type::Object(spec)) = pod.get("spec") else { panic!() };
        let names: Vec<&str> = spec.names().chain(["", "container", "zzz"]).collect();
        for step in 1..names.len() {
            let mut next = 0;
            for name in names.iter().cycle().step_by(step).take(3 * names.len()) {
                let found = spec.get_next(name.as_bytes(), &mut next);
                assert_eq!(format!("{found:?}"), format!("{:?}", spec.get(name)), "{name}");
            }
        }
    }

    #[test]
    fn a_type_is_debugged_without_its_fields() {
        let pod = fields_of("v1", "Pod").unwrap();
        assert_eq!(format!("{pod:?} {:?}", pod.get("spec").unwrap()), "Pod Object(PodSpec)");
    }
}
