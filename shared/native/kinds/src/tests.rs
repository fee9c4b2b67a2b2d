use k8s_openapi::Resource as Constants;
use serde_json::json;

use super::*;

/// A resource as k8s-openapi declares it: API version, kind, resource and scope.
type Declared = (&'static str, &'static str, &'static str, bool);

trait Scope {
    const IS_NAMESPACED: bool;
}

impl Scope for k8s_openapi::NamespaceResourceScope {
    const IS_NAMESPACED: bool = true;
}

impl Scope for k8s_openapi::ClusterResourceScope {
    const IS_NAMESPACED: bool = false;
}

fn declare<T: Constants<Scope: Scope>>() -> Declared {
    (T::API_VERSION, T::KIND, T::URL_PATH_SEGMENT, T::Scope::IS_NAMESPACED)
}

/// The resources of Kubernetes 1.36, without subresources.
const KUBERNETES: &[fn() -> Declared] = &[
    declare::<k8s_openapi::api::admissionregistration::v1::MutatingAdmissionPolicy>,
    declare::<k8s_openapi::api::admissionregistration::v1::MutatingAdmissionPolicyBinding>,
    declare::<k8s_openapi::api::admissionregistration::v1::MutatingWebhookConfiguration>,
    declare::<k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy>,
    declare::<k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyBinding>,
    declare::<k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration>,
    declare::<k8s_openapi::api::admissionregistration::v1alpha1::MutatingAdmissionPolicy>,
    declare::<k8s_openapi::api::admissionregistration::v1alpha1::MutatingAdmissionPolicyBinding>,
    declare::<k8s_openapi::api::admissionregistration::v1beta1::MutatingAdmissionPolicy>,
    declare::<k8s_openapi::api::admissionregistration::v1beta1::MutatingAdmissionPolicyBinding>,
    declare::<k8s_openapi::api::apiserverinternal::v1alpha1::StorageVersion>,
    declare::<k8s_openapi::api::apps::v1::ControllerRevision>,
    declare::<k8s_openapi::api::apps::v1::DaemonSet>,
    declare::<k8s_openapi::api::apps::v1::Deployment>,
    declare::<k8s_openapi::api::apps::v1::ReplicaSet>,
    declare::<k8s_openapi::api::apps::v1::StatefulSet>,
    declare::<k8s_openapi::api::authentication::v1::SelfSubjectReview>,
    declare::<k8s_openapi::api::authentication::v1::TokenReview>,
    declare::<k8s_openapi::api::authorization::v1::LocalSubjectAccessReview>,
    declare::<k8s_openapi::api::authorization::v1::SelfSubjectAccessReview>,
    declare::<k8s_openapi::api::authorization::v1::SelfSubjectRulesReview>,
    declare::<k8s_openapi::api::authorization::v1::SubjectAccessReview>,
    declare::<k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscaler>,
    declare::<k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler>,
    declare::<k8s_openapi::api::batch::v1::CronJob>,
    declare::<k8s_openapi::api::batch::v1::Job>,
    declare::<k8s_openapi::api::certificates::v1::CertificateSigningRequest>,
    declare::<k8s_openapi::api::certificates::v1alpha1::ClusterTrustBundle>,
    declare::<k8s_openapi::api::certificates::v1beta1::ClusterTrustBundle>,
    declare::<k8s_openapi::api::certificates::v1beta1::PodCertificateRequest>,
    declare::<k8s_openapi::api::coordination::v1::Lease>,
    declare::<k8s_openapi::api::coordination::v1alpha2::LeaseCandidate>,
    declare::<k8s_openapi::api::coordination::v1beta1::LeaseCandidate>,
    declare::<k8s_openapi::api::core::v1::Binding>,
    declare::<k8s_openapi::api::core::v1::ComponentStatus>,
    declare::<k8s_openapi::api::core::v1::ConfigMap>,
    declare::<k8s_openapi::api::core::v1::Endpoints>,
    declare::<k8s_openapi::api::core::v1::Event>,
    declare::<k8s_openapi::api::core::v1::LimitRange>,
    declare::<k8s_openapi::api::core::v1::Namespace>,
    declare::<k8s_openapi::api::core::v1::Node>,
    declare::<k8s_openapi::api::core::v1::PersistentVolume>,
    declare::<k8s_openapi::api::core::v1::PersistentVolumeClaim>,
    declare::<k8s_openapi::api::core::v1::Pod>,
    declare::<k8s_openapi::api::core::v1::PodTemplate>,
    declare::<k8s_openapi::api::core::v1::ReplicationController>,
    declare::<k8s_openapi::api::core::v1::ResourceQuota>,
    declare::<k8s_openapi::api::core::v1::Secret>,
    declare::<k8s_openapi::api::core::v1::Service>,
    declare::<k8s_openapi::api::core::v1::ServiceAccount>,
    declare::<k8s_openapi::api::discovery::v1::EndpointSlice>,
    declare::<k8s_openapi::api::events::v1::Event>,
    declare::<k8s_openapi::api::flowcontrol::v1::FlowSchema>,
    declare::<k8s_openapi::api::flowcontrol::v1::PriorityLevelConfiguration>,
    declare::<k8s_openapi::api::networking::v1::IPAddress>,
    declare::<k8s_openapi::api::networking::v1::Ingress>,
    declare::<k8s_openapi::api::networking::v1::IngressClass>,
    declare::<k8s_openapi::api::networking::v1::NetworkPolicy>,
    declare::<k8s_openapi::api::networking::v1::ServiceCIDR>,
    declare::<k8s_openapi::api::networking::v1beta1::IPAddress>,
    declare::<k8s_openapi::api::networking::v1beta1::ServiceCIDR>,
    declare::<k8s_openapi::api::node::v1::RuntimeClass>,
    declare::<k8s_openapi::api::policy::v1::PodDisruptionBudget>,
    declare::<k8s_openapi::api::rbac::v1::ClusterRole>,
    declare::<k8s_openapi::api::rbac::v1::ClusterRoleBinding>,
    declare::<k8s_openapi::api::rbac::v1::Role>,
    declare::<k8s_openapi::api::rbac::v1::RoleBinding>,
    declare::<k8s_openapi::api::resource::v1::DeviceClass>,
    declare::<k8s_openapi::api::resource::v1::ResourceClaim>,
    declare::<k8s_openapi::api::resource::v1::ResourceClaimTemplate>,
    declare::<k8s_openapi::api::resource::v1::ResourceSlice>,
    declare::<k8s_openapi::api::resource::v1alpha3::DeviceTaintRule>,
    declare::<k8s_openapi::api::resource::v1alpha3::ResourcePoolStatusRequest>,
    declare::<k8s_openapi::api::resource::v1beta1::DeviceClass>,
    declare::<k8s_openapi::api::resource::v1beta1::ResourceClaim>,
    declare::<k8s_openapi::api::resource::v1beta1::ResourceClaimTemplate>,
    declare::<k8s_openapi::api::resource::v1beta1::ResourceSlice>,
    declare::<k8s_openapi::api::resource::v1beta2::DeviceClass>,
    declare::<k8s_openapi::api::resource::v1beta2::DeviceTaintRule>,
    declare::<k8s_openapi::api::resource::v1beta2::ResourceClaim>,
    declare::<k8s_openapi::api::resource::v1beta2::ResourceClaimTemplate>,
    declare::<k8s_openapi::api::resource::v1beta2::ResourceSlice>,
    declare::<k8s_openapi::api::scheduling::v1::PriorityClass>,
    declare::<k8s_openapi::api::scheduling::v1alpha2::PodGroup>,
    declare::<k8s_openapi::api::scheduling::v1alpha2::Workload>,
    declare::<k8s_openapi::api::storage::v1::CSIDriver>,
    declare::<k8s_openapi::api::storage::v1::CSINode>,
    declare::<k8s_openapi::api::storage::v1::CSIStorageCapacity>,
    declare::<k8s_openapi::api::storage::v1::StorageClass>,
    declare::<k8s_openapi::api::storage::v1::VolumeAttachment>,
    declare::<k8s_openapi::api::storage::v1::VolumeAttributesClass>,
    declare::<k8s_openapi::api::storage::v1beta1::VolumeAttributesClass>,
    declare::<k8s_openapi::api::storagemigration::v1beta1::StorageVersionMigration>,
    declare::<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>,
    declare::<k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService>,
];

#[test]
fn the_table_has_the_resources_of_kubernetes() {
    let mut seen = 0;
    for (api_version, kind, plural, is_namespaced) in KUBERNETES.iter().map(|declared| declared()) {
        let known = BUILT_IN.iter().find(|one| one.api_version() == api_version && one.kind == kind);
        let known = known.unwrap_or_else(|| panic!("{api_version} {kind} is missing"));
        assert_eq!((&*known.plural, known.is_namespaced), (plural, Some(is_namespaced)), "{kind}");
        assert_eq!(known.origin, Origin::BuiltIn, "{api_version} {kind}");
        seen += 1;
    }
    // Nothing else is said to be served.
    let served = BUILT_IN.iter().filter(|one| one.origin == Origin::BuiltIn).count();
    assert_eq!((seen, served), (KUBERNETES.len(), KUBERNETES.len()));
}

#[test]
fn every_line_is_a_resource() {
    let lines: Vec<&str> = include_str!("kinds.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), BUILT_IN.len());
    for line in &lines {
        let columns: Vec<&str> = line.split(' ').collect();
        assert_eq!(columns.len(), 6, "{line}");
        assert!(["Namespaced", "Cluster"].contains(&columns[3]), "{line}");
        assert!(["served", "removed"].contains(&columns[4]), "{line}");
        assert_eq!(lines.iter().filter(|other| **other == *line).count(), 1, "{line}");
    }
    let pods = Kinds::default().resource("v1", "Pod").into_owned();
    let known =
        ["attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy"];
    assert_eq!(pods.subresources, [&known[..], &["resize", "status"]].concat());
}

#[test]
fn other_versions_and_kinds_are_guessed() {
    let kinds = Kinds::default();
    let newer = kinds.resource("batch/v9", "CronJob").into_owned();
    assert_eq!(
        (&*newer.plural, newer.is_namespaced, newer.origin),
        ("cronjobs", Some(true), Origin::Guessed)
    );
    assert_eq!(newer.api_version(), "batch/v9");
    for (kind, plural) in [
        ("Pod", "pods"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Endpoints", "endpoints"),
        ("", ""),
    ] {
        let guessed = kinds.resource("example.com/v1", kind);
        assert_eq!(
            (&*guessed.plural, guessed.is_namespaced, guessed.origin),
            (plural, None, Origin::Guessed)
        );
    }
}

#[expect(clippy::needless_pass_by_value, reason = "calls pass literals")]
fn definition(spec: Value) -> Value {
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec })
}

#[test]
fn definitions_do_not_change_kinds_of_kubernetes() {
    let mut kinds = Kinds::default();
    let spec = json!({
        "group": "networking.k8s.io",
        "scope": "Cluster",
        "names": { "kind": "Ingress", "plural": "ingresses" },
        "versions": [{ "name": "v2", "served": true }],
    });
    assert_eq!(kinds.add_definition(&definition(spec)), Ok(true));
    let ingress = kinds.resource("networking.k8s.io/v2", "Ingress");
    assert_eq!((ingress.is_namespaced, ingress.origin), (Some(true), Origin::Guessed));
}

#[test]
fn definitions_add_resources() {
    let mut kinds = Kinds::default();
    let spec = json!({
        "group": "example.com",
        "scope": "Cluster",
        "names": { "kind": "Ox", "plural": "oxen" },
        "versions": [
            { "name": "v1", "served": true, "subresources": { "status": {}, "scale": {} } },
            { "name": "v0", "served": false },
        ],
    });
    assert!(!kinds.knows_group("example.com"));
    assert_eq!(kinds.add_definition(&definition(spec)), Ok(true));
    assert!(kinds.knows_group("example.com"));
    let ox = kinds.resource("example.com/v1", "Ox");
    assert_eq!((&*ox.plural, ox.is_namespaced, ox.origin), ("oxen", Some(false), Origin::Custom));
    assert_eq!(ox.subresources, ["scale", "status"]);
    // A version that is not served is a guess.
    assert_eq!(kinds.resource("example.com/v0", "Ox").origin, Origin::Guessed);
    assert_eq!(kinds.add_definition(&json!({ "apiVersion": "v1", "kind": "Pod" })), Ok(false));
    let old = json!({
        "group": "example.com",
        "scope": "Namespaced",
        "names": { "kind": "Ox", "plural": "oxen" },
        "version": "v1beta1",
        "subresources": { "status": {} },
    });
    assert_eq!(kinds.add_definition(&definition(old)), Ok(true));
    let ox = kinds.resource("example.com/v1beta1", "Ox");
    assert_eq!((ox.is_namespaced, ox.subresources.len(), ox.origin), (Some(true), 1, Origin::Custom));
    for (spec, want) in [
        (json!({}), "spec.group: Required value: expected a string"),
        (
            json!({ "group": "a", "names": { "kind": "A" } }),
            "spec.names.plural: Required value: expected a string",
        ),
        (
            json!({ "group": "a", "names": { "kind": "A", "plural": "as" }, "scope": "Cluster" }),
            "spec.versions: Required value: expected an array",
        ),
    ] {
        assert_eq!(kinds.add_definition(&definition(spec)), Err(want.to_owned()));
    }
}
