//! The package of a policy for Artifact Hub.
//!
//! It equals the output of `kwctl scaffold artifacthub` for the same files, except for the provider
//! (a constant there) and the date (the current time there), so that the package does not change
//! each time it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use text::percent_encoded;

use crate::packaging::catalogue::{Entry, listed};
use crate::packaging::metadata::print;
use crate::packaging::{Metadata, PackagingError};

/// The Helm chart of the controller that runs policies.
const CONTROLLER: &str = "https://artifacthub.io/packages/helm/kubewarden/kubewarden-controller";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    version: &'a str,
    name: &'a str,
    display_name: &'a str,
    created_at: &'a str,
    description: &'a str,
    license: &'a str,
    #[serde(rename = "homeURL")]
    home_url: &'a str,
    containers_images: [Image; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<&'a str>,
    links: Vec<Link<'a>>,
    install: String,
    maintainers: Vec<Maintainer<'a>>,
    provider: Provider<'a>,
    recommendations: [Recommendation; 1],
    annotations: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct Image {
    name: &'static str,
    image: String,
}

#[derive(Debug, Serialize)]
struct Link<'a> {
    name: &'static str,
    url: Cow<'a, str>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Maintainer<'a> {
    name: &'a str,
    email: &'a str,
}

#[derive(Debug, Serialize)]
struct Provider<'a> {
    name: &'a str,
}

#[derive(Debug, Serialize)]
struct Recommendation {
    url: &'static str,
}

/// The `artifacthub-pkg.yml` of a policy, made from its metadata, the text of its
/// `questions-ui.yml` and the date of the release in RFC 3339. The provider is the first author.
///
/// # Errors
/// An annotation that packages require and the metadata lacks.
pub fn artifact_hub_package(
    metadata: &Metadata,
    questions: &str,
    created_at: &str,
) -> Result<String, PackagingError> {
    let entry = Entry(metadata);
    let version = entry.policy("version")?;
    let image = format!("{}:v{version}", entry.policy("ociUrl")?);
    let source = entry.policy("source")?;
    let mut links = Vec::new();
    // Other forges have releases at other addresses.
    if source.starts_with("https://github.com/") {
        // The tag is one segment, also with a slash.
        let tag =
            entry.optional("com.github.release.tag").map_or_else(|| format!("v{version}"), percent_encoded);
        let url = format!("{source}/releases/download/{tag}/policy.wasm");
        links.push(Link { name: "policy", url: url.into() });
    }
    links.push(Link { name: "source", url: source.into() });
    let maintainers = maintainers(entry.policy("author")?);
    let provider = maintainers.first().map_or("", |first| first.name);

    let mut annotations = entry.annotations()?;
    annotations.insert("kubewarden/questions-ui", questions.to_owned());
    print(
        "package",
        &Package {
            version,
            name: entry.policy("title")?,
            display_name: entry.annotation("io.artifacthub.displayName")?,
            created_at,
            description: entry.policy("description")?,
            license: entry.policy("license")?,
            home_url: entry.policy("url")?,
            install: install(&image),
            containers_images: [Image { name: "policy", image }],
            keywords: entry.keywords(),
            links,
            maintainers,
            provider: Provider { name: provider },
            recommendations: [Recommendation { url: CONTROLLER }],
            annotations,
        },
    )
}

/// Authors in the form `Name <mail>`, which the check of the metadata ensures.
fn maintainers(authors: &str) -> Vec<Maintainer<'_>> {
    listed(authors).into_iter().filter_map(maintainer).collect()
}

fn maintainer(author: &str) -> Option<Maintainer<'_>> {
    let (name, email) = author.strip_suffix('>')?.split_once('<')?;
    Some(Maintainer { name: name.trim(), email: email.trim() })
}

fn install(image: &str) -> String {
    format!(
        "The policy can be obtained using [kwctl](https://docs.kubewarden.io/howtos/install-kwctl):\n\
         ```console\n\
         kwctl pull {image}\n\
         ```\n\
         Then, generate the policy manifest and tune it to your liking. For example:\n\
         ```console\n\
         kwctl scaffold manifest -t ClusterAdmissionPolicy registry://{image}\n\
         ```\n"
    )
}
