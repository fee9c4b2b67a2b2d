//! The variables of match conditions, and their fields.
//!
//! Source: `BuildRequestType`, `BuildNamespaceType` and `createEnvForOpts` in
//! `pkg/admission/plugin/cel/compile.go` of k8s.io/apiserver 1.37.

use std::rc::Rc;

use super::signatures::Shape;
use super::types::Type;

use Shape::{Bool, Dyn, Int, List, Map, Named, String, Timestamp};

const STRINGS: Shape = List(&String);

const VARIABLES: &[(&str, Shape)] = &[
    ("authorizer", Named("kubernetes.authorization.Authorizer")),
    ("authorizer.requestResource", Named("kubernetes.authorization.ResourceCheck")),
    ("google.protobuf.NullValue.NULL_VALUE", Int),
    ("namespaceObject", Named("kubernetes.Namespace")),
    ("object", Dyn),
    ("oldObject", Dyn),
    ("request", Named("kubernetes.AdmissionRequest")),
];

/// The types whose names are values.
const TYPES: &[(&str, Shape)] = &[
    ("bool", Bool),
    ("bytes", Shape::Bytes),
    ("double", Shape::Double),
    ("google.protobuf.Duration", Shape::Duration),
    ("google.protobuf.Timestamp", Timestamp),
    ("int", Int),
    ("list", List(&Dyn)),
    ("map", Map(&Dyn, &Dyn)),
    ("net.CIDR", Named("net.CIDR")),
    ("net.IP", Named("net.IP")),
    ("null_type", Named("null_type")),
    ("optional_type", Shape::Optional(&Dyn)),
    ("string", String),
    ("type", Shape::Type(&Dyn)),
    ("uint", Shape::Uint),
];

/// The most names with dots between them in a declared name.
pub(super) const MOST_SEGMENTS: usize = 4;

type Fields = &'static [(&'static str, Shape)];

const OBJECTS: &[(&str, Fields)] = &[
    (
        "kubernetes.AdmissionRequest",
        &[
            ("dryRun", Bool),
            ("kind", Named("kubernetes.GroupVersionKind")),
            ("name", String),
            ("namespace", String),
            ("operation", String),
            ("options", Dyn),
            ("requestKind", Named("kubernetes.GroupVersionKind")),
            ("requestResource", Named("kubernetes.GroupVersionResource")),
            ("requestSubResource", String),
            ("resource", Named("kubernetes.GroupVersionResource")),
            ("subResource", String),
            ("userInfo", Named("kubernetes.UserInfo")),
        ],
    ),
    ("kubernetes.GroupVersionKind", &[("group", String), ("kind", String), ("version", String)]),
    ("kubernetes.GroupVersionResource", &[("group", String), ("resource", String), ("version", String)]),
    (
        "kubernetes.Namespace",
        &[
            ("metadata", Named("kubernetes.NamespaceMetadata")),
            ("spec", Named("kubernetes.NamespaceSpec")),
            ("status", Named("kubernetes.NamespaceStatus")),
        ],
    ),
    (
        "kubernetes.NamespaceCondition",
        &[
            ("lastTransitionTime", Timestamp),
            ("message", String),
            ("reason", String),
            ("status", String),
            ("type", String),
        ],
    ),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("UID", String),
            ("annotations", Map(&String, &String)),
            ("creationTimestamp", Timestamp),
            ("deletionGracePeriodSeconds", Int),
            ("deletionTimestamp", Timestamp),
            ("finalizers", STRINGS),
            ("generateName", String),
            ("generation", Int),
            ("labels", Map(&String, &String)),
            ("name", String),
            ("namespace", String),
            ("resourceVersion", String),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", STRINGS)]),
    (
        "kubernetes.NamespaceStatus",
        &[("conditions", List(&Named("kubernetes.NamespaceCondition"))), ("phase", String)],
    ),
    (
        "kubernetes.UserInfo",
        &[("extra", Map(&String, &STRINGS)), ("groups", STRINGS), ("uid", String), ("username", String)],
    ),
];

/// Returns the type of a variable, or of the name of a type.
pub(super) fn global(name: &str) -> Option<Type> {
    let find = |list: &[(&str, Shape)]| {
        list.iter().find(|(known, _)| *known == name).map(|(_, shape)| shape.plain())
    };
    find(VARIABLES).or_else(|| find(TYPES).map(|of| Type::Meta(Rc::new(of))))
}

/// Returns the names of variables, for messages.
pub(super) fn names() -> Vec<&'static str> {
    VARIABLES.iter().map(|(name, _)| *name).collect()
}

pub(super) fn fields(of: &str) -> Option<Fields> {
    OBJECTS.iter().find(|(name, _)| *name == of).map(|(_, fields)| *fields)
}
