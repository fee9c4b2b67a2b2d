//! The kustomize components of the presets, which make the base equal to the chart with the values
//! of a preset.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};
use tests::chart::configured;
use tests::root;

use super::base::{instances, yaml};
use super::{BASE, by_name};
use crate::files::{compare_or_write, kustomize, names, parse};
use crate::presets::{SYSTEMS, values};

/// Returns the policies that the chart renders with the values of a preset.
fn with_preset(system: &str) -> Vec<Value> {
    configured(&values(system)).iter().flat_map(|instance| parse(&yaml(instance))).collect()
}

fn base() -> Vec<Value> {
    instances().iter().flat_map(|instance| parse(&yaml(instance))).collect()
}

/// Returns the JSON merge patch (RFC 7386) that makes a value another one.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (from, to) else { return to.clone() };
    let mut patch = Map::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in new {
        match old.get(key) {
            Some(known) if known == value => {}
            Some(known) => {
                patch.insert(key.clone(), difference(known, value));
            }
            None => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(patch)
}

/// Returns the text of a component.
fn component(system: &str) -> String {
    let (base, wanted) = (by_name(base()), by_name(with_preset(system)));
    let mut text = format!(
        "# Written by `./justw bless` from the preset {system}.yaml of the chart, which says why.\n\
         apiVersion: kustomize.config.k8s.io/v1alpha1\n\
         kind: Component\n"
    );
    let mut patches = String::new();
    for ((kind, name), object) in &base {
        let mut patch = match wanted.get(&(kind.clone(), name.clone())) {
            Some(other) if other == object => continue,
            Some(other) => difference(object, other),
            None => json!({ "$patch": "delete" }),
        };
        patch["apiVersion"] = object["apiVersion"].clone();
        patch["kind"] = json!(kind);
        patch["metadata"] = json!({ "name": name });
        writeln!(patches, "  - patch: |-").unwrap();
        let yaml = serde_saphyr::to_string(&patch).unwrap();
        for line in yaml.lines() {
            writeln!(patches, "      {line}").unwrap();
        }
    }
    let new: Vec<&(String, String)> = wanted.keys().filter(|key| !base.contains_key(*key)).collect();
    assert!(new.is_empty(), "{system}: a component cannot add {new:?}");
    if !patches.is_empty() {
        write!(text, "patches:\n{patches}").unwrap();
    }
    text
}

#[test]
fn the_components_have_the_values_of_the_presets() {
    let folder = root().join("artifacthub/deploy/presets");
    for system in SYSTEMS {
        compare_or_write(&folder.join(system).join("kustomization.yaml"), &component(system));
    }
    assert_eq!(names(&folder), SYSTEMS.iter().map(|&system| system.to_owned()).collect());
}

#[test]
fn kustomize_builds_the_base_with_every_component() {
    let what = "the build of the kustomize base and its components";
    let Some(built) = kustomize(what, BASE) else { return };
    assert_eq!(by_name(built), by_name(super::base()));
    let overlay = root().join("target/presets-overlay");
    fs::create_dir_all(&overlay).unwrap();
    for system in SYSTEMS {
        let kustomization = format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n\
             resources: [../../artifacthub/deploy]\ncomponents: [../../artifacthub/deploy/presets/{system}]\n"
        );
        fs::write(overlay.join("kustomization.yaml"), kustomization).unwrap();
        let Some(built) = kustomize(what, overlay.to_str().unwrap()) else { return };
        // The names are the same for all presets.
        let mut objects = with_preset(system);
        objects.extend(super::file("skipped-namespaces.yaml"));
        assert_eq!(by_name(built), by_name(objects), "{system}");
    }
}
