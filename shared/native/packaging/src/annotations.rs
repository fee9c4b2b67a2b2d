//! Checks of the annotations that hosts and catalogues read.

use std::collections::BTreeMap;

use oci_spec::distribution::Reference;
use semver::Version;
use text::{Quoted, nearest};
use url::Url;

use crate::PackagingError;

/// The prefix of the annotations that Kubewarden knows.
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
///
/// # Errors
/// The first annotation that is misspelt, missing or has a wrong value.
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
    let inside = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        matches!((bytes.first(), bytes.last()), (Some(first), Some(last)) if inside(*first) && inside(*last))
            && bytes.iter().all(|byte| inside(*byte) || *byte == b'-')
    };
    if value.len() <= 253 && value.split('.').all(is_label) {
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
    // The parser encodes white space that catalogues would print as it is.
    let is_page = |url: Url| matches!(url.scheme(), "http" | "https") && !value.contains(char::is_whitespace);
    if Url::parse(value).is_ok_and(is_page) {
        return Ok(());
    }
    Err("is not the URL of a page; write https://example.org/…".into())
}

/// The version is added as a tag. Without a registry, the name would be one of Docker Hub.
fn repository(value: &str) -> Result<(), String> {
    if value.contains('/') && Reference::try_from(format!("{value}:v1")).is_ok() {
        return Ok(());
    }
    Err("is not a repository in a registry; write it as ghcr.io/example/policy, without a scheme and a tag"
        .into())
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
