//! SELinux levels: given to pods, and guarded against theft.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Expect as _, create, namespace, patch};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const DEFAULT: &str = "selinux-default";
const GUARD: &str = "selinux-guard";

/// The levels that the names hash to.
const OF_TEAM_A: &str = "s0:c78,c138";
const OF_TEAM_B: &str = "s0:c458,c1021";

const ANNOTATION: &str = "portcullis.dev/selinux-level";

const IS_CHANGED: &str = "metadata.annotations[portcullis.dev/selinux-level]: Forbidden: only allocation.annotationEditors \
                          may change the level of a Namespace; restore it, or ask one of them";
const IS_CHOSEN: &str = "metadata.annotations[portcullis.dev/selinux-level]: Invalid value: \"s0:c458,c1021\": only \
                         allocation.annotationEditors may choose the level of a Namespace; remove it, or ask one of them";
const IS_TAKEN: &str = "metadata.annotations[portcullis.dev/selinux-level]: Invalid value: \"s0:c458,c1021\": Namespace \
                        \"team-b\" has this level; choose another one, or put both in one of allocation.sharedGroups";
const IS_A_RANGE: &str = "spec.securityContext.seLinuxOptions.level: Invalid value: \"s0-s0:c0.c1023\": is a range, which \
                          gives access to the files of others; set it to s0:c78,c138";
const IS_UNCONFINED: &str = "spec.securityContext.seLinuxOptions.type: Invalid value: \"spc_t\": is unconfined and only \
                             for privileged containers and pods with hostPID or hostIPC; remove it";
const IS_MISSING: &str = "spec.securityContext.seLinuxOptions.level: Required value: pods must have the level of namespace \
                          \"team-b\"; set it to s0:c458,c1021";
const IS_OF_THE_SYSTEM: &str = "spec.local.path: Invalid value: \"/etc/kubernetes\": the runtime would relabel a system \
                                path; use a path that holds nothing else";

/// The message for the level of the team B in the Namespace of the team A.
fn is_theft(spec: &str) -> String {
    format!(
        "{spec}.securityContext.seLinuxOptions.level: Invalid value: \"s0:c458,c1021\": is not the level of namespace \
         \"team-a\"; set it to s0:c78,c138"
    )
}

fn pod(name: &str, namespace: &str, options: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": namespace },
        "spec": {
            "securityContext": { "seLinuxOptions": options },
            "containers": [{ "name": "app", "image": "registry.example/app:1" }],
        },
    })
}

fn deployment(namespace: &str, options: &Value) -> Value {
    let template = pod("web", namespace, options);
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "namespace": namespace },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": template["spec"] },
        },
    })
}

fn volume(path: &str) -> Value {
    let is_on_worker_1 = json!({ "key": "kubernetes.io/hostname", "operator": "In", "values": ["worker-1"] });
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": { "name": "disk" },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": { "storage": "1Gi" },
            "local": { "path": path },
            "nodeAffinity": { "required": { "nodeSelectorTerms": [{ "matchExpressions": [is_on_worker_1] }] } },
            "storageClassName": "local",
        },
    })
}

pub(crate) fn levels(cluster: &Cluster) {
    let jane = cluster.user("jane");
    let settings = |mode: &str| json!({ "mode": mode, "allocation": { "source": "NamespaceAnnotation", "annotations": [ANNOTATION] } });
    let [default, guard] = [(DEFAULT, "Mutate"), (GUARD, "Validate")]
        .map(|(name, mode)| Policy::protect("selinux", name, &settings(mode)));
    let mut kubewarden = Kubewarden::deploy(cluster, &[default, guard.clone()]);
    let level_of = |path: &str| cluster.stored(path, "/spec/securityContext/seLinuxOptions");

    // Each Namespace gets a level, and each pod that of its Namespace.
    for (team, level) in [("team-a", OF_TEAM_A), ("team-b", OF_TEAM_B)] {
        create(&jane, &namespace(team, &json!({}))).succeeded();
        let annotation = cluster.stored(
            &format!("/api/v1/namespaces/{team}"),
            "/metadata/annotations/portcullis.dev~1selinux-level",
        );
        assert_eq!(annotation, level);
        create(&jane, &pod("plain", team, &Value::Null)).succeeded();
        let options = level_of(&format!("/api/v1/namespaces/{team}/pods/plain"));
        assert_eq!(options, json!({ "level": level }));
    }
    create(&jane, &pod("own", "team-a", &json!({ "level": "s0:c138,c78" }))).succeeded();
    let own = level_of("/api/v1/namespaces/team-a/pods/own");
    assert_eq!(own, json!({ "level": "s0:c138,c78" }), "another spelling stays");

    // Theft: the level of another team, all levels, and no confinement.
    let theft = json!({ "level": OF_TEAM_B });
    create(&jane, &pod("thief", "team-a", &theft)).denied_by(DEFAULT, &is_theft("spec"));
    create(&jane, &pod("thief", "team-a", &json!({ "level": "s0-s0:c0.c1023" })))
        .denied_by(DEFAULT, IS_A_RANGE);
    create(&jane, &pod("thief", "team-a", &json!({ "type": "spc_t" }))).denied_by(DEFAULT, IS_UNCONFINED);
    create(&jane, &deployment("team-a", &theft)).denied_by(GUARD, &is_theft("spec.template.spec"));
    create(&jane, &deployment("team-a", &Value::Null)).succeeded();
    let level = |level: Value| json!({ "metadata": { "annotations": { ANNOTATION: level } } });
    patch(&jane, "", "namespace/team-a", &level(json!(OF_TEAM_B))).denied_by(GUARD, IS_CHANGED);
    patch(&jane, "", "namespace/team-a", &level(Value::Null))
        .denied_by(GUARD, &format!("oldObject.{IS_CHANGED}"));
    let chosen = namespace("team-c", &json!({ "annotations": { ANNOTATION: OF_TEAM_B } }));
    create(&jane, &chosen).denied_by(DEFAULT, IS_CHOSEN);
    create(&cluster.admin(), &chosen).denied_by(DEFAULT, IS_TAKEN);
    patch(&jane, "", "namespace/team-a", &json!({ "metadata": { "labels": { "stage": "test" } } }))
        .succeeded();
    // The runtime would relabel the system with the level of a pod.
    create(&cluster.admin(), &volume("/etc/kubernetes")).denied_by(GUARD, IS_OF_THE_SYSTEM);
    create(&cluster.admin(), &volume("/mnt/disks/1")).succeeded();

    // The guard denies pods without a level.
    kubewarden.change(&[guard]);
    create(&jane, &pod("bare", "team-b", &Value::Null)).denied_by(GUARD, IS_MISSING);
    create(&jane, &pod("thief", "team-a", &theft)).denied_by(GUARD, &is_theft("spec"));
    create(&jane, &pod("levelled", "team-b", &json!({ "level": OF_TEAM_B }))).succeeded();
    drop(kubewarden);
}
