//! The chart of a policy for Rancher's catalogue, from which its Kubewarden extension makes
//! policies.
//!
//! The extension lists the charts whose type is `kubewarden-policy` and reads their annotations,
//! `values.yaml`, `questions.yaml` and README; it renders no template. `DESIGN.md` names the files
//! of the extension that do so.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::packaging::catalogue::{Entry, listed};
use crate::packaging::metadata::print;
use crate::packaging::{Metadata, PackagingError};

/// The two files of a chart that follow from the metadata.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RancherChart {
    /// The content of `Chart.yaml`.
    pub chart: String,
    /// The content of `values.yaml`: the parts of the module's address.
    pub values: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Chart<'a> {
    api_version: &'static str,
    name: &'a str,
    version: &'a str,
    app_version: &'a str,
    description: &'a str,
    home: &'a str,
    sources: [&'a str; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<&'a str>,
    annotations: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct Values<'a> {
    global: Global<'a>,
    module: Module<'a>,
}

#[derive(Debug, Serialize)]
struct Global<'a> {
    cattle: Cattle<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Cattle<'a> {
    system_default_registry: &'a str,
}

#[derive(Debug, Serialize)]
struct Module<'a> {
    repository: &'a str,
    tag: &'a str,
}

/// The chart of a policy, made from its metadata.
///
/// # Errors
/// An annotation that the chart requires and the metadata lacks, and an address of the module
/// without a registry.
pub fn rancher_chart(metadata: &Metadata) -> Result<RancherChart, PackagingError> {
    let entry = Entry(metadata);
    let version = entry.policy("version")?;
    let address = entry.policy("ociUrl")?;
    let Some((registry, repository)) = address.split_once('/') else {
        let path = "annotations.io.kubewarden.policy.ociUrl";
        return Err(PackagingError::new(path, "has no registry; write REGISTRY/REPOSITORY"));
    };
    let tag = format!("v{version}");

    let mut annotations = entry.annotations()?;
    // The extension does not trim the items, and offers an AdmissionPolicy unless the last kind is
    // one without namespaces.
    if let Some(resources) = annotations.get_mut("kubewarden/resources") {
        *resources = listed(resources).join(",");
    }
    let further = [
        // Rancher lists such a chart in the extension, and hides it among its apps.
        ("catalog.cattle.io/hidden", "true"),
        ("catalog.cattle.io/type", "kubewarden-policy"),
        ("catalog.cattle.io/ui-component", "kubewarden"),
        ("artifacthub.io/license", entry.policy("license")?),
        ("kubewarden/displayName", entry.annotation("io.artifacthub.displayName")?),
        // By these, the extension finds the form of a policy that exists already.
        ("kubewarden/registry", registry),
        ("kubewarden/repository", repository),
        ("kubewarden/tag", &tag),
    ];
    annotations.extend(further.map(|(key, value)| (key, value.to_owned())));

    let chart = Chart {
        api_version: "v2",
        name: entry.policy("title")?,
        version,
        app_version: version,
        description: entry.policy("description")?,
        home: entry.policy("url")?,
        sources: [entry.policy("source")?],
        keywords: entry.keywords(),
        annotations,
    };
    let values = Values {
        global: Global { cattle: Cattle { system_default_registry: registry } },
        module: Module { repository, tag: &tag },
    };
    Ok(RancherChart { chart: print("chart", &chart)?, values: print("values", &values)? })
}
