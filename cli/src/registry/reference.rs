//! Where a policy is in a registry.

use oci_client::Reference;

use crate::failure::Failure;

/// How Kubewarden's own resources begin a reference.
const SCHEME: &str = "registry://";

/// How a reference is written.
const EXAMPLE: &str = "write it as ghcr.io/example/policies/external-ips:v1.2.3";

/// A reference with its registry, with or without `registry://` before it; the tag is `latest` if there is none.
///
/// # Errors
/// What is no reference. Without a registry it would be a repository of Docker Hub, which somebody who forgets an
/// argument does not mean.
pub(crate) fn parse(text: &str) -> Result<Reference, Failure> {
    let text = without_scheme(text);
    let problem = |what: &str| Failure::about(text, format!("{what}; {EXAMPLE}"));
    let reference = Reference::try_from(text).map_err(|_| problem("is no reference to a policy"))?;
    let names_registry = |host: &str| host.contains(['.', ':']) || host == "localhost";
    if !text.split_once('/').is_some_and(|(host, _)| names_registry(host)) {
        return Err(problem("names no registry"));
    }
    Ok(reference)
}

/// The reference as registries write it.
pub(crate) fn without_scheme(text: &str) -> &str {
    text.strip_prefix(SCHEME).unwrap_or(text)
}

/// Whether a reference ends with a tag or a digest.
pub(crate) fn is_complete(text: &str) -> bool {
    text.rsplit('/').next().is_some_and(|name| name.contains([':', '@']))
}

/// The reference that means the same bytes for ever.
pub(crate) fn immutable(reference: &Reference, digest: &str) -> String {
    format!("{}/{}@{digest}", reference.registry(), reference.repository())
}
