//! The manifests in `artifacthub/deploy` are valid and agree with their policies, and the chart
//! renders the same objects.

pub(crate) mod alerts;
mod api_server;
mod base;
mod chart;
mod definitions;
pub(crate) mod examples;
mod manifests;
mod policies;
mod policy_server;
mod presets;
mod renderings;
mod requests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use kubewarden::packaging::Metadata;
use serde_json::Value;
use tests::root;

use crate::files::{parse, parse_one, read};

/// The chart, from the root of the repository.
pub(crate) const CHART: &str = "artifacthub/charts/portcullis";

/// The folder of the kustomize base.
pub(crate) const BASE: &str = "artifacthub/deploy";

pub(crate) fn chart_folder() -> PathBuf {
    root().join(CHART)
}

pub(crate) fn data(name: &str) -> PathBuf {
    root().join("tests/deploy").join(name)
}

/// Returns the objects by kind and name, and panics on a duplicate.
pub(crate) fn by_name(objects: Vec<Value>) -> BTreeMap<(String, String), Value> {
    let mut named = BTreeMap::new();
    for object in objects {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("a name: {object}")).to_owned();
        let key = (text(&object["kind"]), text(&object["metadata"]["name"]));
        assert!(named.insert(key.clone(), object).is_none(), "duplicate {key:?}");
    }
    named
}

/// Returns the resources of the kustomize base.
pub(crate) fn base_files() -> Vec<String> {
    let kustomization = parse_one(&root().join(BASE).join("kustomization.yaml"));
    texts(&kustomization["resources"])
}

pub(crate) fn base() -> Vec<Value> {
    base_files().iter().flat_map(|name| file(name)).collect()
}

/// The files of the folder that are not part of the base and need nothing but Kubewarden.
pub(crate) const EXAMPLES: &[&str] = &["admission-policy.yaml", "group.yaml", "policy-server.yaml"];

/// Returns the objects of a file of the folder.
pub(crate) fn file(name: &str) -> Vec<Value> {
    parse(&read(&root().join(BASE).join(name)))
}

pub(crate) fn texts(list: &Value) -> Vec<String> {
    let text = |item: &Value| item.as_str().unwrap().to_owned();
    list.as_array().map(|items| items.iter().map(text).collect()).unwrap_or_default()
}

pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(crate) type Requests = BTreeSet<(String, String, String, String)>;

/// Expands rules to single requests: group, version, resource and operation.
pub(crate) fn expand(rules: &Value) -> Requests {
    let mut requests = Requests::new();
    for rule in items(rules) {
        for group in texts(&rule["apiGroups"]) {
            for version in texts(&rule["apiVersions"]) {
                for resource in texts(&rule["resources"]) {
                    for operation in texts(&rule["operations"]) {
                        requests.insert((group.clone(), version.clone(), resource.clone(), operation));
                    }
                }
            }
        }
    }
    requests
}

pub(crate) fn metadata(id: &str) -> Metadata {
    Metadata::from_yaml(&read(&root().join("policies").join(id).join("metadata.yml"))).unwrap()
}

/// Returns the id of the module in an address, without registry, tag and digest.
pub(crate) fn module_id(module: &Value) -> &str {
    let (_, name) = module.as_str().unwrap().rsplit_once('/').unwrap();
    name.split_once(['@', ':']).unwrap().0
}
