//! Generators of pods, workloads and updates.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use rules::pod_security::standard::CHECKS;
use serde_json::{Value, json};

use super::tweaks::{self, LISTS, Place, set};
use super::{Level, NEWEST, Version};

/// The images of generated containers.
pub const IMAGES: [&str; 3] =
    ["registry.example/app:1", "registry.example/mesh/proxy:2", "docker.io/library/busybox"];

const SPECIAL: [Version; 2] = [Version::Latest, Version::Minor(99)];

/// Returns the versions that change a check, `latest`, and a future version.
#[must_use]
pub fn versions() -> Vec<Version> {
    let revisions = CHECKS.iter().flat_map(|check| check.revisions);
    let minors: BTreeSet<u32> = revisions.map(|revision| u32::from(revision.since)).collect();
    minors.into_iter().map(Version::Minor).chain(SPECIAL).collect()
}

/// Generates any known version, `latest`, or a future version; mostly one that changes a check, or
/// the one before it.
pub fn version() -> impl Strategy<Value = Version> {
    let before = |version| match version {
        Version::Minor(minor) => Version::Minor(minor.saturating_sub(1)),
        Version::Latest => Version::Latest,
    };
    let turns: Vec<Version> = versions().into_iter().flat_map(|version| [before(version), version]).collect();
    let all: Vec<Version> = (0..=NEWEST).map(Version::Minor).chain(SPECIAL).collect();
    prop_oneof![3 => select(turns), 1 => select(all)]
}

/// Generates a level, mostly the strictest one.
pub fn level() -> impl Strategy<Value = Level> {
    prop_oneof![1 => Just(Level::Privileged), 4 => Just(Level::Baseline), 8 => Just(Level::Restricted)]
}

/// Generates a field with an allowed or refused value. All fields are equally likely, however many
/// values they have.
fn field(place: Place) -> impl Strategy<Value = (String, Value)> {
    let mut pools: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for tweak in tweaks::all().into_iter().filter(|tweak| tweak.place == place) {
        pools.entry(tweak.pointer).or_default().push(tweak.value);
    }
    let pools: Vec<_> = pools.into_iter().collect();
    (any::<Index>(), any::<Index>()).prop_map(move |(pool, value)| {
        let (pointer, values) = pool.get(&pools);
        (pointer.clone(), value.get(values).clone())
    })
}

fn fields(place: Place) -> impl Strategy<Value = Vec<(String, Value)>> {
    prop::collection::vec(field(place), 0..3)
}

/// Generates a container without a name, based on a compliant container or an empty one.
fn container() -> impl Strategy<Value = Value> {
    (prop::bool::weighted(0.9), select(&IMAGES[..]), fields(Place::Container)).prop_map(
        |(compliant, image, fields)| {
            let mut container = if compliant { tweaks::container("") } else { json!({}) };
            container["image"] = json!(image);
            for (pointer, value) in fields {
                set(&mut container, &pointer, &value);
            }
            container
        },
    )
}

fn volume() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => select(tweaks::allowed_volumes().to_vec()),
        1 => select(tweaks::refused_volumes().to_vec()),
        1 => Just(json!({ "hostPath": { "path": "/var/log" } })),
    ]
}

/// Gives the items of a list distinct names.
fn named(mut items: Vec<Value>, prefix: &str) -> Vec<Value> {
    for (index, item) in items.iter_mut().enumerate() {
        item["name"] = json!(format!("{prefix}-{index}"));
    }
    items
}

/// Generates a pod with containers in any list.
pub fn pod() -> impl Strategy<Value = Value> {
    let containers = (
        prop::collection::vec(container(), 0..3),
        prop::collection::vec(container(), 1..3),
        prop::collection::vec(container(), 0..3),
    );
    let parts = (
        prop::bool::weighted(0.8),
        containers,
        prop::collection::vec(volume(), 0..4),
        prop::option::weighted(0.3, subsequence(tweaks::sysctls().to_vec(), 1..3)),
        prop_oneof![2 => Just(None), 1 => any::<bool>().prop_map(Some)],
        prop_oneof![2 => Just(None), 1 => select(&["windows", "linux"][..]).prop_map(Some)],
        fields(Place::Pod),
    );
    parts.prop_map(|(compliant, containers, volumes, sysctls, host_users, os, fields)| {
        let mut pod = tweaks::pod();
        if !compliant {
            set(&mut pod, "/spec/securityContext", &Value::Null);
        }
        let (first, main, last) = containers;
        for ((list, _), (items, prefix)) in
            LISTS.into_iter().zip([(first, "setup"), (main, "app"), (last, "debug")])
        {
            pod["spec"][list] = named(items, prefix).into();
        }
        pod["spec"]["volumes"] = named(volumes, "volume").into();
        for (pointer, value) in fields {
            set(&mut pod, &pointer, &value);
        }
        if let Some(sysctls) = sysctls {
            let sysctls: Vec<Value> =
                sysctls.into_iter().map(|name| json!({ "name": name, "value": "1" })).collect();
            set(&mut pod, "/spec/securityContext/sysctls", &sysctls.into());
        }
        if let Some(host_users) = host_users {
            set(&mut pod, "/spec/hostUsers", &json!(host_users));
        }
        if let Some(os) = os {
            set(&mut pod, "/spec/os", &json!({ "name": os }));
        }
        pod
    })
}

