//! Random pods and settings.

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::model::{Action, Fixed, IntraPod, Match, Settings, Source};
use super::policy::own_level;

/// The lists of containers.
pub const LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Two spellings of the level in `allocation.fixed`.
const FIXED: [&str; 2] = ["s0:c7,c9", "s0:c9,c7,c9"];

/// Spellings of the level of the Namespace.
fn own() -> Vec<String> {
    let own = own_level();
    let (a, b) = own.strip_prefix("s0:").and_then(|categories| categories.split_once(',')).unwrap();
    vec![own.clone(), format!("s0:{b},{a}"), format!("s0:{a},{b},{a}"), format!("s0:{b},{b},{a}")]
}

fn level() -> impl Strategy<Value = String> {
    let own = own();
    let range = format!("s0-{}", own[0]);
    let mut others = vec!["s0:c1,c2", "s0", "s0-s0", "s0:c3", "s0:c4,c5,c6", "s0:c0.c1023", "s0:c1.c3"];
    others.extend(["s0-s0:c1,c2", "s1:c1,c2", "s0:c1024", "s0:c2.c1", "somevalue", "s0:c01,c2", "s0:c1,c2 "]);
    prop_oneof![
        16 => select(own),
        3 => select(&FIXED[..]).prop_map(str::to_owned),
        2 => Just("s0".to_owned()),
        1 => Just(String::new()),
        1 => Just(range),
        4 => select(others).prop_map(str::to_owned),
    ]
}

fn kind() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => select(vec!["container_t", "container_init_t", "container_kvm_t", "container_engine_t"]),
        3 => Just("spc_t"),
        1 => select(vec!["super_t", "admin_t", "container_runtime_t"]),
        1 => Just(""),
        1 => select(vec!["container_file_t", "container_ro_file_t", "my_app_t", "container_t_x", "spc_tx"]),
    ]
}

fn user() -> impl Strategy<Value = &'static str> {
    select(vec!["system_u", "system_u", "user_u", ""])
}

fn role() -> impl Strategy<Value = &'static str> {
    select(vec!["system_r", "system_r", "object_r", ""])
}

prop_compose! {
    fn fields(chance: f64)(
        user in weighted(chance / 8.0, user()),
        role in weighted(chance / 8.0, role()),
        kind in weighted(chance, kind()),
        level in weighted(chance * 1.4, level()),
    ) -> Value {
        let mut options = Map::new();
        let fields = [("user", user), ("role", role), ("type", kind)];
        options.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))));
        options.extend(level.map(|level| ("level".to_owned(), json!(level))));
        options.into()
    }
}

/// The options of a pod or a container.
fn options() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![12 => Just(None), 2 => Just(Some(json!({}))), 5 => fields(0.5).prop_map(Some)]
}

prop_compose! {
    fn container()(
        options in options(),
        context: bool,
        privileged in prop_oneof![4 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))],
        image in select(vec![None, Some("registry.example/app:1"), Some("quay.io/node/exporter:1")]),
        mounts in prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(select(VOLUMES.to_vec()), 1..3)],
    ) -> Value {
        let mut container = json!({ "name": "" });
        if context || options.is_some() || privileged.is_some() {
            container["securityContext"] = json!({});
        }
        if let Some(options) = options {
            container["securityContext"]["seLinuxOptions"] = options;
        }
        if let Some(privileged) = privileged {
            container["securityContext"]["privileged"] = json!(privileged);
        }
        if let Some(image) = image {
            container["image"] = json!(image);
        }
        if !mounts.is_empty() {
            let mount = |name: &&str| json!({ "name": name, "mountPath": "/x" });
            container["volumeMounts"] = mounts.iter().map(mount).collect();
        }
        container
    }
}

const VOLUMES: [&str; 4] = ["node", "claim", "read-only", "scratch"];

fn volumes() -> Value {
    json!([
        { "name": "node", "hostPath": { "path": "/var/run/x" } },
        { "name": "claim", "persistentVolumeClaim": { "claimName": "a" } },
        { "name": "read-only", "persistentVolumeClaim": { "claimName": "b", "readOnly": true } },
        { "name": "scratch", "emptyDir": {} },
    ])
}

fn rarely() -> impl Strategy<Value = Option<bool>> {
    prop_oneof![9 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))]
}

prop_compose! {
    /// A pod without containers.
    fn pod_without_containers()(
        options in options(),
        host in [rarely(), rarely(), rarely(), rarely()],
        policy in weighted(0.1, select(vec!["Recursive", "MountOption"])),
        account in weighted(0.2, select(vec!["default", "agent"])),
        sort in 0..30,
        annotated: bool,
        with_volumes: bool,
    ) -> Value {
        let mut spec = json!({});
        if let Some(options) = options {
            spec["securityContext"] = json!({ "seLinuxOptions": options });
        }
        if let Some(policy) = policy {
            spec["securityContext"]["seLinuxChangePolicy"] = json!(policy);
        }
        for (field, value) in ["hostPID", "hostIPC", "hostNetwork", "shareProcessNamespace"].iter().zip(host) {
            if let Some(value) = value {
                spec[field] = json!(value);
            }
        }
        if let Some(account) = account {
            spec["serviceAccountName"] = json!(account);
        }
        if with_volumes {
            spec["volumes"] = volumes();
        }
        let mut metadata = json!({ "name": "a", "namespace": "shop" });
        if annotated {
            metadata["annotations"] = json!({ "example.com/x": "y" });
        }
        match sort {
            0 => spec["os"] = json!({ "name": "windows" }),
            1 => spec["nodeSelector"] = json!({ "kubernetes.io/os": "windows" }),
            2 => spec["nodeSelector"] = json!({ "kubernetes.io/os": "linux", "os": "windows" }),
            3 => metadata["annotations"] = json!({ "kubernetes.io/config.mirror": "x" }),
            4 => metadata["annotations"] = json!({ "try-skip-volume-selinux-label.crio.io": "false" }),
            5 => spec["os"] = json!({ "name": "linux" }),
            _ => {}
        }
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec })
    }
}

