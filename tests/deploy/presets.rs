//! The kustomize components of the presets, which make the base equal to the chart with the values
//! of a preset.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tests::chart::{configured, lay_over};
use tests::root;

use super::base::{compare_or_write, instances, yaml};
use super::renderings::output;
use super::{by_name, chart_folder, parse, parse_one};

/// Returns the names of the presets.
fn systems() -> Vec<String> {
    let files = fs::read_dir(chart_folder().join("presets")).unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Returns the policies that the chart renders with the values of a preset.
fn with_preset(system: &str) -> Vec<Value> {
    let mut values = parse_one(&chart_folder().join("values.yaml"));
    lay_over(&mut values, &parse_one(&chart_folder().join("presets").join(format!("{system}.yaml"))));
    configured(&values).iter().flat_map(|instance| parse(&yaml(instance))).collect()
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
        "# Written by `./justw bless` from charts/portcullis/presets/{system}.yaml, which says why.\n\
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

fn folder() -> PathBuf {
    root().join("deploy/presets")
}

#[test]
fn the_components_have_the_values_of_the_presets() {
    for system in systems() {
        let folder = folder().join(&system);
        fs::create_dir_all(&folder).unwrap();
        compare_or_write(&folder.join("kustomization.yaml"), &component(&system));
    }
    let present: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(present, systems().into_iter().collect());
}

#[test]
fn kustomize_builds_the_base_with_every_component() {
    let overlay = root().join("target/presets-overlay");
    for system in systems() {
        fs::create_dir_all(&overlay).unwrap();
        let kustomization = format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n\
             resources: [../../deploy]\ncomponents: [../../deploy/presets/{system}]\n"
        );
        fs::write(overlay.join("kustomization.yaml"), kustomization).unwrap();
        let path = overlay.to_str().unwrap();
        let built = output(Path::new("kustomize"), &["build", path])
            .or_else(|| output(Path::new("kubectl"), &["kustomize", path]));
        let Some(built) = built else {
            let why = "neither kustomize nor kubectl is installed";
            tests::not_run("KUSTOMIZE", "the build of the components of presets", why).unwrap();
            return;
        };
        let built = built.unwrap_or_else(|error| panic!("{system}: {error}"));
        assert_eq!(by_name(parse(&built)), by_name(with_preset(&system)), "{system}");
    }
}
