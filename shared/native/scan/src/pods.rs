//! The pods that workloads make.
//!
//! Sources: `GetPodFromTemplate` in `pkg/controller/controller_utils.go` of Kubernetes, and for
//! each workload its controller: `pkg/controller/{replicaset,statefulset,daemon,job}`.

use kubernetes::completion::{CRON_JOB_MINUTES, HASH, NODE, UID as MADE_UP_UID};
use serde_json::{Map, Value, json};
use text::Step;

use crate::user::service_account;

#[derive(Debug)]
pub(crate) struct PodOfWorkload {
    pub(crate) pod: Value,
    /// The service account of the controller; `None` if somebody else makes the pod.
    pub(crate) controller: Option<&'static str>,
    /// The field of the template in the workload: its `metadata` and `spec` become those of the
    /// pod.
    pub(crate) template: &'static [&'static str],
}

struct Workload {
    group: &'static str,
    kind: &'static str,
    template: &'static [&'static str],
    controller: Option<&'static str>,
    /// The owner of the pods: its API version and kind, and what its name adds to that of the
    /// workload.
    owner: (&'static str, &'static str, Option<&'static str>),
}

const SPEC: &[&str] = &["spec", "template"];
const JOB_SPEC: &[&str] = &["spec", "jobTemplate", "spec", "template"];

const WORKLOADS: &[Workload] = &[
    workload(
        "",
        "ReplicationController",
        SPEC,
        "replication-controller",
        ("v1", "ReplicationController", None),
    ),
    workload("apps", "DaemonSet", SPEC, "daemon-set-controller", ("apps/v1", "DaemonSet", None)),
    workload("apps", "Deployment", SPEC, "replicaset-controller", ("apps/v1", "ReplicaSet", Some(HASH))),
    workload("apps", "ReplicaSet", SPEC, "replicaset-controller", ("apps/v1", "ReplicaSet", None)),
    workload("apps", "StatefulSet", SPEC, "statefulset-controller", ("apps/v1", "StatefulSet", None)),
    workload("batch", "CronJob", JOB_SPEC, "job-controller", ("batch/v1", "Job", Some(CRON_JOB_MINUTES))),
    workload("batch", "Job", SPEC, "job-controller", ("batch/v1", "Job", None)),
    // Nothing makes pods of a PodTemplate by itself.
    Workload {
        group: "",
        kind: "PodTemplate",
        template: &["template"],
        controller: None,
        owner: ("", "", None),
    },
];

const fn workload(
    group: &'static str,
    kind: &'static str,
    template: &'static [&'static str],
    controller: &'static str,
    owner: (&'static str, &'static str, Option<&'static str>),
) -> Workload {
    Workload { group, kind, template, controller: Some(controller), owner }
}

/// The taints that pods of a `DaemonSet` tolerate, with their effects. The last one is that of
/// pods in the host network.
///
/// Source: `AddOrUpdateDaemonPodTolerations` in `pkg/controller/daemon/util/daemonset_util.go`.
const DAEMON_TOLERATIONS: [(&str, &str); 7] = [
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
    ("network-unavailable", "NoSchedule"),
];

