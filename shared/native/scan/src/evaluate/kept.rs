//! The parts of objects that policies read.

use document::Shape;

use crate::pods;
use crate::policy::Policy;

/// The parts of a value that are kept: a [`Shape`] that can be combined with others.
#[derive(Clone, Debug, Default)]
pub(crate) enum Kept {
    /// Nothing; not even the value itself.
    #[default]
    Nothing,
    /// The fields of an object with these names, which are sorted.
    Fields(Vec<(&'static str, Self)>),
    /// All fields of an object, and a part of each.
    Each(Box<Self>),
    Whole,
}

/// The fields that a scan reads itself: those of the report, and those that requests and pods of
/// workloads are made of.
const OF_SCAN: Shape<'static> = Shape::Fields(&[
    ("apiVersion", Shape::ALL),
    ("kind", Shape::ALL),
    (
        "metadata",
        Shape::Fields(&[
            ("generateName", Shape::ALL),
            ("name", Shape::ALL),
            ("namespace", Shape::ALL),
            ("ownerReferences", Shape::ALL),
            ("uid", Shape::ALL),
        ]),
    ),
    (
        "spec",
        Shape::Fields(&[
            ("serviceName", Shape::ALL),
            ("volumeClaimTemplates", Shape::Fields(&[("metadata", Shape::Fields(&[("name", Shape::ALL)]))])),
        ]),
    ),
]);

/// The fields of a pod that decide the defaults of those that policies read.
const OF_DEFAULTS: Shape<'static> = {
    const PORTS: Shape<'static> =
        Shape::Fields(&[("ports", Shape::Fields(&[("containerPort", Shape::ALL)]))]);
    const SPEC: Shape<'static> =
        Shape::Fields(&[("containers", PORTS), ("hostNetwork", Shape::ALL), ("initContainers", PORTS)]);
    Shape::Fields(&[("spec", SPEC)])
};

impl Kept {
    /// Returns what policies and the scan read of an object, whether it is evaluated itself or
    /// makes pods that are.
    pub(crate) fn by(policies: &[Policy]) -> Self {
        let entries = policies.iter().flat_map(Policy::entries);
        let object = entries.map(|entry| Self::of(entry.object)).fold(Self::of(OF_DEFAULTS), Self::and);
        // The metadata and the specification of a template become those of a pod.
        let pod = Self::Fields(
            ["metadata", "spec"].map(|name| (name, object.field(name.as_bytes()).clone())).into(),
        );
        let templates = pods::templates()
            .map(|path| path.iter().rev().fold(pod.clone(), |kept, name| Self::Fields(vec![(*name, kept)])));
        templates.fold(object.and(Self::of(OF_SCAN)), Self::and)
    }

    pub(super) fn of(shape: Shape<'static>) -> Self {
        match shape {
            Shape::Fields(fields) => {
                Self::Fields(fields.iter().map(|(name, shape)| (*name, Self::of(*shape))).collect())
            }
            Shape::Each(None) => Self::Whole,
            Shape::Each(Some(each)) => Self::Each(Box::new(Self::of(*each))),
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, kept) | (kept, Self::Nothing) => kept,
            (Self::Fields(mut fields), Self::Fields(others)) => {
                for (name, kept) in others {
                    match fields.binary_search_by_key(&name, |(name, _)| name) {
                        Err(at) => fields.insert(at, (name, kept)),
                        Ok(at) => {
                            if let Some((_, known)) = fields.get_mut(at) {
                                *known = std::mem::take(known).and(kept);
                            }
                        }
                    }
                }
                Self::Fields(fields)
            }
            (Self::Each(one), Self::Each(other)) => Self::Each(Box::new(one.and(*other))),
            _ => Self::Whole,
        }
    }

    pub(super) fn field(&self, name: &[u8]) -> &Self {
        match self {
            Self::Nothing => &Self::Nothing,
            Self::Fields(fields) => fields
                .iter()
                .find(|(known, _)| known.as_bytes() == name)
                .map_or(&Self::Nothing, |(_, kept)| kept),
            Self::Each(each) => each,
            Self::Whole => &Self::Whole,
        }
    }

    /// Returns whether a value is kept, be it without its fields.
    pub(super) fn is_something(&self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Shape<'static> = Shape::ALL;

    fn combined(one: Shape<'static>, other: Shape<'static>) -> String {
        format!("{:?}", Kept::of(one).and(Kept::of(other)))
    }

    #[test]
    fn combined_parts_have_what_either_has() {
        const A: Shape<'static> = Shape::Fields(&[("a", ALL), ("c", Shape::Fields(&[("d", ALL)]))]);
        const B: Shape<'static> =
            Shape::Fields(&[("b", Shape::Fields(&[])), ("c", Shape::Fields(&[("a", ALL)]))]);
        let both =
            r#"Fields([("a", Whole), ("b", Fields([])), ("c", Fields([("a", Whole), ("d", Whole)]))])"#;
        assert_eq!((combined(A, B), combined(B, A)), (both.to_owned(), both.to_owned()));
        assert_eq!(combined(A, ALL), "Whole");
        assert_eq!(combined(Shape::Each(Some(&A)), A), "Whole");
        let each = combined(
            Shape::Each(Some(&Shape::Fields(&[("a", ALL)]))),
            Shape::Each(Some(&Shape::Fields(&[]))),
        );
        assert_eq!(each, r#"Each(Fields([("a", Whole)]))"#);
    }

    /// The completion of a reduced object leaves this out.
    #[test]
    fn what_servers_add_to_every_object_is_not_read() {
        let policies: Vec<Policy> = rules::CATALOG
            .iter()
            .map(|entry| Policy::of_id(entry.id, &serde_json::Value::Null).unwrap())
            .collect();
        let kept = Kept::by(&policies);
        for path in ["metadata.managedFields", "spec.preemptionPolicy", "spec.priority", "spec.tolerations"] {
            let read = path.split('.').fold(&kept, |kept, name| kept.field(name.as_bytes()));
            assert!(!read.is_something(), "{path}");
        }
    }

    #[test]
    fn the_pods_of_workloads_are_kept_as_pods() {
        let kept = Kept::by(&[Policy::of_id("node-pods", &serde_json::Value::Null).unwrap()]);
        let at =
            |path: &str| path.split('.').fold(&kept, |kept, name| kept.field(name.as_bytes())).is_something();
        for path in
            ["spec.nodeName", "spec.template.spec.nodeName", "spec.jobTemplate.spec.template.metadata.labels"]
        {
            assert!(at(path), "{path}");
        }
        for path in ["metadata.managedFields", "spec.template.status", "data"] {
            assert!(!at(path), "{path}");
        }
    }
}
