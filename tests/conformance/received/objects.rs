//! Generated pods, workloads and Services that servers accept.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tests::pods::generate::{WORKLOADS, workload};
use tests::pods::tweaks::set;
use tests::random::Random;

use super::NAMESPACE;

/// The content of `parts.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    pod: BTreeMap<String, Vec<Value>>,
    container: BTreeMap<String, Vec<Value>>,
    volumes: Vec<Value>,
    services: Vec<Value>,
}

impl Parts {
    pub(super) fn read() -> Self {
        serde_saphyr::from_str(include_str!("parts.yaml")).expect("the parts")
    }

    /// Returns an object with a name.
    pub(super) fn object(&self, random: &mut Random, name: &str) -> Value {
        let mut object = match random.below(10) {
            0 => json!({ "apiVersion": "v1", "kind": "Service", "spec": random.pick(&self.services) }),
            1..=5 => self.pod(random),
            _ => {
                let kind = *random.pick(&WORKLOADS);
                let mut object = workload(kind, &self.pod(random));
                complete(&mut object, kind.1, name);
                object
            }
        };
        object["metadata"]["name"] = json!(name);
        object["metadata"]["namespace"] = json!(NAMESPACE);
        object
    }

    fn pod(&self, random: &mut Random) -> Value {
        let mut pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {} });
        change(random, &mut pod, &self.pod);
        let containers = |random: &mut Random, prefix: &str, number: usize| -> Vec<Value> {
            let container = |at| {
                let name = format!("{prefix}-{at}");
                let mut container = json!({ "name": name, "image": "registry.example/app:1" });
                change(random, &mut container, &self.container);
                container
            };
            (0..number).map(container).collect()
        };
        pod["spec"]["containers"] = containers(random, "app", 1).into();
        if random.below(4) == 0 {
            let mut first = containers(random, "setup", 1);
            if first[0].get("livenessProbe").is_some() {
                // Only a container that goes on has probes.
                first[0]["restartPolicy"] = json!("Always");
            }
            pod["spec"]["initContainers"] = first.into();
        }
        let volumes = (0..random.below(3)).map(|at| {
            let mut volume = random.pick(&self.volumes).clone();
            volume["name"] = json!(format!("volume-{at}"));
            volume
        });
        let volumes: Vec<Value> = volumes.collect();
        if !volumes.is_empty() {
            pod["spec"]["volumes"] = volumes.into();
        }
        pod
    }
}

/// Sets up to five fields to one of their values.
fn change(random: &mut Random, object: &mut Value, fields: &BTreeMap<String, Vec<Value>>) {
    let fields: Vec<(&String, &Vec<Value>)> = fields.iter().collect();
    for _ in 0..random.below(6) {
        let (pointer, values) = *random.pick(&fields);
        set(object, pointer, random.pick(values));
    }
}

/// Sets what the kind of a workload requires, so that its controller makes one pod.
fn complete(object: &mut Value, kind: &str, name: &str) {
    let labels = json!({ "app": name });
    let template = match kind {
        "PodTemplate" => return,
        "CronJob" => &mut object["spec"]["jobTemplate"]["spec"]["template"],
        _ => &mut object["spec"]["template"],
    };
    let fields = &mut template["metadata"]["labels"];
    fields["app"] = json!(name);
    match kind {
        "CronJob" | "Job" => {
            template["spec"]["restartPolicy"] = json!("Never");
            if kind == "CronJob" {
                object["spec"]["schedule"] = json!("@every 1s");
                // One Job, which does not end without a kubelet.
                object["spec"]["concurrencyPolicy"] = json!("Forbid");
            }
        }
        kind => {
            // Pods of these workloads do not end.
            template["spec"].as_object_mut().unwrap().remove("activeDeadlineSeconds");
            object["spec"]["selector"] =
                if kind == "ReplicationController" { labels } else { json!({ "matchLabels": labels }) };
            if kind == "StatefulSet" {
                object["spec"]["serviceName"] = json!(name);
            }
        }
    }
}
