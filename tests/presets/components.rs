//! The components of kustomize in `deploy/presets`, which change the base in `deploy` as the presets
//! change the values of the chart. With `BLESS`, they are written.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value};
use tests::root;

use crate::SYSTEMS;
use crate::instances::{Instance, all_instances, default_values, values};

/// Returns the component of a preset: what differs between the instances with and without it.
fn component(system: &str) -> String {
    let mut text = format!(
        "# Written by `./justw bless` from charts/portcullis/presets/{system}.yaml.\n\
         apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n"
    );
    let instances = all_instances(&values(system));
    for base in all_instances(&default_values()) {
        let lines = match instances.iter().find(|instance| instance.name == base.name) {
            None => deletion(&base.name),
            Some(instance) => changes(&base, instance),
        };
        if lines.is_empty() {
            continue;
        }
        let name = &base.name;
        let target = format!("group: policies.kubewarden.io, kind: ClusterAdmissionPolicy, name: {name}");
        writeln!(text, "  - target: {{ {target} }}\n    patch: |-").unwrap();
        for line in lines {
            writeln!(text, "      {line}").unwrap();
        }
    }
    text
}

fn deletion(name: &str) -> Vec<String> {
    let lines = ["$patch: delete", "apiVersion: policies.kubewarden.io/v1", "kind: ClusterAdmissionPolicy"];
    lines.map(str::to_owned).into_iter().chain([format!("metadata: {{ name: {name} }}")]).collect()
}

/// Returns the operations of a JSON patch. Each setting is one, so that others of the user stay.
fn changes(base: &Instance, instance: &Instance) -> Vec<String> {
    let spec = operations("/spec", &base.spec, &instance.spec);
    spec.into_iter().chain(operations("/spec/settings", &base.settings, &instance.settings)).collect()
}

fn operations(at: &str, base: &Value, changed: &Value) -> Vec<String> {
    let empty = Map::new();
    let (base, changed) = (base.as_object().unwrap_or(&empty), changed.as_object().unwrap_or(&empty));
    let gone = base.keys().filter(|key| !changed.contains_key(*key));
    assert_eq!(gone.count(), 0, "{at}: a preset removes nothing");
    let differing = changed.iter().filter(|(key, value)| base.get(*key) != Some(value));
    let operation = |(key, value): (&String, &Value)| {
        let mut lines = vec!["- op: add".to_owned(), format!("  path: {at}/{key}")];
        match value {
            Value::Array(items) => {
                lines.push("  value:".to_owned());
                lines.extend(items.iter().map(|item| format!("    - {item}")));
            }
            value => lines.push(format!("  value: {value}")),
        }
        lines
    };
    differing.flat_map(operation).collect()
}

#[test]
fn the_components_are_current() {
    for system in SYSTEMS {
        let path = root().join("deploy/presets").join(system).join("kustomization.yaml");
        let component = component(system);
        if harness::bless::is_wanted() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &component).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(found, component, "{}: run ./justw bless", path.display());
    }
}

/// Builds the base with the component of a system, or returns `None` without kustomize.
fn built(system: &str) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("component-{system}"));
    fs::create_dir_all(&folder).unwrap();
    // kustomize takes only relative paths.
    let up = "../".repeat(folder.components().count() - 1);
    let deploy = root().join("deploy");
    let deploy = format!("{up}{}", deploy.strip_prefix("/").unwrap().display());
    let kustomization = format!("resources: [{deploy}]\ncomponents: [{deploy}/presets/{system}]\n");
    fs::write(folder.join("kustomization.yaml"), kustomization).unwrap();
    let programs = [("kustomize", ["build"]), ("kubectl", ["kustomize"])];
    let output = programs.into_iter().find_map(|(program, arguments)| {
        match Command::new(program).args(arguments).arg(&folder).output() {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            output => Some(output.unwrap()),
        }
    })?;
    assert!(output.status.success(), "{system}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_saphyr::from_multiple(&String::from_utf8(output.stdout).unwrap()).unwrap())
}

#[test]
fn kustomize_builds_what_the_chart_renders_with_a_preset() {
    for system in SYSTEMS {
        let Some(objects) = built(system) else {
            let why = "neither kustomize nor kubectl is installed";
            tests::not_run("KUSTOMIZE", "the build of the components", why).unwrap();
            return;
        };
        let policies: Vec<_> =
            objects.iter().filter(|object| object["kind"] == "ClusterAdmissionPolicy").collect();
        let instances = all_instances(&values(system));
        assert_eq!(policies.len(), instances.len(), "{system}");
        for instance in instances {
            let policy = policies.iter().find(|policy| policy["metadata"]["name"] == instance.name.as_str());
            instance.assert_is_in(policy.unwrap_or_else(|| panic!("{system}: no {}", instance.name)));
        }
    }
}