/// The API versions and kinds of workloads.
pub const WORKLOADS: [(&str, &str); 8] = [
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("v1", "ReplicationController"),
    ("v1", "PodTemplate"),
];

/// Returns a workload with a pod as the template.
#[must_use]
pub fn workload((api_version, kind): (&str, &str), pod: &Value) -> Value {
    let template = json!({ "metadata": pod["metadata"], "spec": pod["spec"] });
    let mut object = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": { "name": "web", "namespace": "shop" },
    });
    let place = match kind {
        "CronJob" => "/spec/jobTemplate/spec/template",
        "PodTemplate" => "/template",
        _ => "/spec/template",
    };
    set(&mut object, place, &template);
    object
}

/// A change of a pod that keeps names and their order.
#[derive(Clone, Debug)]
enum Edit {
    Image(Index, Index, &'static str),
    Added(Index, Value),
    Removed(Index),
    InContainer(Index, Index, (String, Value)),
    InPod((String, Value)),
    Toleration,
    Label,
    Deadline,
}

impl Edit {
    fn apply(self, pod: &mut Value) {
        match self {
            Self::Image(at, item, image) => {
                if let Some(container) = container_of(pod, at, item) {
                    container["image"] = json!(image);
                }
            }
            Self::Added(at, mut container) => {
                let items = list_of(pod, at);
                container["name"] = json!(format!("new-{}-{}", at.index(LISTS.len()), items.len()));
                items.push(container);
            }
            Self::Removed(at) => {
                // A list keeps at least one container.
                let items = list_of(pod, at);
                if items.len() > 1 {
                    items.pop();
                }
            }
            Self::InContainer(at, item, (pointer, value)) => {
                if let Some(container) = container_of(pod, at, item) {
                    set(container, &pointer, &value);
                }
            }
            Self::InPod((pointer, value)) => set(pod, &pointer, &value),
            Self::Toleration => pod["spec"]["tolerations"] = json!([{ "operator": "Exists" }]),
            Self::Label => pod["metadata"]["labels"] = json!({ "team": "shop" }),
            Self::Deadline => pod["spec"]["activeDeadlineSeconds"] = json!(60),
        }
    }
}

fn list_of(pod: &mut Value, list: Index) -> &mut Vec<Value> {
    pod["spec"][LISTS[list.index(LISTS.len())].0].as_array_mut().unwrap()
}

fn container_of(pod: &mut Value, list: Index, item: Index) -> Option<&mut Value> {
    let items = list_of(pod, list);
    if items.is_empty() { None } else { Some(item.get_mut(items)) }
}

/// Generates a pod before and after up to two changes.
pub fn update() -> impl Strategy<Value = (Value, Value)> {
    let place = any::<Index>;
    let edit = prop_oneof![
        3 => (place(), place(), select(&IMAGES[..]))
            .prop_map(|(list, item, image)| Edit::Image(list, item, image)),
        2 => (place(), container()).prop_map(|(list, container)| Edit::Added(list, container)),
        1 => place().prop_map(Edit::Removed),
        2 => (place(), place(), field(Place::Container))
            .prop_map(|(list, item, field)| Edit::InContainer(list, item, field)),
        2 => field(Place::Pod).prop_map(Edit::InPod),
        1 => Just(Edit::Toleration),
        1 => Just(Edit::Label),
        1 => Just(Edit::Deadline),
    ];
    (pod(), prop::collection::vec(edit, 0..3)).prop_map(|(old, edits)| {
        let mut new = old.clone();
        for edit in edits {
            edit.apply(&mut new);
        }
        (old, new)
    })
}
