//! A compliant pod, and a handwritten table of tweaks with the checks that each breaks, by version.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::oracle::{self, Level, Version};

/// The lists of containers, with the name of the first container in each.
pub const LISTS: [(&str, &str); 3] =
    [("initContainers", "setup-0"), ("containers", "app-0"), ("ephemeralContainers", "debug-0")];

/// Returns a container that is compliant in the pod of [`pod`].
pub fn container(name: &str) -> Value {
    json!({
        "name": name,
        "image": "registry.example/app:1",
        "securityContext": { "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] } },
    })
}

/// Returns a pod that meets every check at every version, with a container in each list.
pub fn pod() -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": {
            "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
        },
    });
    for (list, name) in LISTS {
        pod["spec"][list] = json!([container(name)]);
    }
    pod
}

/// Sets a field and its missing parents; null removes the field.
pub fn set(mut at: &mut Value, pointer: &str, value: &Value) {
    let names: Vec<String> =
        pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let (last, way) = names.split_last().unwrap();
    for name in way {
        at = match at {
            Value::Array(items) => &mut items[name.parse::<usize>().unwrap()],
            object => &mut object[name.as_str()],
        };
    }
    match value {
        Value::Null => {
            at.as_object_mut().and_then(|object| object.remove(last));
        }
        value => at[last.as_str()] = value.clone(),
    }
}

/// The owner of a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// The pod.
    Pod,
    /// A container of any list.
    Container,
}

