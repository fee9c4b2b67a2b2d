//! The requests to judge.

use admission_review::AdmissionRequest;
use manifest::found;
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, SourceName};

/// Reads all requests from files, in order.
///
/// # Errors
/// The first file that cannot be read or contains something else.
pub(crate) fn read(files: &[String], reader: &mut InputReader) -> Result<Vec<AdmissionRequest>, Failure> {
    let mut requests = Vec::new();
    for file in files {
        let source = reader.text(file)?;
        let documents = parse::documents(&source)?;
        if documents.is_empty() {
            return Err(Failure::about(
                source.name,
                "is empty; expected an AdmissionReview or an AdmissionRequest",
            ));
        }
        let count = documents.len();
        for (index, document) in documents.into_iter().enumerate() {
            requests.push(request(document, &source.name.document(index, count))?);
        }
    }
    Ok(requests)
}

fn request(document: Value, name: &SourceName) -> Result<AdmissionRequest, Failure> {
    check_kind(&document).map_err(|problem| Failure::about(name, problem))?;
    AdmissionRequest::from_value(document).map_err(|error| Failure::about(name, error))
}

/// Rejects documents of another kind, such as the bare object to judge.
fn check_kind(document: &Value) -> Result<(), String> {
    const EXPECTED: &str = "expected an AdmissionReview or an AdmissionRequest";
    let Value::Object(fields) = document else {
        return Err(format!("{EXPECTED}, found {}", found(document)));
    };
    match fields.get("kind") {
        Some(Value::String(kind)) if kind != "AdmissionReview" => Err(format!("{EXPECTED}, found a {kind}")),
        Some(Value::String(_)) if fields.get("request").is_none_or(Value::is_null) => {
            Err("the AdmissionReview has no request".to_owned())
        }
        _ => Ok(()),
    }
}
