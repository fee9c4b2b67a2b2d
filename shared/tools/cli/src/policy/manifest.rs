//! The only policy of a manifest.

use kubewarden::matching::{PolicyKind, PolicyManifest};
use manifest::found;
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, SourceName};

/// The name of the settings of a manifest.
pub(crate) fn settings_of(place: &SourceName) -> SourceName {
    SourceName::new(format!("{place}: spec.settings"))
}

/// Reads the only policy of a file, with its place. Other objects, such as roles, are skipped.
///
/// # Errors
/// A file that cannot be read or does not contain exactly one policy, and a malformed policy.
pub(super) fn read(file: &str, reader: &mut InputReader) -> Result<(PolicyManifest, SourceName), Failure> {
    let source = reader.text(file)?;
    let documents = parse::documents(&source)?;
    let count = documents.len();
    for (index, document) in documents.iter().enumerate() {
        kubernetes::objects::check_items(document)
            .map_err(|problem| Failure::about(source.name.document(index, count), problem))?;
    }
    let (policies, others): (Vec<_>, Vec<_>) =
        documents.iter().enumerate().partition(|(_, document)| PolicyKind::of(document).is_some());
    match policies.as_slice() {
        [(index, document)] => {
            let place = source.name.document(*index, count);
            if let Some(PolicyKind::ClusterAdmissionPolicyGroup | PolicyKind::AdmissionPolicyGroup) =
                PolicyKind::of(document)
            {
                return Err(group(&place));
            }
            let manifest = PolicyManifest::read(document).map_err(|error| Failure::about(&place, error))?;
            Ok((manifest, place))
        }
        [] => {
            let found = others.first().map_or_else(|| "nothing".to_owned(), |(_, other)| describe(other));
            let problem = format!(
                "expected a policy: a module, a ClusterAdmissionPolicy or an AdmissionPolicy, found {found}; pass the \
                 policy before the objects"
            );
            Err(Failure::about(source.name, problem))
        }
        several => {
            let count = several.len();
            let problem = format!("has {count} policies; pass a file with one, or use portcullis scan");
            Err(Failure::about(source.name, problem))
        }
    }
}

fn describe(document: &Value) -> String {
    match document.get("kind").and_then(Value::as_str) {
        Some(kind) => format!("a {kind}"),
        None => found(document).to_owned(),
    }
}

pub(super) fn group(place: &SourceName) -> Failure {
    Failure::about(place, "is a group of policies; evaluate it with portcullis scan")
}
