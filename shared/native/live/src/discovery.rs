//! The resources that a server serves.

use std::collections::BTreeSet;

use http::Method;
use kubernetes::kinds::{Kinds, Origin, Resource};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::connection::{Connection, Request};
use crate::error::Error;

/// The media types of aggregated discovery, which is one answer for all groups: of Kubernetes 1.30
/// and of 1.27. Servers that are older answer with JSON that lists only the groups.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                          application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,\
                          application/json";

/// The resources that a server serves, in the order of the server: the preferred version of a group
/// comes first.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    resources: Vec<Served>,
    unreadable: Vec<(String, String)>,
}

/// A resource that a server serves.
#[derive(Clone, Debug)]
pub struct Served {
    /// The resource.
    pub resource: Resource,
    /// The operations on its objects, such as `list` and `create`.
    pub verbs: Vec<String>,
}

impl Served {
    /// Returns whether the server does something with the objects.
    #[must_use]
    pub fn has(&self, verb: &str) -> bool {
        self.verbs.iter().any(|one| one == verb)
    }
}

/// The answer of aggregated discovery, or of the older way.
#[derive(Deserialize)]
struct Answer {
    kind: String,
    #[serde(default)]
    items: Vec<AggregatedGroup>,
    #[serde(default)]
    groups: Vec<Group>,
    #[serde(default)]
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct AggregatedGroup {
    #[serde(default)]
    metadata: Name,
    versions: Vec<AggregatedVersion>,
}

#[derive(Default, Deserialize)]
struct Name {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct AggregatedVersion {
    version: String,
    #[serde(default)]
    freshness: String,
    #[serde(default)]
    resources: Vec<AggregatedResource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AggregatedResource {
    resource: String,
    #[serde(default)]
    response_kind: Option<KindName>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    subresources: Vec<Subresource>,
}

#[derive(Deserialize)]
struct KindName {
    kind: String,
}

#[derive(Deserialize)]
struct Subresource {
    subresource: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
    #[serde(default)]
    preferred_version: Option<GroupVersion>,
}

#[derive(Clone, Deserialize, Eq, PartialEq)]
struct GroupVersion {
    version: String,
}

#[derive(Deserialize)]
struct Resources {
    #[serde(default)]
    resources: Vec<ApiResource>,
}

#[derive(Deserialize)]
struct ApiResource {
    name: String,
    kind: String,
    namespaced: bool,
    #[serde(default)]
    verbs: Vec<String>,
}

impl Discovery {
    /// Asks a server for its resources.
    ///
    /// # Errors
    /// The server cannot be reached or refuses. A group that cannot be read, because its server is
    /// not available, is left out: see [`Discovery::unreadable`].
    pub fn read(connection: &Connection) -> Result<Self, Error> {
        let mut discovery = Self::default();
        for path in ["/api", "/apis"] {
            let request = Request { accept: AGGREGATED, ..Request::new(Method::GET, path, Vec::new()) };
            let answer: Answer = parse(&connection.send(&request)?, connection, path)?;
            if answer.kind == "APIGroupDiscoveryList" {
                answer.items.into_iter().for_each(|group| discovery.add_aggregated(group));
                continue;
            }
            for version in answer.versions {
                discovery.add_version(connection, "", &version)?;
            }
            for group in answer.groups {
                let preferred = group.preferred_version.into_iter();
                let mut versions: Vec<GroupVersion> = preferred.collect();
                for version in group.versions {
                    if !versions.contains(&version) {
                        versions.push(version);
                    }
                }
                for GroupVersion { version } in versions {
                    discovery.add_version(connection, &group.name, &version)?;
                }
            }
        }
        Ok(discovery)
    }

