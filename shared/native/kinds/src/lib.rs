//! Kinds and their resources.
//!
//! Rules of webhooks name resources and scopes, and manifests name kinds. [`Kinds`] knows those of
//! Kubernetes and of `CustomResourceDefinition`s, and says when it only guesses.
//!
//! ```
//! use kinds::{Kinds, Origin};
//!
//! let kinds = Kinds::default();
//! let ingress = kinds.resource("networking.k8s.io/v1", "Ingress");
//! assert_eq!((&*ingress.plural, ingress.is_namespaced), ("ingresses", Some(true)));
//! let unknown = kinds.resource("example.com/v1", "Factory");
//! assert_eq!((&*unknown.plural, unknown.origin), ("factories", Origin::Guessed));
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

/// The kinds of Kubernetes.
static BUILT_IN: LazyLock<Vec<Resource>> = LazyLock::new(|| read(include_str!("kinds.txt")));

/// Resources that several groups serve from one storage, so that API servers treat them as
/// equivalent (`DefaultStorageFactory.AddCohabitatingResources` in
/// `pkg/kubeapiserver/default_storage_factory_builder.go` of Kubernetes): the resource and its
/// groups.
const COHABITING: &[(&str, &[&str])] = &[
    ("daemonsets", &["apps", "extensions"]),
    ("deployments", &["apps", "extensions"]),
    ("events", &["", "events.k8s.io"]),
    ("ingresses", &["networking.k8s.io", "extensions"]),
    ("networkpolicies", &["networking.k8s.io", "extensions"]),
    ("podsecuritypolicies", &["policy", "extensions"]),
    ("replicasets", &["apps", "extensions"]),
];

/// Versions of a group whose types have the same fields, so that a conversion only changes
/// `apiVersion`: the group, the resources (none for all) and the versions. The types are those in
/// k8s.io/api of Kubernetes 1.15 (`apps`) and 1.21 (`batch` and `rbac`).
const SAME_FIELDS: &[(&str, &[&str], &[&str])] = &[
    (
        "apps",
        &["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
        &["v1", "v1beta2"],
    ),
    ("batch", &["cronjobs"], &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &[], &["v1", "v1beta1"]),
];

/// A kind with its resource.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The version.
    pub version: Cow<'static, str>,
    /// The kind.
    pub kind: Cow<'static, str>,
    /// The name of the resource in paths and rules, such as `pods`.
    pub plural: Cow<'static, str>,
    /// Whether the objects are in namespaces; `None` if this is not known.
    pub is_namespaced: Option<bool>,
    /// The subresources, sorted. Those of a guess are not known.
    pub subresources: Vec<Cow<'static, str>>,
    /// How the resource is known.
    pub origin: Origin,
}

/// How a resource is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// A resource of Kubernetes 1.36.
    BuiltIn,
    /// A resource of an older version of Kubernetes, which no longer exists.
    Removed,
    /// A resource of a `CustomResourceDefinition`, whose versions have the same fields
    /// (`conversion.strategy: None`).
    Custom,
    /// A resource of a `CustomResourceDefinition`, whose versions a webhook converts.
    CustomConverted,
    /// A resource that a server serves, whose versions are of unknown fields.
    Served,
    /// A guess from the name of the kind.
    Guessed,
}

/// The known kinds: those of Kubernetes, and those of `CustomResourceDefinition`s.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    custom: HashMap<(String, String), Vec<Resource>>,
}

