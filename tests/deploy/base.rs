//! The manifests of the base, which are written from the chart's values and the deployment files.

use std::fmt::Write as _;

use kubewarden::deployment::{Instance, Needs};
use tests::chart::{Configured, configured};
use tests::root;

use super::{BASE, chart_folder, metadata};
use crate::files::{compare_or_write, compare_or_write_part, parse_one};

/// Returns the instances in the default values of the chart, with their settings.
pub(crate) fn instances() -> Vec<Configured> {
    configured(&parse_one(&chart_folder().join("values.yaml")))
}

/// Returns the manifests of an instance.
pub(crate) fn yaml(instance: &Configured) -> String {
    let metadata = metadata(&instance.id);
    let module = format!(
        "registry://{}:v{}",
        metadata.annotations["io.kubewarden.policy.ociUrl"],
        env!("CARGO_PKG_VERSION")
    );
    let skipped: Vec<&str> = instance.skipped_namespaces.iter().map(String::as_str).collect();
    let instance = Instance {
        name: &instance.name,
        module: &module,
        category: &metadata.annotations["io.kubewarden.policy.category"],
        severity: &metadata.annotations["io.kubewarden.policy.severity"],
        settings: &instance.settings,
        needs: &instance.manifest_needs().unwrap_or_else(|| missing(instance)),
        skipped_namespaces: &skipped,
        protects: false,
    };
    instance.to_yaml().unwrap()
}

/// Returns the needs of an instance.
pub(crate) fn needs(instance: &Configured) -> Needs {
    instance.needs().unwrap_or_else(|| missing(instance))
}

fn missing(instance: &Configured) -> ! {
    panic!("{}: no policy, or none that can be audited", instance.name)
}

#[test]
fn the_base_has_the_needs_of_the_settings_in_the_chart() {
    for instance in instances() {
        let text = format!(
            "# Written by `./justw bless` from the values of the chart and policies/{}/deployment.yml.\n{}",
            instance.id,
            yaml(&instance)
        );
        compare_or_write(&root().join(BASE).join(format!("{}.yaml", instance.name)), &text);
    }
}

/// Helm can read only files of the chart.
#[test]
fn the_chart_has_the_deployment_files() {
    for (id, text) in kubewarden::deployment::FILES {
        let metadata = metadata(id);
        let annotation = |key: &str| &metadata.annotations[&format!("io.kubewarden.policy.{key}")];
        let (category, severity) = (annotation("category"), annotation("severity"));
        let copy = format!("category: {category}\nseverity: {severity}\n{text}");
        compare_or_write(&chart_folder().join("files").join(format!("{id}.yaml")), &copy);
    }
}

/// The manifests in the READMEs are those of the base, without labels.
#[test]
fn the_readmes_show_the_manifests() {
    for (id, _) in kubewarden::deployment::FILES {
        let mut text = String::from("```yaml\n");
        // Instances for audits differ only in the rules that the scanner cannot list.
        let shown = instances().into_iter().filter(|one| one.id == *id && !one.name.ends_with("-audit"));
        for (at, mut instance) in shown.enumerate() {
            // The whole list is in the chart.
            instance.skipped_namespaces.retain(|name| name == "kube-system");
            let manifests = yaml(&instance);
            let policy = manifests.rsplit("---\n").next().unwrap_or_default();
            let (metadata, spec) = policy.split_once("  labels:\n").unwrap();
            let (_, spec) = spec.split_once("\nspec:\n").unwrap();
            let separator = if at > 0 { "---\n" } else { "" };
            write!(text, "{separator}{metadata}spec:\n{spec}").unwrap();
        }
        let readme = root().join("policies").join(id).join("README.md");
        compare_or_write_part(&readme, "manifest", &(text + "```\n"));
    }
}
