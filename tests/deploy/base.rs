//! The manifests of the base, which are written from the chart's values and the deployment files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use deployment::{Instance, Needs};
use serde_json::{Value, json};
use tests::root;

use crate::{chart_folder, metadata, parse_one, read, texts};

/// An instance in the values of the chart.
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) settings: Value,
    pub(crate) needs: Needs,
    skipped_namespaces: Vec<String>,
}

/// Returns the instances in the default values of the chart, with their settings.
pub(crate) fn instances() -> Vec<Configured> {
    instances_in(&parse_one(&chart_folder().join("values.yaml")))
}

/// Returns the enabled instances in values of the chart, with their settings.
pub(crate) fn instances_in(values: &Value) -> Vec<Configured> {
    let instance = |(name, policy): (&String, &Value)| {
        let id = policy["module"].as_str().unwrap_or(name).to_owned();
        let mut settings = values["settings"].get(&id).cloned().unwrap_or_else(|| json!({}));
        merge(&mut settings, &policy["settings"]);
        let deployment = deployment::find(&id).unwrap_or_else(|| panic!("{name}: {id}"));
        let needs = if policy["audit"] == json!(true) {
            deployment.audit_needs(&settings).unwrap_or_else(|| panic!("{name}: cannot be audited"))
        } else {
            deployment.needs(&settings)
        };
        let skips = deployment.skips_infrastructure_namespaces();
        let mut skipped_namespaces =
            if skips { texts(&values["infrastructureNamespaces"]) } else { Vec::new() };
        if skips {
            skipped_namespaces.extend(texts(&values["skippedNamespaces"]));
            skipped_namespaces.extend(texts(&policy["skippedNamespaces"]));
            skipped_namespaces.sort();
            skipped_namespaces.dedup();
        }
        Configured { name: name.clone(), id, settings, needs, skipped_namespaces }
    };
    let policies = values["policies"].as_object().unwrap().iter();
    policies.filter(|(_, policy)| policy["enabled"] == json!(true)).map(instance).collect()
}

/// Lays values over others, as Helm does.
pub(crate) fn merge(values: &mut Value, over: &Value) {
    match (values, over) {
        (Value::Object(values), Value::Object(over)) => {
            for (key, value) in over {
                merge(values.entry(key.clone()).or_insert(Value::Null), value);
            }
            values.retain(|_, value| !value.is_null());
        }
        (values, over) => *values = over.clone(),
    }
}

impl Configured {
    /// Returns the manifests of the instance.
    pub(crate) fn yaml(&self) -> String {
        let metadata = metadata(&self.id);
        let module = format!(
            "registry://{}:v{}",
            metadata.annotations["io.kubewarden.policy.ociUrl"],
            env!("CARGO_PKG_VERSION")
        );
        let skipped: Vec<&str> = self.skipped_namespaces.iter().map(String::as_str).collect();
        let instance = Instance {
            name: &self.name,
            module: &module,
            category: &metadata.annotations["io.kubewarden.policy.category"],
            severity: &metadata.annotations["io.kubewarden.policy.severity"],
            settings: &self.settings,
            needs: &self.needs,
            skipped_namespaces: &skipped,
        };
        instance.to_yaml().unwrap()
    }
}

/// Writes a generated text with `BLESS`, and compares it otherwise.
pub(crate) fn compare_or_write(path: &Path, text: &str) {
    if harness::bless::is_wanted() {
        fs::write(path, text).unwrap();
    } else {
        assert_eq!(read(path), text, "{} is not current; run ./justw bless", path.display());
    }
}

#[test]
fn the_base_has_the_needs_of_the_settings_in_the_chart() {
    for instance in instances() {
        let text = format!(
            "# Written by `./justw bless` from the values of the chart and policies/{}/deployment.yml.\n{}",
            instance.id,
            instance.yaml()
        );
        compare_or_write(&root().join("deploy").join(format!("{}.yaml", instance.name)), &text);
    }
}

/// Helm can read only files of the chart.
#[test]
fn the_chart_has_the_deployment_files() {
    for (id, text) in deployment::FILES {
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
    const START: &str = "<!-- manifest: written by `./justw bless` -->\n";
    const END: &str = "<!-- end of manifest -->";
    for (id, _) in deployment::FILES {
        let path = root().join("policies").join(id).join("README.md");
        let readme = read(&path);
        let (before, rest) = readme.split_once(START).unwrap_or_else(|| panic!("{id}: no {START}"));
        let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{id}: no {END}"));
        let mut text = String::from("```yaml\n");
        // Instances for audits differ only in the rules that the scanner cannot list.
        let shown = instances().into_iter().filter(|one| one.id == *id && !one.name.ends_with("-audit"));
        for (at, mut instance) in shown.enumerate() {
            // The whole list is in the chart.
            instance.skipped_namespaces.retain(|name| name == "kube-system");
            let yaml = instance.yaml();
            let policy = yaml.rsplit("---\n").next().unwrap_or_default();
            let (metadata, spec) = policy.split_once("  labels:\n").unwrap();
            let (_, spec) = spec.split_once("\nspec:\n").unwrap();
            let separator = if at > 0 { "---\n" } else { "" };
            write!(text, "{separator}{metadata}spec:\n{spec}").unwrap();
        }
        compare_or_write(&path, &format!("{before}{START}{text}```\n{END}{after}"));
    }
}
