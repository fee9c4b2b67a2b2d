//! The only policy of a manifest.

use kubewarden::matching::{PolicyKind, PolicyManifest};
use scan::Content;
use serde_json::Value;

use crate::failure::Failure;
use crate::input::{self, Pieces, named};
use crate::source::{InputReader, SourceName};

/// The name of the settings of a manifest.
pub(crate) fn settings_of(place: &SourceName) -> SourceName {
    SourceName::new(format!("{place}: spec.settings"))
}

/// Reads the only policy of a file, with its place. Other objects, such as roles, are skipped.
pub(super) fn read(file: &str, reader: &mut InputReader) -> Result<(PolicyManifest, SourceName), Failure> {
    let mut policies = Vec::new();
    let mut other = None;
    let mut files = input::files(&[file.to_owned()], reader)?;
    let mut pieces = Pieces::of(&mut files);
    while let Some((chunk, entries)) = pieces.next()? {
        let places = chunk.places(&entries);
        for (entry, place) in entries.into_iter().zip(&places) {
            match entry.content {
                Content::Object(object) if PolicyKind::of(&object).is_some() => {
                    policies.push((object, SourceName::new(named(place))));
                }
                content => {
                    other.get_or_insert_with(|| describe(content));
                }
            }
        }
    }
    let name = SourceName::of_argument(file);
    let Some((document, place)) = policies.pop() else {
        let found = other.unwrap_or_else(|| "nothing".to_owned());
        let problem = format!(
            "expected a policy: a module, a ClusterAdmissionPolicy or an AdmissionPolicy, found {found}; pass the policy \
             before the objects"
        );
        return Err(Failure::about(name, problem));
    };
    if !policies.is_empty() {
        let count = policies.len() + 1;
        let problem = format!("has {count} policies; pass a file with one, or use portcullis scan");
        return Err(Failure::about(name, problem));
    }
    if let Some(PolicyKind::ClusterAdmissionPolicyGroup | PolicyKind::AdmissionPolicyGroup) =
        PolicyKind::of(&document)
    {
        return Err(group(&place));
    }
    let manifest = PolicyManifest::read(&document).map_err(|error| Failure::about(&place, error))?;
    Ok((manifest, place))
}

fn describe(content: Content) -> String {
    match content {
        Content::Object(object) => {
            let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
            format!("a {kind}")
        }
        Content::Review(_) => "a request".to_owned(),
        Content::Untyped(_, problem) | Content::Other(problem) => problem,
    }
}

pub(super) fn group(place: &SourceName) -> Failure {
    Failure::about(place, "is a group of policies; evaluate it with portcullis scan")
}