/// One changed field of the compliant pod.
#[derive(Clone, Debug)]
pub struct Tweak {
    pub place: Place,
    /// The JSON pointer from the pod or the container.
    pub pointer: &'static str,
    pub value: Value,
    /// A further change of the pod.
    pub with: Option<(&'static str, Value)>,
    /// The checks that the tweak violates if they run, with the minor versions in which it does.
    pub breaks: Vec<(&'static str, Range<u32>)>,
}

impl Tweak {
    fn breaks(self, check: &'static str) -> Self {
        self.breaks_in(check, 0..u32::MAX)
    }

    fn breaks_in(mut self, check: &'static str, minors: Range<u32>) -> Self {
        self.breaks.push((check, minors));
        self
    }

    fn with(mut self, pointer: &'static str, value: Value) -> Self {
        self.with = Some((pointer, value));
        self
    }

    fn on_windows(self) -> Self {
        self.with("/spec/os", json!({ "name": "windows" }))
    }

    fn in_user_namespace(self) -> Self {
        self.with("/spec/hostUsers", json!(false))
    }

    /// Returns the tweaked pods: one, or one for each list of containers.
    pub fn applied(&self, pod: &Value) -> Vec<Value> {
        let applied = |at: String| {
            let mut pod = pod.clone();
            set(&mut pod, &format!("{at}{}", self.pointer), &self.value);
            if let Some((pointer, value)) = &self.with {
                set(&mut pod, pointer, value);
            }
            pod
        };
        match self.place {
            Place::Pod => vec![applied(String::new())],
            Place::Container => LISTS.map(|(list, _)| applied(format!("/spec/{list}/0"))).into(),
        }
    }

    /// Returns the checks that the tweak violates at a level and version.
    pub fn violates(&self, level: Level, version: Version) -> BTreeSet<&'static str> {
        let running = oracle::running(level, version);
        let broken = self.breaks.iter().filter(|(_, minors)| minors.contains(&version.minor()));
        broken.map(|(check, _)| *check).filter(|check| running.contains(check)).collect()
    }
}

fn in_pod(pointer: &'static str, value: Value) -> Tweak {
    Tweak { place: Place::Pod, pointer, value, with: None, breaks: Vec::new() }
}

fn in_container(pointer: &'static str, value: Value) -> Tweak {
    Tweak { place: Place::Container, ..in_pod(pointer, value) }
}

/// Returns tweaks of the same field in the security contexts of the pod and of containers.
fn in_both(of_pod: &'static str, of_container: &'static str, value: &Value) -> [Tweak; 2] {
    [in_pod(of_pod, value.clone()), in_container(of_container, value.clone())]
}

/// Returns all tweaks.
pub fn all() -> Vec<Tweak> {
    [
        other_fields(),
        host(),
        capabilities(),
        volumes(),
        probes_and_hooks(),
        app_armor(),
        se_linux(),
        seccomp(),
        sysctls(),
        users(),
        proc_mount(),
    ]
    .concat()
}

/// Fields that no check restricts.
fn other_fields() -> Vec<Tweak> {
    vec![
        in_pod("/metadata/labels", json!({ "app": "web" })),
        in_pod("/metadata/annotations", json!({ "example.com/apparmor": "unconfined" })),
        in_pod("/spec/hostUsers", json!(false)),
        in_pod("/spec/hostUsers", json!(true)),
        in_pod("/spec/os", json!({ "name": "windows" })),
        in_pod("/spec/os", json!({ "name": "linux" })),
        in_pod("/spec/shareProcessNamespace", json!(true)),
        in_pod("/spec/hostAliases", json!([{ "ip": "127.0.0.1", "hostnames": ["a"] }])),
        in_pod("/spec/securityContext/runAsGroup", json!(0)),
        in_pod("/spec/securityContext/fsGroup", json!(0)),
        in_pod("/spec/securityContext/supplementalGroups", json!([0])),
        in_container("/securityContext/runAsGroup", json!(0)),
        in_container("/securityContext/readOnlyRootFilesystem", json!(false)),
        in_container("/env", json!([{ "name": "privileged", "value": "true" }])),
    ]
}

fn host() -> Vec<Tweak> {
    const HOST_PROCESS: [&str; 2] =
        ["/spec/securityContext/windowsOptions/hostProcess", "/securityContext/windowsOptions/hostProcess"];
    let mut tweaks = vec![
        in_container("/securityContext/privileged", json!(true)).breaks("privileged"),
        in_container("/securityContext/privileged", json!(true)).on_windows().breaks("privileged"),
        in_container("/securityContext/privileged", json!(true)).in_user_namespace().breaks("privileged"),
        in_container("/securityContext/privileged", json!(false)),
        in_container("/ports", json!([{ "containerPort": 80, "hostPort": 8080 }])).breaks("hostPorts"),
        in_container("/ports", json!([{ "containerPort": 80 }, { "containerPort": 443, "hostPort": 443 }]))
            .breaks("hostPorts"),
        in_container("/ports", json!([{ "containerPort": 80, "hostPort": 0 }])),
        in_container("/ports", json!([{ "containerPort": 80 }])),
    ];
    for pointer in ["/spec/hostNetwork", "/spec/hostPID", "/spec/hostIPC"] {
        tweaks.push(in_pod(pointer, json!(true)).breaks("hostNamespaces"));
        tweaks.push(in_pod(pointer, json!(true)).on_windows().breaks("hostNamespaces"));
        tweaks.push(in_pod(pointer, json!(false)));
    }
    let [pod, container] = HOST_PROCESS;
    tweaks.extend(in_both(pod, container, &json!(true)).map(|tweak| tweak.breaks("windowsHostProcess")));
    tweaks.extend(
        in_both(pod, container, &json!(true)).map(|tweak| tweak.on_windows().breaks("windowsHostProcess")),
    );
    tweaks.extend(in_both(pod, container, &json!(false)));
    tweaks
}

fn capabilities() -> Vec<Tweak> {
    const ADD: &str = "/securityContext/capabilities/add";
    const DROP: &str = "/securityContext/capabilities/drop";
    let mut tweaks = vec![
        in_container(ADD, json!(["NET_BIND_SERVICE"])),
        in_container(ADD, json!([])),
        in_container(ADD, json!(["NET_BIND_SERVICE", "SYS_ADMIN"]))
            .breaks("capabilities_baseline")
            .breaks("capabilities_restricted"),
        in_container(DROP, json!(["NET_RAW", "ALL"])),
        in_container("/securityContext/capabilities", Value::Null).breaks("capabilities_restricted"),
        // Since v1.25, the restricted check does not apply to Windows pods but still supersedes the
        // other.
        in_container(ADD, json!(["NET_RAW"]))
            .on_windows()
            .breaks("capabilities_baseline")
            .breaks_in("capabilities_restricted", 22..25),
        in_container(DROP, json!(["NET_RAW"])).on_windows().breaks_in("capabilities_restricted", 22..25),
        in_container(DROP, json!(["NET_RAW"])).in_user_namespace().breaks("capabilities_restricted"),
    ];
    for name in ["NET_RAW", "SYS_ADMIN", "CAP_CHOWN", "chown", "ALL", ""] {
        let bad = in_container(ADD, json!([name]));
        tweaks.push(bad.breaks("capabilities_baseline").breaks("capabilities_restricted"));
    }
    for name in [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ] {
        tweaks.push(in_container(ADD, json!([name])).breaks("capabilities_restricted"));
    }
    for drop in [json!([]), json!(["all"]), json!(["CAP_ALL"]), json!(["NET_RAW"]), Value::Null] {
        tweaks.push(in_container(DROP, drop).breaks("capabilities_restricted"));
    }
    tweaks
}

/// Returns a volume of each type that the restricted level allows, and one without a source.
pub fn allowed_volumes() -> [Value; 10] {
    [
        json!({ "name": "v", "configMap": { "name": "c" } }),
        json!({ "name": "v", "csi": { "driver": "d" } }),
        json!({ "name": "v", "downwardAPI": {} }),
        json!({ "name": "v", "emptyDir": {} }),
        json!({ "name": "v", "ephemeral": {} }),
        json!({ "name": "v", "image": { "reference": "r" } }),
        json!({ "name": "v", "persistentVolumeClaim": { "claimName": "c" } }),
        json!({ "name": "v", "projected": { "sources": [] } }),
        json!({ "name": "v", "secret": { "secretName": "s" } }),
        json!({ "name": "v" }),
    ]
}

/// Returns a volume of each known type that the restricted level refuses.
pub fn refused_volumes() -> [Value; 21] {
    [
        json!({ "name": "v", "hostPath": { "path": "/" } }),
        json!({ "name": "v", "gcePersistentDisk": { "pdName": "p" } }),
        json!({ "name": "v", "awsElasticBlockStore": { "volumeID": "v" } }),
        json!({ "name": "v", "gitRepo": { "repository": "r" } }),
        json!({ "name": "v", "nfs": { "server": "s", "path": "/" } }),
        json!({ "name": "v", "iscsi": { "targetPortal": "t", "iqn": "i", "lun": 0 } }),
        json!({ "name": "v", "glusterfs": { "endpoints": "e", "path": "/" } }),
        json!({ "name": "v", "rbd": { "monitors": ["m"], "image": "i" } }),
        json!({ "name": "v", "flexVolume": { "driver": "d" } }),
        json!({ "name": "v", "cinder": { "volumeID": "v" } }),
        json!({ "name": "v", "cephfs": { "monitors": ["m"] } }),
        json!({ "name": "v", "flocker": { "datasetName": "d" } }),
        json!({ "name": "v", "fc": { "lun": 1 } }),
        json!({ "name": "v", "azureFile": { "secretName": "s", "shareName": "n" } }),
        json!({ "name": "v", "vsphereVolume": { "volumePath": "v" } }),
        json!({ "name": "v", "quobyte": { "registry": "r", "volume": "v" } }),
        json!({ "name": "v", "azureDisk": { "diskName": "d", "diskURI": "u" } }),
        json!({ "name": "v", "photonPersistentDisk": { "pdID": "p" } }),
        json!({ "name": "v", "portworxVolume": { "volumeID": "v" } }),
        json!({ "name": "v", "scaleIO": { "gateway": "g", "system": "s", "secretRef": {} } }),
        json!({ "name": "v", "storageos": { "volumeName": "v" } }),
    ]
}

fn volumes() -> Vec<Tweak> {
    let mut tweaks: Vec<Tweak> =
        allowed_volumes().map(|volume| in_pod("/spec/volumes", json!([volume]))).into();
    for volume in refused_volumes() {
        let on_host = volume.get("hostPath").is_some();
        let tweak = in_pod("/spec/volumes", json!([{ "name": "first", "emptyDir": {} }, volume]));
        let tweak = tweak.breaks("restrictedVolumes");
        tweaks.push(if on_host { tweak.breaks("hostPathVolumes") } else { tweak });
    }
    tweaks
}

fn probes_and_hooks() -> Vec<Tweak> {
    const FIELDS: [&str; 5] =
        ["/livenessProbe", "/readinessProbe", "/startupProbe", "/lifecycle/postStart", "/lifecycle/preStop"];
    let mut tweaks = Vec::new();
    for field in FIELDS {
        for host in ["127.0.0.1", "localhost", "::1", "8.8.8.8"] {
            for action in ["httpGet", "tcpSocket"] {
                let tweak = in_container(field, json!({ action: { "port": 80, "host": host } }));
                tweaks.push(tweak.breaks("hostProbesAndHostLifecycle"));
            }
        }
        tweaks.push(in_container(field, json!({ "httpGet": { "port": 80, "host": "" } })));
        tweaks
            .push(in_container(field, json!({ "httpGet": { "port": 80, "path": "/", "scheme": "HTTPS" } })));
        tweaks.push(in_container(field, json!({ "tcpSocket": { "port": "http" } })));
        tweaks.push(in_container(field, json!({ "exec": { "command": ["ping", "8.8.8.8"] } })));
    }
    tweaks.push(in_container("/livenessProbe", json!({ "grpc": { "port": 80, "service": "s" } })));
    tweaks.push(in_container("/lifecycle/preStop", json!({ "sleep": { "seconds": 1 } })));
    tweaks
}

fn app_armor() -> Vec<Tweak> {
    const FIELDS: [&str; 2] = ["/spec/securityContext/appArmorProfile", "/securityContext/appArmorProfile"];
    const ANNOTATIONS: [&str; 4] = [
        "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1setup-0",
        "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1app-0",
        "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1debug-0",
        "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1nobody",
    ];
    let [pod, container] = FIELDS;
    let mut tweaks = Vec::new();
    for kind in ["Unconfined", "runtime/default"] {
        let bad = in_both(pod, container, &json!({ "type": kind }));
        tweaks.extend(bad.map(|tweak| tweak.breaks("appArmorProfile")));
    }
    tweaks.extend(in_both(pod, container, &json!({ "type": "RuntimeDefault" })));
    tweaks.extend(in_both(pod, container, &json!({ "type": "Localhost", "localhostProfile": "p" })));
    for annotation in ANNOTATIONS {
        for bad in ["unconfined", "localhost", "docker/default", "RuntimeDefault"] {
            tweaks.push(in_pod(annotation, json!(bad)).breaks("appArmorProfile"));
        }
        for good in ["", "runtime/default", "localhost/p", "localhost/"] {
            tweaks.push(in_pod(annotation, json!(good)));
        }
    }
    tweaks
}

fn se_linux() -> Vec<Tweak> {
    const FIELDS: [&str; 2] = ["/spec/securityContext/seLinuxOptions", "/securityContext/seLinuxOptions"];
    let [pod, container] = FIELDS;
    let mut tweaks = Vec::new();
    for bad in
        [json!({ "type": "spc_t" }), json!({ "user": "u" }), json!({ "role": "r", "type": "container_t" })]
    {
        tweaks.extend(in_both(pod, container, &bad).map(|tweak| tweak.breaks("seLinuxOptions")));
    }
    for good in ["", "container_t", "container_init_t", "container_kvm_t"] {
        tweaks.extend(in_both(pod, container, &json!({ "type": good })));
    }
    for good in [json!({ "level": "s0:c1" }), json!({ "user": "", "role": "" }), json!({})] {
        tweaks.extend(in_both(pod, container, &good));
    }
    let engine = in_both(pod, container, &json!({ "type": "container_engine_t" }));
    tweaks.extend(engine.map(|tweak| tweak.breaks_in("seLinuxOptions", 0..31)));
    tweaks
}

fn seccomp() -> Vec<Tweak> {
    const FIELDS: [&str; 2] = ["/spec/securityContext/seccompProfile", "/securityContext/seccompProfile"];
    const ANNOTATIONS: [&str; 4] = [
        "/metadata/annotations/seccomp.security.alpha.kubernetes.io~1pod",
        "/metadata/annotations/container.seccomp.security.alpha.kubernetes.io~1setup-0",
        "/metadata/annotations/container.seccomp.security.alpha.kubernetes.io~1app-0",
        "/metadata/annotations/container.seccomp.security.alpha.kubernetes.io~1debug-0",
    ];
    const OF_ABSENT: &str = "/metadata/annotations/container.seccomp.security.alpha.kubernetes.io~1nobody";
    let [pod, container] = FIELDS;
    let unconfined = || in_both(pod, container, &json!({ "type": "Unconfined" }));
    let mut tweaks = vec![in_pod(pod, Value::Null).breaks("seccompProfile_restricted")];
    tweaks.push(in_pod(pod, Value::Null).on_windows().breaks_in("seccompProfile_restricted", 19..25));
    tweaks.extend(unconfined().map(|tweak| {
        tweak.breaks_in("seccompProfile_baseline", 19..u32::MAX).breaks("seccompProfile_restricted")
    }));
    tweaks.extend(unconfined().map(|tweak| {
        let tweak = tweak.on_windows().breaks_in("seccompProfile_baseline", 19..u32::MAX);
        tweak.breaks_in("seccompProfile_restricted", 19..25)
    }));
    tweaks.extend(in_both(pod, container, &json!({ "type": "RuntimeDefault" })));
    tweaks.extend(in_both(pod, container, &json!({ "type": "Localhost", "localhostProfile": "p" })));
    for annotation in ANNOTATIONS {
        for bad in ["unconfined", "localhost", "RuntimeDefault", ""] {
            tweaks.push(in_pod(annotation, json!(bad)).breaks_in("seccompProfile_baseline", 0..19));
        }
        for good in ["runtime/default", "docker/default", "localhost/p"] {
            tweaks.push(in_pod(annotation, json!(good)));
        }
    }
    tweaks.push(in_pod(OF_ABSENT, json!("unconfined")));
    tweaks
}

/// Sysctls, with the first minor version that allows each.
pub const SYSCTLS: &[(&str, u32)] = &[
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_wmem", 32),
    ("net.ipv4.tcp_slow_start_after_idle", 37),
    ("net.ipv4.tcp_notsent_lowat", 37),
    ("kernel.msgmax", u32::MAX),
    ("net.core.somaxconn", u32::MAX),
    ("net/ipv4/tcp_syncookies", u32::MAX),
    ("kernel.shm*", u32::MAX),
];

fn sysctls() -> Vec<Tweak> {
    let tweak = |(name, safe): &(&'static str, u32)| {
        let value =
            json!([{ "name": "net.ipv4.tcp_syncookies", "value": "1" }, { "name": name, "value": "1" }]);
        in_pod("/spec/securityContext/sysctls", value).breaks_in("sysctls", 0..*safe)
    };
    SYSCTLS.iter().map(tweak).collect()
}

fn users() -> Vec<Tweak> {
    const NON_ROOT: [&str; 2] = ["/spec/securityContext/runAsNonRoot", "/securityContext/runAsNonRoot"];
    const USER: [&str; 2] = ["/spec/securityContext/runAsUser", "/securityContext/runAsUser"];
    const ESCALATION: &str = "/securityContext/allowPrivilegeEscalation";
    let mut tweaks = vec![
        in_pod("/spec/securityContext/runAsNonRoot", Value::Null).breaks("runAsNonRoot"),
        in_pod("/spec/securityContext/runAsNonRoot", Value::Null)
            .in_user_namespace()
            .breaks_in("runAsNonRoot", 0..35),
        in_pod("/spec/securityContext/runAsNonRoot", Value::Null).on_windows().breaks("runAsNonRoot"),
        in_pod("/spec/securityContext", Value::Null)
            .breaks("runAsNonRoot")
            .breaks("seccompProfile_restricted"),
        in_container("/securityContext", Value::Null)
            .breaks("allowPrivilegeEscalation")
            .breaks("capabilities_restricted"),
        in_container("/securityContext", Value::Null)
            .on_windows()
            .breaks_in("allowPrivilegeEscalation", 8..25)
            .breaks_in("capabilities_restricted", 22..25),
        in_container(ESCALATION, json!(true)).breaks("allowPrivilegeEscalation"),
        in_container(ESCALATION, Value::Null).breaks("allowPrivilegeEscalation"),
        in_container(ESCALATION, Value::Null).on_windows().breaks_in("allowPrivilegeEscalation", 8..25),
        in_container(ESCALATION, json!(true)).in_user_namespace().breaks("allowPrivilegeEscalation"),
    ];
    for ([pod, container], bad, good, check) in
        [(NON_ROOT, json!(false), json!(true), "runAsNonRoot"), (USER, json!(0), json!(1000), "runAsUser")]
    {
        let bad = || in_both(pod, container, &bad);
        tweaks.extend(bad().map(|tweak| tweak.breaks(check)));
        tweaks.extend(bad().map(|tweak| tweak.on_windows().breaks(check)));
        tweaks.extend(bad().map(|tweak| tweak.in_user_namespace().breaks_in(check, 0..35)));
        tweaks.extend(bad().map(|tweak| tweak.with("/spec/hostUsers", json!(true)).breaks(check)));
        tweaks.extend(in_both(pod, container, &good));
    }
    tweaks
}

fn proc_mount() -> Vec<Tweak> {
    const FIELD: &str = "/securityContext/procMount";
    let unmasked = || in_container(FIELD, json!("Unmasked")).breaks("procMount_restricted");
    vec![
        unmasked().breaks("procMount"),
        unmasked().with("/spec/hostUsers", json!(true)).breaks("procMount"),
        unmasked().in_user_namespace().breaks_in("procMount", 0..35),
        unmasked().on_windows().breaks("procMount"),
        in_container(FIELD, json!("default")).breaks("procMount").breaks("procMount_restricted"),
        in_container(FIELD, json!("Default")),
    ]
}
