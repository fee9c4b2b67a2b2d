//! Policies of Kyverno, converted into policies for `pod-security`.

use std::collections::BTreeSet;

use convert::{Class, Conversion, Document, Source};
use kubewarden::matching::{Installation, PolicyManifest};
use report::{Level, Notice};
use serde_json::Value;

use crate::source::SourceName;

/// Whether an object is one of Kyverno: a policy, or an exception.
pub(super) fn is_kyverno(object: &Value) -> bool {
    let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    group == "kyverno.io" || group.ends_with(".kyverno.io")
}

/// Converts all policies at once, because exceptions are about policies in other files. Returns the
/// manifests with their places, and an error for everything that may make verdicts differ.
pub(super) fn convert(
    documents: Vec<Document>,
    installation: &Installation,
) -> (Vec<(PolicyManifest, SourceName)>, Vec<Notice>) {
    let error = |message| Notice { level: Level::Error, place: None, message };
    let (documents, refused) = Source::KYVERNO.accepted(documents);
    let evaluates_nothing = |problem| error(format!("{problem}; it is left out"));
    let mut notices: Vec<Notice> = refused.into_iter().map(evaluates_nothing).collect();
    let mut manifests = Vec::new();
    let conversions = match Source::KYVERNO.convert(&documents) {
        Ok(conversions) => conversions,
        Err(problem) => {
            notices.push(evaluates_nothing(problem));
            return (manifests, notices);
        }
    };
    let mut notes = BTreeSet::new();
    for Conversion { differences, notes: of_rule, manifest } in conversions {
        for difference in differences.into_iter().filter(|difference| difference.class != Class::Text) {
            let document = &difference.document;
            notices
                .push(error(format!("{document}: {difference}; verdicts may differ from those of Kyverno")));
        }
        notes.extend(of_rule);
        // Manifests for background audits receive no requests.
        let Some(manifest) = manifest.filter(|manifest| manifest.spec.background_audit != Some(true)) else {
            continue;
        };
        let place = SourceName::new(format!("the rule of Kyverno that is policy {}", manifest.metadata.name));
        let read = serde_json::to_value(&manifest).map_err(|error| error.to_string());
        match read.and_then(|value| {
            PolicyManifest::read_for(&value, installation).map_err(|error| error.to_string())
        }) {
            Ok(manifest) => manifests.push((manifest, place)),
            Err(problem) => notices.push(error(format!("{place}: {problem}; the policy evaluates nothing"))),
        }
    }
    let note = |note: String| Notice {
        level: Level::Note,
        place: None,
        message: note.trim_end_matches('.').to_owned(),
    };
    notices.extend(notes.into_iter().map(note));
    (manifests, notices)
}
