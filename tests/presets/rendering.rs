//! The renderings of presets.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tests::chart::lay_over;
use tests::root;

use super::SYSTEMS;
use super::instances::{all_instances, preset_of, values};

/// Renders the chart with values in addition to the defaults, or returns `None` without helm.
fn rendered(name: &str, values: &Value) -> Option<Vec<Value>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("preset-{name}.yaml"));
    fs::write(&file, values.to_string()).unwrap();
    let program = env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
    // A path is relative to the root of the repository.
    let program = if program.components().count() > 1 { root().join(program) } else { program };
    let output = Command::new(program)
        .args(["template", "portcullis", "charts/portcullis", "--namespace", "kubewarden", "--values"])
        .arg(&file)
        .current_dir(root())
        .output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.unwrap(),
    };
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_saphyr::from_multiple(&String::from_utf8(output.stdout).unwrap()).unwrap())
}

#[test]
fn helm_renders_each_preset_as_it_is_judged() {
    for system in SYSTEMS {
        let mut protecting = preset_of(system);
        lay_over(&mut protecting, &json!({ "mode": "protect" }));
        let Some(objects) = rendered(system, &protecting) else {
            let why = "helm is not installed";
            tests::not_run("HELM", "the comparison of presets with what helm renders", why).unwrap();
            return;
        };
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
