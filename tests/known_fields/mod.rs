//! The table of known fields has exactly the fields of the types of `k8s-openapi`.

mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use k8s_openapi::{api, apiextensions_apiserver, kube_aggregator};
use trace::{Path, TEXT, Trace, Type};

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
        certificates::v1:
            CertificateSigningRequest, ClusterTrustBundle, PodCertificateRequest;
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
        lifecycle::v1alpha1: Eviction, EvictionRequest;
        networking::v1: IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR;
        node::v1: RuntimeClass;
        policy::v1: Eviction, PodDisruptionBudget;
        rbac::v1: ClusterRole, ClusterRoleBinding, Role, RoleBinding;
        resource::v1:
            DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        resource::v1alpha3: DeviceTaintRule, ResourcePoolStatusRequest;
        resource::v1beta1: DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        resource::v1beta2:
            DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice;
        scheduling::v1: PriorityClass;
        scheduling::v1alpha3: CompositePodGroup, PodGroup, Workload;
        scheduling::v1beta1: PodGroup, Workload;
        storage::v1:
            CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
            VolumeAttributesClass;
        storagemigration::v1: StorageVersionMigration;
        storagemigration::v1beta1: StorageVersionMigration;
    }
    trace.add::<apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>();
    trace.add::<kube_aggregator::pkg::apis::apiregistration::v1::APIService>();
    trace
}

/// The head of the table.
const HEAD: &str = "\
# The kinds that Kubernetes 1.37 serves: an API version, and the types of its kinds.
# Then the types of objects: a name, and the fields with their types, in alphabetical order.
# A name that several types have follows their group and version, as in events.v1.Event.
#
# The type of a field is text if there is none; []x is a list of x, and {}x a map with values of x.
#
# Generated from the types of k8s-openapi. A test compares them; ./justw bless writes this file.
";

/// The table.
fn table(trace: &Trace) -> String {
    let shared = trace.shared();
    let names = names(trace, &shared);
    let name = |path: &Path| names[shared[path]].clone();
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((api_version, _), path) in &trace.kinds {
        kinds.entry(api_version).or_default().push(name(path));
    }
    let mut text = HEAD.to_owned();
    for (api_version, kinds) in kinds {
        writeln!(text, "{api_version}: {}", kinds.join(" ")).unwrap();
    }
    text.push('\n');
    let by_name: BTreeMap<&str, Path> = names.iter().map(|(path, name)| (name.as_str(), *path)).collect();
    assert_eq!(by_name.len(), names.len(), "two types have the same name");
    for (id, path) in by_name {
        text.push_str(id);
        for (field, of) in &trace.objects[path].fields {
            write!(text, " {field}").unwrap();
            if *of != TEXT {
                write!(text, ":{}", written(of, &name)).unwrap();
            }
        }
        text.push('\n');
    }
    text
}

/// Names each type that is written: as in the Kubernetes API, and behind its group and version if
/// another type has the same name.
fn names(trace: &Trace, shared: &BTreeMap<Path, Path>) -> BTreeMap<Path, String> {
    let written: BTreeSet<Path> = shared.values().copied().collect();
    let name = |path: &Path| trace.objects[path].name;
    let unique = |path: &Path| {
        let alone = written.iter().filter(|other| name(other) == name(path)).count() == 1;
        let name = name(path);
        (*path, if alone { name.to_owned() } else { format!("{}.{name}", group_and_version(path)) })
    };
    written.iter().map(unique).collect()
}

/// `events.v1` of `k8s_openapi::v1_37::api::events::v1::event::Event`.
fn group_and_version(path: Path) -> String {
    let modules: Vec<&str> = path.split("::").collect();
    let version = |module: &&str| module.starts_with('v') && !module.contains('_') && *module != "version";
    let at = modules.iter().position(version).unwrap();
    modules[at - 1..=at].join(".")
}

fn written(of: &Type, name: &dyn Fn(&Path) -> String) -> String {
    match of {
        Type::Object(path) => name(path),
        Type::List(of) => format!("[]{}", written(of, name)),
        Type::Map(of) => format!("{{}}{}", written(of, name)),
        Type::Leaf(name) => (*name).to_owned(),
    }
}

#[test]
fn the_table_has_the_fields_of_the_types() {
    let file = tests::root().join("shared/native/kubernetes/src/fields/fields.txt");
    let table = table(&traced());
    if tests::blesses() {
        std::fs::write(&file, &table).unwrap();
    }
    let current = std::fs::read_to_string(&file).unwrap();
    assert!(current == table, "{} is not current; run ./justw bless", file.display());
}

#[test]
fn every_kind_that_is_served_is_traced() {
    let trace = traced();
    let served: BTreeSet<(String, String)> = kubernetes::kinds::served()
        .map(|resource| (resource.api_version(), resource.kind.to_string()))
        .collect();
    let traced: BTreeSet<(String, String)> =
        trace.kinds.keys().map(|(version, kind)| ((*version).to_owned(), (*kind).to_owned())).collect();
    assert_eq!(served.difference(&traced).collect::<Vec<_>>(), [] as [&(String, String); 0]);
}