impl Kinds {
    /// Reads a `CustomResourceDefinition`: each version that is served becomes a known resource. A
    /// later definition of the same kind replaces an earlier one. Returns whether the object is a
    /// `CustomResourceDefinition`.
    ///
    /// # Errors
    /// A field that is missing or malformed, with its path.
    pub fn add_definition(&mut self, definition: &Value) -> Result<bool, String> {
        let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str);
        let is_definition = text("/kind") == Some("CustomResourceDefinition")
            && text("/apiVersion").is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
        if !is_definition {
            return Ok(false);
        }
        let required = |path: &str| {
            let pointer = format!("/{}", path.replace('.', "/"));
            text(&pointer)
                .map(str::to_owned)
                .ok_or_else(|| format!("{path}: Required value: expected a string"))
        };
        let (group, kind, plural) =
            (required("spec.group")?, required("spec.names.kind")?, required("spec.names.plural")?);
        let scope = required("spec.scope")?;
        let origin = match text("/spec/conversion/strategy") {
            Some("Webhook") => Origin::CustomConverted,
            _ => Origin::Custom,
        };
        let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
        let named = |version: &Value| {
            let is_served = version.get("served").and_then(Value::as_bool).unwrap_or(true);
            let name = version.get("name").and_then(Value::as_str)?.to_owned();
            is_served.then(|| (name, subresources(version.get("subresources"))))
        };
        // apiextensions.k8s.io/v1beta1 also knew one version alone, and subresources of all.
        let alone = || {
            let name = text("/spec/version")?.to_owned();
            Some(vec![(name, subresources(definition.pointer("/spec/subresources")))])
        };
        let found: Option<Vec<_>> =
            versions.map(|versions| versions.iter().filter_map(named).collect()).or_else(alone);
        let found = found.ok_or("spec.versions: Required value: expected an array")?;
        let resources = found.into_iter().map(|(version, subresources)| Resource {
            group: group.clone().into(),
            version: version.into(),
            kind: kind.clone().into(),
            plural: plural.clone().into(),
            is_namespaced: Some(scope == "Namespaced"),
            subresources,
            origin,
        });
        let resources = resources.collect();
        self.custom.insert((group, kind), resources);
        Ok(true)
    }

    /// Adds a resource that a server serves, unless its kind is known.
    pub fn add_served(&mut self, resource: Resource) {
        let Resource { group, kind, version, .. } = &resource;
        if BUILT_IN.iter().any(|one| one.group == *group && one.kind == *kind) {
            return;
        }
        let versions = self.custom.entry((group.to_string(), kind.to_string())).or_default();
        if versions.iter().all(|known| known.version != *version) {
            versions.push(Resource { origin: Origin::Served, ..resource });
        }
    }

    /// Adds the kinds that others know, unless they are known.
    pub fn extend(&mut self, others: Self) {
        let known = std::mem::replace(&mut self.custom, others.custom);
        self.custom.extend(known);
    }

    /// Returns the resource of a kind. A kind that is not known is guessed.
    #[must_use]
    pub fn resource(&self, api_version: &str, kind: &str) -> Cow<'_, Resource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let custom = self.custom.get(&(group.to_owned(), kind.to_owned())).into_iter().flatten();
        let mut known = BUILT_IN.iter().filter(|one| one.group == group && one.kind == kind).chain(custom);
        if let Some(exact) = known.clone().find(|one| one.version == version) {
            return Cow::Borrowed(exact);
        }
        // Another version of a known kind has the same resource and scope.
        let other = known.next();
        Cow::Owned(Resource {
            group: group.to_owned().into(),
            version: version.to_owned().into(),
            kind: kind.to_owned().into(),
            plural: other.map_or_else(|| guess(kind).into(), |other| other.plural.clone()),
            is_namespaced: other.and_then(|other| other.is_namespaced),
            subresources: other.map(|other| other.subresources.clone()).unwrap_or_default(),
            origin: Origin::Guessed,
        })
    }

    /// Returns the kind of Kubernetes with a resource in the plural.
    #[must_use]
    pub fn of_plural(&self, group: &str, version: &str, plural: &str) -> Option<&Resource> {
        let is = |one: &&Resource| one.group == group && one.version == version && one.plural == plural;
        BUILT_IN.iter().find(is)
    }

    /// Returns whether several groups serve the resource.
    #[must_use]
    pub fn is_cohabiting(plural: &str) -> bool {
        COHABITING.iter().any(|(resource, _)| *resource == plural)
    }

    /// Returns whether two groups serve a resource from one storage, so that each object is in
    /// both.
    #[must_use]
    pub fn cohabit(plural: &str, one: &str, other: &str) -> bool {
        let groups = COHABITING.iter().find(|(resource, _)| *resource == plural).map(|(_, groups)| *groups);
        groups.is_some_and(|groups| groups.contains(&one) && groups.contains(&other))
    }

    /// Returns whether a group is one whose versions are known.
    #[must_use]
    pub fn knows_group(&self, group: &str) -> bool {
        // Groups of Kubernetes without a dot, or below k8s.io, cannot be defined by others.
        !group.contains('.')
            || BUILT_IN.iter().any(|one| one.group == group)
            || self.custom.keys().any(|(known, _)| known == group)
    }

    /// Returns the other resources with the same objects, with whether a conversion to them changes
    /// `apiVersion` alone. A server that has a current resource has none that was removed.
    pub fn equivalents<'k>(
        &'k self,
        group: &'k str,
        version: &'k str,
        plural: &'k str,
    ) -> impl Iterator<Item = (&'k Resource, bool)> {
        let groups =
            COHABITING.iter().find(|(resource, groups)| *resource == plural && groups.contains(&group));
        let is_asked =
            move |one: &Resource| (&*one.group, &*one.version, &*one.plural) == (group, version, plural);
        let is_old = BUILT_IN.iter().any(|one| one.origin == Origin::Removed && is_asked(one));
        let is_equivalent = move |other: &&'k Resource| {
            let group_fits =
                other.group == group || groups.is_some_and(|(_, all)| all.contains(&&*other.group));
            let exists = is_old || other.origin != Origin::Removed;
            other.plural == plural && group_fits && exists && !is_asked(other)
        };
        // At most one definition has this group and plural, so the order of the map does not
        // matter.
        let custom = self.custom.values().flatten();
        BUILT_IN.iter().chain(custom).filter(is_equivalent).map(move |other| {
            let is_same = match other.origin {
                Origin::Custom => true,
                Origin::CustomConverted | Origin::Guessed | Origin::Served => false,
                Origin::BuiltIn | Origin::Removed => {
                    other.group == group
                        && SAME_FIELDS.iter().any(|(of, resources, versions)| {
                            *of == group
                                && (resources.is_empty() || resources.contains(&plural))
                                && versions.contains(&version)
                                && versions.contains(&&*other.version)
                        })
                }
            };
            (other, is_same)
        })
    }
}