impl PodOfWorkload {
    /// Returns the pod that the controller of a workload makes first; `None` for other objects, and
    /// for a workload without a template.
    ///
    /// The workload is stored, or completed like one. Values that a controller makes up, such as
    /// the hash in names and labels, are made up as in [`kubernetes::completion`].
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let workload = find(text("apiVersion"), text("kind"))?;
        let template = at(object, workload.template)?.as_object()?;
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let of_template = template.get("metadata").and_then(Value::as_object);
        let mut metadata = Map::new();
        for field in ["labels", "annotations", "finalizers"] {
            let value = of_template.and_then(|fields| fields.get(field)).filter(|value| !value.is_null());
            metadata.extend(value.map(|value| (field.to_owned(), value.clone())));
        }
        let mut spec = template.get("spec").cloned().unwrap_or_default();
        metadata.extend(
            object.pointer("/metadata/namespace").map(|value| ("namespace".to_owned(), value.clone())),
        );
        let (api_version, kind, suffix) = workload.owner;
        let owner = suffix.map_or_else(|| name.to_owned(), |suffix| format!("{name}-{suffix}"));
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or(MADE_UP_UID);
        metadata.insert("generateName".to_owned(), format!("{owner}-").into());
        match workload.kind {
            "StatefulSet" => {
                metadata.insert("name".to_owned(), format!("{name}-0").into());
                set_label(&mut metadata, "statefulset.kubernetes.io/pod-name", &format!("{name}-0"));
                set_label(&mut metadata, "apps.kubernetes.io/pod-index", "0");
                set_label(&mut metadata, "controller-revision-hash", &format!("{name}-{HASH}"));
                identify(&mut spec, object, name);
            }
            "DaemonSet" => {
                set_label(&mut metadata, "controller-revision-hash", HASH);
                set_label(&mut metadata, "pod-template-generation", "1");
                bind(&mut spec);
            }
            "Deployment" => set_label(&mut metadata, "pod-template-hash", HASH),
            "Job" | "CronJob" => track(&mut metadata, &owner, uid),
            _ => {}
        }
        forget_empty_sources(&mut spec);
        if workload.controller.is_some() {
            let owner = json!({
                "apiVersion": api_version,
                "kind": kind,
                "name": owner,
                "uid": uid,
                "controller": true,
                "blockOwnerDeletion": true,
            });
            metadata.insert("ownerReferences".to_owned(), json!([owner]));
        }
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec });
        Some(Self { pod, controller: workload.controller, template: workload.template })
    }

    /// Returns the user that makes the pod; `None` if nobody does by itself.
    pub(crate) fn user(&self) -> Option<Value> {
        self.controller.map(|name| service_account("kube-system", name))
    }

    /// Returns the path in the workload of a path in its pod; `None` for what the template does not
    /// have.
    pub(crate) fn path(&self, in_pod: &[Step]) -> Option<Vec<Step>> {
        let is = |name: &str, step: Option<&Step>| matches!(step, Some(Step::Field(field)) if field == name);
        let is_kept = is("spec", in_pod.first())
            || is("metadata", in_pod.first())
                && ["labels", "annotations", "finalizers"].iter().any(|name| is(name, in_pod.get(1)));
        let template = self.template.iter().map(|name| Step::Field((*name).to_owned()));
        is_kept.then(|| template.chain(in_pod.iter().cloned()).collect())
    }
}

/// Returns the path to the specification of the pod in a pod or workload; `None` for other kinds.
pub(crate) fn pod_spec(api_version: &str, kind: &str) -> Option<Vec<&'static str>> {
    if is(api_version, kind, "", "Pod") {
        return Some(vec!["spec"]);
    }
    let workload = find(api_version, kind)?;
    Some(workload.template.iter().copied().chain(["spec"]).collect())
}

pub(crate) fn templates() -> impl Iterator<Item = &'static [&'static str]> {
    WORKLOADS.iter().map(|workload| workload.template)
}

pub(crate) fn at<'v>(object: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, name| value.get(name))
}

fn find(api_version: &str, kind: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().find(|workload| is(api_version, kind, workload.group, workload.kind))
}

fn is(api_version: &str, found: &str, group: &str, kind: &str) -> bool {
    let of = api_version.split_once('/').map_or("", |(group, _)| group);
    // Workloads were in this group before they had one of their own.
    found == kind && (of == group || group == "apps" && of == "extensions")
}

fn set_label(metadata: &mut Map<String, Value>, key: &str, value: &str) {
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert(key.to_owned(), value.into());
    }
}

/// The encoding between controllers and servers has no empty lists.
fn forget_empty_sources(spec: &mut Value) {
    let volumes = spec.get_mut("volumes").and_then(Value::as_array_mut);
    for projected in
        volumes.into_iter().flatten().filter_map(|volume| volume.get_mut("projected")?.as_object_mut())
    {
        if projected.get("sources").is_some_and(|sources| *sources == json!([])) {
            projected.remove("sources");
        }
    }
}

/// Gives a pod what a Job finds its pods by.
fn track(metadata: &mut Map<String, Value>, job: &str, uid: &str) {
    for (key, value) in [("controller-uid", uid), ("job-name", job)] {
        set_label(metadata, key, value);
        set_label(metadata, &format!("batch.kubernetes.io/{key}"), value);
    }
    let finalizers = metadata.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(finalizers) = finalizers.as_array_mut() {
        finalizers.push("batch.kubernetes.io/job-tracking".into());
    }
}

