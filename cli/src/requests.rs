//! The requests.

use std::fmt;

use host::AdmissionRequest;
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::source::{Name, Reader};
use crate::text::found;

/// A request, as the host wants it and as it came.
#[derive(Debug)]
pub(crate) struct Request {
    /// What is judged.
    pub(crate) admission: AdmissionRequest,
    /// The `AdmissionRequest` as JSON.
    json: Value,
}

/// All requests of some files, in order.
///
/// # Errors
/// The first file that cannot be read or holds something else.
pub(crate) fn read(files: &[String], reader: &mut Reader) -> Result<Vec<Request>, Failure> {
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

fn request(document: Value, name: &Name) -> Result<Request, Failure> {
    check(&document).map_err(|problem| Failure::about(name, problem))?;
    let admission =
        AdmissionRequest::from_value(document.clone()).map_err(|error| Failure::about(name, error))?;
    let json = match document {
        Value::Object(mut review) if review.contains_key("request") => {
            review.remove("request").unwrap_or_default()
        }
        request => request,
    };
    Ok(Request { admission, json })
}

/// Tells what is not even meant to be a request: most often the bare object that somebody wants judged.
fn check(document: &Value) -> Result<(), String> {
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

impl Request {
    /// The object under review; `None` if there is none, as when it is deleted.
    pub(crate) fn object(&self) -> Option<&Value> {
        self.json.get("object").filter(|object| !object.is_null())
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.json.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// The name of the object; one that the API server will complete ends in `*`.
    fn name(&self) -> Option<String> {
        let name = self.text("/name").or_else(|| self.text("/object/metadata/name"));
        let generated = || self.text("/object/metadata/generateName").map(|name| format!("{name}*"));
        name.map(str::to_owned).or_else(generated)
    }
}

/// `CREATE Service shop/web`.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text("/operation").unwrap_or_default())?;
        write!(f, " {}", self.text("/kind/kind").unwrap_or_default())?;
        if let Some(subresource) = self.text("/subResource") {
            write!(f, "/{subresource}")?;
        }
        match (self.text("/namespace"), self.name()) {
            (Some(namespace), Some(name)) => write!(f, " {namespace}/{name}"),
            (Some(namespace), None) => write!(f, " in {namespace}"),
            (None, Some(name)) => write!(f, " {name}"),
            (None, None) => Ok(()),
        }
    }
}
