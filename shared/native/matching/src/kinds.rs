//! Kinds and their resources.

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
    /// A resource of a CustomResourceDefinition, whose versions have the same fields
    /// (`conversion.strategy: None`).
    Custom,
    /// A resource of a CustomResourceDefinition, whose versions a webhook converts.
    CustomConverted,
    /// A guess from the name of the kind.
    Guessed,
}

/// The known kinds: those of Kubernetes, and those of CustomResourceDefinitions.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    custom: HashMap<(String, String), Vec<Resource>>,
}

impl Kinds {
    /// Reads a CustomResourceDefinition: each version that is served becomes a known resource. A
    /// later definition of the same kind replaces an earlier one. Returns whether the object is a
    /// CustomResourceDefinition.
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

    /// Returns whether several groups serve the resource.
    pub(crate) fn is_cohabiting(plural: &str) -> bool {
        COHABITING.iter().any(|(resource, _)| *resource == plural)
    }

    /// Returns whether a group is one whose versions are known.
    pub(crate) fn knows_group(&self, group: &str) -> bool {
        // Groups of Kubernetes without a dot, or below k8s.io, cannot be defined by others.
        !group.contains('.')
            || BUILT_IN.iter().any(|one| one.group == group)
            || self.custom.keys().any(|(known, _)| known == group)
    }

    /// Returns the other resources with the same objects, with whether a conversion to them changes
    /// `apiVersion` alone.
    pub(crate) fn equivalents<'k>(
        &'k self,
        group: &'k str,
        version: &'k str,
        plural: &'k str,
    ) -> impl Iterator<Item = (&'k Resource, bool)> {
        let groups =
            COHABITING.iter().find(|(resource, groups)| *resource == plural && groups.contains(&group));
        let is_equivalent = move |other: &&'k Resource| {
            let group_fits =
                other.group == group || groups.is_some_and(|(_, all)| all.contains(&&*other.group));
            other.plural == plural && group_fits && (&*other.group, &*other.version) != (group, version)
        };
        #[expect(
            clippy::iter_over_hash_type,
            reason = "at most one definition has this group and plural, so the order does not matter"
        )]
        let custom = self.custom.values().flatten();
        BUILT_IN.iter().chain(custom).filter(is_equivalent).map(move |other| {
            let is_same = match other.origin {
                Origin::Custom => true,
                Origin::CustomConverted | Origin::Guessed => false,
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

/// Returns the subresources of a version of a CustomResourceDefinition.
fn subresources(declared: Option<&Value>) -> Vec<Cow<'static, str>> {
    let has = |name: &str| declared.is_some_and(|all| all.get(name).is_some());
    ["scale", "status"].into_iter().filter(|name| has(name)).map(Cow::Borrowed).collect()
}

/// Returns the resource of a kind, as `UnsafeGuessKindToResource` of apimachinery guesses it.
fn guess(kind: &str) -> String {
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
