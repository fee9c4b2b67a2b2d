//! The fields of a kind, as a tree.

use std::fmt;

use crate::table::KINDS;

/// The fields of a type of object, such as `PodSpec`.
pub struct Fields {
    /// The name of the type in the Kubernetes API.
    pub name: &'static str,
    /// Each field with its type, in alphabetical order.
    pub fields: &'static [(&'static str, Type)],
}

/// The type of a field, as far as it has fields of its own.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// An object with known fields.
    Object(&'static Fields),
    /// An array of elements of a type.
    List(&'static Type),
    /// An object with any keys and values of a type, such as labels.
    Map(&'static Type),
    /// A scalar (also `IntOrString`, `Quantity` and `Time`), or arbitrary JSON.
    Leaf,
}

impl Fields {
    /// Returns the type of a field; `None` if the object does not have the field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Type> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, of)| *of)
    }

    /// Returns the names of the fields, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// Returns whether a dotted path leads to a field. Arrays have no step in the path, as in field
    /// masks.
    ///
    /// # Example
    /// ```
    /// let pod = known_fields::fields_of("v1", "Pod").unwrap();
    /// assert!(pod.has("spec.containers.ports.hostPort"));
    /// assert!(pod.has("metadata.labels.app"));
    /// assert!(!pod.has("spec.containers.ports.hostport"));
    /// ```
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        self.get(name).is_some_and(|of| rest.is_none_or(|rest| of.has(rest)))
    }
}

impl Type {
    fn has(self, path: &str) -> bool {
        match self {
            Type::Object(fields) => fields.has(path),
            Type::List(of) => of.has(path),
            Type::Map(of) => path.split_once('.').is_none_or(|(_, rest)| of.has(rest)),
            Type::Leaf => false,
        }
    }
}

impl fmt::Debug for Fields {
    /// Writes only the name, because types may contain themselves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The fields of a kind; `None` for a kind that no policy judges.
#[must_use]
pub fn fields_of(api_version: &str, kind: &str) -> Option<&'static Fields> {
    kinds().find(|(known, fields)| *known == api_version && fields.name == kind).map(|(_, fields)| fields)
}

/// Every kind of the table: its API version and its fields, whose name is the kind.
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
    fn a_type_is_debugged_without_its_fields() {
        let pod = fields_of("v1", "Pod").unwrap();
        assert_eq!(format!("{pod:?} {:?}", pod.get("spec").unwrap()), "Pod Object(PodSpec)");
    }
}
