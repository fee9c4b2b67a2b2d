//! References to policies in a registry.

use oci_client::Reference;

use crate::failure::Failure;

/// The scheme of references in Kubewarden's resources.
const SCHEME: &str = "registry://";

const EXAMPLE: &str = "write it as ghcr.io/example/policies/external-ips:v1.2.3";

/// Parses a reference with or without `registry://`. The default tag is `latest`. A reference
/// without a registry is an error: it means Docker Hub, but is more likely a forgotten argument.
pub(crate) fn parse(text: &str) -> Result<Reference, Failure> {
    let text = without_scheme(text);
    let failure = |problem: &str| Failure::about(text, format!("{problem}; {EXAMPLE}"));
    let reference = Reference::try_from(text).map_err(|_| failure("is not a valid reference"))?;
    let is_registry = |host: &str| host.contains(['.', ':']) || host == "localhost";
    if !text.split_once('/').is_some_and(|(host, _)| is_registry(host)) {
        return Err(failure("does not name a registry"));
    }
    Ok(reference)
}

pub(crate) fn without_scheme(text: &str) -> &str {
    text.strip_prefix(SCHEME).unwrap_or(text)
}

/// Whether a reference has a tag or a digest.
pub(crate) fn is_complete(text: &str) -> bool {
    text.rsplit('/').next().is_some_and(|name| name.contains([':', '@']))
}

/// Returns the reference by digest, which always names the same content.
pub(crate) fn immutable(reference: &Reference, digest: &str) -> String {
    format!("{}/{}@{digest}", reference.registry(), reference.repository())
}
