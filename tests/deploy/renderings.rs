//! The renderings of the chart.
//!
//! The files `tests/deploy/*.yaml` that begin with a line of inputs are renderings by Helm's
//! engine. If `helm` is on PATH, or `HELM` names a compatible program (`tests/deploy/helm.py`), the
//! tests render the chart and compare the result with these files; with `BLESS` they write the
//! files. Otherwise the line of inputs has to match the current templates and values. The other
//! tests read the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{CHART, base, by_name, chart_folder, data, file, items, module_id};
use crate::files::{helm, parse, parse_one, read};

/// The renderings, with the values file of each in addition to the defaults.
pub(crate) const RENDERINGS: &[(&str, Option<&str>)] = &[
    ("default.yaml", None),
    ("changed.yaml", Some("changed.values.yaml")),
    ("group.yaml", Some("group.values.yaml")),
    ("protect.yaml", Some("protect.values.yaml")),
];

/// The renderings as text. With `BLESS` and a helm program, they are written before they are read.
pub(crate) static RENDERED: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let text = |(name, values): &(&'static str, Option<&str>)| {
        let path = data(name);
        if tests::blesses()
            && let Some(rendered) = rendered(*values)
        {
            fs::write(&path, format!("{}{rendered}", inputs(*values))).unwrap();
        }
        (*name, read(&path))
    };
    RENDERINGS.iter().map(text).collect()
});

pub(crate) fn rendering(name: &str) -> Vec<Value> {
    parse(&RENDERED[name])
}

/// Returns a line with a hash of all files that a rendering depends on.
fn inputs(values: Option<&str>) -> String {
    let mut files = vec![chart_folder().join("Chart.yaml"), chart_folder().join("values.yaml")];
    for folder in ["files", "templates"] {
        files.extend(fs::read_dir(chart_folder().join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    files.extend(values.map(data));
    // FNV-1a, because the hashes of the standard library can change.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in files.iter().flat_map(|path| read(path).into_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("# inputs: {hash:016x}\n")
}

/// Renders the chart with a values file, if helm is installed.
fn rendered(values: Option<&str>) -> Option<String> {
    let text = values.map_or_else(|| "{}".to_owned(), |name| read(&data(name)));
    let rendered = helm("the comparison of the chart with its renderings", CHART, &text)?;
    Some(rendered.unwrap_or_else(|error| panic!("{values:?}: {error}")))
}

#[test]
fn the_renderings_are_current() {
    for (name, values) in RENDERINGS {
        assert!(
            RENDERED[name].starts_with(&inputs(*values)),
            "{name} is outdated: install helm, or helm-python-sdk with pip; then run \
             HELM=tests/deploy/helm.py BLESS=1 cargo test -p tests --test published deploy"
        );
    }
    for (name, values) in RENDERINGS {
        let Some(rendered) = rendered(*values) else { return };
        assert_eq!(by_name(parse(&rendered)), by_name(rendering(name)), "{name}: render it again");
    }
}

/// The base has no labels of a release.
#[test]
fn the_chart_renders_the_manifests() {
    let without_release = |name: &str| {
        let mut objects = rendering(name);
        for object in &mut objects {
            let labels = object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut);
            if let Some(labels) = labels {
                labels.retain(|key, _| {
                    ["app.kubernetes.io/name", "app.kubernetes.io/part-of"].contains(&key.as_str())
                });
            }
        }
        by_name(objects)
    };
    // The chart renders the conditions again when settings change; a manifest cannot.
    let mut rendered = without_release("default.yaml");
    let key = ("ClusterAdmissionPolicy".to_owned(), "node-labels".to_owned());
    let spec = &mut rendered.get_mut(&key).unwrap()["spec"];
    let deployment = kubewarden::deployment::find("node-labels").unwrap();
    assert_eq!(spec["matchConditions"], json!(deployment.needs(&spec["settings"]).match_conditions));
    spec["matchConditions"] = json!(deployment.manifest_needs(&spec["settings"]).match_conditions);
    assert_eq!(rendered, by_name(base()));
    assert_eq!(without_release("group.yaml"), by_name(file("group.yaml")));
    // The manifest of the policy server has other names, so that the chart can be installed, too.
    let (rendered, written) = (without_release("protect.yaml"), by_name(file("policy-server.yaml")));
    let [manifest, chart] = ["portcullis-policy-server", "portcullis-policy-servers"];
    for kind in ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"] {
        let text = written[&(kind.to_owned(), manifest.to_owned())].to_string();
        let renamed: Value = serde_json::from_str(&text.replace(manifest, chart)).unwrap();
        assert_eq!(rendered[&(kind.to_owned(), chart.to_owned())], renamed);
    }
}

#[test]
fn every_value_is_changed_in_a_rendering() {
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let changed = parse_one(&data("changed.values.yaml"));
    // Every value of the schema is changed.
    let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let mut missing = keys(&schema["properties"]);
    missing.retain(|key| key != "groups" && changed.get(key).is_none());
    assert!(missing.is_empty(), "{missing:?}");
    let mut missing = keys(&schema["definitions"]["policy"]["properties"]);
    for policy in changed["policies"].as_object().unwrap().values() {
        missing.retain(|key| policy.get(key).is_none());
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn changed_settings_have_the_needs_that_follow_from_them() {
    let objects = by_name(rendering("changed.yaml"));
    let find = |kind: &str, name: &str| objects.get(&(kind.to_owned(), name.to_owned()));
    for name in ["external-ips", "node-labels", "node-pods", "selinux-default", "selinux-guard"] {
        let spec = &find("ClusterAdmissionPolicy", name).unwrap_or_else(|| panic!("{name}"))["spec"];
        let needs =
            kubewarden::deployment::find(module_id(&spec["module"])).unwrap().needs(&spec["settings"]);
        assert_eq!(spec["rules"], json!(needs.rules), "{name}");
        assert_eq!(spec["matchConditions"], json!(needs.match_conditions), "{name}");
        let looked_up = json!(needs.context_aware_resources);
        assert_eq!(items(&spec["contextAwareResources"]), items(&looked_up), "{name}");
        let role = find("ClusterRole", &format!("portcullis-{name}"));
        let granted = role.map_or(json!([]), |role| role["rules"].clone());
        assert_eq!(granted, json!(needs.cluster_role_rules), "{name}");
    }
}
