//! The kinds that policies judge.

use crate::Fields;
use crate::table::KINDS;

/// Returns the fields of a kind; `None` for a kind that no policy judges.
#[must_use]
pub fn fields_of(api_version: &str, kind: &str) -> Option<&'static Fields> {
    kinds().find(|(known, fields)| *known == api_version && fields.name == kind).map(|(_, fields)| fields)
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
    fn other_fields_and_kinds_are_unknown() {
        let pod = fields_of("v1", "Pod").unwrap();
        for path in ["", "spec.", ".spec", "Spec", "spec.container", "spec.hostNetwork.x", "metadata.labels"]
        {
            assert_eq!(pod.has(path), path == "metadata.labels", "{path}");
        }
        assert!(fields_of("apps/v1", "Pod").is_none());
        assert!(fields_of("v1", "Secret").is_none());
    }

    #[test]
    fn fields_are_found_in_any_order() {
        let pod = fields_of("v1", "Pod").unwrap();
        let Some(crate::Type::Object(spec)) = pod.get("spec") else { panic!() };
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
