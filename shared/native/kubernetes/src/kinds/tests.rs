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

macro_rules! declared {
    ($($group:ident::$version:ident { $($kind:ident)* })*) => {
        &[
            $($(declare::<k8s_openapi::api::$group::$version::$kind>,)*)*
            declare::<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>,
            declare::<k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService>,
        ]
    };
}

/// The resources of Kubernetes 1.37, without subresources.
const KUBERNETES: &[fn() -> Declared] = declared! {
    admissionregistration::v1 { MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
        MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
        ValidatingWebhookConfiguration }
    admissionregistration::v1alpha1 { MutatingAdmissionPolicy MutatingAdmissionPolicyBinding }
    admissionregistration::v1beta1 { MutatingAdmissionPolicy MutatingAdmissionPolicyBinding }
    apiserverinternal::v1alpha1 { StorageVersion }
    apps::v1 { ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet }
    authentication::v1 { SelfSubjectReview TokenReview }
    authorization::v1 { LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
        SubjectAccessReview }
    autoscaling::v1 { HorizontalPodAutoscaler }
    autoscaling::v2 { HorizontalPodAutoscaler }
    batch::v1 { CronJob Job }
    certificates::v1 { CertificateSigningRequest ClusterTrustBundle PodCertificateRequest }
    certificates::v1beta1 { ClusterTrustBundle PodCertificateRequest }
    coordination::v1 { Lease }
    coordination::v1alpha2 { LeaseCandidate }
    coordination::v1beta1 { LeaseCandidate }
    core::v1 { Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node
        PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret
        Service ServiceAccount }
    discovery::v1 { EndpointSlice }
    events::v1 { Event }
    flowcontrol::v1 { FlowSchema PriorityLevelConfiguration }
    lifecycle::v1alpha1 { Eviction EvictionRequest }
    networking::v1 { IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR }
    node::v1 { RuntimeClass }
    policy::v1 { PodDisruptionBudget }
    rbac::v1 { ClusterRole ClusterRoleBinding Role RoleBinding }
    resource::v1 { DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice }
    resource::v1alpha3 { DeviceTaintRule ResourcePoolStatusRequest }
    resource::v1beta1 { DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice }
    resource::v1beta2 { DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice }
    scheduling::v1 { PriorityClass }
    scheduling::v1alpha3 { CompositePodGroup PodGroup Workload }
    scheduling::v1beta1 { PodGroup Workload }
    storage::v1 { CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass }
    storagemigration::v1 { StorageVersionMigration }
    storagemigration::v1beta1 { StorageVersionMigration }
};

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
        assert_eq!(kinds.add_definition(&definition(spec)).unwrap_err().to_string(), want);
    }
}