    fn add_aggregated(&mut self, group: AggregatedGroup) {
        let group_name = group.metadata.name;
        for AggregatedVersion { version, freshness, resources } in group.versions {
            if freshness == "Stale" {
                let why = "the server of the group does not answer";
                self.unreadable.push((group_name.clone(), why.to_owned()));
            }
            for found in resources {
                // A resource without a kind has only subresources.
                let Some(KindName { kind }) = found.response_kind else { continue };
                let mut subresources: Vec<_> =
                    found.subresources.into_iter().map(|one| one.subresource.into()).collect();
                subresources.sort();
                let resource = Resource {
                    group: group_name.clone().into(),
                    version: version.clone().into(),
                    kind: kind.into(),
                    plural: found.resource.into(),
                    is_namespaced: Some(found.scope == "Namespaced"),
                    subresources,
                    origin: Origin::Served,
                };
                self.resources.push(Served { resource, verbs: found.verbs });
            }
        }
    }

    /// Adds the resources of a version of a group, in the older way.
    fn add_version(&mut self, connection: &Connection, group: &str, version: &str) -> Result<(), Error> {
        let path =
            if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let text = match connection.get(&path) {
            Ok(text) => text,
            // The server of this group is not available, and the others are.
            Err(error) if matches!(error.status(), Some(403 | 404 | 500..)) => {
                self.unreadable.push((group.to_owned(), error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let Resources { resources } = parse(&text, connection, &path)?;
        let (all, subresources): (Vec<ApiResource>, Vec<ApiResource>) =
            resources.into_iter().partition(|resource| !resource.name.contains('/'));
        for found in all {
            let of = |one: &ApiResource| {
                let (resource, subresource) = one.name.split_once('/')?;
                (resource == found.name).then(|| subresource.to_owned().into())
            };
            let mut subresources: Vec<_> = subresources.iter().filter_map(of).collect();
            subresources.sort();
            let resource = Resource {
                group: group.to_owned().into(),
                version: version.to_owned().into(),
                kind: found.kind.into(),
                plural: found.name.into(),
                is_namespaced: Some(found.namespaced),
                subresources,
                origin: Origin::Served,
            };
            self.resources.push(Served { resource, verbs: found.verbs });
        }
        Ok(())
    }

    /// Returns all resources.
    #[must_use]
    pub fn resources(&self) -> &[Served] {
        &self.resources
    }

    /// Returns the groups that could not be read, each with the reason.
    #[must_use]
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.unreadable
    }

    /// Returns the resource of a kind, if its objects can be listed.
    #[must_use]
    pub fn find(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        let is_asked = |one: &&Served| {
            one.has("list") && one.resource.kind == kind && one.resource.api_version() == api_version
        };
        self.resources.iter().find(is_asked).map(|one| &one.resource)
    }

    pub(crate) fn absence(&self, api_version: &str, kind: &str) -> String {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let of_kind = |one: &&Served| one.resource.kind == kind && one.resource.group == group;
        let served = self.resources.iter().filter(of_kind);
        let mut others = BTreeSet::new();
        let mut is_served = false;
        for one in served {
            let version = one.resource.api_version();
            is_served |= version == api_version;
            others.insert(version);
        }
        let why = if is_served {
            "its objects cannot be listed".to_owned()
        } else if let Some(why) = self.problem(group) {
            why.to_owned()
        } else if others.is_empty() {
            "its definition is not installed".to_owned()
        } else {
            format!("it serves {}", others.into_iter().collect::<Vec<_>>().join(", "))
        };
        format!("the server does not serve {kind} ({api_version}), so its objects are unknown: {why}")
    }

    /// Returns why a version of a group could not be read, if so.
    pub(crate) fn problem(&self, group: &str) -> Option<&str> {
        self.unreadable.iter().find(|(name, _)| name == group).map(|(_, why)| why.as_str())
    }

    /// Returns the kinds that are not those of Kubernetes.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for Served { resource, .. } in &self.resources {
            kinds.add_served(resource.clone());
        }
        kinds
    }
}

fn parse<T: DeserializeOwned>(text: &str, connection: &Connection, path: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        Error::new(format!(
            "{}: the answer to {path} is not that of an API server: {error}; check the address of the cluster",
            connection.server()
        ))
    })
}
