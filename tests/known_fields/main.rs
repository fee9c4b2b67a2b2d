//! The table of known fields has exactly the fields of the types of `k8s-openapi`.

mod trace;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    Namespace, Node, PersistentVolume, Pod, PodTemplate, ReplicationController, Service,
};
use k8s_openapi::api::policy::v1::Eviction;
use trace::{Trace, Type};

fn traced() -> Trace {
    let mut trace = Trace::default();
    trace.add::<CronJob>();
    trace.add::<DaemonSet>();
    trace.add::<Deployment>();
    trace.add::<Eviction>();
    trace.add::<Job>();
    trace.add::<Namespace>();
    trace.add::<Node>();
    trace.add::<PersistentVolume>();
    trace.add::<Pod>();
    trace.add::<PodTemplate>();
    trace.add::<ReplicaSet>();
    trace.add::<ReplicationController>();
    trace.add::<Service>();
    trace.add::<StatefulSet>();
    trace
}

/// The source of the table.
fn source(trace: &Trace) -> String {
    let mut text = String::from(
        "//! Generated from the types of `k8s-openapi` by `./justw bless`.\n\n\
         use crate::fields::{Fields, Type};\n\n\
         /// The kinds that policies judge, with their API versions.\n\
         pub(crate) static KINDS: &[(&str, &Fields)] = &[\n",
    );
    for (api_version, kind) in &trace.kinds {
        writeln!(text, "    (\"{api_version}\", &{}),", constant(kind)).unwrap();
    }
    text.push_str("];\n");
    for (name, fields) in &trace.objects {
        let constant = constant(name);
        writeln!(text, "\nstatic {constant}: Fields = Fields {{ name: \"{name}\", fields: &[").unwrap();
        for (name, of) in fields {
            writeln!(text, "    (\"{name}\", {}),", code(of)).unwrap();
        }
        text.push_str("] };\n");
    }
    text
}

fn code(of: &Type) -> String {
    match of {
        Type::Object(name) => format!("Type::Object(&{})", constant(name)),
        Type::List(of) => format!("Type::List(&{})", code(of)),
        Type::Map(of) => format!("Type::Map(&{})", code(of)),
        Type::Leaf => "Type::Leaf".to_owned(),
    }
}

/// `PodSpec` as `POD_SPEC`, `ISCSIVolumeSource` as `ISCSI_VOLUME_SOURCE`.
fn constant(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut constant = String::new();
    for (at, char) in chars.iter().enumerate() {
        let lower = |at: usize| chars.get(at).is_some_and(|char| !char.is_ascii_uppercase());
        if at > 0 && char.is_ascii_uppercase() && (lower(at - 1) || lower(at + 1)) {
            constant.push('_');
        }
        constant.push(char.to_ascii_uppercase());
    }
    constant
}

#[test]
fn the_table_has_the_fields_of_the_types() {
    let file = tests::root().join("shared/native/known-fields/src/table.rs");
    let source = source(&traced());
    if harness::bless::is_wanted() {
        std::fs::write(&file, &source).unwrap();
    }
    let current = std::fs::read_to_string(&file).unwrap();
    assert!(current == source, "{} is not current; run ./justw bless", file.display());
}

/// As `JSONSchemaProps`.
#[derive(serde::Deserialize)]
struct Schema {
    #[expect(dead_code, reason = "only its type matters")]
    not: Option<Box<Schema>>,
    #[expect(dead_code, reason = "only its type matters")]
    properties: Option<BTreeMap<String, Vec<Schema>>>,
    #[expect(dead_code, reason = "only its type matters")]
    title: Option<String>,
}

#[test]
fn a_type_that_contains_itself_is_traced() {
    let mut trace = Trace::default();
    assert_eq!(trace.read::<Schema>(), Type::Object("Schema"));
    let list = Type::List(Box::new(Type::Object("Schema")));
    let fields =
        [("not", Type::Object("Schema")), ("properties", Type::Map(Box::new(list))), ("title", Type::Leaf)];
    assert_eq!(trace.objects, BTreeMap::from([("Schema", BTreeMap::from(fields))]));
}
