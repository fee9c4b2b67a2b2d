//! The table of known fields has exactly the fields of the types of `k8s-openapi`, and the mistakes
//! of objects are those that an API server finds.

mod objects;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use k8s_openapi::{api, apiextensions_apiserver, kube_aggregator};
use trace::{Object, Path, Trace, Type};

/// Adds the kinds of API groups.
macro_rules! add {
    ($trace:expr, $($group:ident::$version:ident: $($kind:ident),+;)+) => {
        $($($trace.add::<api::$group::$version::$kind>();)+)+
    };
}

fn traced() -> Trace {
    let mut trace = Trace::default();
    add! { trace,
        admissionregistration::v1:
            MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration,
            ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
            ValidatingWebhookConfiguration;
        admissionregistration::v1alpha1: MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding;
        admissionregistration::v1beta1: MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding;
        apiserverinternal::v1alpha1: StorageVersion;
        apps::v1: ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet;
        authentication::v1: SelfSubjectReview, TokenRequest, TokenReview;
        authorization::v1:
            LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview,
            SubjectAccessReview;
        autoscaling::v1: HorizontalPodAutoscaler, Scale;
        autoscaling::v2: HorizontalPodAutoscaler;
        batch::v1: CronJob, Job;
        certificates::v1: CertificateSigningRequest;
        certificates::v1alpha1: ClusterTrustBundle;
        certificates::v1beta1: ClusterTrustBundle, PodCertificateRequest;
        coordination::v1: Lease;
        coordination::v1alpha2: LeaseCandidate;
        coordination::v1beta1: LeaseCandidate;
        core::v1:
            Binding, ComponentStatus, ConfigMap, Endpoints, Event, LimitRange, Namespace, Node,
            PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate, ReplicationController,
            ResourceQuota, Secret, Service, ServiceAccount;
        discovery::v1: EndpointSlice;
        events::v1: Event;
        flowcontrol::v1: FlowSchema, PriorityLevelConfiguration;
        networking::v1: IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR;
        networking::v1beta1: IPAddress, ServiceCIDR;
        node::v1: RuntimeClass;
        policy::v1: Eviction, PodDisruptionBudget;
        rbac::v1: ClusterRole, ClusterRoleBinding, Role, RoleBinding;
        resource::v1: DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        resource::v1alpha3: DeviceTaintRule, ResourcePoolStatusRequest;
        resource::v1beta1: DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        resource::v1beta2:
            DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        scheduling::v1: PriorityClass;
        scheduling::v1alpha2: PodGroup, Workload;
        storage::v1:
            CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
            VolumeAttributesClass;
        storage::v1beta1: VolumeAttributesClass;
        storagemigration::v1beta1: StorageVersionMigration;
    }
    trace.add::<apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>();
    trace.add::<kube_aggregator::pkg::apis::apiregistration::v1::APIService>();
    trace
}

/// The source of the table.
fn source(trace: &Trace) -> String {
    let shared = trace.shared();
    let names = constants(trace, &shared);
    let constant = |path: &Path| &names[shared[path]];
    let mut text = String::from(
        "//! Generated from the types of `k8s-openapi` by `./justw bless`.\n\n\
         use crate::fields::{Fields, Type};\n\n\
         /// The kinds with their API versions, in the order of both.\n\
         pub(crate) static KINDS: &[(&str, &Fields)] = &[\n",
    );
    for ((api_version, _), path) in &trace.kinds {
        writeln!(text, "    (\"{api_version}\", &{}),", constant(path)).unwrap();
    }
    text.push_str("];\n");
    for (path, constant) in &names {
        let Object { name, fields } = &trace.objects[path];
        writeln!(text, "\nstatic {constant}: Fields = Fields {{ name: \"{name}\", fields: &[").unwrap();
        for (name, of) in fields {
            writeln!(text, "    (\"{name}\", {}),", code(of, &|path| names[shared[path]].clone())).unwrap();
        }
        text.push_str("] };\n");
    }
    text
}

/// Names a constant for each type that is written: after the type, and after its group and version
/// if another type has the same name.
fn constants(trace: &Trace, shared: &BTreeMap<Path, Path>) -> BTreeMap<Path, String> {
    let written: BTreeSet<Path> = shared.values().copied().collect();
    let name = |path: &Path| trace.objects[path].name;
    let constant = |path: &Path| {
        let alone = written.iter().filter(|other| name(other) == name(path)).count() == 1;
        let constant = constant(name(path));
        (*path, if alone { constant } else { format!("{}_{constant}", group_and_version(path)) })
    };
    written.iter().map(constant).collect()
}

/// `EVENTS_V1` of `k8s_openapi::v1_36::api::events::v1::event::Event`.
fn group_and_version(path: Path) -> String {
    let modules: Vec<&str> = path.split("::").collect();
    let version = |module: &&str| module.starts_with('v') && !module.contains('_') && *module != "version";
    let at = modules.iter().position(version).unwrap();
    modules[at - 1..=at].join("_").to_ascii_uppercase()
}

fn code(of: &Type, constant: &dyn Fn(&Path) -> String) -> String {
    match of {
        Type::Object(path) => format!("Type::Object(&{})", constant(path)),
        Type::List(of) => format!("Type::List(&{})", code(of, constant)),
        Type::Map(of) => format!("Type::Map(&{})", code(of, constant)),
        Type::Leaf(name) => format!("Type::{name}"),
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
    let Type::Object(path) = trace.read::<Schema>() else { panic!() };
    let list = Type::List(Box::new(Type::Object(path)));
    let fields = BTreeMap::from([
        ("not", Type::Object(path)),
        ("properties", Type::Map(Box::new(list))),
        ("title", Type::Leaf("Text")),
    ]);
    assert_eq!(trace.objects, BTreeMap::from([(path, Object { name: "Schema", fields })]));
}

#[test]
fn every_kind_that_is_served_is_traced() {
    let trace = traced();
    let served: BTreeSet<(String, String)> =
        kinds::served().map(|resource| (resource.api_version(), resource.kind.to_string())).collect();
    let traced: BTreeSet<(String, String)> =
        trace.kinds.keys().map(|(version, kind)| ((*version).to_owned(), (*kind).to_owned())).collect();
    assert_eq!(served.difference(&traced).collect::<Vec<_>>(), [] as [&(String, String); 0]);
}

#[test]
fn types_of_the_same_name_are_told_apart() {
    let trace = traced();
    let shared = trace.shared();
    let of = |version: &'static str, kind: &'static str| shared[trace.kinds[&(version, kind)]];
    assert_ne!(of("v1", "Event"), of("events.k8s.io/v1", "Event"));
    assert_ne!(of("resource.k8s.io/v1", "ResourceClaim"), of("resource.k8s.io/v1beta1", "ResourceClaim"));
    assert_eq!(of("networking.k8s.io/v1", "IPAddress"), of("networking.k8s.io/v1beta1", "IPAddress"));
    let event = &trace.objects[of("events.k8s.io/v1", "Event")];
    assert!(event.fields.contains_key("note") && !event.fields.contains_key("message"));
}