impl Resource {
    /// The API version, such as `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// Returns the subresources of a version of a `CustomResourceDefinition`.
fn subresources(declared: Option<&Value>) -> Vec<Cow<'static, str>> {
    let has = |name: &str| declared.is_some_and(|all| all.get(name).is_some());
    ["scale", "status"].into_iter().filter(|name| has(name)).map(Cow::Borrowed).collect()
}

/// Returns the name of the resource of a kind, as `UnsafeGuessKindToResource` of apimachinery
/// guesses it.
#[must_use]
pub fn guess(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.strip_suffix('y') {
        _ if singular.is_empty() || singular.ends_with("endpoints") => singular,
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => format!("{singular}es"),
        None => format!("{singular}s"),
    }
}

/// Reads the table. A test checks that every line is a resource.
fn read(table: &'static str) -> Vec<Resource> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let resource = |line: &'static str| {
        let mut columns = line.split(' ');
        let api_version = columns.next()?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Some(Resource {
            group: group.into(),
            version: version.into(),
            kind: columns.next()?.into(),
            plural: columns.next()?.into(),
            is_namespaced: Some(columns.next()? == "Namespaced"),
            origin: if columns.next()? == "served" { Origin::BuiltIn } else { Origin::Removed },
            subresources: columns.next()?.split(',').filter(|name| *name != "-").map(Cow::Borrowed).collect(),
        })
    };
    lines.filter_map(resource).collect()
}

#[cfg(test)]
mod tests {
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
        let lines: Vec<&str> =
            include_str!("kinds.txt").lines().filter(|line| !line.starts_with('#')).collect();
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
}
