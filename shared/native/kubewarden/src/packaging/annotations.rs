//! Checks of the annotations that hosts and catalogues read.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use semver::Version;
use text::{Quoted, nearest};

use crate::packaging::PackagingError;

const PREFIX: &str = "io.kubewarden.policy.";

/// The annotations that every published policy needs, and the checks of their values.
const REQUIRED: &[(&str, Check)] = &[
    ("title", title),
    ("version", version),
    ("description", anything),
    ("author", authors),
    ("url", url),
    ("ociUrl", repository),
    ("source", url),
    ("license", anything),
    ("severity", severity),
    ("category", anything),
];

/// Further names under the prefix.
const OPTIONAL: &[&str] = &["usage"];

const SEVERITIES: &[&str] = &["critical", "high", "medium", "low", "info"];

/// Checks a value; the error is the problem, without the value.
type Check = fn(&str) -> Result<(), String>;

/// Checks the annotations under the prefix of Kubewarden and ignores all others.
pub(crate) fn check(annotations: &BTreeMap<String, String>) -> Result<(), PackagingError> {
    let known: Vec<&str> = REQUIRED.iter().map(|(name, _)| *name).chain(OPTIONAL.iter().copied()).collect();
    for key in annotations.keys() {
        let Some(name) = key.strip_prefix(PREFIX) else { continue };
        if let Some(near) = nearest(name, &known)
            && near != name
        {
            return Err(PackagingError::new(
                path(name),
                format!("unknown annotation; did you mean {PREFIX}{near}?"),
            ));
        }
    }
    for (name, check) in REQUIRED {
        let Some(value) = annotations.get(&format!("{PREFIX}{name}")) else {
            return Err(PackagingError::new(path(name), "is missing"));
        };
        if value.trim().is_empty() {
            return Err(PackagingError::new(path(name), "is empty"));
        }
        check(value)
            .map_err(|problem| PackagingError::new(path(name), format!("{} {problem}", Quoted(value))))?;
    }
    Ok(())
}

fn path(name: &str) -> String {
    format!("annotations.{PREFIX}{name}")
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a check")]
fn anything(_: &str) -> Result<(), String> {
    Ok(())
}

/// The title becomes the name of an object in the cluster.
fn title(value: &str) -> Result<(), String> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if value.len() <= 253 && value.split('.').all(|label| is_label(label, is_allowed)) {
        return Ok(());
    }
    Err("is not an RFC 1123 name; use lower-case letters, digits, - and ., with a letter or digit at both ends"
        .into())
}

fn version(value: &str) -> Result<(), String> {
    match Version::parse(value) {
        Ok(_) => Ok(()),
        Err(why) => Err(format!("is not a semantic version such as 1.2.3: {why}")),
    }
}

/// The authors become the maintainers in the catalogue.
fn authors(value: &str) -> Result<(), String> {
    let is_author = |author: &str| {
        let (name, mail) = author.trim().strip_suffix('>')?.split_once('<')?;
        let (user, domain) = mail.split_once('@')?;
        let odd = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '@');
        (!name.trim().is_empty()
            && !user.is_empty()
            && !domain.is_empty()
            && !mail.replacen('@', "", 1).contains(odd))
        .then_some(())
    };
    if value.split(',').all(|author| is_author(author).is_some()) {
        return Ok(());
    }
    Err("is not an author; write Name <mail@example.org>, several separated by commas".into())
}

fn url(value: &str) -> Result<(), String> {
    if is_page(value) {
        Ok(())
    } else {
        Err("is not the URL of a page; write https://example.org/…".into())
    }
}

/// Whether a value is a URL that a catalogue can link to: with `http` or `https`, the name or the
/// IPv4 address of a host, and without white space. Browsers repair more, such as `https:host`.
fn is_page(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    // A browser reads a host that ends in a number as an address.
    let is_name = host.split('.').all(is_host_label)
        && host.rsplit('.').next().is_some_and(|last| !last.starts_with(|c: char| c.is_ascii_digit()));
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        && (is_name || host.parse::<Ipv4Addr>().is_ok())
        && is_number(port)
        && port.parse::<u16>().is_ok()
        && !value.contains(char::is_whitespace)
}