/// Binds the pod of a `DaemonSet` to a node.
fn bind(spec: &mut Value) {
    let Some(spec) = spec.as_object_mut() else { return };
    let term = json!({ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [NODE] }] });
    let affinity = spec.entry("affinity").or_insert_with(|| json!({}));
    if let Some(affinity) = affinity.as_object_mut() {
        let of_node = affinity.entry("nodeAffinity").or_insert_with(|| json!({}));
        if let Some(of_node) = of_node.as_object_mut() {
            let terms = json!({ "nodeSelectorTerms": [term] });
            of_node.insert("requiredDuringSchedulingIgnoredDuringExecution".to_owned(), terms);
        }
    }
    let is_in_host = spec.get("hostNetwork") == Some(&Value::Bool(true));
    let number = DAEMON_TOLERATIONS.len() - usize::from(!is_in_host);
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    let Some(tolerations) = tolerations.as_array_mut() else { return };
    for (taint, effect) in DAEMON_TOLERATIONS.into_iter().take(number) {
        let toleration =
            json!({ "key": format!("node.kubernetes.io/{taint}"), "operator": "Exists", "effect": effect });
        if !tolerations.contains(&toleration) {
            tolerations.push(toleration);
        }
    }
}

/// Sets the host name and the claims of the first pod of a `StatefulSet`.
fn identify(spec: &mut Value, set: &Value, name: &str) {
    let Some(spec) = spec.as_object_mut() else { return };
    spec.insert("hostname".to_owned(), format!("{name}-0").into());
    let service = set.pointer("/spec/serviceName").and_then(Value::as_str).unwrap_or_default();
    spec.insert("subdomain".to_owned(), service.into());
    let claims = set.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array);
    let claims = claims.into_iter().flatten().filter_map(|claim| claim.pointer("/metadata/name")?.as_str());
    let volumes = spec.entry("volumes").or_insert_with(|| json!([]));
    let Some(volumes) = volumes.as_array_mut() else { return };
    for claim in claims {
        let is_claim = |volume: &Value| volume.get("name").and_then(Value::as_str) == Some(claim);
        let source = json!({ "claimName": format!("{claim}-{name}-0") });
        let volume = json!({ "name": claim, "persistentVolumeClaim": source });
        match volumes.iter_mut().find(|volume| is_claim(volume)) {
            Some(known) => *known = volume,
            None => volumes.push(volume),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `CronJob` with its pod, and a `StatefulSet` with the spec of its pods.
    fn documents() -> [Value; 4] {
        manifest::documents(include_str!("pods.yaml")).unwrap().try_into().unwrap()
    }

    #[test]
    fn a_cron_job_makes_pods_through_a_job() {
        let [object, pod, ..] = documents();
        let made = PodOfWorkload::of(&object).unwrap();
        assert_eq!(made.pod, pod);
        assert_eq!(made.user().unwrap()["username"], "system:serviceaccount:kube-system:job-controller");
        let steps =
            |names: &[&str]| names.iter().map(|name| Step::Field((*name).to_owned())).collect::<Vec<_>>();
        assert_eq!(
            made.path(&steps(&["spec", "hostPID"])),
            Some(steps(&["spec", "jobTemplate", "spec", "template", "spec", "hostPID"]))
        );
        assert_eq!(made.path(&steps(&["metadata", "ownerReferences"])), None);
        assert_eq!(
            pod_spec("batch/v1", "CronJob").unwrap(),
            ["spec", "jobTemplate", "spec", "template", "spec"]
        );
    }

    #[test]
    fn the_pods_of_a_stateful_set_have_names_and_claims() {
        let [.., object, spec] = documents();
        let pod = PodOfWorkload::of(&object).unwrap().pod;
        assert_eq!(pod["metadata"]["name"], "db-0");
        assert_eq!(pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"], "0");
        assert_eq!(pod["spec"], spec);
    }

    #[test]
    fn other_objects_make_no_pods() {
        for object in [
            json!({ "apiVersion": "v1", "kind": "Pod", "spec": { "template": {} } }),
            json!({ "apiVersion": "example.com/v1", "kind": "Deployment", "spec": { "template": {} } }),
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "spec": { "template": [] } }),
        ] {
            assert!(PodOfWorkload::of(&object).is_none());
        }
    }
}
