//! The renderings of presets.

use serde_json::{Value, json};
use tests::chart::lay_over;

use super::instances::{all_instances, preset_of};
use super::{SYSTEMS, values};
use crate::files::{helm, parse};

#[test]
fn helm_renders_each_preset_as_it_is_evaluated() {
    for system in SYSTEMS {
        let mut protecting = preset_of(system);
        lay_over(&mut protecting, &json!({ "mode": "protect" }));
        let what = "the comparison of presets with what helm renders";
        let Some(rendered) = helm(what, "artifacthub/charts/portcullis", &protecting.to_string()) else {
            return;
        };
        let objects = parse(&rendered.unwrap_or_else(|error| panic!("{system}: {error}")));
        let instances = all_instances(&values(system));
        assert!(!instances.is_empty());
        for instance in instances {
            let is_it = |object: &&Value| {
                object["kind"] == "ClusterAdmissionPolicy" && object["metadata"]["name"] == instance.name()
            };
            let policy = objects.iter().find(is_it);
            instance.assert_is_in(policy.unwrap_or_else(|| panic!("{system}: no {}", instance.name())));
        }
    }
}