/// Domains have letters of any script.
fn is_host_label(label: &str) -> bool {
    !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The version is added as a tag. Without a registry, the name would be one of Docker Hub.
fn repository(value: &str) -> Result<(), String> {
    if is_repository(value) {
        return Ok(());
    }
    Err("is not a repository in a registry; write it as ghcr.io/example/policy, without a scheme and a tag"
        .into())
}

/// Whether a value is a name of several components, of which the first can be the domain of a
/// registry. Source: `regexp.go` of distribution/reference.
fn is_repository(value: &str) -> bool {
    let Some((first, path)) = value.split_once('/') else { return false };
    let has_registry = first.contains(['.', ':']) || first == "localhost";
    let name = if has_registry { path } else { value };
    (is_registry(first) || is_component(first)) && path.split('/').all(is_component) && name.len() <= 255
}

/// Whether a text is a domain, with or without a port.
fn is_registry(text: &str) -> bool {
    let (domain, port) = text.split_once(':').unwrap_or((text, "443"));
    domain.split('.').all(|label| is_label(label, |byte| byte.is_ascii_alphanumeric())) && is_number(port)
}

/// Whether a text is lower-case letters and digits, with separators between them: `.`, `_`, `__`,
/// or any number of `-`.
fn is_component(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(inside)
        && text.ends_with(inside)
        && text.split(inside).all(|separator| {
            matches!(separator, "." | "_" | "__") || separator.bytes().all(|byte| byte == b'-')
        })
}

/// Whether a text has only characters that are allowed or `-`, which is neither the first nor the
/// last.
fn is_label(text: &str, is_allowed: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let is_allowed_at = |end: Option<&u8>| end.is_some_and(|byte| is_allowed(*byte));
    is_allowed_at(bytes.first())
        && is_allowed_at(bytes.last())
        && bytes.iter().all(|byte| is_allowed(*byte) || *byte == b'-')
}

fn severity(value: &str) -> Result<(), String> {
    if SEVERITIES.contains(&value) {
        return Ok(());
    }
    Err(match nearest(value, SEVERITIES) {
        Some(near) => format!("is not a severity; did you mean {near}?"),
        None => format!("is not a severity; use {}", SEVERITIES.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use oci_spec::distribution::Reference;
    use proptest::prelude::*;
    use serde_json::Value;
    use url::Url;

    use super::*;

    /// Whether the crate `url` reads a page, which may not have white space: it would encode that.
    fn is_page_to_url(value: &str) -> bool {
        let is_http = |url: Url| matches!(url.scheme(), "http" | "https");
        Url::parse(value).is_ok_and(is_http) && !value.contains(char::is_whitespace)
    }

    fn is_repository_to_oci(value: &str) -> bool {
        value.contains('/') && Reference::try_from(format!("{value}:v1")).is_ok()
    }

    /// Values, by whether they are good, bad, or good to the crate alone: `odd`.
    fn values(form: &str, evaluation: &str) -> Vec<String> {
        let values: Value = serde_json::from_str(include_str!("annotations.json")).unwrap();
        serde_json::from_value(values[form][evaluation].clone()).unwrap()
    }

    #[test]
    fn pages_are_those_of_the_crate_url() {
        // An odd page needs a repair, or has a password.
        for (evaluation, is_good) in [("good", [true, true]), ("bad", [false, false]), ("odd", [false, true])]
        {
            for value in values("pages", evaluation) {
                assert_eq!([is_page(&value), is_page_to_url(&value)], is_good, "{value}");
            }
        }
    }

    #[test]
    fn repositories_are_those_of_the_crate_oci_spec() {
        let name = |length: usize| "a".repeat(length);
        let good = [format!("ghcr.io/{}", name(255)), format!("a/{}", name(253))];
        let bad = [
            format!("ghcr.io/a@sha256:{}", name(64)),
            format!("ghcr.io/{}", name(256)),
            format!("a/{}", name(254)),
        ];
        for value in good.into_iter().chain(values("repositories", "good")) {
            assert!(is_repository(&value) && is_repository_to_oci(&value), "{value}");
        }
        for value in bad.into_iter().chain(values("repositories", "bad")) {
            assert!(!is_repository(&value) && !is_repository_to_oci(&value), "{value}");
        }
    }

    proptest! {
        /// Without `x`, which begins names in Punycode: the crate decodes them.
        #[test]
        fn every_page_is_one_to_the_crate_url(value in "(https?|HTTP|ftp)(://|:)[a-w0-9.:/@?#_-]{0,16}") {
            prop_assert!(!is_page(&value) || is_page_to_url(&value), "{}", value);
        }

        #[test]
        fn a_repository_is_one_to_the_crate_oci_spec(
            value in "(localhost|a\\.b|A|[a-zA-Z0-9_.:-]{0,8})(/[a-zA0-9._-]{0,6}){0,3}",
        ) {
            prop_assert_eq!(is_repository(&value), is_repository_to_oci(&value), "{}", value);
        }
    }
}