/// Gives every container a unique name.
fn named(mut pod: Value) -> Value {
    for list in LISTS {
        let items = pod["spec"].get_mut(list).and_then(Value::as_array_mut);
        for (index, container) in items.into_iter().flatten().enumerate() {
            container["name"] = json!(format!("{list}-{index}").to_lowercase());
        }
    }
    pod
}

prop_compose! {
    /// A pod of the Namespace `shop`. Its containers often have the same options, as in real pods.
    pub fn pod()(
        pod in pod_without_containers(),
        kinds in prop::collection::vec(container(), 1..3),
        lists in (
            prop::collection::vec(any::<Index>(), 0..4),
            prop::collection::vec(any::<Index>(), 0..3),
            prop::collection::vec(any::<Index>(), 0..2),
        ),
    ) -> Value {
        let mut pod = pod;
        let filled = |indices: &[Index]| indices.iter().map(|index| index.get(&kinds).clone()).collect::<Value>();
        pod["spec"]["containers"] = filled(&lists.0);
        for (list, indices) in [("initContainers", &lists.1), ("ephemeralContainers", &lists.2)] {
            if !indices.is_empty() {
                pod["spec"][list] = filled(indices);
            }
        }
        named(pod)
    }
}

fn source() -> impl Strategy<Value = Source> {
    let fixed = (
        weighted(0.3, Just("system_u")),
        weighted(0.3, Just("system_r")),
        weighted(0.4, select(vec!["container_t", "container_t", "my_app_t", "spc_t"])),
        weighted(0.6, select(vec![FIXED[0], FIXED[1], "s0", "s0-s0:c1,c2"])),
    );
    prop_oneof![
        3 => Just(Source::Hash),
        1 => Just(Source::Runtime),
        1 => fixed.prop_map(|(user, role, kind, level)| {
            let level = level.or((user, role, kind).eq(&(None, None, None)).then_some(FIXED[0]));
            Source::Fixed(Fixed { user, role, kind, level })
        }),
    ]
}

/// Allowed types, unconfined types and the type of pods in host namespaces.
type Kinds = (Option<Vec<&'static str>>, Option<Vec<&'static str>>, Option<&'static str>);

fn kinds() -> impl Strategy<Value = Kinds> {
    select(vec![
        (None, None, None),
        (None, None, None),
        (None, None, Some("spc_t")),
        (Some(vec![]), None, None),
        (Some(vec!["*_t_x", "my_app_t"]), Some(vec!["super_t", "admin_t"]), None),
        (Some(vec!["container_*", "my_*"]), Some(vec!["super_t", "spc_t"]), None),
        (Some(vec!["container_t"]), Some(vec!["spc_t", "admin_t"]), Some("admin_t")),
    ])
}

/// Triggers and action. `HostNetwork` as a trigger has no effect with `Ignore`.
fn host() -> impl Strategy<Value = (Option<Vec<&'static str>>, Action)> {
    prop_oneof![
        4 => Just((None, Action::Default)),
        1 => Just((None, Action::Require)),
        1 => Just((None, Action::Ignore)),
        1 => Just((None, Action::Reject)),
        1 => Just((Some(vec![]), Action::Ignore)),
        1 => (select(vec![
            vec!["HostPID"], vec!["HostNetwork"], vec!["HostIPC", "HostNetwork", "HostPID"],
        ]), select(vec![Action::Default, Action::Require, Action::Reject])).prop_map(|(on, action)| (Some(on), action)),
    ]
}

prop_compose! {
    /// All settings except those that add to volumes.
    pub fn settings()(
        source in source(),
        matching in prop_oneof![3 => Just(Match::Exact), 1 => Just(Match::Format), 1 => Just(Match::Any)],
        allows_missing in weighted(0.2, Just(())),
        extra in select(vec![vec![], vec![], vec!["s0:c2,c1"], vec!["s0:c3,c4", "s0:c1.c2"]]),
        (allowed, unconfined, host_type) in kinds(),
        users in select(vec![vec![], vec!["system_u"], vec!["user_u", "staff_u"]]),
        roles in select(vec![vec![], vec!["system_r"], vec!["object_r"]]),
        (triggers, action) in host(),
        lowest: bool,
        intra_pod in prop_oneof![
            3 => Just(IntraPod::Enforce), 1 => Just(IntraPod::Warn), 1 => Just(IntraPod::Ignore),
        ],
        (rejects_host_paths, rejects_read_only_claims) in any::<(bool, bool)>(),
        exempt_accounts in select(vec![vec![], vec![], vec!["shop/agent"], vec!["shop/default"], vec!["other/agent"]]),
        exempt_images in select(vec![vec![], vec![], vec!["quay.io/node/*"], vec!["registry.example/app:1"]]),
        lifts in select(vec![
            vec!["Type"], vec!["Type"], vec!["User", "Role"], vec!["Level"], vec!["IntraPod"],
            vec!["Role", "Type", "IntraPod", "User", "Level"],
        ]),
    ) -> Settings {
        Settings {
            source, matching, allows_missing: allows_missing.is_some(), extra, allowed, unconfined, users, roles, triggers, action, host_type, lowest, intra_pod,
            rejects_host_paths, rejects_read_only_claims, exempt_accounts, exempt_images, lifts,
            recursive: false, crio_try_skip: false,
        }
    }
}
